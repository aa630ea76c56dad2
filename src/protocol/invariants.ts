// What must be true of every state, and of every step from one state to the next.
// Passes that cost differently: `checkRecord` (records.ts) for one changed record, `invariants` for what
// records say about each other (one fast pass over 10,000 tasks, no recursion), `transitionViolations`
// for what a change must never do, `validate` for all of it on a document nobody has seen before.
// Every message names its record, so that a violation is recognised wherever the record moves to.

import type { Board } from './board.ts';
import { missingDetails } from './commands/messages/agent-reports.ts';
import { findTask, taskIndex } from './find.ts';
import { codersOf } from './leases.ts';
import { checkRecord, isOptional, recordsOf, SCHEMAS, type Violation } from './records/check-record.ts';
import { isTerminal, type Question, RECORD_SECTIONS, type State, type Task, type TaskStatus } from './state.ts';
import { isFields } from './values.ts';

export { checkRecord, type Section, type Violation } from './records/check-record.ts';

type Archived = ReadonlyMap<string, TaskStatus>;

/** Everything wrong with a state whose shape is sound. */
export function invariants(state: State, archived: Archived): readonly Violation[] {
  const found: Violation[] = [];
  const index = taskIndex(state.tasks);
  if (index.size < state.tasks.length) duplicateIds(state, found);
  const merged = (id: string) => {
    const position = index.get(id);
    return (position === undefined ? archived.get(id) : state.tasks[position]?.status) === 'MERGED';
  };
  for (let at = 0; at < state.tasks.length; at++) {
    const task = state.tasks[at];
    if (task === undefined) continue;
    const say = (field: string, message: string) =>
      found.push({ path: ['tasks', at, field], message: `task ${task.id}: ${message}` });
    if (archived.has(task.id)) say('id', 'an archived task has this id');
    checkTask(task, say, merged);
    for (const dependency of task.depends_on ?? []) {
      if (!index.has(dependency) && !archived.has(dependency))
        say('depends_on', `depends on ${dependency}, which does not exist`);
    }
  }
  findCycles(state.tasks, index, found);
  checkAgents(state, found);
  state.anomalies.forEach((anomaly, at) => {
    const missing = missingDetails(anomaly.type, anomaly.details);
    if (missing.length === 0) return;
    const message = `anomaly ${anomaly.id ?? `#${at + 1}`}: ${anomaly.type} needs ${missing.join(', ')}`;
    found.push({ path: ['anomalies', at, 'details'], message });
  });
  checkQuestions(state.questions ?? [], found);
  return found;
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

/** Depth-first with its own stack: a dependency chain may be as long as the board. */
function findCycles(tasks: readonly Task[], index: ReadonlyMap<string, number>, found: Violation[]): void {
  const colour = new Uint8Array(tasks.length);
  const stack: number[] = [];
  const cursor: number[] = [];
  for (let root = 0; root < tasks.length; root++) {
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

/** What a change did that no change may do: cut history, leave a terminal state, lose a task. */
export function transitionViolations(before: State, after: State, archived: Archived): readonly Violation[] {
  if (before.tasks === after.tasks) return [];
  const found: Violation[] = [];
  before.tasks.forEach((old, at) => {
    const now = after.tasks[at]?.id === old.id ? after.tasks[at] : findTask(after, old.id);
    if (now === old) return;
    const say = (field: string, message: string) =>
      found.push({ path: ['tasks', at, field], message: `task ${old.id}: ${message}` });
    if (now === undefined) {
      if (!archived.has(old.id) || !isTerminal(old.status)) say('id', 'a task disappeared');
      return;
    }
    if (isTerminal(old.status) && now.status !== old.status) say('status', `left the terminal state ${old.status}`);
    const kept = (old.history ?? []).every((entry, nth) => same(entry, now.history?.[nth]));
    if (!kept) say('history', 'history was cut or rewritten');
  });
  return found;
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Violations of `after` that the board did not have: of its records, their relations, and the step itself. */
export function introduced(board: Board, after: State, archived: Archived): readonly Violation[] {
  const step = transitionViolations(board.state, after, archived);
  const relations = invariants(after, archived);
  const known = relations.length === 0 ? new Set<string>() : messagesOf(invariants(board.state, board.archived));
  return [...step, ...changedRecords(board.state, after), ...relations.filter(({ message }) => !known.has(message))];
}

const messagesOf = (violations: readonly Violation[]): ReadonlySet<string> =>
  new Set(violations.map(({ message }) => message));

function changedRecords(before: State, after: State): readonly Violation[] {
  return recordsOf(after, before).flatMap(({ section, value, old, path }) => {
    const problems = checkRecord(section, value, path, old);
    if (problems.length === 0 || old === undefined) return problems;
    const known = messagesOf(checkRecord(section, old, path));
    return problems.filter(({ message }) => !known.has(message));
  });
}

/** Everything `liza validate` says of a parsed document: sections, records, relations. */
export function validate(document: unknown, archived: Archived): readonly Violation[] {
  if (!isFields(document)) return [{ path: [], message: 'the state is not a map of sections' }];
  const found: Violation[] = [];
  if (typeof document['version'] !== 'number') found.push({ path: ['version'], message: 'version is missing' });
  for (const section of Object.keys(SCHEMAS)) {
    if (isOptional(section) && (document[section] ?? undefined) === undefined) continue;
    const kind = (RECORD_SECTIONS as Readonly<Record<string, 'list' | 'map' | undefined>>)[section];
    const sound = kind === 'list' ? Array.isArray(document[section]) : isFields(document[section]);
    if (!sound) found.push({ path: [section], message: `section ${section} is missing or not a ${kind ?? 'map'}` });
  }
  const missing = new Set(found.map(({ path }) => path[0]));
  const state = { ...document, ...emptySections(missing) } as unknown as State;
  const broken = recordsOf(state, undefined)
    .filter(({ section }) => !missing.has(section))
    .flatMap(({ section, value, path }) => checkRecord(section, value, path));
  return [...found, ...broken, ...invariants(withoutBroken(state, broken), archived)];
}

/** Empty sections in place of missing ones: these are reported once, and the other sections are still checked. */
const emptySections = (missing: ReadonlySet<unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(RECORD_SECTIONS)
      .filter(([section]) => missing.has(section))
      .map(([section, kind]) => [section, kind === 'list' ? [] : {}]),
  );

/** Relations are judged among sound records; a broken task leaves a stub, so that positions and ids stay. */
function withoutBroken(state: State, broken: readonly Violation[]): State {
  if (broken.length === 0) return state;
  const bad = new Set(broken.map(({ path }) => `${path[0]} ${path[1]}`));
  return {
    ...state,
    tasks: state.tasks.map((task, at) =>
      bad.has(`tasks ${at}`) ? { id: isFields(task) ? String(task.id) : `#${at}`, status: 'DRAFT', priority: 3 } : task,
    ),
    agents: Object.fromEntries(Object.entries(state.agents).filter(([id]) => !bad.has(`agents ${id}`))),
    anomalies: state.anomalies.map((anomaly, at) => (bad.has(`anomalies ${at}`) ? { type: 'spec_gap' } : anomaly)),
    questions: (state.questions ?? []).filter((_, at) => !bad.has(`questions ${at}`)),
  };
}
