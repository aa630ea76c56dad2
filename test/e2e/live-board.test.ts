// The live board on a real terminal: what its keys do is checked on the blackboard; leaving it and closing its window leave
// the crew at work. Needs tmux.

import { describe, expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { agentsOf, crewOf, DETACHED, isAlive, rehearsedCrew } from '../support/background-crew.ts';
import { type BuiltProject, program, until } from '../support/program.ts';
import { hasTmux, type Tmux, tmux } from '../support/tmux.ts';

const BEGIN = {
  begin: { intent: 'a file', risks: 'none', validation: 'node --test passes', files: ['src/a.mjs'] },
};
/** Writes a file, asks a person, and after the answer waits for ever. */
const ASKS = [
  {
    role: 'coder',
    when: 'start',
    steps: [
      BEGIN,
      { write: 'src/a.mjs', text: 'export const answer = 42;\n' },
      { commit: 'a: made' },
      { block: { reason: 'the spec names two limits', questions: ['How many retries are allowed?'] } },
      { exit: 42 },
    ],
  },
  { role: 'coder', steps: [{ hang: true }] },
  { role: 'planner', steps: [{ exit: 0 }] },
];

const LIZA = [process.execPath, program()];

/** The crew works in the background, the task is blocked, and its board is on a terminal. */
async function attached(size?: readonly [number, number]): Promise<{ p: BuiltProject; board: Tmux; pid: number }> {
  const p = rehearsedCrew(ASKS);
  p.ok(DETACHED);
  await until(() => p.task('a').status === 'BLOCKED');
  const board = tmux(p.root, p.env);
  board.open([...LIZA, 'attach'], size);
  await board.shows('q leave');
  await board.shows('How many retries');
  return { p, board, pid: crewOf(p) };
}

const ended = (p: BuiltProject, pid: number): void => {
  expect(isAlive(pid)).toBe(false);
  expect(agentsOf(p)).toEqual([]);
};

describe.skipIf(!hasTmux)(`the live board${hasTmux ? '' : ' (skipped: tmux is not installed)'}`, () => {
  test('shows a diff and a log, takes a pasted note and an answer; q leaves the crew, liza stop ends it', async () => {
    const { p, board, pid } = await attached();
    board.keys('d');
    await board.shows('+export const answer = 42;');
    board.keys('Escape');
    await board.shows('Happened');
    board.keys('L');
    await board.shows(/^Logs .*[\s\S]*coder-1/);
    board.keys('Enter');
    await board.shows(/^(?!Logs)[\s\S]*planner-1/);
    board.keys('Escape');
    await board.shows('Happened');

    board.keys('n');
    await board.shows('liza note');
    board.paste('first line\nsecond line');
    await board.shows('second line');
    expect(p.board().human_notes ?? []).toEqual([]);
    board.keys('Enter');
    await until(() => (p.board().human_notes ?? []).some(({ message }) => message === 'first line\nsecond line'));

    board.keys('a');
    await board.shows(/^Answer /);
    board.type('three');
    await board.shows('three');
    board.keys('Enter');
    await until(() => p.task('a').status !== 'BLOCKED');

    await board.shows('Happened');
    board.keys('q');
    // tmux may have pushed the first line off the screen by then.
    await board.shows('See it: liza attach');
    expect(isAlive(pid)).toBe(true);
    p.ok(['stop']);
    ended(p, pid);
  });

  test('the first line comes before the program is loaded', async () => {
    const p = rehearsedCrew(ASKS);
    const board = tmux(p.root, p.env);
    board.open(['sh', '-c', '"$0" "$1" attach; sleep 60', ...LIZA]);
    await board.shows(/^Liza \d+\.\d+\.\d+: looking for the crew \.\.\.\n+liza: no crew is running here/);
  });

  test('Ctrl-C before the demo’s board is there says at once what happens', async () => {
    const p = rehearsedCrew(ASKS);
    const board = tmux(p.root, p.env);
    board.open(['sh', '-c', 'trap : INT; "$0" "$1" demo; sleep 60', ...LIZA]);
    await board.shows('$ cd ');
    board.keys('C-c');
    await board.shows(/stopping: the agents are ended[\s\S]*nothing of it is left/);
  });

  test.runIf(inFull)(
    'filters rows, shows an alarm whole, acts on a row, unblocks it, and S stops the crew (in test:all)',
    async () => {
      const { p, board, pid } = await attached();
      board.type('/nosuchrow');
      await board.shows('none of them');
      board.keys('Escape');
      // The question above the tasks names it, too, while the filter still hides the row.
      await board.shows(/^ +BLOCKED +a /m);
      board.type('/BLOCKED\r');
      board.keys('Down');
      board.keys('x');
      await board.shows(/^Actions +a/m);
      await board.shows('abandon');
      board.type('1');
      await board.shows('The note for a');
      board.type('use the smaller limit\r');
      await until(() => (p.board().human_notes ?? []).some(({ message }) => message === 'use the smaller limit'));

      await board.shows('Happened');
      board.keys('Down');
      await board.shows('› warning BLOCKED');
      board.keys('Enter');
      await board.shows(/^Warning +BLOCKED[\s\S]*liza help alarms/);
      board.keys('Escape');
      await board.shows('Happened');
      board.keys('Up');
      board.keys('u');
      await board.shows('liza unblock');
      board.type('three retries\r');
      await until(() => p.task('a').status !== 'BLOCKED');

      board.keys('S');
      await board.shows('Stop the crew?');
      board.keys('y');
      await until(() => !isAlive(pid));
      ended(p, pid);
    },
  );

  test.runIf(inFull)(
    'a note that is typed while the crew ends is sent, and one that is not is printed (in test:all)',
    async () => {
      const p = rehearsedCrew(ASKS);
      p.ok(DETACHED);
      await until(() => p.task('a').status === 'BLOCKED');
      const pid = crewOf(p);
      const board = tmux(p.root, p.env);
      board.open(['sh', '-c', '"$0" "$1" attach; sleep 60', ...LIZA]);
      await board.shows('q leave');
      board.keys('n');
      await board.shows('liza note');
      board.type('mind the');
      await board.shows('mind the');
      p.ok(['stop']);
      ended(p, pid);
      await board.shows('The crew has ended: ');
      board.type(' total');
      await board.shows('mind the total');
      board.keys('Enter');
      await until(() => (p.board().human_notes ?? []).some(({ message }) => message === 'mind the total'));
      await board.shows('closes the board');
      board.keys('n');
      await board.shows('liza note');
      board.type('and the tax');
      await board.shows('and the tax');
      board.keys('Escape');
      await board.shows('closes the board');
      board.keys('Enter');
      await board.shows(/it was not sent:\n +and the tax\n[\s\S]*stopped/);
    },
  );

  test('a closed terminal leaves the crew running', async () => {
    const { p, board, pid } = await attached();
    board.close();
    expect(isAlive(pid)).toBe(true);
    const again = tmux(p.root, p.env);
    again.open([...LIZA, 'attach']);
    await again.shows('q leave');
    again.close();
    p.ok(['stop']);
    ended(p, pid);
  });
});
