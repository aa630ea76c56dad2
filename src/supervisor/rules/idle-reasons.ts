// The reasons of a board on which nothing moves, nearest to a verdict or merge first: what is finished
// but waits for someone missing, then what could be begun, then what only a planner or a person can free.

import { raiseTaskCommands, taskUsedUp, usedUp, usedUpSentence, usedUpText } from '../../budget/rules/limits.ts';
import type { Board } from '../../protocol/board.ts';
import { endedOfGoal } from '../../protocol/goal/goal-tasks.ts';
import { agentLease, codersOf, haltedMerge, taskLease } from '../../protocol/leases.ts';
import { holdsGoal, openDiscoveries } from '../../protocol/messages/discoveries.ts';
import { blockingQuestions, openQuestions } from '../../protocol/messages/questions.ts';
import { approvalsOf } from '../../protocol/review/quorum.ts';
import { isTerminal, type Role, type Task, type TaskStatus } from '../../protocol/state.ts';
import { isExhausted, isStoppedByBudget } from '../../protocol/work/blocked.ts';
import { setupFailureNews, setupFailures, unpreparedTasks } from '../../protocol/work/setup-failures.ts';
import { gaveUp, TROUBLE_WORDS } from '../../protocol/work/trouble.ts';
import { waysOn } from '../../protocol/work/ways-on.ts';
import { counted, gist, listed, whole } from '../../text/format.ts';
import { duration } from '../../text/time.ts';
import { dependencyWaits, dependents, whyNobodyMayClaim, whyNotClaimable, whyNotReviewable } from './claim-order.ts';
import { isDeserted, type Survey } from './idle-survey.ts';
import { plannerWakes, unhandled } from './wakes.ts';

/** `unready`: what a person does before a run would start. */
export function whyStuck(seen: Survey, unready?: string): string {
  return (
    overspent(seen) ??
    unprepared(seen) ??
    unreviewed(seen) ??
    unmerged(seen) ??
    unstaffed(seen) ??
    blocked(seen) ??
    exhausted(seen) ??
    drafts(seen) ??
    paused(seen) ??
    deadEnd(seen) ??
    ended(seen) ??
    unplanned(seen, unready)
  );
}

/** Undefined: there is work that agents would go on with, or a plan to make. */
export function whyNoRunHelps(seen: Survey): string | undefined {
  const waits = overspent(seen) ?? unprepared(seen);
  if (waits !== undefined) return waits;
  const goesOn = seen.live.some(
    (task) =>
      task.status !== 'BLOCKED' &&
      task.paused !== true &&
      !(task.status === 'UNCLAIMED' && dependencyWaits(seen.board, task).length > 0),
  );
  return goesOn ? undefined : (blocked(seen) ?? paused(seen));
}

/** A task that somebody would take, had it, the goal or the day anything left to spend. */
export function overspent({ board, live, now }: Survey): string | undefined {
  const waits = live.filter(
    (task) =>
      task.paused !== true &&
      (WAITS.has(task.status) || (task.status === 'CLAIMED' && taskLease(board, task, now).expired)),
  );
  const over = waits.flatMap((task) => usedUp(board, now, { task }) ?? []);
  const [first] = over;
  if (first === undefined) return undefined;
  const rest = over.length === 1 || first.scope !== 'task' ? '' : ` (and of ${over.length - 1} more)`;
  return `${usedUpSentence(first, now)}${rest}`;
}

/** A set-up that fails, where a task waits for it. */
export function unprepared({ board: { state }, live }: Survey): string | undefined {
  const waiting = new Set(unpreparedTasks(state));
  const failure = setupFailures(state).find(({ on_base, task }) =>
    on_base === true ? live.some(({ status }) => status === 'UNCLAIMED') : task !== undefined && waiting.has(task),
  );
  return failure && setupFailureNews(failure);
}

const WAITS: ReadonlySet<TaskStatus> = new Set(['UNCLAIMED', 'REJECTED', 'INTEGRATION_FAILED', 'READY_FOR_REVIEW']);

