// What an edit by hand may do to each kind of record (docs/blackboard.md). Each edit is decided as the command that
// it amounts to: a new task is add-task, a new definition amend, BLOCKED replan, a setting config set.

import { iso } from '../../text/time.ts';
import { OPERATOR } from '../board.ts';
import type { Command } from '../command.ts';
import { guardedSetting, knownSetting } from '../config.ts';
import { decide } from '../decide.ts';
import type { Decision } from '../decision.ts';
import type { Definition, DefinitionChange } from '../definition/payloads.ts';
import { hideIn } from '../input.ts';
import { checkRecord } from '../invariants.ts';
import { nextNoteId } from '../messages/notes.ts';
import { type State, type Task, TaskSchema } from '../state.ts';
import { type Fields, isFields, same } from '../values.ts';
import {
  changedFields,
  type Draft,
  illegal,
  pick,
  removedFields,
  replaceRecord,
  toldFields,
  type Versions,
  without,
  withState,
} from './draft.ts';

const DEFINITION = [
  'description',
  'type',
  'priority',
  'spec_ref',
  'done_when',
  'scope',
  'depends_on',
  'needs',
  'validation',
] as const;
const BLOCKING = ['status', 'blocked_reason', 'blocked_questions', 'attempted'];
/** Written by commands, and harmless in a task that was copied by hand: they are left out. */
const COPIED = ['spec_hash', 'spec_seen'];
const BORN_WITH = new Set<string>(['id', 'status', 'created', 'goal', 'history', ...COPIED, ...DEFINITION]);

export function adoptTask(draft: Draft, versions: Versions): void {
  const theirs = versions.theirs as Fields;
  if (versions.head === undefined) return adoptNewTask(draft, versions, theirs);
  const head = versions.head as Task;
  const changed = changedFields(versions.base ?? {}, theirs);
  const own = changed.filter((field) => !(field in TaskSchema.entries));
  const defined = changed.filter((field) => (DEFINITION as readonly string[]).includes(field));
  const blocks = changed.includes('status') && theirs['status'] === 'BLOCKED';
  const others = changed.filter(
    (field) => !own.includes(field) && !defined.includes(field) && !(blocks && BLOCKING.includes(field)),
  );
  if (others.length > 0) return illegal(draft, versions, `${others.join(', ')} is changed only by a command`);
  if (defined.length > 0 && !blocks && !['DRAFT', 'UNCLAIMED', 'BLOCKED'].includes(head.status)) {
    return illegal(
      draft,
      versions,
      `its definition is fixed while it is ${head.status}`,
      `first: liza replan ${versions.key}`,
    );
  }
  const removed = removedFields(versions, (field) => field in TaskSchema.entries);
  // Only known fields are left out, which no edit removes.
  if (changed.length + removed.length === 0) return;
  const before = draft.board;
  if (blocks && !run(draft, versions, replanOf(versions.key, theirs))) return;
  if (blocks) keepQuestions(draft, versions.key, theirs);
  if (defined.length > 0) {
    const changes = pick(theirs, defined) as DefinitionChange;
    // The gates of an UNCLAIMED task ask for its spec whether or not the edit touched it.
    const facts = specFacts(draft, changes.spec_ref ?? head.spec_ref);
    if (!run(draft, versions, { name: 'amend', task: versions.key, changes, facts })) {
      draft.board = before;
      return;
    }
  }
  if (own.length > 0) addOwnFields(draft, versions.key, pick(theirs, own));
  if (removed.length > 0) {
    const tasks = draft.board.state.tasks.map((task) => (task.id === versions.key ? without(task, removed) : task));
    draft.board = withState(draft.board, { tasks });
  }
  draft.adopted.push(`${versions.record}: ${toldFields(changed, removed)}`);
}

