import { appendFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { type LogEntry, parseEntries, readSince, readTail } from '../../../src/cli/log-tail.ts';
import { emitItem } from '../../../src/store/yaml/emit.ts';
import { hostAt } from '../../host.ts';
import { type Project, project } from './fixtures.ts';

let here: Project;
let path: string;
beforeEach(() => {
  here = project();
  path = here.file('.liza', 'log.yaml');
});

const entry = (n: number, changes: Partial<LogEntry> = {}): LogEntry => ({
  timestamp: '2026-03-01T12:00:00Z',
  agent: 'human',
  action: 'note',
  detail: `number ${n}`,
  entry: n,
  ...changes,
});
/** As the store writes it. */
const yaml = (...entries: LogEntry[]): string =>
  entries.map((record) => `${emitItem(record, 0).join('\n')}\n`).join('');
const numbers = (from: number, to: number): LogEntry[] => Array.from({ length: to - from }, (_, i) => entry(from + i));

test('what the store writes is read back, quotes and all', () => {
  const odd = entry(1, { task: 'retry-login', detail: 'say: "no" # not a comment → ü' });
  expect(parseEntries(`# mine\n\n${yaml(odd, entry(2))}`)).toEqual([odd, entry(2)]);
});

test('the tail is found without the rest, over many chunks', async () => {
  writeFileSync(path, yaml(...numbers(0, 5000)));
  expect((await readTail(path, 3)).entries).toEqual(numbers(4997, 5000));
  expect((await readTail(path, 2000)).entries).toEqual(numbers(3000, 5000));
  expect((await readTail(path, 9999)).entries).toHaveLength(5000);
});

test('a character that a chunk border cuts in two is read whole', async () => {
  writeFileSync(
    path,
    yaml(...Array.from({ length: 900 }, (_, n) => entry(n, { detail: `${'ü'.repeat(100 + (n % 7))} ${n}` }))),
  );
  const { entries } = await readTail(path, 800);
  expect(entries).toHaveLength(800);
  expect(entries.every(({ detail }) => /^ü{100,106} \d+$/.test(detail))).toBe(true);
});

test('a log file that is not there has no entries', async () => {
  expect(await readTail(path, 5)).toEqual({ entries: [], end: 0 });
  const ran = await here.liza(['log']);
  expect(ran).toMatchObject({ code: 0, stdout: 'No entries yet.\n' });
});

test('what is appended is read once, and an unfinished entry only when it is whole', async () => {
  writeFileSync(path, yaml(entry(1)));
  const first = await readTail(path, 10);
  const next = yaml(entry(2));
  const cut = next.indexOf('  detail');
  appendFileSync(path, next.slice(0, cut));
  const half = await readSince(path, first.end);
  expect(half).toEqual({ entries: [], end: first.end });
  appendFileSync(path, next.slice(cut));
  const whole = await readSince(path, half.end);
  expect(whole.entries).toEqual([entry(2)]);
  expect((await readSince(path, whole.end)).entries).toEqual([]);
});

test('liza log prints the last 20 on a terminal, newest last; -n and a task narrow it', async () => {
  writeFileSync(path, yaml(...numbers(0, 30), entry(30, { task: 'retry-login', action: 'finalize' }), entry(31)));
  const all = await here.liza(['log'], { io: { stdoutIsTty: true } });
  // How many came before, and the command that shows them, then the last 20.
  expect(all.stdout.split('\n')[0]).toBe('(11 older entries: liza log -n 31)');
  expect(all.stdout.trimEnd().split('\n')).toHaveLength(21);
  expect(all.stdout).toMatch(/number 31\n$/);
  const mine = await here.liza(['log', 'retry-login', '-n', '5']);
  expect(mine.stdout).toBe('  #30  2026-03-01T12:00:00Z  human  finalize retry-login: number 30\n');
  expect((await here.liza(['log', '-n', '2', '--json'])).json).toMatchObject({
    ok: true,
    entries: [{}, { detail: 'number 31' }],
  });
  expect(await here.liza(['log', '-n', 'many'])).toMatchObject({ code: 1, stdout: '' });
});

test('liza log prints every entry into a pipe, and the last 20 to an agent', async () => {
  writeFileSync(path, yaml(...numbers(1, 41)));
  const whole = (await here.liza(['log'])).stdout.trimEnd().split('\n');
  expect(whole).toHaveLength(40);
  expect(whole[0]).toContain('number 1');
  expect((await here.liza(['log'], { as: 'coder-1' })).stdout.split('\n')[0]).toBe(
    '(20 older entries: liza log -n 40)',
  );
});

test('a control character in the log is shown, not obeyed', async () => {
  writeFileSync(path, yaml(entry(1, { detail: '\u001b[2Jgone' })));
  expect((await here.liza(['log'])).stdout).toContain('^[[2Jgone');
});

test('liza log -f goes on until it is stopped', async () => {
  writeFileSync(path, yaml(entry(1)));
  const stop = new AbortController();
  let seen = '';
  const host = hostAt();
  // The file grows once the command waits for more: it has read what was there before.
  const sleep: typeof host.clock.sleep = async (...asked) => {
    if (seen === '') appendFileSync(path, yaml(entry(2), entry(3)));
    await host.clock.sleep(...asked);
  };
  const ran = await here.liza(['log', '-f', '-n', '0'], {
    io: {
      stop: stop.signal,
      host: { ...host, clock: { ...host.clock, sleep } },
      stdout: (text) => {
        seen += text;
        if (text.includes('number 3')) stop.abort();
      },
    },
  });
  expect(ran.code).toBe(0);
  expect(seen).toMatch(/number 2\n.*number 3\n$/);
  expect(seen).not.toContain('number 1');
});
