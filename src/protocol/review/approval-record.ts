// What the board keeps of an approval: for each criterion what shows it, and the concerns. Read back for prompts,
// `show`, report and audit. Approvals of earlier versions have neither.

import { listed, pathWord } from '../../text/format.ts';
import { criteriaOf } from '../definition/criteria.ts';
import {
  isAboutBehaviour,
  isAboutFiles,
  isAboutTheDiff,
  mayHoldBefore,
  namesCommand,
  pathsNamed,
  saysThatItStays,
} from '../definition/criterion-kinds.ts';
import { coverage } from '../facts/globs.ts';
import type { Idle, NotRun, UnrunTest, VerdictFacts } from '../facts/verdict-facts.ts';
import type { HistoryEvent, Task } from '../state.ts';
import { defined, isFields } from '../values.ts';
import { aboutOne, type Concern, type Problem, parseApproval, testNames } from './approval.ts';
import type { Evidence } from './approval-lines.ts';
import { proofAt, ranNoTests } from './proof.ts';
import { commandMeant, isNoCheck, ranGreen, undecidedIn } from './ran-command.ts';

/** One criterion and what shows it. `nothing`: the approval named nothing for it. */
export interface Shown {
  readonly n: number;
  readonly criterion: string;
  readonly by: Evidence['by'] | 'nothing';
  readonly what?: string;
  /** A test or a place of which the change leaves the file as it was. */
  readonly unchanged?: true;
  /** A place in a changed file, with no changed line near it. */
  readonly far?: true;
  /** The change only adds lines there. */
  readonly adds?: true;
  /** A place in a test file that a command ran green. */
  readonly ran?: true;
  /** Places or paths alone, of what the program does: nothing that ran. */
  readonly alone?: true;
  /** Paths that are not all that the criterion is about: those it names, and that the evidence does not. */
  readonly elsewhere?: readonly string[];
  /** A place outside the diff, and nothing better beside it. */
  readonly outside?: true;
  /** Seen, or green before the change, too; and shown by something else. */
  readonly beside?: true;
  /** A test of which Liza does not know that it ran at the commit; true: no command can run tests at all. */
  readonly not_run?: true | NotRun;
  /** A command, or a test, whose green says nothing about the change. */
  readonly idle?: Idle;
}

/** Nothing that a machine could check, or did, or nothing that could show it. */
export const isFlagged = (one: Shown): boolean =>
  one.by === 'nothing' ||
  (one.by === 'seen' && one.beside !== true) ||
  one.alone === true ||
  one.outside === true ||
  one.elsewhere !== undefined ||
  isDoubted(one);

/** It names what is there, and what Liza saw run does not bear it out. */
const isDoubted = ({ not_run, idle, beside }: Shown): boolean =>
  not_run !== undefined || (idle !== undefined && beside !== true);

type Known = Pick<
  VerdictFacts,
  'unchanged_files' | 'far_places' | 'unrun_tests' | 'ran_places' | 'idle_commands' | 'left_alone'
>;

