// What follows from the end of a session, one test for each rule.

import { describe, expect, test } from 'vitest';
import { type Judgement, judge, NO_PAST, type Past, type SessionEnd } from '../../../src/supervisor/rules/restarts.ts';

const NOW = Date.parse('2026-03-01T09:00:00Z');
const end = (more: Partial<SessionEnd> = {}): SessionEnd => ({
  role: 'coder',
  how: { kind: 'exited', code: 0 },
  progressed: false,
  holds: false,
  most: 10,
  ...more,
});
const crashed: Partial<SessionEnd> = { how: { kind: 'exited', code: 1 } };
const following = (more: Partial<SessionEnd>, past: Past = NO_PAST, now = NOW): Judgement =>
  judge(end(more), past, now);

/** The same end again and again; what follows from the last one. */
function repeated(times: number, more: Partial<SessionEnd>, apartMs = 1000): Judgement {
  let judged: Judgement = { next: { kind: 'go-on' }, past: NO_PAST };
  for (let n = 0; n < times; n += 1) judged = judge(end(more), judged.past, NOW + n * apartMs);
  return judged;
}

describe('a declared code counts before the process’s', () => {
  test('declared 0: nothing more for this role now', () => {
    const declared = { code: 0 };
    expect(following({ declared, how: { kind: 'exited', code: 1 } }).next).toEqual({ kind: 'go-on' });
  });
  test('42: restart after two seconds', () => {
    const declared = { code: 42, reason: 'more to do' };
    const again = { kind: 'again', afterMs: 2000, cause: 'asked-for', why: 'more to do' };
    expect(following({ declared, progressed: true, holds: true }).next).toEqual(again);
    expect(following({ role: 'planner', declared, progressed: true }).next).toEqual(again);
  });
  test('42 after a submit: at the verdict', () => {
    expect(following({ declared: { code: 42 }, progressed: true }).next).toEqual({ kind: 'go-on' });
  });
  test('an exit code of 42 that nobody declared is a crash', () => {
    expect(following({ how: { kind: 'exited', code: 42 } }).next).toMatchObject({
      kind: 'again',
      afterMs: 5000,
      cause: 'failed',
    });
  });
  test('any other declared code is a crash', () => {
    expect(following({ declared: { code: 1 }, progressed: true }).next).toMatchObject({ kind: 'again', afterMs: 5000 });
  });
});

describe('a session that ends while a kill switch is on', () => {
  const past: Past = { ...NO_PAST, spins: 2, unfinished: 9 };
  const halted = true as const;
  test.each([
    ['nothing was changed', { holds: true }],
    ['42 with no change', { declared: { code: 42 }, holds: true }],
    ['declared 0 while holding a task', { declared: { code: 0 }, holds: true, progressed: true }],
    ['something was changed, nothing submitted', { holds: true, progressed: true }],
  ])('%s: it counts neither as a spin nor as unfinished work', (_name, more) => {
    expect(following({ ...more, halted }, past)).toEqual({ next: { kind: 'go-on' }, past });
  });
  test('a crash stays a crash', () => {
    expect(following({ ...crashed, halted }).next).toMatchObject({ kind: 'again', cause: 'failed' });
  });
});

describe('spins', () => {
  test.each([
    ['declared 0 while holding a task', { declared: { code: 0 }, holds: true, progressed: true }],
    ['42 with no change', { declared: { code: 42 }, holds: true }],
    ['an undeclared 0 with no change', { holds: true }],
  ])('%s', (_name, more) => {
    expect(repeated(1, more).past.spins).toBe(1);
    expect(repeated(2, more).next).toMatchObject({ kind: 'again', afterMs: 2000 });
    expect(repeated(3, more).next).toMatchObject({ kind: 'block', limit: 'spin' });
  });
  test.each(['planner', 'code_reviewer'] as const)('of a %s stop its supervisor', (role) => {
    expect(repeated(3, { role, holds: role !== 'planner' }).next).toMatchObject({ kind: 'stop', trouble: 'spin' });
  });
  test('what it was refused last is said', () => {
    const refused = 'add-task a refused: there is a task a already';
    expect(following({ refused }).next).toMatchObject({ why: `it ended without any change: ${refused} (1 of 3)` });
  });
  test('progress in between starts the count anew', () => {
    const two = repeated(2, { holds: true });
    const worked = judge(end({ progressed: true }), two.past, NOW);
    expect(worked).toEqual({ next: { kind: 'go-on' }, past: NO_PAST });
  });
});

test.each([
  ['a coder that changes something each time and never submits', { holds: true, progressed: true }, 'block'],
  ['one that asks for a restart each time', { holds: true, progressed: true, declared: { code: 42 } }, 'block'],
  ['a reviewer without a verdict', { role: 'code_reviewer', holds: true, progressed: true }, 'stop'],
  [
    'a planner that asks for a restart each time',
    { role: 'planner', progressed: true, declared: { code: 42 } },
    'stop',
  ],
  ['a full context that is never handed off', { holds: true, how: { kind: 'overdue', why: 'context' } }, 'block'],
] as const)('%s: max_coder_iterations sessions, no more', (_name, more, kind) => {
  expect(repeated(9, more).next.kind).not.toBe(kind);
  expect(repeated(10, more).next).toMatchObject({ kind });
});

