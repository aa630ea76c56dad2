// `liza run --check`, and the same by itself at the start of a run: what stops it, what it warns of, each with its mend,
// and that nothing is started or spent by looking.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtIn, builtProject, type Running, until } from '../support/program.ts';
import { startRegistry } from '../support/registry.ts';
import { repository } from '../support/repository.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;

interface Check {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'stop';
  readonly message: string;
  readonly mend?: string;
  readonly output?: readonly string[];
}

/** A claude that notes every call, with a login unless told otherwise. */
function withClaude(p: BuiltProject, login = true) {
  const bin = path.join(p.base, 'bin');
  const calls = path.join(p.base, 'claude-calls');
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, 'claude'), `#!/bin/sh\necho "$@" >> ${calls}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${p.env['PATH']}`, ...(login ? { ANTHROPIC_API_KEY: 'k' } : {}) };
  const check = (extra: Record<string, string> = {}) => {
    const ran = p.liza(['run', '--check', '--agent', 'claude', '--json'], { env: { ...env, ...extra } });
    const { checks, commit, ok } = JSON.parse(ran.stdout) as { checks: Check[]; commit: string; ok: boolean };
    expect(ok).toBe(ran.code === 0);
    expect(fs.existsSync(calls)).toBe(false);
    return {
      code: ran.code,
      commit,
      of: (name: string) => checks.filter((one) => one.check === name),
      stops: checks.filter(({ level }) => level === 'stop').map((one) => one.check),
    };
  };
  return { env, check };
}

/** What it has printed so far. */
function printedBy({ child }: Running): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  return () => text;
}

describe('run --check stops for', () => {
  test('a template of the vision that nobody has filled in; a word in it is enough', () => {
    const p = builtIn(repository({ files: { 'README.md': 'hello\n' } }));
    p.ok(['init', 'Greet people', '--vision-from-template']);
    const { check } = withClaude(p);
    const untouched = check();
    expect(untouched).toMatchObject({ code: 1, stops: ['vision'] });
    expect(untouched.of('vision')[0]?.mend).toContain(
      'commit it (git add specs/vision.md && git commit -m "The goal")',
    );
    fs.appendFileSync(p.file('specs/vision.md'), '\nThe program says hello.\n');
    const now = check();
    expect(now).toMatchObject({ code: 0, stops: [] });
    expect(now.of('vision')).toMatchObject([
      { level: 'warning', message: 'specs/vision.md is not in git', mend: expect.stringMatching(/^git add specs/) },
    ]);
    // Neither test_command nor an integration test.
    const untested = expect.stringContaining('merges are not tested');
    const mend = expect.stringContaining('liza config set test_command');
    expect(now.of('tests')).toMatchObject([{ level: 'warning', message: untested, mend }]);
    p.commit({});
    expect(check().of('vision')).toMatchObject([{ level: 'ok' }]);
    fs.appendFileSync(p.file('specs/vision.md'), '\nAnd goodbye.\n');
    const changed = 'specs/vision.md has changes that are not committed';
    expect(check().of('vision')).toMatchObject([
      { level: 'warning', message: changed, mend: 'git add specs/vision.md && git commit -m "The goal"' },
    ]);
    expect(p.ok(['doctor']).stdout).toContain(changed);
  });

  test('a board that came with the repository is not obeyed', () => {
    const p = builtProject();
    const { check } = withClaude(p);
    expect(check()).toMatchObject({ code: 0, stops: [] });
    p.git('add', '-f', '.liza/state.yaml');
    p.git('commit', '-q', '-m', 'a board');
    expect(check()).toMatchObject({ code: 1, stops: ['board'] });
    const { code, stderr, stdout } = p.liza(['run', '--agent', 'player', '--until-idle']);
    expect({ code, said: stdout + stderr }).toMatchObject({ code: 1, said: expect.stringContaining('is in git') });
    expect(p.board().agents).toEqual({});
  });

  test('no agent CLI, and one that nobody is logged in to; a key or a login file is found', () => {
    const p = builtProject();
    const none = p.liza(['run', '--check', '--agent', 'codex'], { env: { PATH: path.dirname(process.execPath) } });
    expect(none.code).toBe(5); // as `liza run` itself
    expect(none.stdout).toMatch(/^STOP agents +Codex is not installed.*\n +→ npm install -g/m);
    const { check } = withClaude(p, false);
    const out = check();
    expect(out).toMatchObject({ code: 1, stops: ['agents'] });
    expect(out.of('agents')[0]).toMatchObject({ mend: expect.stringContaining('/login') });
    expect(check({ CLAUDE_CODE_OAUTH_TOKEN: 'x' })).toMatchObject({ code: 0, stops: [] });
    fs.mkdirSync(path.join(p.base, '.claude'));
    fs.writeFileSync(path.join(p.base, '.claude/.credentials.json'), '{}');
    expect(check()).toMatchObject({ code: 0, stops: [] });
  });

  test('a set-up that fails, with the end of its output; mended, nothing stops it', () => {
    const p = builtProject();
    const { check } = withClaude(p);
    p.config({ post_worktree_cmd: 'echo no such registry; exit 3' });
    const failed = check();
    expect(failed).toMatchObject({ code: 1, stops: ['set-up'], commit: p.head() });
    expect(failed.of('set-up')[0]).toMatchObject({
      message: expect.stringContaining(`ended with 3 on ${p.head().slice(0, 12)}`),
      mend: expect.stringContaining('liza config set post_worktree_cmd'),
      output: ['no such registry'],
    });
    p.config({ post_worktree_cmd: 'true' });
    expect(check()).toMatchObject({ code: 0, stops: [] });
    expect(fs.readdirSync(p.file('.worktrees'))).toEqual([]);
  });

  test.runIf(inFull)('a disk without room (in test:all)', () => {
    const p = builtProject();
    p.config({ min_free_mb: 1_000_000_000 });
    const { check } = withClaude(p);
    expect(check()).toMatchObject({ code: 1, stops: ['disk'] });
  });
});

