// The commit's code under the tests that the base has, in a checkout that is thrown away. They are red only where one of
// them was seen to fail: the commit's scripts may look for tests that the base does not have, or at another place.

import { composedTree } from '../../git/composed-tree.ts';
import { filesAt, scanning } from '../../git/text-at.ts';
import { list } from '../../protocol/commands/words.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { runsFile, surelyRuns } from '../../protocol/facts/runs-file.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import { leftOut } from '../../protocol/review/skip-count.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../context.ts';
import { inDisposableCheckout } from '../disposable-checkout.ts';
import { declaredTests } from '../rules/declared-tests.ts';
import { failsByItself, stopsAt } from '../rules/judged-on-base.ts';
import { commandsReached } from './commands-reached.ts';
import { comparedWith, flakyOne, type Limits, type Looked, logText, outcomeOf } from './compared-runs.ts';
import type { Moved } from './moved-tests.ts';
import { runAgain } from './run-again.ts';
import { type Proving, type RedRun, runAll, short } from './run-commands.ts';
import { canRunTests } from './runs-tests.ts';
import { checkoutFor } from './tests-on-base.ts';

/** More are not read. */
const MOST_FILES = 50;

/** Tests of the base that the commit changes or removes. What it moved as it was, and still runs, it does not change. */
export const changedOfBase = (touched: Proving['facts']['changes'], { runs, lost, beside }: Moved): readonly string[] =>
  touched.flatMap(({ kind, path }) =>
    kind === 'added' || runs.has(path) || (beside.has(path) && !lost.has(path)) ? [] : [path],
  );

interface Asked {
  /** Green on the base alone, or red there. */
  readonly only: readonly string[];
  readonly redBefore: readonly RedRun[];
  readonly changed: readonly string[];
  readonly moved: Moved;
}

/** By the commands that are green on the base, or compared with it. */
export async function runBaseTests(
  context: TaskContext,
  proving: Proving,
  { only, redBefore, changed, moved }: Asked,
  limits: Limits,
): Promise<Looked | Refusal> {
  const { gitDir, settings, base, commit, facts } = proving;
  if (only.length + redBefore.length === 0) return { outcome: 'unknown' };
  const patterns = testPatterns(settings);
  const arrived = new Set(facts.changes.flatMap(({ path, moved_from: from }) => (from === undefined ? [] : [path])));
  const isTaken = (path: string): boolean =>
    isTest(path, patterns) && !moved.runs.has(path) && (!arrived.has(path) || moved.aside.has(path));
  const { tree, changes } = await composedTree(gitDir, commit, base, isTaken);
  const tests = (await filesAt(gitDir, base)).filter((path) => isTest(path, patterns));
  const missed = await noLongerRun(proving, changed);
  const checkout = { ...checkoutFor(context, proving), commit, tree };
  const runOn = async (folder: string, judges: readonly string[]): Promise<Looked | Refusal> => {
    if (judges.length + redBefore.length === 0) return { outcome: 'unknown', untold: true };
    const asked = { what: 'base-tests-', files: tree, seconds: limits.left(), spend: limits.spend, only: judges };
    const ran = await runAll(context, proving, folder, asked);
    if (isRefusal(ran)) return ran;
    const gone = changes.flatMap((change) => (change.new === undefined ? [change.path] : []));
    if (ran.red !== undefined) {
      const { red } = ran;
      const more = await runAgain(context, proving, red, {
        ...limits,
        folder,
        files: tree,
        what: 'base-tests-once-more-',
      });
      if (isRefusal(more)) return more;
      const others = judges.filter((command) => command !== red.command);
      if (more.is === 'green') return flakyOne(await runOn(folder, others), red.command);
      if (!(await runsTests(proving, tree, red.command))) return besides(await runOn(folder, others), red);
      const printed = logText(context, ran.red);
      const why = `with the base's tests "${short(ran.red.command)}" ${ran.red.how}, and none of them was seen to fail`;
      if (!failsByItself({ printed, tests: ran.red.tests, gone, changed, missed }))
        return { outcome: 'unknown', untold: true, red: ran.red, why };
      return stopped(outcomeOf(ran), stopsAt(printed, { files: tests, gone }), facts.changes);
    }
    const place = { folder, tree, limits, what: 'base-tests-again-' };
    const again = await comparedWith(context, proving, redBefore, place);
    if (isRefusal(again)) return again;
    if (again.outcome === 'red' && again.red !== undefined)
      return stopped(
        again,
        stopsAt(logText(context, again.red), { files: tests, gone, only: again.only }),
        facts.changes,
      );
    if (missed.length > 0)
      return { outcome: 'unknown', untold: true, why: `with the commit no command runs ${list(missed)} of the base` };
    const skipped = Math.max(0, ...ran.runs.map(leftOut));
    if (judges.length > 0 || again.outcome === 'green')
      return { outcome: 'green', ...(skipped === 0 ? {} : { skipped }) };
    return { outcome: 'unknown', untold: true, ...defined({ red: again.same[0]?.red }) };
  };
  return inDisposableCheckout<Looked | Refusal>(context, gitDir, checkout, (folder) => runOn(folder, only));
}

