// What the board keeps of an approval: for each criterion what shows it, and the concerns. Read back for prompts,
// `show`, report and audit. Approvals of earlier versions have neither.

import { criteriaOf } from '../definition/criteria.ts';
import type { NotRun, UnrunTest, VerdictFacts } from '../facts/verdict-facts.ts';
import type { HistoryEvent, Task } from '../state.ts';
import { defined, isFields } from '../values.ts';
import { type Concern, parseApproval } from './approval.ts';
import type { Evidence } from './approval-lines.ts';
import { NO_TEST_COMMAND, ranNoTests } from './proof.ts';
import { commandMeant, ranGreen } from './ran-command.ts';

/** One criterion and what shows it. `nothing`: the approval named nothing for it. */
export interface Shown {
  readonly n: number;
  readonly criterion: string;
  readonly by: Evidence['by'] | 'nothing';
  readonly what?: string;
  /** A test or a place of which the change leaves the file as it was. */
  readonly unchanged?: true;
  /** A test of which Liza does not know that it ran at the commit; true: no command can run tests at all. */
  readonly not_run?: true | NotRun;
}

/** Nothing that a machine could check, or did. */
export const isFlagged = ({ by, not_run }: Shown): boolean =>
  by === 'seen' || by === 'nothing' || not_run !== undefined;

type Known = Pick<VerdictFacts, 'unchanged_files' | 'unrun_tests'>;

/** What is kept of an approval's text, criterion by criterion. */
export function shownOf(task: Task, text: string, known: Known = {}): readonly Shown[] {
  const { unchanged_files: unchanged = [], unrun_tests = [] } = known;
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
      return { n, criterion, by: one.by, what, ...(old ? { unchanged: true } : {}), ...defined({ not_run }) };
    });
    // A command may be named by its words and by its number.
    return shown.filter(
      (one, place) => shown.findIndex(({ by, what }) => by === one.by && what === one.what) === place,
    );
  });
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
export const notGreen = (task: Task, evidence: readonly Evidence[]): readonly string[] =>
  evidence.flatMap((one) =>
    one.by === 'ran' && !ranGreen(task, task.review_commit, one.command)
      ? [`criterion ${one.criterion}: Liza did not run “${one.command}” green at this commit`]
      : [],
  );

/** As the event of an approval has it; empty: nothing was asked for, or it is an earlier version's. */
export const shownIn = ({ shown }: HistoryEvent): readonly Shown[] =>
  Array.isArray(shown) ? shown.filter((one): one is Shown => isFields(one) && typeof one['n'] === 'number') : [];

export const concernsOf = ({ concerns }: HistoryEvent): readonly Concern[] =>
  Array.isArray(concerns)
    ? concerns.filter((one): one is Concern => isFields(one) && typeof one['text'] === 'string')
    : [];

export const concernText = ({ file, line, text }: Concern): string =>
  file === undefined ? text : `${file}:${line} — ${text}`;

/** Each criterion once, with all that shows it. */
export function byCriterion(shown: readonly Shown[]): readonly (readonly [Shown, readonly Shown[]])[] {
  const found = new Map<number, Shown[]>();
  for (const one of shown) found.set(one.n, [...(found.get(one.n) ?? []), one]);
  return [...found.values()].flatMap((all) => (all[0] === undefined ? [] : [[all[0], all] as const]));
}

const NOT_RUN: Readonly<Record<string, string>> = {
  true: `NOT RUN BY LIZA (${NO_TEST_COMMAND})`,
  file: 'NOT RUN BY LIZA (no command that it ran runs this file)',
  values: 'NOT KNOWN TO HAVE RUN (no runner named it with these values)',
};

/** `ran npm test`, `NOT SHOWN`; what nothing can check is marked. */
export function shownText({ by, what = '', unchanged, not_run }: Shown): string {
  switch (by) {
    case 'place':
      return `${what}${unchanged ? ' (unchanged file: the change does not touch it)' : ''}`;
    case 'nothing':
      return 'NOT SHOWN: the approval names no evidence for it';
    case 'seen':
      return `FLAGGED, only seen: ${what}`;
    case 'diff':
      return `the change touches only ${what}`;
    case 'test':
      return `${not_run === undefined ? '' : `${NOT_RUN[String(not_run)] ?? 'NOT RUN BY LIZA'}: `}test ${what}${unchanged ? ' (unchanged test: the change does not touch its file)' : ''}`;
    default:
      return `${by} ${what}`;
  }
}
