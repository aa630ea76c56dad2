// `liza report` as it is typed: where it goes, what it never overwrites.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { aClaim, agents, aTask, type Project, project } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({ agents: agents({ coder: 'live' }), tasks: [aClaim('live'), aTask('next')] });
});

const read = (...path: readonly string[]) => readFileSync(here.file(...path), 'utf8');

test('it is written beside the board, and replaces the one before', async () => {
  const before = await here.state();
  const ran = await here.liza(['report']);
  expect(ran).toMatchObject({ code: 0, stdout: 'wrote .liza/report.html\n', stderr: '' });
  expect(read('.liza', 'report.html')).toMatch(/^<!doctype html>[\s\S]*Retry all API calls[\s\S]*<\/html>\n$/);
  const again = await here.liza(['report', '--json']);
  expect(again.json).toMatchObject({ ok: true, file: '.liza/report.html', format: 'html' });
  expect(await here.state()).toBe(before);
});

test('--out names a file, from where one stands; - prints', async () => {
  mkdirSync(here.file('deep'));
  const ran = await here.liza(['report', '--out', 'goal.html'], { cwd: here.file('deep') });
  expect(ran.stdout).toBe('wrote deep/goal.html\n');
  const printed = await here.liza(['report', '--out', '-'], { io: { unicode: false } });
  expect(printed.stdout).toBe(read('deep', 'goal.html'));
  expect(existsSync(here.file('.liza', 'report.html'))).toBe(false);
});

test('Markdown is printed, or written with --out', async () => {
  const ran = await here.liza(['report', '--md']);
  expect(ran.stdout).toMatch(/^<!-- liza report -->\n# Retry all API calls\n[\s\S]*\| live \| CLAIMED \|/);
  await here.liza(['report', '--md', '--out', 'goal.md']);
  expect(read('goal.md')).toBe(ran.stdout);
  await here.liza(['note', 'Grüße, 世界']);
  const folded = await here.liza(['report', '--md'], { io: { unicode: false } });
  expect(folded.stdout).toContain('Grüße, 世界');
  expect((await here.liza(['report', '--md'], { io: { unicode: false, stdoutIsTty: true } })).stdout).toMatch(
    /^[\x00-\x7f]+$/,
  );
  expect((await here.liza(['report', '--md', '--out', 'goal.md'])).code).toBe(0);
  expect((await here.liza(['report', '--md', '--json'])).json).toMatchObject({
    ok: true,
    format: 'md',
    report: folded.stdout,
  });
});

test('a file that is no report is left alone, unless --force', async () => {
  writeFileSync(here.file('index.html'), '<!doctype html>mine');
  const ran = await here.liza(['report', '--out', 'index.html']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/index\.html is there and is no report[\s\S]*--force/);
  expect(read('index.html')).toBe('<!doctype html>mine');
  expect((await here.liza(['report', '--out', 'index.html', '--force'])).code).toBe(0);
  expect(read('index.html')).toContain('liza report');
});

test('what can be no file, or is not for it, is refused', async () => {
  for (const [out, why] of [
    ['specs', /not a regular file/],
    ['/dev/null', /not a regular file/],
    ['missing/report.html', /no folder missing/],
    ['x/'.repeat(3000), /cannot be a file/],
    ['specs/auth.md/x', /no folder specs.auth\.md/],
    ['x'.repeat(300), /too long/],
    ['a\0b', /cannot be a file/],
    ['', /does not name a file/],
    ['.liza/state.yaml', /own files/],
    ['.liza/ABORT', /own files/],
    ['.liza', /own files/],
  ] as const) {
    const ran = await here.liza(['report', '--force', `--out=${out}`]);
    expect(ran.code, out).toBe(1);
    expect(ran.stderr).toMatch(why);
    expect(ran.stderr).not.toContain('should not have happened');
  }
});

test('a name in .md asks for Markdown, and no format is written over the other', async () => {
  expect((await here.liza(['report', '--out', 'goal.md'])).code).toBe(0);
  const before = read('goal.md');
  expect(before).not.toContain('<html');
  expect((await here.liza(['report', '--out', 'goal.md'])).code).toBe(0);
  await here.liza(['report', '--out', 'goal.txt', '--md']);
  const other = await here.liza(['report', '--out', 'goal.txt']);
  expect(other.code).toBe(1);
  expect(other.stderr).toContain('is a report in Markdown');
  expect((await here.liza(['report', '--out', 'goal.txt', '--force'])).code).toBe(0);
});

test('a link is replaced, never followed', async () => {
  writeFileSync(here.file('mine.txt'), 'mine');
  symlinkSync(here.file('mine.txt'), here.file('.liza', 'report.html'));
  expect((await here.liza(['report'])).code).toBe(1);
  await here.liza(['report', '--force']);
  expect(read('mine.txt')).toBe('mine');
  expect(readdirSync(here.file('.liza')).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('secrets of the environment do not leave it', async () => {
  await here.liza(['note', 'x']);
  const env = { MY_API_KEY: 'horse-staple-42' };
  await here.liza(['spec-change', 'specs/auth.md', 'the key is horse-staple-42'], { env });
  expect((await here.liza(['report', '--md'], { env })).stdout).not.toContain('horse-staple-42');
});

test('an agent may look, too', async () => {
  expect((await here.liza(['report', '--md'], { as: 'coder-1' })).code).toBe(0);
});
