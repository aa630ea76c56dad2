// What leaves the board: without secrets, gathered, and as arguments that no shell reads.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { GATHER_MS, openBatch, QUIET_MS } from '../../../src/alarms/batch.ts';
import { notifySend, openDesktop, osascript } from '../../../src/alarms/desktop.ts';
import { type Alarm, type AlarmName, alarm as alarmOf, endedText, warning } from '../../../src/alarms/rules/alarm.ts';
import { isEmpty, joined, messageOf } from '../../../src/alarms/rules/grouping.ts';
import { loadState, saveState } from '../../../src/alarms/saved-state.ts';
import { ATTEMPTS, pauseAfter } from '../../../src/alarms/webhook-queue.ts';
import { realFiles } from '../../../src/ports/files.ts';
import type { Environment } from '../../../src/ports/host.ts';
import { redact, safeLine, secretsOf } from '../../../src/text/redact.ts';
import { hostAt } from '../../host.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const alarm = (key: string, name: AlarmName = 'BLOCKED'): Alarm =>
  name === 'BLOCKED' ? warning(name, key, `${key} — why`) : alarmOf(name, key, key);

test.each([
  [
    warning('QUESTION', 'q-1', 'q-1 — coder-1 on parse: which sign? — liza answer q-1 "…"'),
    'question q-1 is settled: coder-1 on parse: which sign?',
  ],
  [
    alarmOf('SET-UP FAILED', 'base', 'set-up fails for x: npm ci ended with 1 — npm error — fix what it names'),
    'alarm over: SET-UP FAILED: set-up fails for x: npm ci ended with 1',
  ],
  [warning('BLOCKED', 't', 't — no token'), 'alarm over: BLOCKED: t — no token'],
])('of an alarm that ended is told what it was, and no way out', (one, told) => expect(endedText(one)).toBe(told));

