// A dashboard on a test's project, and ways to talk to it: as a browser that has come in, and as anybody who can open a
// connection and write bytes into it.

import { request } from 'node:http';
import net from 'node:net';
import { onTestFinished } from 'vitest';
import { sessionLogs } from '../../src/cli/board-access.ts';
import type { BoardAccess } from '../../src/cli/live/access.ts';
import { type Dashboard, openDashboard } from '../../src/cli/web/open-dashboard.ts';
import type { Binding } from '../../src/cli/web/server.ts';
import type { WebRole } from '../../src/cli/web/sessions.ts';
import { isRefusal } from '../../src/protocol/decision.ts';
import { ioOf } from './in-process.ts';
import type { OpenedProject } from './project.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

/** A browser that has come in: sends its cookie, and what browsers say of themselves. */
export interface Browser {
  readonly cookie: string;
  /** `/9f8e…` */
  readonly base: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** The word that forms of its pages have. */
  word(): Promise<string>;
}

export interface Opened extends Dashboard {
  ask(path: string, asked?: Asked): Promise<Answer>;
  comeIn(role?: WebRole): Promise<Browser>;
  /** Writes the bytes; all that came back until the other side ended it. */
  raw(bytes: string): Promise<string>;
  /** Commands that were run. */
  readonly ran: readonly (readonly string[])[];
}

/** What it needs of a project. */
export type Shown = Pick<OpenedProject, 'context' | 'store' | 'env' | 'liza' | 'root'>;

export async function dashboardOn(self: Shown, binding?: Binding): Promise<Opened> {
  const { context, store, env, liza, root } = self;
  const ran: (readonly string[])[] = [];
  const access: BoardAccess = {
    run: async (argv) => {
      ran.push(argv);
      const { code, json } = await liza(['--json', ...argv]);
      const { message, hint } = json as { readonly message?: string; readonly hint?: string };
      return { ok: code === 0, said: [message, hint].filter((text) => text !== undefined).join(' → ') };
    },
    logs: async () => sessionLogs(`${context.paths.liza}/agent-logs`),
    diff: async (task) => ({ title: task, lines: [] }),
  };
  const opened = await openDashboard(
    ioOf(root, env),
    { ...context, env, store, actor: { parts: ['human'] }, say: () => {} },
    { binding, access },
  );
  if (isRefusal(opened)) throw new Error(opened.message);
  onTestFinished(() => opened.close());
  const { port } = opened;
  const ask: Opened['ask'] = (path, { method = 'GET', headers = {}, form } = {}) =>
    new Promise((resolve, reject) => {
      const body = form === undefined ? undefined : new URLSearchParams(form).toString();
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, path, method: form === undefined ? method : 'POST', agent: false },
          headers: {
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString('utf8'),
            }),
          );
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
  return {
    ...opened,
    ran,
    ask,
    comeIn: async (role = 'operator') => {
      const code = opened.link(role).split('#')[1] ?? '';
      const { status, headers, body } = await ask('/login', { form: { code }, headers: own });
      if (status !== 303) throw new Error(`not let in: ${status} ${body}`);
      const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
      const base = String(headers['location']).replace(/\/now$/, '');
      const browser: Browser = {
        cookie,
        base,
        get: (path, more = {}) =>
          ask(`${base}/${path}`, { headers: { cookie, 'sec-fetch-site': 'same-origin', ...more } }),
        post: (path, form, more = {}) => ask(`${base}/${path}`, { form, headers: { cookie, ...own, ...more } }),
        word: async () => /name="form" value="([0-9a-f]{32})"/.exec((await browser.get('now')).body)?.[1] ?? '',
      };
      return browser;
    },
    raw: (bytes) =>
      new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1');
        let said = '';
        socket.on('data', (chunk) => {
          said += chunk;
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(said));
        socket.write(bytes);
      }),
  };
}

/** The fields of the form for that action, as the page has them. */
export function formOn(page: string, action: string, id = ''): Readonly<Record<string, string>> {
  const forms = [...page.matchAll(/<form method="post" action="[^"]*\/act"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, inner = '']) =>
      Object.fromEntries(
        [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
          name,
          value,
        ]),
      ),
  );
  const found = forms.find((form) => form['action'] === action && (id === '' || form['id'] === id));
  if (found === undefined)
    throw new Error(
      `no form ${action} ${id}: ${forms.map((form) => `${form['kind']} ${form['id']} ${form['action']}`).join(', ')}`,
    );
  return found as Readonly<Record<string, string>>;
}
