// What a coder is told when a commit is submitted: what Liza's own runs and the diff do not show to its advantage, before a
// reviewer finds it out. The facts stay with the submission, for the session that goes on after it was retracted.

import type { Situation } from '../../command-row.ts';
import type { DiffFacts, PathList } from '../../facts/diff-facts.ts';
import { flakeText, redCommands } from '../../review/flake.ts';
import { lacksTests, RAN_NO_TEST } from '../../review/test-count.ts';
import { list } from '../words.ts';
import { mayRetract } from './retract.ts';

type Submission = Situation<'submit-for-review'>;

/** What the reviewer is told as well, and what the coder can do about it. */
interface Note {
  readonly fact: string;
  readonly mend: string;
}

export interface SubmitNotes {
  /** For the answer to the command. */
  readonly lines: readonly string[];
  /** For the record; empty: nothing was to be told. */
  readonly facts: readonly string[];
}

export function submitNotes(s: Submission, diff: DiffFacts): SubmitNotes {
  const notes = [
    ...proofNotes(s),
    ...beyondNotes(s, diff),
    ...strayTestNotes(s, diff),
    ...markNotes(s, diff),
    ...lessNotes(s, diff),
    ...bareNotes(s, diff),
    ...undoneNotes(s, diff),
  ];
  return {
    lines: notes.map(({ fact, mend }) => `${fact}; the reviewer is told. ${mend}`),
    facts: notes.map(({ fact }) => fact.slice(0, LONGEST)),
  };
}

const LONGEST = 600;

const proofNotes = (s: Submission): readonly Note[] => [
  ...greenNotes(s),
  ...brokenNotes(s),
  ...flakeNotes(s),
  ...notRunNotes(s),
  ...untoldNotes(s),
  ...unnamedNotes(s),
  ...unrunNotes(s),
  ...noTestNotes(s),
  ...idleNotes(s),
];

/** The plan may name them by a folder, and so one that nobody meant. */
function beyondNotes(s: Submission, { beyond_scope: beyond }: DiffFacts): readonly Note[] {
  if (beyond === undefined) return [];
  return [
    {
      fact: `The commit has files beyond the task’s IN, which your plan allows: ${pathsIn(beyond)}`,
      mend: `If one came along by mistake, take it back: ${takeBack(s)}`,
    },
  ];
}

function strayTestNotes(s: Submission, { tests_beyond: beyond }: DiffFacts): readonly Note[] {
  if (beyond === undefined) return [];
  return [
    {
      fact: `The commit adds test files that neither the task’s IN nor your plan names: ${pathsIn(beyond)}`,
      mend: `If they belong to it, leave them; if one came along by mistake, take it back: ${takeBack(s)}`,
    },
  ];
}

const pathsIn = ({ paths, more }: PathList): string =>
  `${list(paths)}${more === undefined || more === 0 ? '' : ` and ${more} more`}`;

/** Skips and put-off work are the first that a reviewer looks at. */
function markNotes(s: Submission, { marks, test_edits: edits }: DiffFacts): readonly Note[] {
  const off = (edits?.lines ?? []).filter((line) => /:\d+ \+ /.test(line));
  const lines = [...(marks?.lines ?? []), ...off];
  if (lines.length === 0) return [];
  const more = (marks?.more ?? 0) + Math.max(0, lines.length - MOST_MARKS);
  const shown = lines.slice(0, MOST_MARKS).map((line) => line.trim().slice(0, 100));
  return [
    {
      fact: `Your commit adds lines that put work off, silence a check or switch a test off: ${shown.join('; ')}${more === 0 ? '' : ` and ${more} more`}`,
      mend: `If one should not stay, take it back: ${takeBack(s)}`,
    },
  ];
}

const MOST_MARKS = 3;

