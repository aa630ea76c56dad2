// `liza checkpoint`: halts everything and writes a summary for the person who decides how to go on.
// Who may, and when: protocol/commands/operator/kill-switches.ts.

import { isRefusal } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { orFileAlone } from '../kill-switch.ts';
import { committedResult, onTasks } from '../open-project.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  options: { reason: { value: 'text', description: 'Why; kept on record.' } },
  examples: ['liza checkpoint', 'liza checkpoint --reason "before the release"'],
  details: [
    'Agents stop at a safe point and keep their work. The summary is in .liza/checkpoints/.',
    'Continue with liza resume --decision continue, adjust-specs, replan or stop.',
  ],
  run: onTasks((context, args) => {
    const reason = args.text('reason');
    const command = { name: 'checkpoint', ...defined({ reason }) } as const;
    const later = 'A crew at work records it once the board can be written.';
    return orFileAlone(context, { name: 'CHECKPOINT', command, later }, (open) => halt(open, reason));
  }),
};

async function halt(context: TaskContext, reason: string | undefined): Promise<Result> {
  const { checkpoint } = await import('../../governance/checkpoint.ts');
  const halted = await checkpoint(context, reason);
  if (isRefusal(halted)) return halted;
  const { committed, file } = halted;
  return committedResult(committed, () => ({
    lines: [...(file === undefined ? [] : [`Read ${file}`]), 'Then: liza resume --decision continue'],
    data: file === undefined ? {} : { file },
  }));
}
