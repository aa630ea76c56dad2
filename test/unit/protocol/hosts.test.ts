// Which host may begin what: one that is drained begins nothing, and a task that needs a tag is for hosts that have it.

import { describe, expect, test } from 'vitest';
import { type Board, type Lease, OPERATOR, supervisorOf } from '../../../src/protocol/board.ts';
import { decide } from '../../../src/protocol/decide.ts';
import type { HostOnBoard } from '../../../src/protocol/work/hosts.ts';
import { missingEverywhere, othersMerge, unreached, vanishedHosts } from '../../../src/protocol/work/hosts.ts';
import { whyNotClaimable } from '../../../src/supervisor/rules/claim-order.ts';
import { crewIds } from '../../../src/supervisor/rules/crew-ids.ts';
import { nextDuty } from '../../../src/supervisor/rules/next-duty.ts';
import { agent, ago, board, HOUR, NOW, task } from '../boards/empty-board.ts';

const host = (id: string, changes: Partial<HostOnBoard> = {}): HostOnBoard => ({
  ...{ id, name: id, version: '1', silent: 0, drained: false, tags: [] },
  ...changes,
});
const seen = (hosts: readonly HostOnBoard[] | undefined, needs?: readonly string[]): Board => ({
  ...board({
    tasks: [task('t', { status: 'UNCLAIMED', ...(needs === undefined ? {} : { needs }) })],
    agents: { 'coder-1': agent('coder', { status: 'IDLE', lease_expires: ago(-HOUR) }) },
  }),
  ...(hosts === undefined ? {} : { hosts, here: 'here' }),
});
const reserve = (from: Board) =>
  decide(
    from,
    { name: 'reserve-claim', task: 't', agent: 'coder-1', process: 'p' },
    {
      actor: supervisorOf('coder-1'),
      now: NOW,
    },
  );
const dutyOf = (from: Board) => nextDuty(from, { agent: 'coder-1', role: 'coder', postponed: new Set() }, NOW);

describe('a drained host', () => {
  const drained = seen([host('here', { drained: true }), host('there')]);

  test('claims nothing: the guard refuses, and its supervisors end', () => {
    expect(reserve(drained)).toMatchObject({ ok: false, guard: 'not-drained' });
    expect(dutyOf(drained)).toEqual({ kind: 'over', why: 'here is drained: it takes no new work' });
    expect(whyNotClaimable(drained, drained.state.tasks[0] as never, 'coder-1', NOW)).toBe(
      'here is drained: it takes no new work',
    );
  });

  test('does not keep the others from it', () => {
    const other = seen([host('here'), host('there', { drained: true })]);
    expect(reserve(other)).toMatchObject({ ok: true });
    expect(dutyOf(other)).toMatchObject({ kind: 'code' });
  });
});

describe('a task that needs a tag', () => {
  test('is claimed only where all of them are', () => {
    const some = seen([host('here', { tags: ['gpu'] }), host('there')], ['gpu', 'macos']);
    expect(reserve(some)).toMatchObject({
      guard: 'has-needs',
      message: 'claim-task t refused: t needs macos, which this host does not have',
    });
    expect(dutyOf(some)).toMatchObject({ kind: 'nothing' });
    const all = seen([host('here', { tags: ['macos', 'gpu'] })], ['gpu', 'macos']);
    expect(reserve(all)).toMatchObject({ ok: true });
    expect(dutyOf(all)).toMatchObject({ kind: 'code' });
  });

  test('says which hosts are meant: another one, or none', () => {
    const why = (from: Board) => whyNotClaimable(from, from.state.tasks[0] as never, 'coder-1', NOW);
    expect(why(seen([host('here'), host('there', { tags: ['gpu'] })], ['gpu']))).toBe(
      't needs gpu, which another host has: liza hosts',
    );
    for (const away of [{ drained: true }, { silent: HOUR }])
      expect(why(seen([host('here'), host('there', { tags: ['gpu'], ...away })], ['gpu']))).toBe(
        't needs gpu, and no host that is there has it: liza hosts tag <host> gpu',
      );
  });

  test('is for anybody where the board is on one machine', () => {
    const alone = seen(undefined, ['gpu']);
    expect(reserve(alone)).toMatchObject({ ok: true });
    expect(missingEverywhere(alone, alone.state.tasks[0] as never)).toEqual([]);
    expect(vanishedHosts(alone)).toEqual([]);
  });

  test('needs words: anything else is refused when it is defined', () => {
    const add = (needs: readonly string[]) =>
      decide(
        seen(undefined),
        { name: 'add-task', definition: { id: 'u', description: 'more', needs }, facts: {} as never },
        { actor: OPERATOR, now: NOW },
      );
    expect(add(['a GPU'])).toMatchObject({ ok: false, guard: 'needs' });
  });
});

