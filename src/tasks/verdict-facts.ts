// What git says about a verdict: whether the places that its blockers and concerns name exist, and whether the
// reviewer left its copy as it was. Only reads. What cannot be read is an error: no verdict counts that could not be checked.

import { join, posix } from 'node:path';
import { pathsBetween, pathsPassed } from '../git/folder-snapshot.ts';
import { openGitDir } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { scannedAt, TOO_LARGE, textAt } from '../git/text-at.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { reviewCopyOf } from '../protocol/commands/review/review-copy.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { criteriaOf } from '../protocol/definition/criteria.ts';
import { pathsNamed } from '../protocol/definition/criterion-kinds.ts';
import type { Chosen } from '../protocol/facts/chosen-tests.ts';
import { surelyRuns } from '../protocol/facts/runs-file.ts';
import type { IdleCommand, VerdictFacts } from '../protocol/facts/verdict-facts.ts';
import type { Concern } from '../protocol/review/approval.ts';
import type { Evidence } from '../protocol/review/approval-lines.ts';
import { greenAt, proofAt } from '../protocol/review/proof.ts';
import { commandMeant } from '../protocol/review/ran-command.ts';
import { moreSkipped } from '../protocol/review/skip-count.ts';
import { lacksTests } from '../protocol/review/test-count.ts';
import { triedGreenBefore } from '../protocol/review/trial.ts';
import type { Blocker } from '../protocol/review/verdict.ts';
import { type State, settings, type Task } from '../protocol/state.ts';
import { counted } from '../text/format.ts';
import { approvalFacts } from './approval-facts.ts';
import { nearChange } from './changed-ranges.ts';
import { look, type TaskContext } from './context.ts';
import { commandsReached } from './proof/commands-reached.ts';
import { filesNotRun, isLeftOut } from './proof/runs-tests.ts';
import { linesBetween } from './read-diff.ts';
import { readLog } from './read-log.ts';
import { changedInReview } from './review-copy.ts';
import { type DoneToOld, doneToOld } from './rules/changed-before.ts';
import { declaredTests } from './rules/declared-tests.ts';
import { idleRun } from './rules/idle-run.ts';
import { ownName } from './rules/passed-tests.ts';
import { NOTHING_REPORTED, reportedTests, type TestReport } from './rules/reported-tests.ts';

const NOTHING: VerdictFacts = { unknown_places: [], outside_diff: [], false_evidence: [], changed_files: [] };

/** What a verdict names. */
export interface Named {
  readonly blockers: readonly Blocker[];
  readonly evidence: readonly Evidence[];
  readonly concerns: readonly Concern[];
}

