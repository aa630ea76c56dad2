// What records of one state say about each other: one fast pass over 10,000 tasks, no recursion, and for a change a look
// at what it touched. Every message names its record, so that a violation is recognised wherever the record moves to.

import { taskIndex } from '../find.ts';
import { codersOf } from '../leases.ts';
import { isTerminal, type Question, type State, type Task, type TaskStatus } from '../state.ts';
import { missingDetails } from './anomaly-types.ts';
import type { Violation } from './check-record.ts';

export type Archived = ReadonlyMap<string, TaskStatus>;

/** Everything wrong with a state whose shape is sound. */
export function invariants(state: State, archived: Archived): readonly Violation[] {
  const found: Violation[] = [];
  const index = taskIndex(state.tasks);
  if (index.size < state.tasks.length) duplicateIds(state, found);
  for (let at = 0; at < state.tasks.length; at++) checkAmong(state.tasks, at, { index, archived }, found);
  findCycles(state.tasks, index, state.tasks.keys(), found);
  checkAgents(state, found);
  checkAnomalies(state, found);
  checkQuestions(state.questions ?? [], found);
  return found;
}

/**
 * Whether a change can have broken something, found out from the records that changed and their neighbours. Exact where
 * it says no: then `invariants` finds nothing in `after` that it did not find in `before`.
 */
export function mayBreak(before: State, after: State, archived: () => Archived): boolean {
  const found: Violation[] = [];
  if (after.agents !== before.agents) checkAgents(after, found);
  if (after.anomalies !== before.anomalies) checkAnomalies(after, found);
  if (after.questions !== before.questions) checkQuestions(after.questions ?? [], found);
  return found.length > 0 || (after.tasks !== before.tasks && tasksMayBreak(before.tasks, after.tasks, archived()));
}

function tasksMayBreak(before: readonly Task[], after: readonly Task[], archived: Archived): boolean {
  const [was, index] = [taskIndex(before), taskIndex(after)];
  const found: Violation[] = [];
  const rewired: number[] = [];
  let known = 0;
  for (const [at, task] of after.entries()) {
    const position = was.get(task.id);
    if (position !== undefined) known += 1;
    const old = position === undefined ? undefined : before[position];
    if (old === task) continue;
    // Those that depend on it may say so.
    if (old?.status === 'MERGED' && task.status !== 'MERGED') return true;
    checkAmong(after, at, { index, archived }, found);
    if (old?.depends_on !== task.depends_on) rewired.push(at);
  }
  // A task has left, or an id is there twice.
  if (known < before.length || index.size < after.length) return true;
  // A new cycle leads through a task that has other dependencies.
  findCycles(after, index, rewired, found);
  return found.length > 0;
}

/** What a task says about itself and about others. */
function checkAmong(
  tasks: readonly Task[],
  at: number,
  { index, archived }: { readonly index: ReadonlyMap<string, number>; readonly archived: Archived },
  found: Violation[],
): void {
  const task = tasks[at];
  if (task === undefined) return;
  const say = (field: string, message: string) =>
    found.push({ path: ['tasks', at, field], message: `task ${task.id}: ${message}` });
  if (archived.has(task.id)) say('id', 'an archived task has this id');
  checkTask(task, say, (id) => {
    const position = index.get(id);
    return (position === undefined ? archived.get(id) : tasks[position]?.status) === 'MERGED';
  });
  for (const dependency of task.depends_on ?? []) {
    if (!index.has(dependency) && !archived.has(dependency))
      say('depends_on', `depends on ${dependency}, which does not exist`);
  }
}

function checkAnomalies({ anomalies }: State, found: Violation[]): void {
  anomalies.forEach((anomaly, at) => {
    const missing = missingDetails(anomaly.type, anomaly.details);
    if (missing.length === 0) return;
    const message = `anomaly ${anomaly.id ?? `#${at + 1}`}: ${anomaly.type} needs ${missing.join(', ')}`;
    found.push({ path: ['anomalies', at, 'details'], message });
  });
}

function duplicateIds(state: State, found: Violation[]): void {
  const seen = new Set<string>();
  state.tasks.forEach((task, at) => {
    if (seen.has(task.id)) found.push({ path: ['tasks', at, 'id'], message: `task ${task.id}: the id is used twice` });
    seen.add(task.id);
  });
}

function checkQuestions(questions: readonly Question[], found: Violation[]): void {
  const seen = new Set<string>();
  questions.forEach(({ id, status, answer, assume }, at) => {
    const say = (field: string, message: string) =>
      found.push({ path: ['questions', at, field], message: `question ${id}: ${message}` });
    if (seen.has(id)) say('id', 'the id is used twice');
    seen.add(id);
    if (status === 'answered' && empty(answer)) say('answer', 'answered without an answer');
    if (status === 'assumed' && empty(assume)) say('assume', 'assumed without an assumption');
  });
}

type Say = (field: string, message: string) => void;

