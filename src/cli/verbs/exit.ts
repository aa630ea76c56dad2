// `liza exit <code>`: an LLM cannot set its CLI's exit code, so it declares it here.

import { refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { defined } from '../../protocol/values.ts';
import { act } from '../open-project.ts';
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
    return act(io, { name: 'exit', code: Number(code), ...defined({ reason: args.text('reason') }) });
  },
};
