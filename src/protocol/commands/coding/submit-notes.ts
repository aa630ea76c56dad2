// What a coder is told when a commit is submitted: what Liza's own runs do not show, before a reviewer finds it out.

import type { Situation } from '../../command-row.ts';
import type { DiffFacts } from '../../facts/diff-facts.ts';
import { lacksTests, RAN_NO_TEST } from '../../review/test-count.ts';
import { list } from './coder.ts';
import { mayRetract } from './retract.ts';

export function proofNotes(s: Situation<'submit-for-review'>): readonly string[] {
  const isGreen = s.command.facts.proof?.tests?.on_base === 'green' && s.task.type !== 'test';
  const isCode = (s.task.type ?? 'code') === 'code';
  return [
    ...(isGreen ? [`${GREEN_ON_BASE} ${isCode ? THEY_SHOULD_FAIL : IF_THEY_SHOULD}: ${takeBack(s)}`] : []),
    ...brokenNotes(s),
    ...notRunNotes(s),
    ...untoldNotes(s),
    ...unnamedNotes(s),
    ...unrunNotes(s),
    ...noTestNotes(s),
  ];
}

/** The plan may name them by a folder, and so one that nobody meant. */
export function beyondNotes(s: Situation<'submit-for-review'>, { beyond_scope: beyond }: DiffFacts): readonly string[] {
  if (beyond === undefined) return [];
  return [
    `The commit has files beyond the task’s IN, which your plan allows, and the reviewer is told: ${list(beyond.paths)}${beyond.more === undefined ? '' : ` and ${beyond.more} more`}. If one came along by mistake, take it back: ${takeBack(s)}`,
  ];
}

const GREEN_ON_BASE =
  'Your new tests pass on the base too, so they prove nothing about the change, and the reviewer is told.';
const THEY_SHOULD_FAIL =
  'In a code task they should fail there, unless nothing shall behave otherwise; if so, mend them';
const IF_THEY_SHOULD = 'If they should prove it';

/** Red is right where the task changes what they hold; the coder alone knows at once. */
function brokenNotes(s: Situation<'submit-for-review'>): readonly string[] {
  if (s.command.facts.proof?.tests?.base_tests !== 'red') return [];
  return [
    `Tests of the base fail on your commit, and the reviewer is told. If a criterion asks for that change, leave it; otherwise you broke something, so take it back and mend it: ${takeBack(s)}`,
  ];
}

/** What is refused is not advised. */
const takeBack = ({ task, commandLine }: Situation<'submit-for-review'>): string =>
  mayRetract(task)
    ? commandLine('retract', task.id)
    : 'it was retracted too often in this iteration, so leave it to the reviewer';

function notRunNotes(s: Situation<'submit-for-review'>): readonly string[] {
  const { command } = s;
  const { tests, unrun_tests: unrun } = command.facts.proof ?? {};
  if (tests?.on_base !== 'not_run') return [];
  return unrun === undefined
    ? [NOT_RUN]
    : [
        `Only you ran your tests: no command that Liza ran runs ${list(unrun)}; the reviewer is told. If your change is the reason, take it back and mend that: ${takeBack(s)}`,
      ];
}

/** Of new tests that nothing shows, and of a number of tests that does not add up. */
function unnamedNotes(s: Situation<'submit-for-review'>): readonly string[] {
  const { untold_tests: untold, base_unrun: lost, runs = [], tests_added: added } = s.command.facts.proof ?? {};
  const lacks = lacksTests(runs, added) === true;
  if (untold === undefined || lost !== undefined) return [];
  return [
    `Nothing shows that all your new tests of ${list(untold)} ran: the runner does not name each of them${lacks ? `, and fewer tests ran than those of the base and the ${added} that your change declares besides (or tests of the base run no more)` : ''}; the reviewer is told. Run the command in its verbose mode; if they are not among what it ran, take it back and let the runner find them: ${takeBack(s)}`,
  ];
}

function unrunNotes(s: Situation<'submit-for-review'>): readonly string[] {
  const { command } = s;
  const lost = command.facts.proof?.base_unrun;
  if (lost === undefined) return [];
  return [
    `By your change no command runs these tests of the base any more: ${list(lost.paths)}${lost.more === undefined ? '' : ` and ${lost.more} more`}; the reviewer is told. If you did not mean that, take it back and mend it: ${takeBack(s)}`,
  ];
}

/** Strict refuses what was seen, and what the coder can mend. */
function untoldNotes({ command }: Situation<'submit-for-review'>): readonly string[] {
  const { mode, on_base, base_tests, because, why } = command.facts.proof?.tests ?? {};
  if (on_base !== 'unknown' && base_tests !== 'unknown') return [];
  if (mode !== 'strict')
    return on_base === 'unknown' && because === undefined && why !== undefined
      ? [
          `Whether your new tests fail without the change was not tried: ${why}. Nothing is left to do; the reviewer is told`,
        ]
      : [];
  const what = on_base === 'unknown' ? 'your tests fail without the change' : 'the tests of the base pass with it';
  return [
    `tdd is strict, and nobody could tell whether ${what}: ${why ?? 'nothing showed it'}. It is not held against you; the reviewer is told`,
  ];
}

function noTestNotes(s: Situation<'submit-for-review'>): readonly string[] {
  const { command } = s;
  const none = (command.facts.proof?.runs ?? []).filter(({ ok, tests }) => ok && tests === 0);
  return none.map(
    ({ command: line }) =>
      `\`${line}\` is green, and ${RAN_NO_TEST}: the reviewer is told. If it should run yours, name them so that it selects them: ${takeBack(s)}; if it can select none, liza discover tells the planner`,
  );
}

/** Settings are a person's, validation the planner's. */
const NOT_RUN =
  'Only you ran your tests: no command that Liza runs can run them (there is no test_command, and no validation runs them); the reviewer is told. liza discover tells the planner';
