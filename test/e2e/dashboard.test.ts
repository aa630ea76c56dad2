// The dashboard as people start it: `liza run --web` beside a crew at work, `liza dashboard` beside a crew of another process,
// spoken to as a browser does. The links are on the terminal and nowhere else.

import { execFileSync } from 'node:child_process';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ways } from '../runs.ts';
import { atWork, DETACHED, rehearsedCrew } from '../support/background-crew.ts';
import { browserForTests, CHROMIUM, NO_CHROMIUM } from '../support/browser.ts';
import { type Doing, doOn } from '../support/dashboard-hand.ts';
import type { BuiltProject, Running } from '../support/program.ts';

if (CHROMIUM === undefined) process.stderr.write(`${NO_CHROMIUM}\n`);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

const ask = (
  url: string,
  headers: Readonly<Record<string, string>>,
  form?: Readonly<Record<string, string>>,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const sent = request(
      url,
      {
        agent: false,
        method: body === undefined ? 'GET' : 'POST',
        headers:
          body === undefined
            ? headers
            : {
                ...headers,
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': Buffer.byteLength(body),
              },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

async function comeIn(running: Running, start = 'The dashboard: ') {
  const link = (await running.line(start)).slice(start.length);
  const { origin, hash } = new URL(link);
  const login = await ask(`${origin}/login`, { origin }, { code: hash.slice(1) });
  const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
  const base = `${origin}${String(login.headers['location']).replace(/\/now$/, '')}`;
  return {
    code: hash.slice(1),
    page: async (path: string) => (await ask(`${base}/${path}`, { cookie })).body,
    act: async (page: string, action: string, more: Readonly<Record<string, string>> = {}) => {
      const forms = [...page.matchAll(/<form[^>]*\/act"[^>]*>([\s\S]*?)<\/form>/g)].map(([, inner = '']) =>
        Object.fromEntries(
          [...inner.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
        ),
      );
      const form = forms.find((one) => one['action'] === action) as Readonly<Record<string, string>>;
      return ask(`${base}/act`, { cookie, origin }, { ...form, ...more });
    },
  };
}

const isNowhere = (code: string, { file }: BuiltProject): boolean => {
  try {
    execFileSync('grep', ['-rqF', code, file('.liza'), file('.git')]);
    return false;
  } catch {
    return true;
  }
};

test('run --web shows the crew at work, acts beside it, and ends with it', async () => {
  const project = rehearsedCrew();
  const crew = project.start(['run', '--web', '--agent', 'rehearsal', '--coders', '1']);
  const browser = await comeIn(crew);
  await expect.poll(async () => (await browser.page('agents')).includes('>working<'), { timeout: 20_000 }).toBe(true);
  const page = await browser.page('agents');
  expect(page).toContain('coder-1');
  expect(page).toContain('rehearsal');
  const output = /\/output\/(coder-1[^"]+)"/.exec(page)?.[1] ?? '';
  expect(await browser.page(`output/${output}`)).toContain('Output of coder-1');
  // What the crew has done since the page was made is news, and refuses it (409): the page is looked at again.
  const note = async () => (await browser.act(await browser.page('task/a'), 'note', { text: 'mind the gap' })).status;
  await expect.poll(note, { timeout: 20_000 }).toBe(303);
  expect(project.board().human_notes.map(({ message }) => message)).toEqual(['mind the gap']);
  expect(isNowhere(browser.code, project)).toBe(true);
  crew.child.kill('SIGINT');
  const ended = await crew.ended;
  expect(ended.signal).toBeNull();
  expect(ended.stderr).not.toContain('Error');
}, 60_000);

describe.skipIf(CHROMIUM === undefined)('in Chromium', () => {
  const browser = browserForTests();

  test.each(ways(['mouse', 'keys'] as const))(
    'a person steers a crew at work by %s alone',
    async (by) => {
      const project = rehearsedCrew();
      const draft = ['--id', 'later', '--desc', 'make b', '--spec', 'specs/vision.md', '--done', 'b is there'];
      project.ok(['add-task', ...draft, '--scope', 'IN: src/', '--validate', 'test -d .']);
      const crew = project.start(['run', '--web', '--agent', 'rehearsal', '--coders', '1']);
      const start = 'The dashboard: ';
      const { tab } = await browser.open((await crew.line(start)).slice(start.length));
      await tab.waitForURL('**/now');
      const base = tab.url().replace(/\/now$/, '');
      await tab.locator('.tag.working').first().waitFor({ timeout: 30_000 });
      await atWork(project);
      const act = (doing: Doing) => doOn(tab, base, by, doing);
      const ofA = { on: 'task/a', kind: 'task', id: 'a' } as const;

      await act({ ...ofA, name: 'note', text: 'mind the gap' });
      expect(project.board().human_notes.map(({ message }) => message)).toEqual(['mind the gap']);
      await act({ on: 'agents', kind: 'agent', id: 'coder-1', name: 'note', text: 'and the other' });
      await act({ on: 'task/later', kind: 'task', id: 'later', name: 'abandon', text: 'not now' });
      expect(project.task('later').status).toBe('ABANDONED');
      await act({ on: 'queue', name: 'queue hold', text: 'release day' });
      // The supervisor ends the session of what is taken from it.
      await act({ on: 'now', name: 'pause' });
      await act({ ...ofA, name: 'release-claim', text: 'it hangs' });
      await expect.poll(() => project.task('a').status, { timeout: 20_000 }).toBe('UNCLAIMED');
      await tab.goto(`${base}/now`);
      await expect.poll(() => tab.locator('.tag.working').count(), { timeout: 20_000 }).toBe(0);
      await act({ on: 'now', name: 'resume' });
      await tab.goto(`${base}/now`);
      await tab.locator('.tag.working').first().waitFor({ timeout: 30_000 });
      await act({ on: 'now', name: 'abort', text: 'enough' });
      const ended = await crew.ended;
      expect(ended.signal).toBeNull();
      expect((project.board()['goal'] as { status: string }).status).toBe('ABORTED');
      expect(tab.faults.filter((fault) => !fault.includes('ERR_'))).toEqual([]);
    },
    120_000,
  );
});

test('dashboard shows a crew of another process, and leaves it alone when it ends', async () => {
  const project = rehearsedCrew();
  project.ok(DETACHED);
  const dashboard = project.start(['dashboard', '--viewer']);
  const browser = await comeIn(dashboard);
  const viewer = await comeIn(dashboard, 'Only to look: ');
  await expect.poll(async () => (await browser.page('now')).includes('>working<'), { timeout: 20_000 }).toBe(true);
  expect(await viewer.page('now')).not.toContain('/act"');
  expect((await browser.act(await browser.page('now'), 'pause')).status).toBe(303);
  expect(await viewer.page('now')).toContain('PAUSE is on');
  expect((await browser.act(await browser.page('now'), 'resume')).status).toBe(303);
  dashboard.child.kill('SIGINT');
  expect((await dashboard.ended).code).toBe(0);
  expect(project.liza(['status']).stdout).toContain('crew');
  project.ok(['stop', '--now']);
}, 60_000);

test('a port that is taken is refused with what to do', async () => {
  const project = rehearsedCrew();
  const first = project.start(['dashboard', '--json']);
  const { port } = JSON.parse(await first.line('{')) as { readonly port: number };
  const second = project.liza(['dashboard', '--port', String(port)]);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`port ${port} is taken`);
  first.child.kill('SIGTERM');
  await first.ended;
});
