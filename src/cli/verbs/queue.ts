// `liza queue`: what waits to be merged, and what a person says about it. Which of them go together, and what becomes of a
// red batch: docs/queue.md. Who may, and when: protocol/commands/merge/.

import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { queued } from '../../protocol/queue/order.ts';
import { figuresText, holdText, type QueueView, queueView } from '../../protocol/queue/tell.ts';
import { inSessionText, unsettled, WAIT_FOR_SESSION } from '../../protocol/review/approver-session.ts';
import { settings } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../../tasks/context.ts';
import type { MergeFailure } from '../../tasks/judge-candidate.ts';
import type { BatchEnd } from '../../tasks/queue/run-batch.ts';
import { counted } from '../../text/format.ts';
import { duration, type Instant, instant } from '../../text/time.ts';
import { openBoard } from '../open-board.ts';
import { act, committedResult, onTasks } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

const show: Verb = {
  examples: ['liza queue', 'liza queue --json'],
  details: [
    'Approved tasks are tested together, as one commit, and the integration branch moves to exactly what was green. If it is red, halving finds the first task that makes it so; that one leaves, and the others land.',
    'How many go together follows from how many of the last ones were red: liza config set merge_batch.',
  ],
  run: async (_args, io) => {
    const context = openBoard(io);
    if (isRefusal(context)) return context;
    const { board, now, notices } = await context.store.read();
    const view = queueView(board, settings(board.state), now);
    return { ok: true, lines: linesOf(view, now).map(plain), data: { ...view }, notices };
  },
};

function linesOf({ held, batch, ahead, waiting, size, figures }: QueueView, now: Instant): readonly string[] {
  const why = held && holdText(held);
  const hold =
    held && `held by ${held.by} for ${duration(now - instant(held.since))}${why === undefined ? '' : `: ${why}`}`;
  const told = figuresText(figures);
  // Counted on, since they land in this order.
  const before = (lane: number): number =>
    [batch, ...ahead.slice(0, lane)].reduce((sum, one) => sum + (one?.entries.length ?? 0), 0);
  return [
    ...(hold === undefined ? [] : [`${hold}; to let it go on: liza queue release`]),
    ...(batch === undefined
      ? []
      : [
          batch.text,
          ...batch.entries.map((entry, at) => `${entryLine(at + 1, entry)}  ${entry.state}`),
          ...batch.runs.map(({ text, log }) => `  tested ${text}${log === undefined ? '' : `  ${log}`}`),
        ]),
    ...ahead.flatMap(({ text, entries }, lane) => [
      text,
      ...entries.map((entry, at) => entryLine(before(lane) + at + 1, entry)),
    ]),
    waiting.length > 0
      ? `${counted(waiting.length, 'task')} to come:`
      : batch === undefined
        ? 'nothing waits to be merged'
        : 'nothing else waits',
    ...waiting.map(
      ({ task, priority, why }) => `  ${task}  priority ${priority}${why === undefined ? '' : `  ${why}`}`,
    ),
    size,
    ...(told.length === 0 ? [] : ['so far:', ...told.map((line) => `  ${line}`)]),
  ];
}

const entryLine = (place: number, { task, candidate }: { readonly task: string; readonly candidate: string }): string =>
  `  ${place}  ${task}  ${candidate.slice(0, 12)}`;

const TASK = { name: 'task', kind: 'task', description: 'An approved task.' } as const;
const OPTIONAL = { ...TASK, optional: true, description: 'Only this task; without it the whole queue.' } as const;

const hold: Verb = {
  operatorOnly: true,
  positionals: [OPTIONAL],
  options: { reason: { value: 'text', description: 'Why, for whoever looks.' } },
  examples: ['liza queue hold', 'liza queue hold --reason "release day"', 'liza queue hold retry-login'],
  details: [
    'Nothing lands until liza queue release. A test of the batch ends first. One task is held as with liza pause.',
  ],
  run: (args, io) => {
    const task = args.text('task');
    const reason = args.text('reason');
    return act(
      io,
      task === undefined ? { name: 'queue hold', ...defined({ reason }) } : { name: 'pause', task },
      () => ({
        lines: [`Continue with: liza queue release${task === undefined ? '' : ` ${task}`}`],
      }),
    );
  },
};

