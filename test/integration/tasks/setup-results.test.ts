// Results of set-up in real bubblewrap: what decides whether one is used again, what a killed maker leaves, who makes it
// when two need it at once, and which are kept.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeClone } from '../../../src/git/clone.ts';
import { openGitDir } from '../../../src/git/integration.ts';
import { isRefusal } from '../../../src/protocol/decision.ts';
import { type Settings, settings } from '../../../src/protocol/state.ts';
import { runConfined, sandboxSupportOf, setupResultsOf } from '../../../src/sandbox/mode.ts';
import type { TaskContext } from '../../../src/tasks/context.ts';
import { prepareFolder } from '../../../src/tasks/prepare-checkout.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { reuseSetup } from '../../../src/tasks/setup-results.ts';
import type { SetupRuns } from '../../../src/tasks/setup-runs.ts';
import { hostAt } from '../../host.ts';
import { inFull } from '../../runs.ts';
import type { Contents } from '../../support/core.mjs';
import { type Project, project } from '../../support/project.ts';
import { startRegistry } from '../../support/registry.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;

let p: Project;
let home: string;
let counted: string;

function open(files: Contents = {}): void {
  p = project({ files: { 'deps.txt': 'one\n', ...files } });
  home = path.join(p.base, 'home');
  counted = path.join(p.base, 'counted');
  for (const folder of [home, counted]) fs.mkdirSync(folder, { recursive: true });
}
beforeEach(() => open());

function context(): TaskContext {
  const clean = Object.entries(process.env).filter(([name]) => !/^(npm_|xdg_|node_extra)/i.test(name));
  const env = { ...Object.fromEntries(clean), ...p.env, HOME: home };
  return p.as(undefined, { env, sandboxSupport: sandboxSupportOf(hostAt(Date.now, env), []) });
}

type Changes = Partial<Settings>;

/** Writes how often it ran, and makes one file. */
const install = (): string => `echo run >> ${counted}/runs; mkdir -p made; cat deps.txt > made/deps`;
const runs = (): number => {
  const file = path.join(counted, 'runs');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};
const kept = (): readonly string[] => {
  const all = setupResultsOf(context());
  return fs.existsSync(all) ? fs.readdirSync(all).sort() : [];
};

let checkouts = 0;
let said: string[] = [];
let again: string[] = [];
/** A fresh checkout of a branch, set up; where it is. */
async function checkout(changes: Changes = {}, branch = 'integration') {
  checkouts += 1;
  const name = `.merge-t-${String(checkouts).padStart(8, '0')}`;
  said = [];
  again = [];
  const started = { text: '', end: () => {} };
  const heard: SetupRuns = { begin: () => started, because: (why) => void again.push(why), count: () => 1 };
  const c: TaskContext = { ...context(), say: (text) => void said.push(text) };
  const { board } = await p.store.read();
  const gitDir = await openGitDir(c, board);
  if (isRefusal(gitDir)) throw new Error(gitDir.message);
  const folder = path.join(gitDir.worktrees, name);
  const commit = p.git('rev-parse', branch);
  await writeClone(gitDir, folder, { start: commit });
  const wanted: Settings = {
    ...settings(board.state),
    sandbox: 'require',
    sandbox_write: [counted],
    post_worktree_cmd: install(),
    setup_inputs: ['deps.txt'],
    ...changes,
  };
  const tree = p.git('rev-parse', `${commit}^{tree}`);
  let changed: readonly string[] = [];
  const onChanged = (paths: readonly string[]): void => {
    changed = paths;
  };
  const result = await reuseSetup(c, gitDir, { folder, settings: wanted, tree, onChanged, runs: heard });
  return { folder, wanted, result, changed };
}

