// The merge queue in words and numbers, for people: what is tested now, who waits and why, and what the last batches cost.

import { counted, listed } from '../../text/format.ts';
import { duration, type Instant, instant } from '../../text/time.ts';
import type { Board } from '../board.ts';
import { findTask } from '../find.ts';
import { historyOf, mergingBy } from '../leases.ts';
import { inSessionText, unsettled } from '../review/approver-session.ts';
import type { Settings, State, Task } from '../state.ts';
import { type BatchStep, batchStep, isTest, outcomesOf } from './batch.ts';
import { inLanes } from './lanes.ts';
import { approvedAt, mergeable, queued, queueOf, sizeText } from './order.ts';
import type { Ahead, Batch, BatchRun, PastBatch, Queue } from './shape.ts';

/** One line while there is a batch of several, or a person holds the queue; undefined: nothing to tell. */
export function queueLine(board: Pick<Board, 'state' | 'gone'>): string | undefined {
  const { held, batch, ahead = [] } = queueOf(board.state);
  if (held !== undefined) {
    const ready = `(${queued(board.state).length} approved)`;
    // A reason says what it waits for: whoever only looks on has nothing to do.
    const why = holdText(held);
    return why === undefined
      ? `queue: merges wait, says a person ${ready}: liza queue release`
      : `queue: merges wait: ${why} ${ready}`;
  }
  if (batch === undefined || (batch.entries.length === 1 && ahead.length === 0)) return undefined;
  return `queue: ${[batchText(board, batch), ...ahead.map(aheadText(board, batch))].join('; ')}`;
}

/** What is said of a search that would not end. */
export const IN_TURN = 'tests of the same commit are red and green in turn';

/** Why nothing lands: a person's reason, and what Liza found. */
export const holdText = ({ reason, found }: NonNullable<Queue['held']>): string | undefined =>
  [reason, found].filter((one) => one !== undefined).join('; besides, ') || undefined;

/** `on top of that, 4 tasks: green, they land next`. */
const aheadText =
  (board: Pick<Board, 'state' | 'gone'>, batch: Batch | undefined) =>
  ({ entries, run }: Ahead): string => {
    const open = runs(board, batch) ? 'testing' : 'not tested now';
    const seen =
      run === undefined ? open : run.red ? 'red' : `green, ${entries.length === 1 ? 'it lands' : 'they land'} next`;
    return `on top of that, ${counted(entries.length, 'task')}: ${seen}`;
  };

/** `2 tasks to merge (c, d), after 2 that landed: all together fail; testing c to find the cause`. */
export function batchText(board: Pick<Board, 'state' | 'gone'>, batch: Batch): string {
  const { entries, landed, runs: seen } = batch;
  const open = entries.slice(landed).map(({ task }) => task);
  const red = Math.min(
    ...seen.flatMap(({ upto, red }) => (red && !seen.some((run) => !run.red && run.upto >= upto) ? [upto] : [])),
  );
  const said = red < Number.POSITIVE_INFINITY ? [`${part(batch, red)} ${red - landed > 1 ? 'fail' : 'fails'}`] : [];
  const isRun = runs(board, batch);
  const idle = mergeable(board.state).length === 1;
  const step = batchStep(queueOf(board.state), { idle });
  const search = isRun && step.step === 'test' && !step.again && said.length > 0 ? ' to find the cause' : '';
  const now = isRun ? `${stepText(batch, step)}${search}` : WAITS;
  const before = landed === 0 ? '' : `, after ${landed} that landed`;
  return `${counted(open.length, 'task')} to merge (${listed(open, 4)})${before}: ${[...said, now].join('; ')}`;
}

/** Those that are tested up to this place, without what landed. */
function part({ entries, landed }: Batch, upto: number): string {
  const open = entries.slice(landed, upto);
  if (open.length < 2) return open[0]?.task ?? 'the branch itself';
  return upto === entries.length ? 'all together' : `the first ${open.length}`;
}

const WAITS = 'nobody goes on with it right now';

const runs = (board: Pick<Board, 'state' | 'gone'>, batch: Batch | undefined): boolean =>
  batch?.entries.some(({ task: id }) => {
    const task = findTask(board.state, id);
    return task !== undefined && mergingBy(board, task) !== undefined;
  }) === true;

