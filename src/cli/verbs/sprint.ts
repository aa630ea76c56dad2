// `liza sprint start` and `liza sprint deadline`: the next sprint, and when the current one halts for a decision.

import { type Refusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { defined } from '../../protocol/values.ts';
import { type Instant, instant, iso, later } from '../../text/time.ts';
import { act, onProject, runCommand } from '../open-project.ts';
import type { Verb } from '../verb.ts';

const sprintStart: Verb = {
  options: {
    deadline: { value: 'when', description: 'A time (2026-12-01T18:00:00Z), a day, or a span from now (8h, 3d).' },
  },
  examples: ['liza sprint start', 'liza sprint start --deadline 3d'],
  run: onProject(async (context, args) => {
    const { board, now } = await context.store.read();
    const deadline = readDeadline(args.text('deadline'), now);
    if (typeof deadline === 'object') return deadline;
    const archived = await context.store.archivedTasks(board.state.goal);
    return runCommand(context, { name: 'sprint start', ...defined({ deadline }), facts: { archived } });
  }),
};

const sprintDeadline: Verb = {
  positionals: [
    { name: 'when', description: 'A time (2026-12-01T18:00:00Z), a day, a span from now (8h, 3d), or none.' },
  ],
  examples: ['liza sprint deadline 3d', 'liza sprint deadline none'],
  details: ['When it passes, all work halts at a CHECKPOINT, once.'],
  run: async (args, io) => {
    const when = args.must('when');
    const deadline = when === 'none' ? undefined : readDeadline(when, io.host.clock.now());
    if (typeof deadline === 'object') return deadline;
    return act(io, { name: 'sprint deadline', ...defined({ deadline }) });
  },
};

export const verbs = { 'sprint start': sprintStart, 'sprint deadline': sprintDeadline };

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A point in time as people type it → the board's timestamp. */
function readDeadline(text: string | undefined, now: Instant): string | undefined | Refusal {
  if (text === undefined) return undefined;
  const span = /^\+?(\d{1,5})([mhdw])$/.exec(text);
  if (span?.[1] !== undefined && span[2] !== undefined) return later(now, Number(span[1]) * (SECONDS[span[2]] ?? 0));
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? instant(text) : Number.NaN;
  const day = text.slice(0, 10);
  // The 30th of February would silently be the 2nd of March, and 24:00 the next day.
  if (!Number.isNaN(at) && (iso(instant(day)).slice(0, 10) !== day || text.slice(11, 13) === '24')) {
    return refuse(`the deadline ${quoted(text)} is not a real date`, 'give a day and a time that exist', 1, 'deadline');
  }
  if (Number.isNaN(at)) {
    return refuse(
      `the deadline ${quoted(text)} was not understood`,
      'write a time such as 2026-12-01T18:00:00Z, a day such as 2026-12-01, or a span from now such as 8h or 3d',
      1,
      'deadline',
    );
  }
  if (at <= now) return refuse(`the deadline ${iso(at)} is past`, 'give a time in the future', 1, 'deadline');
  return iso(at);
}
