// What a diff says about itself, for the reviewer: what the checkpoint did not declare, what became of the
// tests, and which files steer agents, CI or git rather than the product. Lists are bounded: a diff of 5,000
// files must fit into one history event.

import { gist, pathWord } from '../../text/format.ts';
import type { SubmitFacts } from '../command.ts';
import { historyOf } from '../leases.ts';
import { TEXT_LIMIT } from '../records/fields.ts';
import type { HistoryEvent, Task } from '../state.ts';
import { defined, isFields } from '../values.ts';
import type { FileChange, LineList } from './file-change.ts';
import { canDeclareTests } from './file-kinds.ts';
import { coverage, covering, isPattern } from './globs.ts';
import { isInstruction } from './instruction-files.ts';
import { beyondScope, comesWithTests, isTest, parseScope, type Scope, unheldOut } from './scope.ts';

export interface PathList {
  readonly paths: readonly string[];
  /** How many further paths there are. */
  readonly more?: number;
}

const MOST_NAMED = 10;
const LONGEST = 300;

/** The first few of many, as they are spelt for readers. */
export function firstPaths(paths: readonly string[], most = MOST_NAMED): PathList {
  const more = paths.length - most;
  return {
    paths: paths.slice(0, most).map((path) => gist(pathWord(path), LONGEST)),
    ...(more > 0 ? { more } : {}),
  };
}

/** The facts of one diff; a list that would be empty is left out. */
export interface DiffFacts {
  readonly files: number;
  readonly lines?: SubmitFacts['lines'];
  /** In no checkpoint since the task's base. */
  readonly undeclared?: PathList;
  /** Named by a plan, and nothing of it is changed. */
  readonly untouched?: PathList;
  /** Named by `begin --also`, each with its reason. */
  readonly declared_late?: PathList;
  /** Outside the paths that the task's scope declares IN; tests have lists of their own. */
  readonly beyond_scope?: PathList;
  /** New files among the tests that neither the scope nor any plan names. */
  readonly tests_beyond?: PathList;
  /** What OUT says besides paths that it forbids: nothing but a reader can tell. */
  readonly out_parts?: PathList;
  /** Binary to git: no diff shows a line of them. */
  readonly binary?: PathList;
  /** `path (oid, size)`: pointers of Git LFS, whose content is in no commit. */
  readonly lfs_pointers?: PathList;
  /** `path = other`: they differ by case alone. */
  readonly case_twins?: PathList;
  /** Symbolic links: what they lead to need not be in the repository. */
  readonly links?: PathList;
  /** Other repositories, of which this one has but a commit's id: nothing of them is reviewed or run. */
  readonly submodules?: PathList;
  /** Files that were there and are not; of a moved one, with its new path. */
  readonly deleted?: PathList;
  /** `path (executable)`: paths whose mode or kind is another. */
  readonly modes?: PathList;
  readonly tests_added?: PathList;
  /** New files among the tests that declare none: fixtures, snapshots, documents. */
  readonly test_data_added?: PathList;
  /** Existing tests that lost lines. */
  readonly tests_changed?: PathList;
  /** Existing tests that lost none. */
  readonly tests_extended?: PathList;
  /** Existing tests that assert less in some place, or in which something is switched off. */
  readonly tests_weakened?: PathList;
  /** New files of tests in which something is switched off, or decides how a test ends. */
  readonly tests_new_off?: PathList;
  /** `file › name`: new tests in whose own lines nothing is asserted. */
  readonly tests_unasserted?: PathList;
  /** `old → new`, content unchanged. */
  readonly tests_moved?: PathList;
  /** `old → new`, or `file › name → file` of a test within code. */
  readonly tests_moved_changed?: PathList;
  readonly tests_removed?: PathList;
  /** Code that holds its own tests: nothing can be shown of them on the base alone. */
  readonly tests_within?: PathList;
  /** Instructions and settings of agents, CI, hooks, and what makes git behave otherwise. */
  readonly instructions?: PathList;
  /** Files that its commits add and remove again: they stay in the history. */
  readonly passing?: PathList;
  /** Files that one of its commits changes and a later one changes back: no diff shows them. */
  readonly changed_back?: PathList;
  /** Its commits that change nothing. */
  readonly empty_commits?: PathList;
  /** Root commits of another history that it brings. */
  readonly foreign_roots?: PathList;
  /** `id by author`: commits that bear another name than that of a coder of the task. */
  readonly named_otherwise?: PathList;
  /** Tags, and branches by names of the project’s, that its coder made or moved in its clone: they stay there. */
  readonly refs_in_clone?: PathList;
  /** Files that Liza did not look at: too large, too many, or generated. */
  readonly unread?: PathList;
  readonly unread_bytes?: number;
  /** Files that are as they were in work that was put aside for the checkpoint. */
  readonly brought_back?: PathList;
  /** Work from before the checkpoint that was put aside for it. */
  readonly put_aside?: PathList;
  /** Commits that are dated before the checkpoint. */
  readonly dated_before?: PathList;
  /** What decides how the tests are run. */
  readonly test_setup?: PathList;
  /** Lines taken from existing tests, and lines that switch tests off. */
  readonly test_edits?: LineList;
  /** New lines that put work off or silence a check. */
  readonly marks?: LineList;
}

