// Which command that Liza ran somebody means.

import { expect, test } from 'vitest';
import { notGreen } from '../../../src/protocol/review/approval-record.ts';
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

test.each(['cd src', 'set -e', 'echo done', 'X=true'])('a part that checks nothing is refused: %s', (part) => {
  const one = ranAll(`${part} && npm test`);
  const said = (command: string) =>
    notGreen(one, [{ criterion: 1, by: 'ran', command }])
      .map(({ text }) => text)
      .join();
  expect(said(part)).toContain('checks nothing');
  expect(said('npm test')).toBe('');
});

/** A board on which Liza ran these green. */
function ranAll(...commands: readonly string[]): Task {
  const own = commands.map((command) => ({ command, ok: true, how: '', seconds: 1, log: '' }));
  const proof = { commit: COMMIT, commands, runs: own, seconds: 1 };
  return { ...task, history: [{ event: 'submitted', time: '', commit: COMMIT, proof }] } as unknown as Task;
}

test.each([
  'npm test && npm run lint',
  'npm run lint && npm test',
  'cd pkg && npm test',
  'npm ci; npm test',
  'npm test || exit 1; echo done',
  'npm test || { echo red; exit 1; }',
  'set -e; npm test; echo done',
  'set -eu\nnpm ci\nnpm test\nrm -rf tmp',
  '(cd pkg && npm test)',
  '{ npm test 2>&1; } && echo ok',
  "sh -c 'npm ci && npm test'",
  "bash -euo pipefail -c 'npm test | tee log; echo done'",
  'set -o pipefail; npm test | tee log',
  'cat list | npm test',
  'if npm test; then echo ok; else exit 1; fi',
  'if ! npm test; then exit 1; fi',
  'npm test; exit $?',
  'npm test; rc=$?; rm -rf tmp; exit $rc',
  'npm test; [ $? -eq 0 ]',
  "trap 'rm -rf tmp' EXIT; npm test",
  'out=$(npm test) && echo "$out"',
  'eval "npm test"',
  'for i in 1 2 3; do npm test || exit 1; done',
  'true | npm test',
])('a part counts as run where the line is red whenever it is: %s', (line) => {
  expect(ranGreen(ranAll(line), COMMIT, 'npm test')).toBe(true);
  expect(commandMeant(ranAll(line), COMMIT, 'npm test')).toBe(line);
});

test.each([
  'npm test || ls',
  'npm test; git status',
  'npm run lint || npm test',
  "trap 'exit 0' EXIT; npm test",
  "trap 'exit 0' ERR; npm test",
  'x=1; test -n "$(npm test)"',
  'test "$(npm test)" = 6',
  'echo $(npm test)',
  'npm test | tee log',
  'npm test | grep -q ok',
  'npm test & wait',
  'npm test & wait $!',
  '! npm test',
  'if npm test; then echo ok; fi',
  'if test -f x; then npm test; fi',
  'until npm test; do sleep 1; done',
  'for f in $FILES; do npm test || exit 1; done',
  'for f in a b; do break; npm test; done',
  'set -e; npm test && echo ok; echo done',
  'set -e; { npm test; echo x; } && echo done',
  'set +e; npm test; echo done',
  '[ -n "$CI" ] && set -e; npm test; echo done',
  'npm() { true; }; npm test',
  'return 0; npm test',
  'exit 0; npm test',
  '$SETUP; npm test',
  '. ./env.sh; npm test',
  'eval "$SETUP"; npm test',
  'npm test; npm test',
  "sh -c 'npm test; true'",
  "echo 'npm test'",
  'echo a # && npm test',
  'echo <<EOF\nnpm test\nEOF',
  '[[ -n a && npm test && -n b ]]',
  'case $X in a) npm test ;; esac',
  'npm test && false || true',
  `npm test; git status -- ${'a/long/path '.repeat(10)}`,
])('a part does not count as run where the line may be green without it: %s', (line) => {
  const w = ranAll('make', line);
  expect(ranGreen(w, COMMIT, 'npm test')).toBe(false);
  expect(ranGreen(w, COMMIT, '#2')).toBe(true);
  expect(ranGreen(w, COMMIT, line)).toBe(true);
});

test('who names such a part is told which form counts', () => {
  const w = ranAll('make', 'npm test || ls');
  const [why = ''] = notGreen(w, [{ criterion: 1, by: 'ran', command: 'npm test' }]).map(({ text }) => text);
  expect(why).toContain('criterion 1: “npm test” is a part of a command that can be green where that part is red');
  expect(why).toContain('name the whole command: `ran #2`');
  expect(notGreen(w, [{ criterion: 1, by: 'ran', command: 'npm start' }])).toEqual([
    { text: 'criterion 1: Liza did not run “npm start” green at this commit', criteria: [1] },
  ]);
});

test('a command that another only substitutes is named by the whole: its own exit code is lost', () => {
  expect(ranGreen(task, COMMIT, 'node src/cli.js 2 3')).toBe(false);
  expect(ranGreen(task, COMMIT, PRINTS)).toBe(true);
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
    'ran #5',
  ]);
});
