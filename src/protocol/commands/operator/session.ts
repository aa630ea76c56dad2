// The rows by which a supervisor records its agent's sessions: start, use, context, and why the agent cannot go on.
// All but the start are facts, which no kill switch holds back.

import { booked, plus } from '../../../budget/rules/ledger.ts';
import { begun, usedUp } from '../../../budget/rules/limits.ts';
import { iso } from '../../../text/time.ts';
import type { Actor } from '../../board.ts';
import { patch, withAgent, withGoal, withTask } from '../../change.ts';
import type { CommandOf } from '../../command.ts';
import type { Guard, Row } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { findTask } from '../../find.ts';
import { agentLease } from '../../leases.ts';
import type { Agent, State, Task } from '../../state.ts';
import { defined } from '../../values.ts';
import { refuseUsedUp, spaceOnDisk } from './may-start.ts';

const HANDLED_KEPT = 200;
/** Wakes whose record may stay open for long: forgotten, they would call the planner again for nothing. */
const ONCE = /^(HUMAN_NOTE|INITIAL_PLANNING|QUESTION_ANSWERED|SPEC_CHANGED|ASSUMPTION_ACCEPTED):/;

/** Each session needs its own permission: a claim may have many sessions, and a planner has no claim. */
export const sessionStart: Row<'session-start'> = {
  name: 'session-start',
  syntax: 'agent <role>',
  summary: 'Begin a session; from here on it counts.',
  who: ['supervisor'],
  from: 'board',
  irreversible: true,
  startsWork: true,
  guards: [
    ownRegistered(),
    {
      name: 'own-process',
      rule: 'no other process has registered the agent since',
      check: ({ state, command }) =>
        isTakenOver(state, command)
          ? refuse(`another process runs ${command.agent} now`, 'Nothing needs to be done: it goes on there')
          : undefined,
    },
    {
      name: 'within-budget',
      rule: 'the budgets of its task, the goal and the day are not used up, sessions under way included',
      raced: true,
      check: ({ board, state, command: { agent, task: id }, now }) => {
        const task = id === undefined ? undefined : findTask(state, id);
        return refuseUsedUp(usedUp(board, now, { task, asking: agent, running: begun(state, agent) }));
      },
    },
    spaceOnDisk(),
  ],
  effects:
    'under_way of the agent, until the end of the session is recorded; context_percent starts at 0 again unless it resumes',
  change: ({ state, command: { agent: id, task, resumes }, now }) => ({
    state: withAgent(
      state,
      id,
      patch<Agent>(agentOf(state, id), {
        under_way: { since: iso(now), ...defined({ task }) },
        // A fresh session has all its context.
        ...(resumes === true ? {} : { context_percent: undefined }),
      }),
    ),
    ...defined({ task }),
    detail: `session of ${id}${task === undefined ? '' : ` on ${task}`} begins`,
  }),
};

export const sessionEnd: Row<'session-end'> = {
  name: 'session-end',
  syntax: 'agent <role>',
  summary: 'Record what an agent’s session used and how it ended.',
  who: ['supervisor'],
  from: 'board',
  irreversible: true,
  guards: [
    ownRegistered(),
    {
      name: 'left-behind',
      rule: 'a session that was not recorded at its end is recorded once: by its own agent, or by any supervisor once its own provably ended',
      check: ({ board, state, actor, command: { agent, began }, now }) => {
        if (began === undefined) return undefined;
        if (state.agents[agent]?.under_way?.since !== began) {
          return refuse(`the session of ${agent} that began ${began} is already recorded`, 'Nothing needs to be done');
        }
        return actor.id === agent || agentLease(board, agent, now).dead
          ? undefined
          : refuse(`the supervisor of ${agent} may be alive`, 'Wait for it, or end it');
      },
    },
  ],
  effects:
    'usage of the agent and of its task (a planner’s: of the goal), the task’s sessions (a planner’s: the goal’s last ones) with what confined each, what the goal and the day have spent, that agents of the goal work in a sandbox, iterations_total, context_percent, resume; how it ended and what it was refused; handled wakes',
  change: ({ state, command, now }) => {
    const { agent: id, task: taskId, provider, used } = command;
    const agent = agentOf(state, id);
    const task = taskId === undefined ? undefined : findTask(state, taskId);
    // Its session is another one than that which is under way.
    const told = isTakenOver(state, command)
      ? patch<Agent>(agent, { usage: plus(agent.usage, used) })
      : patch<Agent>(agent, {
          provider,
          iterations_total: (agent.iterations_total ?? 0) + 1,
          usage: plus(agent.usage, used),
          context_percent: command.context_percent ?? agent.context_percent,
          resume: resumable(agent, command),
          handled: handled(agent, command.handled),
          interrupted: task === undefined ? interrupted(agent, command, iso(now)) : agent.interrupted,
          declared_exit: undefined,
          under_way: undefined,
        });
    const confined = command.stay?.sandbox === 'bubblewrap' || command.stay?.sandbox === 'seatbelt';
    const sums = { ...booked(state, used, now), ...(confined ? { confined } : {}) };
    const counted =
      task === undefined
        ? withGoal(state, {
            usage: plus(state.goal.usage, used),
            ...defined({ sessions: sessionsOf(state.goal, command, iso(now))?.slice(-PLANNERS_KEPT) }),
            ...sums,
            handoff: stillHandedOff(state, command),
          })
        : withTask(
            withGoal(state, sums),
            patch(task, { usage: plus(task.usage, used), sessions: sessionsOf(task, command, iso(now)) }),
          );
    return {
      state: withAgent(task === undefined && command.handled !== undefined ? settled(counted) : counted, id, told),
      ...(task === undefined ? {} : { task: task.id }),
      detail:
        `session of ${id}${task === undefined ? '' : ` on ${task.id}`} ended: ${command.how}${command.left === undefined ? '' : `; ${command.left}`}`.slice(
          0,
          400,
        ),
    };
  },
};

