// The ways that a shell may come to a point of a line: how the last command ended there, which modes are on, and what is
// known to have run. Ways that differ in nothing that decides where they lead are one.

import type { ShellLine } from './shell-line.ts';

export interface Way {
  /** How the command before it ended. */
  readonly red: boolean;
  readonly errexit: boolean;
  readonly pipefail: boolean;
  /** What runs when the shell ends. */
  readonly trap?: string | undefined;
  /** Variables that hold an exit code: whether it is red. */
  readonly codes: Readonly<Record<string, boolean>>;
  readonly functions: Readonly<Record<string, ShellLine>>;
  /** What was last started in the background. */
  readonly job?: string | undefined;
  /** Commands that ran green, whichever way led here. */
  readonly passed: ReadonlySet<string>;
  /** Commands that ran red, whichever way led here. */
  readonly refuted: ReadonlySet<string>;
  /** Commands that may have run red. */
  readonly failed: ReadonlySet<string>;
  /** Those of them that are sure to run tests. */
  readonly failedTests: ReadonlySet<string>;
  /** Code that was not read may have changed how the shell goes on. */
  readonly unsure: boolean;
}

export type Ways = readonly Way[];

export const START: Way = {
  red: false,
  errexit: false,
  pipefail: false,
  codes: {},
  functions: {},
  passed: new Set(),
  refuted: new Set(),
  failed: new Set(),
  failedTests: new Set(),
  unsure: false,
};

/** How a command may go on, leave a function or a loop, and end the shell. */
export interface Outcome {
  readonly next: Ways;
  readonly back: Ways;
  readonly exit: Ways;
  /** Why it is green, where it is. */
  readonly why?: string | undefined;
}

export const going = (next: Ways, why?: string): Outcome => ({ next: merged(next), back: [], exit: [], why });

export const either = (ways: Ways): Ways => [...as(ways, false), ...as(ways, true)];

export const as = (ways: Ways, red: boolean): Ways => ways.map((way) => ({ ...way, red }));

export const isRed = ({ red }: Way): boolean => red;
export const isGreen = ({ red }: Way): boolean => !red;

/** One after the other, whatever the first did. */
export function inTurn(first: Outcome, next: (ways: Ways) => Outcome): Outcome {
  if (first.next.length === 0) return first;
  const second = next(first.next);
  return {
    next: second.next,
    back: both(first.back, second.back),
    exit: both(first.exit, second.exit),
    why: second.why,
  };
}

const both = (a: Ways, b: Ways): Ways => (b.length === 0 ? a : merged([...a, ...b]));

export function merged(ways: Ways): Ways {
  const found = new Map<string, Way>();
  for (const way of ways) {
    const key = keyOf(way);
    const same = found.get(key);
    found.set(key, same === undefined || same === way ? way : joined(same, way));
  }
  return [...found.values()];
}

/** A way is compared at each step that it goes on to. */
const KEYS = new WeakMap<Way, string>();

function keyOf(way: Way): string {
  const known = KEYS.get(way);
  if (known !== undefined) return known;
  const { red, errexit, pipefail, trap, codes, functions, job } = way;
  const bodies = Object.entries(functions).map(([name, { text }]) => [name, text]);
  const key = JSON.stringify([red, errexit, pipefail, trap, job, codes, bodies]);
  KEYS.set(way, key);
  return key;
}

const joined = (a: Way, b: Way): Way => ({
  ...a,
  passed: inBoth(a.passed, b.passed),
  refuted: inBoth(a.refuted, b.refuted),
  failed: union(a.failed, b.failed),
  failedTests: union(a.failedTests, b.failedTests),
  unsure: a.unsure || b.unsure,
});

const inBoth = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> =>
  a === b ? a : new Set([...a].filter((one) => b.has(one)));

export const union = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> =>
  a === b || b.size === 0 ? a : new Set([...a, ...b]);

export const plus = (a: ReadonlySet<string>, one: string): ReadonlySet<string> =>
  a.has(one) ? a : new Set([...a, one]);