function adoptNewTask(draft: Draft, versions: Versions, theirs: Fields): void {
  const status = theirs['status'] ?? 'DRAFT';
  if (status !== 'DRAFT' && status !== 'UNCLAIMED') {
    return illegal(draft, versions, `a new task is DRAFT or UNCLAIMED, not ${String(status)}`);
  }
  const known = Object.keys(theirs).filter((field) => field in TaskSchema.entries && !BORN_WITH.has(field));
  const forged = known.filter((field) => !isEmpty(theirs[field]));
  if (forged.length > 0) return illegal(draft, versions, `${forged.join(', ')} is set only by commands`);
  const definition = pick(
    theirs,
    ['id', ...DEFINITION].filter((field) => theirs[field] !== undefined && theirs[field] !== null),
  ) as unknown as Definition;
  const facts = specFacts(draft, definition.spec_ref);
  if (!run(draft, versions, { name: 'add-task', definition, ready: status === 'UNCLAIMED', facts })) return;
  addOwnFields(
    draft,
    versions.key,
    pick(
      theirs,
      Object.keys(theirs).filter((field) => !(field in TaskSchema.entries)),
    ),
  );
  draft.adopted.push(`${versions.record}: added as ${status}`);
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0);

function replanOf(task: string, theirs: Fields): Command {
  const reason = theirs['blocked_reason'];
  return { name: 'replan', task, ...(typeof reason === 'string' && reason !== '' ? { reason } : {}) };
}

function keepQuestions(draft: Draft, id: string, theirs: Fields): void {
  const questions = theirs['blocked_questions'];
  const asked = Array.isArray(questions) && questions.length >= 1 && questions.length <= 3;
  addOwnFields(draft, id, {
    ...(asked ? { blocked_questions: questions } : {}),
    ...(Array.isArray(theirs['attempted']) ? { attempted: theirs['attempted'] } : {}),
  });
}

function addOwnFields(draft: Draft, id: string, fields: Fields): void {
  if (Object.keys(fields).length === 0) return;
  const tasks = draft.board.state.tasks.map((task) => (task.id === id ? { ...task, ...fields } : task));
  draft.board = withState(draft.board, { tasks });
}

/** Notes and spec changes: new ones are welcome, old ones stand. */
export function adoptListed(draft: Draft, section: 'human_notes' | 'spec_changes', versions: Versions): void {
  if (versions.head !== undefined) return illegal(draft, versions, 'existing notes cannot be changed');
  const theirs = versions.theirs as Fields;
  const needed = section === 'human_notes' ? ['message'] : ['spec', 'change'];
  const missing = needed.filter((field) => typeof theirs[field] !== 'string');
  if (missing.length > 0) return illegal(draft, versions, `it has no ${missing.join(', ')}`);
  if (section === 'human_notes' && isAdopted(draft, theirs)) return;
  const dated = 'timestamp' in theirs ? theirs : { timestamp: iso(draft.edit.now), ...theirs };
  // By its place it would change its name with every note that is written above it.
  const isNameless = section === 'human_notes' && theirs['id'] === undefined;
  const record = isNameless ? { id: nextNoteId(draft.board.state), ...dated } : dated;
  const problem = checkRecord(section, record)[0];
  if (problem !== undefined) return illegal(draft, versions, problem.message);
  const list = draft.board.state[section] as readonly unknown[];
  draft.board = withState(draft.board, { [section]: [...list, record] });
  draft.adopted.push(`${section}: one added`);
}

/** A note that the editor's copy still has as it was written, before Liza gave it an id. */
const isAdopted = ({ edit }: Draft, { id, message, for: reader, timestamp }: Fields): boolean =>
  id === undefined &&
  edit.head.state.human_notes.some(
    (one) =>
      one.id !== undefined &&
      one.message === message &&
      one.for === reader &&
      (timestamp === undefined ? one.processed_at === undefined : timestamp === one.timestamp),
  );

