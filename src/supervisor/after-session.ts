// What follows a session: its end is recorded, then judged, and the judgement is carried out.

import { measuredUse } from '../budget/rules/session-usage.ts';
import { forgetUse } from '../budget/unrecorded-usage.ts';
import type { Command } from '../protocol/command.ts';
import { isRefusal } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { remarksIn } from '../protocol/review/approval.ts';
import { mainBlocker } from '../protocol/review/verdict.ts';
import type { State, Task, Trouble } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { roundsOf } from '../protocol/work/task-history.ts';
import { installLine } from '../providers/install-line.ts';
import type { Provider } from '../providers/provider.ts';
import { refusedIn } from '../store/refused-commands.ts';
import { readTold } from '../store/session-news.ts';
import { transact } from '../store/transact.ts';
import { thisProcess } from '../tasks/context.ts';
import { beginning, gist } from '../text/format.ts';
import { duration, type Instant, instant, iso } from '../text/time.ts';
import type { Assignment } from './assignments.ts';
import { type SupervisorContext, taskContextOf } from './context.ts';
import type { LoopEnd, LoopState } from './loop-state.ts';
import { refusalText } from './refusals.ts';
import { judge, type Next } from './rules/restarts.ts';
import { unfinishedApproval } from './rules/unfinished-verdict.ts';
import { toldWakes } from './rules/wakes.ts';
import type { SessionOutcome, SessionWork } from './session.ts';
import { isTakenOver } from './taken-over.ts';

/** Its usage, how it ended and what was handled; then the note of its usage is no longer needed. */
export async function recordSession(
  { context, who, memory }: LoopState,
  { work, handled }: Assignment,
  outcome: SessionOutcome,
): Promise<void> {
  const { end, session, contextPercent, seconds, stay } = outcome;
  const { prices } = outcome.state.config;
  const again = !isDone(end);
  const refused = refusedIn(context, who.agent, stay.id);
  const left = leftText(outcome);
  const command: Command = {
    name: 'session-end',
    agent: who.agent,
    process: thisProcess(context),
    provider: who.chosen.provider.name,
    how: howText(outcome),
    stay,
    used: measuredUse(outcome, {
      seconds,
      model: who.chosen.model,
      prices,
      worked: isWorked(end, who.chosen.provider),
    }),
    ...defined({ task: work.task }),
    ...(contextPercent === undefined ? {} : { context_percent: Math.min(100, contextPercent) }),
    // It was asked to hand off and did not: the next session starts fresh.
    ...(session === undefined || !isResumable(outcome) || memory.handOff !== undefined ? {} : { session }),
    ...(again || handled === undefined
      ? {}
      : { handled: [...handled, ...(await handledByNews(context, who.agent, stay.id))] }),
    ...(refused.length === 0 ? {} : { refused }),
    ...defined({ left }),
  };
  const task = work.task === undefined ? {} : { task: work.task };
  // Not counted back from now: what follows its end takes time, and machines sleep.
  const since = instant(stay.since);
  // First: as long as the session counts as running, nobody merges what it approved.
  await tellUnfinished(context, outcome, { agent: who.agent, task: work.task, since });
  await record(context, who.agent, command);
  const verdict = verdictOf(findTask(outcome.state, work.task ?? ''), who.agent, since);
  if (verdict !== undefined) context.emit({ level: 'info', agent: who.agent, ...task, text: verdict });
  if (end.how.kind === 'lived-on') context.emit({ level: 'alarm', agent: who.agent, ...task, text: LIVED_ON });
  const text = `session ended: ${howText(outcome)}${left === undefined ? '' : `; ${left}`}`;
  context.emit({ level: 'info', agent: who.agent, ...task, ended: end.how, text });
  forgetUse(context, who.agent);
}

/** What the supervisor itself records: nobody else hears of its refusal. */
async function record(context: SupervisorContext, agent: string, command: Command): Promise<void> {
  const done = await transact(taskContextOf(context, agent), command);
  const task = 'task' in command && typeof command.task === 'string' ? { task: command.task } : {};
  if (isRefusal(done)) context.emit({ level: 'warning', agent, ...task, text: refusalText(done) });
}

const LIVED_ON =
  'it took over the first process of its sandbox, made it report the end of the session, and went on; it is ended now, and so are all its processes';

interface Spoken {
  readonly agent: string;
  readonly task: string | undefined;
  readonly since: Instant;
}

