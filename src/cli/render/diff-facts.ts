// What a submitted commit's diff says about itself, as lines. Light: `liza show` loads it at every start.

import type { DiffFacts, PathList } from '../../protocol/facts/diff-facts.ts';
import { sizeText } from '../../protocol/facts/file-change.ts';
import { commandsOf, flakeText } from '../../protocol/review/flake.ts';
import { isLittle, isSteady, type SinceRed, sinceRedOf, sinceRedText } from '../../protocol/review/since-red.ts';
import { skippedText } from '../../protocol/review/skip-count.ts';
import { declaredFor, testCount } from '../../protocol/review/test-count.ts';
import type { Task } from '../../protocol/state.ts';
import { counted, nameText } from '../../text/format.ts';
import { oneLine } from './terminal.ts';

/** The diff of the last submission; undefined when there is none, or when an older version recorded it without. */
export function lastDiff(task: Task): Readonly<Record<string, unknown>> | undefined {
  const submitted = task.history?.findLast(({ event }) => event === 'submitted') as
    | { readonly diff?: unknown }
    | undefined;
  const diff = submitted?.diff;
  return typeof diff === 'object' && diff !== null ? (diff as Readonly<Record<string, unknown>>) : undefined;
}

type ListName = {
  [Name in keyof DiffFacts]-?: NonNullable<DiffFacts[Name]> extends PathList ? Name : never;
}[keyof DiffFacts];

/** Every list of files that a diff has; one that is missing here is a type error. */
const NAMES: Readonly<Record<ListName, string>> = {
  undeclared: 'not announced in any checkpoint',
  untouched: 'announced in a checkpoint, and not touched',
  declared_late: 'declared late, after the checkpoint',
  beyond_scope: 'outside the paths of scope IN',
  tests_beyond: 'new test files that neither scope IN nor any plan names',
  out_parts: 'scope OUT that no machine checks',
  binary: 'binary to git, so that its diff shows no line of them',
  lfs_pointers: 'pointers of Git LFS, whose content is not in the diff',
  case_twins: 'paths that differ by case alone',
  links: 'symbolic links',
  submodules: 'submodules',
  deleted: 'files DELETED',
  modes: 'modes changed',
  tests_added: 'tests added',
  test_data_added: 'files for tests added (fixtures, snapshots)',
  tests_changed: 'existing tests CHANGED',
  tests_extended: 'existing test files that only gained lines',
  tests_weakened: 'tests WEAKENED (fewer assertions, or switched off)',
  tests_new_off: 'tests new, with a skip',
  tests_unasserted: 'new tests that assert NOTHING in their own lines',
  tests_moved: 'tests moved, unchanged',
  tests_moved_changed: 'tests moved and changed',
  tests_removed: 'existing tests REMOVED',
  tests_within: 'tests within the code',
  instructions: 'instruction or CI files touched',
  test_setup: 'how tests are run',
  passing: 'added and removed again by its commits (they stay in the history)',
  changed_back: 'changed and changed back by its commits (not in the diff, but in the history)',
  empty_commits: 'commits that change nothing',
  unread: 'too large, too many or generated: not looked at by Liza',
  brought_back: 'as they were before the checkpoint, when they were put aside',
  put_aside: 'work from before the checkpoint, put aside for it',
  dated_before: 'commits dated before the checkpoint',
  named_otherwise: 'commits under another name than its coder’s',
  refs_in_clone: 'refs that its coder made or moved in its clone, where they stay',
  foreign_roots: 'roots of another history that it brings',
};

export function diffText({ files, lines, test_edits, marks, ...lists }: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(lists).flatMap(([name, list]) => {
    const { paths, more } = (list ?? {}) as { readonly paths?: unknown; readonly more?: unknown };
    if (!Array.isArray(paths)) return [];
    return [
      `${(NAMES as Readonly<Record<string, string>>)[name] ?? name.replaceAll('_', ' ')}: ${paths.map((path) => nameText(String(path))).join(', ')}${typeof more === 'number' ? ` and ${more} more` : ''}`,
    ];
  });
  return [
    `${counted(Number(files), 'file')}${sizeText({ lines, ...lists })}`,
    ...parts,
    ...lineList('removed from existing tests, or switching tests off:', test_edits),
    ...lineList('new lines that postpone work or silence a check:', marks),
  ].join('\n');
}

function lineList(title: string, list: unknown): readonly string[] {
  const { lines, more } = (list ?? {}) as { readonly lines?: unknown; readonly more?: unknown };
  if (!Array.isArray(lines) || lines.length === 0) return [];
  const rest = typeof more === 'number' ? [`  and ${more} more`] : [];
  return [title, ...lines.map((line) => `  ${oneLine(String(line))}`), ...rest];
}

interface Run {
  readonly command: string;
  readonly ok: boolean;
  readonly how: string;
  readonly seconds: number;
  readonly skipped?: string;
  readonly skips_on_base?: number;
  readonly said_failed?: string;
  readonly tests?: number;
  readonly tests_on_base?: number;
  readonly changed?: PathList;
  readonly rewritten?: PathList;
  readonly idle_script?: string;
}