describe('run --check warns of', () => {
  test('a test runner that would also run what agents write; a link or a pipe in its place is passed over', () => {
    const p = builtProject();
    p.write({ 'package.json': '{"name": "x", "scripts": {"test": "node --test"}}' });
    const { check } = withClaude(p);
    expect(check().of('own tests')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('.worktrees') },
    ]);
    fs.renameSync(p.file('package.json'), p.file('other.json'));
    fs.symlinkSync('other.json', p.file('package.json'));
    expect(check().of('own tests')).toEqual([]);
    fs.rmSync(p.file('package.json'));
    spawnSync('mkfifo', [p.file('package.json')]);
    expect(check().of('own tests')).toEqual([]);
  });

  test('red tests on the integration branch, a base that went on, and no budget; the doctor tells the last result', () => {
    const p = builtProject();
    expect(p.ok(['doctor']).stdout).toMatch(/pre-flight +not done yet: liza run --check/);
    p.config({ test_command: 'echo 1 failing; exit 1' });
    p.commit({ 'more.txt': 'x\n' });
    const { check, env } = withClaude(p);
    const found = check();
    expect(found).toMatchObject({ code: 0, stops: [] });
    expect(found.of('tests')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('ended with 1'), output: ['1 failing'] },
    ]);
    expect(found.of('base')).toMatchObject([
      { level: 'warning', message: 'main has 1 commit that integration lacks', mend: 'liza sync' },
    ]);
    expect(found.of('budget')).toMatchObject([
      { level: 'warning', mend: expect.stringContaining('liza config set budgets') },
    ]);
    expect(p.ok(['doctor']).stdout).toMatch(
      new RegExp(`pre-flight +nothing stops a run, 3 warnings, \\d+m?s ago on ${p.head().slice(0, 12)}`),
    );
    p.config({ test_command: 'sh test.sh' });
    expect(check().of('tests')).toMatchObject([
      {
        level: 'warning',
        message: expect.stringMatching(
          /^sh test\.sh finds no tests yet \(.*No such file\) on [0-9a-f]{12}: until it does/,
        ),
        mend: expect.stringMatching(/^a task of this goal may write them/),
      },
    ]);
    p.config({ test_command: 'test -f README.md' });
    p.ok(['sync']);
    p.ok(['config', 'set', 'budgets', '{"day": {"usd": 5}}']);
    const plain = p.liza(['run', '--check', '--agent', 'claude'], { env });
    expect(plain).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^(ok {3}\S+ +\S.*\n)+nothing stops a run\n$/),
    });
  });

  test.skipIf(!works)('a private registry whose login stays outside, and one that cannot be reached', async () => {
    const p = builtProject();
    p.write({ 'package.json': '{"dependencies": {"words": "1"}}' });
    const acme = await startRegistry(p.base);
    const npmrc = path.join(p.base, '.npmrc');
    fs.writeFileSync(
      npmrc,
      `registry=http://127.0.0.1:1/\n@acme:registry=${acme.url}\n${acme.place}:_authToken=s3cr3t\n`,
    );
    const { check } = withClaude(p);
    const found = check().of('registry');
    expect(found).toMatchObject([
      {
        level: 'warning',
        message: expect.stringMatching(/^npm @acme: 127\.0\.0\.1 needs a login/),
        mend: `to give it to set-up alone: liza config set setup_read '["~/.npmrc"]'`,
      },
      { level: 'warning', message: expect.stringMatching(/^127\.0\.0\.1 cannot be reached.*ECONNREFUSED/) },
    ]);
    expect(JSON.stringify(found)).not.toContain('s3cr3t');
    // Once set-up is green, nobody needs the login, and the person is not told of it at every start.
    p.config({ post_worktree_cmd: 'true' });
    expect(check().of('registry')).toMatchObject([{ message: expect.stringContaining('cannot be reached') }]);
    p.config({ post_worktree_cmd: 'echo npm error code E401; exit 1' });
    expect(check().of('set-up')).toMatchObject([
      {
        level: 'stop',
        mend: expect.stringMatching(/needs a login.*: liza config set setup_read '\["~\/\.npmrc"\]'/),
      },
    ]);
    p.config({ sandbox_read: ['~/.npmrc'], post_worktree_cmd: null });
    fs.writeFileSync(npmrc, `registry=${acme.url}\n@acme:registry=${acme.url}\n${acme.place}:_authToken=s3cr3t\n`);
    expect(check().of('registry')).toMatchObject([{ level: 'ok' }]);
    expect(acme.asked).toEqual([]);
    // Nothing is installed: no registry is looked for.
    p.write({ 'package.json': '{"name": "x", "dependencies": {}}' });
    expect(check().of('registry')).toEqual([]);
  });
});