function stepText(batch: Batch, step: BatchStep): string {
  const { entries, beside } = batch;
  switch (step.step) {
    case 'test':
      return `testing ${part(batch, step.upto)}${step.again ? ' again' : ''}`;
    case 'land':
      return `landing ${part(batch, step.upto)}`;
    case 'beside': {
      // Where none of them can be tested, the branch is.
      const suspect = entries[step.at - 1]?.task;
      return beside === undefined
        ? `testing the branch without ${suspect}`
        : `testing those behind ${suspect} without it`;
    }
    case 'beneath':
      return `testing the branch without ${entries[step.at - 1]?.task}${step.again ? ' again' : ''}`;
    case 'turn':
      return `those behind ${entries[step.at - 1]?.task} land first`;
    case 'hold':
      return step.inTurn ? IN_TURN : 'the branch itself is red';
    case 'alone':
      return `testing ${entries[step.at - 1]?.task} alone`;
    case 'blame':
      return `${entries[step.at - 1]?.task} leaves: red, green without it, and red again`;
    case 'done':
      return 'done';
    default:
      return step satisfies never;
  }
}

const span = (upto: number): string => (upto === 0 ? 'the branch itself' : upto === 1 ? '1' : `1–${upto}`);

interface RunView {
  readonly text: string;
  readonly log?: string;
  /** The end of what a red one printed. */
  readonly output?: string;
}

export interface QueueView {
  readonly held?: NonNullable<Queue['held']>;
  readonly batch?: {
    readonly text: string;
    readonly entries: readonly { readonly task: string; readonly candidate: string; readonly state: string }[];
    readonly runs: readonly RunView[];
  };
  /** Tested on top of it, in order. */
  readonly ahead: readonly {
    readonly text: string;
    readonly entries: readonly { readonly task: string; readonly candidate: string }[];
  }[];
  readonly waiting: readonly { readonly task: string; readonly priority: number; readonly why?: string }[];
  readonly size: string;
  readonly figures: QueueFigures;
}

export function queueView(board: Board, settings: Pick<Settings, 'merge_batch'>, now: Instant): QueueView {
  const { state } = board;
  const queue = queueOf(state);
  const { held, batch, ahead = [] } = queue;
  const inBatch = inLanes(queue);
  const inSession = unsettled(board, now);
  return {
    ...(held === undefined ? {} : { held }),
    ...(batch === undefined ? {} : { batch: batchView(board, batch) }),
    ahead: ahead.map((one) => ({
      text: aheadText(board, batch)(one),
      entries: one.entries.map(({ task, candidate }) => ({ task, candidate })),
    })),
    waiting: queued(state)
      .filter(({ id }) => !inBatch.has(id))
      .map((task) => ({ task: task.id, priority: task.priority, ...whyWaits(task, queue, inSession.get(task.id)) })),
    size: sizeText(queue, settings),
    figures: queueFigures(state),
  };
}

function whyWaits(
  { id, paused, merge_held, merge_first }: Task,
  { rest }: Queue,
  inSession: string | undefined,
): { readonly why?: string } {
  if (paused === true) return { why: `held: liza queue release ${id}` };
  if (inSession !== undefined) return { why: inSessionText(id, inSession) };
  if (merge_held !== undefined) return { why: merge_held.reason };
  if (merge_first !== undefined) return { why: 'put first by a person' };
  return rest?.includes(id) === true ? { why: 'behind one that left: in the next batch' } : {};
}

/** One that was replanned or given up meanwhile is still in the batch until somebody goes on with it. */
const waitsText = (task: Task | undefined): string =>
  task?.status === 'APPROVED' ? (task.merge_held?.reason ?? 'waits') : (task?.status ?? 'gone');

