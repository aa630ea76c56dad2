// The demo: by hand with nothing but the real commands, by itself as `liza demo`, and broken on purpose.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerCommand, answerTo } from '../../../src/rehearsal/demo/human.ts';
import { inFull } from '../../runs.ts';
import { builtIn, program, shipped } from '../../support/program.ts';
import { repositoryIn, start } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { playCrew } from './crew.ts';

const LONG = 170_000;

test.runIf(inFull)(
  'played by hand (in test:all) it ends with the goal reached, the dead coder’s task done by the other',
  {
    timeout: LONG,
  },
  async () => {
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
    expect(p.board().tasks.map(({ status }) => status)).toEqual(Array(7).fill('MERGED'));
    const history = p.task('parse')['history'] as { event: string; agent: string }[];
    expect(new Set(history.filter(({ event }) => event === 'claimed').map(({ agent }) => agent)).size).toBe(2);
    const checkout = join(p.base, 'checkout');
    p.git('worktree', 'add', '-q', checkout, 'integration');
    expect(execFileSync(process.execPath, ['--test'], { cwd: checkout, encoding: 'utf8' })).toContain('# pass 15');
  },
);

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

test.runIf(inFull)(
  '`liza demo --fast --json --remove` (in test:all) ends well and leaves nothing',
  { timeout: LONG },
  () => {
    const ran = demo(undefined, '--json', '--remove');
    expect(ran.status, ran.stderr).toBe(0);
    const { chapters, tests } = JSON.parse(ran.stdout) as { chapters: { happened: boolean }[]; tests: number };
    expect(chapters).toHaveLength(7);
    expect(chapters.filter(({ happened }) => !happened)).toEqual([]);
    expect(tests).toBe(15);
    expect(ran.left).toEqual([]);
    expect(ran.running).toEqual([]);
  },
);

const BROKEN: readonly (readonly [name: string, change: (script: string) => string, reason: RegExp])[] = [
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
];

function stops(_name: string, change: (script: string) => string, reason: RegExp): void {
  const ran = demo(change, '--remove');
  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(/the demo stopped: coder-\d on money: it exited with 1/);
  expect(ran.stderr).toMatch(reason);
  expect(ran.left).toEqual([]);
  expect(ran.running).toEqual([]);
}

test.runIf(inFull).each(BROKEN)('%s (in test:all) stops it, for that reason', { timeout: LONG }, stops);

async function leavesNothing(end: string): Promise<void> {
  const made = temporaryFolder();
  const child = spawn(process.execPath, [program(), 'demo', '--fast'], {
    env: environment(made),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  await new Promise<void>((seen) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => (text.includes('takes it') ? seen() : undefined));
  });
  if (end === 'a reader that goes away') child.stdout.destroy();
  else child.kill('SIGINT');
  if (end === 'Ctrl-C twice') child.kill('SIGINT');
  await ended;
  expect(leftIn(made)).toEqual([]);
  while (tagged(made).length > 0) await new Promise((again) => setTimeout(again, 50)); // the test's own limit ends this
}

test('Ctrl-C leaves nothing', { timeout: LONG }, () => leavesNothing('Ctrl-C'));
test.runIf(inFull).each(['Ctrl-C twice', 'a reader that goes away'])(
  '%s (in test:all) leaves nothing',
  { timeout: LONG },
  leavesNothing,
);

const STAYS = 'The repository of this demo stays';

/**
 * What the demo's last lines suggest: the lines to type first in its repository and to install Liza, and the commands, each
 * with what it is for.
 */
function suggestions(output: string) {
  const [inDemo = '', inOwn = ''] = output.slice(output.indexOf(STAYS)).split('Install Liza:');
  const first = (lines: string): string => (lines.match(/^ {2}(?!.*\S {2}).*$/gm) ?? []).join('\n');
  const rows = [...`${inDemo}${inOwn}`.matchAll(/^ {2}(\S.*?) {2,}(\S.*)$/gm)].map(
    ([, about = '', line = '']) => [about, line] as const,
  );
  return { enter: first(inDemo), install: first(inOwn), rows };
}

