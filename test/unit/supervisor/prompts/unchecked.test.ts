// What no command checked is a fact for the reviewer.

import { expect, test } from 'vitest';
import { uncheckedCommands } from '../../../../src/protocol/unchecked.ts';

const task = (done_when: string, validation: readonly string[] = []) =>
  ({ id: 'a', status: 'READY_FOR_REVIEW', priority: 3, done_when, validation }) as const;

test('each command of a criterion that neither validation nor test_command runs, by the number of its criterion', () => {
  const done = '- calls are retried three times\n- `npm run bench` and `npm test` are green\n- `./check.sh` is silent';
  expect(uncheckedCommands({ test_command: 'npm run test' }, task(done, ['sh -c "./check.sh"']))).toEqual([
    { criterion: 2, command: 'npm run bench' },
    { criterion: 3, command: './check.sh' },
  ]);
  expect(uncheckedCommands({ test_command: 'npm test' }, task(done, ['npm run  bench', './check.sh']))).toEqual([]);
});
