// What the steps of a batch share: what moves the branch and tests candidates, what was done so far, and how a step is
// recorded.

import type { Board } from '../../protocol/board.ts';
import type { CommandOf } from '../../protocol/command.ts';
import type { Refusal } from '../../protocol/decision.ts';
import type { Settings, State, Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { Committed } from '../../store/store.ts';
import { transact } from '../../store/transact.ts';
import type { TestRequest } from '../integration-test.ts';
import type { MergeFailure } from '../judge-candidate.ts';
import { type BranchMove, withdraw } from '../move-branch.ts';
import type { Tested } from '../rules/tested.ts';
import { announcement, type Failed, type How, type Link } from './chain.ts';
import { CHANGED } from './dropped.ts';
import type { Lanes } from './lanes.ts';

export interface BatchMove extends BranchMove {
  readonly settings: Settings;
  readonly process: string;
  /** Whether anything judges the candidates. */
  readonly tested: boolean;
  /** By what, in short; and by the test of which commit, where that is not where the branch was. */
  readonly by?: string;
  readonly judge?: string;
  /** What was seen green before on the very same files. */
  known(link: Link): Promise<Tested | undefined>;
  /** A refusal also where somebody changed the judge meanwhile: then it says nothing. */
  test(
    request: Omit<TestRequest, 'judge' | 'again'> & { readonly base: string },
    isWanted?: (state: State) => boolean,
  ): Promise<Tested | Refusal>;
  rejudged(): Promise<Refusal | undefined>;
  /** Tests on top of it; without them it is tested by itself. */
  readonly lanes?: Lanes | undefined;
  fillLanes(state: State): Promise<State>;
  /**
   * Candidates of these on that commit, to be tested there; none: where the branch is another test than the batch's would
   * judge them, or there is nothing to test.
   */
  beside(onto: string, tasks: readonly Task[]): Promise<readonly Link[]>;
  /** Tasks that are not tried now. */
  not(now: Board): Iterable<string>;
}

export interface LandedTask {
  readonly task: string;
  readonly committed: Committed;
  readonly commit: string;
  readonly how: How;
  readonly test?: Tested;
  readonly remarks: readonly string[];
}

export interface Progress {
  readonly landed: LandedTask[];
  readonly failed: Failed[];
  /** They were green in another order, which lands next. */
  turned?: true;
}

/** What the steps of one batch share; the rest is on the board. */
export interface Running {
  move: BatchMove;
  links: readonly Link[];
  readonly progress: Progress;
  state: State;
  /** The last test that was green. */
  test?: Tested;
}

export type Went = 'go on' | 'done' | MergeFailure;

export async function recordRun(
  run: Running,
  told: Omit<CommandOf<'merge-run'>, 'name'>,
): Promise<'go on' | MergeFailure> {
  return recorded(run, await transact(run.move.context, { name: 'merge-run', ...told }));
}

export async function recorded(
  run: Running,
  outcome: Awaited<ReturnType<typeof transact>>,
): Promise<'go on' | MergeFailure> {
  if (!outcome.ok) return stop(run, outcome.guard === 'announced' ? CHANGED : outcome);
  run.state = outcome.state;
  return 'go on';
}

export async function stop({ move }: Running, why: MergeFailure): Promise<MergeFailure> {
  await withdraw(move);
  return why;
}

export const reservation = ({ process, by, judge: judge_at }: BatchMove, links: readonly Link[]) =>
  ({ name: 'reserve-merge', ...announcement(links), process, ...defined({ by, judge_at }) }) as const;