describe.skipIf(!works)('a result', () => {
  test('of a plain npm ci serves every commit with the same lock file, and no other', async () => {
    const registry = await startRegistry(p.base, { name: 'small' });
    fs.writeFileSync(path.join(home, '.npmrc'), `registry=${registry.url}\n`);
    const resolved = `${registry.url}package.tgz`;
    const lock = (name: string): string =>
      JSON.stringify({
        ...{ name, version: '1.0.0', lockfileVersion: 3, requires: true },
        packages: {
          '': { name, dependencies: { small: '1.0.0' } },
          'node_modules/small': { version: '1.0.0', resolved },
        },
      });
    const about = (name: string): string => JSON.stringify({ name, dependencies: { small: '1.0.0' } });
    const files = { 'package.json': about('mine'), 'package-lock.json': lock('mine') };
    p.commitTo('integration', files, 'with a package');
    const npm = { post_worktree_cmd: 'npm ci --no-audit --no-fund', setup_inputs: [], sandbox_write: [] };
    const fetched = (): number => registry.asked.filter((one) => one.path.endsWith('.tgz')).length;
    for (const source of ['1', '2', '3']) {
      p.commitTo('integration', { 'src/app.ts': `export const app = ${source};\n` }, 'other sources');
      const { folder, result } = await checkout(npm);
      expect(result).toBe('ready');
      expect(fs.existsSync(path.join(folder, 'node_modules/small/package.json'))).toBe(true);
    }
    expect(fetched()).toBe(1);
    const changed = { 'package.json': about('other'), 'package-lock.json': lock('other') };
    p.commitTo('integration', changed, 'another lock file');
    expect((await checkout(npm)).result).toBe('ready');
    expect(fetched()).toBe(2);
  }, 120_000);

  test('keeps no tracked file: what set-up changed there is told, and every checkout has its own', async () => {
    const command = `${install()}; echo evil > deps.txt; rm README.md`;
    for (const run of [1, 2]) {
      const { folder, result, changed } = await checkout({ post_worktree_cmd: command, setup_inputs: [] });
      expect([run, result, changed]).toEqual([run, 'ready', ['README.md', 'deps.txt']]);
      expect(fs.readFileSync(path.join(folder, 'deps.txt'), 'utf8')).toBe('one\n');
      expect(fs.existsSync(path.join(folder, 'README.md'))).toBe(true);
      expect(fs.existsSync(path.join(folder, 'made/deps'))).toBe(true);
    }
    expect(runs()).toBe(1);
  }, 120_000);

  test('is taken out through no link that set-up planted: what is behind it stays', async () => {
    p.commitTo('integration', { 'lib/empty/kept.txt': 'a\n', 'lib/kept.txt': 'a\n' }, 'a folder');
    p.write({ 'config/.env': 'the only copy\n', 'lib/kept.txt': 'mine\n' });
    fs.mkdirSync(p.file('lib/empty'));
    const command = `rm -r config lib; ln -s ${p.file('config')} config; ln -s ${p.file('lib')} lib`;
    const made = await checkout({ post_worktree_cmd: command, setup_inputs: [], worktree_files: ['config/.env'] });
    // The commit has a folder where the result has a link.
    expect(made.result).toBe('own');
    expect(fs.readFileSync(p.file('config/.env'), 'utf8')).toBe('the only copy\n');
    expect(fs.readFileSync(p.file('lib/kept.txt'), 'utf8')).toBe('mine\n');
    expect(fs.existsSync(p.file('lib/empty'))).toBe(true);
  }, 120_000);

  test.each([
    ['a name that is no text', `printf x > "$(printf 'made/caf\\351.txt')"`],
    ['folders that are too deep', 'cd made; n=0; while [ $n -lt 1500 ]; do mkdir d; cd d; n=$((n+1)); done'],
    ['a file that is mostly a hole', 'truncate -s 900G made/big'],
  ])('is none where set-up makes what cannot be copied, %s: each checkout has its own', async (_what, more) => {
    const post_worktree_cmd = `${install()}; ${more}`;
    expect((await checkout({ post_worktree_cmd })).result).toBe('own');
    expect((await checkout({ post_worktree_cmd })).result).toBe('own');
    expect(runs()).toBe(1);
  });

  test('counts for the registries it came from: another one makes another, another token does not', async () => {
    const npmrc = (text: string): void => fs.writeFileSync(path.join(home, '.npmrc'), text);
    const from = (host: string, token: string): void =>
      npmrc(`registry=https://${host}/\n//${host}/:_authToken=${token}\n`);
    await checkout();
    from('one.example', 'secret-1');
    await checkout();
    expect(runs()).toBe(2);
    from('one.example', 'secret-2');
    await checkout();
    expect(runs()).toBe(2);
    from('two.example', 'secret-2');
    await checkout();
    expect(runs()).toBe(3);
  }, 120_000);

  test('that two need at once is made by one of them', async () => {
    const slow = `${install()}; sleep 1`;
    const both = await Promise.all([1, 2].map(() => checkout({ post_worktree_cmd: slow })));
    for (const { folder, result } of both) {
      expect(result).toBe('ready');
      expect(fs.readFileSync(path.join(folder, 'made/deps'), 'utf8')).toBe('one\n');
    }
    expect(runs()).toBe(1);
    expect(kept()).toHaveLength(1);
  }, 120_000);

  test('of a command that fails is not kept, and is made when it works', async () => {
    const works = path.join(counted, 'works');
    const command = { post_worktree_cmd: `${install()}; test -f ${works}` };
    expect((await checkout(command)).result).toMatchObject({ ok: false, guard: 'post-worktree-cmd' });
    expect(again).toEqual(['tried again in a full checkout']);
    expect(kept()).toEqual([]);
    fs.writeFileSync(works, '');
    expect((await checkout(command)).result).toBe('ready');
    expect(kept()).toHaveLength(1);
  }, 120_000);

  test.runIf(inFull)(
    'is kept while it is among the newest or was used lately (in test:all)',
    async () => {
      const make = (n: number) => checkout({ post_worktree_cmd: `${install()}; echo ${n} > made/n` });
      const age = (seconds: number): void => {
        for (const name of kept()) {
          const file = path.join(setupResultsOf(context()), name, 'result.json');
          const at = p.context.clock.now() / 1000 - seconds;
          if (fs.statSync(file).mtimeMs / 1000 > at) fs.utimesSync(file, at, at);
        }
      };
      for (let n = 0; n < 7; n += 1) await make(n);
      expect(kept()).toHaveLength(7);
      age(3600);
      await make(7);
      // The new one, and the newest five of the others.
      expect(kept()).toHaveLength(6);
    },
    180_000,
  );
});

