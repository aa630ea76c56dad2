// The connection to the database is cut at every point of a commit, in both directions and in the middle of messages: each
// commit takes effect exactly once or not at all, and whoever asked for it is told which.

import { expect, test } from 'vitest';
import { OPERATOR } from '../../../../src/protocol/board.ts';
import { freshState } from '../../../../src/protocol/records/new-board.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { Decide, Store } from '../../../../src/store/store.ts';
import { iso } from '../../../../src/text/time.ts';
import { CuttingProxy, type Direction } from '../../../support/cutting-proxy.ts';
import { type SharedBench, sharedBench } from '../../../support/shared-board.ts';

const START = Date.UTC(2026, 2, 1, 12);
const aBoard = () => freshState({ goal: 'Cut it', spec_ref: 'specs/vision.md', now: START });
/** `npm run test:all` cuts at a thousand. */
const COMMITS = process.env['LIZA_FULL'] === '1' ? 1000 : 100;

const note =
  (message: string): Decide =>
  ({ state }, now) => ({
    ok: true,
    state: { ...state, human_notes: [...state.human_notes, { timestamp: iso(now), message }] },
    detail: `note: ${message}`,
  });

const leave = (store: Store, message: string) => store.transact({ actor: OPERATOR, command: 'note' }, note(message));

async function behindProxy(hurries?: true): Promise<{ bench: SharedBench; proxy: CuttingProxy; store: Store }> {
  const bench = await sharedBench(aBoard(), START);
  const proxy = await CuttingProxy.open(bench.server.port);
  const through = bench.url.replace(`:${bench.server.port}/`, `:${proxy.port}/`);
  return { bench, proxy, store: openStore(bench.host('one', { through, views: false, ...(hurries && { hurries }) })) };
}

const countIn = async (bench: SharedBench): Promise<ReadonlyMap<string, number>> => {
  const rows = await bench.sql('select line from liza.entry order by seq');
  const counts = new Map<string, number>();
  for (const { line } of rows) {
    const { detail } = JSON.parse(String(line)) as { detail: string };
    counts.set(detail, (counts.get(detail) ?? 0) + 1);
  }
  return counts;
};

test(`${COMMITS} commits, each cut at another point, are there exactly as often as was said`, {
  timeout: 600_000,
}, async () => {
  const { bench, proxy, store } = await behindProxy();
  try {
    expect((await leave(store, 'warm')).ok).toBe(true);
    const before = { ...proxy.passed };
    expect((await leave(store, 'measured')).ok).toBe(true);
    const bytes = (direction: Direction): number => proxy.passed[direction] - before[direction];
    const sizes = { 'to server': bytes('to server'), 'to client': bytes('to client') };
    const told: { message: string; ok: boolean; doubt: boolean }[] = [];
    for (let number = 0; number < COMMITS; number++) {
      const direction: Direction = number % 2 === 0 ? 'to server' : 'to client';
      // Spread over all of the exchange; a few beyond its end are not cut at all.
      const after = Math.floor(((number / COMMITS) * 1.02 * sizes[direction]) | 0);
      proxy.set({ direction, after, linger: number % 3 === 0 ? 15 : 0 });
      const outcome = await leave(store, `n${number}`);
      proxy.set(undefined);
      told.push({ message: `n${number}`, ok: outcome.ok, doubt: !outcome.ok && outcome.guard === 'in-doubt' });
    }
    const counts = await countIn(bench);
    const wrong = told.filter(({ message, ok }) => (counts.get(`note: ${message}`) ?? 0) !== (ok ? 1 : 0));
    expect(wrong).toEqual([]);
    expect(told.filter(({ doubt }) => doubt)).toEqual([]);
    expect(proxy.cuts).toBeGreaterThan(COMMITS * 0.9);
    const { state } = (await store.read()).board;
    expect(state.human_notes.length).toBe(2 + told.filter(({ ok }) => ok).length);
  } finally {
    await proxy.close();
    await bench.close();
  }
});

test('a commit whose answer is lost while the database stays away is told to be in doubt, not done and not refused', async () => {
  const { bench, proxy, store } = await behindProxy(true);
  try {
    expect((await leave(store, 'warm')).ok).toBe(true);
    const before = proxy.passed['to client'];
    expect((await leave(store, 'measured')).ok).toBe(true);
    const size = proxy.passed['to client'] - before;
    proxy.set({ direction: 'to client', after: size - 2, linger: 200 });
    const waiting = leave(store, 'doubtful');
    while (proxy.cuts === 0) await new Promise((resolve) => setImmediate(resolve));
    proxy.isDown = true;
    const outcome = await waiting;
    expect(outcome).toMatchObject({ ok: false, code: 2, guard: 'in-doubt' });
    proxy.isDown = false;
    expect((await countIn(bench)).get('note: doubtful')).toBe(1);
    expect((await store.read()).board.state.human_notes.at(-1)?.message).toBe('doubtful');
  } finally {
    await proxy.close();
    await bench.close();
  }
});
