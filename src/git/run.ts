// How Liza calls git (ports/git-program.ts runs it), and how it reads git's failures.

import type { GitAnswer, GitCall } from '../ports/git-program.ts';
import type { Host } from '../ports/host.ts';
import { EnvironmentError } from '../protocol/decision.ts';

export const git = (
  host: Pick<Host, 'env' | 'git'>,
  folder: string,
  args: readonly string[],
  call?: GitCall,
): Promise<GitAnswer> => host.git.run(host.env, folder, args, call);

/** For calls that fail only in a damaged repository or on a damaged disk. */
export async function must(answer: Promise<GitAnswer>, what: string): Promise<string> {
  const { status, stdout, stderr } = await answer;
  if (status === 0) return stdout;
  throw couldNot(what, stderr.trim().split('\n').slice(-3).join(' / ') || `exit ${status}`);
}

/** For questions about objects. */
export function cannotRead(cause: Error): never {
  throw cause instanceof EnvironmentError ? cause : couldNot('read its objects', cause.message);
}

const couldNot = (what: string, said: string): EnvironmentError =>
  new EnvironmentError(`git could not ${what}: ${said}`, 'look at the repository: git status, git fsck', 3, {
    fault: faultIn(said),
  });

export const isMachineFault = (error: EnvironmentError): boolean => error.fault === 'machine';

/** Told by the words of git and of the system: there is nothing else to tell it by. */
export const faultIn = (said: string): 'machine' | undefined => (MACHINE_FAULTS.test(said) ? 'machine' : undefined);

const MACHINE_FAULTS =
  /died of signal (?!24\b)|No space left on device|Disk quota exceeded|Cannot allocate memory|Out of memory|Resource temporarily unavailable|Too many open files|Input\/output error|Read-only file system/i;
