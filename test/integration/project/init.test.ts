// `liza init` in real repositories: with flags, with a person, and with one who leaves.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Dialogue } from '../../../src/cli/io.ts';
import type { Ran, RunOptions } from '../../support/in-process.ts';
import { type OpenedProject, openProject } from '../../support/project.ts';
import { repository } from '../../support/repository.ts';

let here: OpenedProject;
let root: string;

beforeEach(() => {
  here = openProject(repository({ files: {} }));
  root = here.root;
});

const liza = (argv: readonly string[], io: RunOptions['io'] = {}): Promise<Ran> =>
  here.liza(argv, { cwd: root, env: { PATH: '/usr/bin:/bin' }, io });
const config = async () => (await here.state()).config;
const vision = (): string => here.read('specs/vision.md');
/** Files, branches and what git has been told. */
const everything = (): string =>
  [
    ...readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('.git/')),
    here.git('for-each-ref'),
    here.read('.git/info/exclude'),
  ].join('\n');

describe('without a terminal', () => {
  test('it says that no budget is set and names one limit that can be typed as it is', async () => {
    here.write({ 'specs/vision.md': '# Vision\n' });
    const said = (await liza(['init', 'Greet'])).stdout.replace(/\s+/g, ' ');
    const [, command = ''] = /no budget is set: .*for example: liza (config set budgets\.day\.usd 20)/.exec(said) ?? [];
    expect((await liza(command.split(' '))).code).toBe(0);
    expect((await config()).budgets).toEqual({ day: { usd: 20 } });
    expect((await liza(['run', '--check', '--json'])).stdout).not.toContain('no budget is set');
  });

  test('a missing vision: exit 1, nothing made, and the command it names does it', async () => {
    const before = everything();
    const ran = await liza(['init', "Greet people's pets", '--test', 'npm test']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("the goal's document specs/vision.md is not in this project");
    expect(everything()).toBe(before);
    const command = /template: liza (.*)$/m.exec(ran.stderr)?.[1] ?? '';
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');
    expect(words).toEqual(['init', "Greet people's pets", '--test', 'npm test', '--vision-from-template']);
    const again = await liza(words);
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('next: say in specs/vision.md what is wanted'),
    });
    // Once, and last.
    expect(again.stdout).not.toContain('is not in git');
    expect(again.stdout.trimEnd().split('\n').at(-1)).toBe(
      'next: say in specs/vision.md what is wanted, commit it (git add specs/vision.md && git commit -m "The goal"), then: liza run',
    );
    expect(again.stdout).toContain('specs/vision.md was created from a template\n');
    expect(vision()).toMatch(/^# Vision: Greet people's pets\n/);
    expect(await config()).toMatchObject({ test_command: 'npm test', integration_branch: 'integration' });
  });

  test('code without a file that counts as a test is told, with the setting that names them', async () => {
    const commit = (file: string) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), 'x\n');
      here.git('add', file);
      here.git('commit', '-qm', file);
    };
    const told = async () => (await liza(['init', 'Greet', '--vision-from-template'])).stdout;
    commit('sds.c');
    expect(await told()).toContain('no file here counts as a test');
    for (const key of ['test_patterns', 'tests_in_code']) {
      expect((await liza(['config', 'set', key, 'sds.c'])).code).toBe(0);
      expect(await told()).not.toContain('counts as a test');
      expect((await liza(['config', 'set', key, 'null'])).code).toBe(0);
    }
    commit('tests/a.c');
    expect(await told()).not.toContain('counts as a test');
  });

  test('flags answer every question', async () => {
    const flags = [
      '--spec',
      'docs/a/goal.md#login',
      '--branch',
      'agreed',
      '--provider',
      'codex',
      '--test',
      'make test',
    ];
    const ran = await liza(['init', 'Log in', ...flags, '--vision-from-template']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('Codex is not installed yet: npm install -g @openai/codex');
    expect(existsSync(here.file('docs/a/goal.md'))).toBe(true);
    expect(await config()).toMatchObject({
      integration_branch: 'agreed',
      default_provider: 'codex',
      test_command: 'make test',
    });
  });

  test('the branch that a person has checked out is not the integration branch, nor becomes it; one of an earlier goal may be looked at', async () => {
    const before = everything();
    const fact = `main is checked out in ${root}`;
    const ran = await liza(['init', 'G', '--branch', 'main', '--vision-from-template']);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(fact) });
    expect(everything()).toBe(before);
    await liza(['init', 'G', '--vision-from-template']);
    const set = await liza(['config', 'set', 'integration_branch', 'main']);
    expect(set).toMatchObject({ code: 1, stderr: expect.stringContaining(fact) });
    here.git('worktree', 'add', '-q', '-b', 'side', join(here.base, 'side'));
    expect((await liza(['config', 'set', 'integration_branch', 'side'])).stderr).toContain(join(here.base, 'side'));
    here.git('branch', 'free');
    expect(await liza(['config', 'set', 'integration_branch', 'free'])).toMatchObject({ code: 0 });
    await liza(['config', 'set', 'integration_branch', 'integration']);
    here.git('checkout', '-q', 'integration');
    expect(await liza(['init', 'G'])).toMatchObject({ code: 0 });
  });

  test('the HEAD of a bare repository is nobody’s checkout', async () => {
    here.gitIn(here.base, 'clone', '-q', '--bare', root, join(here.base, 'bare'));
    here.gitIn(join(here.base, 'bare'), 'worktree', 'add', '-q', '-b', 'mine', join(here.base, 'linked'));
    root = join(here.base, 'linked');
    expect(await liza(['init', 'G', '--branch', 'main', '--vision-from-template'])).toMatchObject({ code: 0 });
  });

  test('no setting opens the board, git or the system in the sandbox', async () => {
    await liza(['init', 'G', '--vision-from-template']);
    const ran = await liza(['config', 'set', 'sandbox_write', JSON.stringify(['~/.cache', here.file('.liza')])]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('.liza cannot be opened in the sandbox') });
    expect(await liza(['config', 'set', 'sandbox_write', '["~/.cache"]'])).toMatchObject({ code: 0 });
    expect(await liza(['config', 'set', 'sandbox_read', '["/proc"]'])).toMatchObject({ code: 1 });
  });

  test('a vision that is there stays as it is', async () => {
    here.write({ 'specs/vision.md': 'mine\n' });
    expect(await liza(['init', 'G', '--vision-from-template'])).toMatchObject({ code: 0 });
    expect(vision()).toBe('mine\n');
    expect((await config()).default_provider).toBeUndefined();
  });

  test.each([
    ['nobody knows that provider', ['--provider', 'nobody'], 'there is no provider "nobody"'],
    ['a path out of the project', ['--spec', '../goal.md', '--vision-from-template'], 'no document of the project'],
  ])('%s: refused, nothing made', async (_, flags, sentence) => {
    const before = everything();
    const ran = await liza(['init', 'G', ...flags]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
    expect(everything()).toBe(before);
  });

  test('nothing is written through a link', async () => {
    const outside = join(here.base, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, here.file('specs'));
    const ran = await liza(['init', 'G', '--vision-from-template']);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('specs is in the way') });
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(here.file('.liza'))).toBe(false);
  });

  test('again with other settings: they stay, and the command that changes them is named', async () => {
    await liza(['init', 'G', '--vision-from-template']);
    const again = await liza(['init', 'G', '--test', 'make all test']);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('already done') });
    expect(again.stdout).toContain("liza config set test_command 'make all test'");
    expect((await config()).test_command).toBeNull();
  });
});