/** A planner starts at every wake: a goal has no bound on them, the board has. */
const PLANNERS_KEPT = 100;

function sessionsOf(
  { sessions }: Pick<Task, 'sessions'>,
  { agent, provider, stay, how, refused }: CommandOf<'session-end'>,
  ended: string,
): Task['sessions'] {
  if (stay === undefined) return sessions;
  const former = (sessions ?? []).map((one) => (one.refused === undefined ? one : patch(one, { refused: undefined })));
  return [...former, { ...stay, agent, provider, ended, how: how.slice(0, HOW), ...some(refused) }];
}

/** A planner's notes are behind it once a session that was shown them has ended well. */
function stillHandedOff({ goal: { handoff }, agents }: State, { agent, handled }: CommandOf<'session-end'>) {
  const since = agents[agent]?.under_way?.since;
  const shown = handled !== undefined && since !== undefined && handoff !== undefined && handoff.timestamp < since;
  return shown ? undefined : handoff;
}

const HOW = 300;

const some = (refused: readonly string[] | undefined): { readonly refused?: readonly string[] } =>
  refused === undefined || refused.length === 0 ? {} : { refused };

/** A planner's session ended well: what earlier ones left, of whichever planner, is behind it. */
function settled(state: State): State {
  let next = state;
  for (const [id, agent] of Object.entries(state.agents)) {
    if (agent.interrupted !== undefined) next = withAgent(next, id, patch<Agent>(agent, { interrupted: undefined }));
  }
  return next;
}

/** What the next planner is told of a session that left its wakes open. */
function interrupted(
  { under_way, interrupted: before }: Agent,
  { handled, how, refused, began, stay }: CommandOf<'session-end'>,
  ended: string,
): Agent['interrupted'] {
  if (handled !== undefined) return undefined;
  // One that never ran left nothing; the one before it did.
  if (stay?.sandbox === 'not-started') return before;
  return { since: began ?? under_way?.since ?? ended, ended, how: how.slice(0, HOW), ...some(refused) };
}

function resumable(
  { resume: before }: Agent,
  { session, provider, task, used }: CommandOf<'session-end'>,
): Agent['resume'] {
  if (session === undefined) return undefined;
  const sum = plus(before?.session === session ? before.used : undefined, used);
  return { provider, session, ...defined({ task }), used: sum };
}

function handled(agent: Agent, keys: readonly string[] | undefined): readonly string[] | undefined {
  if (keys === undefined) return agent.handled;
  const all = [...new Set([...(agent.handled ?? []), ...keys])];
  const kept = new Set(all.filter((key) => !ONCE.test(key)).slice(-HANDLED_KEPT));
  return all.filter((key) => ONCE.test(key) || kept.has(key));
}

export const contextUsed: Row<'context-used'> = {
  name: 'context-used',
  syntax: 'agent <role>',
  summary: 'Record how full an agent’s context is.',
  who: ['supervisor'],
  from: 'board',
  already: ({ state, command }) => state.agents[command.agent]?.context_percent === command.percent,
  guards: [ownRegistered()],
  effects: 'context_percent; from 90 the agent’s commands tell it to hand off',
  change: ({ state, command: { agent, percent } }) => ({
    state: withAgent(state, agent, patch(agentOf(state, agent), { context_percent: percent })),
    detail: `${agent} has used ${percent} % of its context`,
  }),
};

export const trouble: Row<'trouble'> = {
  name: 'trouble',
  syntax: 'agent <role>',
  summary: 'Record why an agent cannot continue, or that it can again.',
  who: ['supervisor'],
  from: 'board',
  already: ({ state, command }) => {
    const known = state.agents[command.agent]?.trouble;
    return known?.kind === command.kind && known?.detail === command.detail && known?.until === command.until;
  },
  guards: [ownRegistered()],
  effects: 'agents.trouble, which raises CRASH LOOP, SPIN or PROVIDER QUOTA',
  change: ({ state, command, now }) => {
    const { agent: id, kind, detail = '', until } = command;
    const agent = agentOf(state, id);
    const said = kind === undefined ? undefined : { kind, detail, since: iso(now), ...defined({ until }) };
    return {
      state: withAgent(state, id, patch<Agent>(agent, { trouble: said })),
      detail: kind === undefined ? `${id} can continue` : `${id}: ${kind}: ${detail}`.slice(0, 300),
    };
  },
};

/** A supervisor that was out of reach for longer than its lease may come back when its agent is another one's. */
function isTakenOver({ agents }: State, { agent, process }: CommandOf<'session-start' | 'session-end'>): boolean {
  const registered = agents[agent]?.process;
  return process !== undefined && registered !== undefined && registered !== process;
}

const agentOf = (state: State, id: string): Agent => state.agents[id] ?? { role: 'coder', status: 'IDLE' };

/** A supervisor records only for its own agent, which must be on the board. */
function ownRegistered(): Guard<'session-start' | 'session-end' | 'context-used' | 'trouble'> {
  return {
    name: 'own-agent',
    rule: 'a supervisor reports only for its own registered agent',
    check: ({ state, actor, command: { agent } }) =>
      state.agents[agent] === undefined
        ? refuse(`${agent} is not registered`, 'Start it: liza agent <role>')
        : notOwn(actor, agent),
  };
}

const notOwn = (actor: Actor, agent: string): Refusal | undefined =>
  actor.id === undefined || actor.id === agent
    ? undefined
    : refuse(`${actor.id} cannot report for ${agent}`, `Act under its id: LIZA_AGENT_ID=${agent}`);
