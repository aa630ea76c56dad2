// A reviewer approved, and its session did not end by itself: a program that it ran may have given the verdict and ended
// the session, so that the reviewer could not speak (decision 0029).

import { historyOf } from '../../protocol/leases.ts';
import type { Task } from '../../protocol/state.ts';
import { type Instant, instant } from '../../text/time.ts';
import type { SessionEnd } from './restarts.ts';

/** How a shell says that a signal ended what it ran. */
const BY_SIGNAL = 128;

/** The commit that was approved in a session that ended so; undefined: nothing is unusual. */
export function unfinishedApproval(
  task: Task,
  agent: string,
  since: Instant,
  { how, declared }: Pick<SessionEnd, 'how' | 'declared'>,
): string | undefined {
  const isCut =
    how.kind === 'signalled' ||
    how.kind === 'silent' ||
    how.kind === 'over-limit' ||
    how.kind === 'lived-on' ||
    // It said that it ends, and did not: the CLI still waited for something.
    (how.kind === 'overdue' && declared !== undefined) ||
    (how.kind === 'exited' && (how.code > BY_SIGNAL || how.cut === true));
  if (!isCut) return undefined;
  const last = historyOf(task).findLast(({ event, agent: by }) => by === agent && VERDICTS.has(event));
  if (last?.event !== 'approved' || instant(last.time) < since) return undefined;
  return typeof last.commit === 'string' ? last.commit : undefined;
}

const VERDICTS: ReadonlySet<string> = new Set(['approved', 'rejected', 'review_claimed']);