describe('secrets', () => {
  test.each([
    [`key sk-${'a1'.repeat(12)} here`, 'key [redacted] here'],
    ['ghp_0123456789abcdefghijABCDEFGHIJ012345', '[redacted]'],
    ['github_pat_11ABCDEFG0123456789_abcdefghijk', '[redacted]'],
    ['glpat-abcdefghij0123456789', '[redacted]'],
    ['xoxb-1234567890-abcdefghij', '[redacted]'],
    ['AKIAABCDEFGHIJKLMNOP', '[redacted]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF-_123', '[redacted]'],
    ['https://user:hunter2@example.org/x', 'https://[redacted]example.org/x'],
    ['https://hooks.slack.com/services/T00/B00/XXXX', 'https://hooks.slack.com/services/[redacted]'],
    ['Authorization: Bearer abcdefghijklmnop', 'Authorization: Bearer [redacted]'],
    ['DB_PASSWORD=correct-horse', 'DB_PASSWORD=[redacted]'],
    ['api_key: "abcdef123456"', 'api_key: "[redacted]"'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', '[redacted]'],
  ])('%s', (text, clean) => expect(redact(text)).toBe(clean));

  test.each([
    'the token is missing',
    'task-sk-1',
    'password: no',
    'see https://example.org/a@b',
    'risk-management-of-everything',
  ])('%s stays', (text) => expect(redact(text)).toBe(text));

  it('of the environment are those whose names say so, the longest first', () => {
    const env = {
      API_KEY: 'abcdefg1',
      MY_TOKEN: 'abcdefg1-longer',
      HOME: '/home/person',
      SHORT_SECRET: 'abc',
      EMPTY: undefined,
    };
    const within = (text: string, from: number, to?: number) => btoa(text).slice(from, to);
    expect(secretsOf(env)).toEqual([
      btoa('abcdefg1-longer'),
      within('xabcdefg1-longer', 2, -3),
      within('xxabcdefg1-longer', 3, -2),
      'abcdefg1-longer',
      'YWJjZGVmZzE',
      within('abcdefg1', 0, -2),
      within('xabcdefg1', 2),
      within('xxabcdefg1', 3, -3),
      'abcdefg1',
    ]);
    expect(redact('x abcdefg1-longer y abcdefg1', secretsOf(env))).toBe('x [redacted] y [redacted]');
  });

  it('a line is one line that a terminal does not obey, and keeps its emoji', () => {
    expect(safeLine('⚠️ a\n\u001b[2J\u202eb\u009b 👩‍💻')).toBe('⚠️ a [2Jb 👩‍💻');
  });

  it('long texts take no time', () => {
    const spent = cpuTimer();
    for (const text of ['a'.repeat(16_000), 'token'.repeat(3000), '://'.repeat(5000), 'eyJ.'.repeat(4000)])
      redact(text);
    expect(spent()).toBeLessThan(1000);
  });
});

describe('messages', () => {
  it('name the first and count the rest, by kind', () => {
    const raised = [...Array.from({ length: 7 }, (_, n) => alarm(`t-${n}`)), alarm('x', 'INTEGRATION FAILED')];
    const message = messageOf('shop', { raised, cleared: [alarm('old')] });
    expect(message.title).toBe('Liza · shop: 8 alarms (7 BLOCKED, 1 INTEGRATION FAILED), 1 ended');
    expect(message.urgent).toBe(true);
    expect(message.lines).toHaveLength(6);
    expect(message.lines.at(-1)).toBe('… and 4 more lines: liza watch --once');
  });

  it('have every question, whole, before the rest', () => {
    const asked = Array.from({ length: 8 }, (_, n) => warning('QUESTION', `q-${n}`, `q-${n} — ${'why '.repeat(200)}`));
    const raised = [...Array.from({ length: 7 }, (_, n) => alarm(`t-${n}`)), ...asked];
    const { lines } = messageOf('shop', { raised, cleared: [] });
    expect(lines.slice(0, 8)).toEqual(asked.map(({ text }) => text));
    expect(lines.slice(8)).toHaveLength(6);
    expect(lines.at(-1)).toBe('… and 2 more lines: liza watch --once');
    const many = Array.from({ length: 23 }, (_, n) => warning('QUESTION', `q-${n}`, 'why?'));
    const crowded = messageOf('shop', { raised: many, cleared: [] }).lines;
    expect(crowded).toHaveLength(21);
    expect(crowded.at(-1)).toBe('… and 3 more questions: liza status');
  });

  it('leave out what came and went meanwhile', () => {
    const none = { raised: [], cleared: [] };
    const came = { raised: [alarm('a')], cleared: [] };
    const went = { raised: [], cleared: [alarm('a')] };
    expect(isEmpty(joined(came, went))).toBe(true);
    expect(isEmpty(joined(went, came))).toBe(true);
    expect(joined(none, came)).toEqual(came);
  });

  it('come at once after a quiet time, and then not more often than it is quiet', async () => {
    const sent: string[] = [];
    const sleeps: { readonly ms: number; readonly wake: () => void }[] = [];
    const batch = openBatch({ sleep: (ms) => new Promise((wake) => sleeps.push({ ms, wake })) }, (group) =>
      sent.push(messageOf('shop', group).title),
    );
    const pass = async (ms: number): Promise<void> => {
      const next = sleeps.shift();
      expect(next?.ms).toBe(ms);
      next?.wake();
      await new Promise((resolve) => setImmediate(resolve));
    };
    batch.add({ raised: [alarm('a')], cleared: [] });
    batch.add({ raised: [alarm('b')], cleared: [] });
    expect(sent).toEqual([]);
    await pass(GATHER_MS);
    expect(sent).toEqual(['Liza · shop: 2 alarms (2 BLOCKED)']);
    for (let n = 0; n < 100; n += 1) batch.add({ raised: [alarm(`c-${n}`)], cleared: [] });
    expect(sent).toHaveLength(1);
    await pass(QUIET_MS);
    expect(sent.slice(1)).toEqual(['Liza · shop: 100 alarms (100 BLOCKED)']);
    await pass(QUIET_MS);
    batch.add({ raised: [alarm('d')], cleared: [] });
    await pass(GATHER_MS);
    expect(sent).toHaveLength(3);
    batch.add({ raised: [alarm('e')], cleared: [] });
    batch.close();
    expect(sent).toHaveLength(4);
  });
});

it('a webhook is tried for about a quarter of an hour', () => {
  const pauses = Array.from({ length: ATTEMPTS - 1 }, (_, n) => pauseAfter(n + 1));
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256].map((seconds) => seconds * 1000));
  expect(pauseAfter(40)).toBe(300_000);
});

