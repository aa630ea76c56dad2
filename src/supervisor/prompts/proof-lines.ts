// What a reviewer is told of Liza's own runs: what ran at the commit, what ran on the base and runs no more, and whether
// the new tests test anything.

import { commandsOf, flakeText } from '../../protocol/review/flake.ts';
import { NO_TEST_COMMAND, type Proof, proofOf, type TestProof } from '../../protocol/review/proof.ts';
import { isLittle, isSteady, onlyReadTexts, sinceRedOf, sinceRedText } from '../../protocol/review/since-red.ts';
import { skippedText } from '../../protocol/review/skip-count.ts';
import { declaredFor, lacksTests, runsFewer, testCount } from '../../protocol/review/test-count.ts';
import type { HistoryEvent, Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import { counted } from '../../text/format.ts';
import { inline, paths, quote } from './quote.ts';
import { showTask } from './task-fields.ts';

const LONG = 100;

const NO_COMMAND = 'which command it was is not on record';
const OF_FLAKE =
  'Find out whether tests of this change are unsteady. If it is the command itself, a timing say, that is no fault of the change: say so in a concern, for the planner';

/** What Liza ran at the commit, and whether its tests test anything. */
export function proofLines(
  task: Task,
  submitted: HistoryEvent | undefined,
  shown: readonly string[],
): readonly string[] {
  const proof = submitted === undefined ? undefined : proofOf(submitted);
  if (proof === undefined) return ['RUN BY LIZA: nothing; no command proves this commit, so run what does.'];
  const before = typeof submitted?.red_before === 'number' ? submitted.red_before : 0;
  const redBy = commandsOf(submitted?.red_by);
  const since = sinceRedOf(submitted);
  // Without the logs: a reviewer in a sandbox cannot read them. A long command is written out under VALIDATION.
  const named = (command: string): string =>
    command.length > LONG && shown.includes(command) ? `VALIDATION #${shown.indexOf(command) + 1}` : command;
  const ran = proof.runs.map(
    ({ command, ok, seconds, said_failed: failed, idle_script: idle, ...run }, at) =>
      `#${at + 1} ${ok ? 'green' : 'RED'}, ${seconds} s${testCount({ command, ...run }, declaredFor(run, proof.runs, proof.tests_added))}${skippedText({ command, ...run })}${failed === undefined ? '' : `, BUT A RUNNER SAID “${failed}”`}${idle === undefined ? '' : `, ITS SCRIPT CANNOT FAIL (${idle})`}${command.length > LONG && shown[at] === command ? '' : `: ${named(command)}`}`,
  );
  return [
    `RUN BY LIZA at ${proof.same_tree_as === undefined ? '' : `${proof.same_tree_as}, which has the same files as `}COMMIT TO REVIEW, in a clean checkout:`,
    ...quote(ran.join('\n'), showTask(task)),
    ...fewerLines(proof, submitted?.diff),
    ...(proof.above === undefined
      ? []
      : [
          `ABOVE THE CHECKOUT THIS CHANGED WHILE AGENTS WORK, and the commands could find it: ${proof.above.map(inline).join('; ')}. Green may rest on it: no file of the commit provides it`,
        ]),
    ...(before === 0
      ? []
      : [
          `THE SAME COMMIT WAS RED ${counted(before, 'TIME')} BEFORE, and is green now: ${inline(redBy.length === 0 ? NO_COMMAND : flakeText(redBy))}. ${OF_FLAKE}`,
        ]),
    ...(proof.tests?.flaky === undefined
      ? []
      : [`RED AND GREEN when Liza compared it with the base: ${inline(flakeText(proof.tests.flaky))}. ${OF_FLAKE}`]),
    ...(since === undefined
      ? []
      : [
          `RED BEFORE IT WAS GREEN: ${sinceRedText(since, before)}.${isLittle(since) && !onlyReadTexts(since) ? ` That is nearly the same: ${isSteady(since) ? 'red each time, so not by chance; see that the difference mends it, and does not hide it' : 'find out whether the difference mends it, or what was red is a flake'}.` : ''}`,
        ]),
    ...(proof.unrun_tests === undefined || proof.tests?.on_base === 'not_run'
      ? []
      : [`TEST FILES OF THE CHANGE THAT NO COMMAND RUNS: ${proof.unrun_tests.map(inline).join(', ')}. ${YOURSELF}`]),
    ...(proof.untold_tests === undefined
      ? []
      : [
          `WHETHER ALL NEW TESTS OF THESE RAN IS NOT KNOWN: ${proof.untold_tests.map(inline).join(', ')}. The runner does not name each of them, and its number of tests does not show them. Run them yourself, by name`,
        ]),
    ...testLines(proof.tests, task, { named, isFewer: hasFewer(proof) || proof.base_unrun !== undefined }),
  ];
}

const hasFewer = ({ runs, tests_added: added }: Proof): boolean => runs.some((run) => runsFewer(run, added));

/** Tests that ran on the base and run no more. */
function fewerLines(proof: Proof, facts: unknown): readonly string[] {
  const setup = isFields(facts) && isFields(facts['test_setup']) ? paths(facts['test_setup']) : undefined;
  const { base_unrun: lost, runs, tests_added: added } = proof;
  const isFewer = hasFewer(proof);
  return [
    ...(proof.runs.some(({ ok, tests }) => ok && tests === 0)
      ? ['A GREEN COMMAND RAN NO TEST: its green shows nothing. Find out why: a filter may select none.']
      : []),
    ...(proof.runs.some(({ idle_script: idle }) => idle !== undefined)
      ? ['A GREEN COMMAND RUNS A SCRIPT THAT CANNOT FAIL: its green shows nothing.']
      : []),
    ...(isFewer ? ['FEWER TESTS RAN than on the base: find out which no longer run, and why.'] : []),
    ...(!isFewer && setup !== undefined && lacksTests(runs, added) === true
      ? [
          `FEWER TESTS RAN than those of the base and the ${added} that the change declares besides, and it alters how tests are run (${setup}): find out which do not run, and why.`,
        ]
      : []),
    ...(lost === undefined
      ? []
      : [
          `TEST FILES OF BASE THAT NO COMMAND RUNS ANY MORE: ${paths({ ...lost })}${setup === undefined ? '' : `, because the change alters how tests are run (${setup})`}. What they check is checked no more: is that right?`,
        ]),
  ];
}

function testLines(
  tests: TestProof | undefined,
  { type }: Pick<Task, 'type'>,
  { named, isFewer }: { readonly named: (command: string) => string; readonly isFewer: boolean },
): readonly string[] {
  if (tests === undefined) return [];
  const { mode, on_base, base_tests, base_skipped, by, missing, because, why } = tests;
  const [failed, passed, untold, base_failed] = (['failed', 'passed', 'untold', 'base_failed'] as const).map((key) =>
    nameList(tests[key], tests[`${key}_more`]),
  );
  const told = (text: string | undefined): string =>
    text === undefined ? '' : `, because ${inline(text).slice(0, 500)}`;
  const names = failed === undefined ? 'the runner names no test' : `failed: ${failed}`;
  const how = by === undefined ? '' : `; ${inline(named(by))}: ${names}`;
  const skipped = base_skipped === undefined ? '' : ` (${base_skipped} skipped)`;
  const broken = base_failed === undefined ? skipped : ` (${base_failed})`;
  const stopped =
    missing === undefined
      ? ''
      : `; they stop at what BASE does not have (${inline(missing)}): that they are red there shows no more`;
  const undecided =
    mode === 'strict' && on_base === 'unknown'
      ? '. tdd is strict, and could not decide: try them without the change'
      : '';
  return [
    `NEW OR CHANGED TESTS WITHOUT THE CHANGE (on BASE): ${on_base === 'not_run' ? `NOT RUN, and not at the commit either: ${inline(why ?? NO_TEST_COMMAND).slice(0, 500)}. ${YOURSELF}` : wordOf(tests, type)}${how}${stopped}${told(because?.on_base)}${undecided}`,
    ...(passed === undefined || type === 'test' ? [] : [`OF THE NEW TESTS THESE PASS WITHOUT THE CHANGE: ${passed}`]),
    ...(untold === undefined || type === 'test'
      ? []
      : [
          `OF THE NEW TESTS THE RUNNER DOES NOT NAME THESE WITHOUT IT (they pass there, are skipped or do not run: try them): ${untold}`,
        ]),
    `TESTS OF BASE ON THE NEW CODE: ${(isFewer ? NOT_ALL_OF_BASE : OF_BASE)[base_tests] ?? OF_BASE[base_tests] ?? base_tests}${broken}${told(because?.base_tests)}`,
    // Recorded by an older version: what it belongs to is not known.
    ...(why === undefined || because !== undefined || on_base === 'not_run'
      ? []
      : [`  because ${inline(why).slice(0, 500)}`]),
  ];
}

/** The old text passed a test that reads it: what the test holds of the new one is about the change all the same. */
function wordOf({ on_base, reads, none_new }: TestProof, type: Task['type']): string {
  if (on_base === 'green' && reads !== undefined && type !== 'test')
    return `green, and they read what the change alters (${reads.map(inline).join(', ')}): see what they hold of it`;
  if (on_base === 'green' && none_new === true && type !== 'test')
    return 'GREEN: the change adds no test, and those that it changes pass without it, too: they prove nothing about it';
  return (type === 'test' ? OF_TEST_TASK : ON_BASE)[on_base] ?? on_base;
}

const nameList = (names: readonly string[] | undefined, more = 0): string | undefined =>
  names &&
  `${names.map(inline).join('; ')}${more === 0 ? '' : ` and ${more} more, in the logs that \`liza show\` names`}`;

const YOURSELF = 'Run them yourself; `n: test …` is accepted, marked NOT RUN BY LIZA';
const ON_BASE: Readonly<Record<string, string>> = {
  red: 'red',
  green: 'GREEN: they pass without the change and prove nothing about it',
  unknown: 'not known',
};
/** Its code is merged already. */
const OF_TEST_TASK: Readonly<Record<string, string>> = {
  red: 'RED: they test code that is merged already, so either that code or the test is wrong there',
  green: 'green, as tests for code that is merged already should be',
  unknown: 'not known',
};
const OF_BASE: Readonly<Record<string, string>> = {
  green: 'green',
  red: 'RED: what they checked no longer holds',
  unknown: 'not known',
  same: 'unchanged, and green where a command runs them',
  not_run: 'not run',
};

const NOT_ALL_OF_BASE: Readonly<Record<string, string>> = {
  green: 'green, BUT NOT ALL OF THEM RUN ANY MORE',
  same: 'their files are unchanged, BUT NOT ALL OF THEM RUN ANY MORE',
};