describe.skipIf(!works)('the login of setup_read', () => {
  const TOKEN = 'a1B2c3D4e5F6-top-secret';
  beforeEach(() => {
    fs.writeFileSync(
      path.join(home, '.npmrc'),
      `@acme:registry=https://npm.acme.example/\n//npm.acme.example/:_authToken=${TOKEN}\n`,
    );
    personTakes('integration');
  });
  const personTakes = (branch: string): void => void p.git('update-ref', 'refs/heads/main', branch);
  const seen = (): string => {
    const file = path.join(counted, 'seen');
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    fs.rmSync(file, { force: true });
    return text;
  };
  const withLogin = (more = ''): Changes => ({
    setup_read: ['~/.npmrc'],
    post_worktree_cmd: `cat ~/.npmrc deps.txt >> ${counted}/seen; mkdir made; cp deps.txt made; ${more}`,
  });

  test('is shown to set-up where all that it reads is as in the person’s branch, whatever else an agent wrote', async () => {
    p.commitTo('integration', { 'src/app.ts': 'export const app = 1;\n' }, 'work of an agent');
    expect((await checkout(withLogin())).result).toBe('ready');
    expect(seen()).toContain(TOKEN);
    expect(said.join('\n')).not.toContain('setup_read');
  }, 60_000);

  test('is kept from set-up that an agent changed, merged or not, until the change is in the person’s branch', async () => {
    p.git('branch', 'evil', 'integration');
    p.commitTo('evil', { 'deps.txt': 'evil\n' }, 'steals the login');
    expect((await checkout(withLogin(), 'evil')).result).toBe('ready');
    expect(seen()).toMatch(/^@acme:registry=\S+\nevil\n$/);
    p.commitTo('integration', { 'deps.txt': 'evil\n' }, 'an agent approved it');
    for (const changes of [withLogin('true'), { ...withLogin('true'), setup_inputs: [] }]) {
      expect((await checkout(changes)).result).toBe('ready');
      const shown = seen();
      expect(shown).toContain('evil');
      expect(shown).not.toContain(TOKEN);
      expect(said.join('\n')).toMatch(/without the files of setup_read: .* not as in main/);
    }
    const refused = await checkout(withLogin('echo npm error code E401; exit 1'));
    expect(refused.result).toMatchObject({
      ok: false,
      hint: expect.stringMatching(/not as in main.*commit it to main, then liza sync/),
    });
    personTakes('integration');
    seen();
    expect((await checkout(withLogin('true'))).result).toBe('ready');
    expect(seen()).toContain(TOKEN);
  }, 120_000);

  test('is kept from set-up in a checkout of its own, and from tests, whatever they are', async () => {
    const { folder, wanted } = await checkout({ ...withLogin(), setup_reuse: false });
    const failed = await prepareFolder(context(), { folder, settings: wanted });
    expect(failed).toBeUndefined();
    const env = context().env;
    const program = {
      argv: ['sh', '-c', `cat ~/.npmrc >> ${counted}/seen`] as const,
      cwd: folder,
      env,
      timeoutMs: 20_000,
    };
    await runConfined(context(), wanted, { folder, part: 'tests' }, { ...program, argv: [...program.argv] });
    const shown = seen();
    expect(shown.match(/acme:registry/g)).toHaveLength(2);
    expect(shown).not.toContain(TOKEN);
  }, 60_000);

  test('is not in what set-up printed, in whatever form it printed it', async () => {
    const print = `t=$(sed -n "s/.*_authToken=//p" ~/.npmrc); echo "bare $t"; echo "https://x/?auth=$t&y=1"; exit 3`;
    const { result } = await checkout(withLogin(print));
    expect(JSON.stringify(result)).toContain('bare [redacted]');
    expect(JSON.stringify(result)).not.toContain(TOKEN);
    expect(seen()).toContain(TOKEN);
  }, 60_000);

  test('a try in a full checkout, which has no login, does not hide why the one with it failed', async () => {
    p.git('branch', 'other', 'integration');
    p.commitTo('other', { 'src/new.ts': 'export const one = 1;\n' }, 'work of an agent');
    const command = 'grep -q authToken ~/.npmrc && { echo the real cause; exit 3; }; echo npm error code E401; exit 1';
    const { result } = await checkout({ ...withLogin(), post_worktree_cmd: command }, 'other');
    expect(result).toMatchObject({ lines: ['  the real cause'] });
  }, 60_000);

  test('where set-up may read any file, the way out is to name those that it reads', async () => {
    p.git('branch', 'task', 'integration');
    p.commitTo('task', { 'src/new.ts': 'export const one = 1;\n' }, 'work of an agent');
    const command = { ...withLogin('echo npm error code E401; exit 1'), setup_inputs: [] };
    const { result } = await checkout(command, 'task');
    expect(result).toMatchObject({ hint: expect.stringContaining('liza config set setup_inputs') });
  }, 60_000);

  test('in what set-up made is refused: agents would get it', async () => {
    const { result } = await checkout(withLogin('cp ~/.npmrc made/npmrc'));
    expect(result).toMatchObject({
      ok: false,
      message: expect.stringContaining('into made/npmrc, which agents would get'),
    });
    expect(kept()).toEqual([]);
  }, 60_000);

  test('installs a private package with a .npmrc of the project that is not in git', async () => {
    const acme = await startRegistry(p.base, { token: TOKEN, name: '@acme/hidden' });
    const own = path.join(p.root, '.npmrc');
    fs.writeFileSync(own, `@acme:registry=${acme.url}\n${acme.place}:_authToken=${TOKEN}\n`);
    const needs = { '@acme/hidden': '1.0.0' };
    const packages = {
      '': { dependencies: needs },
      'node_modules/@acme/hidden': { version: '1.0.0', resolved: `${acme.url}package.tgz` },
    };
    const files = {
      'package.json': JSON.stringify({ dependencies: needs }),
      'package-lock.json': JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
    };
    p.commitTo('integration', files, 'a private package');
    personTakes('integration');
    const npm = { post_worktree_cmd: 'npm ci --no-audit --no-fund', setup_inputs: [], sandbox_write: [] };
    expect((await checkout(npm)).result).toMatchObject({ hint: expect.stringContaining('config set setup_read') });
    // All files of the commit bring no login, either.
    expect(again).toEqual([]);
    const { folder, result } = await checkout({ ...npm, setup_read: [own] });
    expect(result).toBe('ready');
    expect(fs.existsSync(path.join(folder, 'node_modules/@acme/hidden/package.json'))).toBe(true);
    expect(acme.asked.at(-1)).toMatchObject({ login: `Bearer ${TOKEN}` });
  }, 120_000);
});

