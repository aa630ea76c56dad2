// A project folder, a board in memory and a fake terminal: what every CLI test runs against.

import type { Agent, State, Task } from '../../../src/protocol/state.ts';
import type { Store } from '../../../src/store/store.ts';
import { instant } from '../../../src/text/time.ts';
import { hostAt } from '../../host.ts';
import { memoryStore } from '../../memory-store.ts';
import { boardContext } from '../../support/board-context.ts';
import { inProcess, type Liza } from '../../support/in-process.ts';
import { type Repository, repositoryIn, start } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { board } from '../boards/empty-board.ts';

export const NOW = instant('2026-03-01T12:00:00Z');
export const COMMIT = 'a'.repeat(40);
export const BASE = 'b'.repeat(40);

export interface Project extends Repository {
  readonly store: Store;
  readonly liza: Liza;
  task(id: string): Promise<Task>;
  state(): Promise<State>;
}

/** `changes` may need the folder first, for commits that are really there. */
export function project(changes: Partial<State> | ((repo: Repository) => Partial<State>) = {}): Project {
  const repo = repositoryIn(temporaryFolder());
  repo.write({ '.liza/state.yaml.lock': '', 'specs/auth.md': '# Login\n\n## Retry\n' });
  const store = memoryStore(aState(typeof changes === 'function' ? changes(repo) : changes), { now: () => NOW });
  const env = { PATH: process.env['PATH'] };
  return {
    ...repo,
    store,
    liza: inProcess({ root: repo.root, env, now: () => NOW, io: { openStore: () => store } }),
    task: async (id) => {
      const found = await store.readTask(id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found.task;
    },
    state: async () => (await store.read()).board.state,
  };
}

/** For `openSession`. */
export const sessionsAt = (root: string) => boardContext(root, { host: hostAt(() => NOW) });

export const aState = (changes: Partial<State> = {}): State =>
  board({
    state: {
      goal: {
        id: 'goal-1',
        description: 'Retry all API calls',
        status: 'IN_PROGRESS',
        created: '2026-03-01T09:00:00Z',
      },
      sprint: {
        id: 'sprint-1',
        goal_ref: 'goal-1',
        scope: { planned: [] },
        timeline: { started: '2026-03-01T09:00:00Z' },
        status: 'IN_PROGRESS',
      },
      config: { integration_branch: 'integration', test_command: 'npm test' },
      ...changes,
    },
  }).state;

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

const LIVES = { lease_expires: '2026-03-01T12:04:00Z', heartbeat: '2026-03-01T11:59:00Z' };
const at = (status: Agent['status'], task: string | undefined) =>
  task === undefined ? { status: 'IDLE' as const } : { status, current_task: task };

export const agents = (tasks: { coder?: string; reviewer?: string } = {}): State['agents'] => ({
  'planner-1': { role: 'planner', status: 'IDLE', ...LIVES },
  'coder-1': { role: 'coder', ...LIVES, ...at('WORKING', tasks.coder) },
  'coder-2': { role: 'coder', status: 'IDLE', ...LIVES },
  'code-reviewer-1': {
    role: 'code_reviewer',
    ...LIVES,
    lease_expires: '2026-03-01T12:08:00Z',
    ...at('REVIEWING', tasks.reviewer),
  },
});

/** Makes the folder a repository with the worktree of one task in it; answers with the commit both are at. */
export function withWorktree(repo: Repository, task: string): string {
  start(repo, 'main', { 'a.txt': 'a\n' });
  repo.git('worktree', 'add', '-q', '-b', `task/${task}`, repo.file('.worktrees', task));
  return repo.head('HEAD');
}
