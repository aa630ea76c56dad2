// What a batch of the merge queue does next. Its entries stand in order, each with the commit that the branch would be
// with all entries up to it: a chain, so that a prefix that landed leaves the longer ones as they were tested.
// A green prefix lands at once. In a red one, halving finds the first entry that makes its prefix red. It is blamed only
// after three runs in this order, in one sitting: it was red; the same without it was green; and with it, it was red again,
// as a commit that had been tested before. So neither a test that is red by chance, nor one that is red the first time it
// sees a commit, nor an outage of what tests need makes a culprit.
// Nothing else is remembered than the runs: whoever goes on after a crash comes to the same step.

/** `upto`: how many entries the tested commit has; none: the branch without any of them. */
export interface Run {
  readonly upto: number;
  readonly red: boolean;
  /** Seen at another time, and not run now: it says where to look, and convicts nobody. */
  readonly known?: boolean;
}

/** Those behind the suspected one, on the branch without it. */
export interface Others {
  readonly red: boolean;
  /** How many runs there were before. */
  readonly after: number;
  /** `rest`: all that is behind it in its batch, which is the same with it; `with it`: one of them brings it along. */
  readonly are: 'rest' | 'others' | 'with it';
}

export type Step =
  /** `again`: this commit was red before, and may have been so by chance. */
  | { readonly step: 'test'; readonly upto: number; readonly again: boolean }
  | { readonly step: 'land'; readonly upto: number }
  /** Those behind the entry at this place, counted from 1, are tested without it; where none can be, the branch as it is. */
  | { readonly step: 'beside'; readonly at: number }
  /** The branch as it is, beneath the entry at this place. */
  | { readonly step: 'beneath'; readonly at: number; readonly again: boolean }
  /** The branch itself is red, and those behind the entry at this place bring what it lacks: they land first, and it waits. */
  | { readonly step: 'turn'; readonly at: number }
  /** The branch itself is red: nothing is known of anybody. `inTurn`: nor is anything learnt by more runs. */
  | { readonly step: 'hold'; readonly inTurn?: true }
  /** The entry at this place leaves; those behind it wait for the next batch. */
  | { readonly step: 'blame'; readonly at: number }
  | { readonly step: 'done' };

export interface Searched {
  readonly entries: number;
  readonly landed: number;
  /** In the order in which they were run. */
  readonly runs: readonly Run[];
  /** Tests of this project were red by chance before: a red batch is run again before it is searched. */
  readonly flaky: boolean;
  /** How many of the last changes were bad. */
  share(): number;
  /** Somebody else waits. */
  readonly busy: boolean;
  readonly others?: Others | undefined;
  /** The branch as it is was green a moment ago. */
  readonly sound: boolean;
}

/** Red runs of one commit in a row that are not by chance. */
const PROOF = 2;

export function nextStep(searched: Searched): Step {
  const { entries, landed, runs, flaky, share } = searched;
  const green = Math.max(landed, ...runs.filter(({ red }) => !red).map(({ upto }) => upto));
  if (green > landed) return { step: 'land', upto: green };
  if (green === entries) return { step: 'done' };
  const reds = runs.filter(({ upto, red }) => red && upto > green).map(({ upto }) => upto);
  if (reds.length === 0) return { step: 'test', upto: entries, again: false };
  const first = Math.min(...reds);
  if (first - green === 1) return suspected(searched, first);
  const times = reds.filter((upto) => upto === first).length;
  if (flaky && times < PROOF && first === entries) return { step: 'test', upto: first, again: true };
  return { step: 'test', upto: green + halving(first - green, share()), again: false };
}

/**
 * Red, and what is beneath it is green or not known. Two commits that differ in nothing but the suspected one are run, one
 * after the other: the one without it, and then the one with it. What was red before some commit was so by chance may have
 * been so by the same chance: it does not count.
 */
function suspected(searched: Searched, at: number): Step {
  const { entries, runs, busy, others } = searched;
  const calm = lastFlake(runs) + 1;
  const first = runs.findIndex(({ upto, red, known }, n) => n >= calm && red && upto === at && known !== true);
  if (first === -1) return { step: 'test', upto: at, again: true };
  const isNow = ({ known }: Run, n: number): boolean => n > first && known !== true;
  const redAfter = (from: number, upto: number): boolean =>
    runs.some((run, n) => isNow(run, n) && n >= from && run.red && run.upto === upto);
  const asked = others !== undefined && others.after > first ? others : undefined;
  const isAlone = isSound(searched, at);
  const below = runs.filter((run, n) => isNow(run, n) && run.upto === at - 1);
  const green = runs.findLastIndex((run, n) => isNow(run, n) && run.upto === at - 1 && !run.red);
  const pairs = [
    ...(green === -1 ? [] : [{ after: green, upto: at }]),
    ...(asked?.red === false && asked.are === 'rest' ? [{ after: asked.after, upto: entries }] : []),
    ...(asked?.red === false && asked.are === 'others' && isAlone ? [{ after: asked.after, upto: at }] : []),
  ];
  const [pair] = pairs;
  if (pairs.some(({ after, upto }) => redAfter(after, upto))) return { step: 'blame', at };
  if (pair !== undefined) return { step: 'test', upto: pair.upto, again: true };
  if (asked?.red === false && below.length > 0) return { step: 'turn', at };
  if (below.length >= PROOF) return { step: 'hold' };
  // The last of its batch was never tested together with those that come next.
  const isBranchFirst = at === entries && !isAlone && below.length === 0;
  if (busy && asked === undefined && !isBranchFirst) return { step: 'beside', at };
  return { step: 'beneath', at, again: below.length > 0 };
}

/**
 * A batch of one, where many are bad: that the branch was green a moment ago, and that others are green now, stands for a
 * run of the branch, which would cost more than the search.
 */
const isSound = ({ entries, landed, share, sound }: Searched, at: number): boolean =>
  sound && entries - landed === 1 && at === entries && areMany(share());

/** As long as no more of the last changes are bad, one more run for some of them costs little. */
const FEW = 0.15;

export const areMany = (share: number): boolean => share >= FEW;

/**
 * How many of so many entries are tested to find the first bad one: it is as likely among them as not. Where many are bad
 * it stands early. Rather some more: a culprit whose last run was the green one beneath it costs one run less.
 */
function halving(entries: number, share: number): number {
  const within = (some: number): number => (1 - (1 - share) ** some) / (1 - (1 - share) ** entries);
  let best = 1;
  for (let some = 2; some < entries; some++)
    if (Math.abs(within(some) - AIM) < Math.abs(within(best) - AIM)) best = some;
  return best;
}

const AIM = 0.55;

/** The last run that was green where the one before of the same commit was red. */
const lastFlake = (runs: readonly Run[]): number =>
  runs.findLastIndex(
    ({ upto, red }, at) => !red && runs.slice(0, at).findLast((run) => run.upto === upto)?.red === true,
  );

interface Seen extends Run {
  readonly old?: true | undefined;
}

/** Commits that were red and then green, and nobody came in between: by chance. */
export const flakesIn = (runs: readonly Seen[]): number =>
  new Set(
    runs.flatMap((run, at) => {
      const isGreen = ({ upto, red, old }: Seen): boolean => upto === run.upto && !red && old === run.old;
      return run.red && runs.slice(at).some(isGreen) ? [run.upto] : [];
    }),
  ).size;
