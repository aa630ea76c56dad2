// A reviewer approved, and its session did not end by itself: a program that it ran may have given the verdict and ended
// the session, so that the reviewer could not speak (decision 0029).

import { historyOf } from '../../protocol/leases.ts';
import type { Task } from '../../protocol/state.ts';
import { type Instant, instant } from '../../text/time.ts';
import type { SessionEnd } from './restarts.ts';

/** Done, and to be started anew: what agents end with when nothing went wrong. */
const IN_ORDER: ReadonlySet<number> = new Set([0, 42]);

/** Ended by itself, after its last word; or by what no program in its sandbox can bring about. */
const isOver = ({ how, failure }: Ended): boolean =>
  how.kind === 'exited'
    ? IN_ORDER.has(how.code) && how.cut !== true && failure === undefined
    : how.kind === 'lease-lost' || (how.kind === 'stopped' && how.spent !== true);

type Ended = Pick<SessionEnd, 'how' | 'failure'>;

/** The commit that was approved in a session that ended otherwise; undefined: nothing is unusual. */
export function unfinishedApproval(task: Task, agent: string, since: Instant, end: Ended): string | undefined {
  if (isOver(end)) return undefined;
  const last = historyOf(task).findLast(({ event, agent: by }) => by === agent && VERDICTS.has(event));
  if (last?.event !== 'approved' || instant(last.time) < since) return undefined;
  return typeof last.commit === 'string' ? last.commit : undefined;
}

const VERDICTS: ReadonlySet<string> = new Set(['approved', 'rejected', 'review_claimed']);
