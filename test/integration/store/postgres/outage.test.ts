// A database that goes away for a while: nobody misses what was committed meanwhile, a short absence is only waited out, and a
// host that was away takes nothing back from the others.

import { expect, test } from 'vitest';
import { OPERATOR } from '../../../../src/protocol/board.ts';
import { Refused } from '../../../../src/protocol/decision.ts';
import { freshState } from '../../../../src/protocol/records/new-board.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { Decide, Store } from '../../../../src/store/store.ts';
import { iso } from '../../../../src/text/time.ts';
import { CuttingProxy } from '../../../support/cutting-proxy.ts';
import { sharedBench } from '../../../support/shared-board.ts';

const START = Date.UTC(2026, 2, 1, 12);
const note =
  (message: string): Decide =>
  ({ state }, now) => ({
    ok: true,
    state: { ...state, human_notes: [...state.human_notes, { timestamp: iso(now), message }] },
    detail: `note: ${message}`,
  });
const leave = (store: Store, message: string) => store.transact({ actor: OPERATOR, command: 'note' }, note(message));
const messages = async (store: Store) => (await store.read()).board.state.human_notes.map(({ message }) => message);

async function twoHosts(hurries?: true) {
  const bench = await sharedBench(freshState({ goal: 'Away', spec_ref: 'specs/vision.md', now: START }), START);
  const proxy = await CuttingProxy.open(bench.server.port);
  const through = bench.url.replace(`:${bench.server.port}/`, `:${proxy.port}/`);
  const [one, two] = [
    openStore(bench.host('one', { through, ...(hurries && { hurries }) })),
    openStore(bench.host('two')),
  ];
  return {
    ...{ bench, proxy, one, two },
    close: async () => {
      await bench.close();
      await proxy.close();
    },
  };
}

/** Resolves when it was called once more than before. */
function calls(): { readonly heard: () => void; once(): Promise<void> } {
  let resolve = () => {};
  return {
    heard: () => resolve(),
    once: () =>
      new Promise<void>((done) => {
        resolve = done;
      }),
  };
}

test('a watcher hears of a commit at once, and after an outage of those it missed', async () => {
  const { proxy, one, two, close } = await twoHosts();
  const { heard, once } = calls();
  await one.read();
  let woken = once();
  const stop = one.watch(heard);
  try {
    await leave(two, 'first');
    await woken;
    expect(await messages(one)).toEqual(['first']);
    proxy.isDown = true;
    proxy.cutAll();
    await leave(two, 'missed');
    woken = once();
    proxy.isDown = false;
    await woken;
    expect(await messages(one)).toEqual(['first', 'missed']);
  } finally {
    stop();
    await close();
  }
});

test('an announcement is only a hint: a number that no entry has keeps nobody from hearing of the next', async () => {
  const { bench, one, two, close } = await twoHosts();
  const { heard, once } = calls();
  await one.read();
  const first = once();
  let woken = 0;
  const stop = one.watch(() => {
    woken += 1;
    heard();
  });
  try {
    await leave(two, 'first');
    await first;
    for (const said of ['board-1', 'board-1 many', 'board-1 999999999', 'board-1 Infinity'])
      await bench.sql("select pg_notify('liza', $1)", [said]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const second = once();
    const start = Date.now();
    await leave(two, 'second');
    await second;
    expect(Date.now() - start).toBeLessThan(3000);
    expect(woken).toBe(2);
    expect(await messages(one)).toEqual(['first', 'second']);
  } finally {
    stop();
    await close();
  }
});

test('a short outage is waited out by readers and writers; a long one is told', { timeout: 60_000 }, async () => {
  const { proxy, one, two, close } = await twoHosts(true);
  try {
    await leave(one, 'before');
    proxy.isDown = true;
    proxy.cutAll();
    const waiting = [leave(one, 'waited'), messages(one)] as const;
    setTimeout(() => {
      proxy.isDown = false;
    }, 200);
    expect(await waiting[0]).toMatchObject({ ok: true });
    expect((await waiting[1])[0]).toBe('before');
    proxy.isDown = true;
    proxy.cutAll();
    expect(await leave(one, 'refused')).toMatchObject({ ok: false, code: 2, guard: 'store-unreachable' });
    await expect(one.read()).rejects.toThrow(Refused);
    proxy.isDown = false;
    expect(await messages(two)).toEqual(['before', 'waited']);
    expect(await leave(one, 'after')).toMatchObject({ ok: true });
    expect(await messages(two)).toEqual(['before', 'waited', 'after']);
  } finally {
    await close();
  }
});

test('writers on eight hosts lose nothing, and every host reads the same', async () => {
  const { bench, close } = await twoHosts();
  try {
    const stores = Array.from({ length: 8 }, (_, n) => openStore(bench.host(`host-${n}`)));
    await Promise.all(
      stores.map(async (store, host) => {
        for (let n = 0; n < 25; n++) expect((await leave(store, `${host}.${n}`)).ok).toBe(true);
      }),
    );
    const [first = []] = await Promise.all(stores.map(messages));
    expect(new Set(first).size).toBe(200);
    for (const store of stores) expect(await messages(store)).toEqual(first);
    // What each wrote is in its order, and the rows of the text are as the journal leads to.
    for (let host = 0; host < 8; host++) {
      const own = first.filter((message) => message.startsWith(`${host}.`));
      expect(own).toEqual(Array.from({ length: 25 }, (_, n) => `${host}.${n}`));
    }
    const fresh = openStore(bench.host('fresh'));
    expect(await messages(fresh)).toEqual(first);
  } finally {
    await close();
  }
});
