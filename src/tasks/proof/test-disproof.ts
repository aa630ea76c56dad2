// Why `tdd: strict` refuses a commit by what its tests showed, and what is known of tests that no command runs.

import { list } from '../../protocol/commands/words.ts';
import type { PathList } from '../../protocol/facts/diff-facts.ts';
import type { Disproof, ProofRun, TestProof } from '../../protocol/review/proof.ts';
import { counted } from '../../text/format.ts';
import type { Looked } from './compared-runs.ts';
import { outputOf, type Proving, short } from './run-commands.ts';
import type { OnBase } from './tests-on-base.ts';
import type { Untold } from './untold-tests.ts';

/** Only for what was seen, or what the coder can mend: where the base itself is red, nobody can show more. */
export function disproofOf(
  { base, task, settings }: Proving,
  { on_base, base_tests, why }: TestProof,
  { withTests }: OnBase,
  ofBase: Looked | undefined,
): Disproof | undefined {
  const at = base.slice(0, 12);
  const blocking = `say what stops you: liza block ${task.id} --reason "…" --question "…"`;
  const untold = withTests === undefined || withTests.untold === true;
  if (on_base !== 'red' && !untold) {
    return {
      guard: 'tests-red-on-base',
      reason:
        on_base === 'green'
          ? `tdd is strict, and the tests of this commit pass without its change: they are green on the base ${at}${why === undefined ? '' : `; ${why}`}`
          : `tdd is strict, and it is not known whether the tests fail on the base ${at}: ${why ?? 'they did not run'}`,
      hint:
        on_base === 'unknown' && withTests.red?.ended === 'timed-out'
          ? `Write tests that fail within validation_timeout (${settings.validation_timeout} s) without your change; or ${blocking}`
          : on_base === 'unknown'
            ? 'Put your tests where that command finds them, commit, and submit the new HEAD'
            : 'Write a test that fails without your change, commit, and submit the new HEAD',
      output: outputOf(withTests.red?.tail ?? []),
    };
  }
  if (base_tests === 'green' || base_tests === 'same' || ofBase?.untold === true) return undefined;
  return {
    guard: 'base-tests-green',
    reason: `tdd is strict, and the tests of the base ${at} do not pass on the new code: ${why ?? 'they are red'}`,
    hint: `Keep what they check working; if the spec says otherwise, ${blocking}`,
    output: outputOf(ofBase?.red?.tail ?? []),
  };
}

interface Unrun {
  readonly runs: readonly ProofRun[];
  readonly added: number | undefined;
  /** Tests of the base that no command runs any more. */
  readonly lost: PathList | undefined;
  readonly untold: Untold;
}

/** Tests that did not run at the commit show nothing, whatever they did on the base; silencing one is like removing it. */
export function unrunDisproof(
  { base, task }: Proving,
  { runs, added, lost, untold: { files, surely, tail = [] } }: Unrun,
): Disproof | undefined {
  const blocking = `liza block ${task.id} --reason "…" --question "…"`;
  const at = base.slice(0, 12);
  if (lost !== undefined)
    return {
      guard: 'base-tests-green',
      reason: `tdd is strict, and by this change no command runs these tests of the base ${at} any more: ${list(lost.paths)}${lost.more === undefined ? '' : ` and ${lost.more} more`}`,
      hint: `Let the commands run them again, commit, and submit the new HEAD; if the spec takes away what they check, ${blocking}`,
    };
  if (surely === undefined) return undefined;
  const numbers = runs.flatMap(({ command, tests, tests_on_base: before }) =>
    tests === undefined || before === undefined
      ? []
      : [`"${short(command)}" ran ${counted(tests, 'test')}, and ${before} on the base`],
  );
  return {
    guard: 'tests-red-on-base',
    reason:
      surely === 'none'
        ? `tdd is strict, and of ${list(files)} no test ran at this commit: the runner took the file for one test and found none in it`
        : `tdd is strict, and not all tests ran at this commit: ${numbers.join('; ')}, though the change declares ${added} more. Either ${files.length === 0 ? 'new tests' : `those of ${list(files)}`} did not run, or tests of the base run no more`,
    hint: `${FIND} Commit, and submit the new HEAD; if the number is right, say why: ${blocking}`,
    output: outputOf(tail),
  };
}

const FIND =
  'Let the runner find each of them: by the names of files, classes and functions that it looks for, at the top of the file, and not left out by its settings; its verbose mode names what it ran.';

export function notRun({ base, task, settings }: Proving, why: string): { tests: TestProof; disproof?: Disproof } {
  const strict = settings.tdd === 'strict';
  const tests: TestProof = {
    mode: strict ? 'strict' : 'evidence',
    base,
    base_alone: 'unknown',
    on_base: 'not_run',
    base_tests: 'not_run',
    why,
  };
  if (!strict) return { tests };
  const disproof: Disproof = {
    guard: 'tests-red-on-base',
    reason: `tdd is strict, and ${why}: whether yours fail without your change cannot be shown`,
    hint: `If your change keeps them from being run, mend that, commit, and submit the new HEAD. You cannot set a test_command, or a validation that runs them: liza block ${task.id} --reason "…" --question "…"`,
  };
  return { tests, disproof };
}
