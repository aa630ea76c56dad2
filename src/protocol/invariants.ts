// What must be true of every state, and of every step from one state to the next.
// Passes that cost differently: `checkRecord` (records/check-record.ts) for one changed record, `invariants` (records/relations.ts) for
// what records say about each other, `transitionViolations` for what a change must never do, `validate` for all of it on
// a document nobody has seen before.

import type { Board } from './board.ts';
import { findTask } from './find.ts';
import { checkRecord, isOptional, recordsOf, SCHEMAS, type Violation } from './records/check-record.ts';
import { type Archived, invariants, mayBreak } from './records/relations.ts';
import { isTerminal, RECORD_SECTIONS, type State, type Task } from './state.ts';
import { isFields } from './values.ts';

export { checkRecord, type Section, type Violation } from './records/check-record.ts';
export { invariants } from './records/relations.ts';

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

/**
 * Violations of `after` that the board did not have: of its records, their relations, and the step itself. `leaving`:
 * tasks that go to the archive with this step.
 */
export function introduced(board: Board, after: State, leaving: readonly Task[] = []): readonly Violation[] {
  const archived = (): Archived =>
    leaving.length === 0
      ? board.archived
      : new Map([...board.archived, ...leaving.map(({ id, status }) => [id, status] as const)]);
  const { state: before } = board;
  const step = before.tasks === after.tasks ? [] : transitionViolations(before, after, archived());
  const broken = leaving.length > 0 || mayBreak(before, after, archived) ? invariants(after, archived()) : [];
  const known = broken.length === 0 ? new Set<string>() : messagesOf(invariants(before, board.archived));
  return [...step, ...changedRecords(before, after), ...broken.filter(({ message }) => !known.has(message))];
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
