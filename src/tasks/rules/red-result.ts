// What a person is told of two branches whose merge is not green, and what helps: it depends on whether the integration
// branch is so without the other. Nobody is sent to mend what they did not break.

import { type Red, SCRIPT, type Tested } from './tested.ts';
import { notFoundMend } from './tests-not-found.ts';

export interface RedResult {
  /** The person's branch. */
  readonly branch: string;
  readonly integration: string;
  readonly how: 'fast-forward' | 'merge';
  readonly tested: Red;
  /** The same tests on the integration branch alone; absent: that is what was tested, or it could not be tried. */
  readonly alone?: Tested | undefined;
  /** The integration branch's own script tests, not test_command. */
  readonly byScript: boolean;
  /** A goal that is over takes no more tasks. */
  readonly isOver: boolean;
}

/** Empty: the integration branch is green, or it is not known. */
export function aloneText({ integration, tested, alone }: RedResult): string {
  if (alone?.verdict !== 'red') return '';
  const isSame =
    alone.notFound?.what === tested.notFound?.what && (alone.notFound !== undefined || alone.reason === tested.reason);
  return isSame
    ? `, and on ${integration} alone it is the same`
    : `; ${integration} alone is not green, either: ${alone.reason}`;
}

/** Each way is one that works as it is typed. */
export function redMend({ branch, integration, how, tested, alone, byScript, isOver }: RedResult): string {
  const { notFound, log } = tested;
  if (alone !== undefined && alone.verdict !== 'red') {
    const both = how === 'merge' ? `, after: git switch ${branch} && git merge refs/heads/${integration}` : '';
    return `read ${log}; ${integration} alone is green: fix it on ${branch}${both}; then: liza sync`;
  }
  if (notFound !== undefined && !byScript) return notFoundMend(notFound, { branch, isOver });
  const what = byScript ? `what ${SCRIPT} of ${integration} tests` : 'it';
  const task = isOver ? 'by the next goal: liza init "<goal>"' : 'by a task: liza note "…"';
  return `read ${log}; have ${what} fixed ${task}; or fix it on ${branch}, then: liza sync`;
}