type DiffRead = Pick<
  SubmitFacts,
  | 'changes'
  | 'lines'
  | 'test_edits'
  | 'marks'
  | 'test_setup'
  | 'on_base'
  | 'passing'
  | 'changed_back'
  | 'empty_commits'
  | 'roots'
  | 'named_otherwise'
  | 'refs_in_clone'
  | 'unread'
  | 'unread_bytes'
  | 'brought_back'
  | 'put_aside'
  | 'dated_before'
>;

export function diffFacts(
  task: Task,
  {
    changes,
    lines,
    test_edits: edits,
    marks,
    test_setup: setup = [],
    on_base: onBase,
    passing = [],
    changed_back: undone = [],
    empty_commits: empty = [],
    roots = [],
    named_otherwise: others = [],
    refs_in_clone: refs = [],
    unread = [],
    unread_bytes: unreadBytes,
    brought_back: back = [],
    put_aside: aside = [],
    dated_before: dated = [],
  }: DiffRead,
  patterns: readonly string[],
  most = MOST,
): DiffFacts {
  const listed = (name: keyof DiffFacts, found: readonly FileChange[]) => listedUpTo(most, name, found);
  const isDeclared = coverage(declaredFiles(task));
  const code = changes.map(({ path }) => path).filter((path) => !comesWithTests(path, patterns));
  const scope = parseScope(task.scope ?? '');
  const beyond = new Set(beyondScope(scope, code, onBase));
  const pick = (name: keyof DiffFacts, wanted: (change: FileChange) => boolean) =>
    listed(name, changes.filter(wanted).map(asWord));
  return {
    files: changes.length,
    ...defined({ lines }),
    ...pick('undeclared', ({ path }) => !isDeclared(path)),
    ...listed('untouched', untouchedOnes(task, [...changes.map(({ path }) => path), ...passing, ...undone])),
    ...listed('declared_late', lateOnes(task, changes)),
    ...pick('beyond_scope', ({ path }) => beyond.has(path)),
    ...pick('tests_beyond', newTestsBeyond(scope, changes, { patterns, onBase, isDeclared })),
    ...listed(
      'out_parts',
      unheldOut(scope, onBase ?? []).map((path) => ({ path, kind: 'changed' })),
    ),
    ...pick('binary', ({ binary }) => binary === true),
    ...listed(
      'lfs_pointers',
      changes.flatMap(({ path, lfs }) =>
        lfs === undefined ? [] : [{ path: `${pathWord(path)} (${lfs})`, kind: 'added' }],
      ),
    ),
    ...listed(
      'case_twins',
      changes.flatMap(({ path, twin }) => (twin === undefined ? [] : [{ path: `${path} = ${twin}`, kind: 'added' }])),
    ),
    ...pick('links', ({ form }) => form === 'link'),
    ...pick('submodules', ({ form }) => form === 'submodule'),
    ...listed('deleted', deletedOnes(changes)),
    ...listed(
      'modes',
      changes.flatMap(({ path, becomes }) =>
        becomes === undefined ? [] : [{ path: `${pathWord(path)} (${becomes})`, kind: 'changed' }],
      ),
    ),
    ...testFacts(changes, patterns, listed),
    ...pick('tests_within', ({ tests_within: within }) => within === true),
    ...pick('instructions', ({ path }) => isInstruction(path)),
    ...pick('test_setup', among(setup)),
    ...listed(
      'passing',
      passing.map((path) => ({ path: pathWord(path), kind: 'added' })),
    ),
    ...listed(
      'changed_back',
      undone.map((path) => ({ path: pathWord(path), kind: 'changed' })),
    ),
    ...listed(
      'empty_commits',
      empty.map((path) => ({ path, kind: 'added' })),
    ),
    ...listed(
      'foreign_roots',
      roots.map((path) => ({ path, kind: 'added' })),
    ),
    ...listed(
      'named_otherwise',
      others.map((path) => ({ path: gist(path, LONGEST), kind: 'added' })),
    ),
    ...listed(
      'refs_in_clone',
      refs.map((path) => ({ path: pathWord(path), kind: 'added' })),
    ),
    ...pick('unread', among(unread)),
    ...defined({ unread_bytes: unreadBytes }),
    ...pick('brought_back', among(back)),
    ...listed(
      'put_aside',
      aside.map((path) => ({ path, kind: 'added' })),
    ),
    ...listed(
      'dated_before',
      dated.map((path) => ({ path, kind: 'added' })),
    ),
    ...(edits === undefined || edits.lines.length === 0 ? {} : { test_edits: edits }),
    ...defined({ marks }),
  };
}