function batchView(board: Board, batch: Batch): NonNullable<QueueView['batch']> {
  const { entries, landed, runs, alone, beside } = batch;
  const suspect = entries[landed]?.task ?? '';
  return {
    text: `on ${batch.base.slice(0, 12)}: ${batchText(board, batch)}`,
    entries: entries.map(({ task, candidate }, at) => ({
      task,
      candidate,
      state: at < landed ? 'landed' : waitsText(findTask(board.state, task)),
    })),
    runs: [
      ...runs.slice(0, beside?.after).filter(isTest).map(runText),
      ...(beside?.run === undefined ? [] : [runView(`those behind ${suspect}, without it`, beside.run)]),
      ...(beside === undefined ? [] : runs.slice(beside.after).filter(isTest).map(runText)),
      ...(alone === undefined ? [] : [runView(`${suspect} alone`, alone)]),
    ],
  };
}

const runText = (run: BatchRun): RunView => runView(span(run.upto), run);

const runView = (what: string, { red, log, output }: Pick<BatchRun, 'red' | 'log' | 'output'>): RunView => ({
  text: `${what}: ${red ? 'red' : 'green'}`,
  ...(log === undefined ? {} : { log }),
  ...(output === undefined ? {} : { output }),
});

/** Over the batches and tasks that the board still has; null: nothing to take it of. */
export interface QueueFigures {
  readonly queue_runs_per_landing: number | null;
  readonly queue_latency_p50_seconds: number | null;
  readonly queue_latency_p95_seconds: number | null;
  /** Test runs of the batches in which somebody was blamed; those behind the culprit count for the next. */
  readonly queue_bisect_runs: number | null;
  readonly queue_red_rate_percent: number | null;
  readonly queue_flake_rate_percent: number | null;
  /** Runs on top of a batch or beside it that came to nothing. */
  readonly queue_runs_in_vain: number;
}

export function queueFigures(state: Pick<State, 'goal' | 'tasks'>): QueueFigures {
  const queue = queueOf(state);
  const { batches = [] } = queue;
  const total = (of: (batch: PastBatch) => number): number => batches.reduce((sum, batch) => sum + of(batch), 0);
  const runs = total((batch) => batch.runs);
  const landings = total((batch) => batch.landed);
  const searched = batches.filter(({ blamed }) => blamed !== undefined);
  const outcomes = outcomesOf(queue);
  const waits = state.tasks.flatMap(waitOf).sort((a, b) => a - b);
  return {
    queue_runs_per_landing: ratio(runs, landings),
    queue_latency_p50_seconds: quantile(waits, 0.5),
    queue_latency_p95_seconds: quantile(waits, 0.95),
    queue_bisect_runs: ratio(
      searched.reduce((sum, batch) => sum + batch.runs, 0),
      searched.length,
    ),
    queue_red_rate_percent: percent(outcomes.filter(Boolean).length, outcomes.length),
    queue_flake_rate_percent: percent(
      total(({ flakes }) => flakes),
      runs,
    ),
    queue_runs_in_vain: total(({ in_vain = 0 }) => in_vain),
  };
}

/** In words; empty: nothing is known yet. */
export function figuresText(figures: QueueFigures): readonly string[] {
  const { queue_runs_per_landing: runs, queue_latency_p50_seconds: half, queue_latency_p95_seconds: most } = figures;
  const { queue_bisect_runs: search, queue_flake_rate_percent: flakes, queue_runs_in_vain: vain } = figures;
  const told = [
    ...(runs === null ? [] : [`${runs} test ${runs === 1 ? 'run' : 'runs'} per landing`]),
    ...(half === null || most === null
      ? []
      : [`half land within ${duration(half * 1000)} of their approval, 95 % within ${duration(most * 1000)}`]),
    ...(search === null ? [] : [`${search} runs to find a culprit`]),
    ...(flakes === null ? [] : [`${flakes} % of the runs red by chance`]),
    ...(vain === 0 ? [] : [`${counted(vain, 'run')} in vain, on top of a batch or beside it`]),
  ];
  return told;
}

/** Seconds from the approval to the branch. */
function waitOf(task: Task): readonly number[] {
  const from = approvedAt(task);
  const to = historyOf(task).findLast(({ event }) => event === 'merged')?.time;
  return from === undefined || to === undefined ? [] : [Math.max(0, (instant(to) - instant(from)) / 1000)];
}

const quantile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;

const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 100) / 100;

const percent = (part: number, whole: number): number | null => (whole === 0 ? null : Math.round((part / whole) * 100));