function checkTask(task: Task, say: Say, merged: (id: string) => boolean): void {
  const { status } = task;
  if (status === 'DRAFT') {
    if (task.assigned_to !== undefined) say('assigned_to', 'a DRAFT has no assignee');
  } else if (!isTerminal(status)) {
    for (const field of DEFINED) if (empty(task[field])) say(field, `${status} without ${field}`);
  }
  if ((task.reviewing_by === undefined) !== (task.review_lease_expires === undefined)) {
    say('reviewing_by', 'reviewing_by and review_lease_expires must be set together');
  }
  if (task.integration_fix === true && !task.history?.some((entry) => entry.event === 'integration_failed')) {
    say('integration_fix', 'integration_fix without an integration_failed event');
  }
  if (task.failed_by !== undefined && new Set(task.failed_by).size < task.failed_by.length) {
    say('failed_by', 'failed_by names a coder twice');
  }
  if (task.merging !== undefined && status !== 'APPROVED') say('merging', `${status} with a merge under way`);
  const required = REQUIRED[status];
  if (required !== undefined) {
    for (const field of required) if (empty(task[field])) say(field, `${status} without ${field}`);
  }
  switch (status) {
    case 'CLAIMED':
      for (const id of task.depends_on ?? []) if (!merged(id)) say('depends_on', `CLAIMED while ${id} is not MERGED`);
      break;
    case 'BLOCKED': {
      const questions = task.blocked_questions?.length ?? 0;
      if (questions < 1 || questions > 3) say('blocked_questions', `BLOCKED with ${questions} questions, needs 1 to 3`);
      break;
    }
    case 'MERGED':
      if (task.worktree !== undefined) say('worktree', 'MERGED with a worktree');
      break;
    case 'APPROVED':
      if (task.approved_by !== undefined && codersOf(task).includes(task.approved_by)) {
        say('approved_by', `approved by ${task.approved_by}, who coded it`);
      }
      break;
    default:
  }
}

const DEFINED = ['done_when', 'spec_ref', 'scope'] as const;
const REQUIRED: Readonly<Partial<Record<TaskStatus, readonly (keyof Task)[]>>> = {
  CLAIMED: ['assigned_to', 'worktree', 'lease_expires', 'base_commit'],
  READY_FOR_REVIEW: ['review_commit'],
  REJECTED: ['rejection_reason'],
  BLOCKED: ['blocked_reason'],
  SUPERSEDED: ['rescope_reason', 'superseded_by'],
  MERGED: ['merge_commit'],
  APPROVED: ['approved_by'],
};

const empty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Those that `roots` lead to. Depth-first with its own stack: a dependency chain may be as long as the board. */
function findCycles(
  tasks: readonly Task[],
  index: ReadonlyMap<string, number>,
  roots: Iterable<number>,
  found: Violation[],
): void {
  const colour = new Uint8Array(tasks.length);
  const stack: number[] = [];
  const cursor: number[] = [];
  for (const root of roots) {
    if (colour[root] !== 0) continue;
    stack.push(root);
    cursor.push(0);
    colour[root] = 1;
    while (stack.length > 0) {
      const top = stack.length - 1;
      const at = stack[top] ?? 0;
      const next = tasks[at]?.depends_on?.[cursor[top] ?? 0];
      cursor[top] = (cursor[top] ?? 0) + 1;
      if (next === undefined) {
        colour[at] = 2;
        stack.pop();
        cursor.pop();
        continue;
      }
      const position = index.get(next);
      if (position === undefined || colour[position] === 2) continue;
      if (colour[position] === 1) {
        const ring = stack.slice(stack.indexOf(position)).map((one) => tasks[one]?.id ?? '');
        const way = [...ring.slice(0, 12), next].join(' → ');
        found.push({
          path: ['tasks', position, 'depends_on'],
          message: `task ${next}: dependencies make a cycle: ${way}`,
        });
        continue;
      }
      colour[position] = 1;
      stack.push(position);
      cursor.push(0);
    }
  }
}

const ROLE_OF_STATUS: Readonly<Record<string, string>> = {
  WORKING: 'coder',
  WAITING: 'coder',
  REVIEWING: 'code_reviewer',
};

function checkAgents(state: State, found: Violation[]): void {
  const holders = new Map<string, string>();
  for (const [id, agent] of Object.entries(state.agents)) {
    const say = (field: string, message: string) =>
      found.push({ path: ['agents', id, field], message: `agent ${id}: ${message}` });
    const fits = ROLE_OF_STATUS[agent.status];
    if (fits !== undefined && fits !== agent.role) say('status', `${agent.status} is not a state of a ${agent.role}`);
    if (fits !== undefined && agent.current_task === undefined)
      say('current_task', `${agent.status} without current_task`);
    if (agent.current_task === undefined || agent.role === 'planner') continue;
    const key = `${agent.role} ${agent.current_task}`;
    const other = holders.get(key);
    if (other !== undefined) say('current_task', `holds ${agent.current_task} together with ${other}`);
    holders.set(key, id);
  }
}
