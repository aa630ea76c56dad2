// The rows by which agents report besides their work: discoveries, anomalies, long operations, their exit.

import { instant, iso, later } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { event, evolve, patch, processAnomalies, withAgent, withAnomaly, withTask } from '../../change.ts';
import type { CommandName, CommandOf } from '../../command.ts';
import type { Guard, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';

import { findTask, statusOf } from '../../find.ts';
import { reviewLease, taskLease } from '../../leases.ts';
import { holdsGoal, openDiscoveries, withDiscovery } from '../../messages/discoveries.ts';
import { ANOMALY_TYPES, type AnomalyType, isAboutAgents, missingDetails } from '../../records/anomaly-types.ts';
import { SEVERITIES, URGENCIES } from '../../records/discovery.ts';
import { isSpent } from '../../records/record-ids.ts';
import type { Role } from '../../state.ts';
import { noSuch, noTask } from '../../unknown-id.ts';
import { blank, defined } from '../../values.ts';
import { firstLine, list, STOP } from '../words.ts';
import { fewOpen, MOST_ANOMALIES, MOST_OPEN } from './few-open.ts';
import { leftOpen, saidDone } from './said-done.ts';

export const discover: Row<'discover'> = {
  name: 'discover',
  syntax: 'discover "…" --severity high',
  summary: 'Report a problem next to the task instead of fixing it.',
  who: ['coder', 'code_reviewer'],
  from: 'board',
  already: ({ state, actor, command }) =>
    state.discovered.find(
      (one) =>
        one.by === actorName(actor) &&
        one.description === command.description &&
        one.during === command.during &&
        (command.id === undefined || one.id === command.id),
    )?.id,
  guards: [
    {
      name: 'discovery',
      rule: 'description, known severity and urgency, a free id, an existing task',
      check: ({ board, state, command, commandLine }) => {
        const { description, severity, urgency, during, id } = command;
        if (blank(description)) return refuse('the description is empty', commandLine('discover'));
        if (!SEVERITIES.includes(severity))
          return refuse(`severity is ${severity}`, `Use one of ${SEVERITIES.join(', ')}`);
        if (urgency !== undefined && !URGENCIES.includes(urgency)) {
          return refuse(`urgency is ${urgency}`, `Use one of ${URGENCIES.join(', ')}`);
        }
        if (during !== undefined && statusOf(board, during) === undefined) {
          return noTask(board, during, 'Name the task you are on, or none');
        }
        return id !== undefined && (state.discovered.some((one) => one.id === id) || isSpent(state.goal, 'disc', id))
          ? refuse(`there is a discovery ${id} already`, 'Leave the id out')
          : undefined;
      },
    },
    {
      name: 'few-open',
      rule: `fewer than ${MOST_OPEN} of the agent’s own are undecided; critical and high ones count apart`,
      check: ({ state, actor, part, command }) =>
        fewOpen({
          part,
          what: 'discovery',
          open: openDiscoveries(state)
            .filter((one) => one.by === actorName(actor) && holdsGoal(one) === holdsGoal(command))
            .map(({ id }) => id),
          next: 'Go on with your task: the planner decides on them; name what is left in your handoff, or when you submit',
        }),
    },
  ],
  effects: 'discovered; urgency immediate wakes the planner',
  change: ({ state, actor, command, now }) => {
    const { name: _name, ...told } = command;
    const made = withDiscovery(state, { by: actorName(actor), ...told, created: iso(now) });
    return {
      state: made.state,
      detail: `discovery ${made.id}: ${firstLine(command.description)}`,
      made: made.id,
      ...defined({ task: command.during }),
    };
  },
};

export const anomaly: Row<'anomaly'> = {
  name: 'anomaly',
  syntax: 'anomaly --type <type> --task {task}',
  summary: 'Log an anomaly: something that went wrong.',
  who: ['planner', 'coder', 'code_reviewer', 'human'],
  from: 'board',
  already: ({ state, actor, command }) =>
    state.anomalies.some(
      (one) =>
        one.type === command.type &&
        one.task === command.task &&
        one.reporter === actorName(actor) &&
        one.processed_at === undefined &&
        JSON.stringify(one.details) === JSON.stringify(command.details),
    ),
  guards: [
    { name: 'type', rule: 'a known type that this role logs', check: typeAllowed },
    {
      name: 'details',
      rule: 'the details its type requires',
      check: ({ command, commandLine }) => {
        const missing = missingDetails(command.type, command.details);
        if (missing.length === 0) return undefined;
        return refuse(
          `${command.type} needs ${missing.join(', ')}`,
          `Give them: ${commandLine('anomaly', command.task)} ${missing.map((key) => `--detail ${key}=…`).join(' ')}`,
        );
      },
    },
    taskExists(),
    {
      name: 'few-open',
      rule: `fewer than ${MOST_ANOMALIES} that the agent logged are unprocessed`,
      check: ({ state, actor, part }) =>
        fewOpen({
          part,
          what: 'anomaly',
          most: MOST_ANOMALIES,
          open: state.anomalies
            .filter((one) => one.reporter === actorName(actor) && one.processed_at === undefined)
            .map(({ id = '?' }) => id),
          next: 'Go on with your work: the planner or a person processes them (liza anomaly processed <id>)',
        }),
    },
  ],
  effects: 'anomalies',
  change: (s) => {
    const { type, task, details } = s.command;
    const state = withAnomaly(s, s.state, { type: type as AnomalyType, task, details });
    return {
      state,
      detail: `${state.anomalies.at(-1)?.id}: ${type} logged`,
      ...defined({ task }),
    };
  },
};

export const anomalyProcessed: Row<'anomaly processed'> = {
  name: 'anomaly processed',
  syntax: 'anomaly processed <id> --why "…"',
  summary: 'Mark anomalies as handled; they stay on record.',
  who: ['planner', 'human'],
  from: 'board',
  already: ({ state, command }) => {
    const named = command.anomalies.map((id) => state.anomalies.find((one) => one.id === id));
    if (named.length === 0 || named.some((one) => one?.processed_at === undefined)) return false;
    return list(named.map((one) => `${one?.id} by ${one?.processed_by ?? 'somebody'}, ${one?.processed_at}`));
  },
  guards: [
    {
      name: 'anomalies',
      rule: 'each is on the board',
      check: ({ state, command, commandLine }) => {
        if (command.anomalies.length === 0) return refuse('no anomaly was named', commandLine('anomaly processed'));
        const unknown = command.anomalies.find((id) => !state.anomalies.some((one) => one.id === id));
        return unknown === undefined
          ? undefined
          : noSuch({
              what: 'anomaly',
              id: unknown,
              known: state.anomalies.flatMap(({ id }) => id ?? []),
              see: 'See those that are open: liza anomaly list',
            });
      },
    },
    {
      name: 'not-about-agents',
      rule: 'what Liza itself recorded about an agent (identity_violation, branch_moved, git_planted, planted_above, verdict_disputed) is a person’s to close',
      check: ({ state, command, part }) => {
        if (part === 'human') return undefined;
        const held = state.anomalies.find((one) => command.anomalies.includes(one.id ?? '') && isAboutAgents(one));
        return held === undefined
          ? undefined
          : refuse(
              `${held.id} is ${held.type}, which Liza recorded about an agent: only a person closes it`,
              'Go on with your work: the person sees it, and nothing waits for you',
            );
      },
    },
  ],
  effects: 'processed_at, processed_by and why; the circuit breaker counts them all the same',
  change: (s) => ({
    state: processAnomalies(
      s,
      s.state,
      ({ id }) => id !== undefined && s.command.anomalies.includes(id),
      s.command.why,
    ),
    detail: `processed: ${list(s.command.anomalies)}`,
    said: s.command.why,
  }),
};

function typeAllowed({ command, part }: Situation<'anomaly'>): Refusal | undefined {
  const types: Readonly<Record<string, { readonly roles: readonly Role[] } | undefined>> = ANOMALY_TYPES;
  const known = Object.hasOwn(types, command.type) ? types[command.type] : undefined;
  const role: Role = part === 'coder' || part === 'code_reviewer' ? part : 'planner';
  const mine = Object.entries(ANOMALY_TYPES).flatMap(([type, { roles }]) =>
    (roles as readonly Role[]).includes(role) ? [type] : [],
  );
  if (known === undefined) return refuse(`${command.type} is not an anomaly type`, `Use one of ${mine.join(', ')}`);
  if (known.roles.includes(role)) return undefined;
  if (known.roles.length === 0)
    return refuse(`${command.type} is recorded by Liza itself`, `Use one of ${mine.join(', ')}`);
  return refuse(
    `${command.type} is logged by ${known.roles.join(' or ')}, not by a ${role}`,
    `Use one of ${mine.join(', ')}`,
  );
}

export const longHeartbeat: Row<'long-heartbeat'> = {
  name: 'long-heartbeat',
  typed: 'heartbeat',
  syntax: 'heartbeat --long "…"',
  summary: 'Ask for a longer lease before a long operation.',
  who: ['coder', 'code_reviewer'],
  from: 'board',
  startsWork: true,
  guards: [
    registeredActor(),
    {
      name: 'reason',
      rule: 'the operation is named',
      check: ({ command, commandLine }) =>
        blank(command.reason) ? refuse('no reason was given', commandLine('long-heartbeat')) : undefined,
    },
    {
      name: 'lease-lives',
      rule: 'the agent holds a task or review whose lease is live',
      check: (s) => {
        const held = heldBy(s);
        if (held === undefined) return refuse(`${actorName(s.actor)} holds no task or review`, STOP);
        return held.lease.expired
          ? refuse(`the lease of ${actorName(s.actor)} on ${held.task.id} is past`, STOP)
          : undefined;
      },
    },
  ],
  effects: 'the lease lasts at least long_lease_duration from now; never shorter than before',
  change: (s) => {
    const { state, now, settings, actor, command } = s;
    const held = heldBy(s);
    const id = actor.id ?? '';
    const agent = state.agents[id];
    if (held === undefined || agent === undefined) return refuse('nothing is held', STOP);
    const wanted = later(now, settings.long_lease_duration);
    const longer = (former: string | undefined) =>
      former !== undefined && instant(former) > instant(wanted) ? former : wanted;
    const field = held.review ? 'review_lease_expires' : 'lease_expires';
    const extended = evolve(
      held.task,
      { [field]: longer(held.task[field]) },
      event(s, 'lease_extended', { reason: command.reason }),
    );
    return {
      state: withAgent(
        withTask(state, extended),
        id,
        patch(agent, { lease_expires: longer(agent.lease_expires), heartbeat: iso(now) }),
      ),
      task: held.task.id,
      detail: `${id} extended its lease on ${held.task.id}: ${firstLine(command.reason)}`,
    };
  },
};

function heldBy({ board, state, actor, command, now }: Situation<'long-heartbeat'>) {
  const id = command.task ?? state.agents[actor.id ?? '']?.current_task;
  const task = id === undefined ? undefined : findTask(state, id);
  if (task?.status === 'CLAIMED' && task.assigned_to === actor.id)
    return { task, review: false, lease: taskLease(board, task, now) };
  if (task?.status === 'READY_FOR_REVIEW' && task.reviewing_by !== undefined && task.reviewing_by === actor.id) {
    return { task, review: true, lease: reviewLease(board, task, now) };
  }
  return undefined;
}

/** So often a session may change how it says that it ends: each is an entry of the journal. */
const MOST_EXITS = 10;

const declaredBy = ({ state, actor }: Pick<Situation<'exit'>, 'state' | 'actor'>) =>
  state.agents[actor.id ?? '']?.declared_exit;

export const exit: Row<'exit'> = {
  name: 'exit',
  syntax: 'exit 42 --reason "…"',
  summary: 'Declare how this session ends: 0 nothing more to do, 42 start me again.',
  who: ['planner', 'coder', 'code_reviewer'],
  from: 'board',
  irreversible: true,
  whileHalted: true,
  already: (s) => {
    const last = declaredBy(s);
    return last !== undefined && last.code === s.command.code && last.reason === s.command.reason;
  },
  guards: [
    registeredActor(),
    {
      name: 'few-exits',
      rule: `fewer than ${MOST_EXITS} different ones in this session`,
      check: (s) =>
        (declaredBy(s)?.times ?? 1) < MOST_EXITS
          ? undefined
          : refuse(`you said ${MOST_EXITS} times how this session ends`, 'The last one counts: stop now'),
    },
    {
      name: 'code',
      rule: 'a whole number from 0 to 255',
      check: ({ command }) =>
        Number.isInteger(command.code) && command.code >= 0 && command.code <= 255
          ? undefined
          : refuse(
              `${command.code} is not an exit code`,
              'Use 0 (nothing more to do) or 42 (start me again): liza exit 42',
            ),
    },
    {
      name: 'said-done',
      rule: 'no reason that says a verdict or a submission is there which is not',
      check: saidDone,
    },
  ],
  effects: 'declared_exit; the supervisor counts it before the process’s own code',
  change: (s) => {
    const { state, actor, command, now } = s;
    const id = actor.id ?? '';
    const open = leftOpen(s);
    const agent = state.agents[id];
    if (agent === undefined) return refuse(`${id} is not registered`, UNREGISTERED);
    const declared_exit = {
      code: command.code,
      ...defined({ reason: command.reason }),
      time: iso(now),
      ...(agent.declared_exit === undefined ? {} : { times: (agent.declared_exit.times ?? 1) + 1 }),
    };
    return {
      state: withAgent(state, id, patch(agent, { declared_exit })),
      detail: `${id} ends its session${exitText(command)}`,
      ...(open.length === 0 ? {} : { notes: open }),
    };
  },
};

/** 0 and 42 are for supervisors: people read the agent's word. */
function exitText({ code, reason }: CommandOf<'exit'>): string {
  const word = blank(reason) ? '' : `: "${firstLine(reason ?? '')}"`;
  return code === 0 || code === 42 ? word : ` with ${code}${word}`;
}

/** Of a report that may be about a task. */
export function taskExists<K extends 'ask' | 'anomaly'>(): Guard<K> {
  return {
    name: 'task-exists',
    rule: 'the task exists',
    check: ({ board, command: { task } }) =>
      task !== undefined && statusOf(board, task) === undefined
        ? noTask(board, task, 'Name the task you are on, or none')
        : undefined,
  };
}

function registeredActor<K extends CommandName>(): Guard<K> {
  return {
    name: 'registered',
    rule: 'the agent is registered',
    check: ({ state, actor }) =>
      state.agents[actor.id ?? ''] === undefined
        ? refuse(`${actorName(actor)} is not registered`, UNREGISTERED)
        : undefined,
  };
}

const UNREGISTERED = 'End this session: its supervisor is gone, and nothing it does counts';
