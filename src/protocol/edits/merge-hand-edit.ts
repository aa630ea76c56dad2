// A change of state.yaml that no command made: a person's editor, a shell's `yq`, `liza lock write`.
// Three-way merged per record (base: the journalled state the edit started from; head: the last one;
// theirs: the file), and each adopted record goes through the command it amounts to, so that an edit
// can do nothing a command could not. What may not be adopted is set aside, never dropped in silence.

import type { Board } from '../board.ts';
import { RECORD_SECTIONS, StateSchema } from '../state.ts';
import { type Fields, isFields, same } from '../values.ts';
import {
  type Aside,
  changedFields,
  conflict,
  type Draft,
  type Edit,
  illegal,
  pick,
  removedFields,
  replaceRecord,
  toldFields,
  type Versions,
  without,
  withState,
} from './draft.ts';
import { adoptAgentRecord, adoptConfig, adoptListed, adoptTask } from './rules.ts';

export interface EditMerge {
  readonly board: Board;
  /** One line for each adopted record. */
  readonly adopted: readonly string[];
  readonly aside: readonly Aside[];
}

export function mergeEdit(edit: Edit): EditMerge {
  const draft: Draft = { board: edit.head, edit, adopted: [], aside: [] };
  if (!isFields(edit.theirs)) {
    draft.aside.push({
      record: 'state.yaml',
      kind: 'illegal',
      reason: 'the file is not a map of sections',
      hint: 'see docs/blackboard.md',
      value: edit.theirs,
    });
    return draft;
  }
  const names = new Set([...Object.keys(edit.head.state), ...Object.keys(edit.theirs)]);
  for (const section of names) mergeSection(draft, section, edit.theirs[section]);
  return draft;
}

function mergeSection(draft: Draft, section: string, theirs: unknown): void {
  const base = (draft.edit.base as Fields)[section];
  const head = (draft.board.state as Fields)[section];
  const versions = { record: section, key: section, base, head, theirs };
  const isOwn = !(section in StateSchema.entries);
  if (theirs === undefined) return isOwn && isWhole(draft) ? removeOwn(draft, versions) : noteDeletion(draft, versions);
  if (same(theirs, head) || same(theirs, base)) return;
  if (isOwn) return adoptOwnSection(draft, versions);
  const kind = (RECORD_SECTIONS as Readonly<Record<string, 'list' | 'map'>>)[section];
  if (kind === 'list' && Array.isArray(theirs)) return mergeList(draft, versions);
  if (kind === 'map' && isFields(theirs)) return mergeMap(draft, versions);
  if (kind !== undefined) return illegal(draft, versions, `must be a ${kind}`);
  return section === 'config' ? adoptConfig(draft, versions) : adoptFree(draft, versions);
}

/** A section that Liza does not know: the user's own, which no agent may change. */
function adoptOwnSection(draft: Draft, versions: Versions): void {
  const { key: section, base, head, theirs } = versions;
  if (draft.edit.authority.kind === 'agent') return illegal(draft, versions, 'it is not the agent’s own record');
  if (!same(base, head)) return conflict(draft, versions, 'it was changed here in the meantime');
  draft.board = withState(draft.board, { [section]: theirs });
  draft.adopted.push(head === undefined ? `${section} added` : `${section} changed`);
}

/** All that Liza's sections hold is in it. One that lacks some was cut off, and says nothing about the user's own. */
const isWhole = ({ edit }: Draft): boolean =>
  Object.entries(edit.base).every(
    ([section, value]) =>
      !(section in StateSchema.entries) || isEmpty(value) || (edit.theirs as Fields)[section] !== undefined,
  );

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** A section of the user's own goes as it came. */
function removeOwn(draft: Draft, versions: Versions): void {
  const { key: section, base, head } = versions;
  if (base === undefined || head === undefined) return; // never there for the editor
  if (draft.edit.authority.kind === 'agent') return illegal(draft, versions, 'it is not the agent’s own record');
  if (!same(base, head)) return conflict(draft, versions, 'it was changed here in the meantime');
  const { [section]: _gone, ...rest } = draft.board.state as Fields;
  draft.board = { ...draft.board, state: rest as unknown as Board['state'] };
  draft.adopted.push(`${section} removed`);
}

function mergeMap(draft: Draft, { key: section, base, head, theirs }: Versions): void {
  const fields = (value: unknown): Fields => (isFields(value) ? value : {});
  const bases = fields(base);
  const heads = fields(head);
  const edited = fields(theirs);
  for (const key of new Set([...Object.keys(heads), ...Object.keys(edited)])) {
    resolve(draft, section, {
      record: `${section}/${key}`,
      key,
      base: bases[key],
      head: heads[key],
      theirs: edited[key],
    });
  }
}