const release: Verb = {
  operatorOnly: true,
  positionals: [OPTIONAL],
  examples: ['liza queue release', 'liza queue release retry-login'],
  run: (args, io) => {
    const task = args.text('task');
    return act(io, task === undefined ? { name: 'queue release' } : { name: 'resume', task });
  },
};

const first: Verb = {
  operatorOnly: true,
  positionals: [TASK],
  examples: ['liza queue first retry-login'],
  details: [
    'It is the first of the next batch. The one under way keeps its order, and what was red in it blames nobody.',
  ],
  run: (args, io) => act(io, { name: 'queue first', task: args.must('task') }),
};

const out: Verb = {
  operatorOnly: true,
  positionals: [TASK],
  options: { reason: { value: 'text', required: true, description: 'What a coder has to fix.' } },
  examples: ['liza queue out retry-login --reason "it breaks the importer"'],
  details: [
    'It does not land: it is INTEGRATION_FAILED with your reason, and a coder may claim the fix. To only keep it back: liza queue hold <task>.',
  ],
  run: onTasks(async (context, args) => {
    const { takeOut } = await import('../../tasks/queue/take-out.ts');
    const taken = await takeOut(context, args.must('task'), args.must('reason'));
    return taken.ok ? committedResult(taken) : taken;
  }),
};

const run: Verb = {
  examples: ['liza queue run'],
  details: [
    'Supervisors do this by themselves. It goes on with a batch whose process died, or begins the next, and ends with it.',
    'Exit 3: a task failed to integrate. Exit 1: it was held, by a person, a switch or a checkout with changes.',
  ],
  run: onTasks(async (context) => {
    const end = await mergeAll(context);
    if (isRefusal(end)) return end;
    const { landed, failed, stopped } = end;
    const waits = await inSession(context);
    const lines = [
      ...landed.map(({ task, commit }) => `${task} merged as ${commit.slice(0, 12)}`),
      ...failed.map(({ failure }) => failure.message),
      ...waits.map(({ message }) => message),
    ];
    const data = { landed: landed.map(({ task }) => task), failed: failed.map(({ task }) => task) };
    const no: MergeFailure | undefined = stopped ?? failed[0]?.failure ?? (landed.length === 0 ? waits[0] : undefined);
    if (no !== undefined) return { ...no, lines: [...lines, ...(no.lines ?? [])].map(plain), data };
    const message = landed.length === 0 ? await nothingTold(context) : `${counted(landed.length, 'task')} merged`;
    return { ok: true, message, lines: lines.map(plain), data };
  }),
};

/** What a person's files hold up waits alone; the others go on without it. */
async function mergeAll(context: TaskContext, held: readonly string[] = []): Promise<BatchEnd | Refusal> {
  const { mergeQueue } = await import('../../tasks/merge.ts');
  const end = await mergeQueue(context, new Set(held));
  const isHeld = !isRefusal(end) && end.stopped?.guard === 'held' && end.landed.length === 0;
  // A batch that is searched waits as a whole.
  if (!isHeld || end.tried.length !== 1) return end;
  const next = await mergeAll(context, [...held, ...end.tried]);
  if (isRefusal(next)) return end;
  const { stopped = next.stopped } = end;
  return {
    ...next,
    failed: [...end.failed, ...next.failed],
    tried: [...end.tried, ...next.tried],
    ...defined({ stopped }),
  };
}

/** None that may land now; what is held waits on. */
async function nothingTold({ store }: TaskContext): Promise<string> {
  const waiting = queued((await store.read()).board.state);
  return waiting.length === 0
    ? 'nothing waits to be merged'
    : `nothing may land now; ${counted(waiting.length, 'task')} held: liza queue`;
}

/** What waits for the end of its approver's session. */
async function inSession({ store }: TaskContext): Promise<readonly Refusal[]> {
  const { board, now } = await store.read();
  return [...unsettled(board, now)].map(([task, by]) =>
    refuse(`${task} waits: ${inSessionText(task, by)}`, WAIT_FOR_SESSION, 3, 'session-over'),
  );
}

export const verbs = {
  queue: show,
  'queue hold': hold,
  'queue release': release,
  'queue first': first,
  'queue out': out,
  'queue run': run,
};