describe.skipIf(!works)('a registry that nobody named', () => {
  /** A project of npm, whose npm goes to this registry by itself. */
  const withNpm = async () => {
    const p = builtProject();
    p.write({ 'package.json': '{"dependencies": {"words": "1"}}' });
    const usual = await startRegistry(p.base);
    const { check } = withClaude(p);
    const npm = (answer: string): void =>
      fs.writeFileSync(path.join(p.base, 'bin/npm'), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
    const npmrc = (text: string): void => fs.writeFileSync(path.join(p.base, '.npmrc'), text);
    npm(`echo ${usual.url}`);
    return { p, usual, check, npm, npmrc };
  };

  test('is the one that npm itself tells, which is tried; an npm that tells none is said', async () => {
    const { check, npm, usual } = await withNpm();
    expect(check().of('registry')).toMatchObject([
      { level: 'ok', message: '127.0.0.1 can be reached from the sandbox' },
    ]);
    npm('echo http://127.0.0.1:1/');
    expect(check().of('registry')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('ECONNREFUSED') },
    ]);
    npm('exit 1');
    expect(check().of('registry')).toMatchObject([
      { level: 'ok', message: 'npm: does not tell its own registry, not tried' },
    ]);
    expect(usual.asked).toEqual([]);
  });

  test.runIf(inFull)(
    'is no private one where the settings name it with a login, which is for publishing; another is (in test:all)',
    async () => {
      const { p, check, npmrc, usual } = await withNpm();
      npmrc(`registry=${usual.url}\n${usual.place}:_authToken=s3cr3t\n`);
      expect(check().of('registry')).toMatchObject([{ level: 'ok' }]);
      npmrc('registry=http://localhost:1/\n//localhost:1/:_authToken=s3cr3t\n');
      expect(check().of('registry')[0]).toMatchObject({
        message: expect.stringMatching(/^npm: localhost needs a login/),
      });
      npmrc(`@acme:registry=${usual.url}\n${usual.place}:_authToken=s3cr3t\n`);
      expect(check().of('registry')[0]).toMatchObject({
        message: expect.stringMatching(/^npm @acme: .* needs a login/),
      });
      expect(p.board().config).not.toHaveProperty('setup_read');
    },
  );
});

