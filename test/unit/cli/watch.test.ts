// `liza watch` as it is typed.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { QUESTIONS } from '../../../src/protocol/work/blocked.ts';
import { aBlocked, type Project, project } from './fixtures.ts';

let here: Project;

/** Blocked by a person: the general question of that has no alarm of its own. */
const open = (blocked: boolean): void => {
  const because = { blocked_reason: 'two headers', blocked_questions: QUESTIONS.override };
  here = project({ tasks: blocked ? [aBlocked('retry-login', because)] : [] });
};
const TEXT = '⚠️ BLOCKED: retry-login — two headers';
const log = (): string => fs.readFileSync(here.file('.liza', 'alerts.log'), 'utf8');

test('--once: exit 0 and a sentence when nothing is on', async () => {
  open(false);
  expect(await here.liza(['watch', '--once'])).toMatchObject({ code: 0, stdout: 'No alarm is on.\n', stderr: '' });
  expect((await here.liza(['watch', '--once', '--json'])).json).toMatchObject({ ok: true, code: 0, alarms: [] });
});

test('--once: exit 1 and every alarm that is on, each time; the log has it once', async () => {
  open(true);
  const first = await here.liza(['watch', '--once', '--json']);
  expect(first.code).toBe(1);
  expect(first.json).toMatchObject({
    ok: false,
    code: 1,
    message: '1 alarm is on',
    told: true,
    alarms: [{ key: 'BLOCKED:retry-login', level: 'warning', text: TEXT, new: true }],
  });
  const again = await here.liza(['watch', '--once']);
  expect(again).toMatchObject({ code: 1, stdout: `${TEXT}\n` });
  expect(again.stderr).toBe('liza: 1 alarm is on\n  → see the board: liza status\n');
  expect((await here.liza(['watch', '--once', '--json'])).json.alarms).toMatchObject([{ new: false }]);
  expect(log()).toBe(`2026-03-01T12:00:00Z ${TEXT}\n`);
});

test('marks are spelt where only ASCII is shown; the log stays exact', async () => {
  open(true);
  const ran = await here.liza(['watch', '--once'], { io: { unicode: false } });
  expect(ran.stdout).toBe('[!] BLOCKED: retry-login - two headers\n');
  expect(log()).toContain(TEXT);
});

test('an agent may not watch: the command is the operator’s', async () => {
  open(true);
  const ran = await here.liza(['watch', '--once'], { as: 'coder-1' });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('liza watch is for the operator, not for coder-1');
});

test.each([
  [[], 'stderr', `2026-03-01T12:00:00Z ${TEXT}\n`],
  [
    ['--json'],
    'stdout',
    `${JSON.stringify({ time: '2026-03-01T12:00:00Z', event: 'raised', name: 'BLOCKED', key: 'BLOCKED:retry-login', level: 'warning', text: TEXT, known: false })}\n`,
  ],
] as const)('it goes on until Ctrl-C, then exits 0: %j', async (options, stream, line) => {
  open(true);
  const over = new AbortController();
  let told = '';
  const tell = (text: string): void => {
    told += text;
    if (told.includes(line)) over.abort();
  };
  const ran = await here.liza(['watch', ...options], { io: { interrupted: over.signal, [stream]: tell } });
  expect(ran.code).toBe(0);
  expect(told).toContain(line);
});
