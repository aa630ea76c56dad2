// Runs a command that was red once more, at once and on the same files: one that is green then is a flake, or needs what
// its first run left behind, and says nothing sure of the commit. Long ones are not run again: the coder waits.

import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { UNRUNNABLE } from '../../protocol/review/flake.ts';
import type { TaskContext } from '../context.ts';
import { isTelling, type Limits } from './compared-runs.ts';
import { changedBy, type Proving, type RedRun, runAll } from './run-commands.ts';

/** A red run that took longer stands alone. */
const MOST_SECONDS = 30;

interface Again extends Pick<Limits, 'left'> {
  readonly spend?: Limits['spend'];
  readonly folder: string;
  /** The commit or tree that is checked out there. */
  readonly files: string;
  /** Part of the log's name. */
  readonly what: string;
}

interface Once {
  /** Undefined: it was not run again, or not to its end. */
  readonly is?: 'green' | 'red';
}

/** A refusal: somebody stopped it. */
export async function runAgain(
  context: TaskContext,
  proving: Proving,
  red: RedRun,
  { folder, files, what, left, spend }: Again,
): Promise<Once | Refusal> {
  const seconds = left();
  const isLong = red.seconds > MOST_SECONDS || red.seconds > seconds;
  if (!isTelling(red) || isLong || UNRUNNABLE.includes(red.code ?? 0)) return {};
  const { command } = red;
  const spoilt = await changedBy(context, proving.gitDir, { folder, files, command });
  if (isRefusal(spoilt)) return {};
  const asked = { what: `${what}again-`, files, seconds, only: [command], ...(spend === undefined ? {} : { spend }) };
  const ran = await runAll(context, proving, folder, asked);
  if (isRefusal(ran)) return ran.guard === 'stopped' ? ran : {};
  if (ran.red === undefined) return { is: 'green' };
  return isTelling(ran.red) ? { is: 'red' } : {};
}