/** A reviewer asks of each whether a criterion wants it. */
function lessNotes(s: Submission, { test_edits: edits, tests_weakened: weak }: DiffFacts): readonly Note[] {
  const lines = (edits?.lines ?? []).filter((line) => /:\d+ - /.test(line));
  if (lines.length === 0) return [];
  // What nothing took the place of comes first.
  const gone = lines.toSorted((a, b) => Number(a.includes(' \u2192 ')) - Number(b.includes(' \u2192 ')));
  const more = (edits?.more ?? 0) + Math.max(0, gone.length - MOST_MARKS);
  const shown = gone.slice(0, MOST_MARKS).map((line) => line.trim().slice(0, 200));
  return [
    {
      fact: `Your commit takes or changes lines of existing tests${weak === undefined ? '' : `, and these assert less than before (${pathsIn(weak)})`}: ${shown.join('; ')}${more === 0 ? '' : ` and ${more} more`}`,
      mend: `If a criterion asks for that, leave it; otherwise put them back: ${takeBack(s)}`,
    },
  ];
}

/** One that fails without the change hides those beside it that could not. */
function bareNotes(s: Submission, { tests_unasserted: bare }: DiffFacts): readonly Note[] {
  if (bare === undefined) return [];
  return [
    {
      fact: `These new tests assert nothing in their own lines: ${pathsIn(bare)}`,
      mend: `If a helper that they call asserts, leave them; otherwise they are green whatever the code does, so take it back: ${takeBack(s)}`,
    },
  ];
}

/** No diff shows them, the history does. */
function undoneNotes(s: Submission, { changed_back: back, passing }: DiffFacts): readonly Note[] {
  const paths = [...(back?.paths ?? []), ...(passing?.paths ?? [])];
  if (paths.length === 0) return [];
  const more = (back?.more ?? 0) + (passing?.more ?? 0);
  return [
    {
      fact: `Your commits add or change these files and undo that again, so that the history keeps it: ${pathsIn({ paths, more })}`,
      mend: `If it should not be there, take it back, and commit the rest anew: ${takeBack(s)}`,
    },
  ];
}

function greenNotes(s: Submission): readonly Note[] {
  const { on_base, reads, none_new: none, passed = [], passed_more: more = 0 } = s.command.facts.proof?.tests ?? {};
  if (on_base !== 'green' || reads !== undefined || s.task.type === 'test') return [];
  const isCode = (s.task.type ?? 'code') === 'code';
  const names = pathsIn({ paths: passed.slice(0, MOST_MARKS), more: more + Math.max(0, passed.length - MOST_MARKS) });
  return [
    {
      fact: `${none ? 'The tests that your commit changes' : 'Your new tests'} pass on the base too, so they prove nothing about the change${passed.length === 0 ? '' : `: ${names}`}`,
      mend: isCode
        ? `In a code task they should fail there. If the task changes nothing that a program does, leave them so; otherwise mend them: ${takeBack(s)}`
        : `If they should prove it: ${takeBack(s)}`,
    },
  ];
}

/** Red is right where the task changes what they hold; the coder alone knows at once. */
function brokenNotes(s: Submission): readonly Note[] {
  const { base_tests, base_failed = [], base_failed_more: more, because } = s.command.facts.proof?.tests ?? {};
  if (base_tests !== 'red') return [];
  const shown = {
    paths: base_failed.slice(0, MOST_MARKS),
    more: Math.max(0, base_failed.length - MOST_MARKS) + (more ?? 0),
  };
  const how = [
    ...(base_failed.length === 0 ? [] : [pathsIn(shown)]),
    ...(because?.base_tests === undefined ? [] : [because.base_tests]),
  ];
  return [
    {
      fact: `Tests of the base fail on your commit${how.length === 0 ? '' : `: ${how.join('; ')}`}`,
      mend: `If a criterion asks for that change, leave it; otherwise you broke something, so take it back and mend it: ${takeBack(s)}`,
    },
  ];
}

/** Whose it is, its coder alone can tell. */
function flakeNotes(s: Submission): readonly Note[] {
  const { commit, facts } = s.command;
  const flaky = [...new Set([...redCommands(s.task, commit), ...(facts.proof?.tests?.flaky ?? [])])];
  if (flaky.length === 0) return [];
  return [
    {
      fact: flakeText(flaky),
      mend: `If your change or its tests are why, take it back: ${takeBack(s)}; if it is the command, a timing say, liza discover tells the planner`,
    },
  ];
}

