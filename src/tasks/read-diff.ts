// What git says about the difference of two commits, for the reviewer: files, lines, what became of the tests and of
// the way they are run, and lines that put work off. Only reads; each list of files that is read is bounded.

import { blobText, isFullId } from '../git/objects.ts';
import { pathGroups } from '../git/path-arguments.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { type Change, changesBetween } from '../git/tree-changes.ts';
import type { SubmitFacts } from '../protocol/command.ts';
import type { FileChange } from '../protocol/facts/file-change.ts';
import { coverage } from '../protocol/facts/globs.ts';
import { isCode, isTest, testPatterns } from '../protocol/facts/scope.ts';
import { type Changed, isManifest, mayRunOthers, runBySetUp, testSetup } from '../protocol/facts/test-setup.ts';
import { proofCommands } from '../protocol/review/proof.ts';
import type { Settings, Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { isQuicklyRead } from '../text/quickly-read.ts';
import { caseTwins } from './case-twins.ts';
import { hollowTests, unassertedIn } from './hollow-tests.ts';
import { bytesOf, largeFiles, ROOM, type Room } from './large-files.ts';
import { lfsPointers } from './lfs-pointers.ts';
import { becomes } from './rules/changed-before.ts';
import { declaredTests } from './rules/declared-tests.ts';
import { type Hunk, readHunks } from './rules/diff-lines.ts';
import { assertsByItself, losing, marks, testEdits, testedWithin, weakened } from './rules/test-edits.ts';
import { cameTests, type GoneTests, goneTests } from './rules/tests-gone.ts';
import { editsWithin, mayHoldTests, type WithinEdits } from './rules/tests-within.ts';
import { whatTestsRun } from './what-tests-run.ts';

interface Asked {
  readonly gitDir: PrivateGitDir;
  readonly task: Task;
  readonly settings: Settings;
}

type DiffRead = Pick<
  SubmitFacts,
  'changes' | 'lines' | 'test_edits' | 'marks' | 'test_setup' | 'unread' | 'unread_bytes'
>;

/** Files of each kind whose diff is read. */
const MOST_READ = 200;
/** A diff of more lines was not written by hand. */
const MOST_LINES = 5000;
const GENERATED = /(?:^|\/)(?:node_modules|vendor|third_party|dist)\/|\.min\.\w+$/;

export async function readDiff(
  { gitDir, task, settings }: Asked,
  base: string,
  commit: string,
  room: Room = ROOM,
): Promise<DiffRead> {
  const patterns = testPatterns(settings);
  const ofTests = (path: string): boolean => isTest(path, patterns);
  const found = await changesBetween(gitDir, base, commit);
  const sizes = await linesBetween(gitDir, base, commit);
  const paths = found.map(({ path }) => path);
  const isScanned = (path: string): boolean => ofTests(path) || isHandmade(path, sizes);
  const bytes = await bytesOf(gitDir, found);
  const large = largeFiles(bytes, isScanned, room);
  const isRead = (path: string): boolean => !large.has(path) && isScanned(path);
  for (const path of longFiles(paths.filter(isRead), sizes)) large.add(path);
  const readable = paths.filter((path) => !large.has(path));
  const tests = readable.filter(ofTests);
  const ofCode = readable.filter((path) => isCode(path) && !ofTests(path));
  const code = ofCode.filter((path) => isHandmade(path, sizes));
  // A file of code that went, or lost lines, has nothing new to look for.
  const isUnread = (path: string): boolean => !isHandmade(path, sizes) && linesOf(sizes.get(path)).added > 0;
  const unread = [...large, ...ofCode.filter(isUnread), ...code.slice(MOST_READ), ...tests.slice(MOST_READ)];
  const read = (some: readonly string[]) => hunksOf(gitDir, base, commit, some.slice(0, MOST_READ));
  const [inTests, inCode] = [await read(tests), await read(code)];
  // Between two looks at all changed lines others are served.
  const turn = (): Promise<void> => gitDir.host.clock.nextTurn();
  await turn();
  const isNamed = coverage(settings.tests_in_code ?? []);
  const losers = losing(inCode);
  const holders = code.filter((path) => losers.has(path) && mayHoldTests(path, isNamed(path), inCode));
  // Read as one: a line that went from code to a test was moved.
  const whole = holders.length === 0 ? [] : await read([...holders, ...tests, ...code]);
  const inside = await editsInside(gitDir, found, { hunks: whole, holders, isNamed });
  const helpers = await movedHelpers(gitDir, base, commit, { found, tests, code });
  const edits = testEdits([...inTests.filter(({ path }) => !helpers.has(path)), ...ofTestsWithin(inside)]);
  await turn();
  const noted = marks([...inTests, ...inCode], ofTests);
  await turn();
  const more = (edits.more ?? 0) + Math.max(0, tests.length - MOST_READ);
  const tested = testedWithin(inCode);
  await turn();
  const renamed = await renamesOf(gitDir, base, commit, tests.slice(0, MOST_READ));
  const gone = await goneOf(gitDir, found, inTests, renamed);
  const twins = await caseTwins(gitDir, found, commit);
  const pointers = await lfsPointers(gitDir, found);
  const hollow = await hollowTests(gitDir, { base, commit }, tests.slice(0, MOST_READ));
  const bare = await unassertedIn(gitDir, { base, commit }, tests.slice(0, MOST_READ));
  const within = ({ path, kind }: FileChange): boolean =>
    kind !== 'removed' && !ofTests(path) && (isNamed(path) || (settings.tdd !== 'strict' && tested.has(path)));
  const commands = [...proofCommands(settings, task), ...runBySetUp(settings.post_worktree_cmd)];
  const reached = await whatTestsRun(gitDir, commands, { base, commit });
  const asked = { ...reached, patterns };
  const isAlso = mayRunOthers(asked);
  const setup = testSetup(
    await withTexts(gitDir, found, (path) => !large.has(path) && (isManifest(path) || isAlso(path))),
    asked,
  );
  return {
    changes: fileChanges(found, new Set(tests.slice(0, MOST_READ)), inTests, renamed).map((change) => ({
      ...change,
      ...(sizes.get(change.path) === 'binary' && change.kind !== 'removed' ? { binary: true } : {}),
      ...defined({ twin: twins.get(change.path), lfs: pointers.get(change.path), hollow: hollow.get(change.path) }),
      ...defined({ unasserted: bare.get(change.path) }),
      ...defined({ moved_to: helpers.get(change.path) }),
      ...(within(change) ? { tests_within: true } : {}),
      ...namesOf(inside.get(change.path) ?? gone.get(change.path)),
    })),
    lines: total(sizes),
    ...(edits.lines.length + more === 0 ? {} : { test_edits: { ...edits, ...(more === 0 ? {} : { more }) } }),
    ...(noted.lines.length === 0 ? {} : { marks: noted }),
    ...(setup.length === 0 ? {} : { test_setup: setup }),
    ...(unread.length === 0
      ? {}
      : { unread, unread_bytes: unread.reduce((sum, path) => sum + (bytes.get(path)?.most ?? 0), 0) }),
  };
}

const isHandmade = (path: string, sizes: Sizes): boolean =>
  isCode(path) && !GENERATED.test(path) && sizeOf(sizes, path) <= MOST_LINES;

/** Changed lines of one file, and of all: each costs some microseconds in which nobody else is served. */
const MOST_LINES_READ = 20_000;
const ALL_LINES_READ = 100_000;

/** Those with more lines, and those for which there is no room left. */
function longFiles(paths: readonly string[], sizes: Sizes): readonly string[] {
  let left = ALL_LINES_READ;
  return paths.filter((path) => {
    const lines = sizeOf(sizes, path);
    if (lines > Math.min(left, MOST_LINES_READ)) return true;
    left -= lines;
    return false;
  });
}

const FORMS: Readonly<Record<string, NonNullable<FileChange['form']>>> = { 120000: 'link', 160000: 'submodule' };

function fileChanges(
  found: readonly Change[],
  testsRead: ReadonlySet<string>,
  hunks: readonly Hunk[],
  renamed: ReadonlyMap<string, string>,
): readonly FileChange[] {
  const lost = losing(hunks);
  const left = new Set(renamed.values());
  // What went from the old place is held against what came to the new one.
  const weak = weakened(joined(hunks, renamed));
  const gone = new Map(found.flatMap(({ path, old, new: now }) => (old && !now ? [[old.id, path] as const] : [])));
  return found.map(({ path, old, new: now }) => {
    const form = FORMS[now?.mode ?? ''];
    const kind = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    const from = kind === 'added' ? gone.get(now?.id ?? '') : undefined;
    return {
      path,
      kind,
      ...defined({ becomes: becomes(old?.mode, now?.mode) }),
      ...defined({ form, moved_from: from, changed_from: from === undefined ? renamed.get(path) : undefined }),
      ...(kind === 'changed' && testsRead.has(path) && !lost.has(path) ? { only_added: true } : {}),
      ...(testsRead.has(path) && weak.has(path) && !left.has(path) ? { weakened: true } : {}),
    };
  });
}

/** Each renamed test as one hunk of its new path. */
function joined(hunks: readonly Hunk[], renamed: ReadonlyMap<string, string>): readonly Hunk[] {
  const places = new Set([...renamed.keys(), ...renamed.values()]);
  const lines = (path: string, side: 'gone' | 'came') =>
    hunks.filter((hunk) => hunk.path === path).flatMap((hunk) => hunk[side]);
  return [
    ...hunks.filter(({ path }) => !places.has(path)),
    ...[...renamed].map(([path, old]) => ({
      path,
      isNew: false,
      gone: lines(old, 'gone'),
      came: lines(path, 'came'),
    })),
  ];
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** New path → old path of tests that were moved and changed: git finds them alike, or they alone have that name. */
async function renamesOf(
  gitDir: PrivateGitDir,
  base: string,
  commit: string,
  tests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // A name that moved is found where both are asked for at once: of very many, only the first.
  const [some = []] = pathGroups(tests);
  if (some.length < 2) return new Map();
  const how = ['diff-tree', '-r', '-z', '-M50%', '--name-status'];
  const asked = gitDir.objects(['--literal-pathspecs', ...how, base, commit, '--', ...some]);
  const words = (await must(asked, 'look for moved tests')).split('\0');
  const renamed = new Map<string, string>();
  const [added, removed] = [[] as string[], [] as string[]];
  for (let at = 0; at < words.length; ) {
    const [status = '', first = '', second = ''] = words.slice(at, at + 3);
    if (/^R\d/.test(status)) renamed.set(second, first);
    else if (status === 'A') added.push(first);
    else if (status === 'D') removed.push(first);
    at += /^[RC]\d/.test(status) ? 3 : 2;
  }
  const alone = (paths: readonly string[], name: string) =>
    paths.filter((path) => baseName(path) === name).length === 1;
  for (const path of added) {
    const old = removed.find((one) => baseName(one) === baseName(path));
    if (old !== undefined && alone(added, baseName(path)) && alone(removed, baseName(path))) renamed.set(path, old);
  }
  return renamed;
}

interface Sorted {
  readonly found: readonly Change[];
  readonly tests: readonly string[];
  readonly code: readonly string[];
}

/** Old path → new path of files beside the tests that hold none themselves, and are code elsewhere now. */
async function movedHelpers(
  gitDir: PrivateGitDir,
  base: string,
  commit: string,
  { found, tests, code }: Sorted,
): Promise<ReadonlyMap<string, string>> {
  const old = new Map(found.flatMap((one) => (one.new === undefined ? [[one.path, one.old?.id ?? ''] as const] : [])));
  const added = new Set(found.flatMap((one) => (one.old === undefined ? [one.path] : [])));
  const gone = tests.filter((path) => old.has(path) && isCode(path)).slice(0, MOST_READ);
  const came = gone.length === 0 ? [] : code.filter((path) => added.has(path)).slice(0, MOST_READ);
  const moved = came.length === 0 ? [] : [...(await renamesOf(gitDir, base, commit, [...gone, ...came]))];
  const helpers = new Map<string, string>();
  for (const [to, from] of moved) {
    const text = await textAt(gitDir, old.get(from) ?? '');
    if (text.length > MOST_BYTES || !isQuicklyRead(text)) continue;
    const { tests: held, made } = declaredTests(text, from);
    if (held.length === 0 && !made && !assertsByItself(text, from)) helpers.set(from, to);
  }
  return helpers;
}

type Sizes = ReadonlyMap<string, Size | 'binary'>;
type Size = { readonly added: number; readonly removed: number };
const NO_LINES: Size = { added: 0, removed: 0 };

const linesOf = (size: Size | 'binary' | undefined): Size => (size === 'binary' ? NO_LINES : (size ?? NO_LINES));

const sizeOf = (sizes: Sizes, path: string): number => {
  const { added, removed } = linesOf(sizes.get(path));
  return added + removed;
};

const total = (sizes: Sizes): NonNullable<SubmitFacts['lines']> => ({
  added: [...sizes.values()].reduce((sum, size) => sum + linesOf(size).added, 0),
  removed: [...sizes.values()].reduce((sum, size) => sum + linesOf(size).removed, 0),
});

/** `added\tremoved\tpath\0`; of a binary file both are `-`. */
export async function linesBetween(gitDir: PrivateGitDir, base: string, commit: string): Promise<Sizes> {
  const asked = gitDir.objects(['diff-tree', '-r', '-z', '--numstat', '--no-renames', base, commit]);
  const entries = (await must(asked, 'count the lines of the change')).split('\0').flatMap((entry) => {
    const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(entry) ?? [];
    const size = added === '-' ? 'binary' : { added: Number(added), removed: Number(removed) };
    return path === '' ? [] : [[path, size] as const];
  });
  return new Map(entries);
}

async function hunksOf(
  gitDir: PrivateGitDir,
  base: string,
  commit: string,
  paths: readonly string[],
): Promise<readonly Hunk[]> {
  const how = ['-r', '-p', '-U0', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv'];
  const diff = ['-c', 'core.quotePath=false', '--literal-pathspecs', 'diff-tree', ...how, base, commit, '--'];
  const hunks: Hunk[] = [];
  for (const some of pathGroups([...new Set(paths)]))
    hunks.push(...readHunks(await must(gitDir.objects([...diff, ...some]), 'look at the changed lines')));
  return hunks;
}

const MOST_MANIFESTS = 20;
const MOST_BYTES = 300_000;
const MOST_WITHIN = 50;

const bothAreRead = (before: string, after: string): boolean =>
  before.length + after.length <= 2 * MOST_BYTES && isQuicklyRead(before) && isQuicklyRead(after);

interface InCode {
  readonly hunks: readonly Hunk[];
  /** Files of code that may hold tests, and lost lines. */
  readonly holders: readonly string[];
  readonly isNamed: (path: string) => boolean;
}

/** What became of tests within files of code from which something was taken. */
async function editsInside(
  gitDir: PrivateGitDir,
  found: readonly Change[],
  { hunks, holders, isNamed }: InCode,
): Promise<ReadonlyMap<string, WithinEdits>> {
  const wanted = new Set(holders);
  const inside = new Map<string, WithinEdits>();
  for (const { path, old, new: now } of found.filter(({ path }) => wanted.has(path)).slice(0, MOST_WITHIN)) {
    const read = async (id: string | undefined): Promise<string> => (id === undefined ? '' : textAt(gitDir, id));
    const [before, after] = [await read(old?.id), await read(now?.id)];
    if (!bothAreRead(before, after)) continue;
    inside.set(path, editsWithin(hunks, path, { before, after, named: isNamed(path) }));
  }
  return inside;
}

const ofTestsWithin = (inside: ReadonlyMap<string, WithinEdits>): readonly Hunk[] =>
  [...inside].map(([path, { lost }]) => ({ path, isNew: false, gone: lost, came: [] }));

/** Tests that files of tests declare no more. */
async function goneOf(
  gitDir: PrivateGitDir,
  found: readonly Change[],
  hunks: readonly Hunk[],
  renamed: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, GoneTests>> {
  const all = joined(hunks, renamed);
  const touched = new Set(all.map(({ path }) => path));
  const came = new Map<string, string>();
  for (const hunk of hunks) {
    for (const [name, path] of cameTests(hunk)) came.set(name, path);
    await gitDir.host.clock.nextTurn();
  }
  const before = new Map(found.map(({ path, old }) => [path, old?.id]));
  const gone = new Map<string, GoneTests>();
  for (const { path, new: now } of found.filter(({ path }) => touched.has(path)).slice(0, MOST_READ)) {
    const id = before.get(renamed.get(path) ?? path);
    if (id === undefined || now === undefined) continue;
    const texts = { path, before: await textAt(gitDir, id), after: await textAt(gitDir, now.id) };
    if (!bothAreRead(texts.before, texts.after)) continue;
    const own = all.filter((hunk) => hunk.path === path);
    gone.set(path, goneTests(own, texts, came));
  }
  return gone;
}

function namesOf(edits: GoneTests | WithinEdits | undefined): Partial<FileChange> {
  if (edits === undefined) return {};
  const changed = 'changed' in edits ? edits.changed : [];
  const silenced = 'silenced' in edits ? edits.silenced : [];
  return {
    ...(silenced.length === 0 ? {} : { silenced, weakened: true }),
    ...(changed.length === 0 ? {} : { within_changed: changed }),
    ...(edits.removed.length === 0 ? {} : { within_removed: edits.removed }),
    ...(edits.moved.length === 0 ? {} : { within_moved: edits.moved }),
  };
}

/** With the texts of those of which only a part is about tests. */
async function withTexts(
  gitDir: PrivateGitDir,
  found: readonly Change[],
  isRead: (path: string) => boolean,
): Promise<readonly Changed[]> {
  const manifests = new Set(found.filter(({ path }) => isRead(path)).slice(0, MOST_MANIFESTS));
  return Promise.all(
    found.map(async (change) => {
      if (!manifests.has(change)) return { path: change.path };
      const read = async (id: string | undefined): Promise<string> => (id === undefined ? '' : textAt(gitDir, id));
      const [before, after] = [await read(change.old?.id), await read(change.new?.id)];
      const isSmall = before.length + after.length <= MOST_BYTES && bothAreRead(before, after);
      return isSmall ? { path: change.path, before, after } : { path: change.path };
    }),
  );
}

/** Empty where there is none. */
const textAt = async (gitDir: PrivateGitDir, id: string): Promise<string> =>
  isFullId(id) ? ((await blobText(gitDir, id)) ?? '') : '';