test.runIf(inFull)(
  'it ends on the account of a commit, and what it suggests works as printed, in odd places (in test:all)',
  { timeout: LONG },
  () => {
    // A blank and a quote in every path, and no `liza` on PATH.
    const copy = join(temporaryFolder(), "it's here");
    cpSync(shipped(), copy, { recursive: true });
    const made = join(temporaryFolder(), "tmp o'mine");
    mkdirSync(made);
    const elsewhere = temporaryFolder();
    const env = environment(made);
    const ran = spawnSync(process.execPath, [join(copy, 'dist', 'liza.cjs'), 'demo', '--fast'], {
      encoding: 'utf8',
      env,
    });
    // It fails by itself where one of its chapters did not happen.
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('# pass 15');
    expect(tagged(made)).toEqual([]);
    const type = (line: string): string => {
      // Whatever it types, nothing is installed outside of the test's own folder.
      const own = { ...env, npm_config_prefix: join(made, 'prefix') };
      const typed = spawnSync('sh', ['-c', line], { cwd: elsewhere, encoding: 'utf8', env: own });
      expect(typed.status, `${line}\n${typed.stderr}`).toBe(0);
      return typed.stdout;
    };

    const account = ran.stdout.slice(ran.stdout.indexOf(' blame '), ran.stdout.indexOf(STAYS));
    for (const said of [
      /^planned by +planner-1$/m,
      /^author +coder-\d$/m,
      /rejected by code-reviewer-1 at \S+:\s+src\/money\.mjs:4\s+a\s+refund\s+of\s+less\s+than\s+one\s+loses\s+its\s+sign/,
      /approved by code-reviewer-1/,
      /test\s+test\/money\.test\.mjs\s+›\s+a\s+refund\s+of\s+less\s+than\s+one/,
      /^run by Liza +green/m,
    ])
      expect(account).toMatch(said);

    const { enter, install, rows } = suggestions(ran.stdout);
    expect(rows.map(([about]) => about)).toEqual([
      ...['the board', 'who did what', 'one task', 'what is proven', 'what was merged', 'remove it'],
      ...['state a goal', 'say what you want', 'keep it in git', 'let agents work', 'take the result'],
    ]);
    expect(ran.stdout.slice(ran.stdout.indexOf(STAYS)).trimEnd().split('\n').length).toBeLessThan(20);
    // Nothing is installed yet: no line of its repository calls what the shell does not find.
    expect(
      ran.stdout.slice(ran.stdout.indexOf(STAYS), ran.stdout.indexOf('Install Liza')).match(/(?<!\S)liza /),
    ).toBeNull();
    const lineFor = (about: string): string => rows.find(([name]) => name === about)?.[1] ?? '';
    for (const about of ['the board', 'who did what', 'one task', 'what was merged'])
      expect(type(`${enter}\n${lineFor(about)}`)).not.toBe('');
    isFullyVerified(type(`${enter}\n${lineFor('what is proven')} --json`));
    // No agent CLI that costs is started there.
    const config = lineFor('the board').replace('status --all', 'config get default_provider');
    expect(type(`${enter}\n${config}`)).toBe('rehearsal\n');
    type(`${enter}\n${lineFor('remove it')}`);
    expect(leftIn(made)).toEqual([]);

    // For a repository of the reader's own: installed as it says, the same program is found there.
    type(install.replace(/ -g (--prefix \S+ )?/, ' -g --offline --prefix ~/.local '));
    const installed = 'PATH="$HOME/.local/bin:$PATH"';
    for (const about of ['let agents work', 'take the result']) type(`${installed}\n${lineFor(about)} --help`);
    const own = join(elsewhere, 'own');
    const person = 'git config user.name Ada && git config user.email ada@example.org';
    type(`git init -q -b main ${own} && cd ${own} && ${person} && git commit -q --allow-empty -m first`);
    type(`${installed}\ncd ${own} && ${lineFor('state a goal')} "Greet people" --vision-from-template`);
    type(`cd ${own} && EDITOR=true && ${lineFor('say what you want')} && ${lineFor('keep it in git')}`);
    expect(type(`cd ${own} && git ls-files`)).toBe('specs/vision.md\n');
  },
);

/** A session of a supervisor is behind every step. */
function isFullyVerified(audit: string): void {
  const { contradicted, unsupervised, tasks } = JSON.parse(audit) as {
    contradicted: number;
    unsupervised: number;
    tasks: { facts: { what: string; mark: string }[] }[];
  };
  expect({ contradicted, unsupervised }).toEqual({ contradicted: 0, unsupervised: 0 });
  const facts = tasks.flatMap((one) => one.facts);
  const sessions = facts.filter(({ what }) => / of (coder|code-reviewer)-\d \(rehearsal\) since /.test(what));
  expect(sessions.length).toBeGreaterThanOrEqual(12);
  for (const { what, mark } of sessions) {
    expect(mark).toBe('verified');
    expect(what).toMatch(/, (not confined|confined \(\w+\))$/);
  }
}

test('on a terminal it shows the live board; q asks, says what it does, and ends it with nothing left', {
  timeout: LONG,
}, async () => {
  const made = temporaryFolder();
  const line = `'${process.execPath}' '${program()}' demo`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...environment(made), TERM: 'xterm', LANG: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  let shown = '';
  let look = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    look();
  });
  const seen = (...words: readonly string[]): Promise<void> =>
    new Promise((done) => {
      look = () => words.every((word) => shown.includes(word)) && done();
      look();
    });
  await seen('q stop', 'coder-1');
  child.stdin.write('q');
  await seen('End the demo?');
  child.stdin.write('y');
  await seen('Stopping: agents are ended');
  const [status] = (await ended) as [number];
  expect(shown).toContain('A command that adds up a household’s ledger');
  expect(status).toBe(1);
  expect(shown.replace(/\s+/g, ' ')).toMatch(/nothing of it is left; start it again: \S*node \S+liza\.cjs demo /);
  expect(leftIn(made)).toEqual([]);
  while (tagged(made).length > 0) await new Promise((again) => setTimeout(again, 50)); // the test's own limit ends this
});
