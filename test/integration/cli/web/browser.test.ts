// The dashboard in a real browser: every page at three widths, dark and light, by mouse and by keys alone, with and without
// script, while events pour in, in two tabs and after a lost connection.

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { inFull } from '../../../runs.ts';
import {
  browserForTests,
  CHROMIUM,
  layoutShifts,
  NO_CHROMIUM,
  type Tab,
  wcagFaults,
} from '../../../support/browser.ts';
import { dashboardOn, formOn } from '../../../support/dashboard.ts';
import { type Doing, doOn } from '../../../support/dashboard-hand.ts';
import { approvedTask, type Project, project, snapshotOf } from '../../../support/project.ts';

if (CHROMIUM === undefined) process.stderr.write(`${NO_CHROMIUM}\n`);

const PAGES = [
  'now',
  'board',
  'task/t',
  'task/b',
  'task/done',
  'task/t/diff/1',
  'queue',
  'agents',
  'account',
  'account/done',
  'cost',
  'log',
  'share',
  'note?task=t&round=1&line=1&file=src/app.ts',
];

/** A board on which something of everything is. */
async function richProject(): Promise<Project> {
  const self = project({
    tasks: [
      { id: 't', description: 'Retry calls that fail, but <b>never</b> more than three times in a row' },
      'done',
      { id: 'draft', status: 'DRAFT', description: 'A draft' },
      {
        id: 'b',
        status: 'BLOCKED',
        description: 'Say what happens after the third time',
        blocked_reason: 'The document does not say it',
        blocked_questions: ['Raise an alarm, or give up?'],
        assigned_to: 'coder-2',
      },
    ],
  });
  await self.approved('done', { 'src/app.ts': 'export const app = 3;\n', 'test/app.test.ts': 'test(3);\n' });
  await self.merge('done');
  await self.begun('t');
  self.work('t', { 'src/app.ts': 'export const app = 3;\nexport const more = 4;\n', 'test/app.test.ts': 'test(4);\n' });
  await self.submit('t');
  await self.reject('t');
  await self.ok(['ask', 'How many times is it tried again?', '--task', 't', '--assume', 'three times'], {
    as: 'coder-1',
  });
  await self.ok(['note', 'please mind the importer']);
  return self;
}

