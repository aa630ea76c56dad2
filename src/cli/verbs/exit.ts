// `liza exit <code>`: an LLM cannot set its CLI's exit code, so it declares it here.

import { afterRefused } from '../../protocol/commands/messages/said-done.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { defined } from '../../protocol/values.ts';
import { refusedIn } from '../../store/refused-commands.ts';
import type { CommandContext } from '../../store/transact.ts';
import { openProject, runCommand } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'code', description: '0: nothing more for this role now. 42: restart me. Other: something broke.' },
  ],
  options: { reason: { value: 'text', description: 'Why, in one phrase.' } },
  examples: ['liza exit 42 --reason "submitted for review"', 'liza exit 0'],
  run: async (args, io) => {
    const code = args.must('code');
    if (!/^\d{1,3}$/.test(code) || Number(code) > 255) {
      return refuse(`the exit code ${quoted(code)} is not a number from 0 to 255`, 'use 0 or 42', 1, 'usage');
    }
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const command = { name: 'exit', code: Number(code), ...defined({ reason: args.text('reason') }) } as const;
    const result = await runCommand(context, command);
    return result.ok || result.guard !== 'said-done' ? result : withTheRefused(context, result);
  },
};

/** Why nothing is there, as far as this session was told. */
function withTheRefused(context: CommandContext, refusal: Refusal): Refusal {
  const { id = '', session = '' } = context.actor;
  const last = refusedIn(context, id, session).findLast((text) => /^liza submit-(?:verdict|for-review): /.test(text));
  return last === undefined ? refusal : afterRefused(refusal, last);
}
