// `liza discovery list|convert|dismiss`: what coders and reviewers found beside their tasks, and what comes of it.

import type { Discovery } from '../../protocol/state.ts';
import { act, onProject } from '../open-project.ts';
import { oneLine } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

const discoveryList: Verb = {
  options: { all: { description: 'Also those already converted or dismissed.' } },
  examples: ['liza discovery list'],
  run: onProject(async (context, args) => {
    const { board, notices } = await context.store.read();
    const all = board.state.discovered;
    const shown = args.flag('all') ? all : all.filter(isOpen);
    const lines = shown.length === 0 ? ['No open discoveries.'] : shown.map(line);
    return { ok: true, lines, data: { discoveries: shown }, notices };
  }),
};

const isOpen = (found: Discovery): boolean =>
  found.converted_to_task === undefined && found.dismissed_reason === undefined;

function line(found: Discovery): string {
  const end =
    found.converted_to_task !== undefined
      ? `  → ${found.converted_to_task}`
      : found.dismissed_reason !== undefined
        ? `  dismissed: ${found.dismissed_reason}`
        : '';
  const urgency = found.urgency === 'immediate' ? ' immediate' : '';
  return oneLine(`${found.id}  ${found.severity}${urgency}  ${found.description}${end}`);
}

const discoveryConvert: Verb = {
  positionals: [
    { name: 'discovery', description: 'Its id; see liza discovery list.' },
    { name: 'task', kind: 'task', description: 'The task that takes care of it; add it first.' },
  ],
  examples: ['liza discovery convert disc-1 add-timeout'],
  run: (args, io) =>
    act(io, { name: 'discovery convert', discovery: args.must('discovery'), to_task: args.must('task') }),
};

const discoveryDismiss: Verb = {
  positionals: [{ name: 'discovery', description: 'Its id; see liza discovery list.' }],
  options: { reason: { value: 'text', required: true, description: 'Why it needs no task.' } },
  examples: ['liza discovery dismiss disc-1 --reason "fixed upstream"'],
  run: (args, io) =>
    act(io, { name: 'discovery dismiss', discovery: args.must('discovery'), reason: args.must('reason') }),
};

export const verbs = {
  'discovery list': discoveryList,
  'discovery convert': discoveryConvert,
  'discovery dismiss': discoveryDismiss,
};
