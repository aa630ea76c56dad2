// Why `tdd: strict` refuses a commit by what its tests showed, and what is known of tests that no command runs.

import type { Disproof, TestProof } from '../../protocol/review/proof.ts';
import type { Looked } from './compared-runs.ts';
import { outputOf, type Proving } from './run-commands.ts';
import type { OnBase } from './tests-on-base.ts';

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
