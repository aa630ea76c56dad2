// A person's notes: the id of each, whom it is for, and which a reader still has to be shown. A note is dealt with only
// when somebody says so (`liza note done`), or when the task it is for has ended with its goal; being shown it proves
// nothing.

import { listed } from '../../text/format.ts';
import { type Instant, iso } from '../../text/time.ts';
import { roleOfId, storedName } from '../board.ts';
import { findTask } from '../find.ts';
import { idsOf, nextId } from '../records/record-ids.ts';
import type { Note, Role, State } from '../state.ts';
import { defined } from '../values.ts';

/** Who reads: an agent, and the task it is on. */
export interface Reader {
  readonly agent: string;
  readonly role: Role;
  readonly task?: string | undefined;
}

export interface NamedNote {
  readonly id: string;
  readonly note: Note;
}

/**
 * Notes of earlier versions have no id of their own: the first free numbers stand for it, in their order. Whatever is
 * added later has an id, so that these stay what they are.
 */
export function namedNotes({ human_notes }: State): readonly NamedNote[] {
  const taken = new Set(idsOf(human_notes));
  let number = 0;
  const free = (): string => {
    do number += 1;
    while (taken.has(`note-${number}`));
    return `note-${number}`;
  };
  return human_notes.map((note) => ({ id: note.id ?? free(), note }));
}

export const nextNoteId = (state: State): string =>
  nextId('note', { there: namedNotes(state).map((one) => one.id), given: state.goal.last_ids?.note });

/** The state with a new note at the end of its list. */
export function withNote(
  state: State,
  { message, reader }: { readonly message: string; readonly reader?: string | undefined },
  now: Instant,
): { readonly state: State; readonly id: string } {
  const id = nextNoteId(state);
  const note: Note = { id, timestamp: iso(now), message, ...defined({ for: reader }) };
  return { state: { ...state, human_notes: [...state.human_notes, note] }, id };
}

/** Roles as people write them. */
export const ROLE_NAMES: readonly string[] = ['planner', 'coder', 'code-reviewer'];
const EVERYONE: ReadonlySet<string> = new Set(['all', 'everyone']);
/** Whom a note may be for, besides a task and an agent. */
export const READERS: readonly string[] = [...ROLE_NAMES, ...EVERYONE];

const isForAll = ({ for: reader }: Note): boolean => reader === undefined || EVERYONE.has(reader);

/** A planner also reads what is for a task: it may be the answer that the plan waits for. */
function isNoteFor(state: State, note: Note, { agent, role, task }: Reader): boolean {
  const reader = readerOf(note);
  if (isForAll(note) || reader === undefined) return true;
  if (reader === agent || reader === role.replace('_', '-')) return true;
  if (ROLE_NAMES.includes(reader) || roleOfId(reader) !== undefined) return false;
  return role === 'planner' || standsFor(state, task).has(reader);
}

const readerOf = ({ for: reader }: Note): string | undefined => (reader === undefined ? undefined : storedName(reader));

/** The task itself and those that it replaces: what was said about them is said about it. */
function standsFor(state: State, task: string | undefined): ReadonlySet<string> {
  const found = new Set(task === undefined ? [] : [task]);
  for (const id of found) for (const former of findTask(state, id)?.supersedes ?? []) found.add(former);
  return found;
}

/** The task that it is for; undefined: it is for everyone, a role or an agent. */
const taskOfNote = (note: Note): string | undefined => {
  const reader = readerOf(note) ?? 'all';
  return READERS.includes(reader) || roleOfId(reader) !== undefined ? undefined : reader;
};

/** Only a planner has dealt with it, and others read it too: it stays in their prompts until a person ends it. */
export const staysForOthers = ({ for: reader = 'all', processed_by: by = '' }: Note): boolean =>
  roleOfId(by) === 'planner' && reader !== 'planner' && roleOfId(reader) !== 'planner';

/** Nobody is shown it any more. */
export const isOver = (note: Note): boolean => note.processed_at !== undefined && !staysForOthers(note);

/**
 * Open notes as a goal ends. Those of its tasks end with them, and those that its planner has dealt with end with its
 * plan; all others are for the next goal too.
 */
export function notesAtEnd(state: State): {
  readonly ended: readonly NamedNote[];
  readonly carried: readonly NamedNote[];
} {
  const open = namedNotes(state).filter(({ note }) => !isOver(note));
  const isOfTask = ({ note }: NamedNote): boolean => taskOfNote(note) !== undefined;
  const isHandled = ({ note }: NamedNote): boolean => note.processed_at !== undefined;
  return {
    ended: open.filter((one) => isOfTask(one) !== isHandled(one)),
    carried: open.filter((one) => !isOfTask(one) && !isHandled(one)),
  };
}

/** The goal has ended over notes that nobody said anything about. */
export function unhandledText(state: State): string | undefined {
  const open = namedNotes(state).filter(({ note }) => note.processed_at === undefined);
  const [first] = open;
  if (first === undefined) return undefined;
  const names = open.map(({ id, note }) => `${id} for ${note.for ?? 'everyone'}`);
  return `${listed(names, 5)} ${open.length === 1 ? 'was' : 'were'} not marked as handled: liza show ${first.id}`;
}

/** Why it ended with the goal. */
export const whyEnded = ({ for: reader, processed_by: by, why }: Note, goal: string): string =>
  by === undefined
    ? `${reader} ended with ${goal}`
    : `${by} handled it in ${goal}${why === undefined ? '' : `: ${why}`}`;

/** The notes as the next goal has them. */
export function notesOfNextGoal(state: State, now: Instant): readonly Note[] {
  const ended = new Set(notesAtEnd(state).ended.map(({ id }) => id));
  return namedNotes(state).map(({ id, note }) =>
    ended.has(id)
      ? { ...note, processed_at: iso(now), processed_by: 'init', why: whyEnded(note, state.goal.id) }
      : note,
  );
}

/** Its own, or of the task it is on: an agent other than a planner may say that such a note is dealt with. */
export function isOwnNote(state: State, note: Note, { agent, task }: Reader): boolean {
  const reader = readerOf(note);
  return reader !== undefined && (reader === agent || standsFor(state, task).has(reader));
}

/**
 * What this reader has to be shown, oldest first. That a planner has dealt with a note does not mean that those who do
 * the work have read it.
 */
export function openNotes(state: State, reader: Reader): readonly NamedNote[] {
  const open = ({ processed_at: at, processed_by: by }: Note): boolean =>
    at === undefined || (reader.role !== 'planner' && roleOfId(by ?? '') === 'planner');
  return namedNotes(state).filter(({ note }) => open(note) && isNoteFor(state, note, reader));
}