function unreviewed(seen: Survey): string | undefined {
  const waiting = withStatus(seen, 'READY_FOR_REVIEW');
  const [first] = waiting;
  if (first === undefined) return undefined;
  const { coder: coders, code_reviewer: reviewers } = seen.present;
  const idle = coders.filter((id) => seen.board.state.agents[id]?.status === 'WAITING');
  const who =
    idle.length > 0 && idle.length === coders.length
      ? `every coder (${listed(idle)}) waits for a verdict on ${ids(waiting)}`
      : `${ids(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for a verdict`;
  if (reviewers.length === 0) {
    const another = anotherReviewer(first, []);
    const start = another === REVIEWER && isDeserted(seen) ? RUN : another;
    return `${who} and ${missing(seen, 'code_reviewer')}: ${start}`;
  }
  const why = reviewers.map((id) => whyNotReviewable(seen.board, first, id, seen.now));
  return `${who}, but ${why.join('; ')}: start another with ${anotherReviewer(first, reviewers)}`;
}

/** Starts a reviewer that may judge the task. Without an id, `liza agent` takes the first free one, maybe an approver's. */
function anotherReviewer(task: Task, present: readonly string[]): string {
  const out = new Set([...present, ...codersOf(task), ...approvalsOf(task).map(({ by }) => by)]);
  let n = 1;
  while (out.has(`code-reviewer-${n}`)) n += 1;
  return n === 1 ? REVIEWER : `LIZA_AGENT_ID=code-reviewer-${n} ${REVIEWER}`;
}

const RUN = 'liza run';
const REVIEWER = 'liza agent code-reviewer';
const PLANNER = 'liza agent planner';
/** It needs more than its name: its help says what. */
const ADD = 'liza add-task --help';

function unmerged(seen: Survey): string | undefined {
  const [first, ...more] = withStatus(seen, 'APPROVED');
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  const stopped = whyMergeHalted(seen.board, seen.live);
  if (stopped !== undefined) return `${first.id} is APPROVED${others} and waits: ${stopped}`;
  const moved = seen.board.state.goal.integration_moved;
  if (moved !== undefined) {
    const where = `it is at ${moved.found}, Liza left it at ${moved.expected}`;
    return `${first.id} is APPROVED${others} and waits, because the integration branch moved outside Liza (${where}): liza doctor --accept-integration`;
  }
  const { held: queueHeld } = seen.board.state.goal.queue ?? {};
  if (queueHeld !== undefined)
    return queueHeld.reason === undefined
      ? `${first.id} is APPROVED${others} and waits, because ${queueHeld.by} holds the merge queue: liza queue release`
      : `${first.id} is APPROVED${others} and waits for the merge queue: ${gist(queueHeld.reason, 200)}; to let it go on now: liza queue release`;
  const held = first.merge_held?.reason;
  if (held !== undefined)
    return `the merge of ${first.id} is held${others}: ${gist(held, 200)} — then liza wt merge ${first.id}`;
  return `${first.id} is APPROVED${others} and no supervisor is running to merge it: liza run, or liza wt merge ${first.id}`;
}

/** Ctrl-Z in `liza queue run`: nobody else can merge until it goes on or ends. */
export function whyMergeHalted(board: Board, tasks: readonly Task[]): string | undefined {
  const task = tasks.find((one) => haltedMerge(board, one) !== undefined);
  const pid = task && haltedMerge(board, task)?.split('/')[1];
  return (
    task &&
    `${task.merging?.by ?? 'somebody'} merges ${task.id} with process ${pid}, which was stopped (Ctrl-Z) and holds the lock of merges: kill -CONT ${pid} lets it go on, kill -9 ${pid} ends it`
  );
}

function unstaffed(seen: Survey): string | undefined {
  const [first] = seen.open;
  if (first === undefined) return undefined;
  const coders = seen.present.coder;
  // With a crew each goes back to its coder: nobody else is asked for.
  const begun = isDeserted(seen) ? seen.open.filter(isBegun) : [];
  const free = seen.open.filter((task) => !begun.includes(task));
  const count = `${counted(free.length, 'task')} can be claimed (${ids(free)})`;
  if (begun.length > 0)
    return `${free.length === 0 ? '' : `${count} but `}${missing(seen, 'coder')}: ${RUN}; then ${listed(begun.map(goesOnText), 3)}`;
  if (coders.length === 0)
    return `${count} but ${missing(seen, 'coder')}: ${isDeserted(seen) ? RUN : 'liza agent coder'}`;
  const why = coders.map((id) => whyNotClaimable(seen.board, first, id, seen.now));
  return `${count}, but ${listed(why.map(String))}: start another coder with liza agent coder`;
}