test('a host is missed only while nobody else has its agents, and it did not stop in order', () => {
  const lease = { agent: 'coder-1', epoch: 0, expires: ago(0), heartbeat: ago(0), holder: 'unknown' } as const;
  const missed = (changes: Partial<HostOnBoard>, of: Partial<Lease> = {}) =>
    vanishedHosts({
      hosts: [host('here'), host('there', { silent: HOUR, ...changes })],
      leases: new Map([['coder-1', { ...lease, host: 'there', ...of }]]),
    }).map(({ host: { id }, agents }) => [id, ...agents]);
  expect(missed({})).toEqual([['there', 'coder-1']]);
  expect(missed({ silent: 0 })).toEqual([]);
  expect(missed({ drained: true })).toEqual([]);
  expect(missed({}, { stopped: true })).toEqual([]);
  expect(missed({}, { host: 'here' })).toEqual([]);
});

const leaseOn = (id: string, on: string, changes: Partial<Lease> = {}): readonly [string, Lease] => [
  id,
  { agent: id, epoch: 0, expires: ago(-HOUR), heartbeat: ago(0), holder: 'unknown', host: on, ...changes },
];
const shared = (leases: readonly (readonly [string, Lease])[], changes: Partial<Board> = {}): Board => ({
  ...seen([host('here'), host('there')]),
  leases: new Map(leases),
  ...changes,
});

describe('the ids of a crew', () => {
  const two = { planner: 1, coder: 2, code_reviewer: 1 };

  test('on one machine they are counted from one', () => {
    const alone = { ...seen(undefined), leases: new Map([leaseOn('coder-1', 'x')]) };
    expect(crewIds(alone, two)).toEqual({
      planner: ['planner-1'],
      coder: ['coder-1', 'coder-2'],
      code_reviewer: ['code-reviewer-1'],
    });
  });

  test('a host keeps its own, and takes none of another host’s, be that away or not', () => {
    const held = [
      ...[leaseOn('planner-1', 'there'), leaseOn('coder-1', 'there', { stopped: true })],
      ...[leaseOn('coder-2', 'there', { expires: ago(HOUR) }), leaseOn('coder-4', 'here', { stopped: true })],
    ];
    expect(crewIds(shared(held), two)).toEqual({
      planner: ['planner-2'],
      coder: ['coder-4', 'coder-3'],
      code_reviewer: ['code-reviewer-1'],
    });
  });
});

describe('without an exchange', () => {
  const hosts = [host('here'), host('there')];
  const names = (from: Board) => unreached(from).map(({ id }) => id);

  test('a host that has worked is not reached; one that only looks on, or is drained, is not missed', () => {
    expect(names(shared([leaseOn('coder-1', 'there')]))).toEqual(['there']);
    expect(names(shared([leaseOn('coder-1', 'here')]))).toEqual([]);
    const drained = [host('here'), host('there', { drained: true })];
    expect(names(shared([leaseOn('coder-1', 'there')], { hosts: drained }))).toEqual([]);
  });

  test('with one, all are', () => {
    const from = shared([leaseOn('coder-1', 'there')], { hosts });
    const state = { ...from.state, config: { ...from.state.config, exchange: 'hub' } };
    expect(names({ ...from, state })).toEqual([]);
  });
});

describe('a merge that is announced', () => {
  const merging = (on: string): Partial<Board> => {
    const by = { by: 'coder-1', candidate: '1'.repeat(40), onto: '2'.repeat(40), since: ago(0) };
    const one = task('m', { status: 'APPROVED', merging: { ...by, process: `boot@${on}/12/345` } });
    const state = board({ tasks: [one], agents: { 'coder-1': agent('coder', { lease_expires: ago(HOUR) }) } }).state;
    return { state };
  };

  test('by a host that is at work is waited for', () => {
    expect(othersMerge(shared([leaseOn('coder-1', 'there')], merging('there')), NOW)).toEqual({
      ...{ task: 'm', by: 'coder-1', host: 'there' },
    });
  });

  test.each<[string, Board]>([
    ['here', shared([leaseOn('coder-1', 'here')], merging('here'))],
    ['by a host whose lease has ended', shared([leaseOn('coder-1', 'there', { expires: ago(1) })], merging('there'))],
    [
      'by one that stopped in order',
      shared([leaseOn('coder-1', 'there', { stopped: true, holder: 'dead' })], merging('there')),
    ],
    [
      'by one that is silent',
      {
        ...shared([leaseOn('coder-1', 'there')], merging('there')),
        hosts: [host('here'), host('there', { silent: 90_000 })],
      },
    ],
    ['by one whose agent another host runs by now', shared([leaseOn('coder-1', 'here')], merging('there'))],
  ])('%s, it is taken over', (_how, from) => {
    expect(othersMerge(from, NOW)).toBeUndefined();
  });
});
