// Messages to a real endpoint on this machine: signed, retried, recorded, and never waited for.

import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { LAST_WORD_MS, watchOnce } from '../../../src/alarms/watcher.ts';
import { post } from '../../../src/alarms/webhook.ts';
import { ATTEMPTS } from '../../../src/alarms/webhook-queue.ts';
import { OPERATOR } from '../../../src/protocol/board.ts';
import type { State } from '../../../src/protocol/state.ts';
import { QUESTIONS } from '../../../src/protocol/work/blocked.ts';
import { hostAt } from '../../host.ts';
import { type Project, project } from '../../support/project.ts';
import { eventually } from '../supervisor/harness.ts';
import {
  aborted,
  alarmContext,
  alerts,
  answering,
  type Endpoint,
  endpoint,
  type Watching,
  watching,
} from './watching.ts';

let p: Project;
const watchers: Watching[] = [];
const endpoints: Endpoint[] = [];
afterEach(async () => {
  for (const one of watchers.splice(0)) await one.end();
  for (const one of endpoints.splice(0)) await one.close();
});

const SECRET = 'a-secret-of-the-hook';

const listen = async (answer: Parameters<typeof endpoint>[0]): Promise<Endpoint> => {
  const one = await endpoint(answer);
  endpoints.push(one);
  return one;
};
const open = async (url: string, options: Parameters<typeof watching>[1] = {}): Promise<Watching> => {
  p = project({ tasks: ['t', 'u'], config: { escalation_webhook: url } });
  await change((state) => state);
  return watch(options);
};
const watch = (options: Parameters<typeof watching>[1] = {}): Watching => {
  const one = watching(p, { env: { LIZA_WEBHOOK_SECRET: SECRET }, ...options });
  watchers.push(one);
  return one;
};
const change = (edit: (state: State) => State) =>
  p.store.transact({ actor: OPERATOR, command: 'test' }, ({ state }) => ({
    ok: true,
    detail: 'x',
    state: edit(state),
  }));
const block = (id: string, reason = 'no token') =>
  change((state) => ({
    ...state,
    tasks: state.tasks.map((task) =>
      task.id === id
        ? { ...task, status: 'BLOCKED', blocked_reason: reason, blocked_questions: QUESTIONS.override }
        : task,
    ),
  }));

