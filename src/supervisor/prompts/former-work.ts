// What a coder is told of the work before it: continued in a new folder, or kept elsewhere while its own folder is fresh;
// whether an earlier checkpoint still counts; whether notes and rejections are about what is in front of it.

import { checkpointEvent, historyOf, opensIteration } from '../../protocol/leases.ts';
import type { HistoryEvent, Task } from '../../protocol/state.ts';
import { isGivenBack } from '../../protocol/work/block-before.ts';
import { bringBack, takePath } from '../../protocol/work/kept-work.ts';
import { lossText } from '../../protocol/work/losses.ts';
import { counted } from '../../text/format.ts';
import type { CoderWork } from './prompt.ts';
import { inline, pathList } from './quote.ts';

/** Whose work goes on here, or where the former work is. Nothing for a task that nobody had before. */
export function formerWork({ task, continued: found }: CoderWork): readonly string[] {
  const taken = reassignment(task);
  if (taken?.continued === true) return continued(task, taken, found);
  if (isGivenBack(task)) return [givenBack(task, found), ...asideLines(found, 'you')];
  const opened = opening(task);
  return opened?.fresh === true ? [freshStart(task, opened)] : [];
}

function continued(task: Task, { from, why }: HistoryEvent, found: CoderWork['continued']): readonly string[] {
  const whose = `you take over the work of ${inline(String(from))}: ${lossText(why) ?? 'its folder was kept'}`;
  const aside = lastClaim(task)?.former;
  if (typeof aside === 'string')
    return [
      `CONTINUED: ${whose}. It had recorded no checkpoint, so WORKTREE is where the iteration began; what it had written is kept as ${inline(aside)}. ${looking(task, aside)}`,
    ];
  return [
    `CONTINUED: ${whose}. WORKTREE is a new folder with ${contents(found)}; ignored files and set-up are new. Look before you continue: \`git log --stat ${baseOf(task)}..HEAD\`, \`git status\`.`,
    ...asideLines(found, 'it'),
    ...besideIt(found?.beside),
  ];
}

function asideLines(found: CoderWork['continued'], by: 'it' | 'you'): readonly string[] {
  const ref = found?.setAside;
  if (ref === undefined) return [];
  return [
    `SET ASIDE by ${by} for ${by === 'it' ? 'its' : 'your'} checkpoint, and not in WORKTREE unless ${by} brought it back: \`git diff ${ref}^1 ${ref}\`; to bring it back: \`${bringBack(ref)}\``,
  ];
}

/** By their ids: the names are not taken over, and the commits are there. */
function besideIt(tips: NonNullable<CoderWork['continued']>['beside'] = []): readonly string[] {
  if (tips.length === 0) return [];
  const named = tips.map(
    ({ name, commit }) => `${inline(name.replace(/^refs\/heads\//, ''))} at ${commit.slice(0, 12)}`,
  );
  const [first] = tips;
  return [
    `BESIDE its branch, and not in WORKTREE, it had: ${named.join(', ')}. Look at it: \`git log --stat HEAD..${first?.commit.slice(0, 12)}\`.`,
  ];
}

/** Its own folder, after an answer or an unblock that kept it. */
function givenBack(task: Task, found: CoderWork['continued']): string {
  return `CONTINUED: this is your own work, as you left it when the task was blocked: WORKTREE has ${contents(found, 'your')}. Look before you continue: \`git log --stat ${baseOf(task)}..HEAD\`, \`git status\`.`;
}

function contents(found: CoderWork['continued'], whose: 'its' | 'your' = 'its'): string {
  if (found === undefined) return `${whose} commits and ${whose} uncommitted files`;
  const { commits, uncommitted } = found;
  const files = uncommitted.length === 0 ? 'nothing uncommitted' : `these uncommitted files: ${pathList(uncommitted)}`;
  return `${counted(commits, 'commit')} of ${whose === 'its' ? 'it' : 'yours'} and ${files}`;
}

function freshStart(task: Task, { former }: HistoryEvent): string {
  const told = 'FRESH START: WORKTREE is fresh from the integration branch; nothing of the earlier work is in it.';
  if (typeof former !== 'string') return `${told} None was kept.`;
  return `${told} The earlier work is ${inline(former)}. ${looking(task, former)}`;
}

