// What the watcher does besides raising alarms, after every change and as time passes: trips the circuit breaker, halts
// at the deadline, follows a CHECKPOINT file that was touched or removed, writes what a crash left unwritten.

import { isRefusal, type Refusal } from '../protocol/decision.ts';
import type { CommandContext, Seen } from '../store/transact.ts';
import { checkBreaker } from './analyze.ts';
import { attendCheckpoint } from './checkpoint.ts';

/**
 * Returns what was done, in a line each. Repeated, it does nothing, so the watcher calls it at every look. `seen`: the
 * board that was just read; `fresh`: the state changed since the last call, so patterns are looked for.
 */
export async function govern(context: CommandContext, seen?: Seen, fresh = true): Promise<readonly string[] | Refusal> {
  const tripped = fresh ? await checkBreaker(context, seen) : undefined;
  if (tripped !== undefined && isRefusal(tripped)) return tripped;
  // A breaker that has just tripped needs a summary: then the board is read again.
  const attended = await attendCheckpoint(context, tripped === undefined ? seen : undefined);
  if (attended !== undefined && typeof attended !== 'string') return attended;
  return [
    ...(tripped === undefined || tripped.committed.already === true ? [] : [tripped.committed.detail]),
    ...(attended === undefined ? [] : [attended]),
  ];
}