interface Allowed {
  readonly patterns: readonly string[];
  readonly onBase: readonly string[] | undefined;
  readonly isDeclared: (path: string) => boolean;
}

/** A test may come with any change, and nobody has to declare it: so nobody else would hear of one that came along. */
function newTestsBeyond(scope: Scope, changes: readonly FileChange[], { patterns, onBase, isDeclared }: Allowed) {
  const added = changes.filter(
    ({ kind, moved_from, changed_from }) => kind === 'added' && !moved_from && !changed_from,
  );
  const tests = added.map(({ path }) => path).filter((path) => comesWithTests(path, patterns) && !isDeclared(path));
  return among(beyondScope(scope, tests, onBase));
}

function deletedOnes(changes: readonly FileChange[]): readonly FileChange[] {
  const to = new Map(
    changes.flatMap(({ path, moved_from, changed_from }) => {
      const from = moved_from ?? changed_from;
      return from === undefined ? [] : [[from, path] as const];
    }),
  );
  return changes
    .filter(({ kind }) => kind === 'removed')
    .map((change) => {
      const now = change.moved_to ?? to.get(change.path);
      return { ...change, path: `${pathWord(change.path)}${now === undefined ? '' : ` (now ${pathWord(now)})`}` };
    });
}

/** Both lists grow with the commit. */
function among(paths: readonly string[]): (change: FileChange) => boolean {
  const found = new Set(paths);
  return ({ path }) => found.has(path);
}

/** Files of tests by their path, tests within code as `file › name`. */
function testFacts(changes: readonly FileChange[], patterns: readonly string[], listed: Lister) {
  const tests = changes.filter(({ path }) => isTest(path, patterns));
  const moved = tests.filter((test) => test.moved_from !== undefined);
  const altered = tests.filter((test) => test.changed_from !== undefined);
  const gone = new Set(tests.flatMap(({ moved_from, changed_from }) => moved_from ?? changed_from ?? []));
  const within = (names: (change: FileChange) => readonly string[] | undefined): readonly FileChange[] =>
    changes.flatMap((change) =>
      (names(change) ?? []).map((name) => ({ kind: 'changed', path: `${pathWord(change.path)} › ${name}` })),
    );
  const pick = (name: keyof DiffFacts, wanted: (test: FileChange) => boolean, more: readonly FileChange[] = []) =>
    listed(name, [...tests.filter(wanted).map(asWord), ...more]);
  const fromTo = (test: FileChange): FileChange => ({
    ...test,
    path: `${pathWord(test.moved_from ?? test.changed_from ?? '')} → ${pathWord(test.path)}`,
  });
  const isNew = ({ kind, moved_from, changed_from }: FileChange): boolean =>
    kind === 'added' && moved_from === undefined && changed_from === undefined;
  return {
    ...pick('tests_added', (test) => isNew(test) && canDeclareTests(test.path, patterns)),
    ...pick('test_data_added', (test) => isNew(test) && !canDeclareTests(test.path, patterns)),
    ...pick(
      'tests_changed',
      ({ kind, only_added }) => kind === 'changed' && only_added !== true,
      within(({ within_changed }) => within_changed),
    ),
    ...pick('tests_extended', ({ only_added, weakened }) => only_added === true && weakened !== true),
    ...pick('tests_weakened', (test) => test.weakened === true && !isNew(test)),
    ...pick('tests_new_off', (test) => test.weakened === true && isNew(test)),
    ...listed(
      'tests_unasserted',
      within(({ unasserted }) => unasserted),
    ),
    ...listed('tests_moved', moved.map(fromTo)),
    ...listed('tests_moved_changed', [...altered.map(fromTo), ...within(({ within_moved }) => within_moved)]),
    ...pick(
      'tests_removed',
      ({ kind, path, moved_to }) => kind === 'removed' && moved_to === undefined && !gone.has(path),
      within(({ within_removed, silenced }) => [...(within_removed ?? []), ...(silenced ?? []).map(asSilenced)]),
    ),
  };
}