/** What Liza ran at the last submitted commit, or at another one. */
export function proofText(task: Task, commit?: string): string | undefined {
  const submitted = (task.history as readonly Submitted[] | undefined)?.findLast(
    (entry) => entry.event === 'submitted' && (commit === undefined || entry.commit === commit),
  );
  const { runs, tests, tests_added, base_unrun, unrun_tests, untold_tests, setup_changed, above, file } =
    submitted?.proof ?? {};
  if (!Array.isArray(runs)) return undefined;
  return [
    ...runs.map(
      ({ command, ok, seconds, said_failed: failed, idle_script: idle, ...run }: Run) =>
        `${ok ? 'green' : 'RED'}, ${seconds} s${testCount({ command, ...run }, declaredFor(run, runs, tests_added))}${skippedText({ command, ...run })}${failed === undefined ? '' : `, BUT A RUNNER SAID “${failed}”`}${idle === undefined ? '' : `, ITS SCRIPT CANNOT FAIL (${oneLine(idle)})`}: ${command}`,
    ),
    ...(tests === undefined
      ? []
      : [
          testsText(tests),
          ...(tests.missing === undefined
            ? []
            : [`on the base they stop at what it does not have: ${oneLine(tests.missing)}`]),
          ...TEST_LISTS.flatMap(([key, title]) => testList(title, tests[key], tests[`${key}_more`])),
        ]),
    ...(Array.isArray(base_unrun?.paths)
      ? [
          `test files of the base that no command runs any more: ${base_unrun.paths.map(nameText).join(', ')}${base_unrun.more === undefined ? '' : ` and ${base_unrun.more} more`}`,
        ]
      : []),
    ...(Array.isArray(unrun_tests) ? [`test files that no command runs: ${unrun_tests.map(nameText).join(', ')}`] : []),
    ...(Array.isArray(untold_tests)
      ? [
          `whether all new tests of these ran is not known, nothing that the runner said shows it: ${untold_tests.map(nameText).join(', ')}`,
        ]
      : []),
    ...(Array.isArray(above)
      ? [
          `above the checkout this changed while agents work, and green may rest on it: ${above.map(oneLine).join('; ')}`,
        ]
      : []),
    ...redText(submitted?.red_before ?? 0, commandsOf(submitted?.red_by), sinceRedOf({ ...submitted })),
    ...(tests?.flaky === undefined ? [] : [`flaky: ${flakeText(tests.flaky)}`]),
    ...changedText('set-up', setup_changed),
    ...runs.flatMap(({ command, changed, rewritten }: Run) => [
      ...changedText(command, changed),
      ...changedText(command, rewritten, 'or another process wrote tracked files, which are as before again'),
    ]),
    ...(file === undefined ? [] : [`in full, for a person: ${file}`]),
  ].join('\n');
}

/** A test that fails now and then turns green if it is tried often enough. */
function redText(same: number, by: readonly string[], since: SinceRed | undefined): readonly string[] {
  if (since !== undefined)
    return [
      `before: ${sinceRedText(since, same)}${isLittle(since) && !isSteady(since) ? ' (do its tests always pass?)' : ''}`,
    ];
  const what = by.length === 0 ? 'it is green now' : flakeText(by);
  return same === 0 ? [] : [`before: the same commit was red ${counted(same, 'time')}; ${what}`];
}

const changedText = (
  who: string,
  list: PathList | undefined,
  did = 'changed tracked files, which were laid out again',
): readonly string[] =>
  list === undefined
    ? []
    : [
        `${oneLine(who)} ${did}: ${list.paths.map(oneLine).join(', ')}${list.more === undefined ? '' : ` and ${list.more} more`}`,
      ];

interface Submitted {
  readonly event: string;
  readonly commit?: string;
  readonly red_before?: number;
  readonly red_by?: unknown;
  readonly since_red?: unknown;
  readonly proof?: {
    readonly runs?: readonly Run[];
    readonly tests?: Tests;
    readonly tests_added?: number;
    readonly base_unrun?: PathList;
    readonly unrun_tests?: readonly string[];
    readonly untold_tests?: readonly string[];
    readonly setup_changed?: PathList;
    readonly above?: readonly string[];
    readonly file?: string;
  };
}

/** A reader knows neither the base nor what it is good for: red is as it should be there. */
const WITHOUT: Readonly<Record<string, string>> = {
  red: 'fail, as they should',
  green: 'pass, so they show nothing',
  unknown: 'not known',
  not_run: 'no command runs them',
};
const FROM_BEFORE: Readonly<Record<string, string>> = {
  green: 'pass',
  red: 'fail',
  unknown: 'not known',
  same: 'unchanged',
  not_run: 'no command runs them',
};

/** Each with its own reason; what an older version recorded has one for both. */
function testsText({ on_base, base_tests, why, because }: Tests): string {
  const told = (reason: string | undefined): string => (reason === undefined ? '' : ` (${reason})`);
  const last = because === undefined ? why : because.base_tests;
  return `new tests without the change: ${WITHOUT[on_base] ?? on_base}${told(because?.on_base)}; tests from before: ${FROM_BEFORE[base_tests] ?? base_tests}${told(last)}`;
}

interface Tests {
  readonly on_base: string;
  readonly base_tests: string;
  readonly why?: string;
  readonly because?: { readonly on_base?: string; readonly base_tests?: string };
  readonly missing?: string;
  readonly flaky?: readonly string[];
  readonly failed?: readonly string[];
  readonly failed_more?: number;
  readonly passed?: readonly string[];
  readonly passed_more?: number;
  readonly untold?: readonly string[];
  readonly untold_more?: number;
}

const TEST_LISTS = [
  ['passed', 'new, and passed without the change'],
  ['untold', 'new, and the runner does not say how they ended without the change'],
  ['failed', 'failed without the change'],
] as const;

const testList = (title: string, names: unknown, more: number | undefined): readonly string[] =>
  Array.isArray(names)
    ? [`${title}: ${names.map(oneLine).join('; ')}${more === undefined ? '' : ` and ${more} more`}`]
    : [];
