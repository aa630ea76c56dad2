// New tests of which nothing shows that they ran: the runner does not name them, and its number of tests did not grow by
// what the commit adds. Whoever relies on them must know that; where it is sure that some did not run, strict refuses.

import { join } from 'node:path';
import { scannedAt, TOO_LARGE } from '../../git/text-at.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import type { ProofRun } from '../../protocol/review/proof.ts';
import { moreSkipped } from '../../protocol/review/skip-count.ts';
import { lacksTests, risenBy } from '../../protocol/review/test-count.ts';
import type { TaskContext } from '../context.ts';
import { readLog } from '../read-log.ts';
import { declaredTests } from '../rules/declared-tests.ts';
import { onlyAdds, withoutImports } from '../rules/only-adds.ts';
import { reportedTests, type TestReport } from '../rules/reported-tests.ts';
import { isShown, registersNone, toldByRunner } from '../rules/told-by-runner.ts';
import type { Proving } from './run-commands.ts';

/** More are not read. */
const MOST_FILES = 20;
const MOST_CHANGED = 200;
const MOST_LINES = 20;

interface Ran {
  /** At the commit, with the number of tests on the base where that is known. */
  readonly runs: readonly ProofRun[];
  /** How many more tests the commit declares. */
  readonly added: number | undefined;
  /** Its test files that some command runs. */
  readonly files: readonly string[];
  /** They were red without the change; without a number that says otherwise, they ran. */
  readonly isRed: boolean;
}

/** `none`: no new test of theirs ran; `number`: some new test did not, or one of the base does no more. */
export type Surely = 'none' | 'number';

export interface Untold {
  readonly files: readonly string[];
  readonly surely?: Surely;
  /** The end of what was printed, where that is sure. */
  readonly tail?: readonly string[];
}

const ALL_TOLD: Untold = { files: [] };

/** Those of the files that declare new tests, and of whose tests nothing is said. */
export async function untoldTests(context: TaskContext, proving: Proving, ran: Ran): Promise<Untold> {
  const { gitDir, base, commit } = proving;
  const { runs, added } = ran;
  const printed = printedBy(context, runs);
  const report = reportedTests(printed);
  // Those that are skipped are told as such, and are why fewer ran.
  const skipped = moreSkipped(runs);
  const short = lacksTests(runs, added === undefined ? added : added - skipped) === true && report.countsEach;
  const isGrown = runs.some((run) => hasGrown(run, added));
  if (report.whole.size === 0 && (isGrown || (ran.isRed && !short))) return ALL_TOLD;
  const [none, untold]: [string[], string[]] = [[], []];
  for (const path of ran.files.slice(0, MOST_FILES)) {
    const [before, after] = [await scannedAt(gitDir, base, path), await scannedAt(gitDir, commit, path)];
    if (after === undefined || after === TOO_LARGE || before === TOO_LARGE) continue;
    const names = newNames(before ?? '', after, path);
    if (names.length === 0) continue;
    if (hasNone(report, { path, text: after, names })) none.push(path);
    else if (isGrown || (ran.isRed && !short)) continue;
    else if (short ? isUnnamed(report, { path, text: after, names }) : !isShown(report, { path, text: after, names }))
      untold.push(path);
  }
  const tail = printed.split('\n').slice(-MOST_LINES);
  if (none.length > 0) return { files: [...none, ...untold], surely: 'none', tail };
  const isSure = short && (risenBy(runs) ?? 1) <= 0 && skipped === 0 && (await addsOnly(proving));
  return { files: untold, ...(isSure ? { surely: 'number', tail } : {}) };
}

const printedBy = ({ disk, paths }: TaskContext, runs: readonly ProofRun[]): string =>
  runs.map(({ log }) => readLog(disk, join(paths.root, log), '')).join('\n');

function newNames(before: string, after: string, path: string): readonly string[] {
  const known = new Set(declaredTests(before, path).tests.map(({ name }) => name));
  const { tests } = declaredTests(after, path);
  return tests.filter(({ name, sure, off }) => sure && !off && !known.has(name)).map(({ name }) => name);
}

interface New {
  readonly path: string;
  readonly text: string;
  readonly names: readonly string[];
}

const hasNone = (report: TestReport, asked: New): boolean =>
  registersNone(report, asked) &&
  asked.names.every((name) => toldByRunner(report, { ...asked, names: [name] }).is === 'unreported');

function isUnnamed(report: TestReport, asked: New): boolean {
  const told = asked.names.map((name) => toldByRunner(report, { ...asked, names: [name], short: true }).is);
  return told.some((is) => is === 'unreported' || is === 'did_not_run');
}

/** As many more ran as the commit declares. */
const hasGrown = ({ tests, tests_on_base: before }: ProofRun, added = 1): boolean =>
  tests !== undefined && before !== undefined && tests > before && tests - before >= added;

/** The tests that were there stay as they were: their number cannot have fallen by what the commit changes in them. */
async function addsOnly({ gitDir, base, commit, facts, settings }: Proving): Promise<boolean> {
  const patterns = testPatterns(settings);
  const tests = facts.changes.filter((change) => isTest(change.path, patterns));
  if (tests.length > MOST_CHANGED) return false;
  for (const { path } of tests) {
    const [before, after] = [await scannedAt(gitDir, base, path), await scannedAt(gitDir, commit, path)];
    if (before === TOO_LARGE || after === TOO_LARGE || !onlyAdds(withoutImports(before ?? ''), after ?? ''))
      return false;
  }
  return true;
}
