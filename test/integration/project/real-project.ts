// A real repository with a real board, the verbs run in this process, and a clock in the hand.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../../../src/cli/run.ts';
import { gitDirectoryOf } from '../../../src/git/directory.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import type { Task } from '../../../src/protocol/state.ts';
import type { BoardContext } from '../../../src/store/context.ts';
import { contextOf, openYamlStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { hostAt } from '../../host.ts';
import { testIo } from '../../io.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What `--json` printed. */
  readonly json: Record<string, unknown>;
}

export interface Project {
  readonly root: string;
  readonly store: Store;
  readonly context: BoardContext;
  liza(argv: readonly string[], agent?: string, cwd?: string): Promise<Ran>;
  /** Throws unless it succeeds. */
  ok(argv: readonly string[], agent?: string): Promise<Ran>;
  git(...args: string[]): string;
  in(folder: string, ...args: string[]): string;
  write(file: string, text: string): void;
  pass(seconds: number): void;
  task(id: string): Promise<Task>;
  /** Unclaimed. */
  add(id: string): Promise<void>;
  /** Returns its folder. */
  claim(id: string, coder?: string): Promise<string>;
  /** Commits in the task's folder; returns the commit. */
  commit(id: string, file: string, text: string): string;
  /** From the checkpoint to the submission of a commit, which is returned. */
  submit(id: string, file: string, text: string, coder?: string): Promise<string>;
  verdict(id: string, verdict: 'APPROVED' | 'REJECTED', reason?: string): Promise<void>;
  /** All the way; returns the merge commit. */
  merge(id: string, text?: string): Promise<string>;
  remove(): void;
}

export const REJECTION = `Blockers: 1
- [blocker] src/greet.ts:1 — it greets nobody
  Why it matters: the spec names a person
  Suggestion: greet that person
Concerns: 0
Overall: close`;

export function project(): Project {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'liza-real-')));
  const root = join(home, 'project');
  mkdirSync(root);
  let now = Date.parse('2026-03-01T09:00:00Z');
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-C', folder, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // A person who means it when they move the integration branch.
      env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1', LIZA_INTEGRATION: 'mine' },
    }).trimEnd();
  const context = (folder = root, directory = gitDirectoryOf(realDisk, folder)): BoardContext =>
    contextOf({
      root: folder,
      gitDirectory: directory,
      host: hostAt(() => now),
      specExists: () => true,
      nested: undefined,
    });
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };

  const liza = async (argv: readonly string[], agent?: string, cwd = root): Promise<Ran> => {
    let out = '';
    let err = '';
    const env = { PATH: process.env['PATH'], ...(agent === undefined ? {} : { LIZA_AGENT_ID: agent }) };
    const io = testIo(
      cwd,
      hostAt(() => now),
      {
        env,
        stdout: (text) => {
          out += text;
        },
        stderr: (text) => {
          err += text;
        },
        columns: 120,
        context,
      },
    );
    const code = await run(argv, io);
    return { code, out, err, json: out.startsWith('{') ? JSON.parse(out) : {} };
  };
  const ok = async (argv: readonly string[], agent?: string): Promise<Ran> => {
    const ran = await liza(argv, agent);
    if (ran.code !== 0) throw new Error(`liza ${argv.join(' ')}: ${ran.code}\n${ran.out}${ran.err}`);
    return ran;
  };
  const registered = async (agent: string): Promise<void> => {
    now += 1000;
    await liza(['register', agent], agent); // refused when it lives already, which is as good
  };

  write('specs/vision.md', '# Vision\n');
  write('a.txt', 'a\n');
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'start');

  const self: Project = {
    root,
    get store() {
      return openYamlStore(context());
    },
    get context() {
      return context();
    },
    liza,
    ok,
    git: (...args) => git(root, ...args),
    in: git,
    write,
    pass: (seconds) => {
      now += seconds * 1000;
    },
    task: async (id) => {
      const found = await self.store.readTask(id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found.task;
    },
    add: async (id) => {
      const scope = 'IN: src/, tests/';
      const flags = { desc: `Build ${id}`, spec: 'specs/vision.md', done: 'it greets', scope, validate: 'true' };
      const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
      await ok(['add-task', '--id', id, ...given, '--ready']);
    },
    claim: async (id, coder = 'coder-1') => {
      await registered(coder);
      await ok(['claim-task', id, coder], coder);
      return join(root, '.worktrees', id);
    },
    commit: (id, file, text) => {
      write(join('.worktrees', id, file), text);
      const folder = join(root, '.worktrees', id);
      git(folder, 'add', '-A');
      git(folder, 'commit', '-qm', `work on ${file}`);
      return git(folder, 'rev-parse', 'HEAD');
    },
    submit: async (id, file, text, coder = 'coder-1') => {
      const said = { intent: `Write ${id}`, risks: 'none', validation: 'npm test is green' };
      const given = Object.entries(said).flatMap(([name, value]) => [`--${name}`, value]);
      await ok(['begin', id, ...given, '--file', file], coder);
      self.commit(id, `tests/${id}.test.ts`, `test ${text}\n`);
      const commit = self.commit(id, file, text);
      await ok(['submit-for-review', id, commit], coder);
      return commit;
    },
    verdict: async (id, verdict, reason) => {
      await registered('code-reviewer-1');
      await ok(['claim-review', id, 'code-reviewer-1'], 'code-reviewer-1');
      await ok(['submit-verdict', id, verdict, ...(reason === undefined ? [] : [reason])], 'code-reviewer-1');
    },
    merge: async (id, text = `${id}\n`) => {
      await self.add(id);
      await self.claim(id);
      await self.submit(id, `src/${id}.ts`, text);
      await self.verdict(id, 'APPROVED', 'good');
      await ok(['wt', 'merge', id]);
      return (await self.task(id)).merge_commit ?? '';
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
  return self;
}