/** A board that needs what a board rarely needs. */
async function troubledProject(): Promise<Project> {
  const blocked = { status: 'BLOCKED', blocked_reason: 'it does not end', blocked_questions: ['And now?'] } as const;
  const self = project({
    tasks: (made) => [
      'done',
      { id: 'held' },
      { id: 'kept' },
      { id: 'anew', ...blocked },
      approvedTask(made, 'first', { 'first.md': 'first' }),
      approvedTask(made, 'second', { 'second.md': 'second' }),
    ],
  });
  const file = self.file('.liza/state.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/circuit_breaker:\n {2}status: OK/, 'circuit_breaker:\n  status: TRIGGERED'));
  await self.approved('done');
  await self.merge('done');
  await self.begun('kept', 'coder-2');
  await self.ok(['block', 'kept', '--reason', 'the document does not say it', '--question', 'How often?'], {
    as: 'coder-2',
  });
  await self.begun('held');
  await self.ok(['anomaly', '--type', 'spec_ambiguity', '--task', 'held'], { as: 'coder-1' });
  await self.run('coder-1', { name: 'integration-moved', found: self.commitTo('integration', { 'mine.md': 'mine' }) });
  await self.ok(['discover', 'no timeout', '--severity', 'high', '--urgency', 'immediate', '--during', 'held'], {
    as: 'coder-1',
  });
  return self;
}

describe.skipIf(CHROMIUM === undefined)('in Chromium', () => {
  let self: Project;
  let putBack: () => void;
  beforeAll(async () => {
    self = await richProject();
    putBack = snapshotOf(self);
  });
  beforeEach(() => putBack());

  const browser = browserForTests();
  const pathOf = (tab: Tab): string => new URL(tab.url()).pathname.split('/').slice(2).join('/');
  const comeIn = async (link: string, options = {}) => {
    const opened = await browser.open(link, options);
    await opened.tab.waitForURL('**/now');
    const base = opened.tab.url().replace(/\/now$/, '');
    await opened.tab.getByText('Live', { exact: true }).waitFor();
    return { ...opened, base };
  };

  test('the link lets a browser in, its code is gone from the address, and nothing is stored', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, context } = await comeIn(dashboard.link('operator'));
    expect(pathOf(tab)).toBe('now');
    expect(tab.url()).not.toContain('#');
    const [cookie] = await context.cookies(tab.url());
    expect(cookie).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      path: `/${new URL(tab.url()).pathname.split('/')[1]}`,
    });
    expect(await tab.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
    expect(tab.faults).toEqual([]);
  });

  test('every page fits every width, dark and light, is without faults by WCAG, and asks nobody else for anything', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, base } = await comeIn(dashboard.link('operator'));
    const faults: string[] = [];
    for (const [nth, path] of PAGES.entries()) {
      for (const [width, colorScheme] of [
        [320, 'light'],
        [768, 'dark'],
        [1440, 'light'],
        [320, 'dark'],
      ] as const) {
        await tab.setViewportSize({ width, height: 900 });
        await tab.emulateMedia({ colorScheme });
        const answer = await tab.goto(`${base}/${path}`);
        const wide = (await tab.evaluate('document.documentElement.scrollWidth')) as number;
        if (answer?.status() !== 200) faults.push(`${path}: ${answer?.status()}`);
        if (wide > width) faults.push(`${path} at ${width}: ${wide} wide`);
        // Narrow and dark, or wide and light, by turns; `npm run test:all` looks at all four.
        if (!inFull && (nth % 2 === 0 ? width !== 320 || colorScheme !== 'dark' : width !== 1440)) continue;
        faults.push(...(await wcagFaults(tab)).map((fault) => `${path} at ${width} ${colorScheme}: ${fault}`));
      }
    }
    expect(faults).toEqual([]);
    expect(tab.faults).toEqual([]);
  }, 240_000);

  test('an assumption is accepted by keys alone, and the page follows without being loaded again', async () => {
    const dashboard = await dashboardOn(self);
    const { tab } = await comeIn(dashboard.link('operator'));
    await tab.evaluate('window.here = true');
    for (let n = 0; n < 60; n += 1) {
      await tab.keyboard.press('Tab');
      if ((await tab.evaluate('document.activeElement.textContent')) === 'Accept') break;
    }
    expect(await tab.evaluate('document.activeElement.textContent')).toBe('Accept');
    await tab.keyboard.press('Enter');
    await tab.locator('#p-q-q-2').waitFor({ state: 'detached' });
    expect(await tab.locator('#said').textContent()).toContain('q-2');
    expect(await tab.evaluate('window.here')).toBe(true);
    expect((await self.state()).questions?.[1]?.status).toBe('assumed');
    expect(tab.faults).toEqual([]);
  });

  test('keys go from page to page', async () => {
    const dashboard = await dashboardOn(self);
    const { tab } = await comeIn(dashboard.link('operator'));
    await tab.keyboard.press('g');
    await tab.keyboard.press('b');
    await tab.waitForURL('**/board');
    await tab.keyboard.press('Tab');
    expect(await tab.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await tab.keyboard.press('Enter');
    expect(await tab.evaluate('document.activeElement.id')).toBe('main');
  });

  test('what destroys is asked, by a dialog that Escape closes', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, base } = await comeIn(dashboard.link('operator'));
    await tab.goto(`${base}/task/b`);
    await tab.getByText('More', { exact: false }).first().click();
    await tab.getByText('Abandon').first().click();
    await tab.getByLabel('Why there is no way forward').fill('nobody needs it');
    await tab.getByRole('button', { name: 'Abandon' }).click();
    await tab.getByRole('dialog').getByText('Give b up for good?').waitFor();
    await tab.keyboard.press('Escape');
    expect((await self.task('b')).status).toBe('BLOCKED');
    await tab.getByRole('button', { name: 'Abandon' }).click();
    await tab.getByRole('button', { name: 'Yes, do it' }).click();
    await tab.locator('#p-top').getByText('abandoned').waitFor();
    expect((await self.task('b')).status).toBe('ABANDONED');
  });

  test('what a person writes is not overwritten, and is not sent past what happened meanwhile', async () => {
    const dashboard = await dashboardOn(self);
    const { tab } = await comeIn(dashboard.link('operator'));
    const part = tab.locator('#p-q-q-2');
    await part.locator('summary').click();
    await part.getByLabel('The answer to q-2').fill('twice is enough');
    await self.ok(['answer', 'q-2', 'four times']);
    await tab.getByText('please mind').waitFor();
    await tab.locator('#journal').getByText('answer', { exact: true }).waitFor();
    expect(await part.getByLabel('The answer to q-2').inputValue()).toBe('twice is enough');
    await part.getByRole('button', { name: 'Answer' }).click();
    const dialog = tab.getByRole('dialog');
    await dialog.getByText('It changed meanwhile').waitFor();
    expect(await dialog.textContent()).toContain('four times');
    expect(await dialog.textContent()).toContain('twice is enough');
  });

  test.runIf(inFull)(
    'what was answered leaves the page, also where the news of it overtake the answer to the form (in test:all)',
    async () => {
      const dashboard = await dashboardOn(self);
      const { tab } = await comeIn(dashboard.link('operator'));
      const below = () => tab.evaluate("document.getElementById('p-q-q-2').nextElementSibling.id");
      const places = [await below()];
      await tab.route('**/act', async (route) => {
        const response = await route.fetch();
        await tab.locator('#p-q-q-2.gone').waitFor();
        places.push(await below());
        await route.fulfill({ response });
      });
      const part = tab.locator('#p-q-q-2');
      await part.locator('summary').click();
      // Who opens it begins to write: no letter is a key of the page.
      await tab.keyboard.type('go on: twice');
      expect(await part.getByLabel('The answer to q-2').inputValue()).toBe('go on: twice');
      await part.getByRole('button', { name: 'Answer' }).click();
      await part.waitFor({ state: 'detached' });
      expect(places).toEqual([expect.stringMatching(/^p-/), places[0]]);
      expect(await tab.locator('#said').textContent()).toContain('q-2');
      expect(tab.faults).toEqual([]);
    },
  );

  test('times are those of the reader’s clock, of the page and of what comes after it', async () => {
    const dashboard = await dashboardOn(self);
    const { tab } = await comeIn(dashboard.link('operator'), { timezoneId: 'Asia/Tokyo' });
    await self.ok(['note', 'from now on']);
    await tab.locator('#journal').getByText('from now on').waitFor();
    const shown = (await tab.evaluate(
      "[...document.querySelectorAll('#journal time')].map((time) => [time.dateTime, time.textContent])",
    )) as readonly (readonly [string, string])[];
    const inTokyo = shown.map(([at]) => [at, new Date(Date.parse(at) + 9 * 3_600_000).toISOString().slice(11, 19)]);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown).toEqual(inTokyo);
    expect(await layoutShifts(tab)).toEqual([]);
  });

  test('without script everything is read, and a question is answered', async () => {
    const dashboard = await dashboardOn(self);
    const code = dashboard.link('operator').split('#')[1] ?? '';
    const { tab } = await browser.open(dashboard.origin, { javaScriptEnabled: false });
    await tab.getByLabel('The code from your terminal').fill(code);
    await tab.getByRole('button', { name: 'Open the dashboard' }).click();
    await tab.waitForURL('**/now');
    const base = tab.url().replace(/\/now$/, '');
    await tab.locator('#p-q-q-2 summary').click();
    await tab.getByLabel('The answer to q-2').fill('five times');
    await tab.locator('#p-q-q-2').getByRole('button', { name: 'Answer' }).click();
    await tab.waitForURL('**/now');
    expect(await tab.locator('#said').textContent()).toContain('q-2');
    expect((await self.state()).questions?.[1]?.answer).toBe('five times');
    for (const path of PAGES) expect([path, (await tab.goto(`${base}/${path}`))?.status()]).toEqual([path, 200]);
    expect(tab.faults).toEqual([]);
  });

  test('two tabs follow; one that lost its connection has every event once when it is back', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, context } = await comeIn(dashboard.link('operator'));
    const other = await browser.tabIn(context, dashboard.origin);
    await other.goto(tab.url());
    await other.getByText('Live', { exact: true }).waitFor();
    const numbers = (one: Tab) =>
      one.evaluate("[...document.querySelectorAll('#journal li')].map((row) => Number(row.dataset.seq))") as Promise<
        number[]
      >;
    await self.ok(['note', 'before']);
    for (const one of [tab, other]) await one.locator('#journal').getByText('before').waitFor();
    await context.setOffline(true);
    for (let n = 0; n < 10; n += 1) await self.ok(['note', `away ${n}`]);
    await context.setOffline(false);
    await self.ok(['note', 'after']);
    const { seq } = await self.store.read();
    for (const one of [tab, other]) {
      await one.locator('#journal').getByText('after', { exact: false }).last().waitFor();
      await expect.poll(() => numbers(one).then((all) => all.at(-1))).toBe(seq);
      const all = await numbers(one);
      expect(all).toEqual(Array.from({ length: all.length }, (_, at) => seq - all.length + 1 + at));
    }
  });

  test('a tab that is not seen has no stream, and catches up when it is seen again', async () => {
    const dashboard = await dashboardOn(self);
    const { tab } = await comeIn(dashboard.link('operator'));
    const show = (state: string) =>
      tab.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await show('hidden');
    await self.ok(['note', 'nobody saw this']);
    await self.ok(['pause']);
    await show('visible');
    await tab.locator('#journal').getByText('nobody saw this').waitFor();
    await tab.getByText('PAUSE is on').first().waitFor();
  });

  test('nothing moves by itself while events pour in', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, base } = await comeIn(dashboard.link('operator'));
    for (const path of ['now', 'board', 'task/t', 'log', 'queue', 'agents']) {
      await tab.goto(`${base}/${path}`);
      await tab.getByText('Live', { exact: true }).waitFor();
      for (let n = 0; n < 6; n += 1)
        await self.ok([
          'note',
          `${path} ${n}: something that is as long as what people write to agents, or a little longer`,
        ]);
      if (path === 'now' || path === 'log') await tab.locator('#journal').getByText(`${path} 5`).waitFor();
      expect([path, await layoutShifts(tab)]).toEqual([path, []]);
    }
  }, 120_000);

  test.runIf(inFull)(
    'what comes, goes or changes its state pushes nothing away, and what the pointer is on stays there (in test:all)',
    async () => {
      const dashboard = await dashboardOn(self);
      const { tab, base } = await comeIn(dashboard.link('operator'));
      await tab.setViewportSize({ width: 1000, height: 600 });
      const place = (selector: string) =>
        tab.evaluate(`document.querySelector('${selector}').getBoundingClientRect().top`) as Promise<number>;
      const ask = (text: string) => self.ok(['ask', text, '--task', 't', '--assume', 'the usual'], { as: 'coder-1' });

      const isStill = async (selector: string, change: () => Promise<unknown>): Promise<void> => {
        const before = await place(selector);
        await change();
        expect([selector, Math.abs((await place(selector)) - before) < 2]).toEqual([selector, true]);
      };

      await tab.locator('#p-q-q-2 button').first().hover();
      await isStill('#p-q-q-2', async () => {
        await self.ok(['pause']);
        await tab.locator('#p-switch-pause').waitFor({ state: 'attached' });
      });
      await isStill('#p-q-q-2', async () => {
        await ask('And then?');
        await tab.locator('#p-q-q-3').waitFor({ state: 'attached' });
        await self.ok(['answer', 'q-1', 'raise an alarm']);
        await tab.locator('#p-q-q-1').waitFor({ state: 'detached' });
      });
      expect(await layoutShifts(tab)).toEqual([]);

      await tab.goto(`${base}/board`);
      await tab.getByText('Live', { exact: true }).waitFor();
      await self.ok(['finalize', 'draft']);
      await tab.locator('[id^="p-UNCLAIMED-"]').getByText('draft').first().waitFor();
      await tab.locator('#p-in-DRAFT').waitFor({ state: 'detached' });
      await self.ok(['abandon', 'draft', '--reason', 'enough']);
      await tab.locator('#p-in-ABANDONED').waitFor();
      expect(await layoutShifts(tab)).toEqual([]);
      expect(tab.faults).toEqual([]);
    },
  );

  /** Where each button, and what unfolds, stands on view. */
  const places = (tab: Tab) =>
    tab.evaluate(`Object.fromEntries([...document.querySelectorAll('#parts button, #parts .press')].flatMap((one) => {
      const { top, bottom, height } = one.getBoundingClientRect();
      const name = one.closest('form, details')?.getAttribute('id') + ' ' + one.textContent;
      return height > 0 && top >= 0 && bottom <= innerHeight ? [[name, Math.round(top)]] : [];
    }))`) as Promise<Readonly<Record<string, number>>>;
  const notMoved = async (tab: Tab, before: Readonly<Record<string, number>>, without: RegExp = /^$/) => {
    await tab.waitForTimeout(150);
    const after = await places(tab);
    const all = Object.entries(before).filter(([name]) => !without.test(name));
    const moved = all.flatMap(([name, top]) =>
      name in after && Math.abs((after[name] ?? 0) - top) > 1 ? [[name, top, after[name]]] : [],
    );
    return { moved, left: all.length - all.filter(([name]) => name in after).length };
  };

  test.runIf(inFull)(
    'wherever the pointer is, nothing on view moves for a card that comes, one that goes, or a form that was folded (in test:all)',
    async () => {
      await self.ok(['finalize', 'draft']);
      await self.begun('draft', 'coder-2');
      const dashboard = await dashboardOn(self);
      const { tab } = await comeIn(dashboard.link('operator'));
      await tab.setViewportSize({ width: 1000, height: 900 });
      await tab.mouse.move(500, 5);
      await tab.locator('#p-q-q-1 summary').first().click();
      expect(await tab.locator('#p-q-q-1 details.asks').getAttribute('open')).toBeNull();
      await tab.mouse.move(500, 5);
      const first = await places(tab);
      expect(Object.keys(first).length).toBeGreaterThan(3);

      // One that holds a task belongs above the others.
      await self.ok(['block', 'draft', '--reason', 'nobody knows', '--question', 'Which one?'], { as: 'coder-2' });
      await tab.locator('#p-q-q-3').waitFor({ state: 'attached' });
      expect(await notMoved(tab, first)).toEqual({ moved: [], left: 0 });
      expect(await tab.locator('#p-q-q-1 details.asks').getAttribute('open')).toBeNull();
      await tab.getByText('1 new above').waitFor();

      await self.ok(['pause']);
      await tab.locator('#p-switch-pause').waitFor({ state: 'attached' });
      await self.ok(['answer', 'q-1', 'raise an alarm']);
      await tab.locator('#p-q-q-1').waitFor({ state: 'detached' });
      expect((await notMoved(tab, first, /Pause|Resume/)).moved).toEqual([]);

      // A person's own hand: the next card does not come below it.
      const second = await places(tab);
      await tab.locator('#p-q-q-2').getByRole('button', { name: 'Accept' }).click();
      await tab.locator('#p-q-q-2').waitFor({ state: 'detached' });
      await tab.locator('#said.yes').waitFor();
      expect((await notMoved(tab, second)).moved).toEqual([]);

      // Whoever scrolls finds no holes.
      await tab.mouse.wheel(0, -5000);
      await expect.poll(() => tab.evaluate('scrollY')).toBe(0);
      expect(await tab.getByText('new above').count()).toBe(0);
      expect(await tab.locator('#parts > [style*="margin"]').count()).toBe(0);
      expect(tab.faults).toEqual([]);
    },
  );

  test('where nothing needed a person, the first card that comes is seen as a whole', async () => {
    const self = project();
    const dashboard = await dashboardOn(self);
    const { tab } = await comeIn(dashboard.link('operator'));
    await tab.mouse.move(500, 5);
    await tab.getByText('Nothing needs you').waitFor();
    await self.ok(['ask', 'How often?', '--task', 't', '--assume', 'once'], { as: 'coder-1' });
    await tab.locator('#p-q-q-1').waitFor();
    await tab.waitForTimeout(150);
    expect(await tab.evaluate("[scrollY, document.getElementById('p-q-q-1').getBoundingClientRect().top > 0]")).toEqual(
      [0, true],
    );
  });

  test('on the page of a task one’s own answer stays where the question was', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, base } = await comeIn(dashboard.link('operator'));
    await tab.setViewportSize({ width: 1000, height: 700 });
    await tab.goto(`${base}/task/b`);
    await tab.getByText('Live', { exact: true }).waitFor();
    await tab.getByLabel('The answer to q-1').fill('raise an alarm');
    const button = tab.locator('#p-questions').getByRole('button', { name: 'Answer' });
    await button.scrollIntoViewIfNeeded();
    const top = () =>
      tab.evaluate("document.querySelector('#p-questions li').getBoundingClientRect().top") as Promise<number>;
    const before = await top();
    await button.click();
    await tab.locator('#p-questions').getByText('Answered', { exact: true }).waitFor();
    await tab.locator('#p-blocked').waitFor({ state: 'detached' });
    await tab.waitForTimeout(200);
    expect(Math.abs((await top()) - before)).toBeLessThan(2);
    expect(await tab.locator('#p-questions').textContent()).toContain('raise an alarm');
  });

  test('what was done is said, and not for longer than it may be so', async () => {
    const dashboard = await dashboardOn(self);
    const { tab } = await comeIn(dashboard.link('operator'));
    await tab.clock.install();
    await tab.getByRole('button', { name: 'Pause', exact: true }).click();
    await tab.locator('#said.yes').getByText('paused').waitFor();
    await tab.clock.runFor(11_000);
    expect(await tab.locator('#said').textContent()).toBe('');
  });

  test.runIf(inFull)('what resumes stands where Pause stood, and in its turn (in test:all)', async () => {
    const dashboard = await dashboardOn(self);
    const { tab } = await comeIn(dashboard.link('operator'));
    await tab.setViewportSize({ width: 1000, height: 1400 });
    const pause = tab.locator('#p-all').getByRole('button', { name: 'Pause', exact: true });
    const { x = 0, y = 0 } = (await pause.boundingBox()) ?? {};
    const there = () => tab.evaluate(`document.elementFromPoint(${x + 20}, ${y + 10}).textContent`);
    for (const [name, next] of [
      ['Pause', 'Resume'],
      ['Resume', 'Pause'],
    ]) {
      expect(await there()).toBe(name);
      await tab.mouse.click(x + 20, y + 10);
      await expect.poll(there).toBe(next);
    }
    expect(dashboard.ran).toEqual([['pause'], ['resume']]);
  });

  test.runIf(inFull)('on a phone a line of a diff that stays is there once (in test:all)', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, base } = await comeIn(dashboard.link('operator'));
    await tab.setViewportSize({ width: 390, height: 800 });
    await tab.goto(`${base}/task/t/diff/1`);
    const shown = await tab
      .locator('.sides tr:not(.at)')
      .evaluateAll((rows) =>
        rows.map((row) => [
          row.className,
          [...row.querySelectorAll('.code')].filter((cell) => cell.getClientRects().length > 0).length,
        ]),
      );
    expect(shown.map(([name]) => name)).toContain('same');
    expect(shown.filter(([name, cells]) => name === 'same' && cells !== 1)).toEqual([]);
  });

  test('who only looks has no button', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, base } = await comeIn(dashboard.link('viewer'));
    for (const path of ['now', 'task/b', 'queue', 'task/t/diff/1']) {
      await tab.goto(`${base}/${path}`);
      expect([path, await tab.getByRole('button').allTextContents()]).toEqual([path, ['Sign out']]);
      expect(await tab.locator('a[href*="/note?"]').count()).toBe(0);
    }
  });

  test('a page on another port, and one whose name was rebound, reach nothing in a browser that is signed in', async () => {
    const dashboard = await dashboardOn(self);
    const { tab, context, base } = await comeIn(dashboard.link('operator'));
    const form = formOn(await tab.content(), 'pause');
    const cookies: (string | undefined)[] = [];
    const fields = Object.entries(form).map(([name, value]) => `<input name="${name}" value="${value}">`);
    // It knows even what it cannot know: the secret path, and the form's own word.
    const page = `<form id="f" method="post" action="${base}/act">${fields.join('')}</form><iframe src="${base}/now"></iframe><script>
      window.got = Promise.all([
        fetch('${base}/now', { credentials: 'include' }).then((answer) => answer.text(), () => 'failed'),
        fetch('${base}/act', { method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams(${JSON.stringify(form)}) }).then((answer) => answer.type, () => 'failed'),
        new Promise((done) => { const stream = new EventSource('${base}/events?view=now&after=0', { withCredentials: true }); stream.onerror = () => done('failed'); stream.addEventListener('stand', () => done('heard')); }),
      ]);
    </script>`;
    const evil = createServer((request, response) => {
      cookies.push(request.headers.cookie);
      response.setHeader('content-type', 'text/html');
      response.end(page);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void evil.close());
    await new Promise((resolve) => evil.once('listening', resolve));
    const { port } = evil.address() as AddressInfo;
    for (const name of ['127.0.0.1', 'rebound.test']) {
      const other = await context.newPage();
      await other.goto(`http://${name}:${port}/`);
      expect([name, await other.evaluate('window.got')]).toEqual([name, ['failed', 'failed', 'failed']]);
      const frame = other.frames()[1];
      expect(await frame?.content()).not.toContain('How many times');
      await Promise.all([other.waitForNavigation(), other.evaluate("document.getElementById('f').submit()")]);
      expect(await other.content()).toContain('Refused');
      await other.goto(`http://${name}:${port}/`);
      await other.close();
    }
    const rebound = await context.newPage();
    const answer = await rebound.goto(`http://rebound.test:${dashboard.port}${new URL(base).pathname}/now`);
    expect(answer?.status()).toBe(421);
    expect(cookies.filter((cookie) => cookie !== undefined)).toEqual([]);
    expect(dashboard.ran).toEqual([]);
    expect((await self.store.read()).board.switches).toEqual({});
  });

  test.runIf(inFull).each(['mouse', 'keys'] as const)(
    'every action of every page is done by %s, and its effect is on the board (in test:all)',
    async (by) => {
      const dashboard = await dashboardOn(self);
      const { tab, base } = await comeIn(dashboard.link('operator'));
      const act = (doing: Doing) => doOn(tab, base, by, doing);
      const ofTask = (id: string, name: string, text?: string) =>
        act({ on: `task/${id}`, kind: 'task', id, name, ...(text === undefined ? {} : { text }) });
      const ofBoard = (on: string, name: string, text?: string) =>
        act({ on, name, ...(text === undefined ? {} : { text }) });
      const task = async (id: string) => (await self.task(id)).status;

      await act({ on: 'now', kind: 'question', id: 'q-2', name: 'accept' });
      await ofTask('b', 'note', 'a note');
      expect((await self.state()).human_notes.at(-1)).toMatchObject({ message: 'a note', for: 'b' });
      await ofTask('t', 'pause');
      expect((await self.task('t')).paused).toBe(true);
      await ofTask('t', 'resume');
      expect((await self.task('t')).paused).toBeUndefined();
      await ofTask('draft', 'finalize');
      expect(await task('draft')).toBe('UNCLAIMED');
      await ofTask('draft', 'replan', 'too large');
      expect(await task('draft')).toBe('BLOCKED');
      await ofTask('draft', 'abandon', 'nobody needs it');
      expect(await task('draft')).toBe('ABANDONED');
      await act({ on: 'now', kind: 'question', id: 'q-1', name: 'answer', text: 'raise an alarm' });
      expect(await task('b')).toBe('UNCLAIMED');
      await act({ on: 'agents', kind: 'agent', id: 'coder-1', name: 'note', text: 'hello' });
      await ofBoard('queue', 'queue hold', 'release day');
      expect((await self.state()).goal.queue?.held?.reason).toBe('release day');
      await ofBoard('queue', 'queue release');
      expect((await self.state()).goal.queue?.held).toBeUndefined();
      await ofBoard('now', 'pause');
      expect(Object.keys((await self.store.read()).board.switches)).toEqual(['PAUSE']);
      await ofBoard('now', 'resume');
      await ofBoard('now', 'plan done');
      await ofBoard('now', 'checkpoint', 'look at it');
      expect(Object.keys((await self.store.read()).board.switches)).toEqual(['CHECKPOINT']);
      await ofBoard('now', 'resume');
      await ofBoard('now', 'abort', 'enough');
      expect((await self.state()).goal.status).toBe('ABORTED');
      expect(dashboard.ran).toHaveLength(17);
      expect(tab.faults).toEqual([]);
    },
    180_000,
  );

  test.runIf(inFull).each(['mouse', 'keys'] as const)(
    'what a board rarely asks for is done by %s: unblock, release, dismiss, order the queue, accept, resolve, complete (in test:all)',
    async (by) => {
      const self = await troubledProject();
      const dashboard = await dashboardOn(self);
      const { tab, base } = await comeIn(dashboard.link('operator'));
      const act = (doing: Doing) => doOn(tab, base, by, doing);

      expect((await self.state()).circuit_breaker.status).toBe('TRIGGERED');
      await act({ on: 'task/kept', kind: 'task', id: 'kept', name: 'unblock', text: 'go on' });
      expect(await self.task('kept')).toMatchObject({ status: 'UNCLAIMED', worktree: expect.any(String) });
      await act({ on: 'task/anew', kind: 'task', id: 'anew', name: 'unblock from scratch', text: 'another way' });
      const anew = await self.task('anew');
      expect([anew.status, anew.worktree]).toEqual(['UNCLAIMED', undefined]);
      await act({ on: 'task/held', kind: 'task', id: 'held', name: 'release-claim', text: 'too slow' });
      expect(await self.task('held')).toMatchObject({ status: 'UNCLAIMED' });
      await act({ on: 'now', kind: 'discovery', id: 'disc-1', name: 'discovery dismiss', text: 'known' });
      expect((await self.state()).discovered[0]).toMatchObject({ dismissed_reason: 'known' });
      await act({ on: 'queue', kind: 'task', id: 'second', name: 'queue first' });
      expect((await self.task('second')).merge_first).toBeDefined();
      await act({ on: 'now', name: 'accept integration' });
      expect((await self.state()).goal.integration_moved).toBeUndefined();
      await act({
        on: 'log',
        kind: 'anomaly',
        id: 'anomaly-1',
        name: 'anomaly processed',
        text: 'the document says it',
      });
      expect((await self.state()).anomalies[0]?.why).toBe('the document says it');
      await act({ on: 'now', name: 'analyze --resolve', text: 'it was one bad test' });
      expect((await self.state()).circuit_breaker.status).toBe('OK');
      for (const id of ['first', 'second']) await self.ok(['replan', id, '--reason', 'enough']);
      for (const id of ['kept', 'anew', 'held', 'first', 'second'])
        await self.ok(['abandon', id, '--reason', 'enough']);
      await act({ on: 'now', name: 'goal complete' });
      expect((await self.state()).goal.status).toBe('COMPLETED');
      expect(dashboard.ran).toHaveLength(9);
      expect(tab.faults).toEqual([]);
    },
    180_000,
  );
});
