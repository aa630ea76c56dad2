// Which failures of set-up say something about the board as it is, and what they hold back. One on the integration
// branch keeps new work from starting; one of a task's own commit concerns that task alone.

import { gist } from '../../text/format.ts';
import { tellingLines } from '../../text/telling-lines.ts';
import { type Instant, instant } from '../../text/time.ts';
import type { SetupPart } from '../records/setup-records.ts';
import type { Settings, SetupFailure, State, Task, TaskStatus } from '../state.ts';
import { defined } from '../values.ts';

type SetupSettings = Pick<
  Settings,
  | 'post_worktree_cmd'
  | 'post_worktree_timeout'
  | 'worktree_files'
  | 'setup_inputs'
  | 'agent_memory_mb'
  | 'agent_processes'
  | 'sandbox'
  | 'sandbox_network'
  | 'sandbox_read'
  | 'setup_read'
  | 'sandbox_write'
>;

/** The settings that decide how a checkout is prepared, as one text: another text is another reason to try it. */
export function setupRules(settings: SetupSettings): string {
  const { post_worktree_cmd, post_worktree_timeout, worktree_files = [], agent_memory_mb, agent_processes } = settings;
  const {
    sandbox,
    sandbox_network,
    sandbox_read = [],
    sandbox_write = [],
    setup_inputs = [],
    setup_read = [],
  } = settings;
  const run = [post_worktree_cmd ?? null, post_worktree_timeout, worktree_files, agent_memory_mb ?? null];
  return JSON.stringify([
    ...run,
    agent_processes,
    sandbox,
    sandbox_network?.setup ?? 'on',
    sandbox_read,
    sandbox_write,
    setup_inputs,
    setup_read,
  ]);
}

/** Whether checkouts are prepared at all. */
export const hasSetup = ({
  post_worktree_cmd,
  worktree_files,
}: Pick<SetupSettings, 'post_worktree_cmd' | 'worktree_files'>): boolean =>
  (typeof post_worktree_cmd === 'string' && post_worktree_cmd.trim() !== '') || (worktree_files ?? []).length > 0;

const OVER: ReadonlySet<TaskStatus> = new Set(['MERGED', 'SUPERSEDED', 'ABANDONED']);

/** Failures that still matter: those on the integration branch first, then task by task. */
export function setupFailures({ goal, config, tasks }: Pick<State, 'goal' | 'config' | 'tasks'>) {
  const all = goal.setup_failures ?? [];
  if (all.length === 0 || !hasSetup(config)) return [];
  const isOver = (id: string | undefined): boolean => !tasks.some((task) => task.id === id && !OVER.has(task.status));
  return [...all.filter(({ on_base }) => on_base), ...all.filter(({ on_base, task }) => !on_base && !isOver(task))];
}

/** The failure that keeps new work from starting. */
export const baseSetupFailure = (state: Pick<State, 'goal' | 'config' | 'tasks'>): SetupFailure | undefined =>
  setupFailures(state).find(({ on_base }) => on_base === true);

/** The failure that keeps this task from going on. */
export function setupFailureOf(
  failures: readonly SetupFailure[],
  { id, status }: Pick<Task, 'id' | 'status'>,
): SetupFailure | undefined {
  if (OVER.has(status)) return undefined;
  return failures.find(({ task, on_base }) => (on_base === true ? status === 'UNCLAIMED' : task === id));
}

/** Tasks whose review or merge waits for a set-up that fails. */
export const unpreparedTasks = (state: Pick<State, 'goal' | 'config' | 'tasks'>): readonly string[] =>
  setupFailures(state).flatMap(({ part, task }) =>
    task !== undefined && (part === 'review' || part === 'merge') ? [task] : [],
  );

/** Equal as long as there is no new reason to try a set-up that failed. */
export function setupMark(state: State, settings: SetupSettings): string {
  return [setupRules(settings), state.goal.integration_head ?? '', baseSetupFailure(state)?.time ?? ''].join(' ');
}

/** A failed set-up of the integration branch is tried again by then: a network that was down changes nothing on the board. */
export const TRY_AGAIN_MS = 15 * 60_000;

/** Whether anything changed by which the integration branch's set-up may succeed now. */
export const mayWorkNow = (state: State, failure: SetupFailure, now: Now): boolean =>
  whyTryAgain(state, failure, now) !== undefined;

/** What has changed since it failed; undefined: nothing. `files`: filesMark of the disk. */
export function whyTryAgain(state: State, failure: SetupFailure, now: Now): string | undefined {
  if (failure.rules !== setupRules(now.settings)) return 'a setting changed';
  if (failure.head !== state.goal.integration_head) return 'the integration branch moved';
  if (failure.files !== now.files) return 'a file of worktree_files changed';
  return now.at - instant(failure.time) >= TRY_AGAIN_MS ? 'the last one failed a while ago' : undefined;
}

interface Now {
  readonly settings: SetupSettings;
  readonly files: string | undefined;
  readonly at: Instant;
}

const PLACES = {
  worktree: 'the folder of {task}',
  trial: 'the integration branch',
  check: 'the integration branch',
  proof: 'the proof of {task}',
  review: 'the review of {task}',
  merge: 'the merge of {task}',
} as const;

export const isSetupPart = (value: unknown): value is SetupPart =>
  typeof value === 'string' && Object.hasOwn(PLACES, value);

/** What a checkout is for: `the integration branch`, `the review of parse`. */
export const setupPlace = ({ part, task }: Pick<SetupFailure, 'part' | 'task'>): string =>
  PLACES[part].replace('{task}', task ?? 'a task');

export const SETUP_FAILS = 'set-up fails for';

/** `set-up fails for the integration branch (1a2b3c4d5e6f): post_worktree_cmd "npm ci" ended with 1`. */
export function setupFailureText({ part, task, on_base, commit, reason }: SetupFailure): string {
  const place = on_base === true ? PLACES.check : setupPlace({ part, ...defined({ task }) });
  return `${SETUP_FAILS} ${place} (${commit.slice(0, 12)}): ${reason}`;
}

/** The same with the line that tells most of what was printed and what a person can do, in one line. */
export function setupFailureNews(failure: SetupFailure): string {
  const [telling = ''] = tellingLines((failure.output ?? '').trim(), 1);
  return `${setupFailureText(failure)}${telling === '' ? '' : `: ${gist(telling, 200)}`} — ${failure.remedy}`;
}
