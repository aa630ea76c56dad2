// Agents in a real sandbox, under the real `liza run`: a hostile one gets out nowhere, and does its work all the same.
// Without bubblewrap nothing here can be shown: the tests are skipped, and `npm test` says so.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtProject, until } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;
const inSandbox = describe.skipIf(!works);
/** Bubblewrap 0.8 and later. */
const CLOSED = ['--unshare-user', '--disable-userns'];
const closesNamespaces = spawnSync('bwrap', [...CLOSED, '--ro-bind', '/', '/', 'true']).status === 0;

const ADD = [
  ...['add-task', '--id', 'a', '--desc', 'make a', '--spec', 'specs/vision.md', '--done', 'a is there and exported'],
  ...['--scope', 'IN: src/, test/', '--validate', 'node test/a.test.mjs', '--ready'],
];
const RUN = ['run', '--agent', 'mine', '--plain', '--coders', '1', '--until-idle'];

interface Scene {
  readonly p: BuiltProject;
  readonly home: string;
  readonly canary: string;
  readonly env: Record<string, string>;
}

/** A project whose agents are a program beside it, and a user with a home and a secret. */
function scene(agent: string): Scene {
  const p = builtProject();
  const beside = temporaryFolder();
  const home = path.join(beside, 'home');
  fs.mkdirSync(path.join(home, '.ssh'), { recursive: true });
  fs.writeFileSync(path.join(home, '.ssh/id'), 'top secret\n');
  const program = path.join(beside, 'agents');
  fs.mkdirSync(program);
  fs.copyFileSync(agent, path.join(program, 'agent.mjs'));
  p.ok(['config', 'set', 'sandbox', 'require']);
  p.ok(['config', 'set', 'sandbox_read', JSON.stringify([program])]);
  p.ok([
    'config',
    'set',
    'providers',
    JSON.stringify({ mine: { kind: 'command', argv: ['node', `${program}/agent.mjs`] } }),
  ]);
  p.ok(ADD);
  return {
    p,
    home,
    canary: path.join(beside, 'canary'),
    env: { HOME: home, ESCAPES: path.join(program, 'escapes.json') },
  };
}

const logs = ({ p }: Scene): string =>
  fs
    .readdirSync(p.file('.liza/agent-logs'))
    .map((name) => p.read(`.liza/agent-logs/${name}`))
    .join('\n');

