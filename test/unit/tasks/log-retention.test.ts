// Which logs go when there is no room: old ones, and never what somebody still needs.

import { expect, test } from 'vitest';
import {
  filesToDrop,
  type LogFile,
  type Submission,
  submissionsToDrop,
} from '../../../src/tasks/rules/log-retention.ts';

const MB = 1e6;
const log = (agent: string, time: number, task?: string, bytes = MB): LogFile => ({
  name: [agent, `20260131T1200${String(time).padStart(2, '0')}-000Z`, task, 'log'].filter(Boolean).join('.'),
  bytes,
  time,
});
const room = (bytes: number, each = 40, ...live: readonly string[]) => ({
  bytes,
  each,
  liveTasks: new Set(live),
});

test('while there is room, nothing', () => {
  expect(filesToDrop([log('coder-1', 1), log('coder-1', 2)], room(2 * MB))).toEqual([]);
});

test('the oldest first, whoever’s they are', () => {
  const files = [
    log('coder-1', 1),
    log('code-reviewer-1', 2),
    log('coder-1', 3),
    log('code-reviewer-1', 4),
    log('coder-1', 5),
  ];
  expect(filesToDrop(files, room(3 * MB))).toEqual([files[1]?.name, files[0]?.name]);
});

test('never the newest of an agent: its session may be running', () => {
  const files = [log('coder-1', 1, 'a', 9 * MB), log('coder-2', 2, 'b', 9 * MB), log('coder-3', 3, 'c', 9 * MB)];
  expect(filesToDrop(files, room(MB))).toEqual([]);
});

test('never the newest about a live task, also of its integration test; ended ones go', () => {
  const files = [
    { name: 'integration-test-live-0123456789ab.log', bytes: MB, time: 1 },
    { name: 'integration-test-ended-0123456789ab.log', bytes: MB, time: 2 },
    log('coder-1', 3, 'a-live-one'),
    log('coder-1', 4, 'a-live-one'),
    log('coder-1', 5, 'gone'),
    log('coder-1', 6, 'gone'),
  ];
  const kept = ['integration-test-live-0123456789ab.log', files[3]?.name, files[5]?.name];
  const dropped = filesToDrop(files, room(0, 40, 'live', 'a-live-one'));
  expect(files.map(({ name }) => name).filter((name) => !dropped.includes(name))).toEqual(kept);
});

test('nor the run of the project’s own tests on its merge', () => {
  const files = ['live', 'ended'].map((id) => ({ name: `test-command-${id}-0123456789ab.log`, bytes: MB, time: 1 }));
  expect(filesToDrop(files, room(0, 40, 'live'))).toEqual([files[1]?.name]);
});

test('of one agent not more than so many, however small', () => {
  const files = Array.from({ length: 50 }, (_, n) => log('coder-1', n, undefined, 10));
  expect(filesToDrop(files, room(MB, 40))).toHaveLength(10);
});

test('what a person put there stays', () => {
  const files = [{ name: 'notes.txt', bytes: MB, time: 1 }, log('coder-1', 2)];
  expect(filesToDrop(files, room(0))).toEqual([]);
});

const run = (task: string, pin: number, time: number, bytes = MB): Submission => ({ task, pin, bytes, time });
const pins = (all: readonly Submission[]): readonly string[] => all.map(({ task, pin }) => `${task}/${pin}`);

test('of submissions the oldest go first; a live task keeps its newest, an ended one need not', () => {
  const all = [run('live', 1, 1), run('ended', 1, 2), run('live', 2, 3), run('ended', 2, 4)];
  expect(pins(submissionsToDrop(all, room(4 * MB, 40, 'live')))).toEqual([]);
  expect(pins(submissionsToDrop(all, room(2 * MB, 40, 'live')))).toEqual(['ended/1', 'live/1']);
  expect(pins(submissionsToDrop(all, room(0, 40, 'live')))).toEqual(['ended/2', 'ended/1', 'live/1']);
});

test('of one task not more than so many submissions, however small', () => {
  const all = Array.from({ length: 50 }, (_, n) => run('live', n + 1, n, 10));
  expect(pins(submissionsToDrop(all, room(MB, 40, 'live')))).toEqual(pins(all.slice(0, 10).reverse()));
});
