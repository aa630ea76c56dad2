// The one way Liza starts git: argument arrays, no shell, and none of the caller's GIT_* variables,
// hooks, pagers, replacements or configuration has a say. Never a force, never a fallback that destroys.

import type { GitAnswer } from '../ports/git-program.ts';
import { EnvironmentError } from '../protocol/decision.ts';

export { type GitAnswer, type GitCall, MINIMUM_GIT, runGit as git } from '../ports/git-program.ts';

/** For calls that have no reason to fail but a damaged repository or disk. */
export async function must(answer: Promise<GitAnswer>, what: string): Promise<string> {
  const { status, stdout, stderr } = await answer;
  if (status === 0) return stdout;
  const said = stderr.trim().split('\n').slice(-3).join(' / ') || `exit ${status}`;
  const message = `git could not ${what}: ${said}`;
  throw new EnvironmentError(message, 'look at the repository: git status, git fsck', 3, { fault: faultIn(said) });
}

export const isOfTheMachine = (error: EnvironmentError): boolean => error.fault === 'machine';

/** The words of git and of the system, for there is nothing else to tell it by. */
export const faultIn = (said: string): 'machine' | undefined => (OF_THE_MACHINE.test(said) ? 'machine' : undefined);

const OF_THE_MACHINE =
  /died of signal|No space left on device|Disk quota exceeded|Cannot allocate memory|Out of memory|Resource temporarily unavailable|Too many open files|Input\/output error|Read-only file system/i;
