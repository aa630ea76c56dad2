// Who merged is told as what it is: no agent merges anything.

import { expect, test } from 'vitest';
import { mergerText } from '../../../../src/cli/render/blame.ts';

test.each([
  ['code-reviewer-1', 'Liza (the supervisor of code-reviewer-1, not the agent)'],
  ['planner-1', 'Liza (the supervisor of planner-1, not the agent)'],
  ['human', 'human'],
  [undefined, 'somebody'],
])('%s', (by, told) => expect(mergerText(by)).toBe(told));