describe('the desktop', () => {
  const desktopOn = (platform: NodeJS.Platform, env: Environment) => {
    const { clock, processes } = hostAt();
    return openDesktop({ clock, env, processes: { ...processes, platform } });
  };
  const message = { title: 'Liza · shop: 1 alarm', lines: ['--icon=x <b>bold</b> & "quoted" $(rm)'], urgent: true };

  it('gets its text as arguments, after the options', () => {
    const [program, args] = notifySend(message);
    expect(program).toBe('notify-send');
    expect(args.slice(args.indexOf('--'))).toEqual([
      '--',
      'Liza · shop: 1 alarm',
      '--icon=x &lt;b&gt;bold&lt;/b&gt; &amp; "quoted" $(rm)',
    ]);
    const [mac, macArgs] = osascript(message);
    expect(mac).toBe('osascript');
    expect(macArgs.slice(-3)).toEqual(['--', message.title, message.lines[0]]);
    expect(macArgs.filter((one) => one.includes('$(rm)'))).toHaveLength(1);
  });

  it('is used only where somebody sees it', () => {
    expect(desktopOn('linux', {})).toBeUndefined();
    expect(desktopOn('linux', { DISPLAY: ':0', LIZA_NOTIFY: 'off' })).toBeUndefined();
    expect(desktopOn('linux', { DISPLAY: ':0', CI: '1' })).toBeUndefined();
    expect(desktopOn('linux', { DISPLAY: ':0' })).toBeDefined();
    expect(desktopOn('darwin', {})).toBeDefined();
  });

  it('is called once per message, and not waited for', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'said');
    fs.writeFileSync(
      path.join(folder, 'notify-send'),
      `#!/bin/sh\nprintf '%s\\n' "$@" > '${file}.new'\nmv '${file}.new' '${file}'\n`,
      { mode: 0o755 },
    );
    const desktop = desktopOn('linux', { DISPLAY: ':0', PATH: `${folder}:/usr/bin:/bin` });
    desktop?.show(message);
    const until = performance.now() + 5000;
    while (!fs.existsSync(file) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(fs.readFileSync(file, 'utf8')).toContain('Liza · shop: 1 alarm\n');
    fs.rmSync(folder, { recursive: true });
  });

  it('whose notifier hangs gets rid of it, and of its children, at the end', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'pids');
    fs.writeFileSync(
      path.join(folder, 'notify-send'),
      `#!/bin/sh\nsleep 60 &\necho $$ $! > '${file}.new'\nmv '${file}.new' '${file}'\nwait\n`,
      { mode: 0o755 },
    );
    const desktop = desktopOn('linux', { DISPLAY: ':0', PATH: `${folder}:/usr/bin:/bin` });
    desktop?.show(message);
    const until = performance.now() + 5000;
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
    while (!fs.existsSync(file) && performance.now() < until) await pause();
    const pids = fs.readFileSync(file, 'utf8').trim().split(' ').map(Number);
    desktop?.close();
    await desktop?.settled();
    expect(pids).toHaveLength(2);
    // A zombie that nobody has collected yet is as good as ended.
    const lives = (pid: number): boolean =>
      fs.existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
    while (pids.some(lives) && performance.now() < until) await pause();
    expect(pids.filter(lives)).toEqual([]);
    fs.rmSync(folder, { recursive: true });
  });

  it('that has no notify-send is no accident', () => {
    const desktop = desktopOn('linux', { DISPLAY: ':0', PATH: '/nowhere' });
    // The error comes later, as an event; left alone it would end this run.
    expect(() => desktop?.show(message)).not.toThrow();
  });
});

describe('what is on, remembered on the disk', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'alarms.json');
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  const BLOCKED = { key: 'BLOCKED:t', level: 'warning', text: '⚠️ BLOCKED: t — why: no key' };
  const ABANDONED = {
    key: 'CHECKPOINT:8h',
    level: 'alarm',
    text: '🚨 CHECKPOINT ABANDONED?: waiting for human',
    family: 'CHECKPOINT',
  };

  it('is the same when it is read again', () => {
    const on = [alarm('t'), { ...alarm('u', 'REVIEW LOOP'), family: 'LIMIT:u:review cycles' }];
    const pending = { id: 'm-1', group: { raised: [alarm('t')], cleared: [] } };
    const alarms = new Map(on.map((one) => [one.key, one]));
    const saved = { on: alarms, logSize: 7, haltedAt: 9, unwritten: ['line'], pending };
    saveState(realFiles, folder, saved);
    expect(loadState(realFiles, folder)).toEqual(saved);
  });

  it('has its names also where the version before has written none', () => {
    fs.writeFileSync(
      file,
      JSON.stringify({ on: [BLOCKED, ABANDONED], logged: 7, calling: { id: 'm-1', group: { raised: [BLOCKED] } } }),
    );
    const { on, pending } = loadState(realFiles, folder);
    expect([...on.values()]).toEqual([
      { ...BLOCKED, name: 'BLOCKED' },
      { ...ABANDONED, name: 'CHECKPOINT ABANDONED?' },
    ]);
    expect(pending?.group).toEqual({ raised: [{ ...BLOCKED, name: 'BLOCKED' }], cleared: [] });
  });

  it('leaves out what is no alarm that this version knows', () => {
    const strange = { ...BLOCKED, name: 'SOMETHING NEW', text: '⚠️ SOMETHING NEW: x' };
    fs.writeFileSync(file, JSON.stringify({ on: [strange, 7, { ...BLOCKED, level: 'loud' }, BLOCKED], logged: 7 }));
    expect([...loadState(realFiles, folder).on.keys()]).toEqual(['BLOCKED:t']);
  });
});