describe('a package that only the person installed, in the project itself', () => {
  const installed = () => {
    const p = builtProject();
    const lock = JSON.stringify({ packages: { '': {}, 'node_modules/words': { version: '1.0.0' } } });
    p.commit({ 'package.json': '{"dependencies": {"words": "1.0.0"}}', 'package-lock.json': lock });
    p.ok(['sync']);
    p.config({ test_command: `node -e 'require("words")'` });
    p.write({ 'node_modules/words/index.js': '' });
    return p;
  };
  const mend = expect.stringContaining("liza config set post_worktree_cmd 'npm ci'");

  test.skipIf(!works)('is not found by run --check in the sandbox, which names the set-up that installs it', () => {
    const { check } = withClaude(installed());
    expect(check().of('tests')).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/ is red on [0-9a-f]{12} \(ended with \d+\)/), mend },
    ]);
  });

  test('is found without a sandbox, and run --check says that a green test shows little', () => {
    const p = installed();
    p.config({ sandbox: 'off' });
    const { check } = withClaude(p);
    const found = check();
    expect(found.of('tests')).toMatchObject([{ level: 'ok' }]);
    expect(found.of('set-up')).toMatchObject([
      { level: 'warning', message: expect.stringContaining(p.file('node_modules')), mend },
    ]);
  });
});

const LOCK = JSON.stringify({ packages: { '': {}, 'node_modules/words': { version: '1.0.0' } } });

test('init names a private registry and the command that gives its login, and takes no login by itself', () => {
  const p = builtIn(
    repository({ files: { 'package.json': '{}', 'package-lock.json': LOCK, 'specs/vision.md': '# Vision\n' } }),
  );
  fs.writeFileSync(
    path.join(p.base, '.npmrc'),
    '@acme:registry=https://npm.acme.example/\n//npm.acme.example/:_authToken=s3cr3t\n',
  );
  const { stdout } = p.ok(['init', 'Greet people']);
  expect(stdout).toContain(
    `private registry npm @acme: npm.acme.example: agents use it without your login; to give it to set-up alone: liza config set setup_read '["~/.npmrc"]'`,
  );
  expect(p.board().config).not.toHaveProperty('setup_read');
});

test('a run that something stops says what, starts nobody, and works as soon as it is mended', async () => {
  const p = builtProject();
  const { env } = withClaude(p, false);
  const stopped = p.liza(['run', '--agent', 'claude', '--until-idle'], { env });
  expect(stopped).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not logged in\n {2}→ .*\/login/),
  });
  expect(Object.keys(p.board().agents)).toEqual([]);
  expect(p.liza(['agent', 'planner', '--agent', 'claude', '--until-idle'], { env }).code).toBe(1);
  const running = p.start(['run', '--agent', 'claude', '--plain'], { env: { ...env, ANTHROPIC_API_KEY: 'k' } });
  await until(() => p.board().agents['planner-1'] !== undefined);
  running.child.kill('SIGINT');
  await running.ended;
});

