// `liza undo [entry]`: reverts the last operation by a new one.

import { OPERATOR } from '../../protocol/board.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { openBoard } from '../open-board.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  operatorOnly: true,
  positionals: [
    { name: 'entry', optional: true, description: 'Number of a recent entry, see liza log; default: the last.' },
  ],
  examples: ['liza undo', 'liza undo 41'],
  details: [
    'Only changes to the blackboard alone can be undone: nothing that touched git, processes or files, nothing that a later change builds on, nothing of a task, sprint or goal that has ended. History is never cut.',
  ],
  run: async (args, io) => {
    const entry = args.text('entry');
    if (entry !== undefined && !/^\d{1,12}$/.test(entry)) {
      return refuse(`"${entry}" is not the number of an entry`, 'liza log shows the numbers', 1, 'usage');
    }
    const context = openBoard(io);
    if (isRefusal(context)) return context;
    const { undo } = await import('../../project/undo.ts');
    const done = await undo(context, OPERATOR, entry === undefined ? undefined : Number(entry));
    if (!done.ok) return done;
    const { seq, command, detail } = done.entry;
    return { ok: true, message: `undid entry ${seq}: ${command}: ${detail}`, data: { undone: seq, seq: done.seq } };
  },
};
