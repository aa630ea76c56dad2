// What was thrown, as a refusal: one sentence, a hint and a code.

import { EnvironmentError, type Refusal, Refused, refuse } from '../protocol/decision.ts';
import { SHORTAGES } from '../text/shortage.ts';

/** The one map from what was thrown to a refusal: the environment's failures and our own mistakes. */
export function explain(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  if (error instanceof EnvironmentError) return refuse(error.message, error.hint, error.code, 'environment');
  const known = isErrno(error) ? ERRNO[error.code] : undefined;
  if (known !== undefined && isErrno(error)) {
    const where = error.path === undefined ? '' : `: ${error.path}`;
    return refuse(`${known[0]}${where}`, known[1], 1, 'environment');
  }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return refuse(
    `this should not have happened: ${what.split('\n')[0]}`,
    'nothing was saved; run it again with LIZA_DEBUG=1 to see the stack, and report it',
    4,
    'unexpected',
  );
}

const UNCHANGED = 'the last saved state is unchanged';
const ERRNO: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  ENOSPC: ['the disk is full', `free some space and run the command again; ${UNCHANGED}`],
  EDQUOT: ['the disk quota is used up', `free some space and run the command again; ${UNCHANGED}`],
  EACCES: ['permission denied', `check the owner and the mode of the file; ${UNCHANGED}`],
  EPERM: ['operation not permitted', `check the owner and the mode of the file; ${UNCHANGED}`],
  EROFS: ['the file system is read-only', `inside a sandbox this is intended; otherwise remount it; ${UNCHANGED}`],
  EIO: ['the disk reported an input/output error', `check the disk, then run liza doctor; ${UNCHANGED}`],
  ENOTREG: ['a pipe, a device or a socket is where a file should be', `remove it, then: liza doctor; ${UNCHANGED}`],
  EFBIG: ['a file is too large to be read', `see what is in it and remove it, then: liza doctor; ${UNCHANGED}`],
  ...SHORTAGES,
};

const isErrno = (error: unknown): error is Error & { code: string; path?: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
