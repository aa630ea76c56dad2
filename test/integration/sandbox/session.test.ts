// A session's home: the login is the user's own, settings are copies, the files by which a CLI goes on with a session
// last, and nothing else: neither of the user's home nor of what an earlier session wrote. By role: who may write its folder, and who has the network.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { letRun } from '../../../src/process/first-inside.ts';
import { furtherDescriptors, giveDescriptor3 } from '../../../src/process/start.ts';
import { type Config, type Role, type Settings, settings } from '../../../src/protocol/state.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { sandboxSupportOf } from '../../../src/sandbox/mode.ts';
import { openSandboxSession, type SandboxSession, sandboxPromptSection } from '../../../src/sandbox/session.ts';
import type { SupervisorContext } from '../../../src/supervisor/context.ts';
import type { SessionWork } from '../../../src/supervisor/session.ts';
import { hostAt } from '../../host.ts';
import { inFull } from '../../runs.ts';
import { type Project, project } from '../../support/project.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;

let p: Project;
let home: string;
let said: string[];
beforeEach(() => {
  p = project({});
  said = [];
  home = path.join(p.base, 'user');
  const files = {
    '.cli/auth.json': 'old token',
    '.cli/settings.json': 'mine',
    '.cli/history': 'private',
    '.cli/plugins/one': 'plugin',
    '.ssh/id': 'top secret',
    'elsewhere/config': 'named by a variable',
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text);
  }
});

const PROVIDER = {
  name: 'cli',
  title: 'a CLI',
  resumes: true,
  hints: { install: '', login: '' },
  home: [
    {
      folder: '.cli',
      env: 'CLI_HOME',
      login: ['auth.json'],
      settings: ['settings.json', 'plugins', 'missing'],
      keeps: ['sessions/**', 'projects/*/*.jsonl', 'session'],
    },
  ],
} as unknown as Provider;

interface Guest {
  readonly role?: Role;
  readonly agent?: string;
  readonly config?: Partial<Config>;
  readonly env?: Record<string, string>;
  /** That is started with the script. */
  readonly program?: string;
}

/** One session: its script runs to the end, then its sandbox is closed. */
async function session(
  script: string,
  { role = 'coder', agent = 'coder-1', config = {}, env = {}, program: named = 'sh' }: Guest = {},
) {
  const cwd = role === 'planner' ? p.root : path.join(p.root, '.worktrees/t');
  if (!fs.existsSync(path.join(p.root, '.worktrees/t'))) {
    fs.mkdirSync(path.join(p.root, '.worktrees/t/.git'), { recursive: true });
    fs.writeFileSync(path.join(p.root, '.worktrees/t/file'), 'work');
  }
  const bin = path.join(p.root, '.liza/cache/bin');
  const scratch = path.join(p.root, '.liza/cache/agents', agent);
  for (const folder of [bin, scratch]) fs.mkdirSync(folder, { recursive: true });
  const whole = { PATH: process.env['PATH'], HOME: home, LIZA_AGENT_ID: agent, LIZA_SESSION: 'credential', ...env };
  const office = {
    ...p.context,
    env: whole,
    bin,
    sandboxSupport: sandboxSupportOf(hostAt(Date.now, whole), [process.execPath, '/nowhere/dist/liza.cjs']),
    emit: ({ text }: { text: string }) => said.push(text),
  } as unknown as SupervisorContext;
  const work = { agent, role, cwd, task: 't', chosen: { provider: PROVIDER }, prompt: '' } as SessionWork;
  const rules = { ...settings(await p.state()), sandbox: 'require', ...config } as Settings;
  const begun = performance.now();
  const found = await openSandboxSession(office, work, {
    launch: { argv: [named, '-c', script] },
    settings: rules,
    scratch,
    env: whole,
    onRequest: () => {},
  });
  const opening = performance.now() - begun;
  if ('reason' in found) throw new Error(found.reason);
  const sandboxed: SandboxSession = found;
  const [program, ...args] = sandboxed.argv;
  const stdout = await new Promise<string>((done) => {
    const stdio = ['pipe', 'pipe', 'pipe', ...furtherDescriptors(sandboxed)] as const;
    const child = spawn(program, args, { cwd, env: sandboxed.env as NodeJS.ProcessEnv, stdio: [...stdio] });
    giveDescriptor3(child, sandboxed.descriptor3);
    if (sandboxed.held) letRun(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk));
    child.once('close', () => done(text));
  });
  const ended = performance.now();
  await sandboxed.close(0);
  const times = [opening, performance.now() - ended];
  return { stdout, sandboxed, times, note: await sandboxPromptSection(office, work, rules) };
}
const own = (name: string): string => fs.readFileSync(path.join(home, name), 'utf8');