describe.skipIf(!works)('a maker that was killed', () => {
  /** What one leaves that holds its lock and has half of a result; that it is not touched before. */
  async function killed(): Promise<void> {
    const all = setupResultsOf(context());
    fs.mkdirSync(all, { recursive: true });
    const lock = path.join(all, `${'a'.repeat(40)}.lock`);
    const holder = spawn('flock', ['-x', lock, 'sleep', '600'], { stdio: 'ignore', detached: true });
    await expect.poll(() => spawnSync('flock', ['-n', lock, 'true']).status, { timeout: 30_000 }).toBe(1);
    const half = path.join(all, `.making-${holder.pid}-00000000`);
    fs.mkdirSync(path.join(half, 'files'), { recursive: true });
    expect(await reconcile(context())).toEqual([]);
    // While it works, nobody takes its lock or its files away.
    expect(kept()).toEqual([path.basename(half), path.basename(lock)]);
    process.kill(-(holder.pid ?? 0), 'SIGKILL');
    await new Promise((ended) => holder.on('exit', ended));
  }

  test('leaves nothing in use, and what it left goes with the next reconcile', async () => {
    await killed();
    expect((await checkout()).result).toBe('ready');
    expect(runs()).toBe(1);
    expect(kept()).toHaveLength(3);
    expect(await reconcile(context())).toEqual([]);
    expect(kept()).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);
  }, 120_000);
});
