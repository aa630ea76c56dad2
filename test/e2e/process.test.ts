// The program as it is shipped, started as a process: what no run in this process can show.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type BuiltProject, builtIn, builtProject, program, shipped } from '../support/program.ts';
import { repository } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let p: BuiltProject;
beforeAll(() => {
  p = builtIn(repository());
  program();
}, 60_000);

test('exit codes and streams are those of the process', () => {
  expect(p.liza(['version'])).toMatchObject({ code: 0, stderr: '' });
  expect(p.liza(['statsu'])).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: 'liza: there is no command "statsu"\n  → did you mean: liza status\n',
  });
});

test('only a command that succeeded leaves a code cache, under its own name', () => {
  // A program of its own: the other tests leave caches beside the one they share.
  const own = temporaryFolder();
  cpSync(shipped(), own, { recursive: true });
  const code = (...argv: readonly string[]) =>
    spawnSync(process.execPath, [join(own, 'dist/liza.cjs'), ...argv], { cwd: p.root, env: p.env }).status;
  const caches = () => readdirSync(join(own, 'dist')).filter((name) => name.endsWith('.cache'));
  for (const name of caches()) if (name.includes('completion')) rmSync(join(own, 'dist', name));
  const before = caches();
  for (const word of ['nonsense', '../evil', 'evil/../../evil', 'non_sense', '.']) expect(code(word)).toBe(1);
  expect(code('completion', 'tcsh')).toBe(1);
  expect(caches()).toEqual(before);
  expect(code('completion', 'bash')).toBe(0);
  const made = caches().filter((name) => !before.includes(name));
  expect(made.map((name) => name.split('-').toSpliced(1, 1).slice(0, 2))).toEqual([
    ['main', 'completion'],
    ['program', 'completion'],
    ['rest', 'completion'],
  ]);
});

test('show needs main.cjs alone on a board as init makes it, and a change of the board no rest.cjs', () => {
  const own = temporaryFolder();
  cpSync(shipped(), own, { recursive: true });
  const board = builtProject();
  board.ok([
    'add-task',
    '--id',
    'first',
    '--desc',
    'x',
    '--spec',
    'specs/vision.md',
    '--done',
    'y',
    '--scope',
    'IN: a',
  ]);
  board.ok(['show', 'first']);
  const run = (...argv: readonly string[]) =>
    spawnSync(process.execPath, [join(own, 'dist/liza.cjs'), ...argv], {
      cwd: board.root,
      env: board.env,
      encoding: 'utf8',
    });
  const without = (...names: readonly string[]) => {
    for (const name of names) rmSync(join(own, 'dist', name));
  };
  without('program.cjs', 'rest.cjs', 'yaml.cjs', 'diff.cjs', 'acp.cjs', 'pg.cjs');
  const ageless = (shown: string): string => shown.replace(/\d+s ago/, '');
  const { status, stdout, stderr } = run('show', 'first');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(ageless(stdout)).toBe(ageless(board.ok(['show', 'first']).stdout));
  expect(run('show', 'first', '--json')).toMatchObject({ status: 0, stderr: '' });
  // Nor does it load more of node: streams alone take as long as all of main.cjs.
  const probe = join(own, 'probe.cjs');
  const list = 'process.moduleLoadList.filter((name) => /fs.streams|node:stream|perf_hooks|crypto$/.test(name)).join()';
  writeFileSync(probe, `process.on('exit', () => require('node:fs').writeSync(2, ${list}));`);
  const argv = ['--require', probe, join(own, 'dist/liza.cjs'), 'show', 'first'];
  const loading = spawnSync(process.execPath, argv, { cwd: board.root, env: board.env, encoding: 'utf8' });
  expect(loading).toMatchObject({ status: 0, stderr: '' });
  cpSync(shipped('dist/program.cjs'), join(own, 'dist/program.cjs'));
  expect(run('note', 'look at the first')).toMatchObject({ status: 0, stderr: '' });
});

test('outside a UTF-8 locale the output is ASCII', () => {
  expect(p.liza(['statsu'], { env: { LANG: 'C' } }).stderr).toContain('  -> did you mean');
  expect(p.liza(['statsu'], { env: { LANG: 'C', LC_ALL: 'en_US.utf8' } }).stderr).toContain('  → did you mean');
});