const asSilenced = (name: string): string => `${name} (its lines stay, but it is no test any more)`;

/** What the coder named in any checkpoint since the task's base; a coder that starts fresh begins with none. */
export function declaredFiles(task: Task): readonly string[] {
  const since = sinceFresh(task);
  const files = since.flatMap(({ event, checkpoint }) => {
    const named = event === 'pre_execution_checkpoint' && isFields(checkpoint) ? checkpoint['files_to_modify'] : [];
    return Array.isArray(named) ? named.filter((file): file is string => typeof file === 'string') : [];
  });
  return [...new Set([...files, ...lateFiles(since).map(({ path }) => path)])];
}

interface LateFile {
  readonly path: string;
  readonly reason: string;
}

export const lateFiles = (events: readonly HistoryEvent[]): readonly LateFile[] =>
  events.flatMap(({ event, files, reason }) =>
    event === 'declared' && Array.isArray(files)
      ? files.map((path) => ({ path: String(path), reason: String(reason) }))
      : [],
  );

/** A plan may say too much; or the change lacks something. */
function untouchedOnes(task: Task, paths: readonly string[]): readonly FileChange[] {
  const planned = declaredFiles(task).filter((path) => !isPattern(path) && !path.endsWith('/'));
  const touched = new Set(covering(planned, paths));
  return planned.filter((path) => !touched.has(path)).map((path) => ({ path: pathWord(path), kind: 'changed' }));
}

/** Those that the diff changes. */
function lateOnes(task: Task, changes: readonly FileChange[]): readonly FileChange[] {
  const late = lateFiles(sinceFresh(task));
  const named = late.map(({ path }) => path);
  const touched = new Set(
    covering(
      named,
      changes.map(({ path }) => path),
    ),
  );
  return late
    .filter(({ path }) => touched.has(path))
    .map(({ path, reason }) => ({ path: `${pathWord(path)} (${gist(reason, 200)})`, kind: 'changed' }));
}

function sinceFresh(task: Task): readonly HistoryEvent[] {
  const history = historyOf(task);
  return history.slice(history.findLastIndex(startsFresh) + 1);
}

/** What was written before is not in the folder any more. */
const startsFresh = ({ event, fresh }: HistoryEvent): boolean =>
  fresh === true && (event === 'claimed' || event === 'worktree_created');

const MOST = 100;

type Lister = (name: keyof DiffFacts, changes: readonly FileChange[]) => Readonly<Record<string, PathList>>;

const asWord = (change: FileChange): FileChange => ({ ...change, path: pathWord(change.path) });

function listedUpTo(
  most: number,
  name: keyof DiffFacts,
  changes: readonly FileChange[],
): Readonly<Record<string, PathList>> {
  if (changes.length === 0) return {};
  const longest = most === MOST ? TEXT_LIMIT : Number.POSITIVE_INFINITY;
  const paths: string[] = [];
  let length = 0;
  for (const { path } of changes) {
    length += path.length;
    if (paths.length === most || length > longest) break;
    paths.push(path);
  }
  const more = changes.length - paths.length;
  return { [name]: { paths, ...(more === 0 ? {} : { more }) } };
}
