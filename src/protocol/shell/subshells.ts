// Shells within a shell: `( … )`, the parts of a pipe, `$(…)`. Each has an end of its own, with its trap; what ran in it stays
// known outside.

import { runsTests } from './known-commands.ts';
import { readShellLine, type ShellLine } from './shell-line.ts';
import { as, either, going, merged, type Outcome, plus, START, union, type Way, type Ways } from './ways.ts';

export interface Reading {
  /** Commands that do not look at the code (`ls`, `node --version`) count as green: nothing that is done makes them fail. */
  readonly trusting: boolean;
  /** `set -o pipefail` ends the shell with an error. */
  readonly lacksPipefail?: boolean;
}

export interface Context extends Reading {
  /** `set -e` does not apply: within a condition, or before `&&` and `||`. */
  readonly exempt: boolean;
  readonly isInFunction: boolean;
  readonly depth: number;
  /** Any line; handed on, because what follows it needs what it follows. */
  readonly follow: (line: ShellLine, ways: Ways, context: Context) => Outcome;
  /** Loops within loops have no end of steps. */
  readonly budget: { left: number };
}

export const DEEPEST = 5;

export function remembered(line: ShellLine, way: Way): Way {
  if (line.text === '') return way;
  if (!way.red) return { ...way, passed: plus(way.passed, line.text) };
  const isTest = line.kind === 'simple' && runsTests(line.words);
  return {
    ...way,
    refuted: plus(way.refuted, line.text),
    failed: plus(way.failed, line.text),
    failedTests: isTest ? plus(way.failedTests, line.text) : way.failedTests,
  };
}

/** Any of them. */
export const allOf = (outcomes: readonly Outcome[]): Outcome => ({
  next: merged(outcomes.flatMap(({ next }) => next)),
  back: merged(outcomes.flatMap(({ back }) => back)),
  exit: merged(outcomes.flatMap(({ exit }) => exit)),
});

export const mayHaveFailed = (ways: Ways): Pick<Way, 'failed' | 'failedTests' | 'unsure'> => ({
  failed: ways.reduce((so, { failed }) => union(so, failed), START.failed),
  failedTests: ways.reduce((so, { failedTests }) => union(so, failedTests), START.failedTests),
  unsure: ways.some(({ unsure }) => unsure),
});

/** A shell of its own: its modes and its end are its own, and its exit code is how it goes on. */
export function subshell(of: ShellLine, ways: Ways, context: Context): Outcome {
  const outcomes = ways.map((way) => {
    const { trap: _outer, ...entered } = way;
    const { next, why } = shellOf(of, [entered], context);
    const { errexit, pipefail, trap, codes, functions, job } = way;
    return going(
      next.map((end): Way => ({ ...end, errexit, pipefail, trap, codes, functions, job })),
      why,
    );
  });
  return { ...allOf(outcomes), why: outcomes[0]?.why };
}

/** All ways in which that shell ends, behind what its trap does. */
export function shellOf(of: ShellLine, ways: Ways, context: Context): Outcome {
  const { next, back, exit, why } = context.follow(of, ways, context);
  const ends = merged([...next, ...back, ...exit]);
  return going(
    ends.flatMap((way) => trapped(way, context)),
    ends.some(({ trap }) => trap !== undefined) ? (why ?? 'its trap ends it green') : why,
  );
}

/** It leaves the exit code as it is, unless it ends the shell itself. */
function trapped(way: Way, context: Context): Ways {
  const { trap, ...rest } = way;
  if (trap === undefined) return [way];
  const line = context.depth > DEEPEST ? undefined : readShellLine(trap);
  if (line === undefined) return either([{ ...rest, unsure: true }]);
  // Whether `set -e` applies within differs between shells.
  const { next, back, exit } = allOf(
    [true, false].map((exempt) => context.follow(line, [rest], { ...context, exempt, depth: context.depth + 1 })),
  );
  return [...as(next, way.red), ...back, ...exit];
}

/** Commands in words run first; only an assignment has their exit code. */
export function substituted(runs: readonly string[], ways: Ways, context: Context): Ways {
  return runs.reduce((so: Ways, code) => {
    const line = context.depth > DEEPEST ? undefined : readShellLine(code);
    if (line === undefined) return merged(either(so).map((way) => ({ ...way, unsure: true })));
    // Whether `set -e` applies within differs between shells.
    const ended = subshell(line, so, { ...context, exempt: true, depth: context.depth + 1 });
    return ended.next.map((way) => remembered(line, way));
  }, ways);
}
