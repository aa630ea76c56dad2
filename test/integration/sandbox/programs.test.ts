// What Liza runs for the project, in a real sandbox: it writes its checkout and its own home and temporary folder,
// sees neither board nor other folders nor the user's home, and what cannot be confined is not started.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { settings } from '../../../src/protocol/state.ts';
import { buildPolicy } from '../../../src/sandbox/build-policy.ts';
import { confine } from '../../../src/sandbox/confine.ts';
import { isTool, tryTool } from '../../../src/sandbox/detect.ts';
import {
  needsClone,
  runConfined,
  type SandboxSupport,
  sandboxMode,
  sandboxSupportOf,
} from '../../../src/sandbox/mode.ts';
import { toolFolders } from '../../../src/sandbox/toolchains.ts';
import { hostAt } from '../../host.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import { type Project, project } from '../../support/project.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;
const NONE: SandboxSupport = {
  tool: () => ({ why: 'bubblewrap is not installed', remedy: 'install it' }),
  detect: async () => ({ why: 'bubblewrap is not installed', remedy: 'install it' }),
  off: false,
  program: [],
};

let p: Project;
let folder: string;
let home: string;
beforeEach(() => {
  p = project({});
  folder = path.join(p.root, '.worktrees/.merge-t-00000000');
  fs.mkdirSync(folder, { recursive: true });
  fs.mkdirSync(path.join(p.root, '.worktrees/other'));
  home = path.join(p.base, 'home');
  fs.mkdirSync(path.join(home, '.config'), { recursive: true });
  fs.writeFileSync(path.join(home, '.config/token'), 'top secret\n');
});

const run = async (
  script: string,
  config: Partial<ReturnType<typeof settings>> = {},
  sandboxSupport: SandboxSupport | undefined = sandboxSupportOf(hostAt(Date.now, { ...process.env }), []),
  timeoutMs = 20_000,
) => {
  const env = { ...process.env, ...p.env, HOME: home, LIZA_SANDBOX: undefined };
  const rules = { ...settings(await p.state()), sandbox: 'require' as const, ...config };
  const program = { argv: ['sh', '-c', script] as [string, ...string[]], cwd: folder, env, timeoutMs };
  return runConfined({ ...p.as('coder-1'), sandboxSupport }, rules, { folder, part: 'tests' }, program);
};