/** By this command alone; of the project's own test command it is believed. */
function runsTests({ gitDir, settings }: Proving, tree: string, command: string): Promise<boolean> {
  const { test_command: own, ...others } = settings;
  const asked = own?.trim() === command ? settings : (others as typeof settings);
  return canRunTests({ gitDir, commit: tree, commands: [command], settings: asked });
}

/** What fails and runs no test, a timing say, is no test of the base: the others tell. */
const besides = (seen: Looked | Refusal, red: RedRun): Looked | Refusal =>
  isRefusal(seen) || seen.outcome !== 'unknown' || seen.why !== undefined
    ? seen
    : { ...seen, red, why: `with the base's tests "${short(red.command)}" ${red.how}, and it runs no test` };

/** Red by nothing but what is elsewhere now: whether what they check holds was not tried. What is gone fails them. */
function stopped(seen: Looked, missing: readonly string[], changes: Proving['facts']['changes']): Looked {
  const moved = changes.flatMap(({ moved_from, changed_from }) => moved_from ?? changed_from ?? []);
  const isMoved = (one: string): boolean => moved.some((path) => namesOf(path).some((name) => one.includes(name)));
  if (missing.length === 0 || seen.outcome !== 'red' || !missing.every(isMoved)) return seen;
  const why = `tests of the base stop at what the commit moved (${list(missing)}), so that these were not tried`;
  return { outcome: 'unknown', untold: true, ...defined({ red: seen.red }), why };
}

/** As programs name a file that they do not find: its path, or as a module. */
function namesOf(path: string): readonly string[] {
  const plain = path.replace(/(?:\/__init__|\/index)?\.\w+$/, '');
  return [path, plain.replaceAll('/', '.'), `'${plain.split('/').at(-1)}'`, `/${plain.split('/').at(-1)}'`];
}

/** Of these tests of the base, those to which no command leads with the scripts of the commit. */
async function noLongerRun(
  { gitDir, base, commit, commands }: Proving,
  files: readonly string[],
): Promise<readonly string[]> {
  const before = await commandsReached({ gitDir, commit: base, commands });
  const after = await commandsReached({ gitDir, commit, commands });
  const missed: string[] = [];
  const read = scanning(gitDir, base);
  for (const path of files.slice(0, MOST_FILES)) {
    if (after.some((run) => runsFile(run, path))) continue;
    const text = await read(path);
    if (text === undefined) continue;
    const { tests, made } = declaredTests(text, path);
    if (tests.length > 0 || made || before.some((run) => surelyRuns(run, path))) missed.push(path);
  }
  return missed;
}
