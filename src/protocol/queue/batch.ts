// The life of one batch of the merge queue, on its record alone: begun, tested, landed piece by piece, ended. What it does
// next follows from the record (search.ts), so that whoever reads it after a crash goes on.

import { instant } from '../../text/time.ts';
import { defined } from '../values.ts';
import { badShare } from './batch-size.ts';
import { inVain, leftAhead, promoted, withoutAhead, withoutBeside } from './lanes.ts';
import type { Announced, Entry } from './records.ts';
import { areMany, flakesIn, nextStep, type Others, type Run, type Step } from './search.ts';
import type { Batch, BatchRun, PastBatch, Queue } from './shape.ts';

/** More tell nothing new about the project as it is now. */
export const MOST_BATCHES = 30;

/** Since the last landing; more than twice what the longest search takes that no chance leads astray. */
const MOST_RUNS = 24;

/** As `Step`, in entries. */
export type BatchStep =
  | Step
  /** The entry at this place, counted from 1, is tested without those before it, or without what landed since it was written. */
  | { readonly step: 'alone'; readonly at: number };

/** What there is besides the batch. */
export interface Around {
  /** Nothing else waits: there is nobody to test beside it, and time to ask whether the culprit is red by itself. */
  readonly idle: boolean;
}

export function batchStep(queue: Queue, { idle }: Around): BatchStep {
  const { batch } = queue;
  if (batch === undefined) return { step: 'done' };
  const ends = groupEnds(batch.entries);
  // Entries that change nothing more stand with the one before: there is one commit to test for all of them.
  const groupOf = (upto: number): number => ends.filter((end) => end <= upto).length;
  const next = nextStep({
    entries: ends.length,
    landed: groupOf(batch.landed),
    runs: batch.runs.map((run) => ({ red: run.red, known: !isFresh(run), upto: groupOf(run.upto) })),
    flaky: isFlaky(queue),
    share: () => badShare(outcomesOf(queue)),
    busy: !idle,
    others: othersOf(batch),
    sound: isSound(queue),
  });
  const place = (at: number): number => (ends[at - 2] ?? 0) + 1;
  const isTested = next.step === 'test' || next.step === 'beside' || next.step === 'beneath';
  const since = batch.runs.filter((run) => isFresh(run) && run.upto >= batch.landed);
  if (isTested && since.length >= MOST_RUNS) return { step: 'hold', inTurn: true };
  switch (next.step) {
    case 'test':
    case 'land':
      return { ...next, upto: ends[next.upto - 1] ?? 0 };
    case 'beside':
    case 'beneath':
    case 'turn':
      return { ...next, at: place(next.at) };
    case 'blame':
      return { step: idle && batch.alone === undefined ? 'alone' : 'blame', at: place(next.at) };
    default:
      return next;
  }
}

function othersOf({ entries, landed: there, beside }: Batch): Others | undefined {
  if (beside?.run === undefined || beside.run.old === true) return undefined;
  const { after, brings, run } = beside;
  const rest = entries.slice(there + 1);
  const isRest = rest.length === beside.entries.length && rest.every(({ task }, n) => task === beside.entries[n]?.task);
  return { red: run.red, after, are: brings === true ? 'with it' : isRest ? 'rest' : 'others' };
}

const isSound = ({ batch, sound }: Queue): boolean =>
  batch !== undefined && sound !== undefined && sound.at === headOfBatch(batch) && sound.by === batch.by;

/** The branch was green by a test of this batch; kept for the next one, where a search asks for it. */
function soundBy(queue: Queue, batch: Batch): Queue['sound'] {
  const { runs, early, landed: there, by, process } = batch;
  const isSeen = early?.old !== true && runs.some((run) => run.upto === there && !run.red && isFresh(run));
  return isSeen && areMany(badShare(outcomesOf(queue)))
    ? { at: headOfBatch(batch), ...defined({ by, process }) }
    : undefined;
}

/** A test that was run, and whoever saw it has not given up since. */
const isFresh = (run: BatchRun): boolean => isTest(run) && run.old !== true;

/** Where each commit of the chain has its last entry. */
function groupEnds(entries: readonly Entry[]): readonly number[] {
  return entries.flatMap(({ candidate }, at) => (entries[at + 1]?.candidate === candidate ? [] : [at + 1]));
}

/** Tests were red by chance lately. */
export const isFlaky = ({ batch, batches = [] }: Queue): boolean =>
  batches.reduce((sum, { flakes }) => sum + flakes, flakesIn(batch?.runs ?? [])) > 1;

/** What it says about the entries that have not landed, as they are announced. */
export function announcedOf({ base, entries, landed }: Batch): readonly Announced[] {
  return entries.slice(landed).map(({ task, commit, candidate }, at) => ({
    task,
    commit,
    candidate,
    onto: entries[landed + at - 1]?.candidate ?? base,
  }));
}

