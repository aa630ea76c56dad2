// The dashboard of one of two hosts that share a board on PostgreSQL: it follows the other's work, says which hosts there are,
// acts, and accounts for the journal. A real server.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { OPERATOR } from '../../../../src/protocol/board.ts';
import { decide } from '../../../../src/protocol/decide.ts';
import { freshState } from '../../../../src/protocol/records/new-board.ts';
import { openStore } from '../../../../src/store/open.ts';
import { dashboardOn, formOn } from '../../../support/dashboard.ts';
import { listen } from '../../../support/event-stream.ts';
import { inProcess } from '../../../support/in-process.ts';
import { type SharedBench, sharedBench } from '../../../support/shared-board.ts';

let bench: SharedBench;
beforeAll(async () => {
  const now = Date.now();
  bench = await sharedBench(freshState({ goal: 'Share', spec_ref: 'specs/vision.md', now }), now);
});
afterAll(() => bench.close());

function hostOf(name: string) {
  const context = bench.host(name);
  const { root } = context.paths;
  const env = { ...process.env, LIZA_STORE_URL: bench.url };
  return {
    context,
    store: openStore(context),
    env,
    root,
    liza: inProcess({ root, env, now: Date.now, io: { openStore } }),
  };
}

test('another host’s work is told as it is committed, and pages know the hosts and the chain', async () => {
  const [here, there] = [hostOf('here'), hostOf('there')];
  for (const { store } of [here, there]) onTestFinished(store.watch(() => {}));
  const dashboard = await dashboardOn(here);
  const browser = await dashboard.comeIn();
  const { seq } = await here.store.read();
  const news = listen(dashboard, browser, `view=agents&after=${seq}`);
  await news.until(({ event }) => event === 'stand');
  const left = await there.store.transact({ actor: OPERATOR, command: 'note' }, (board, now) =>
    decide(board, { name: 'note', message: 'from there' }, { actor: OPERATOR, now }),
  );
  expect(left.ok).toBe(true);
  const entry = await news.until(({ event, data }) => event === 'entry' && String(data['detail']).includes('there'));
  expect(entry.id).toBe(seq + 1);

  await expect.poll(async () => (await browser.get('agents')).body, { timeout: 20_000 }).toContain('>there</b>');
  const agents = (await browser.get('agents')).body;
  expect(agents).toContain('Agents and hosts');
  expect(agents).toMatch(/>here<\/b> \(this one\)/);
  expect((await browser.get('log')).body).toContain('from there');

  const now = (await browser.get('now')).body;
  expect((await browser.post('act', formOn(now, 'pause'))).status).toBe(303);
  expect(Object.keys((await there.store.read()).board.switches)).toEqual(['PAUSE']);
  expect((await browser.get('now')).body).toContain('PAUSE is on');

  const { seq: last } = await here.store.read();
  await expect
    .poll(async () => (await browser.get('account')).body, { timeout: 20_000 })
    .toContain(`${last} entries of the journal`);
  expect((await browser.get('account')).body).toContain('The chain holds');
  // Nowhere is the address of the database.
  for (const page of ['now', 'agents', 'log', 'account', 'board', 'queue', 'cost'])
    expect((await browser.get(page)).body).not.toContain(bench.server.password);
}, 60_000);