describe.skipIf(!works)('run --check beside another process that sets up', () => {
  /** A set-up that makes one half, waits until it may go on, and makes the other. */
  const halfWay = () => {
    const p = builtProject();
    const share = path.join(p.base, 'share');
    fs.mkdirSync(share);
    const [half, go] = [path.join(share, 'half'), path.join(share, 'go')];
    const command = `mkdir made; echo one > made/one; touch ${half}; until test -e ${go}; do sleep 0.1; done; echo two > made/two`;
    p.config({ sandbox_write: [share], post_worktree_cmd: command, test_command: 'cat made/one made/two' });
    return { p, half, go, ...withClaude(p) };
  };
  const results = (p: BuiltProject): readonly string[] => {
    const all = p.file('.liza/cache/setups');
    return fs.existsSync(all) ? fs.readdirSync(all).filter((name) => /^[0-9a-f]{40}$/.test(name)) : [];
  };

  test.runIf(inFull)(
    'killed -9 in the middle, nothing of its half is used: the next one makes a whole result (in test:all)',
    async () => {
      const { p, half, go, env, check } = halfWay();
      const killed = p.start(['run', '--check', '--agent', 'claude'], { env });
      await until(() => fs.existsSync(half));
      killed.child.kill('SIGKILL');
      await killed.ended;
      expect(results(p)).toEqual([]);
      fs.rmSync(half);
      fs.writeFileSync(go, '');
      const found = check();
      expect(found.of('set-up')).toMatchObject([{ level: 'ok' }]);
      expect(found.of('tests')).toMatchObject([{ level: 'ok' }]);
      // It was made again, from the beginning, and this one is kept.
      expect(fs.existsSync(half)).toBe(true);
      expect(results(p)).toHaveLength(1);
      p.ok(['doctor', '--fix']);
      expect(fs.readdirSync(p.file('.liza/cache/setups'))).toEqual(results(p));
    },
    60_000,
  );

  test.runIf(inFull)(
    'while it is under way, the other waits for it and tells what is so (in test:all)',
    async () => {
      const { p, half, go, env } = halfWay();
      const first = p.start(['run', '--check', '--agent', 'claude'], { env });
      await until(() => fs.existsSync(half));
      const second = p.start(['run', '--check', '--agent', 'claude'], { env });
      const said = printedBy(second);
      await until(() => said().includes('another trial is under way: waiting for its end'));
      fs.writeFileSync(go, '');
      for (const { code, stdout } of [await first.ended, await second.ended]) {
        expect(code).toBe(0);
        expect(stdout).toMatch(/^ok +set-up +.*works on/m);
        expect(stdout).not.toContain('not tried');
      }
    },
    60_000,
  );
});

test.runIf(inFull)('a run tells a set-up that fails once, by its alarm (in test:all)', async () => {
  const p = builtProject();
  const script = p.file('.liza', 'rehearsal.json');
  fs.writeFileSync(script, JSON.stringify({ scenes: [{ role: 'planner', steps: [{ hang: true }] }] }));
  p.config({ providers: { rehearsal: { script, pace: 0 } }, post_worktree_cmd: 'echo E404; exit 7' });
  const running = p.start(['run', '--agent', 'rehearsal', '--plain', '--coders', '1']);
  const said = printedBy(running);
  // Written when everything that it found is told.
  await until(() => fs.existsSync(p.file('.liza/cache/preflight.json')) && said().includes('ALARM SET-UP FAILED'));
  running.child.kill('SIGINT');
  await running.ended;
  expect(said().match(/ended with 7/g)).toHaveLength(1);
});

test.runIf(inFull)(
  'a run starts its planner at once, and claims no code before set-up is green (in test:all)',
  async () => {
    const p = builtProject();
    const script = p.file('.liza', 'rehearsal.json');
    const add = [
      ...[
        'add-task',
        '--id',
        'a',
        '--desc',
        'make a',
        '--spec',
        'specs/vision.md',
        '--done',
        'a is there and exported',
      ],
      ...['--scope', 'IN: src/', '--validate', 'test -d .', '--ready'],
    ];
    const scenes = [
      { role: 'planner', nth: 1, steps: [{ liza: add }, { exit: 0 }] },
      { role: 'coder', steps: [{ hang: true }] },
      { role: 'planner', steps: [{ exit: 0 }] },
    ];
    fs.writeFileSync(script, JSON.stringify({ scenes }));
    const gate = path.join(p.base, 'gate');
    p.config({
      sandbox: 'off',
      test_command: 'true',
      providers: { rehearsal: { script, pace: 0 } },
      post_worktree_cmd: `touch ${gate}.waits; until test -e ${gate}; do sleep 0.1; done`,
    });
    const running = p.start(['run', '--agent', 'rehearsal', '--plain', '--coders', '1']);
    const said = printedBy(running);
    await until(() => fs.existsSync(`${gate}.waits`) && p.board().tasks.some(({ status }) => status === 'UNCLAIMED'));
    // Time in which a coder that does not wait would have claimed it.
    await new Promise((later) => setTimeout(later, 1500));
    expect(p.task('a').status).toBe('UNCLAIMED');
    fs.writeFileSync(gate, '');
    await until(() => p.task('a').status === 'CLAIMED');
    // Whoever read that the tests run hears how they ended.
    await until(() => said().includes('pre-flight: true is green on'));
    running.child.kill('SIGINT');
    await running.ended;
    expect(p.ok(['doctor']).stdout).toMatch(/pre-flight +(nothing stops a run|not done yet)/);
  },
);