const reports = (text: string) =>
  [...text.matchAll(/^REPORT (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as { role: string; report: object });

const OF_THE_OPERATOR = ['lock modify', 'run', 'edit', 'config set', 'pause', 'doctor', 'init', 'deinit', 'checkpoint'];

/** Under its own name an agent is not accused: each refusal is a line. */
const recordedAgainst = (p: BuiltProject, agent: string): readonly string[] =>
  [...p.read('.liza/refused.log').matchAll(/^\S+ (\S+) was refused a command of another role: liza (.+)$/gm)].flatMap(
    ([, by, command = '']) => (by === agent ? [command] : []),
  );

inSandbox('a hostile agent in bubblewrap', () => {
  test('gets out nowhere, by shell or by writing, and can do its work', () => {
    const s = scene(path.join(import.meta.dirname, 'escapes/agent.mjs'));
    const { p, home, canary, env } = s;
    const other = p.file('.worktrees/other');
    p.ok([...ADD.map((word) => (word === 'a' ? 'other' : word)), '--priority', '5']);
    p.ok(['register', 'coder-9'], { as: 'coder-9' });
    p.ok(['claim-task', 'other', 'coder-9'], { as: 'coder-9' });
    fs.writeFileSync(path.join(other, 'README.md'), 'theirs\n');
    const mailbox = p.file('.liza/cache/rooms/coder-9/session-0/mail');
    fs.mkdirSync(mailbox, { recursive: true });
    fs.writeFileSync(
      env['ESCAPES'] ?? '',
      JSON.stringify({
        root: p.root,
        secret: path.join(home, '.ssh/id'),
        other,
        canary,
        pids: [process.pid, process.ppid],
        mailbox,
      }),
    );
    p.ok(['note', 'wake up']);
    const main = p.git('rev-parse', 'main');
    const config = p.read('.git/config');
    const ran = p.liza(RUN, { env });
    const text = logs(s);
    const found = reports(text);
    expect(
      found.map(({ role }) => role),
      `${ran.stdout}\n${ran.stderr}\n${text}`,
    ).toEqual(expect.arrayContaining(['coder', 'code-reviewer', 'planner']));
    for (const { role, report } of found) {
      const escaped = Object.entries(report).filter(
        ([name, came]) => came !== 'held' && (closesNamespaces || name !== 'namespace: one of its own'),
      );
      expect(escaped, role).toEqual([]);
      expect(Object.keys(report).length).toBeGreaterThan(40);
    }
    for (const agent of ['coder-1', 'code-reviewer-1', 'planner-1'])
      expect(recordedAgainst(p, agent)).toEqual(expect.arrayContaining(OF_THE_OPERATOR));
    expect(fs.existsSync(canary)).toBe(false);
    expect(fs.readdirSync(home)).toEqual(['.ssh']);
    expect(fs.readdirSync(path.join(home, '.ssh'))).toEqual(['id']);
    for (const file of ['/etc/liza-escape', '/liza-escape', '/tmp/liza-escape-mine', '/usr/local/bin/liza-escape'])
      expect(fs.existsSync(file), file).toBe(false);
    expect(p.git('rev-parse', 'main')).toBe(main);
    expect(p.read('.git/config')).toBe(config);
    expect(p.git('status', '--porcelain')).toBe('');
    expect(fs.readdirSync(other)).not.toContain('planted.txt');
    expect(p.ok(['log', 'verify']).code).toBe(0);
    const done = [...text.matchAll(/^DONE (.*)$/gm)].flatMap(([, json]) => JSON.parse(json ?? '') as string[]);
    expect(done.filter((line) => !line.endsWith(': 0'))).toEqual([]);
    expect(p.task('a').status).toBe('MERGED');
    expect(fs.readdirSync(p.file('.liza/cache/rooms/coder-1'))).toEqual(['home']);
    expect(fs.existsSync(p.file('.liza/cache/rooms/coder-1/home/mine'))).toBe(true);
  });
});

inSandbox('the end of a session in bubblewrap', () => {
  const HANGS = `import { spawn } from 'node:child_process';
import fs from 'node:fs';
if (!process.env.LIZA_AGENT_ID.startsWith('coder')) process.exit(0);
process.on('SIGTERM', () => { fs.writeFileSync('asked', ''); process.exit(0); });
spawn('setsid', ['sleep', '4711'], { detached: true, stdio: 'ignore' });
fs.writeFileSync('at-work', '');
setInterval(() => {}, 1000);`;
  const sleepers = () =>
    fs.readdirSync('/proc').filter((name) => {
      try {
        return fs.readFileSync(`/proc/${name}/cmdline`, 'latin1').startsWith('sleep\x004711');
      } catch {
        return false;
      }
    });
  const SUBMITS = `import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
if (!process.env.LIZA_AGENT_ID.startsWith('coder')) process.exit(0);
const run = (...argv) => spawnSync(argv[0], argv.slice(1), { stdio: 'inherit' });
run('liza', 'begin', 'a', '--intent', 'a and its test', '--risks', 'none', '--validation', 'node --test: passes', '--file', 'test/a.test.mjs');
fs.mkdirSync('test', { recursive: true });
fs.writeFileSync('test/a.test.mjs', "import { spawnSync } from 'node:child_process'; spawnSync('sleep', ['4711']);");
run('git', 'add', '-A');
run('git', 'commit', '-qm', 'a');
run('liza', 'submit-for-review', 'a', 'HEAD');`;
  const started = async (agent = HANGS) => {
    const file = path.join(temporaryFolder(), 'agent.mjs');
    fs.writeFileSync(file, agent);
    const s = scene(file);
    const running = s.p.start(RUN, { env: s.env });
    if (agent === HANGS) await until(() => fs.existsSync(path.join(s.p.root, '.worktrees/a/at-work')));
    await until(() => sleepers().length === 1);
    return { ...s, running };
  };

  test('Ctrl-C: it is asked, and nothing of its tree is left', async () => {
    const { p, running } = await started();
    running.child.kill('SIGINT');
    await running.ended;
    expect(fs.existsSync(p.file('.worktrees/a/asked'))).toBe(true);
    expect(sleepers()).toEqual([]);
  });

  test('kill -9 of the supervisor ends all of it', async () => {
    const { running } = await started();
    running.child.kill('SIGKILL');
    await running.ended;
    await until(() => sleepers().length === 0);
  });

  test.runIf(inFull)(
    'kill -9 of the supervisor also ends what is validated for it, outside its sandbox (in test:all)',
    async () => {
      const { running } = await started(SUBMITS);
      running.child.kill('SIGKILL');
      await running.ended;
      await until(() => sleepers().length === 0);
    },
  );
});

inSandbox('a note that a person leaves meanwhile', () => {
  const LISTENS = `import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
if (!process.env.LIZA_AGENT_ID.startsWith('coder')) process.exit(0);
fs.writeFileSync('listening', '');
while (!fs.existsSync('noted')) spawnSync('sleep', ['0.05']);
for (const nth of ['first', 'second']) {
  const { stdout, stderr } = spawnSync('liza', ['show', 'a'], { encoding: 'utf8' });
  console.log('HEARD ' + JSON.stringify({ nth, stdout: stdout.includes('news'), stderr }));
}
spawnSync('liza', ['block', 'a', '--reason', 'heard', '--question', 'what now?']);`;

  test.runIf(inFull)(
    'reaches it through the mailbox with its next command, once, and not on stdout (in test:all)',
    async () => {
      const file = path.join(temporaryFolder(), 'agent.mjs');
      fs.writeFileSync(file, LISTENS);
      const s = scene(file);
      const running = s.p.start(RUN, { env: s.env });
      await until(() => fs.existsSync(s.p.file('.worktrees/a/listening')));
      s.p.ok(['note', 'use the helper', '--for', 'a']);
      fs.writeFileSync(s.p.file('.worktrees/a/noted'), '');
      await running.ended;
      const heard = [...logs(s).matchAll(/^HEARD (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''));
      expect(heard).toMatchObject([
        { nth: 'first', stdout: false, stderr: expect.stringMatching(/news: note-1 .*\n {2}\| use the helper/) },
        { nth: 'second', stdout: false, stderr: '' },
      ]);
    },
  );
});

describe('sandbox: require', () => {
  test('without one nothing starts: exit 5, and what to do', () => {
    const p = builtProject();
    p.ok(['config', 'set', 'sandbox', 'require']);
    p.ok(['config', 'set', 'providers', JSON.stringify({ mine: { kind: 'command', argv: ['true'] } })]);
    // No way to a sandbox is known where nothing may be mounted: bwrap inside bwrap, without rights.
    if (!works) {
      const ran = p.liza(['run', '--agent', 'mine', '--until-idle']);
      expect(ran).toMatchObject({ code: 5, stderr: expect.stringContaining('config.sandbox is require') });
    }
    const off = p.liza(['status'], { env: { LIZA_SANDBOX: 'off' } });
    expect(off.stdout).not.toContain('LIZA_SANDBOX');
  });

  test('LIZA_SANDBOX=off is the operator’s word for one run, where it is not required', () => {
    const p = builtProject();
    expect(p.ok(['status'], { env: { LIZA_SANDBOX: 'off' } }).stdout).toContain('sandbox: off, LIZA_SANDBOX is off');
    p.ok(['config', 'set', 'sandbox', 'off']);
    expect(p.ok(['status']).stdout).toContain('sandbox: off, config.sandbox is off');
  });
});