describe.skipIf(!works)('a session’s home in bubblewrap', () => {
  test('the login is the very file, settings are copies, folders read-only; the rest of the home is not there', async () => {
    const { stdout } = await session(
      'cd ~; find . -type f | sort; cat .cli/auth.json; echo new token > .cli/auth.json; echo x > .cli/settings.json; echo x > .cli/plugins/one; echo x > .bashrc',
    );
    expect(stdout).toContain('old token');
    expect(stdout.split('\n').filter((line) => line.startsWith('./.'))).toEqual([
      './.cli/auth.json',
      './.cli/plugins/one',
      './.cli/settings.json',
    ]);
    expect(own('.cli/auth.json')).toBe('new token\n');
    expect(own('.cli/settings.json')).toBe('mine');
    expect(own('.cli/plugins/one')).toBe('plugin');
    expect(fs.readdirSync(home).sort()).toEqual(['.cli', '.ssh', 'elsewhere']);
  });

  test('what it keeps is there in its next session, and in nobody else’s; /tmp is new each time', async () => {
    await session('mkdir -p ~/.cli/sessions; echo mine > ~/.cli/sessions/1; echo x > /tmp/left');
    expect((await session('cat ~/.cli/sessions/1; ls /tmp/left')).stdout).toMatch(/^mine\nls: .*No such file/);
    expect((await session('cat ~/.cli/sessions/1', { agent: 'coder-2' })).stdout).toContain('No such file');
    expect(fs.readdirSync(path.join(p.root, '.liza/cache/rooms/coder-1'))).toEqual(['home']);
  });

  test('settings come anew each time, and never through a link that a session left', async () => {
    const victim = path.join(p.base, 'victim');
    fs.mkdirSync(victim);
    await session(`rm -rf ~/.cli/settings.json; ln -s ${victim}/file ~/.cli/settings.json; ln -s ${victim} ~/.evil`);
    fs.rmSync(path.join(p.root, '.liza/cache/rooms/coder-1/home/.cli'), { recursive: true });
    fs.symlinkSync(victim, path.join(p.root, '.liza/cache/rooms/coder-1/home/.cli'));
    expect((await session('cat ~/.cli/settings.json')).stdout).toBe('mine');
    expect(fs.readdirSync(victim)).toEqual([]);
  });

  test('nothing else that it wrote lasts, whatever its name; only plain files last, and none is looked for through a link', async () => {
    const victim = path.join(p.base, 'victim');
    fs.mkdirSync(path.join(victim, 'deep'), { recursive: true });
    fs.writeFileSync(path.join(victim, 'deep/a.jsonl'), 'not its own');
    await session(
      `cd ~; mkdir -p .cli/sessions/2026/11 .cli/projects/p/memory .agents/skills/x .config/git .local/bin notes
       for one in .cli/missing .cli/AGENTS.override.md .cli/projects/p/memory/MEMORY.md .cli/projects/p/x.json .agents/skills/x/SKILL.md \\
         .bashrc .config/git/config .local/bin/git notes/one; do echo planted > $one; done
       echo kept > .cli/sessions/2026/11/s.jsonl; echo kept > .cli/projects/p/x.jsonl
       ln -s ${victim}/deep/a.jsonl .cli/projects/p/link.jsonl; ln -s ${victim}/deep .cli/projects/linked
       ln -s ${victim}/deep .cli/sessions/linked; mkfifo .cli/sessions/pipe; chmod 500 ~`,
    );
    expect((await session('cd ~; find . ! -type d | sort')).stdout.split('\n')).toEqual([
      './.cli/auth.json',
      './.cli/plugins/one',
      './.cli/projects/p/x.jsonl',
      './.cli/sessions/2026/11/s.jsonl',
      './.cli/settings.json',
      '',
    ]);
    expect(fs.readdirSync(path.join(victim, 'deep'))).toEqual(['a.jsonl']);
  });

  test.runIf(inFull)('a home with very many files does not hold up the next session (in test:all)', async () => {
    const script =
      'mkdir -p ~/.cli/sessions ~/x; cd ~/.cli/sessions; seq 30000 | xargs touch; cd ~/x; seq 30000 | xargs touch';
    await session(script);
    const { stdout, times } = await session('ls ~/x ~/.cli/sessions | wc -l');
    expect(Math.max(...times)).toBeLessThan(5000);
    expect(Number(stdout.split('\n').at(-2))).toBeLessThan(20_100);
    expect(said.join()).toContain('too many files');
  });

  test('no folder on PATH is one that the agent can write', async () => {
    for (const name of ['.tools/bin', 'dotfiles/bin']) fs.mkdirSync(path.join(home, name), { recursive: true });
    fs.symlinkSync('dotfiles/bin', path.join(home, 'bin'));
    const folders = ['.tools/bin', '.local/bin', 'bin', 'go/bin'].map((name) => path.join(home, name));
    const PATH = [...folders, '', '.', 'node_modules/.bin', '/tmp/mine', process.env['PATH']].join(':');
    const script =
      'mkdir -p ~/.local/bin ~/go/bin; IFS=:; for one in $PATH; do echo "on $one"; [ -w "$one" ] && touch "$one/x" 2>&1 && echo "wrote $one"; done';
    const { stdout } = await session(script, { env: { PATH } });
    expect(stdout).not.toContain('wrote');
    const on = stdout.split('\n').filter((line) => line.startsWith('on '));
    expect(on.slice(0, 2)).toEqual([`on ${home}/.tools/bin`, `on ${home}/dotfiles/bin`]);
    expect(on.filter((line) => !line.startsWith('on /'))).toEqual([]);
    expect(stdout).toContain('/usr/bin');
  });

  test('a link that it left in a folder that is open shows nothing to the next one', async () => {
    for (const name of ['cache', '.secrets']) fs.mkdirSync(path.join(home, name));
    fs.writeFileSync(path.join(home, '.secrets/key'), 'top secret');
    const config = { sandbox_write: ['~/cache'], sandbox_read: ['~/cache/not-there-yet'] };
    await session('mkdir ~/.secrets; ln -s ../.secrets ~/cache/not-there-yet', { config });
    expect((await session('cat ~/.secrets/key ~/cache/not-there-yet/key', { config })).stdout).not.toContain(
      'top secret',
    );
  });

  test('a folder that a variable names elsewhere', async () => {
    const outside = path.join(p.base, 'named');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'settings.json'), 'named');
    const env = { CLI_HOME: outside };
    const { stdout, sandboxed } = await session('cat $CLI_HOME/settings.json; echo kept > $CLI_HOME/session', { env });
    expect(stdout).toBe('named');
    expect(fs.readdirSync(outside)).toEqual(['settings.json']);
    const seen = sandboxed.envOutside['CLI_HOME'] ?? '';
    expect(fs.readFileSync(path.join(seen, 'session'), 'utf8')).toBe('kept\n');
    expect((await session('cat $CLI_HOME/session', { env })).stdout).toBe('kept\n');
  });

  test.each(['./agent.sh', 'tools/agent.sh', 'nowhere-to-be-found'])(
    'a program that is not found is not started, least of all without the sandbox: %s',
    async (named) => {
      fs.mkdirSync(path.join(p.root, '.worktrees/t/tools'), { recursive: true });
      for (const name of ['agent.sh', 'tools/agent.sh'])
        fs.writeFileSync(path.join(p.root, '.worktrees/t', name), '#!/bin/sh\n', { mode: 0o755 });
      await expect(session('', { program: named })).rejects.toThrow(`${named} was not found`);
    },
  );

  test('the credential stays outside; who it is, it may know', async () => {
    const { stdout } = await session('env | grep ^LIZA_ | sort');
    expect(stdout).toMatch(/^LIZA_AGENT_ID=coder-1\nLIZA_MAILBOX=.*\/mail\n$/);
  });

  test.each([
    ['coder', 'coder-1', 'written', 'write in WORKTREE'],
    ['code_reviewer', 'code-reviewer-1', 'Read-only file system', 'not a finding'],
    ['planner', 'planner-1', 'Read-only file system', 'PROJECT is read-only'],
  ] as const)('%s: writes its own folder or nothing, and is told so', async (role, agent, expected, told) => {
    const script = 'f=file; [ -e file ] || f=new; echo x >> $f && echo written';
    const { stdout, note } = await session(script, { role, agent });
    expect(stdout).toContain(expected);
    expect(note).toContain(told);
    expect(note).not.toContain('no network');
    const off = { [role === 'code_reviewer' ? 'reviewer' : role]: 'off' } as const;
    const alone = await session('cat /proc/net/dev | wc -l', { role, agent, config: { sandbox_network: off } });
    expect(alone.stdout.trim()).toBe('3');
    expect(alone.note).toContain('no network');
  });

  test('a linked worktree from before: unconfined under auto, and said; refused under require', async () => {
    fs.mkdirSync(path.join(p.root, '.worktrees/t'), { recursive: true });
    fs.writeFileSync(path.join(p.root, '.worktrees/t/.git'), 'gitdir: /elsewhere\n');
    await expect(session('true')).rejects.toThrow('linked worktree');
    const { sandboxed, note } = await session('true', { config: { sandbox: 'auto' } });
    expect(sandboxed.wrapped).toBe(false);
    expect(note).toBe('');
    expect(said.join()).toContain('this session is not in the sandbox');
  });
});
