// What no command checked is a fact for the reviewer.

import { expect, test } from 'vitest';
import { uncheckedCommands } from '../../../../src/protocol/definition/unchecked.ts';

const task = (done_when: string, validation: readonly string[] = []) =>
  ({ id: 'a', status: 'READY_FOR_REVIEW', priority: 3, done_when, validation }) as const;

test('each command of a criterion that neither validation nor test_command runs, by the number of its criterion', () => {
  const done = '- calls are retried three times\n- `npm run bench` and `npm test` are green\n- `./check.sh` is silent';
  expect(uncheckedCommands({ test_command: 'npm run test' }, task(done, ['sh -c "cat ./check.sh"']))).toEqual([
    { criterion: 2, command: 'npm run bench' },
    { criterion: 3, command: './check.sh' },
  ]);
  expect(uncheckedCommands({ test_command: 'npm test' }, task(done, ['npm run  bench', './check.sh']))).toEqual([]);
});

test.each([
  'test "$(node src/cli.js 2 3)" = 6',
  'test "$( node  src/cli.js 2 3 2>/dev/null)" = 6',
  'out=`node src/cli.js 2 3` && test "$out" = 6',
  'node src/cli.js 2 3|grep -x 6',
  '! node src/cli.js 2 3;true',
  'if node src/cli.js 2 3; then exit 0; fi',
  '(cd . && node src/cli.js 2 3)',
  'diff <(node src/cli.js 2 3) <(echo 6)',
])('a command that runs as a part of %s is checked', (line) => {
  const done = '- `node src/cli.js 2 3` prints `6`';
  expect(uncheckedCommands({}, task(done, [line]))).toEqual([]);
  expect(uncheckedCommands({}, task('- `node src/cli.js 2 4` prints `8`', [line]))).toHaveLength(1);
});

test.each(["echo '$(node src/cli.js 2 3)'", 'echo "(node src/cli.js 2 3)"', 'echo "\\$(node src/cli.js 2 3)"'])(
  'a command that %s only prints is not',
  (line) => expect(uncheckedCommands({}, task('- `node src/cli.js 2 3` prints `6`', [line]))).toHaveLength(1),
);

test('a command that a text shall quote is checked by a validation that looks for it there', () => {
  const done = '- README.md documents `npm install x`';
  expect(uncheckedCommands({}, task(done, ["grep -q 'npm install x' README.md"]))).toEqual([]);
  expect(uncheckedCommands({}, task(done, ["grep -q 'npm install y' README.md"]))).toHaveLength(1);
  expect(uncheckedCommands({}, task('- `npm install x` succeeds', ["grep -q 'npm install x' README.md"]))).toHaveLength(
    1,
  );
});

test.each([
  'scripts/clean.sh contains `rm -rf` nowhere',
  'the release never runs `npm publish`',
  '`npm publish` is never called',
])('nobody is told to run what must not be run: %s', (done) =>
  expect(uncheckedCommands({}, task(`- ${done}`, ['npm run lint']))).toEqual([]),
);