describe.skipIf(process.platform !== 'linux')('a bubblewrap', () => {
  const fake = (script: string) => {
    const program = path.join(p.base, 'bwrap');
    fs.writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return tryTool(hostAt(), { kind: 'bubblewrap', program, extra: [] });
  };

  test('that only runs what it is given is none', async () => {
    const found = await fake('while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    expect(found).toMatchObject({ why: 'bubblewrap does not work here: it hides nothing' });
  });

  test('that fails is none, and says why in its own words', async () => {
    const found = await fake('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1');
    expect(found).toMatchObject({ why: expect.stringContaining('uid map'), remedy: expect.stringContaining('user') });
  });

  test('that hangs is none, and is not waited for again and again', async () => {
    const begun = performance.now();
    expect(await fake('exec sleep 60')).toMatchObject({ why: expect.stringContaining('did not answer within 5 s') });
    expect(performance.now() - begun).toBeLessThan(9000);
  }, 20_000);

  test.skipIf(!works)('that knows no way to close namespaces is used as it is', async () => {
    const found = await fake(
      'case " $* " in *" --disable-userns "*) echo "bwrap: Unknown option" >&2; exit 1;; esac; exec bwrap "$@"',
    );
    expect(found).toMatchObject({ kind: 'bubblewrap', extra: [], filter: expect.anything() });
  });

  test.skipIf(!works)('that takes no filter of system calls is used without one', async () => {
    const found = await fake(
      'case " $* " in *" --seccomp "*) echo "bwrap: prctl(PR_SET_SECCOMP)" >&2; exit 1;; esac; exec bwrap "$@"',
    );
    expect(found).toMatchObject({ kind: 'bubblewrap', filter: undefined });
  });
});

const PERL = '/usr/bin/perl';
/** Takes a lease on a file that it can only read; whoever opens it then would wait. */
const LEASE = `${PERL} -e 'open(my $f, "<", $ARGV[0]) or die "no file"; print fcntl($f, 1024, 1) ? "leased" : "$!"'`;

test.skipIf(!works || !fs.existsSync(PERL))(
  'nobody inside takes a lease on a file, though it is the user’s own',
  async () => {
    const file = path.join(p.root, '.git/HEAD');
    expect(spawnSync('sh', ['-c', `${LEASE} ${file}`], { encoding: 'utf8' }).stdout).toBe('leased');
    const inside = await run(`${LEASE} ${file}; git -C ${p.root} rev-parse HEAD`);
    expect(inside).toMatchObject({ how: 'exited', code: 0, tail: expect.stringContaining('Operation not permitted') });
  },
);

const tailOf = (ended: object): string => ('tail' in ended ? String(ended.tail).trim() : '');
const SERVER = `let left = process.argv.length - 1;
  for (const path of process.argv.slice(1))
    require('net').createServer((one) => one.end('heard')).listen(path, () => --left || console.log('all'));`;
const CLIENT =
  'require("net").connect(process.argv[1]).on("error", () => console.log("refused")).on("data", (text) => console.log(String(text)))';

describe.skipIf(!works)('a program of the project in bubblewrap', () => {
  test.runIf(inFull)(
    'that takes more than an agent may is ended, and told as that: processes, memory, files in memory (in test:all)',
    async () => {
      const forks = await run('for n in 1 2 3 4 5 6 7 8 9; do sleep 30 & done; wait', { agent_processes: 6 });
      expect(forks).toMatchObject({
        how: 'over-limit',
        why: expect.stringMatching(/processes, and agent_processes is 6/),
      });
      const limit = { agent_memory_mb: 100 };
      const eats = await run(`node -e 'const b = Buffer.alloc(300 << 20, 1); setInterval(() => b.length, 1e3)'`, limit);
      expect(eats).toMatchObject({ how: 'over-limit', why: expect.stringMatching(/MB of memory/) });
      const fills = await run('head -c 300000000 /dev/zero > /dev/shm/x; sleep 30', limit);
      expect(fills).toMatchObject({ how: 'over-limit', why: expect.stringMatching(/used (28|29)\d MB of memory/) });
    },
    60_000,
  );

  test('writes its checkout, its home and /tmp; all but the first are gone afterwards', async () => {
    const ended = await run(
      'echo x > made && echo x > ~/cache && echo x > /tmp/liza-program && ls -A ~ && echo $TMPDIR',
    );
    expect(ended).toMatchObject({ how: 'exited', code: 0 });
    expect(ended.tail.split('\n')).toEqual(expect.arrayContaining(['cache', '/tmp']));
    expect(fs.existsSync(path.join(folder, 'made'))).toBe(true);
    expect(fs.existsSync('/tmp/liza-program')).toBe(false);
    expect(fs.readdirSync(home)).toEqual(['.config']);
    await expect.poll(() => fs.readdirSync(p.file('.liza/cache/rooms')), { timeout: 30_000 }).toEqual([]);
  });

  test.each([
    ['the project', (root: string) => `echo x > ${root}/planted`],
    ['the blackboard', (root: string) => `cat ${root}/.liza/state.yaml`],
    ['another folder of work', (root: string) => `ls ${root}/.worktrees/other`],
    ['a branch', (root: string) => `echo x > ${root}/.git/refs/heads/main`],
    ['the user’s home', () => 'cat ~/.config/token'],
  ])('does not get at %s', async (_name, script) => {
    const ended = await run(script(p.root));
    expect(ended).toMatchObject({ how: 'exited' });
    expect('code' in ended && ended.code).not.toBe(0);
    expect(ended.tail).not.toContain('top secret');
  });

  test('finds no package that the person installed in the project or above it; its own it finds', async () => {
    for (const place of [p.root, path.dirname(p.root), folder]) {
      const name = place === folder ? 'own' : 'theirs';
      fs.mkdirSync(path.join(place, 'node_modules', name), { recursive: true });
      fs.writeFileSync(path.join(place, 'node_modules', name, 'index.js'), '');
    }
    expect(await run(`node -e 'require("own")'`)).toMatchObject({ code: 0 });
    const ended = await run(`node -e 'require("theirs")'`);
    expect(ended).toMatchObject({ how: 'exited', code: 1 });
    expect(ended.tail).toContain("Cannot find module 'theirs'");
    // The folder that npm puts on PATH when it starts Liza.
    fs.mkdirSync(path.join(p.root, 'node_modules/.bin'));
    vi.stubEnv('PATH', `${path.join(p.root, 'node_modules/.bin')}:${process.env['PATH']}`);
    const started = await run(`node -e 'require("theirs")'`);
    vi.unstubAllEnvs();
    expect(started.tail).toContain("Cannot find module 'theirs'");
  });

  test('has the network unless it is off; what the configuration shows and opens is shown and open', async () => {
    const server = spawnSync('sh', ['-c', 'cat /proc/net/dev | wc -l'], { encoding: 'utf8' }).stdout.trim();
    expect((await run('cat /proc/net/dev | wc -l', { sandbox_network: { tests: 'off' } })).tail.trim()).toBe('3');
    expect((await run('cat /proc/net/dev | wc -l')).tail.trim()).toBe(server);
    const shown = await run('cat ~/.config/token', { sandbox_read: ['~/.config/token'] });
    expect(shown.tail).toContain('top secret');
    expect(await run('echo x > ~/.config/token', { sandbox_read: ['~/.config/token'] })).not.toMatchObject({ code: 0 });
    expect(await run('echo new > ~/.config/token', { sandbox_write: ['~/.config'] })).toMatchObject({ code: 0 });
    expect(fs.readFileSync(path.join(home, '.config/token'), 'utf8')).toBe('new\n');
  });

  test('reaches no server that listens in a place that is shown, whatever name it was bound by', async () => {
    fs.mkdirSync(path.join(p.root, 'tmp/sockets'), { recursive: true });
    const [here, below, mine] = ['.overmind.sock', 'tmp/sockets/puma.sock', path.join(folder, 'own.sock')];
    const server = spawn(process.execPath, ['-e', SERVER, here, path.join(p.root, below), `./${below}2`, mine], {
      cwd: p.root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(server.stdout, 'data');
      // However many an agent binds in places of its own.
      const crowd = Array.from({ length: 300 }, (_, n) => path.join(folder, `${n}.sock`));
      const loose = Array.from({ length: 60 }, (_, n) => `crowd/${n}/x.sock`);
      for (const one of loose) fs.mkdirSync(path.join(folder, path.dirname(one)), { recursive: true });
      const others = spawn(process.execPath, ['-e', SERVER, ...crowd, ...loose], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void others.kill('SIGKILL'));
      await once(others.stdout, 'data');
      const paths = [here, below, `${below}2`].map((name) => path.join(p.root, name));
      const ask = (one: string) => `${JSON.stringify(process.execPath)} -e '${CLIENT}' ${one}`;
      const asked = await run([...paths, mine].map(ask).join('; '));
      expect(tailOf(asked).split('\n')).toEqual(['refused', 'refused', 'refused', 'heard']);
      spawnSync('mkfifo', [path.join(p.root, '.commands')]);
      const piped = await run(`echo x <> ${path.join(p.root, '.commands')} >&0 && echo written`);
      expect(tailOf(piped)).not.toContain('written');
      const shown = await run(ask(paths[1] ?? ''), { sandbox_read: [paths[1] ?? ''] });
      expect(tailOf(shown)).toBe('heard');
    } finally {
      server.kill('SIGKILL');
    }
  });

  test('an end by a signal is told as one; one that is late is asked first', async () => {
    expect(await run('kill -9 $$')).toMatchObject({ how: 'signalled', signal: 'SIGKILL' });
    const late = await run('trap "echo x > asked; exit 0" TERM; while :; do sleep 0.05; done', {}, undefined, 700);
    expect(late).toMatchObject({ how: 'timed-out', survivors: 0 });
    expect(fs.existsSync(path.join(folder, 'asked'))).toBe(true);
  });

  test('a link that an agent left in its home leads neither us nor a mount astray', async () => {
    const kept = path.join(p.base, 'kept');
    const victim = path.join(p.base, 'victim');
    const [tmp, login] = [path.join(p.base, 'tmp'), path.join(p.base, 'login')];
    for (const one of [kept, victim, tmp]) fs.mkdirSync(one);
    fs.writeFileSync(login, 'the login');
    fs.symlinkSync(victim, path.join(kept, '.cli'));
    const tool = await sandboxSupportOf(hostAt(Date.now, { ...process.env }), []).detect();
    if (!isTool(tool)) throw new Error(tool.why);
    const policy = {
      ...{ cwd: '/', hide: [], write: [], tmp, network: false },
      read: [{ at: path.join(home, '.cli/login'), from: login }],
      home: { at: home, kept },
    };
    const { argv, env } = confine(realDisk, { ...tool, filter: undefined }, policy, {
      argv: ['sh', '-c', 'cat ~/.cli/login'],
      env: { PATH: process.env['PATH'] },
    });
    const [program, ...args] = argv;
    expect(spawnSync(program, args, { env: env as NodeJS.ProcessEnv, encoding: 'utf8' }).stdout).toBe('the login');
    expect(fs.readdirSync(victim)).toEqual([]);
  });
});

describe('where there is none', () => {
  test('require: not started, naming what to do; auto: as before', async () => {
    const ended = await run('echo x > made', {}, NONE);
    expect(ended).toMatchObject({ how: 'not-started', reason: expect.stringContaining('bubblewrap is not installed') });
    expect(fs.existsSync(path.join(folder, 'made'))).toBe(false);
    expect(await run('echo x > made', { sandbox: 'auto' }, NONE)).toMatchObject({ how: 'exited', code: 0 });
  });

  test('who is asked for none is told why', async () => {
    expect(await sandboxMode(NONE, { sandbox: 'auto' })).toEqual({
      off: 'bubblewrap is not installed',
      remedy: 'install it',
    });
    expect(await sandboxMode(NONE, { sandbox: 'require' })).toMatchObject(refusedBy('sandbox', { ok: false, code: 5 }));
    // Agents worked on the goal in a sandbox, and it is gone.
    expect(await sandboxMode(NONE, { sandbox: 'kept' })).toMatchObject(
      refusedBy('sandbox', { code: 5, hint: expect.stringContaining('liza config set sandbox off') }),
    );
    expect(await sandboxMode(undefined, { sandbox: 'require' })).toMatchObject({ ok: false, code: 5 });
    expect(needsClone(NONE, { sandbox: 'require' })).toBe(false);
    const off = { ...NONE, off: true, tool: () => ({ kind: 'bubblewrap', program: '/b', extra: [] }) as const };
    expect(needsClone(off, { sandbox: 'auto' })).toBe(false);
    expect(needsClone(off, { sandbox: 'require' })).toBe(true);
  });
});

test('programs in hidden places: PATH and the files its links lead to are shown, no folder around them', () => {
  const base = temporaryFolder();
  const at = (name: string): string => path.join(base, name);
  for (const name of [
    '.local/bin',
    '.local/lib',
    '.local/share/keyrings',
    'app/node_modules/.bin',
    'app/node_modules/cli',
    '.nvm',
    'code/tool',
    'opt/tool/bin',
    'opt/tool/lib',
    'opt/tool/private',
  ])
    fs.mkdirSync(at(name), { recursive: true });
  fs.writeFileSync(at('app/node_modules/cli/cli.js'), '');
  fs.writeFileSync(at('code/tool/run.sh'), '');
  fs.symlinkSync('../cli/cli.js', at('app/node_modules/.bin/cli'));
  fs.writeFileSync(at('code/tool/.env'), '');
  fs.writeFileSync(at('opt/tool/bin/installed'), '');
  fs.symlinkSync(at('code/tool/run.sh'), at('.local/bin/tool'));
  fs.symlinkSync(at('opt/tool/private'), at('.local/bin/folder'));
  fs.symlinkSync(at('opt/tool/bin/installed'), at('.local/bin/installed'));
  const found = toolFolders(
    realDisk,
    { HOME: base, PATH: `${at('.local/bin')}:${at('app/node_modules/.bin')}:/usr/bin:relative` },
    [base],
  );
  expect([...found].sort()).toEqual(
    [
      ...['.local/bin', '.local/lib', '.nvm', 'app/node_modules', 'code/tool/run.sh'].map(at),
      ...['opt/tool/bin/installed', 'opt/tool/lib'].map(at),
    ].sort(),
  );
  fs.rmSync(base, { recursive: true });
});

test('programs in hidden places: logins that managers keep beside their programs are not shown', () => {
  const base = temporaryFolder();
  const at = (name: string): string => path.join(base, name);
  const logins = [
    '.local/share/uv/credentials/credentials.toml',
    '.config/mise/age.txt',
    'miniconda3/.condarc',
    '.cargo/credentials.toml',
    'lib/secret',
  ];
  const programs = ['.local/share/uv/tools/x/bin/x', '.local/share/uv/python/p/bin/p', 'miniconda3/bin/c', 'bin/own'];
  for (const name of [...logins, ...programs]) {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), '');
  }
  const shown = toolFolders(realDisk, { HOME: base, PATH: `${at('bin')}:/usr/bin` }, [base]);
  const isShown = (name: string): boolean => shown.some((place) => `${at(name)}/`.startsWith(`${place}/`));
  expect(logins.filter(isShown)).toEqual([]);
  expect(programs.filter(isShown)).toEqual(programs);
});

test('what Liza makes later is hidden too: its folders are there before the first sandbox', () => {
  const base = temporaryFolder();
  const [root, common] = [path.join(base, 'project'), path.join(base, 'project', '.git')];
  fs.mkdirSync(common, { recursive: true });
  const places = {
    env: { HOME: base },
    root,
    common,
    cwd: root,
    home: path.join(base, 'h'),
    tmp: path.join(base, 't'),
  };
  const { hide } = buildPolicy(realDisk, { ...places, inPlace: false, network: true });
  expect(hide).toEqual(
    expect.arrayContaining(['.liza', '.worktrees', '.git/liza'].map((name) => path.join(root, name))),
  );
});
