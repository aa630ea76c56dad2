// The demo: by hand with nothing but the real commands, by itself as `liza demo`, and broken on purpose.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerCommand, answerTo } from '../../../src/rehearsal/demo/human.ts';
import { builtIn, program, shipped } from '../../support/program.ts';
import { repositoryIn, start } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { playCrew } from './crew.ts';

const LONG = 170_000;

test('played by hand it ends with the goal reached, the dead coder’s task done by the other', {
  timeout: LONG,
}, async () => {
  const repo = repositoryIn(temporaryFolder());
  cpSync(shipped('demo/project'), repo.root, { recursive: true });
  start(repo, 'main', {});
  const p = builtIn(repo);
  p.ok(['init', 'Build tally']);
  await playCrew(p, shipped('demo/script.json'), (state) => {
    const answer = answerTo(state);
    if (answer !== undefined) p.ok(answerCommand(answer));
  });
  expect(p.board()['goal']).toMatchObject({ status: 'COMPLETED' });
  expect(p.board().tasks.map(({ status }) => status)).toEqual(Array(6).fill('MERGED'));
  const history = p.task('parse')['history'] as { event: string; agent: string }[];
  expect(new Set(history.filter(({ event }) => event === 'claimed').map(({ agent }) => agent)).size).toBe(2);
  const checkout = join(p.base, 'checkout');
  p.git('worktree', 'add', '-q', checkout, 'integration');
  expect(execFileSync(process.execPath, ['--test'], { cwd: checkout, encoding: 'utf8' })).toContain('# pass 13');
});

const environment = (home: string) => ({ PATH: process.env['PATH'], HOME: home, TMPDIR: home, LANG: 'C.UTF-8' });
const leftIn = (home: string): readonly string[] => readdirSync(home).filter((name) => name.startsWith('liza-demo'));

/** `change`: breaks the script; answers what `liza demo --fast` did with it. */
function demo(change?: (script: string) => string, ...more: string[]) {
  const copy = temporaryFolder();
  cpSync(shipped(), copy, { recursive: true });
  const script = join(copy, 'demo', 'script.json');
  if (change !== undefined) writeFileSync(script, change(readFileSync(script, 'utf8')));
  const made = temporaryFolder();
  const ran = spawnSync(process.execPath, [join(copy, 'dist', 'liza.cjs'), 'demo', '--fast', ...more], {
    encoding: 'utf8',
    env: environment(made),
  });
  return { ...ran, made, left: leftIn(made), running: tagged(made) };
}

/** Processes that still work in the demo's folder. */
const tagged = (folder: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${folder}\0`);
    } catch {
      return false;
    }
  });

test('`liza demo --fast` ends well and leaves nothing', { timeout: LONG }, () => {
  const ran = demo(undefined, '--json');
  expect(ran.status, ran.stderr).toBe(0);
  const { chapters, tests } = JSON.parse(ran.stdout) as { chapters: { happened: boolean }[]; tests: number };
  expect(chapters).toHaveLength(6);
  expect(chapters.filter(({ happened }) => !happened)).toEqual([]);
  expect(tests).toBe(13);
  expect(ran.left).toEqual([]);
  expect(ran.running).toEqual([]);
});

test('what it leaves with --keep is fully verified: a session of a supervisor is behind every step', {
  timeout: LONG,
}, () => {
  const { left, made, stderr } = demo(undefined, '--keep');
  expect(left, stderr).toHaveLength(1);
  const cwd = join(made, left[0] ?? '');
  const project = readdirSync(cwd).includes('.liza') ? cwd : join(cwd, readdirSync(cwd)[0] ?? '');
  const audit = spawnSync(process.execPath, [program(), 'audit', '--json'], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: made },
  });
  const { contradicted, unsupervised, tasks } = JSON.parse(audit.stdout) as {
    contradicted: number;
    unsupervised: number;
    tasks: { facts: { what: string; mark: string }[] }[];
  };
  expect({ status: audit.status, contradicted, unsupervised }).toEqual({ status: 0, contradicted: 0, unsupervised: 0 });
  const facts = tasks.flatMap((one) => one.facts);
  const sessions = facts.filter(({ what }) => / of (coder|code-reviewer)-\d \(rehearsal\) since /.test(what));
  expect(sessions.length).toBeGreaterThanOrEqual(12);
  for (const { what, mark } of sessions) {
    expect(mark).toBe('verified');
    expect(what).toMatch(/, (not confined|confined \(\w+\))$/);
  }
});

test.each([
  [
    'wrong code',
    (script: string) =>
      script.replace(
        '{ "copy": "work/money" },',
        '{ "copy": "work/money" }, { "replace": "src/money.mjs", "find": "/ 100", "by": "/ 10" },',
      ),
    /step 6: node test\/money.test.mjs ended with 1, not 0/,
  ],
  [
    'code without a test',
    (script: string) =>
      script
        .replace('{ "copy": "work/money" },', '{ "write": "src/money.mjs", "text": "export const money = 1;" },')
        .replace('{ "run": ["node", "test/money.test.mjs"] },', ''),
    /a code task without a changed test file/,
  ],
  [
    'no scene for the rejection',
    (script: string) => script.replace('"when": "rejected"', '"when": "handoff"'),
    /no scene for coder, task money, rejected, time 1/,
  ],
])('%s stops it, for that reason', { timeout: LONG }, (_name, change, reason) => {
  const ran = demo(change);
  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(/the demo stopped: coder-\d on money: it exited with 1/);
  expect(ran.stderr).toMatch(reason);
  expect(ran.left).toEqual([]);
  expect(ran.running).toEqual([]);
});

test('Ctrl-C, once or twice, and a reader that goes away leave nothing', { timeout: LONG }, async () => {
  for (const end of ['once', 'twice', 'unread'] as const) {
    const made = temporaryFolder();
    const child = spawn(process.execPath, [program(), 'demo', '--fast'], {
      env: environment(made),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit');
    await new Promise<void>((seen) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => (text.includes('takes it') ? seen() : undefined));
    });
    if (end === 'unread') child.stdout.destroy();
    else child.kill('SIGINT');
    if (end === 'twice') child.kill('SIGINT');
    await ended;
    expect(leftIn(made), end).toEqual([]);
    while (tagged(made).length > 0) await new Promise((look) => setTimeout(look, 50)); // the test's own limit ends this
  }
});
