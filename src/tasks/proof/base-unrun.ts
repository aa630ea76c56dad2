// Tests of the base that the commit leaves as they are, or moves so, and that no command runs any more: its scripts and
// settings choose fewer. Told where the words of the commands, or what the runners printed before and after, show it.

import { join } from 'node:path';
import { filesAt, scanning } from '../../git/text-at.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { firstPaths, type PathList } from '../../protocol/facts/diff-facts.ts';
import { runsFile } from '../../protocol/facts/runs-file.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { type ProofRun, testsAt } from '../../protocol/review/proof.ts';
import { lacksTests, runsFewer } from '../../protocol/review/test-count.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../context.ts';
import { inDisposableCheckout } from '../disposable-checkout.ts';
import { readLog } from '../read-log.ts';
import { lostFiles, type Said, type TestFile } from '../rules/lost-files.ts';
import { reportedTests } from '../rules/reported-tests.ts';
import { commandsReached } from './commands-reached.ts';
import type { Limits } from './compared-runs.ts';
import { movedTests } from './moved-tests.ts';
import { type Proving, type Ran, runAll } from './run-commands.ts';
import { filesNotRun } from './runs-tests.ts';
import { type BaseAlone, baseAlone, checkoutFor } from './tests-on-base.ts';

/** More are not read. */
const MOST_FILES = 500;

/** What the commands run on the base, of which that is not on the board: for a commit that changes how tests are run, or whose runs left some out. */
export async function countOnBase(
  context: TaskContext,
  proving: Proving,
  limits: Limits,
  asked = proving.commands,
): Promise<BaseAlone | Refusal | undefined> {
  const { gitDir, board, base } = proving;
  const known = testsAt(board.state, base);
  const only = asked.filter((command) => !known.has(command));
  if (only.length === 0) return undefined;
  const checkout = { ...checkoutFor(context, proving), commit: base };
  const ran = await inDisposableCheckout<Ran | Refusal>(context, gitDir, checkout, (folder) =>
    runAll(context, proving, folder, {
      what: 'base-',
      files: base,
      seconds: limits.left(),
      spend: limits.spend,
      only,
      goOn: true,
    }),
  );
  if (isRefusal(ran)) return ran.guard === 'stopped' ? ran : undefined;
  return baseAlone(ran as Ran);
}

interface Seen {
  /** At the commit, with the number of tests on the base where that is known. */
  readonly runs: readonly ProofRun[];
  /** How many more tests the commit declares. */
  readonly added: number | undefined;
  readonly baseLogs: readonly string[];
}

export async function unrunOfBase(
  context: TaskContext,
  proving: Proving,
  { runs, added, baseLogs }: Seen,
): Promise<PathList | undefined> {
  const { gitDir, base, commit, commands, settings, facts } = proving;
  const isFewer = runs.some((run) => runsFewer(run, added));
  const lacks = lacksTests(runs, added);
  const { runs: moved } = await movedTests(proving);
  if (facts.test_setup === undefined && moved.size === 0 && !isFewer && lacks !== true) return undefined;
  // As many ran as there were and came: none is lost.
  if (!isFewer && lacks === false) return undefined;
  const patterns = testPatterns(settings);
  const there = new Set(await filesAt(gitDir, commit));
  const files = (await filesAt(gitDir, base)).filter(
    (path) => isTest(path, patterns) && (there.has(path) || moved.has(path)),
  );
  const before = await commandsReached({ gitDir, commit: base, commands });
  const ran = files.filter((path) => before.some((run) => runsFile(run, path))).slice(0, MOST_FILES);
  const stays = ran.filter((path) => there.has(path));
  const byWords = await filesNotRun({ gitDir, commit, commands }, stays, MOST_FILES);
  const changed = new Set(facts.changes.map(({ path }) => path));
  const texts: TestFile[] = [];
  const read = scanning(gitDir, base);
  for (const path of ran.filter((one) => !changed.has(one) || moved.has(one))) {
    const text = await read(path);
    if (text !== undefined) texts.push({ path, text, ...defined({ now: moved.get(path) }) });
  }
  const [printed, now] = [baseLogs, runs.map(({ log }) => log)].map((logs) => printedIn(context, logs));
  const others = [...changed].filter((path) => there.has(path) && isTest(path, patterns));
  const byNames = printed === undefined || now === undefined ? [] : lostFiles(texts, said(printed), said(now), others);
  const lost = [...new Set([...byWords, ...byNames])];
  return lost.length === 0 ? undefined : firstPaths(lost);
}

/** Undefined: some of it is too long to be read, so that what it does not name may well stand there. */
function printedIn({ disk, paths }: TaskContext, logs: readonly string[]): string | undefined {
  const texts = logs.map((log) => readLog(disk, join(paths.root, log), UNREAD));
  return texts.includes(UNREAD) ? undefined : texts.join('\n');
}

const UNREAD = '\0';
const said = (printed: string): Said => ({ printed, report: reportedTests(printed) });