/** What is kept of an approval's text, criterion by criterion. */
export function shownOf(task: Task, text: string, known: Known = {}): readonly Shown[] {
  const {
    unchanged_files: unchanged = [],
    far_places = [],
    unrun_tests = [],
    ran_places = [],
    idle_commands = [],
    left_alone = [],
  } = known;
  const criteria = criteriaOf(task.done_when);
  const { evidence } = parseApproval(text, criteria.length);
  const ranNone = ranNoTests(task, task.review_commit);
  const notRun = ({ file, name }: Pick<UnrunTest, 'file' | 'name'>): Shown['not_run'] =>
    ranNone ? true : unrun_tests.find((one) => one.file === file && one.name === name)?.why;
  return criteria.flatMap((criterion, at): readonly Shown[] => {
    const n = at + 1;
    const own = evidence.filter((one) => one.criterion === n);
    if (own.length === 0) return [{ n, criterion, by: 'nothing' }];
    const shown = own.map((one): Shown => {
      const what = one.by === 'ran' ? commandMeant(task, task.review_commit, one.command) : whatOf(one);
      const old = (one.by === 'test' || one.by === 'place') && unchanged.includes(one.file);
      const not_run = one.by === 'test' ? notRun(one) : undefined;
      const isIdle = one.by === 'test' && !old && passesWithout(task, one);
      const why =
        one.by === 'ran'
          ? idle_commands.find(({ command }) => command === what)?.why
          : isIdle
            ? 'green_before'
            : undefined;
      // A check that something stays as it is was green before, or it would have shown nothing; and where the criterion
      // asks for this very command, its green is all that is asked for.
      const isMeant = mayHoldBefore(criterion) || (one.by === 'ran' && namesCommand(criterion, what));
      const idle = why === 'green_before' && isMeant ? undefined : why;
      const adds = one.by === 'diff' ? one.adds : undefined;
      return {
        n,
        criterion,
        by: one.by,
        what,
        ...(old ? { unchanged: true } : {}),
        ...(one.by === 'place' && far_places.includes(whatOf(one)) ? { far: true } : {}),
        ...(one.by === 'place' && ran_places.includes(whatOf(one)) ? { ran: true } : {}),
        ...defined({ adds, not_run, idle }),
      };
    });
    // A command may be named by its words and by its number.
    const once = shown.filter(
      (one, place) => shown.findIndex(({ by, what }) => by === one.by && what === one.what) === place,
    );
    return weighed(task, criterion, once, left_alone);
  });
}

/** All that is named for one criterion, each judged beside the others. */
function weighed(task: Task, criterion: string, all: readonly Shown[], untouched: readonly string[]): readonly Shown[] {
  const ran = all.some((one) => (one.by === 'test' || one.by === 'ran') && !isDoubted(one));
  const isOfCode = (task.type ?? 'code') === 'code' || task.type === 'test';
  const stays = saysThatItStays(criterion);
  const isAlone = !ran && isOfCode && isAboutBehaviour(criterion);
  // Of what must stay as it is, that the change does not touch it is enough.
  const isKept = (path: string): boolean => untouched.includes(path) && mayHoldBefore(criterion);
  const elsewhere = unmeant(criterion, all).filter((path) => !isKept(path));
  const judged = all.map((one): Shown => {
    if (ran || (one.by !== 'place' && one.by !== 'diff')) return one;
    if (one.adds === true && elsewhere.length > 0) return { ...one, elsewhere };
    if ((one.unchanged === true || one.far === true) && !stays) return { ...one, outside: true };
    const saysNothing = one.by === 'diff' && isOfCode && !(stays ? isAboutTheDiff(criterion) : isAboutFiles(criterion));
    return (isAlone && one.ran !== true) || saysNothing ? { ...one, alone: true } : one;
  });
  const isShown = judged.some((one) => one.by !== 'seen' && !isFlagged(one));
  const isMore = ({ by, idle }: Shown): boolean => by === 'seen' || idle === 'green_before';
  return isShown ? judged.map((one) => (isMore(one) ? { ...one, beside: true } : one)) : judged;
}

/** Paths that the criterion names, and that `diff only adds <paths>` leaves out; without paths it is about all. */
function unmeant(criterion: string, all: readonly Shown[]): readonly string[] {
  const adding = all.flatMap(({ adds, what = '' }) => (adds === true ? [what] : []));
  if (adding.includes('')) return [];
  const paths = adding.flatMap((what) => what.split(', '));
  const isMeant = coverage(paths);
  // A name without its folder may stand in any of them.
  const mayBe = (path: string): boolean =>
    !path.includes('/') && paths.some((one) => one.endsWith(`/${path}`) || !/\.\w+$/.test(one));
  return pathsNamed(criterion).filter((path) => !isMeant(path) && !mayBe(path));
}

/** Files of places that the change does not touch, for criteria that are not about what stays. */
export const outsideOf = (shown: readonly Shown[]): readonly string[] | undefined => {
  const files = shown.flatMap(({ by, unchanged, criterion, what = '' }) =>
    by === 'place' && unchanged === true && !saysThatItStays(criterion) ? [what.replace(/:\d+(?:-\d+)?$/, '')] : [],
  );
  return files.length === 0 ? undefined : [...new Set(files)];
};