test('a session that its provider no longer has is started afresh at once, and counts as no crash', () => {
  const gone = { ...crashed, resumeFailed: true } as const;
  const { next, past } = repeated(5, gone);
  expect(next).toEqual({ kind: 'go-on' });
  expect(past.crashes).toEqual([]);
});

describe('crashes', () => {
  test('five seconds, doubling', () => {
    expect(repeated(1, crashed).next).toMatchObject({ kind: 'again', afterMs: 5000 });
    expect(repeated(2, crashed).next).toMatchObject({ kind: 'again', afterMs: 10_000 });
  });
  test('three in five minutes stop that supervisor', () => {
    expect(repeated(3, crashed).next).toMatchObject({ kind: 'stop', trouble: 'crash-loop' });
    expect(repeated(3, { how: { kind: 'signalled', signal: 'SIGKILL' } }).next).toMatchObject({ kind: 'stop' });
  });
  test('who used more of the machine than it may is told so, and counts as crashed', () => {
    const over: Partial<SessionEnd> = { how: { kind: 'over-limit', why: 'it used 900 MB' }, holds: true };
    expect(repeated(1, over).next).toEqual({
      kind: 'again',
      afterMs: 5000,
      cause: 'over-limit',
      why: 'it used 900 MB',
    });
    expect(repeated(3, over).next).toMatchObject({ kind: 'stop', why: expect.stringContaining('it used 900 MB') });
  });
  test('but not when they are further apart', () => {
    expect(repeated(6, crashed, 3 * 60_000).next).toMatchObject({ kind: 'again', afterMs: 10_000 });
  });
});

test('silence: restarted once, then given up', () => {
  const silent: Partial<SessionEnd> = { how: { kind: 'silent' }, holds: true };
  expect(repeated(1, silent)).toMatchObject({ next: { kind: 'again' }, past: { silences: 1, spins: 0 } });
  expect(repeated(2, silent).next).toMatchObject({ kind: 'block', limit: 'silence' });
  expect(repeated(2, { ...silent, role: 'planner', holds: false }).next).toMatchObject({
    kind: 'stop',
    trouble: 'spin',
  });
});

describe('a provider that does not serve is not a crash', () => {
  const quota = (until?: number): Partial<SessionEnd> => ({
    ...crashed,
    failure: { kind: 'quota', text: 'usage limit', ...(until === undefined ? {} : { until }) },
  });
  test('out of quota: until its stated reset', () => {
    expect(following(quota(NOW + 3_600_000)).next).toMatchObject({
      kind: 'later',
      until: NOW + 3_600_000,
      trouble: 'quota',
    });
  });
  test('without a reset, or one that is past: with growing patience, and it is never stopped for that', () => {
    expect(following(quota()).next).toMatchObject({ kind: 'later', until: NOW + 15 * 60_000 });
    expect(following(quota(NOW - 1)).next).toMatchObject({ kind: 'later', until: NOW + 15 * 60_000 });
    expect(repeated(20, quota()).next).toMatchObject({ kind: 'later', until: NOW + 19_000 + 60 * 60_000 });
  });
  test('also when it would have gone on asking', () => {
    const how = { kind: 'not-served' } as const;
    expect(following({ ...quota(NOW + 60_000), how, holds: true }).next).toMatchObject({
      kind: 'later',
      until: NOW + 60_000,
    });
  });
  test('no network: soon again', () => {
    const failure = { kind: 'network', text: 'ENOTFOUND' } as const;
    expect(following({ ...crashed, failure }).next).toMatchObject({
      kind: 'later',
      until: NOW + 30_000,
      trouble: 'network',
    });
  });
  test('login needed, or not there at all: it stops at once', () => {
    const failure = { kind: 'login', text: 'please log in' } as const;
    expect(following({ ...crashed, failure }).next).toEqual({ kind: 'stop', trouble: 'login', why: 'please log in' });
    expect(following({ how: { kind: 'not-started', reason: 'no claude' } }).next).toMatchObject({
      trouble: 'provider',
    });
  });
  test('what it complained of counts for nothing once its work is done', () => {
    expect(following({ ...quota(), progressed: true, how: { kind: 'exited', code: 0 } }).next).toEqual({
      kind: 'go-on',
    });
  });
});

test('it had declared its end and did not end: the declaration counts', () => {
  const how = { kind: 'overdue', why: 'it said that it ends' } as const;
  expect(following({ how, declared: { code: 42 }, holds: true, progressed: true }).next).toMatchObject({
    kind: 'again',
  });
  expect(following({ how }).next).toEqual({ kind: 'go-on' });
});

test('ended by us: look at the board, nothing is held against it', () => {
  const past = repeated(2, crashed).past;
  expect(judge(end({ how: { kind: 'lease-lost' } }), past, NOW)).toEqual({ next: { kind: 'go-on' }, past });
  expect(judge(end({ how: { kind: 'stopped', why: 'PAUSE is on' } }), past, NOW)).toEqual({
    next: { kind: 'go-on' },
    past,
  });
});