/** Where the branch is, if nobody else moved it. */
export const headOfBatch = ({ base, entries, landed }: Batch): string => entries[landed - 1]?.candidate ?? base;

export interface Beginning {
  readonly base: string;
  readonly since: string;
  readonly entries: readonly Entry[];
  readonly by?: string;
  readonly judge_at?: string;
  readonly process?: string;
}

/**
 * A batch that is announced again, after a crash or a pause, keeps what was seen of it; another takes its place. Where
 * another process goes on, or the last batch ended a while ago, that is another sitting.
 */
export function begun(queue: Queue, beginning: Beginning): Queue {
  const { batch: known, sound } = queue;
  const { base, entries, process, since } = beginning;
  const last = queue.batches?.at(-1)?.time;
  const isLate = last !== undefined && instant(since) - instant(last) > MOMENT;
  const isNow = !isLate && (known ?? sound)?.process === process;
  const { batch, ...others } = isNow ? queue : interrupted(queue);
  const open = batch?.entries.slice(batch.landed) ?? [];
  if (batch !== undefined && headOfBatch(batch) === base && isJudgedBy(batch, beginning.by) && same(open, entries)) {
    const { cut, ...there } = batch;
    // One that was tested on top of the last may be tested still; a test of another process is not.
    return { ...others, batch: { ...there, ...defined({ process, cut: isNow ? cut : undefined }) } };
  }
  const { rest: _begins, rest_judge: _judges, ...kept } = ended({ ...others, ...defined({ batch }) }, since);
  return { ...kept, batch: { ...beginning, entries: [...entries], landed: 0, runs: [] } };
}

/** Milliseconds between two batches of one sitting. */
const MOMENT = 60_000;

/** By the same settings and test, as far as that was written down. */
export const isJudgedBy = (one: { readonly by?: string | undefined }, by: string | undefined): boolean =>
  one.by === undefined || by === undefined || one.by === by;

const same = (before: readonly Entry[], now: readonly Entry[]): boolean =>
  before.length === now.length &&
  before.every(({ task, commit, candidate }, at) => {
    const other = now[at];
    return task === other?.task && commit === other.commit && candidate === other.candidate;
  });

/** What a green run has besides: none of it where nothing had to be run. */
export type Shown = Pick<BatchRun, 'log' | 'by' | 'seconds'>;

/** A green run of the commit with these entries, those that landed not counted; one that is known lands by that. */
export function ranGreen(queue: Queue, beginning: Beginning, shown: Shown = {}): Queue {
  const { batch } = queue;
  const last = beginning.entries.at(-1);
  const known = batch?.entries.find(({ task }) => task === last?.task)?.candidate === last?.candidate;
  const there = known ? queue : begun(queue, beginning);
  const upto = placeOf(there.batch, last?.task ?? '') ?? 0;
  if (there.batch?.runs.some((run) => run.upto === upto && !run.red) === true) return there;
  return ran(there, { upto, red: false, time: beginning.since, ...shown });
}

/** Whatever was tested on top of a red one would not be what lands. */
export function ran(queue: Queue, run: BatchRun): Queue {
  const { batch, ...kept } = run.red ? withoutAhead(queue) : queue;
  if (batch === undefined) return queue;
  const { cut, ...others } = batch;
  return { ...kept, batch: { ...others, runs: [...batch.runs, cut === true ? aged(run) : run] } };
}

/** The branch as it is. */
export const ranBeneath = (queue: Queue, run: Omit<BatchRun, 'upto'>): Queue =>
  ran(queue, { ...run, upto: queue.batch?.landed ?? 0 });

export function ranAlone(queue: Queue, alone: NonNullable<Batch['alone']>): Queue {
  const { batch } = queue;
  if (batch === undefined) return queue;
  const { cut, ...others } = batch;
  return { ...queue, batch: cut === true ? inVain(others) : { ...batch, alone } };
}

/** Everything up to this task is on the branch; the batch ends with its last entry. */
export function landed(queue: Queue, task: string, time: string): Queue {
  const { batch } = queue;
  const upto = placeOf(batch, task);
  if (batch === undefined || upto === undefined) return queue;
  const { ahead, ...there } = withoutBeside({ ...queue, batch: { ...batch, landed: Math.max(upto, batch.landed) } });
  const next = upto === batch.entries.length ? ended(there, time) : there;
  return promoted(ahead === undefined ? next : { ...next, ahead });
}

/**
 * The task leaves, as a culprit or by a person: the batch ends, and those behind it are the next one. What they were
 * tested as without the culprit is that next one already.
 */
export function left(queue: Queue, task: string, time: string, how: 'blamed' | 'taken out' = 'blamed'): Queue {
  const { batch } = queue;
  const place = placeOf(batch, task);
  if (batch === undefined || place === undefined || place <= batch.landed) return leftAhead(queue, task);
  const { beside, entries, landed: there } = batch;
  const isSuspect = entries[there]?.task === task && beside?.run !== undefined && beside.brings !== true;
  if (isSuspect) return how === 'blamed' ? instead(queue, time, task) : interrupted(instead(queue, time));
  const rest = batch.entries.slice(batch.landed).flatMap((entry) => (entry.task === task ? [] : [entry.task]));
  const over = ended(queue, time, how === 'blamed' ? task : undefined);
  return rest.length === 0 ? over : { ...over, rest };
}