/** Each setting on its own: harmless ones and the user's own count, guarded ones wait for the operator's word. */
export function adoptConfig(draft: Draft, versions: Versions): void {
  if (!isFields(versions.theirs)) return illegal(draft, versions, 'it is not a map of settings');
  if (draft.edit.authority.kind === 'agent') return illegal(draft, versions, 'only the operator changes settings');
  const meanwhile = changedFields(versions.base ?? {}, versions.head);
  const removed = removedFields(versions, (key) => knownSetting(key) || guardedSetting(key));
  if (removed.length > 0) {
    draft.board = withState(draft.board, { config: without(draft.board.state.config, removed) });
    draft.adopted.push(`config: ${toldFields([], removed)}`);
  }
  for (const key of changedFields(versions.base ?? {}, versions.theirs)) {
    const value = versions.theirs[key];
    const one = { ...versions, record: `config/${key}`, theirs: value };
    if (same(value, (versions.head as Fields | undefined)?.[key])) continue;
    if (meanwhile.includes(key)) {
      const reason = 'it was changed here in the meantime';
      draft.aside.push({ record: one.record, kind: 'conflict', reason, hint: `liza config set ${key} …`, value });
    } else if (guardedSetting(key) && draft.edit.authority.kind !== 'adopt') {
      const reason = 'it executes, spends or loosens something';
      draft.aside.push({ record: one.record, kind: 'guarded', reason, hint: 'to adopt it: liza edit --adopt', value });
    } else if (!knownSetting(key)) {
      draft.board = withState(draft.board, { config: { ...draft.board.state.config, [key]: value } });
      draft.adopted.push(`config: ${key}`);
    } else if (run(draft, one, { name: 'config set', key, value })) {
      draft.adopted.push(`config: ${key}`);
    }
  }
}

/** Under an agent's id: its own lease, anomalies, discoveries and handoff. */
export function adoptAgentRecord(draft: Draft, section: string, versions: Versions, agent: string): void {
  const theirs = versions.theirs as Fields;
  const fresh = versions.head === undefined;
  if (section === 'agents' && versions.key === agent && !fresh) {
    const others = changedFields(versions.base ?? {}, theirs).filter(
      (field) => !['lease_expires', 'heartbeat', 'context_percent'].includes(field),
    );
    if (others.length > 0) return illegal(draft, versions, `${others.join(', ')} is changed only by a command`);
    const fields = pick(theirs, changedFields(versions.base ?? {}, theirs));
    const next = { ...(versions.head as Fields), ...fields };
    const problem = checkRecord('agents', next)[0];
    if (problem !== undefined) return illegal(draft, versions, problem.message);
    draft.board = replaceRecord(draft.board, { section: 'agents', key: agent, before: versions.head, after: next });
    draft.adopted.push(`agents/${agent}: ${Object.keys(fields).join(', ')}`);
    return;
  }
  const signed = { anomalies: 'reporter', discovered: 'by', handoff: 'agent' }[section];
  if (signed === undefined || !fresh) return illegal(draft, versions, `it may not be changed by ${agent}`);
  if ((theirs[signed] ?? theirs['logged_by'] ?? agent) !== agent) {
    return illegal(draft, versions, `it is signed by ${String(theirs[signed])}, not by ${agent}`);
  }
  const record = { ...(hideIn(theirs) as Fields), [signed]: agent };
  const problem = checkRecord(section as 'anomalies' | 'discovered' | 'handoff', record)[0];
  if (problem !== undefined) return illegal(draft, versions, problem.message);
  const current = draft.board.state[section as 'anomalies' | 'discovered' | 'handoff'];
  const next = Array.isArray(current) ? [...current, record] : { ...current, [versions.key]: record };
  draft.board = withState(draft.board, { [section]: next });
  draft.adopted.push(`${versions.record} added`);
}

function specFacts(draft: Draft, specRef: string | undefined): { spec_exists?: boolean } {
  return typeof specRef === 'string' ? { spec_exists: draft.edit.specExists(specRef) } : {};
}

/** Runs the command the edit amounts to; a refusal sets the record aside. */
function run(draft: Draft, versions: Versions, command: Command): boolean {
  const decision: Decision = decide(draft.board, command, { actor: OPERATOR, now: draft.edit.now });
  if (!decision.ok) {
    illegal(draft, versions, decision.message, decision.hint);
    return false;
  }
  draft.board = { ...draft.board, state: decision.state as State };
  return true;
}
