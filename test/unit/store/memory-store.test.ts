import { expect, test } from 'vitest';
import { OPERATOR } from '../../../src/protocol/board.ts';
import type { Decided } from '../../../src/protocol/decision.ts';
import type { State } from '../../../src/protocol/state.ts';
import type { Store } from '../../../src/store/store.ts';
import { memoryStore } from '../../memory-store.ts';
import { aClaim, agents, aState, aTask, NOW } from '../cli/fixtures.ts';

const OPERATION = { actor: OPERATOR, command: 'test' };
const decided = (state: State, changes: Partial<Decided> = {}): Decided => ({
  ok: true,
  state,
  detail: 'changed',
  ...changes,
});
const rename = (store: Store, description: string) =>
  store.transact(OPERATION, ({ state }) => decided({ ...state, goal: { ...state.goal, description } }));

test('a commit changes the state, gets a number and is journalled', async () => {
  const store = memoryStore(aState(), { now: () => NOW });
  expect(await rename(store, 'new')).toMatchObject({ ok: true, seq: 1, notices: [] });
  expect((await store.read()).board.state.goal.description).toBe('new');
  await rename(store, 'newer');
  const entries = [];
  for await (const entry of store.journal(2)) entries.push(entry);
  expect(entries).toEqual([
    { seq: 2, time: '2026-03-01T12:00:00Z', actor: 'human', command: 'test', detail: 'changed' },
  ]);
});

test('a refusal and an already leave everything as it was', async () => {
  const store = memoryStore(aState(), { now: () => NOW });
  const before = (await store.read()).board.state;
  const refusal = { ok: false, code: 1, message: 'no', hint: 'never' } as const;
  expect(await store.transact(OPERATION, () => refusal)).toEqual(refusal);
  expect(await store.transact(OPERATION, ({ state }) => decided(state, { already: true }))).toMatchObject({ seq: 0 });
  expect((await store.read()).board.state).toBe(before);
});

test('racing writers both take effect', async () => {
  const store = memoryStore(aState(), { now: () => NOW });
  const add = (id: string) =>
    store.transact(OPERATION, ({ state }) => decided({ ...state, tasks: [...state.tasks, aTask(id)] }));
  await Promise.all(['a', 'b', 'c'].map(add));
  expect((await store.read()).board.state.tasks.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('a decision that writes into the state it was given is caught', async () => {
  const store = memoryStore(aState(), { now: () => NOW });
  const sly = store.transact(OPERATION, ({ state }) => {
    (state.goal as { description: string }).description = 'sly';
    return decided(state);
  });
  await expect(sly).rejects.toThrow(TypeError);
});

test('switches keep the time since when they are on', async () => {
  let now = NOW;
  const store = memoryStore(aState(), { now: () => now });
  const turn = (on: boolean) => store.transact(OPERATION, ({ state }) => decided(state, { switches: { PAUSE: on } }));
  await turn(true);
  now += 60_000;
  await turn(true);
  expect((await store.read()).board.switches).toEqual({ PAUSE: NOW });
  await turn(false);
  expect((await store.read()).board.switches).toEqual({});
});

test('an archived task is still found and counts with its status', async () => {
  const done = aTask('old', { status: 'MERGED' });
  const store = memoryStore(aState({ tasks: [done, aTask('live')] }), { now: () => NOW });
  await store.transact(OPERATION, ({ state }) =>
    decided({ ...state, tasks: state.tasks.filter(({ id }) => id !== 'old') }, { archive: [done] }),
  );
  expect(await store.readTask('old')).toMatchObject({ task: done, archived: true });
  expect(await store.readTask('live')).toMatchObject({ archived: false });
  expect(await store.readTask('none')).toBeUndefined();
  expect((await store.read()).board.archived).toEqual(new Map([['old', 'MERGED']]));
});

test('watchers hear of commits by anyone, until they stop', async () => {
  const store = memoryStore(aState(), { now: () => NOW });
  let heard = 0;
  const stop = store.watch(() => {
    heard++;
  });
  await rename(store, 'one');
  expect(heard).toBe(1);
  await store.transact(OPERATION, ({ state }) => decided(state, { already: true }));
  expect(heard).toBe(1);
  stop();
  await rename(store, 'two');
  expect(heard).toBe(1);
});

test('a lease is renewed, never shortened, and not revived', async () => {
  let now = NOW;
  const store = memoryStore(aState({ tasks: [aClaim('one')], agents: agents({ coder: 'one' }) }), { now: () => now });
  const renew = (seconds: number, epoch = 1) => store.renew({ agent: 'coder-1', task: 'one', epoch, seconds });
  expect(await renew(900)).toMatchObject({ expires: '2026-03-01T12:15:00Z', epoch: 1 });
  expect(await renew(300)).toMatchObject({ expires: '2026-03-01T12:15:00Z' });
  expect(await renew(300, 0)).toMatchObject({ ok: false, code: 1 });
  now += 14 * 60_000; // past the state's own lease, within the renewed one
  expect(await renew(300)).toMatchObject({ expires: '2026-03-01T12:19:00Z' });
  now += 6 * 60_000;
  expect(await renew(300)).toMatchObject({ ok: false, code: 1 });
  expect(await store.renew({ agent: 'coder-9', epoch: 0, seconds: 60 })).toMatchObject({ ok: false });
});