/** Those behind the suspected one are the batch now, with what their test showed. It waits, unless it is blamed. */
export function instead(queue: Queue, time: string, blamed?: string): Queue {
  const { batch } = queue;
  if (batch?.beside?.run === undefined) return queue;
  const { beside, ...bare } = batch;
  const { run, after: _then, brings: _along, ...beginning } = beside;
  return {
    ...ended({ ...queue, batch: bare }, time, blamed),
    batch: { ...beginning, landed: 0, runs: [], early: run },
  };
}

/** What was seen of it counts for the size of the next. */
export function ended(queue: Queue, time: string, blamed?: string): Queue {
  const {
    batch,
    rest: _over,
    rest_judge: _judged,
    ahead: _onTop,
    sound: _before,
    batches = [],
    ...kept
  } = withoutBeside(withoutAhead(queue));
  if (batch === undefined) return queue;
  const { entries, landed: there, runs, alone } = batch;
  const in_vain = (batch.in_vain ?? 0) + unused(batch);
  const past: PastBatch = {
    time,
    entries: entries.length,
    landed: there,
    ...(blamed === undefined ? {} : { blamed }),
    runs: runs.filter(isTest).length + (alone === undefined ? 0 : 1) + in_vain,
    flakes: flakesIn(runs),
    ...(in_vain === 0 ? {} : { in_vain }),
  };
  const told = past.runs > 0 || there > 0 ? [...batches, past].slice(-MOST_BATCHES) : batches;
  return { ...kept, ...defined({ sound: soundBy(queue, batch) }), ...(told.length === 0 ? {} : { batches: told }) };
}

/** A test of it from before it began that nothing was made of. */
const unused = ({ early, runs }: Batch): number => (early === undefined || runs.length > 0 ? 0 : 1);

/** Where nothing had to be run there is no log. */
export const isTest = ({ log }: BatchRun): boolean => log !== undefined;

/**
 * Somebody came in between. A green one lands without another run, and a red one says where to look; but nobody is blamed by
 * what was seen before, nor by the test of the batch that runs meanwhile. What was tested without the suspected one, or of
 * it alone, comes to nothing, and what is tested on top but for those that were green already.
 */
export function interrupted(queue: Queue, isTested = isOwnTested(queue)): Queue {
  const lane = queue.ahead?.findIndex(({ run }) => run?.red !== false) ?? -1;
  const { sound: _then, ...known } = withoutBeside(lane === -1 ? queue : withoutAhead(queue, lane));
  const { batch, ahead } = known;
  if (batch === undefined) return known;
  const { alone, ...others } = batch;
  const { early, runs } = others;
  return {
    ...known,
    ...defined({ ahead: ahead?.map((one) => ({ ...one, ...defined({ run: one.run && aged(one.run) }) })) }),
    batch: {
      ...(alone === undefined ? others : inVain(others)),
      runs: runs.map(aged),
      ...defined({ early: early && aged(early), cut: isTested ? (true as const) : undefined }),
    },
  };
}

/** Not those beside it. */
const isOwnTested = ({ batch }: Queue): boolean => batch?.beside === undefined || batch.beside.run !== undefined;

/** Given up for now: what was known without a test is known again. */
export function released(queue: Queue): Queue {
  const { batch: cut, ...kept } = interrupted(queue);
  if (cut === undefined) return queue;
  const { cut: _over, ...batch } = cut;
  const { early, landed: there, in_vain } = batch;
  const runs = batch.runs.filter((run) => run.upto <= there || isTest(run));
  if (runs.length === 0 && there === 0 && early === undefined && in_vain === undefined && kept.ahead === undefined)
    return kept;
  return { ...kept, batch: { ...batch, runs } };
}

const aged = (run: BatchRun): BatchRun => ({ ...run, old: true });

/** Its place, counted from 1. */
export function placeOf(batch: Batch | undefined, task: string): number | undefined {
  const at = batch?.entries.findIndex((entry) => entry.task === task) ?? -1;
  return at === -1 ? undefined : at + 1;
}

/** Whether each of the last changes was bad, oldest first. */
export const outcomesOf = ({ batches = [] }: Queue): readonly boolean[] =>
  batches.flatMap(({ landed: good, blamed }) => [
    ...Array.from({ length: good }, () => false),
    ...(blamed === undefined ? [] : [true]),
  ]);

/** The red run that convicts the entry at this place, with those behind it or without. */
export const proofOf = ({ runs }: Batch, at: number): BatchRun | undefined =>
  runs.findLast((run: Run) => run.red && run.upto >= at);