function mergeList(draft: Draft, { key: section, base, head, theirs }: Versions): void {
  const keyed = (items: unknown) => byKey(Array.isArray(items) ? items : []);
  const bases = keyed(base);
  const heads = keyed(head);
  const edited = keyed(theirs);
  for (const key of new Set([...heads.keys(), ...edited.keys()])) {
    resolve(draft, section, {
      record: `${section}/${key}`,
      key,
      base: bases.get(key),
      head: heads.get(key),
      theirs: edited.get(key),
    });
  }
}

/** Records with an id by it; others by their content, counted, so that two equal notes stay two. */
export function byKey(items: readonly unknown[]): Map<string, unknown> {
  const map = new Map<string, unknown>();
  for (const item of items) {
    const id = isFields(item) && typeof item['id'] === 'string' ? item['id'] : undefined;
    let key = id ?? JSON.stringify(item);
    for (let copy = 2; map.has(key); copy += 1) key = `${id ?? JSON.stringify(item)}#${copy}`;
    map.set(key, item);
  }
  return map;
}

function resolve(draft: Draft, section: string, versions: Versions): void {
  const { base, head, theirs } = versions;
  if (same(theirs, head)) return;
  if (theirs === undefined) return noteDeletion(draft, versions);
  if (base !== undefined && same(theirs, base)) return; // a stale copy, untouched by the editor
  if (base === undefined && head !== undefined) return conflict(draft, versions, 'it was added here in the meantime');
  if (!isFields(theirs)) return illegal(draft, versions, 'it is not a map of fields');
  if (base !== undefined && head !== undefined && !same(base, head)) {
    const both = changedFields(base, head).filter((field) => changedFields(base, theirs).includes(field));
    if (both.length > 0) return conflict(draft, versions, `${both.join(', ')} was changed here in the meantime`);
  }
  const { authority } = draft.edit;
  if (authority.kind === 'agent') return adoptAgentRecord(draft, section, versions, authority.id);
  if (section === 'tasks') return adoptTask(draft, versions);
  if (section === 'human_notes' || section === 'spec_changes') return adoptListed(draft, section, versions);
  return adoptFree(draft, versions, section);
}

/** Records that only commands change; fields that Liza does not know are the user's. */
function adoptFree(draft: Draft, versions: Versions, section?: string): void {
  if (draft.edit.authority.kind === 'agent') return illegal(draft, versions, 'it is not the agent’s own record');
  if (versions.head === undefined) return illegal(draft, versions, 'only a command makes it');
  if (!isFields(versions.head) || !isFields(versions.theirs)) {
    return illegal(draft, versions, 'only a command changes it');
  }
  const changed = changedFields(versions.base ?? {}, versions.theirs);
  const known = changed.filter((field) => KNOWN_FIELDS.has(field));
  if (known.length > 0) {
    const hint = versions.record === 'goal' ? 'to change what it says: liza goal edit --desc "…"' : undefined;
    return illegal(draft, versions, `${known.join(', ')} is changed only by a command`, hint);
  }
  const removed = removedFields(versions, (field) => KNOWN_FIELDS.has(field));
  if (changed.length + removed.length === 0) return;
  const merged = without({ ...(versions.head as Fields), ...pick(versions.theirs as Fields, changed) }, removed);
  draft.board = replaceRecord(draft.board, { section, key: versions.key, before: versions.head, after: merged });
  draft.adopted.push(`${versions.record}: ${toldFields(changed, removed)}`);
}

/** Field names that mean something in a record other than a task. */
const KNOWN_FIELDS = new Set(
  (
    'role status current_task lease_expires heartbeat epoch terminal iterations_total context_percent declared_exit ' +
    'session id by during description severity urgency recommendation created converted_to_task dismissed_reason ' +
    'agent timestamp summary next_action context_used approach blockers files_modified next_steps findings commits uncommitted last_red handoff interrupted type task reporter ' +
    'details processed_at processed_by spec_ref alignment_history integration_head integration_moved setup_failures moving syncs queue goal_ref scope timeline metrics retrospective ' +
    'last_check current_trigger history usage spent days sprints carried_from asked_by text assume answer goal closed_at ' +
    'closed_by reopened last_ids'
  ).split(' '),
);

function noteDeletion(draft: Draft, { record, base, head }: Versions): void {
  if (base === undefined || head === undefined) return; // never there for the editor
  draft.aside.push({
    record,
    kind: 'deletion',
    reason: 'records are not deleted by editing',
    hint: record.startsWith('tasks/')
      ? `end a task with: liza abandon ${record.slice(6)} --reason "…"`
      : 'it was kept unchanged',
    value: undefined,
  });
}
