import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// The program as it is shipped, started as a process: what no in-process run can show.
const home = temporaryFolder();
const bundle = join(home, 'dist', 'liza.cjs');
const project = join(home, 'project');

beforeAll(() => {
  const env = { ...process.env, LIZA_DIST: join(home, 'dist') };
  execFileSync(process.execPath, [resolve(import.meta.dirname, '../../../tools/build.mjs')], { env });
  mkdirSync(join(project, 'specs'), { recursive: true });
  writeFileSync(join(project, 'specs', 'vision.md'), '# Vision\n');
  execFileSync('git', ['init', '-q'], { cwd: project });
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'x', '--allow-empty'], {
    cwd: project,
  });
}, 60_000);

function liza(argv: readonly string[], options: { input?: string; env?: Record<string, string>; cwd?: string } = {}) {
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...options.env };
  const ran = spawnSync(process.execPath, [bundle, ...argv], {
    cwd: options.cwd ?? project,
    encoding: 'utf8',
    ...options,
    env,
  });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

test('exit codes and streams are those of the process', () => {
  expect(liza(['version'])).toMatchObject({ code: 0, stderr: '' });
  expect(liza(['statsu'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'liza: there is no command "statsu"\n  → did you mean: liza status\n',
  });
});

test('the locale decides between signs and ASCII', () => {
  expect(liza(['statsu'], { env: { LANG: 'C' } }).stderr).toContain('  -> did you mean');
  expect(liza(['statsu'], { env: { LANG: 'C', LC_ALL: 'en_US.utf8' } }).stderr).toContain('  → did you mean');
});

test('a reader that goes away is not an error', () => {
  const script = `set -o pipefail; "$0" "$1" help --all | true; echo "\${PIPESTATUS[0]}"`;
  const ran = spawnSync('bash', ['-c', script, process.execPath, bundle], { encoding: 'utf8', cwd: home });
  expect(ran.stderr).toBe('');
  expect(ran.stdout).toBe('0\n');
});

test('a refusal that nobody hears is a refusal all the same', () => {
  // The reader has ended for certain before the first byte is written.
  const script = `exec 3> >(:); wait $!; "$0" "$1" statsu >&3 2>&3; echo "$?"`;
  const ran = spawnSync('bash', ['-c', script, process.execPath, bundle], { encoding: 'utf8', cwd: home });
  expect(ran).toMatchObject({ stdout: '1\n', stderr: '' });
});

test.each(['a pipe', 'a pipe that does not block'])('output of megabytes arrives whole through %s', async (kind) => {
  const folder = join(home, 'long');
  mkdirSync(join(folder, '.liza'), { recursive: true });
  writeFileSync(join(folder, '.liza', 'state.yaml.lock'), '');
  const entry = (n: number) =>
    `- timestamp: "2026-03-01T12:00:00Z"\n  agent: human\n  action: note\n  detail: number ${n}\n`;
  writeFileSync(join(folder, '.liza', 'log.yaml'), Array.from({ length: 40_000 }, (_, n) => entry(n)).join(''));
  // Perl sets O_NONBLOCK on the very pipe that liza then inherits, as some parents do.
  const unblock = 'use Fcntl; fcntl(STDOUT, F_SETFL, O_NONBLOCK | fcntl(STDOUT, F_GETFL, 0)) or die; exec @ARGV';
  const start = kind === 'a pipe' ? '' : `perl -e '${unblock}' `;
  const script = `${start}"$0" "$1" log -n 40000 | { sleep 0.3; cat; }`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, bundle], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toHaveLength(40_000);
  expect(stdout).toMatch(/number 39999\n$/);
});

test('a goal, a task and a note from stdin, through the files of a real project', () => {
  expect(liza(['init', 'Retry', 'everything'])).toMatchObject({ code: 0 });
  const task = ['--desc', 'x', '--spec', 'specs/vision.md', '--done', 'x', '--scope', 'IN: src', '--validate', 'true'];
  expect(liza(['add-task', '--id', 'first', ...task, '--ready'])).toMatchObject({ code: 0, stderr: '' });
  expect(liza(['note', '-', '--for', 'first'], { input: 'mind the 429\n' })).toMatchObject({ code: 0, stderr: '' });
  const shown = liza(['show', 'first', '--json'], { cwd: join(project, 'specs') });
  expect(JSON.parse(shown.stdout)).toMatchObject({ ok: true, task: { id: 'first', status: 'UNCLAIMED' } });
  expect(liza(['log', '-n', '1']).stdout).toMatch(/ {2}human {2}note: .*\n$/);
  expect(liza(['status']).stdout).toContain('Retry everything');
});
