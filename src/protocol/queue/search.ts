// What a batch of the merge queue does next. Its entries stand in order, each with the commit that the branch would be
// with all entries up to it: a chain, so that a prefix that landed leaves the longer ones as they were tested.
// A green prefix lands at once. In a red one, halving finds the first entry that makes its prefix red. It is blamed only
// after three runs in this order: it was red, what is beneath it was green, and on top of that it was red again. So neither
// a test that is red by chance nor an outage of what tests need makes a culprit.
// Nothing else is remembered than the runs: whoever goes on after a crash comes to the same step.

/** `upto`: how many entries the tested commit has; none: the branch without any of them. */
export interface Run {
  readonly upto: number;
  readonly red: boolean;
  /** Seen at another time, and not run now: a green one says nothing of an outage. */
  readonly known?: boolean;
}

export type Step =
  /** `again`: this commit was red before, and may have been so by chance. */
  | { readonly step: 'test'; readonly upto: number; readonly again: boolean }
  | { readonly step: 'land'; readonly upto: number }
  /** Those behind the entry at this place, counted from 1, are tested without it: if they are green, it is tested with them. */
  | { readonly step: 'beside'; readonly at: number }
  /** The branch as it is, beneath the entry at this place. */
  | { readonly step: 'beneath'; readonly at: number; readonly again: boolean }
  /** The branch itself is red: nothing is known of anybody. */
  | { readonly step: 'hold' }
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
  /** Others wait that can be tested without the suspected one. */
  readonly beside: boolean;
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
 * Red, and what is beneath it is green or not known: both are shown again, one after the other. What was red before some
 * commit was so by chance may have been so by the same chance: it does not count.
 */
function suspected({ entries, runs, share, beside }: Searched, at: number): Step {
  const calm = runs.slice(lastFlake(runs) + 1);
  const first = calm.findIndex(({ upto, red }) => red && upto === at);
  if (first === -1) return { step: 'test', upto: at, again: true };
  const since = calm.slice(first);
  const below = since.filter(({ upto, red, known }) => upto === at - 1 && (red || known !== true));
  const shown = since.findLastIndex((run) => !run.red && below.includes(run));
  if (shown === -1) {
    if (below.length >= PROOF) return { step: 'hold' };
    // The last of its batch was never tested together with those that come next.
    const isBranchFirst = at === entries && share() < FEW;
    if (beside && below.length === (isBranchFirst ? 1 : 0)) return { step: 'beside', at };
    return { step: 'beneath', at, again: below.length > 0 };
  }
  const again = since.slice(shown).some(({ upto, red }) => red && upto === at);
  return again ? { step: 'blame', at } : { step: 'test', upto: at, again: true };
}

/** As long as no more of the last changes were bad, one more run for some of them costs little. */
const FEW = 0.15;

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

/** Commits that were red and then green: by chance, as nothing about them had changed. */
export const flakesIn = (runs: readonly Run[]): readonly number[] =>
  [...new Set(runs.filter(({ red }) => red).map(({ upto }) => upto))].filter((upto) => {
    const first = runs.findIndex((run) => run.upto === upto && run.red);
    return runs.slice(first).some((run) => run.upto === upto && !run.red);
  });