/** Where there is no review the rules refuse anyway, whatever the facts. */
export async function verdictFacts(
  context: TaskContext,
  id: string,
  { blockers, evidence, concerns }: Named,
): Promise<VerdictFacts | Refusal> {
  const { board, task } = await look(context, id);
  const commit = task?.review_commit;
  if (task?.status !== 'READY_FOR_REVIEW' || commit === undefined || task.reviewing_by !== context.actor.id)
    return NOTHING;
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const base = task.base_commit;
  const copy = copyOf(gitDir, task);
  /** Files of these that only the commits in between have: they stay in the history. */
  const passingAmong = async (places: readonly Blocker[], from: string): Promise<readonly string[]> => {
    const paths = [...new Set(places.flatMap(({ file }) => spellings(file, copy)))].filter(isInside);
    return paths.length === 0 ? [] : pathsPassed(gitDir, from, commit, paths);
  };
  // What is only seen names nothing that git could tell about.
  const noted = concerns.flatMap(placeOf);
  const asksGit =
    blockers.length + noted.length > 0 || evidence.some(({ by }) => by === 'test' || by === 'place' || by === 'diff');
  const touched =
    base === undefined || !asksGit
      ? []
      : [...(await pathsBetween(gitDir, base, commit)), ...(await passingAmong([...blockers, ...noted], base))];
  const approved = {
    gitDir,
    settings: settings(board.state),
    commit,
    touched,
    rewritten: async () => (base === undefined ? [] : doneBetween(gitDir, base, commit)),
    isNearChange: nearChange(gitDir, base, commit),
    lacksTests: lacksTestsAt(task, commit),
    untold: proofAt(task, commit)?.untold_tests ?? [],
    skipsMore: moreSkipped(proofAt(task, commit)?.runs ?? []) > 0,
    failedBefore: new Set((proofAt(task, commit)?.tests?.failed ?? []).map(ownName)),
    namesBefore: async (path: string) => (base === undefined ? new Set<string>() : namesAt(gitDir, base, path)),
    reported: evidence.some(({ by }) => by === 'test' || by === 'place')
      ? reportedAt(context, task, commit)
      : NOTHING_REPORTED,
    spellings: (file: string) => spellings(file, copy),
    notRun: (files: readonly string[]) => filesNotRun({ gitDir, commit, commands: commandsAt(task, commit) }, files),
    surelyRan: async (path: string) => {
      const { untold_tests = [], unrun_tests = [] } = proofAt(task, commit) ?? {};
      if ([...untold_tests, ...unrun_tests].includes(path)) return false;
      const runs = await commandsReached({ gitDir, commit, commands: commandsAt(task, commit) });
      return runs.some((run) => surelyRuns(run, path));
    },
    leftOut: (file: string, test: Chosen) =>
      isLeftOut({ gitDir, commit, commands: commandsAt(task, commit) }, file, test),
    whyNoPlace: async (file: string, line: number) => {
      const [path = ''] = spellings(file, copy);
      // A blocker may be about an empty file; no line of it shows anything.
      if ((await linesOf(gitDir, commit, path)) === 0) return `${file}:${line} (it has 0 lines)`;
      return (await unknownPlaces(gitDir, [commit], [{ file, line, text: '' }], { copy, touched: [] }))[0];
    },
  };
  const kept = base === undefined || !asksGit ? [] : leftAlone(task, touched);
  const idle = idleAmong(context, { state: board.state, task, commit }, evidence);
  const sides = [commit, ...(base === undefined ? [] : [base])];
  const found = { copy, touched };
  const unknown = await unknownPlaces(gitDir, sides, noted, found);
  const beside = base === undefined ? [] : outsideDiff(touched, noted, copy);
  return {
    unknown_places: await unknownPlaces(gitDir, sides, blockers, found),
    ...(unknown.length === 0 ? {} : { unknown_concerns: unknown }),
    outside_diff: base === undefined ? [] : outsideDiff(touched, blockers, copy),
    ...(beside.length === 0 ? {} : { outside_concerns: beside }),
    ...(await approvalFacts(approved, evidence)),
    ...(idle.length === 0 ? {} : { idle_commands: idle }),
    ...(kept.length === 0 ? {} : { left_alone: kept }),
    changed_files: await changedInReview(gitDir, task),
  };
}

async function doneBetween(gitDir: PrivateGitDir, base: string, commit: string): Promise<readonly DoneToOld[]> {
  const lines = await linesBetween(gitDir, base, commit);
  return doneToOld(await changesBetween(gitDir, base, commit), (path) => lines.get(path));
}

/** A name without its folder may stand in any of them. */
const leftAlone = ({ done_when }: Task, touched: readonly string[]): readonly string[] =>
  criteriaOf(done_when)
    .flatMap(pathsNamed)
    .filter((path) => !touched.some((one) => `/${one}/`.includes(`/${path}/`)));

/** A concern may name no place at all. */
const placeOf = ({ file, line, text }: Concern): readonly Blocker[] =>
  file === undefined || line === undefined ? [] : [{ file, line, text }];

const commandsAt = (task: Task, commit: string): readonly string[] =>
  (proofAt(task, commit)?.runs ?? []).map(({ command }) => command);

/** From the logs of what Liza ran there; one that is gone, or that this reader may not read, says nothing. */
function reportedAt(context: TaskContext, task: Task, commit: string): TestReport {
  const printed = (proofAt(task, commit)?.runs ?? []).map(({ log }) => printedIn(context, log) ?? '');
  return reportedTests(printed.join('\n'));
}

function lacksTestsAt(task: Task, commit: string): boolean {
  const { runs = [], tests_added } = proofAt(task, commit) ?? {};
  return lacksTests(runs, tests_added) === true;
}

async function namesAt(gitDir: PrivateGitDir, commit: string, path: string): Promise<ReadonlySet<string>> {
  const text = await scannedAt(gitDir, commit, path);
  return new Set(
    text === undefined || text === TOO_LARGE ? [] : declaredTests(text, path).tests.map(({ name }) => name),
  );
}