/** Whether Liza saw this test of a changed file green on the base; a task of tests alone has it so. */
function passesWithout(task: Task, test: { readonly file: string; readonly name: string }): boolean {
  const tests = proofAt(task, task.review_commit)?.tests;
  if (tests === undefined || task.type === 'test') return false;
  const names = testNames(test);
  if (tests.passed?.some((one) => names.includes(one)) === true) return true;
  if (tests.because?.on_base !== undefined || tests.reads !== undefined) return false;
  return tests.on_base === 'green' && tests.base_alone === 'green';
}

export function whatOf(one: Evidence): string {
  switch (one.by) {
    case 'test':
      return `${one.file} › ${one.name}`;
    case 'ran':
      return one.command;
    case 'place':
      return `${one.file}:${one.line}${one.to === undefined ? '' : `-${one.to}`}`;
    case 'diff':
      return one.paths.join(', ');
    case 'seen':
      return one.text;
    default:
      return one satisfies never;
  }
}

/** What is said of an approval `--by-hand`. */
export const BY_HAND = 'a person’s own review';

/** Criteria for which the text names nothing. */
export const unshown = (task: Task, text: string): readonly Shown[] =>
  shownOf(task, text).filter(({ by }) => by === 'nothing');

/** Commands that it says were run, and that Liza did not run green at this commit. */
export const notGreen = (task: Task, evidence: readonly Evidence[]): readonly Problem[] =>
  evidence.flatMap((one) => {
    const why = one.by === 'ran' ? whyNoEvidence(task, one.command) : undefined;
    return why === undefined ? [] : [aboutOne(one.criterion, why)];
  });

function whyNoEvidence(task: Task, said: string): string | undefined {
  if (!ranGreen(task, task.review_commit, said)) return whyNotGreen(task, said);
  return isNoCheck(task, task.review_commit, said)
    ? `“${said}” checks nothing, it only prepares or prints; name the command that checks`
    : undefined;
}

function whyNotGreen(task: Task, said: string): string {
  const form = undecidedIn(task, task.review_commit, said);
  return form === undefined
    ? `Liza did not run “${said}” green at this commit`
    : `“${said}” is a part of a command that can be green where that part is red or does not run; name the whole command: \`${form}\``;
}

/** As the event of an approval has it; empty: nothing was asked for, or it is an earlier version's. */
export const shownIn = ({ shown }: HistoryEvent): readonly Shown[] =>
  Array.isArray(shown) ? shown.filter((one): one is Shown => isFields(one) && typeof one['n'] === 'number') : [];

export const concernsOf = ({ concerns }: HistoryEvent): readonly Concern[] =>
  Array.isArray(concerns)
    ? concerns.filter((one): one is Concern => isFields(one) && typeof one['text'] === 'string')
    : [];

export const concernText = ({ file, line, to, text, outside }: Concern): string =>
  file === undefined
    ? text
    : `${file}:${line}${to === undefined ? '' : `-${to}`} — ${text}${outside === true ? ' (the change does not touch this file)' : ''}`;

/** Concerns as the board keeps them: those about files that the change leaves alone are marked. */
export const markedConcerns = (concerns: readonly Concern[], outside: readonly string[] = []): readonly Concern[] =>
  concerns.map((one) =>
    one.file !== undefined && outside.includes(one.file) ? { ...one, outside: true as const } : one,
  );

/** Files that a verdict names and that the change under review does not touch, each kind as one clause. */
export function besideTheChange({ outside_diff, outside_concerns, outside_evidence }: HistoryEvent): readonly string[] {
  const told = (files: unknown, who: string): readonly string[] =>
    Array.isArray(files) && files.length > 0 ? [`${listed(files.map(pathWord), 10)}, which ${who} name`] : [];
  return [
    ...told(outside_diff, 'blockers'),
    ...told(outside_concerns, 'concerns'),
    ...told(outside_evidence, 'places of the evidence'),
  ];
}

/** Each criterion once, with all that shows it. */
export function byCriterion(shown: readonly Shown[]): readonly (readonly [Shown, readonly Shown[]])[] {
  const found = new Map<number, Shown[]>();
  for (const one of shown) found.set(one.n, [...(found.get(one.n) ?? []), one]);
  return [...found.values()].flatMap((all) => (all[0] === undefined ? [] : [[all[0], all] as const]));
}