const isBegun = ({ status, assigned_to }: Task): boolean => status === 'CLAIMED' && assigned_to !== undefined;
const goesOnText = ({ id, assigned_to }: Task): string => `${assigned_to} goes on with ${id}`;

function blocked(seen: Survey): string | undefined {
  const all = withStatus(seen, 'BLOCKED');
  const counts = dependents(seen.board);
  const weight = (task: Task): number => counts.get(task.id) ?? 0;
  const root = all.reduce<Task | undefined>(
    (top, task) => (top && weight(top) >= weight(task) ? top : task),
    undefined,
  );
  if (root === undefined) return undefined;
  const spent = spentOut(seen, root, all.length - 1);
  if (spent !== undefined) return spent;
  const asks = root.blocked_questions?.[0] ?? root.blocked_reason ?? 'no reason given';
  const rest = all.length === 1 ? '' : ` (and ${all.length - 1} more)`;
  const ways = waysOn(root, blockingQuestions(seen.board.state, root)).length;
  const instead = isExhausted(root)
    ? `, or liza supersede ${root.id}`
    : ways > 1
      ? `; other ways: liza show ${root.id}`
      : '';
  return decide(
    seen,
    `${crowd(seen, root.id)} BLOCKED${rest}: "${whole(asks)}"`,
    `liza answer ${root.id} "…"${instead}`,
  );
}

/** A task that its budget stopped: only a person decides whether it may cost more. */
function spentOut(seen: Survey, task: Task, more: number): string | undefined {
  const over = taskUsedUp(seen.board.state, task);
  const [first] = over;
  if (first === undefined && !isStoppedByBudget(task)) return undefined;
  const rest = more === 0 ? '' : ` (and ${more} more)`;
  const who = `${crowd(seen, task.id)} BLOCKED${rest}`;
  return first === undefined
    ? `${who}, and its budget was raised: liza unblock ${task.id}`
    : `${who}: ${usedUpText(first)} — if it is worth more: ${raiseTaskCommands(over, task.id)}; otherwise liza supersede ${task.id}`;
}

function crowd(seen: Survey, root: string): string {
  const waiters = countWaiters(seen, root);
  if (waiters === 0) return `${root} is`;
  const all = waiters > 1 && waiters === seen.live.length - 1 ? 'all ' : '';
  return `${all}${counted(waiters, 'other task')} ${waiters === 1 ? 'waits' : 'wait'} for ${root}, which is`;
}

function exhausted(seen: Survey): string | undefined {
  const [first] = seen.live.filter(isExhausted);
  if (first === undefined) return undefined;
  return decide(seen, `${whyNobodyMayClaim(seen.board, first, seen.now)}`, `liza replan ${first.id}`);
}

function drafts(seen: Survey): string | undefined {
  const found = withStatus(seen, 'DRAFT');
  const [first] = found;
  if (first === undefined) return undefined;
  const what = `${counted(found.length, 'task')} ${found.length === 1 ? 'is' : 'are'} still DRAFT (${ids(found)})`;
  return decide(seen, what, `liza finalize ${first.id}`);
}

function paused(seen: Survey): string | undefined {
  const found = seen.live.filter((task) => task.paused === true);
  const [first] = found;
  return first && `${ids(found)} ${found.length === 1 ? 'is' : 'are'} paused: liza resume ${first.id}`;
}

/** A dependency that will never be MERGED, or a reason none of the rules above knows. */
function deadEnd(seen: Survey): string | undefined {
  const why = (task: Task): string | undefined => {
    const dead = dependencyWaits(seen.board, task).find(({ status }) => status === 'MISSING' || isTerminal(status));
    return dead && decide(seen, `${task.id} waits for ${dead.id}, which is ${dead.status}`, `liza replan ${task.id}`);
  };
  const [first] = seen.live;
  const hopeless = seen.live.find((task) => why(task) !== undefined) ?? first;
  if (hopeless === undefined) return undefined;
  return why(hopeless) ?? `${whyNobodyMayClaim(seen.board, hopeless, seen.now)}: liza show ${hopeless.id}`;
}

function ended(seen: Survey): string | undefined {
  const count = seen.board.state.tasks.length + endedOfGoal(seen.board).length;
  if (count === 0 || seen.board.state.goal.status === 'PLANNING') return undefined;
  const { state } = seen.board;
  const open = [...openQuestions(state), ...openDiscoveries(state).filter(holdsGoal)].map(({ id }) => id);
  if (open.length === 0) return decide(seen, 'every task has ended', `liza goal complete; to add work: ${ADD}`);
  const undecided = `${listed(open, 5)} ${open.length === 1 ? 'is' : 'are'} undecided`;
  return decide(seen, `every task has ended, and ${undecided}`, 'liza goal complete says how to decide each');
}

