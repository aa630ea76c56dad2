// News as they happen: numbered as the journal is, so that whoever was away misses none and hears none twice; and nothing
// runs when nobody looks.

import { expect, test } from 'vitest';
import { dashboardOn } from '../../../support/dashboard.ts';
import { type Listener, listen, type Told } from '../../../support/event-stream.ts';
import { project } from '../../../support/project.ts';

const entries = ({ told }: Listener): readonly number[] =>
  told.flatMap(({ event, id }) => (event === 'entry' && id !== undefined ? [id] : []));
const saying = (text: string) => (one: Told) => one.event === 'entry' && String(one.data['detail']).includes(text);

test('an entry is told as it is committed, and the part of the page that it changes', async () => {
  const self = project();
  await self.ok(['note', 'first']);
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const { seq } = await self.store.read();
  const stream = listen(dashboard, browser, `view=task/t&after=${seq}`);
  await stream.until(({ event }) => event === 'stand');
  await self.ok(['pause', 't']);
  const entry = await stream.until(({ event }) => event === 'entry');
  expect(entry).toMatchObject({ id: seq + 1, data: { command: 'pause', task: 't', actor: 'human' } });
  const { data } = await stream.until(({ event }) => event === 'parts');
  const html = data['html'] as Record<string, string>;
  expect(html['top']).toContain('paused');
  expect(Object.keys(html)).not.toContain('criteria');
});

test('whoever comes back goes on behind the last entry that they have: none missed, none twice', async () => {
  const self = project();
  for (let n = 0; n < 5; n += 1) await self.ok(['note', `n${n}`]);
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const first = listen(dashboard, browser, 'view=now&after=2');
  await first.until(saying('n4'));
  const got = [...entries(first)];
  first.close();
  for (let n = 5; n < 9; n += 1) await self.ok(['note', `n${n}`]);
  const again = listen(dashboard, browser, 'view=now&after=2', { 'last-event-id': String(got.at(-1)) });
  const racing = Promise.all([self.ok(['note', 'n9']), again.until(({ event }) => event === 'stand')]);
  await racing;
  await self.ok(['note', 'last']);
  await again.until(saying('last'));
  const all = [...got, ...entries(again)];
  const { seq } = await self.store.read();
  expect(all).toEqual(Array.from({ length: seq - 2 }, (_, at) => at + 3));
});

test('two tabs are told the same, each once', async () => {
  const self = project();
  await self.ok(['note', 'first']);
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const { seq } = await self.store.read();
  const tabs = [`view=now&after=${seq}`, `view=board&after=${seq}`].map((query) => listen(dashboard, browser, query));
  await Promise.all(tabs.map((tab) => tab.until(({ event }) => event === 'stand')));
  for (let n = 0; n < 20; n += 1) await self.ok(['note', `n${n}`]);
  await Promise.all(tabs.map((tab) => tab.until(saying('n19'))));
  for (const tab of tabs) expect(entries(tab)).toEqual(Array.from({ length: 20 }, (_, at) => seq + 1 + at));
});

test('whoever was away for long, or saw another board, loads the page anew', async () => {
  const self = project();
  await self.ok(['note', 'first']);
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const stream = listen(dashboard, browser, 'view=now&after=999999');
  expect((await stream.until(() => true)).event).toBe('anew');
});

test('nobody without a session hears anything, and a viewer’s parts have no buttons', async () => {
  const self = project();
  const dashboard = await dashboardOn(self);
  const viewer = await dashboard.comeIn('viewer');
  expect((await dashboard.ask(`${viewer.base}/events?view=now&after=0`)).status).toBe(401);
  await self.ok(['note', 'first']);
  const { seq } = await self.store.read();
  const stream = listen(dashboard, viewer, `view=task/t&after=${seq}`);
  await stream.until(({ event }) => event === 'stand');
  await self.ok(['pause', 't']);
  const { data } = await stream.until(({ event }) => event === 'parts');
  expect(JSON.stringify(data)).not.toContain('<form');
});

test('while nobody looks, the board is not read', async () => {
  const self = project();
  let reads = 0;
  const store = {
    ...self.store,
    read: () => {
      reads += 1;
      return self.store.read();
    },
  };
  const dashboard = await dashboardOn({ ...self, store });
  const browser = await dashboard.comeIn();
  await browser.get('now');
  const before = reads;
  await self.ok(['note', 'unseen']);
  const stream = listen(dashboard, browser, 'view=now&after=1');
  await stream.until(saying('unseen'));
  expect(reads).toBeGreaterThan(before);
  stream.close();
  // Once the server has noticed that nobody is there, commits wake nothing.
  await expect
    .poll(async () => {
      const then = reads;
      await self.ok(['note', 'unseen too']);
      await new Promise((resolve) => setTimeout(resolve, 120));
      return reads - then;
    })
    .toBe(0);
});

test('a stream ends with its session', async () => {
  const self = project();
  await self.ok(['note', 'first']);
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const stream = listen(dashboard, browser, 'view=now&after=1');
  await stream.until(({ event }) => event === 'stand');
  await browser.post('leave', { form: await browser.word() });
  await self.ok(['note', 'not for them']);
  await stream.ended;
  expect(stream.told.some(saying('not for them'))).toBe(false);
});

test('a flood of events is told entry by entry, and pages are worked out no more than ten times a second', async () => {
  const self = project();
  await self.ok(['note', 'first']);
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const { seq } = await self.store.read();
  const stream = listen(dashboard, browser, `view=task/t&after=${seq}`);
  await stream.until(({ event }) => event === 'stand');
  const begun = performance.now();
  for (let n = 0; n < 150; n += 1) {
    const message = `n${n}`;
    await self.run(undefined, { name: 'note', message, for: 't' });
  }
  await stream.until(saying('n149'));
  const seconds = (performance.now() - begun) / 1000;
  expect(entries(stream)).toEqual(Array.from({ length: 150 }, (_, at) => seq + 1 + at));
  await stream.until(({ event }) => event === 'parts');
  const parts = stream.told.filter(({ event }) => event === 'parts').length;
  expect(parts).toBeLessThanOrEqual(Math.ceil(10 * seconds) + 2);
});