/** Before anything is merged on it: it is held until a person has looked. */
async function tellUnfinished(
  context: SupervisorContext,
  outcome: SessionOutcome,
  { agent, task: id, since }: Spoken,
): Promise<void> {
  // The verdict may be that of the other one's session.
  if (isTakenOver(context, outcome.state, agent)) return;
  const task = findTask(outcome.state, id ?? '');
  const commit = task === undefined ? undefined : unfinishedApproval(task, agent, since, outcome.end);
  if (task === undefined || commit === undefined) return;
  const ended = howText(outcome);
  const command: Command = { name: 'verdict-unfinished', task: task.id, agent, commit, ended };
  const done = await transact(taskContextOf(context, agent), command);
  const kept = isRefusal(done)
    ? `not held: ${refusalText(done)}`
    : findTask(done.state, task.id)?.paused === true
      ? `held: liza queue release ${task.id}`
      : 'not held: that approval does not count any more, or is merged';
  const text = `it approved ${commit.slice(0, 12)}, and its session did not end by itself: a program that it ran may have spoken; ${kept}`;
  context.emit({ level: 'alarm', agent, task: task.id, text });
}

/** What its reviewer said of the task in this session: `rejected: src/app.ts:12 what is wrong`. */
function verdictOf(task: Task | undefined, agent: string, since: Instant): string | undefined {
  const given = task === undefined ? [] : roundsOf(task, undefined).flatMap(({ verdicts }) => verdicts);
  const last = given.findLast(({ by, time }) => by === agent && instant(time) >= since);
  if (last?.verdict === 'approved')
    return ['approved', gist(remarksIn(last.reason ?? ''), 160)].filter((part) => part !== '').join(': ');
  return last?.verdict === 'rejected' ? `rejected: ${gist(mainBlocker(last.reason ?? ''), 160)}` : undefined;
}

/** Of a planner: what it was told while it ran is behind it, too. */
async function handledByNews(context: SupervisorContext, agent: string, session: string): Promise<readonly string[]> {
  const { board, now } = await context.store.read();
  return toldWakes(board, readTold(context, agent, session).told, now).map(({ key }) => key);
}

/** A provider that reports no usage may have used much and changed nothing; only a session that never ran used none. */
const isWorked = (end: SessionOutcome['end'], { tellsUse }: Provider): boolean =>
  end.progressed || isDone(end) || (tellsUse === false && end.how.kind !== 'not-started' && end.how.kind !== 'held');

/** An agent that failed, was ended, did nothing or asks for a restart gets the same wakes and notes again. */
function isDone({ how, declared, progressed }: SessionOutcome['end']): boolean {
  if (how.kind !== 'exited') return false;
  return declared === undefined ? how.code === 0 && progressed : declared.code === 0;
}

/** After a crash or a handoff a fresh session does better than the old one. */
const isResumable = ({ end: { how, role, resumeFailed }, handedOff, resumed, answered }: SessionOutcome): boolean =>
  !handedOff &&
  resumeFailed !== true &&
  ((how.kind === 'exited' && how.code === 0) ||
    // Stopped before its first answer, it may not be there at its provider.
    (how.kind === 'stopped' && (answered === true || resumed)) ||
    // A coder is asked once more to hand off; others go on fresh.
    (how.kind === 'overdue' && (role === 'coder' || how.contextUsed !== true)));

function howText({ end, seconds }: SessionOutcome): string {
  const { how, declared, failure } = end;
  if (end.resumeFailed === true)
    return `its provider no longer has the session to go on with: it starts afresh, after ${duration(seconds * 1000)}`;
  const said = declared === undefined ? '' : saidText(declared);
  const failed = failure === undefined ? '' : `, ${failure.kind}: ${beginning(failure.text, 120)}`;
  const ended = {
    exited: () => (how.kind === 'exited' && (how.code !== 0 || said === '') ? `exit ${how.code}` : ''),
    signalled: () => `ended by ${how.kind === 'signalled' ? how.signal : ''}`,
    'not-started': () => `not started: ${how.kind === 'not-started' ? how.reason : ''}`,
    held: () => `not started: ${how.kind === 'held' ? how.by : ''}`,
    silent: () => 'silent for too long',
    'not-served': () => 'ended, its provider is not available',
    'lease-lost': () => 'its lease was lost',
    overdue: () => `ended: ${how.kind === 'overdue' ? how.why : ''}`,
    'lived-on': () => 'ended: it made its sandbox report an end, and went on',
    'over-limit': () => `ended: ${how.kind === 'over-limit' ? how.why : ''}`,
    stopped: () => `stopped: ${how.kind === 'stopped' ? how.why : ''}`,
  }[how.kind]();
  return `${[ended, said].filter((part) => part !== '').join(', ')}${failed} after ${duration(seconds * 1000)}`;
}

