// Tests of batches on top of the one that is under way (protocol/queue/lanes.ts), by the process that runs that one. What
// they show is on the board as soon as it is known; nothing of them is announced to land. A batch that is red, or that
// stops, ends them.

import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { aheadAt, inLanes, tipOf } from '../../protocol/queue/lanes.ts';
import { nextBatch, queueOf, withoutSome } from '../../protocol/queue/order.ts';
import type { AheadRun } from '../../protocol/queue/records.ts';
import type { BatchRun } from '../../protocol/queue/shape.ts';
import { unsettled } from '../../protocol/review/approver-session.ts';
import type { Settings, State } from '../../protocol/state.ts';
import { transact } from '../../store/transact.ts';
import { thisProcess } from '../context.ts';
import { hasSameTest, type TestRequest, testResult } from '../integration-test.ts';
import { aheadId, pin, unpin } from '../pins.ts';
import { redOf, type Tested } from '../rules/tested.ts';
import { announcement, type Building, chainAhead, type Link } from './chain.ts';
import { endedBy, endIfDropped } from './dropped.ts';

/** The batch under way, as far as those on top of it need it. */
export interface Ground extends Omit<Building, 'known' | 'hold'> {
  readonly settings: Settings;
  /** In short, what of them judges. */
  readonly by: string;
  /** Tasks that are not tried now. */
  readonly not: ReadonlySet<string>;
}

export interface Lanes {
  /** As many as there is room for are begun; the board then. */
  fill(ground: Ground, state: State): Promise<State>;
  /** What a test of this commit comes to that was begun ahead. */
  resultOf(candidate: string, by: string | undefined): Promise<Tested | Refusal> | undefined;
  /** Ends what still runs, but what that queue still has; and no more are begun: the lock is not held for ever. */
  stop(but?: State): Promise<void>;
}

interface Test {
  readonly by: string;
  readonly gitDir: PrivateGitDir;
  readonly stop: AbortController;
  readonly ended: Promise<Tested | Refusal>;
}

export function openLanes(): Lanes {
  const tests = new Map<string, Test>();
  let isOpen = true;
  return {
    fill: async (ground, state) => {
      let now = state;
      for (;;) {
        const links = isOpen ? await nextLinks(ground, now) : [];
        const last = links.at(-1);
        if (last === undefined) return now;
        const ahead = {
          name: 'merge-ahead',
          ...announcement(links),
          process: thisProcess(ground.context),
          by: ground.by,
        } as const;
        const id = aheadId(last.candidate);
        await pin(ground.gitDir, [{ id, at: last.candidate }]);
        const begun = await transact(ground.context, ahead);
        if (!begun.ok) {
          await unpin(ground.gitDir, id);
          return now;
        }
        now = begun.state;
        const stop = new AbortController();
        const ended = test(ground, links, last, stop.signal).then(async (tested) => {
          // Refused where it came to nothing meanwhile, or is the batch by now: who runs that one awaits it.
          if (!isRefusal(tested)) await transact(ground.context, { ...ahead, run: runOf(tested) });
          return tested;
        });
        ended.catch(() => {}); // told to whoever awaits it
        void endIfDropped(ground.context, isInQueue(last.candidate), stop, ended);
        tests.set(last.candidate, { stop, ended, by: ground.by, gitDir: ground.gitDir });
      }
    },
    resultOf: (candidate, by) => {
      const test = tests.get(candidate);
      return test?.by === by ? test?.ended : undefined;
    },
    stop: async (but) => {
      isOpen = false;
      const over = [...tests].filter(([candidate]) => but === undefined || !isInQueue(candidate)(but));
      for (const [, { stop }] of over) stop.abort();
      await Promise.allSettled(over.map(([, { ended }]) => ended));
      for (const [candidate, { gitDir }] of over) {
        await unpin(gitDir, aheadId(candidate));
        tests.delete(candidate);
      }
    },
  };
}

const isInQueue =
  (candidate: string) =>
  (state: State): boolean => {
    const queue = queueOf(state);
    const batch = queue.batch?.entries ?? [];
    return aheadAt(queue, candidate) !== undefined || batch.some((entry) => entry.candidate === candidate);
  };

/** Nothing: there is no room, nothing more waits, or what is tested changes the test itself. */
async function nextLinks(ground: Ground, state: State): Promise<readonly Link[]> {
  const { context, gitDir, board, onto, settings, not } = ground;
  const queue = queueOf(state);
  const tip = tipOf(queue, settings.merge_lanes);
  if (tip === undefined || !(await hasSameTest(gitDir, onto, tip))) return [];
  const inSession = unsettled({ ...board, state }, context.clock.now()).keys();
  const others = withoutSome(state, new Set([...inLanes(queue), ...inSession, ...not]));
  const links = await chainAhead(ground, tip, nextBatch(others, settings, true));
  return links.at(-1)?.candidate === tip ? [] : links;
}

function test(
  { context, gitDir, onto, settings }: Ground,
  links: readonly Link[],
  { task, candidate }: Link,
  stop: AbortSignal,
): Promise<Tested | Refusal> {
  const what = `${links.length === 1 ? task.id : `${links.length} tasks up to ${task.id}`}, ahead,`;
  const request: TestRequest = { task: task.id, what, candidate, judge: onto, base: onto, again: 'liza queue run' };
  return testResult(endedBy(context, stop), gitDir, settings, request);
}

export function runOf(tested: Tested): AheadRun {
  if (tested.verdict === 'red') return redOf(tested);
  if (tested.verdict !== 'green') return { red: false };
  const { by, seconds, log } = tested;
  return { red: false, by, seconds, log };
}

/** What the board has of it, where the process that tested it is gone. */
export function seenEarly({ red, by, seconds, log = '', reason = '', output = '' }: BatchRun): Tested | undefined {
  if (red) return { verdict: 'red', reason, log, tail: output.split('\n') };
  return by === undefined || seconds === undefined ? undefined : { verdict: 'green', by, seconds, log };
}
