// `liza note "<message>"`: a note from a person, read by agents before they start and with their next command.
// `liza note done <id>`: it is dealt with. `liza note list`: those that are not.

import { type NamedNote, namedNotes } from '../../protocol/messages/notes.ts';
import type { State } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { act, onProject } from '../open-project.ts';
import { oneLine } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

const note: Verb = {
  positionals: [{ name: 'message', rest: true, text: true, description: 'The note; - reads it from stdin.' }],
  options: {
    for: {
      value: 'task',
      kind: 'record',
      aka: ['to', 'task', 'agent', 'role'],
      description:
        'The task, the agent or the role (coder, code-reviewer, planner) it is for; without it everyone reads it.',
    },
  },
  examples: [
    'liza note "use the retry helper in src/http" --for retry-login',
    'liza note - --for planner < decision.md',
  ],
  details: [
    'A running session is told with the answer to its next liza command. A note stays in prompts until it is done (liza note done), and wakes the planner once.',
  ],
  run: async (args, io) => {
    const words = args.all('message');
    const message = words.join(' ');
    const reader = args.text('for');
    return act(io, { name: 'note', message, ...defined({ for: reader }) }, ({ state, already }) => {
      if (already === true) return {};
      const id = state.human_notes.at(-1)?.id;
      return { data: { note: id }, lines: reader === undefined ? meantFor(state, words, id) : [] };
    });
  },
};

/** A first word that is the id of a task or an agent was probably meant as its reader. */
function meantFor(state: State, [first = '', ...rest]: readonly string[], id: string | undefined): readonly string[] {
  // Asked for first: of a large board the tasks are not read yet.
  const isAlone = rest.length === 0;
  const known = !isAlone && (state.tasks.some(({ id: one }) => one === first) || Object.hasOwn(state.agents, first));
  if (!known) return [];
  return [
    `everyone reads it, with ${first} as its first word; did you mean --for ${first}? then: liza note done ${id}, and liza note --for ${first} "…"`,
  ];
}

const noteDone: Verb = {
  positionals: [{ name: 'id', rest: true, kind: 'note', description: 'Of the notes, such as note-3.' }],
  options: { why: { value: 'text', description: 'What became of it, in one phrase.' } },
  examples: ['liza note done note-3 --why "now a criterion of retry-login"'],
  run: (args, io) => act(io, { name: 'note done', notes: args.all('id'), ...defined({ why: args.text('why') }) }),
};

const noteList: Verb = {
  options: { all: { description: 'Also those that are done.' } },
  examples: ['liza note list'],
  run: onProject(async (context, args) => {
    const { board, notices } = await context.store.read();
    const all = namedNotes(board.state);
    const shown = args.flag('all') ? all : all.filter(({ note }) => note.processed_at === undefined);
    const told = shown.length === 0 ? ['No open notes.'] : shown.map(noteLine);
    return { ok: true, lines: told, data: { notes: shown.map(({ id, note }) => ({ ...note, id })) }, notices };
  }),
};

function noteLine({ id, note: { message, for: reader, processed_at } }: NamedNote): string {
  const done = processed_at === undefined ? '' : '  (done)';
  return oneLine(`${id}  for ${reader ?? 'everyone'}${done}  ${message}`);
}

export const verbs = { note, 'note list': noteList, 'note done': noteDone };