interface Judged {
  readonly state: State;
  readonly task: Task;
  readonly commit: string;
}

/** Of the commands that it names, those whose green says nothing about the change. */
function idleAmong(
  context: TaskContext,
  { state, task, commit }: Judged,
  evidence: readonly Evidence[],
): readonly IdleCommand[] {
  const meant = new Set(evidence.flatMap((one) => (one.by === 'ran' ? [commandMeant(task, commit, one.command)] : [])));
  const base = task.base_commit;
  const before = new Set([...triedGreenBefore(task), ...(base === undefined ? [] : greenAt(state, base))]);
  const { runs = [], tests } = proofAt(task, commit) ?? {};
  // What turns red by the new tests ran them, whatever it prints.
  if (tests?.on_base === 'red' && tests.by !== undefined) before.delete(tests.by);
  return runs.flatMap(({ command, log, ok }) => {
    const printed = ok && meant.has(command) ? printedIn(context, log) : undefined;
    const why = printed === undefined ? undefined : idleRun(printed, before.has(command));
    return why === undefined ? [] : [{ command, why }];
  });
}

/** Undefined: it is gone, too long, or this reader may not read it. */
function printedIn({ disk, paths }: TaskContext, log: string): string | undefined {
  try {
    const gone = '\0';
    const printed = readLog(disk, join(paths.root, log), gone);
    return printed === gone ? undefined : printed;
  } catch {
    return undefined;
  }
}

/** Files that are named and that the change does not touch. */
function outsideDiff(touched: readonly string[], places: readonly Blocker[], copy: string): readonly string[] {
  const files = [...new Set(places.map(({ file }) => file))];
  return files.filter((file) => !spellings(file, copy).some((path) => touched.includes(path)));
}

/** A line of a file that the commit has, or that it changed or removed; each said once. */
async function unknownPlaces(
  gitDir: PrivateGitDir,
  sides: readonly string[],
  blockers: readonly Blocker[],
  { copy, touched }: { readonly copy: string; readonly touched: readonly string[] },
): Promise<readonly string[]> {
  const lengths = new Map<string, number | undefined>();
  const unknown = new Set<string>();
  for (const { file, line } of blockers) {
    if (!lengths.has(file)) lengths.set(file, await longestOf(gitDir, sides, spellings(file, copy)));
    const lines = lengths.get(file);
    if (lines === undefined) {
      if (!spellings(file, copy).some((path) => touched.includes(path))) unknown.add(`${file} (no such file)`);
    } else if (line < 1 || line > lines) unknown.add(`${file}:${line} (it has ${counted(lines, 'line')})`);
  }
  return [...unknown];
}

/** The folder that the reviewer looks at: many name their files from the root of all. */
const copyOf = (gitDir: PrivateGitDir, task: Task): string =>
  `${join(gitDir.root, reviewCopyOf(task)?.folder ?? '.')}/`;

/** What a path as it is written may stand for, the plainest first. */
function spellings(file: string, copy: string): readonly string[] {
  const inside = file.startsWith(copy) ? file.slice(copy.length) : file;
  return [...new Set([inside, inside.replaceAll('\\', '/')].map((path) => posix.normalize(path)))];
}

const isInside = (path: string): boolean => path !== '' && !path.startsWith('/') && !/^\.\.(?:\/|$)/.test(path);

async function longestOf(gitDir: PrivateGitDir, sides: readonly string[], paths: readonly string[]) {
  for (const path of paths) {
    const lines = await longest(gitDir, sides, path);
    if (lines !== undefined) return lines;
  }
  return undefined;
}

/** Lines of the longer side; undefined: no side has such a file. A line of an empty file is its first. */
async function longest(gitDir: PrivateGitDir, sides: readonly string[], path: string): Promise<number | undefined> {
  const found: number[] = [];
  for (const side of sides) {
    const lines = await linesOf(gitDir, side, path);
    if (lines !== undefined) found.push(lines);
  }
  return found.length === 0 ? undefined : Math.max(1, ...found);
}

async function linesOf(gitDir: PrivateGitDir, commit: string, path: string): Promise<number | undefined> {
  const text = await textAt(gitDir, commit, path);
  if (text === undefined) return undefined;
  if (text === TOO_LARGE) return Number.MAX_SAFE_INTEGER;
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
