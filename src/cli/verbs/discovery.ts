// `liza discovery list|convert|dismiss|reopen`: what coders and reviewers found beside their tasks, and what comes of it.

import { openDiscoveries } from '../../protocol/messages/discoveries.ts';
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
    const shown = args.flag('all') ? all : openDiscoveries(board.state);
    const told = shown.length === 0 ? ['No open discoveries.'] : shown.flatMap(lines);
    return { ok: true, lines: told, data: { discoveries: shown }, notices };
  }),
};

/** The finding on one line, and below it what its finder would do. */
function lines(found: Discovery): readonly string[] {
  const end =
    found.converted_to_task !== undefined
      ? `  → ${found.converted_to_task}`
      : found.dismissed_reason !== undefined
        ? `  dismissed: ${found.dismissed_reason}`
        : '';
  const urgency = found.urgency === 'immediate' ? ' immediate' : '';
  const from = found.carried_from === undefined ? '' : `  (from ${found.carried_from})`;
  const head = oneLine(`${found.id}  ${found.severity}${urgency}  ${found.description}${end}${from}`);
  return found.recommendation === undefined ? [head] : [head, `  ${oneLine(`recommends: ${found.recommendation}`)}`];
}

const discoveryConvert: Verb = {
  positionals: [
    { name: 'discovery', kind: 'discovery', description: 'Its id; see liza discovery list.' },
    { name: 'task', kind: 'task', description: 'The task that solves it; add the task first.' },
  ],
  examples: ['liza discovery convert disc-1 add-timeout'],
  run: (args, io) =>
    act(io, { name: 'discovery convert', discovery: args.must('discovery'), to_task: args.must('task') }),
};

const discoveryDismiss: Verb = {
  positionals: [{ name: 'discovery', kind: 'discovery', description: 'Its id; see liza discovery list.' }],
  options: { reason: { value: 'text', required: true, description: 'Why it needs no task.' } },
  examples: ['liza discovery dismiss disc-1 --reason "fixed upstream"'],
  run: (args, io) =>
    act(io, { name: 'discovery dismiss', discovery: args.must('discovery'), reason: args.must('reason') }),
};

const discoveryReopen: Verb = {
  positionals: [{ name: 'discovery', kind: 'discovery', description: 'Its id; see liza discovery list --all.' }],
  options: { reason: { value: 'text', required: true, description: 'Why it needs a decision after all.' } },
  examples: ['liza discovery reopen disc-1 --reason "upstream took its fix back"'],
  run: (args, io) =>
    act(io, { name: 'discovery reopen', discovery: args.must('discovery'), reason: args.must('reason') }),
};

export const verbs = {
  'discovery list': discoveryList,
  'discovery convert': discoveryConvert,
  'discovery dismiss': discoveryDismiss,
  'discovery reopen': discoveryReopen,
};