interface Records {
  readonly waiting: readonly { readonly id: string; readonly attempts: number }[];
  readonly last: readonly { readonly id: string; readonly attempts: number; readonly result: string }[];
}
const records = (): Records => {
  const file = p.file('.liza/cache/watch/webhook.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : { waiting: [], last: [] };
};
const results = (): readonly string[] => records().last.map(({ result }) => result);

test('one signed message that Slack shows and a program can read', async () => {
  const hook = await listen(answering(200));
  const w = await open(hook.url);
  await block('t', 'who is <!channel> & why');
  await w.look();
  await hook.got(1);
  const { headers, body } = hook.received[0] ?? { headers: {}, body: '' };
  const said = JSON.parse(body);
  expect(said).toMatchObject({
    text: 'Liza · project: 1 alarm\n⚠️ BLOCKED: t — who is &lt;!channel&gt; &amp; why',
    project: 'project',
    urgent: false,
    raised: [{ key: 'BLOCKED:t', level: 'warning', text: '⚠️ BLOCKED: t — who is <!channel> & why' }],
    raised_total: 1,
    cleared: [],
    cleared_total: 0,
  });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['x-liza-signature']).toBe(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
  expect(headers['x-liza-delivery']).toBe(said.id);
  await eventually('the record', () => results().length === 1);
  expect(results()).toEqual(['delivered: HTTP 200']);
  expect(records().waiting).toEqual([]);
});

test('without a secret there is no signature', async () => {
  const hook = await listen(answering(204));
  const w = await open(hook.url, { env: {} });
  await block('t');
  await w.look();
  await hook.got(1);
  expect(hook.received[0]?.headers['x-liza-signature']).toBeUndefined();
});

test('what is over is told as well', async () => {
  const hook = await listen(answering(200));
  const w = await open(hook.url);
  await block('t');
  await w.look();
  await hook.got(1);
  await change((state) => ({ ...state, tasks: state.tasks.map((task) => ({ ...task, status: 'UNCLAIMED' })) }));
  await w.look();
  await w.end(); // sends what was gathered
  expect(JSON.parse(hook.received[1]?.body ?? '{}')).toMatchObject({
    text: 'Liza · project: 1 ended\nalarm over: BLOCKED: t — no token',
    cleared_total: 1,
  });
});

describe('an endpoint that', () => {
  test('returns 500 is tried again, later each time, and it is recorded', async () => {
    const hook = await listen(answering(500, 503, 200));
    const w = await open(hook.url);
    await block('t');
    await w.look();
    await hook.got(3);
    await eventually('the record', () => results().length === 3);
    expect(results()).toEqual(['failed: HTTP 500', 'failed: HTTP 503', 'delivered: HTTP 200']);
    expect(w.pauses.filter((ms) => ms >= 1000 && ms < 30_000)).toEqual([1000, 2000]);
    expect(new Set(hook.received.map(({ headers }) => headers['x-liza-delivery'])).size).toBe(1);
    expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
  });

  test('asks for patience gets it', async () => {
    const hook = await listen((response, nth) =>
      response.writeHead(nth === 1 ? 429 : 200, { 'retry-after': '7' }).end(),
    );
    const w = await open(hook.url);
    await block('t');
    await w.look();
    await hook.got(2);
    expect(w.pauses).toContain(7000);
  });

  test('is down is given up after a while; alerts.log says so, and never where it is', async () => {
    const hook = await endpoint(answering(200));
    await hook.close();
    const w = await open(hook.url, { sleep: () => Promise.resolve() });
    await block('t');
    await w.look();
    await eventually('the end', () => records().last.length === ATTEMPTS);
    expect(results().at(-1)).toBe('given up: ECONNREFUSED');
    await eventually('the line', () => alerts(p).length === 2);
    expect(alerts(p)[1]).toMatch(/^webhook: message \S+ was dropped after 10 attempts: ECONNREFUSED$/);
    const written = ['alerts.log', 'cache/watch/webhook.json', 'cache/watch/alarms.json'].map((name) =>
      fs.readFileSync(p.file('.liza', name), 'utf8'),
    );
    expect(written.join('')).not.toContain('secret-path');
    expect(w.troubles.join('')).not.toContain('secret-path');
  });

  test('does not answer blocks nothing, and is left after its time', async () => {
    let release = (): void => {};
    const hook = await listen((response) => {
      release = () => response.end();
    });
    const w = await open(hook.url, { webhookTimeoutMs: 60_000 });
    await block('t');
    await w.look();
    await hook.got(1);
    // The request is open: the watcher looks and tells all the same.
    await block('u');
    await w.look(5);
    expect(alerts(p)).toEqual(['⚠️ BLOCKED: t — no token', '⚠️ BLOCKED: u — no token']);
    expect(records().last).toEqual([]);
    release();
    await eventually('the record', () => results().length === 1);
    const slow = await listen(() => {});
    expect(await post(hostAt(), { id: 'x', body: '{}' }, { url: slow.url, timeoutMs: 50 })).toEqual({
      ok: false,
      again: true,
      why: 'no answer within 0.05s',
    });
  });

  test('accepts and says nothing that is HTTP', async () => {
    const server = createServer((socket) => socket.resume().end('hello\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const result = await post(hostAt(), { id: 'x', body: '{}' }, { url: `http://127.0.0.1:${port}/` });
    expect(result).toMatchObject({ ok: false, again: true });
    await new Promise((resolve) => server.close(resolve));
  });

  test('does not want the message is not asked again', async () => {
    const hook = await listen(answering(404));
    const w = await open(hook.url);
    await block('t');
    await w.look();
    await eventually('the record', () => results().length === 1);
    expect(results()).toEqual(['given up: HTTP 404']);
    expect(hook.received).toHaveLength(1);
  });

  test('points elsewhere is not followed', async () => {
    const other = await listen(answering(200));
    const hook = await listen((response) => response.writeHead(307, { location: other.url }).end());
    const w = await open(hook.url);
    await block('t');
    await w.look();
    await eventually('the record', () => results().length === 1);
    expect(results()).toEqual(['given up: HTTP 307: redirects are not followed']);
    expect(other.received).toEqual([]);
  });

  test('is no http address is not called', async () => {
    for (const url of ['file:///etc/passwd', 'ftp://example.org/', 'nonsense']) {
      expect(await post(hostAt(), { id: 'x', body: '{}' }, { url })).toMatchObject({ ok: false, again: false });
    }
  });
});

test('what one watcher could not deliver, the next one does', async () => {
  let answer = 500;
  const hook = await listen((response) => response.writeHead(answer).end());
  const first = await open(hook.url, {
    sleep: (ms, signal) => (ms < 1000 || ms === LAST_WORD_MS ? Promise.resolve() : aborted(signal)),
  });
  await block('t');
  await first.look();
  await eventually('the record', () => results().length === 1);
  expect(results()).toEqual(['failed: HTTP 500']);
  // In the pause before the second attempt.
  await first.end();
  expect(records().waiting).toMatchObject([{ attempts: 1 }]);
  answer = 200;
  const second = watch();
  await second.look();
  await hook.got(2);
  expect(hook.received[1]?.body).toBe(hook.received[0]?.body);
  await eventually('the record', () => results().length === 2);
  expect(records().last.at(-1)).toMatchObject({ attempts: 2, result: 'delivered: HTTP 200' });
});

test('looks from cron at an endpoint that is slower than they are make ten attempts in all', async () => {
  const hook = await listen(() => {});
  await open(hook.url).then((w) => w.end());
  await block('t');
  const look = async (): Promise<void> => {
    // A process that is being started elsewhere may hold the lock for an instant.
    while (!(await watchOnce(alarmContext(p), {}, 30)).told);
  };
  for (let n = 1; n <= ATTEMPTS; n += 1) {
    await look();
    expect(records().last).toHaveLength(n);
  }
  expect(records().last[0]).toMatchObject({ attempts: 1, result: 'failed: no answer before the watcher ended' });
  expect(records().last.at(-1)).toMatchObject({ attempts: 10, result: 'given up: no answer before the watcher ended' });
  expect(records().waiting).toEqual([]);
  expect(alerts(p).at(-1)).toMatch(/^webhook: message \S+ was dropped after 10 attempt/);
  await look();
  expect(new Set(hook.received.map(({ headers }) => headers['x-liza-delivery'])).size).toBeLessThanOrEqual(1);
  expect(hook.received.length).toBeLessThanOrEqual(ATTEMPTS);
});

test('an attempt in whose middle the watcher was killed counts', async () => {
  const hook = await listen(() => {});
  const w = await open(hook.url);
  await block('t');
  await w.look();
  await hook.got(1);
  expect(records().waiting).toMatchObject([{ attempts: 1 }]);
});

describe('a message that a killed watcher had only gathered', () => {
  const MEMORY = ['alarms.json', 'webhook.json'].map((name) => `.liza/cache/watch/${name}`);
  const kept = (): readonly (Buffer | undefined)[] =>
    MEMORY.map((name) => (fs.existsSync(p.file(name)) ? fs.readFileSync(p.file(name)) : undefined));
  const put = (files: readonly (Buffer | undefined)[]): void => {
    for (const [n, name] of MEMORY.entries()) {
      const bytes = files[n];
      if (bytes === undefined) fs.rmSync(p.file(name), { force: true });
      else fs.writeFileSync(p.file(name), bytes);
    }
  };
  const gathering = (): Parameters<typeof watching>[1] => ({
    sleep: (ms, signal) => (ms === LAST_WORD_MS ? new Promise((done) => setTimeout(done, ms)) : aborted(signal)),
  });

  test('is sent by the next one, on the desktop too, with what is new by then', async () => {
    const hook = await listen(answering(200));
    const first = await open(hook.url, gathering());
    await block('t');
    await first.look();
    expect(hook.received).toEqual([]);
    const asKilled = kept();
    await first.end(); // says its last word; a killed one does not
    const before = hook.received.length;
    put(asKilled);
    await block('u');
    const second = watch();
    await second.look();
    await hook.got(before + 1);
    expect(JSON.parse(hook.received.at(-1)?.body ?? '{}')).toMatchObject({
      raised: [{ key: 'BLOCKED:t' }, { key: 'BLOCKED:u' }],
    });
    expect(second.shown).toHaveLength(1);
    expect(alerts(p)).toEqual(['⚠️ BLOCKED: t — no token', '⚠️ BLOCKED: u — no token']);
    await second.end();
    expect(hook.received).toHaveLength(before + 1);
    expect(JSON.parse(fs.readFileSync(p.file(MEMORY[0] ?? ''), 'utf8'))).not.toHaveProperty('calling');
  });

  test('is not sent twice when it was on its way already', async () => {
    const hook = await listen(answering(200));
    const first = await open(hook.url, gathering());
    await block('t');
    await first.look();
    const [memory] = kept();
    await first.end();
    // Killed after the message was handed over and before that was noted.
    put([memory, kept()[1]]);
    const second = watch();
    await second.look();
    await second.end();
    expect(hook.received).toHaveLength(1);
  });
});

test.skipIf(!fs.existsSync('/dev/full'))(
  'a log that takes nothing is no reason to call again at every look from cron',
  async () => {
    const hook = await listen(answering(200));
    await open(hook.url).then((w) => w.end());
    fs.rmSync(p.file('.liza/alerts.log'), { force: true });
    fs.symlinkSync('/dev/full', p.file('.liza/alerts.log'));
    await block('t');
    const troubles: string[] = [];
    const look = () => watchOnce(alarmContext(p), { trouble: (line) => troubles.push(line) }, 2000);
    for (let n = 0; n < 3; n += 1) await look();
    expect(hook.received).toHaveLength(1);
    expect(troubles[0]).toMatch(/^alerts\.log could not be written: ENOTREG/);
    fs.rmSync(p.file('.liza/alerts.log'));
    await look();
    expect(alerts(p)).toEqual(['⚠️ BLOCKED: t — no token']);
  },
);

test('a storm is one message, which names the first and counts the rest', async () => {
  const hook = await listen(answering(200));
  p = project({
    tasks: Array.from({ length: 1000 }, (_, n) => ({
      id: `t-${n}`,
      status: 'BLOCKED' as const,
      blocked_reason: 'no token',
      blocked_questions: QUESTIONS.override,
    })),
    config: { escalation_webhook: hook.url },
  });
  await change((state) => state);
  const w = watch();
  await w.look(3);
  await hook.got(1);
  await w.end();
  expect(hook.received).toHaveLength(1);
  const said = JSON.parse(hook.received[0]?.body ?? '{}');
  expect(said.raised).toHaveLength(50);
  expect(said.raised_total).toBe(1000);
  expect(said.text.split('\n')).toHaveLength(7);
});