test('a reader that goes away is not an error', () => {
  const script = `set -o pipefail; "$0" "$1" help --all | true; echo "\${PIPESTATUS[0]}"`;
  const ran = spawnSync('bash', ['-c', script, process.execPath, program()], { encoding: 'utf8', cwd: p.base });
  expect(ran.stderr).toBe('');
  expect(ran.stdout).toBe('0\n');
});

test('a refusal whose reader has gone away still ends with its exit code', () => {
  // The reader has ended for certain before the first byte is written.
  const script = `exec 3> >(:); wait $!; "$0" "$1" statsu >&3 2>&3; echo "$?"`;
  const ran = spawnSync('bash', ['-c', script, process.execPath, program()], { encoding: 'utf8', cwd: p.base });
  expect(ran).toMatchObject({ stdout: '1\n', stderr: '' });
});

test.each(['a pipe', 'a pipe that does not block'])('output of megabytes arrives whole through %s', async (kind) => {
  const folder = join(p.base, 'long');
  mkdirSync(join(folder, '.liza'), { recursive: true });
  writeFileSync(join(folder, '.liza', 'state.yaml.lock'), '');
  const entry = (n: number) =>
    `- timestamp: "2026-03-01T12:00:00Z"\n  agent: human\n  action: note\n  detail: number ${n}\n`;
  writeFileSync(join(folder, '.liza', 'log.yaml'), Array.from({ length: 40_000 }, (_, n) => entry(n)).join(''));
  // Perl sets O_NONBLOCK on the very pipe that liza then inherits, as some parents do.
  const unblock = 'use Fcntl; fcntl(STDOUT, F_SETFL, O_NONBLOCK | fcntl(STDOUT, F_GETFL, 0)) or die; exec @ARGV';
  const start = kind === 'a pipe' ? '' : `perl -e '${unblock}' `;
  const script = `${start}"$0" "$1" log -n 40000 | { sleep 0.3; cat; }`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, program()], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toHaveLength(40_000);
  expect(stdout).toMatch(/number 39999\n$/);
});

test('a goal, a task and a note from stdin, through the files of a real project', () => {
  expect(p.liza(['init', 'Retry', 'everything'])).toMatchObject({ code: 0 });
  const task = [
    '--desc',
    'x',
    '--spec',
    'specs/vision.md',
    '--done',
    'the first test passes',
    '--scope',
    'IN: src',
    '--validate',
    'test -d .',
  ];
  expect(p.liza(['add-task', '--id', 'first', ...task, '--ready'])).toMatchObject({ code: 0, stderr: '' });
  expect(p.liza(['note', '-', '--for', 'first'], { input: 'mind the 429\n' })).toMatchObject({ code: 0, stderr: '' });
  const shown = p.liza(['show', 'first', '--json'], { cwd: p.file('specs') });
  expect(JSON.parse(shown.stdout)).toMatchObject({ ok: true, task: { id: 'first', status: 'UNCLAIMED' } });
  expect(p.liza(['log', '-n', '1']).stdout).toMatch(/ {2}human {2}note first: .*mind the 429\n$/);
  expect(p.liza(['status']).stdout).toContain('Retry everything');
});

test.runIf(existsSync('/proc/self/fd'))('no program gets descriptors that were open where liza was started', () => {
  const p = builtProject();
  const none = 'for n in 9 19 200; do [ ! -e /proc/self/fd/$n ] || exit 1; done';
  p.ok(['config', 'set', 'test_command', none]);
  const started = 'exec 9<. 19</dev/null 200<.; exec "$0" "$1" run --check --agent player --json';
  // bash: others know no descriptor above 9.
  const ran = spawnSync('bash', ['-c', started, process.execPath, program()], { cwd: p.root, env: p.env });
  const { checks } = JSON.parse(ran.stdout.toString()) as { checks: { check: string; level: string }[] };
  expect(checks.find(({ check }) => check === 'tests')).toMatchObject({ level: 'ok' });
});
