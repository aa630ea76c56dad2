// A project folder, a board in memory and a fake terminal: what every CLI test runs against.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../../../src/cli/io.ts';
import { run } from '../../../src/cli/run.ts';
import { specExists } from '../../../src/cli/spec-file.ts';
import { realFiles } from '../../../src/ports/files.ts';
import type { State, Task } from '../../../src/protocol/state.ts';
import { contextOf } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { instant } from '../../../src/text/time.ts';
import { hostAt } from '../../host.ts';
import { testIo } from '../../io.ts';
import { memoryStore } from '../../memory-store.ts';

export const NOW = instant('2026-03-01T12:00:00Z');
export const COMMIT = 'a'.repeat(40);
export const BASE = 'b'.repeat(40);

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What `--json` printed. */
  readonly json: Record<string, unknown>;
}

export interface Project {
  readonly root: string;
  readonly store: Store;
  /** `agent` acts as that agent; without it the human acts. */
  liza(argv: readonly string[], as?: Partial<Setting>): Promise<Ran>;
  task(id: string): Promise<Task>;
  state(): Promise<State>;
  remove(): void;
}

export interface Setting {
  readonly agent: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly unicode: boolean;
  readonly cwd: string;
  readonly stop: AbortSignal;
  readonly onStdout: (text: string) => void;
  readonly io: Partial<Io>;
}

