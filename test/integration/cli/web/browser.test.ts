// The dashboard in a real browser: every page at three widths, dark and light, by mouse and by keys alone, with and without
// script, while events pour in, in two tabs and after a lost connection.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { browserForTests, CHROMIUM, layoutShift, NO_CHROMIUM, type Tab, wcagFaults } from '../../../support/browser.ts';
import { dashboardOn, formOn } from '../../../support/dashboard.ts';
import { type Project, project } from '../../../support/project.ts';

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
  self.work('t', { 'src/app.ts': 'export const app = 4;\n', 'test/app.test.ts': 'test(4);\n' });
  await self.submit('t');
  await self.reject('t');
  await self.ok(['ask', 'How many times is it tried again?', '--task', 't', '--assume', 'three times'], {
    as: 'coder-1',
  });
  await self.ok(['note', 'please mind the importer']);
  return self;
}

describe.skipIf(CHROMIUM === undefined)('in Chromium', () => {
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
    const dashboard = await dashboardOn(await richProject());
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
    const dashboard = await dashboardOn(await richProject());
    const { tab, base } = await comeIn(dashboard.link('operator'));
    const faults: string[] = [];
    for (const path of PAGES) {
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
        faults.push(...(await wcagFaults(tab)).map((fault) => `${path} at ${width} ${colorScheme}: ${fault}`));
      }
    }
    expect(faults).toEqual([]);
    expect(tab.faults).toEqual([]);
  }, 240_000);

  test('an assumption is accepted by keys alone, and the page follows without being loaded again', async () => {
    const self = await richProject();
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
    const dashboard = await dashboardOn(await richProject());
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
    const self = await richProject();
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
    const self = await richProject();
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

  test('without script everything is read, and a question is answered', async () => {
    const self = await richProject();
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
    const self = await richProject();
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
    const self = await richProject();
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
    const self = await richProject();
    const dashboard = await dashboardOn(self);
    const { tab, base } = await comeIn(dashboard.link('operator'));
    for (const path of ['now', 'board', 'task/t', 'log', 'queue', 'agents']) {
      await tab.goto(`${base}/${path}`);
      await tab.getByText('Live', { exact: true }).waitFor();
      for (let n = 0; n < 12; n += 1)
        await self.ok([
          'note',
          `${path} ${n}: something that is as long as what people write to agents, or a little longer`,
        ]);
      if (path === 'now' || path === 'log') await tab.locator('#journal').getByText(`${path} 11`).waitFor();
      expect([path, await layoutShift(tab)]).toEqual([path, 0]);
    }
  }, 120_000);

  test('who only looks has no button', async () => {
    const dashboard = await dashboardOn(await richProject());
    const { tab, base } = await comeIn(dashboard.link('viewer'));
    for (const path of ['now', 'task/b', 'queue', 'task/t/diff/1']) {
      await tab.goto(`${base}/${path}`);
      expect([path, await tab.getByRole('button').allTextContents()]).toEqual([path, ['Sign out']]);
      expect(await tab.locator('a[href*="/note?"]').count()).toBe(0);
    }
  });

  test('a page on another port, and one whose name was rebound, reach nothing in a browser that is signed in', async () => {
    const self = await richProject();
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

  /** Tabs on until the focus is there, as a person without a mouse does. */
  const tabTo = async (tab: Tab, selector: string): Promise<void> => {
    for (let n = 0; n < 200; n += 1) {
      if (await tab.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
      await tab.keyboard.press('Tab');
    }
    throw new Error(`no focus on ${selector}`);
  };

  test.each(['mouse', 'keys'])(
    'every action of every page is done by %s, and its effect is on the board',
    async (by) => {
      const self = await richProject();
      const dashboard = await dashboardOn(self);
      const { tab, base } = await comeIn(dashboard.link('operator'));
      const done: string[] = [];
      const press = async (selector: string): Promise<void> => {
        if (by === 'mouse') return tab.locator(selector).click();
        await tabTo(tab, selector);
        await tab.keyboard.press('Enter');
      };
      const act = async (path: string, kind: string, id: string, name: string, text?: string): Promise<void> => {
        await tab.goto(`${base}/${path}`);
        await tab.getByText('Live', { exact: true }).waitFor();
        const found = `form:has(input[name="kind"][value="${kind}"]):has(input[name="id"][value="${id}"]):has(input[name="action"][value="${name}"])`;
        const form = `#${await tab.locator(found).getAttribute('id')}`;
        for (const outer of ['details.more', 'details.asks']) {
          const around = tab.locator(`${outer}:not([open]):has(${form})`);
          if ((await around.count()) > 0) await press(`${outer}:not([open]):has(${form}) > summary`);
        }
        if (text !== undefined) {
          if (by === 'keys') await tabTo(tab, `${form} textarea`);
          await tab.locator(`${form} textarea`).fill(text);
        }
        const ran = dashboard.ran.length;
        await press(`${form} button`);
        await expect
          .poll(async () => dashboard.ran.length > ran || (await tab.getByRole('dialog').count()) > 0)
          .toBe(true);
        if ((await tab.getByRole('dialog').count()) > 0) await press('dialog button.careful');
        await expect.poll(() => dashboard.ran.length).toBe(ran + 1);
        await expect.poll(() => tab.locator('#said').getAttribute('class')).toMatch(/yes|no/);
        expect([
          name,
          await tab.locator('#said').getAttribute('class'),
          await tab.locator('#said').textContent(),
        ]).toEqual([name, 'told yes', expect.any(String)]);
        done.push(name);
      };
      const task = async (id: string) => (await self.task(id)).status;

      await act('now', 'question', 'q-2', 'accept');
      await act('task/b', 'task', 'b', 'note', 'a note');
      expect((await self.state()).human_notes.at(-1)).toMatchObject({ message: 'a note', for: 'b' });
      await act('task/t', 'task', 't', 'pause');
      expect((await self.task('t')).paused).toBe(true);
      await act('task/t', 'task', 't', 'resume');
      expect((await self.task('t')).paused).toBeUndefined();
      await act('task/draft', 'task', 'draft', 'finalize');
      expect(await task('draft')).toBe('UNCLAIMED');
      await act('task/draft', 'task', 'draft', 'replan', 'too large');
      expect(await task('draft')).toBe('BLOCKED');
      await act('task/draft', 'task', 'draft', 'abandon', 'nobody needs it');
      expect(await task('draft')).toBe('ABANDONED');
      await act('now', 'question', 'q-1', 'answer', 'raise an alarm');
      expect(await task('b')).toBe('UNCLAIMED');
      await act('agents', 'agent', 'coder-1', 'note', 'hello');
      await act('queue', 'board', '', 'queue hold', 'release day');
      expect((await self.state()).goal.queue?.held?.reason).toBe('release day');
      await act('queue', 'board', '', 'queue release');
      expect((await self.state()).goal.queue?.held).toBeUndefined();
      await act('now', 'board', '', 'pause');
      expect(Object.keys((await self.store.read()).board.switches)).toEqual(['PAUSE']);
      await act('now', 'board', '', 'resume');
      await act('now', 'board', '', 'plan done');
      await act('now', 'board', '', 'checkpoint', 'look at it');
      expect(Object.keys((await self.store.read()).board.switches)).toEqual(['CHECKPOINT']);
      await act('now', 'board', '', 'resume');
      await act('now', 'board', '', 'abort', 'enough');
      expect((await self.state()).goal.status).toBe('ABORTED');
      expect(done).toHaveLength(17);
      expect(tab.faults).toEqual([]);
    },
    180_000,
  );
});
