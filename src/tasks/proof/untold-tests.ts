// New tests of which nothing shows that they ran: the runner names no tests, and its number of them did not grow by
// what the commit adds. Whoever relies on them must know that.

import { join } from 'node:path';
import { TOO_LARGE, textAt } from '../../git/text-at.ts';
import type { ProofRun } from '../../protocol/review/proof.ts';
import type { TaskContext } from '../context.ts';
import { readLog } from '../read-log.ts';
import { declaredTests } from '../rules/declared-tests.ts';
import { reportedTests } from '../rules/reported-tests.ts';
import { isShown } from '../rules/told-by-runner.ts';
import type { Proving } from './run-commands.ts';

/** More are not read. */
const MOST_FILES = 20;

interface Ran {
  /** At the commit, with the number of tests on the base where that is known. */
  readonly runs: readonly ProofRun[];
  /** How many more tests the commit declares. */
  readonly added: number | undefined;
  /** Its test files that some command runs. */
  readonly files: readonly string[];
}

/** Those of the files that declare new tests, and of whose tests nothing is said. */
export async function untoldTests(
  { disk, paths }: TaskContext,
  { gitDir, base, commit }: Proving,
  { runs, added, files }: Ran,
): Promise<readonly string[]> {
  if (runs.some((run) => hasGrown(run, added))) return [];
  const printed = runs.map(({ log }) => readLog(disk, join(paths.root, log), ''));
  const report = reportedTests(printed.join('\n'));
  const untold: string[] = [];
  for (const path of files.slice(0, MOST_FILES)) {
    const [before, after] = [await textAt(gitDir, base, path), await textAt(gitDir, commit, path)];
    if (after === undefined || after === TOO_LARGE || before === TOO_LARGE) continue;
    const known = new Set(declaredTests(before ?? '', path).tests.map(({ name }) => name));
    const { tests } = declaredTests(after, path);
    const names = tests.filter(({ name, sure, off }) => sure && !off && !known.has(name)).map(({ name }) => name);
    if (names.length > 0 && !isShown(report, { path, text: after, names })) untold.push(path);
  }
  return untold;
}

/** As many more ran as the commit declares. */
const hasGrown = ({ tests, tests_on_base: before }: ProofRun, added = 1): boolean =>
  tests !== undefined && before !== undefined && tests > before && tests - before >= added;
