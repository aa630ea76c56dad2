// Which command that Liza ran somebody means.

import { expect, test } from 'vitest';
import { commandMeant, ranForm, ranGreen } from '../../../src/protocol/review/ran-command.ts';
import type { Task } from '../../../src/protocol/state.ts';

const SCRIPT = "node -e '\nconst a = 1;\nif (a !== 1) process.exit(1);\n'";
const LONG = `npx vitest run ${Array.from({ length: 8 }, (_none, n) => `test/unit/part-${n}.test.ts`).join(' ')}`;
const PRINTS = 'test "$(node src/cli.js 2 3)" = 6';
const COMMANDS = ['npm test -- one.test.js', SCRIPT, LONG, 'make check', PRINTS];

const COMMIT = 'c'.repeat(40);
const runs = COMMANDS.map((command) => ({ command, ok: command !== 'make check', how: '', seconds: 1, log: '' }));
const task = {
  id: 'a',
  status: 'READY_FOR_REVIEW',
  review_commit: COMMIT,
  history: [
    { event: 'submitted', time: '', commit: COMMIT, proof: { commit: COMMIT, commands: COMMANDS, runs, seconds: 1 } },
  ],
} as unknown as Task;

test.each([
  ['its number', '#2', SCRIPT],
  ['its number as the evidence writes it', 'VALIDATION #2', SCRIPT],
  ['its number in words', 'command 2 of VALIDATION', SCRIPT],
  ['all its words in one line', SCRIPT.replaceAll('\n', ' '), SCRIPT],
  ['the first line of several', "node -e '", SCRIPT],
  ['how a long one begins', 'npx vitest run test/unit/part-0.test.ts', LONG],
  ['a beginning that says that it is one', 'npm test …', 'npm test -- one.test.js'],
  ['the same in backticks', '`npm test ...`', 'npm test -- one.test.js'],
  ['a command that it substitutes', 'node src/cli.js 2 3', PRINTS],
  ['it, with a remark', 'npm test -- one.test.js (twice)', 'npm test -- one.test.js'],
])('a command is meant by %s', (_what, said, meant) => {
  expect(commandMeant(task, COMMIT, said)).toBe(meant);
  expect(ranGreen(task, COMMIT, said)).toBe(true);
});

test.each([
  ['the beginning of a short one: it was run on a part alone', 'npm test'],
  ['what begins several', 'np…'],
  ['too little', 'n…'],
  ['a number that there is not', '#9'],
  ['one that is red', 'make check'],
  ['a part of a command within another', 'node src/cli.js 2'],
])('not green: %s', (_what, said) => {
  expect(ranGreen(task, COMMIT, said)).toBe(false);
});

test('nothing was run at another commit', () => {
  expect(ranGreen(task, 'd'.repeat(40), '#1')).toBe(false);
});

test('the form names a long command, or one of several lines, by its number', () => {
  expect(COMMANDS.map((command) => ranForm(task, command))).toEqual([
    'ran npm test -- one.test.js',
    'ran #2',
    'ran #3',
    'ran make check',
    `ran ${PRINTS}`,
  ]);
});