describe('with a person', () => {
  const answering = (answers: readonly string[]) => {
    const asked: string[] = [];
    const left = [...answers];
    const dialogue: Dialogue = {
      say: () => {},
      ask: async (question) => {
        asked.push(question);
        return left.shift();
      },
      close: () => {},
    };
    return { asked, io: { openDialogue: async () => dialogue } };
  };

  test('five answers make a project', async () => {
    const { io } = answering(['Greet', '', '', 'agreed', 'npm run check']);
    expect(await liza(['init'], io)).toMatchObject({ code: 0 });
    expect(vision()).toMatch(/^# Vision: Greet\n/);
    expect(await config()).toMatchObject({ integration_branch: 'agreed', test_command: 'npm run check' });
    expect(here.git('branch', '--list', 'agreed')).toContain('agreed');
  });

  test.each([0, 1, 2, 3, 4])('leaving after %i answers makes nothing', async (many) => {
    const before = everything();
    const { io } = answering(['Greet', '', '', ''].slice(0, many));
    const ran = await liza(['init'], io);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('cancelled; nothing was changed') });
    expect(everything()).toBe(before);
  });

  test('without the template it names the command for later', async () => {
    const before = everything();
    const { io } = answering(['', 'no', '', '']);
    const ran = await liza(['init', 'G'], io);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('liza init G --vision-from-template') });
    expect(everything()).toBe(before);
  });

  test.each([['--yes'], ['--json']])('%s asks nothing', async (flag) => {
    const { io, asked } = answering([]);
    expect((await liza(['init', 'G', '--vision-from-template', flag], io)).code).toBe(0);
    expect(asked).toEqual([]);
  });

  test('a lock file that is in git: without a terminal its set-up is told, and --setup takes another one', async () => {
    const lock = JSON.stringify({ packages: { '': {}, 'node_modules/words': {} } });
    here.commit({ 'package-lock.json': lock });
    const told = await liza(['init', 'First', '--vision-from-template']);
    expect(told.stdout).toContain("liza config set post_worktree_cmd 'npm ci'");
    expect(await config()).toMatchObject({ post_worktree_cmd: null });
    await liza(['abort']);
    await liza(['init', 'Second', '--setup', 'make deps']);
    expect(await config()).toMatchObject({ post_worktree_cmd: 'make deps' });
  });

  test('--yes takes the set-up of a lock file, and says so', async () => {
    here.commit({ 'package-lock.json': JSON.stringify({ packages: { '': {}, 'node_modules/words': {} } }) });
    const ran = await liza(['init', 'First', '--yes']);
    expect(ran.stdout).toContain('set-up npm ci');
    expect(await config()).toMatchObject({ post_worktree_cmd: 'npm ci' });
  });

  test.each([
    ['yes', /^~\/\.npmrc is shown to set-up alone \(npm ci\); agents never see it$/m, ['~/.npmrc']],
    [
      '',
      /^first: npm ci will fail without the login in ~\/\.npmrc \(npm @acme: npm\.acme\.example\); .*setup_read.*\nnext: /m,
      undefined,
    ],
  ])(
    'a private registry that the lock file needs: %j is told at the end, with what follows',
    async (answer, line, read) => {
      const packages = { '': {}, 'node_modules/@acme/hidden': { version: '1.0.0' } };
      here.commit({ 'package.json': '{}', 'package-lock.json': JSON.stringify({ packages }) });
      const login = '@acme:registry=https://npm.acme.example/\n//npm.acme.example/:_authToken=s3cr3t\n';
      writeFileSync(join(here.base, '.npmrc'), login);
      const { io, asked } = answering(['', '', '', '', '', answer]);
      const env = { PATH: '/usr/bin:/bin', HOME: here.base };
      const ran = await here.liza(['init', 'First', '--provider', 'claude'], { cwd: root, env, io });
      expect(asked.at(-1)).toContain('May npm ci read ~/.npmrc? It will fail without it');
      expect(ran.stdout).toMatch(line);
      expect((await config()).setup_read).toEqual(read);
    },
  );

  test('a branch that is checked out is asked for again at once', async () => {
    const { io, asked } = answering(['', '', 'main', 'work', '', '']);
    expect((await here.liza(['init', 'First'], { cwd: root, io })).code).toBe(0);
    expect(asked.filter((one) => one.startsWith('Branch for approved work'))).toHaveLength(2);
    expect((await config()).integration_branch).toBe('work');
  });

  test('the next goal: --yes brings in what main has gained; without it that is told', async () => {
    await liza(['init', 'First', '--vision-from-template']);
    expect((await config()).base_branch).toBe('main');
    const gone = (file: string) => here.commit({ [file]: 'x\n' });
    gone('one.txt');
    await liza(['abort']);
    expect((await liza(['init', 'Second'])).stdout).toContain('main has 1 commit that integration lacks: liza sync');
    await liza(['abort']);
    // It has tests now, and no command was set: --yes takes what would be asked for.
    here.commit({ Makefile: 'test:\n\ttrue\n' });
    const ran = await liza(['init', 'Third', '--yes']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('main is merged into integration') });
    expect(ran.stdout).toContain('defaults used: document specs/vision.md; tests make test\n');
    expect(ran.stdout).toContain('tests green on the result');
    expect((await config()).test_command).toBe('make test');
    expect(here.head()).toBe(here.head('main'));
    // A sync that is refused does not keep the goal from being opened.
    here.git('branch', '-f', 'integration', here.head('main~1'));
    await liza(['abort']);
    gone('two.txt');
    const moved = await liza(['init', 'Fourth', '--yes']);
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining('was moved outside Liza') });
    expect((await here.state()).goal.description).toBe('Fourth');
  });

  test('a goal under way is told before anything is asked; the next goal asks for itself only', async () => {
    await liza(['init', 'First', '--vision-from-template', '--test', 'make test']);
    const early = answering([]);
    expect(await liza(['init'], early.io)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('works on "First"'),
    });
    expect(early.asked).toEqual([]);
    await liza(['abort']);
    await liza(['config', 'set', 'default_provider', 'player']);
    const { io, asked } = answering(['Second', '']);
    const ran = await liza(['init'], io);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('new goal: Second') });
    expect(ran.stdout).not.toContain('no agent CLI');
    expect(asked).toHaveLength(2);
    expect((await config()).test_command).toBe('make test');
  });

  test('the next goal: that its document is the last one’s is said, and how to name another', async () => {
    await liza(['init', 'First', '--vision-from-template']);
    await liza(['abort']);
    const told = /specs\/vision\.md describes the last goal: .*liza goal edit --spec/;
    const second = (await liza(['init', 'Second', '--yes'])).stdout;
    expect(second).toMatch(told);
    expect(second).toMatch(
      /\nnext: say in specs\/vision\.md what is wanted now, commit it \(git add specs\/vision\.md && git commit -m "The goal"\), then: liza run\n$/,
    );
    await liza(['abort']);
    here.write({ 'docs/third.md': '# Third\n' });
    expect((await liza(['init', 'Third', '--spec', 'docs/third.md'])).stdout).not.toContain('describes the last goal');
  });
});