/** `changes` may need the folder first, for commits that are really there. */
export function project(changes: Partial<State> | ((root: string) => Partial<State>) = {}): Project {
  const root = mkdtempSync(join(tmpdir(), 'liza-cli-'));
  mkdirSync(join(root, '.liza'));
  mkdirSync(join(root, 'specs'));
  writeFileSync(join(root, '.liza', 'state.yaml.lock'), '');
  writeFileSync(join(root, 'specs', 'auth.md'), '# Login\n');
  const store = memoryStore(aState(typeof changes === 'function' ? changes(root) : changes), { now: () => NOW });
  return {
    root,
    store,
    liza: (argv, as = {}) => runIn(root, store, argv, as),
    task: async (id) => {
      const found = await store.readTask(id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found.task;
    },
    state: async () => (await store.read()).board.state,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function runIn(root: string, store: Store, argv: readonly string[], as: Partial<Setting>): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const cwd = as.cwd ?? root;
  const env = { PATH: process.env.PATH, ...(as.agent === undefined ? {} : { LIZA_AGENT_ID: as.agent }), ...as.env };
  const host = hostAt(() => NOW);
  const io = testIo(cwd, host, {
    env,
    stdout: (text) => {
      stdout += text;
      as.onStdout?.(text);
    },
    stderr: (text) => {
      stderr += text;
    },
    readStdin: async () => as.stdin ?? '',
    readLine: async () => as.stdin ?? '',
    unicode: as.unicode ?? true,
    ...(as.stop === undefined ? {} : { stop: as.stop }),
    context: (folder, gitDirectory) =>
      contextOf({
        root: folder,
        gitDirectory,
        host,
        specExists: (ref) => specExists(folder, ref),
        nested: undefined,
      }),
    openStore: () => store,
    ...as.io,
  });
  const code = await run(argv, io);
  return { code, stdout, stderr, json: argv.includes('--json') ? parsed(stdout) : {} };
}

/** For `openSession`. */
export const sessionsAt = (root: string) => ({
  ...hostAt(() => NOW),
  files: realFiles,
  paths: { agents: join(root, '.liza/agents') },
});

/** Text output has no JSON in it; a test that expects some fails on the empty object. */
function parsed(stdout: string): Record<string, unknown> {
  return stdout.startsWith('{') ? (JSON.parse(stdout) as Record<string, unknown>) : {};
}

export function aState(changes: Partial<State> = {}): State {
  return {
    version: 1,
    goal: { id: 'goal-1', description: 'Retry all API calls', status: 'IN_PROGRESS', created: '2026-03-01T09:00:00Z' },
    tasks: [],
    agents: {},
    discovered: [],
    handoff: {},
    human_notes: [],
    spec_changes: [],
    anomalies: [],
    sprint: {
      id: 'sprint-1',
      goal_ref: 'goal-1',
      scope: { planned: [] },
      timeline: { started: '2026-03-01T09:00:00Z' },
      status: 'IN_PROGRESS',
    },
    circuit_breaker: { status: 'OK' },
    config: { integration_branch: 'integration', test_command: 'npm test' },
    ...changes,
  };
}

export const aTask = (id: string, changes: Partial<Task> = {}): Task => ({
  id,
  description: `Build ${id}`,
  type: 'code',
  status: 'DRAFT',
  priority: 3,
  spec_ref: 'specs/auth.md',
  done_when: 'three 503s in a row still log in',
  scope: 'IN: src/auth. OUT: the UI',
  created: '2026-03-01T10:00:00Z',
  history: [{ time: '2026-03-01T10:00:00Z', event: 'created', agent: 'planner-1' }],
  ...changes,
});

export const aClaim = (id: string, coder = 'coder-1'): Task =>
  aTask(id, {
    status: 'CLAIMED',
    assigned_to: coder,
    worktree: `.worktrees/${id}`,
    base_commit: BASE,
    iteration: 1,
    epoch: 1,
    lease_expires: '2026-03-01T12:04:00Z',
    history: [
      { time: '2026-03-01T10:00:00Z', event: 'created', agent: 'planner-1' },
      { time: '2026-03-01T11:59:00Z', event: 'claimed', agent: coder },
    ],
  });

export const aBlocked = (id: string, changes: Partial<Task> = {}): Task =>
  aTask(id, {
    status: 'BLOCKED',
    blocked_reason: 'the spec names no limit',
    blocked_questions: ['How many?'],
    ...changes,
  });

export const aReview = (id: string, reviewer = 'code-reviewer-1'): Task =>
  aTask(id, {
    status: 'READY_FOR_REVIEW',
    assigned_to: 'coder-1',
    worktree: `.worktrees/${id}`,
    base_commit: BASE,
    review_commit: COMMIT,
    iteration: 1,
    epoch: 1,
    reviewing_by: reviewer,
    review_lease_expires: '2026-03-01T12:08:00Z',
    history: [
      { time: '2026-03-01T11:00:00Z', event: 'claimed', agent: 'coder-1' },
      { time: '2026-03-01T11:50:00Z', event: 'submitted_for_review', agent: 'coder-1' },
    ],
  });

export const agents = (tasks: { coder?: string; reviewer?: string } = {}): State['agents'] => ({
  'planner-1': {
    role: 'planner',
    status: 'IDLE',
    lease_expires: '2026-03-01T12:04:00Z',
    heartbeat: '2026-03-01T11:59:00Z',
  },
  'coder-1': {
    role: 'coder',
    lease_expires: '2026-03-01T12:04:00Z',
    heartbeat: '2026-03-01T11:59:00Z',
    ...(tasks.coder === undefined ? { status: 'IDLE' } : { status: 'WORKING', current_task: tasks.coder }),
  },
  'coder-2': {
    role: 'coder',
    status: 'IDLE',
    lease_expires: '2026-03-01T12:04:00Z',
    heartbeat: '2026-03-01T11:59:00Z',
  },
  'code-reviewer-1': {
    role: 'code_reviewer',
    lease_expires: '2026-03-01T12:08:00Z',
    heartbeat: '2026-03-01T11:59:00Z',
    ...(tasks.reviewer === undefined ? { status: 'IDLE' } : { status: 'REVIEWING', current_task: tasks.reviewer }),
  },
});

/** Git with an identity of its own, whatever the machine's configuration says. */
export function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, '-C', folder, ...args], { encoding: 'utf8' }).trim();
}

/** Makes the folder a repository with the worktree of one task in it; answers with the commit both are at. */
export function repository(root: string, task: string): string {
  git(root, 'init', '-q');
  writeFileSync(join(root, 'a.txt'), 'a\n');
  git(root, 'add', 'a.txt', 'specs');
  git(root, 'commit', '-qm', 'first');
  git(root, 'worktree', 'add', '-q', '-b', `task/${task}`, join(root, '.worktrees', task));
  return git(root, 'rev-parse', 'HEAD');
}
