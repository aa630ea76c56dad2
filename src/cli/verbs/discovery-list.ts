// `liza discovery list`: what coders and reviewers found beside their tasks.

import { isRefusal } from '../../protocol/decision.ts';
import type { Discovery } from '../../protocol/state.ts';
import { openProject } from '../open-project.ts';
import { oneLine } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'discovery list',
  positionals: [],
  options: { all: { description: 'Also those already converted or dismissed.' } },
  examples: ['liza discovery list'],
  run: async (args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const { board, notices } = await context.store.read();
    const all = board.state.discovered;
    const shown = args.flag('all') ? all : all.filter(isOpen);
    const lines = shown.length === 0 ? ['No open discoveries.'] : shown.map(line);
    return { ok: true, lines, data: { discoveries: shown }, notices };
  },
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
