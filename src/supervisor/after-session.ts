// What follows a session: it is recorded, judged, and the judgement is carried out.

import { measuredUse } from '../budget/rules/session-usage.ts';
import type { Command } from '../protocol/command.ts';
import { isRefusal } from '../protocol/decision.ts';
import type { Task, Trouble } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Provider } from '../providers/provider.ts';
import { transact } from '../store/transact.ts';
import { duration, iso } from '../text/time.ts';
import type { Assignment } from './assignments.ts';
import { taskContextOf } from './context.ts';
import { type LoopEnd, type LoopState, told } from './loop-state.ts';
import { judge, type Next } from './rules/restarts.ts';
import type { SessionOutcome } from './session.ts';

export async function record(
  { context, who, memory }: LoopState,
  assigned: Assignment,
  outcome: SessionOutcome,
): Promise<void> {
  const { work, handled, notes } = assigned;
  const { end, session, contextPercent, stay } = outcome;
  const { prices } = (await context.store.read()).board.state.config;
  const again = !isDone(end);
  const command: Command = {
    name: 'session-end',
    agent: who.agent,
    provider: who.chosen.provider.name,
    how: howText(outcome),
    stay,
    used: measuredUse({ ...outcome, model: who.chosen.model, prices, worked: isWorked(end, who.chosen.provider) }),
    ...defined({ task: work.task }),
    ...(contextPercent === undefined ? {} : { context_percent: Math.min(100, contextPercent) }),
    // Told to hand off, and it did not: the next one starts fresh.
    ...(session === undefined || !isResumable(outcome) || memory.handOff !== undefined ? {} : { session }),
    ...(again || handled === undefined ? {} : { handled }),
    ...(again || notes === undefined ? {} : { notes }),
  };
  const done = await transact(taskContextOf(context, who.agent), command);
  const task = work.task === undefined ? {} : { task: work.task };
  const text = `session ended: ${howText(outcome)}`;
  context.tell({ level: 'info', agent: who.agent, ...task, ended: end.how, text });
  if (isRefusal(done)) context.tell({ level: 'warning', agent: who.agent, ...task, text: told(done) });
}

/** One that tells nothing may have used much and changed nothing; only what never ran used none. */
const isWorked = (end: SessionOutcome['end'], { tellsUse }: Provider): boolean =>
  end.progressed || isDone(end) || (tellsUse === false && end.how.kind !== 'not-started');

/** Whoever failed, was ended, did nothing or asks to be started again is shown the same again. */
function isDone({ how, declared, progressed }: SessionOutcome['end']): boolean {
  if (how.kind !== 'exited') return false;
  return declared === undefined ? how.code === 0 && progressed : declared.code === 0;
}

/** After a crash or a handoff a fresh mind does better than the old one. */
const isResumable = ({ end: { how }, handedOff }: SessionOutcome): boolean =>
  !handedOff && ((how.kind === 'exited' && how.code === 0) || how.kind === 'stopped' || how.kind === 'overdue');

function howText({ end, seconds }: SessionOutcome): string {
  const { how, declared, failure } = end;
  const said =
    declared === undefined ? '' : `, declared ${declared.code}${declared.reason ? ` (${declared.reason})` : ''}`;
  const failed = failure === undefined ? '' : `, ${failure.kind}: ${failure.text.slice(0, 120)}`;
  const ended = {
    exited: () => `exit ${how.kind === 'exited' ? how.code : ''}`,
    signalled: () => `ended by ${how.kind === 'signalled' ? how.signal : ''}`,
    'not-started': () => `not started: ${how.kind === 'not-started' ? how.reason : ''}`,
    silent: () => 'silent for too long',
    'not-served': () => 'ended, its provider does not serve',
    'lease-lost': () => 'its lease was lost',
    overdue: () => `ended: ${how.kind === 'overdue' ? how.why : ''}`,
    'over-limit': () => `ended: ${how.kind === 'over-limit' ? how.why : ''}`,
    stopped: () => `stopped: ${how.kind === 'stopped' ? how.why : ''}`,
  }[how.kind]();
  return `${ended}${said}${failed} after ${duration(seconds * 1000)}`;
}

export async function conclude(
  round: LoopState,
  task: Task | undefined,
  outcome: SessionOutcome,
): Promise<LoopEnd | undefined> {
  const { context, who, member, memory, stop } = round;
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
      member.turn('backing-off', { ...about, cause: next.cause, why: next.why, until });
      await context.clock.sleep(next.afterMs, stop.orderly);
      return undefined;
    }
    case 'later':
      await trouble(round, next);
      member.turn('backing-off', { ...about, why: next.why, until: next.until });
      await context.clock.sleep(next.until - context.clock.now(), stop.orderly);
      return undefined;
    case 'block':
      context.tell({ level: 'alarm', agent: who.agent, ...about, text: next.why });
      if (task !== undefined) {
        await transact(taskContextOf(context, who.agent), {
          name: 'limit',
          task: task.id,
          limit: next.limit,
          detail: outcome.said === undefined ? next.why : `${next.why}\nIt printed last:\n${outcome.said}`,
        });
      }
      return undefined;
    case 'stop':
      await trouble(round, next);
      if (who.role === 'code_reviewer') {
        await transact(taskContextOf(context, who.agent), { name: 'clear-stale-review-claims', agent: who.agent });
      }
      context.tell({ level: 'warning', agent: who.agent, ...about, text: `stopped: ${next.why}` });
      return { kind: 'given-up', why: next.why, ...hintFor(next.trouble, who.chosen.provider.hints) };
    default:
      return next satisfies never;
  }
}

function hintFor(trouble: Trouble, hints: Provider['hints']): Pick<LoopEnd, 'hint'> {
  if (trouble === 'login') return { hint: `${hints.login}; then: liza run` };
  return trouble === 'provider' ? { hint: hints.install } : {};
}

async function trouble({ context, who }: LoopState, next: Extract<Next, { kind: 'later' | 'stop' }>): Promise<void> {
  await transact(taskContextOf(context, who.agent), {
    name: 'trouble',
    agent: who.agent,
    kind: next.trouble,
    detail: next.why.slice(0, 1000),
    ...(next.kind === 'later' ? { until: iso(next.until) } : {}),
  });
}

export async function clearTrouble({ context, who }: LoopState): Promise<void> {
  const { board } = await context.store.read();
  if (board.state.agents[who.agent]?.trouble === undefined) return;
  await transact(taskContextOf(context, who.agent), { name: 'trouble', agent: who.agent });
}
