// The one map from what was thrown to a refusal with an exit code. Expected refusals are
// values and never come here; this is for the environment's failures and for our own mistakes.

import { EnvironmentError, type Refusal, Refused, refuse } from '../protocol/decision.ts';

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
    'nothing was acknowledged; run again with LIZA_DEBUG=1 for the stack and report it',
    4,
    'unexpected',
  );
}

const UNCHANGED = 'the last acknowledged state is untouched';
const ERRNO: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  ENOSPC: ['the disk is full', `make room and run the command again; ${UNCHANGED}`],
  EDQUOT: ['the disk quota is used up', `make room and run the command again; ${UNCHANGED}`],
  EACCES: ['permission denied', `check who owns the file and its mode; ${UNCHANGED}`],
  EPERM: ['operation not permitted', `check who owns the file and its mode; ${UNCHANGED}`],
  EROFS: ['the file system is read-only', `inside a sandbox this is meant; else remount it; ${UNCHANGED}`],
  EIO: ['the disk reported an input/output error', `check the disk, then run liza doctor; ${UNCHANGED}`],
  EMFILE: ['too many open files', 'raise the limit (ulimit -n) and run the command again'],
  ENFILE: ['too many open files in the system', 'close some programs and run the command again'],
};

const isErrno = (error: unknown): error is Error & { code: string; path?: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
