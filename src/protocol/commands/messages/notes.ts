// The rows of a person's notes: leaving one, for a reader who is there, and saying that it is dealt with.

import { gist, listed } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { actorName, type Board, isAgentPart, type Part, roleOfId, storedName } from '../../board.ts';
import { patch } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { findTask, statusOf } from '../../find.ts';
import { isOver, isOwnNote, namedNotes, READERS, ROLE_NAMES, staysForOthers, withNote } from '../../messages/notes.ts';
import { isTerminal, type Note } from '../../state.ts';
import { meantHint, noSuch } from '../../unknown-id.ts';
import { blank } from '../../values.ts';
import { list } from '../words.ts';

export const note: Row<'note'> = {
  name: 'note',
  syntax: 'note "…"',
  summary: 'Tell the agents something; it wakes the planner, unless it is only for others.',
  who: ['human'],
  from: 'board',
  already: ({ state, command }) =>
    namedNotes(state).find(
      ({ note: one }) =>
        one.message === command.message && one.for === readerOf(command) && one.processed_at === undefined,
    )?.id,
  guards: [
    {
      name: 'message',
      rule: 'the note is not empty',
      check: ({ command, commandLine }) =>
        blank(command.message) ? refuse('the note is empty', commandLine('note')) : undefined,
    },
    {
      name: 'addressee',
      rule: 'its reader exists: a task, a registered agent, a role, or all',
      check: ({ board, command }) => checkAddressee(board, readerOf(command)),
    },
  ],
  effects: 'human_notes; running sessions are told with the answer to their next command',
  change: ({ board, state, command, now }) => {
    const reader = readerOf(command);
    const made = withNote(state, { message: command.message, reader }, now);
    const to = reader ?? 'everyone';
    return {
      state: made.state,
      detail: `${made.id} left for ${to}`,
      said: command.message,
      ...(reader !== undefined && findTask(state, reader) !== undefined ? { task: reader } : {}),
      notes: [
        ...(reader === undefined ? ['For one reader only: --for <task, role or agent>'] : []),
        ...whoReads(board, reader),
        `It stays in prompts until somebody marks it as done: liza note done ${made.id}`,
      ],
    };
  },
};

const readerOf = ({ for: reader }: { readonly for?: string }): string | undefined =>
  reader === undefined ? undefined : storedName(reader);

/** A task that has ended has no reader of its own: what was replaced is read with its replacements. */
function whoReads(board: Board, reader: string | undefined): readonly string[] {
  const { status: goal } = board.state.goal;
  if (goal === 'COMPLETED' || goal === 'ABORTED')
    return [`the goal is ${goal}: nobody reads it before the next one (liza init "…")`];
  const status = reader === undefined ? undefined : statusOf(board, reader);
  if (reader === undefined || status === undefined || !isTerminal(status)) return [];
  const { superseded_by: heirs = [] } = findTask(board.state, reader) ?? {};
  return heirs.length === 0
    ? [`${reader} is ${status}: of the agents only the planner reads it`]
    : [`${reader} was replaced: who works on ${listed(heirs, 10)} reads it, and the planner`];
}

/** Refuses a note that nobody would read. An agent that has not started yet is reached by its role. */
function checkAddressee(board: Board, reader: string | undefined): Refusal | undefined {
  if (reader === undefined) return undefined;
  const { agents, tasks } = board.state;
  const known = statusOf(board, reader) !== undefined || Object.hasOwn(agents, reader) || READERS.includes(reader);
  if (known) return undefined;
  const role = roleOfId(reader)?.replace('_', '-');
  const live = tasks.filter(({ status }) => !isTerminal(status)).map(({ id }) => id);
  const ended = tasks.filter(({ status }) => isTerminal(status)).map(({ id }) => id);
  const there = [
    `tasks: ${listed(live, 10) || `${listed(ended, 10) || 'none'}${ended.length === 0 ? '' : ' (ended)'}`}`,
    `agents: ${listed(Object.keys(agents), 10) || 'none yet'}`,
    `roles: ${ROLE_NAMES.join(', ')}`,
  ];
  return refuse(
    role === undefined
      ? `there is no task, agent or role ${gist(reader, 80)}`
      : `no agent ${reader} was ever registered, so nobody would read it`,
    `${role === undefined ? meantHint(reader, [...live, ...ended, ...Object.keys(agents), ...ROLE_NAMES]) : `Tell all of its role: --for ${role}. `}There are ${there.join('; ')}; without --for everyone reads it`,
  );
}

export const noteDone: Row<'note done'> = {
  name: 'note done',
  syntax: 'note done <id> --why "…"',
  summary: 'Mark a person’s note as done; it stays on record.',
  who: ['planner', 'coder', 'code_reviewer', 'human'],
  from: 'board',
  already: ({ state, command, part }) => {
    const named = namedNotes(state).filter(({ id }) => command.notes.includes(id));
    return named.length > 0 && named.length === command.notes.length && named.every(({ note }) => isDone(note, part));
  },
  guards: [
    {
      name: 'notes',
      rule: 'each is on the board',
      check: ({ state, command, commandLine, part }) => {
        if (command.notes.length === 0) return refuse('no note was named', commandLine('note done'));
        const known = namedNotes(state);
        const unknown = command.notes.find((id) => !known.some((one) => one.id === id));
        if (unknown === undefined) return undefined;
        const open = known.filter(({ note }) => !isDone(note, part)).map(({ id }) => id);
        return noSuch({
          what: 'note',
          id: unknown,
          known: known.map(({ id }) => id),
          see: open.length === 0 ? 'None is open' : `These are open: ${listed(open, 10)}`,
        });
      },
    },
    {
      name: 'addressee',
      rule: 'a coder or reviewer says it only of notes to itself or to its task',
      check: notForOthers,
    },
  ],
  effects:
    'processed_at, processed_by and why of each; a note stays in prompts until then, and wakes the planner only once; a note for several readers ends only for the planner when the planner marks it, and for all when a person does',
  change: ({ state, actor, command, now, part }) => {
    const done = new Set(command.notes);
    const marks = { processed_at: iso(now), processed_by: actorName(actor) };
    const human_notes = namedNotes(state).map(({ id, note }) =>
      done.has(id) && !isDone(note, part) ? patch<Note>(note, { ...marks, why: command.why ?? note.why }) : note,
    );
    const next = { ...state, human_notes };
    const stay = namedNotes(next).filter(({ id, note }) => done.has(id) && staysForOthers(note));
    return {
      state: next,
      detail: `done: ${list(command.notes)}`,
      said: command.why,
      notes: stay.map(
        ({ id }) => `${id} stays in the prompts of its other readers until a person runs: liza note done ${id}`,
      ),
    };
  },
};

/** A person ends a note for all; what a planner has done with it is the planner's own part. */
const isDone = (note: Note, part: Part): boolean => (part === 'human' ? isOver(note) : note.processed_at !== undefined);

function notForOthers({ state, actor, part, command }: Situation<'note done'>): Refusal | undefined {
  if (!isAgentPart(part) || part === 'planner') return undefined;
  const agent = actor.id ?? '';
  const reader = { agent, role: part, task: state.agents[agent]?.current_task };
  const others = namedNotes(state).find(
    ({ id, note }) => command.notes.includes(id) && !isOwnNote(state, note, reader),
  );
  if (others === undefined) return undefined;
  return refuse(
    `${others.id} is for ${others.note.for ?? 'everyone'}, not for ${agent} alone`,
    'Do what it asks of you; the planner or a person marks it as done',
  );
}