/** 0 and 42 are for supervisors: the agent's own word says more. */
function saidText({ code, reason }: NonNullable<SessionOutcome['end']['declared']>): string {
  const word = reason === undefined ? '' : `"${gist(reason, 120)}"`;
  if (code === 0 || code === 42) return word;
  return [`declared ${code}`, word].filter((part) => part !== '').join(' ');
}

/** Where it left its work undone: that, whatever it said itself, and what it was refused last. */
function leftText(outcome: SessionOutcome): string | undefined {
  const { how, role, declared, holds, refused } = outcome.end;
  if (how.kind !== 'exited') return undefined;
  const undone = undoneText(outcome);
  if (refused === undefined) return declared?.code === 0 && !holds ? undefined : undone;
  // A planner may do much and still be refused what it came for.
  return undone === undefined ? (role === 'planner' ? refused : undefined) : `${undone}: ${refused}`;
}

function undoneText({ end: { role, progressed, holds }, handedOff }: SessionOutcome): string | undefined {
  if (handedOff) return undefined;
  if (holds && role === 'code_reviewer') return 'no verdict was given';
  if (!progressed) return 'nothing was changed';
  return holds ? 'nothing was submitted' : undefined;
}

export async function judgeSession(
  loop: LoopState,
  { task, work }: { readonly task: Task | undefined; readonly work: SessionWork },
  outcome: SessionOutcome,
): Promise<LoopEnd | undefined> {
  const { context, who, member, memory, stop } = loop;
  const { end, contextPercent } = outcome;
  memory.handOff = end.how.kind === 'overdue' && end.how.contextUsed ? contextPercent : undefined;
  const { next, past } = judge(end, memory.past, context.clock.now());
  memory.past = past;
  const about = task === undefined ? {} : { task: task.id };
  switch (next.kind) {
    case 'go-on':
      return undefined;
    case 'again': {
      const until = context.clock.now() + next.afterMs;
      member.set('backing-off', { ...about, cause: next.cause, why: next.why, until });
      await context.clock.sleep(next.afterMs, stop.orderly);
      return undefined;
    }
    case 'later':
      await recordTrouble(loop, next);
      member.set('backing-off', { ...about, why: next.why, until: next.until });
      await context.clock.sleep(next.until - context.clock.now(), stop.orderly);
      return undefined;
    case 'block': {
      const left = (await work.unsubmitted?.().catch(() => undefined)) ?? '';
      const why = `${next.why}${left === '' ? '' : `; ${left}`}`;
      context.emit({ level: 'alarm', agent: who.agent, ...about, text: why });
      if (task !== undefined) {
        await record(context, who.agent, {
          name: 'limit',
          task: task.id,
          limit: next.limit,
          detail: outcome.said === undefined ? why : `${why}\nIts last output:\n${outcome.said}`,
        });
      }
      return undefined;
    }
    case 'stop':
      await recordTrouble(loop, next);
      if (who.role === 'code_reviewer') {
        await record(context, who.agent, { name: 'clear-stale-review-claims', agent: who.agent });
      }
      context.emit({ level: 'warning', agent: who.agent, ...about, text: `stopped: ${next.why}` });
      return { kind: 'given-up', why: next.why, ...hintFor(context, next.trouble, who.chosen.provider) };
    default:
      return next satisfies never;
  }
}

function hintFor(context: SupervisorContext, trouble: Trouble, provider: Provider): Pick<LoopEnd, 'hint'> {
  if (trouble === 'login') return { hint: `${provider.hints.login}; then: liza run` };
  return trouble === 'provider' ? { hint: installLine(context, provider) } : {};
}

async function recordTrouble(
  { context, who }: LoopState,
  next: Extract<Next, { kind: 'later' | 'stop' }>,
): Promise<void> {
  await record(context, who.agent, {
    name: 'trouble',
    agent: who.agent,
    kind: next.trouble,
    detail: next.why.slice(0, 1000),
    ...(next.kind === 'later' ? { until: iso(next.until) } : {}),
  });
}

export async function clearTrouble({ context, who }: LoopState, { agents }: State): Promise<void> {
  if (agents[who.agent]?.trouble === undefined) return;
  await record(context, who.agent, { name: 'trouble', agent: who.agent });
}