/** What is refused is not advised. */
const takeBack = ({ task, commandLine }: Submission): string =>
  mayRetract(task)
    ? `${commandLine('retract', task.id)} (once its review has begun, your next session goes on)`
    : 'it was retracted too often in this iteration, so leave it to the reviewer';

function notRunNotes(s: Submission): readonly Note[] {
  const { tests, unrun_tests: unrun } = s.command.facts.proof ?? {};
  if (tests?.on_base !== 'not_run') return [];
  return unrun === undefined
    ? [NOT_RUN]
    : [
        {
          fact: `Only you ran your tests: no command that Liza ran runs ${list(unrun)}`,
          mend: `If your change is the reason, take it back and mend that: ${takeBack(s)}`,
        },
      ];
}

/** Of new tests that nothing shows, and of a number of tests that does not add up. */
function unnamedNotes(s: Submission): readonly Note[] {
  const { untold_tests: untold, base_unrun: lost, runs = [], tests_added: added } = s.command.facts.proof ?? {};
  const lacks = lacksTests(runs, added) === true;
  if (untold === undefined || lost !== undefined) return [];
  return [
    {
      fact: `Nothing shows that all your new tests of ${list(untold)} ran: the runner does not name each of them${lacks ? `, and fewer tests ran than those of the base and the ${added} that your change declares besides (or tests of the base run no more)` : ''}`,
      mend: `Run the command in its verbose mode; if they are not among what it ran, take it back and let the runner find them: ${takeBack(s)}`,
    },
  ];
}

function unrunNotes(s: Submission): readonly Note[] {
  const lost = s.command.facts.proof?.base_unrun;
  if (lost === undefined) return [];
  return [
    {
      fact: `By your change no command runs these tests of the base any more: ${pathsIn(lost)}`,
      mend: `If you did not mean that, take it back and mend it: ${takeBack(s)}`,
    },
  ];
}

/** Strict refuses what was seen, and what the coder can mend. */
function untoldNotes({ command }: Submission): readonly Note[] {
  const { mode, on_base, base_tests, because, why } = command.facts.proof?.tests ?? {};
  if (on_base !== 'unknown' && base_tests !== 'unknown') return [];
  if (mode !== 'strict')
    return on_base === 'unknown' && because === undefined && why !== undefined
      ? [
          {
            fact: `Whether your new tests fail without the change was not tried: ${why}`,
            mend: 'Nothing is left to do',
          },
        ]
      : [];
  const what = on_base === 'unknown' ? 'your tests fail without the change' : 'the tests of the base pass with it';
  return [
    {
      fact: `tdd is strict, and nobody could tell whether ${what}: ${why ?? 'nothing showed it'}`,
      mend: 'It is not held against you',
    },
  ];
}

function noTestNotes(s: Submission): readonly Note[] {
  const none = (s.command.facts.proof?.runs ?? []).filter(({ ok, tests }) => ok && tests === 0);
  return none.map(({ command: line }) => ({
    fact: `\`${line}\` is green, and ${RAN_NO_TEST}`,
    mend: `If it should run yours, name them so that it selects them: ${takeBack(s)}; if it can select none, liza discover tells the planner`,
  }));
}

/** The line itself does not show it; a validation is the planner's. */
const idleNotes = (s: Submission): readonly Note[] =>
  (s.command.facts.proof?.runs ?? []).flatMap(({ command: line, idle_script: idle }) =>
    idle === undefined
      ? []
      : [
          {
            fact: `\`${line}\` cannot fail: its script is \`${idle}\``,
            mend: `If your change made it so, take it back: ${takeBack(s)}; otherwise liza discover tells the planner`,
          },
        ],
  );

/** Settings are a person's, validation the planner's. */
const NOT_RUN: Note = {
  fact: 'Only you ran your tests: no command that Liza runs can run them (there is no test_command, and no validation runs them)',
  mend: 'liza discover tells the planner',
};