/** Names that resolve in the coder's own folder. */
function looking(task: Task, ref: string): string {
  const name = inline(ref);
  return `Look at it: \`git diff ${baseOf(task)}...${name}\`; take what is good: \`${takePath(baseOf(task), name)}\`.`;
}

const baseOf = ({ base_commit: base }: Task): string => (base ?? 'HEAD').slice(0, 12);

/** The claim that opened the iteration. */
const opening = (task: Task): HistoryEvent | undefined => historyOf(task).findLast(opensIteration);

const lastClaim = (task: Task): HistoryEvent | undefined =>
  historyOf(task).findLast(({ event }) => event === 'claimed');

/** How the coder that has the task now got it from another one, in this iteration. */
function reassignment(task: Task): HistoryEvent | undefined {
  const history = historyOf(task);
  const opened = history.findLastIndex(opensIteration);
  // It stands right before the claim that it belongs to.
  const last = history.findLastIndex(({ event }) => event === 'reassigned');
  return last !== -1 && last >= opened - 1 && history[last]?.agent === task.assigned_to ? history[last] : undefined;
}

/** Why a checkpoint of an earlier iteration does not count for this one. */
export function outdatedCheckpoint(task: Task): readonly string[] {
  if (checkpointEvent(task) !== undefined) return [];
  const earlier = historyOf(task).findLast(({ event }) => event === 'pre_execution_checkpoint');
  const opened = opening(task);
  if (earlier === undefined || opened === undefined) return [];
  const whose = earlier.agent === task.assigned_to ? 'yours' : `${inline(earlier.agent ?? 'the earlier coder')}’s`;
  const why = [
    ...(opened.fresh === true ? ['the work starts fresh'] : []),
    ...(redefinedSince(task, earlier) ? ['the task was redefined since'] : []),
  ];
  const reasons = why.length > 0 ? why.join(', and ') : (OUTDATED[String(opened.from)] ?? 'this is a new iteration');
  return [`EARLIER PLAN (checkpoint): ${whose} from ${earlier.time} no longer counts: ${reasons}.`];
}

/** What was to be built changed after the plan for it was made. */
const redefinedSince = (task: Task, plan: HistoryEvent): boolean =>
  historyOf(task)
    .slice(historyOf(task).lastIndexOf(plan) + 1)
    .some(({ event, changed }) => REDEFINES.has(event) && changed === true);

export const REDEFINES: ReadonlySet<string> = new Set(['amended', 'unblocked', 'answered']);

const OUTDATED: Readonly<Record<string, string>> = {
  REJECTED: 'that work was rejected, and each iteration has its own',
  INTEGRATION_FAILED: 'that work was approved, and this is the fix of its merge',
  UNCLAIMED: 'the task was blocked or taken back since',
};

/** Whether a rejection is about work that is not what the coder has now, or the reviewer looks at. */
export function isAboutFormerWork(task: Task, rejected: HistoryEvent | undefined): boolean {
  const history = historyOf(task);
  const opened = history.findLastIndex((entry) => opensIteration(entry) && entry.fresh === true);
  return rejected !== undefined && history.lastIndexOf(rejected) < opened;
}

/** What a handoff does not know, because it was written before. */
export function outdatedHandoff(task: Task): readonly string[] {
  const history = historyOf(task);
  const since = history.slice(history.findLastIndex(({ event }) => event === 'handoff') + 1);
  const turns = [...new Set(since.flatMap(({ event }) => TURNS[event] ?? []))];
  const fresh = since.some((entry) => opensIteration(entry) && entry.fresh === true);
  return [
    ...(turns.length === 0
      ? []
      : [`WRITTEN BEFORE the task was ${turns.join(', then ')}: later decisions take precedence.`]),
    ...(fresh ? ['They are about the earlier work, which is not in WORKTREE.'] : []),
  ];
}

const TURNS: Readonly<Record<string, string>> = {
  blocked: 'blocked',
  limit: 'blocked',
  unblocked: 'unblocked',
  released: 'taken from its coder',
};
