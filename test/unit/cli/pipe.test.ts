// What is printed into a pipe is whole: every row, and every text to its end. A terminal gets a page, and so does an agent,
// whose lines are whole too.

import { beforeEach, describe, expect, test } from 'vitest';
import type { Anomaly, Discovery, HistoryEvent, Note, Question } from '../../../src/protocol/state.ts';
import { agent } from '../boards/empty-board.ts';
import { aTask, type Project, project } from './fixtures.ts';

const MANY = 30;
const TIME = '2026-03-01T10:00:00Z';
/** Longer than a line and than any summary, and in two halves: words, and one word that is longer than a line. */
const long = (end: string): string => `${'some words '.repeat(120)}${'x'.repeat(150)} ${end}`;
const ids = (name: string): readonly string[] => Array.from({ length: MANY }, (_, n) => `${name}-${n + 1}`);
const ends = (name: string): readonly string[] => ids(name).map((id) => `end-of-${id}`);

const history = ids('step').map(
  (id): HistoryEvent => ({ time: TIME, event: 'note', agent: 'coder-1', text: long(`end-of-${id}`) }),
);
const tasks = ids('task').map((id) => aTask(id, { status: 'UNCLAIMED', description: long(`end-of-${id}`), history }));
const merged = ids('done').map((id) => aTask(id, { status: 'MERGED' }));
const questions = ids('q').map(
  (id): Question => ({
    ...{ id, asked_by: 'coder-1', text: long(`end-of-${id}`), status: 'open', created: TIME, assume: 'go on' },
  }),
);
const discovered = ids('disc').map(
  (id): Discovery => ({
    ...{ id, by: 'coder-1', description: long(`end-of-${id}`), severity: 'low', urgency: 'deferred', created: TIME },
  }),
);
const anomalies = ids('anomaly').map(
  (id): Anomaly => ({
    ...{
      id,
      type: 'retry_loop',
      task: 'task-1',
      reporter: 'coder-1',
      details: { error_pattern: long(`end-of-${id}`) },
    },
  }),
);
const human_notes = ids('note').map((id): Note => ({ id, timestamp: TIME, message: long(`end-of-${id}`) }) as Note);

let here: Project;
beforeEach(() => {
  const agents = Object.fromEntries(ids('coder').map((id) => [id, agent('coder')]));
  here = project({ tasks: [...tasks, ...merged], questions, discovered, anomalies, human_notes, agents } as never);
});

describe('in a pipe', () => {
  test.each([
    [['status'], [...ids('done'), ...ids('coder'), ...['task', 'q', 'disc', 'anomaly'].flatMap(ends)]],
    [
      ['show', 'task-1'],
      ['end-of-task-1', ...ends('step')],
    ],
    [['discovery', 'list'], ends('disc')],
    [['anomaly', 'list'], ends('anomaly')],
    [['show', 'note-1'], ['end-of-note-1']],
    [['show', 'q-1'], ['end-of-q-1']],
  ])('liza %s prints all of it', async (argv, parts) => {
    const ran = await here.liza(argv);
    expect(ran.code, ran.stderr).toBe(0);
    expect(parts.filter((part) => !new RegExp(`${part}(?!\\d)`).test(ran.stdout))).toEqual([]);
    expect(ran.stdout).toContain('x'.repeat(150));
    // A command to type ends in a mark of its own.
    expect(ran.stdout.replaceAll('"…"', '')).not.toMatch(/…|more: liza|earlier: liza|older entr/);
  });
});

test('on a terminal status is a page, with the command for the rest', async () => {
  const ran = await here.liza(['status'], { io: { stdoutIsTty: true, columns: 80 } });
  expect(ran.stdout).toContain('18 more: liza status --all');
  expect(ran.stdout).not.toContain('coder-30');
  expect(ran.stdout).not.toContain('end-of-task-1');
});

test('an agent gets the page too, its lines whole', async () => {
  const ran = await here.liza(['status'], { as: 'planner-1' });
  expect(ran.stdout).toContain('18 more: liza status --all');
  expect(ran.stdout).toContain('end-of-task-1');
});