const unplanned = (seen: Survey, unready: string | undefined): string =>
  unready !== undefined && seen.present.planner.length === 0
    ? `nothing is planned yet: ${unready}`
    : isDeserted(seen)
      ? `nothing is planned yet and ${missing(seen, 'planner')}: ${RUN}`
      : decide(seen, 'nothing is planned yet', ADD);

/**
 * A fact, whom a decision about it waits for, and the commands that decide it. A planner that is there may just be
 * thinking; it has no task to show for it. Where one gave up over it, another planner is the last thing to try.
 */
function decide(seen: Survey, fact: string, commands: string): string {
  const { agents } = seen.board.state;
  const [there] = seen.present.planner;
  if (there !== undefined && hasSeenAll(seen))
    return `${fact} — ${there} has seen it and left it, so you must decide: ${commands}`;
  if (there !== undefined) return `${fact} — waiting for ${there}, or decide yourself: ${commands}`;
  if (isDeserted(seen)) return `${fact} — ${missing(seen, 'planner')}: ${RUN}, or decide yourself: ${commands}`;
  const quitters = Object.keys(agents).filter((id) => agents[id]?.role === 'planner' && gaveUp(agents[id]));
  return quitters.length > 0
    ? `${fact} — ${listed(quitters)} gave up, so you decide: ${commands}; for a new planner: ${PLANNER}`
    : `${fact} — no planner is running: ${PLANNER}, or decide yourself: ${commands}`;
}

/** Nothing new calls for it: it will not come again by itself. A note would. */
function hasSeenAll({ board, now }: Survey): boolean {
  const wakes = plannerWakes(board, now).filter(({ quiet }) => quiet !== true);
  return wakes.length > 0 && unhandled(board, wakes).length === 0;
}

/** Nobody of that role is there, and why; of no role at all where the whole crew is away. */
function missing(seen: Survey, role: Role): string {
  const { agents } = seen.board.state;
  const name = isDeserted(seen) ? 'agent' : role.replace('_', ' ');
  const known = Object.keys(agents).filter((id) => agents[id]?.role === role);
  if (known.length === 0) return isDeserted(seen) ? 'no agent is running' : `no ${name} is registered`;
  return `no ${name} is running (${listed(whyAway(seen, known))})`;
}

/** `coder-1, coder-2 gave up: it needs a login`: each reason once. What exactly happened is in its alarm. */
function whyAway(seen: Survey, known: readonly string[]): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const id of known) {
    const why = reasonAway(seen, id);
    byReason.set(why, [...(byReason.get(why) ?? []), id]);
  }
  return [...byReason].map(([why, who]) => why.replace('#', listed(who)));
}

/** `#` stands for who it is. */
function reasonAway({ board, now }: Survey, id: string): string {
  const trouble = board.state.agents[id]?.trouble;
  if (trouble !== undefined) return `# gave up: ${TROUBLE_WORDS[trouble.kind]}`;
  const { remaining, dead, stopped } = agentLease(board, id, now);
  if (stopped) return '# stopped in order';
  if (dead) return 'the supervisor of # has ended';
  return Number.isFinite(remaining) && remaining < 0
    ? `the lease of # ended ${duration(-remaining)} ago`
    : '# has no lease';
}

const withStatus = (seen: Survey, status: TaskStatus): readonly Task[] =>
  seen.live.filter((task) => task.status === status && task.paused !== true);

const ids = (tasks: readonly Task[]): string => listed(tasks.map((task) => task.id));

/** Live tasks that wait for this one, directly or through others. */
function countWaiters(seen: Survey, id: string): number {
  const waitersOf = new Map<string, string[]>();
  for (const task of seen.live) {
    for (const dependency of task.depends_on ?? []) {
      const list = waitersOf.get(dependency);
      if (list === undefined) waitersOf.set(dependency, [task.id]);
      else list.push(task.id);
    }
  }
  const reached = new Set([id]);
  const queue = [id];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const waiter of waitersOf.get(next) ?? []) {
      if (reached.has(waiter)) continue;
      reached.add(waiter);
      queue.push(waiter);
    }
  }
  return reached.size - 1;
}
