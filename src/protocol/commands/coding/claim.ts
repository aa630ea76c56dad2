// The rows of a coder's claim: registration, reservation, and the claim itself; release.ts takes them back.
// Every claim raises the epoch, so that a former holder of the task is refused.

import { duration, iso, later } from '../../../text/time.ts';
import { type LeaseView, roleOfId } from '../../board.ts';
import { attach, detach, event, evolve, type Patch, patch, withAgent, withTask } from '../../change.ts';
import type { CommandName } from '../../command.ts';
import type { BoardSituation, Guard, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { findTask, unmergedDependencies } from '../../find.ts';
import { agentLease, claimingBy, lastCoder, reservedFor, startCommit, taskLease } from '../../leases.ts';
import { whyBacklogged } from '../../queue/backlog.ts';
import type { Agent, HistoryEvent, Role, Settings, Task, TaskStatus } from '../../state.ts';
import { defined } from '../../values.ts';
import { isExhausted } from '../../work/blocked.ts';
import { type Loss, lossText } from '../../work/losses.ts';
import { continuesIteration, goesOn, worktreePlan } from '../../work/worktree-plan.ts';
import { mayStart } from '../operator/may-start.ts';

type ClaimName = 'reserve-claim' | 'claim-task';

export const CLAIMABLE = [
  'UNCLAIMED',
  'REJECTED',
  'CLAIMED',
  'INTEGRATION_FAILED',
] as const satisfies readonly TaskStatus[];

/** A supervisor acts for its own agent only. */
export function ownAgent<K extends CommandName>(agentOf: (command: BoardSituation<K>['command']) => string): Guard<K> {
  return {
    name: 'own-agent',
    rule: 'a supervisor acts only for its own agent id',
    check: ({ actor, command }) =>
      actor.id !== undefined && actor.id !== agentOf(command)
        ? refuse(
            `${actor.id} cannot act for ${agentOf(command)}`,
            `Run it for ${actor.id}, or under LIZA_AGENT_ID=${agentOf(command)}`,
          )
        : undefined,
  };
}

export function registeredAs<K extends 'reserve-claim' | 'claim-task' | 'claim-review'>(role: Role): Guard<K> {
  return {
    name: 'registered',
    rule: `the agent is registered as ${role}`,
    check: ({ state, command }) => {
      const agent = state.agents[command.agent];
      if (agent?.role === role) return undefined;
      return agent === undefined
        ? refuse(
            `${command.agent} is not registered`,
            `Start it: liza agent ${role.replace('_', '-')}; to work under that id yourself: liza register ${command.agent}`,
          )
        : refuse(
            `${command.agent} is a ${agent.role}, and only a ${role} may take this`,
            `Name a ${role}: liza status shows them`,
          );
    },
  };
}

/** A coder whose rejected task is paused may take another one; any other live task keeps it busy. */
export function noOtherTask<K extends 'reserve-claim' | 'claim-task' | 'claim-review'>(): Guard<K> {
  return {
    name: 'no-other-task',
    rule: 'the agent has no other task',
    check: ({ state, task, command }) => {
      const busy = state.agents[command.agent]?.current_task;
      if (busy === undefined || busy === task.id) return undefined;
      const other = findTask(state, busy);
      if (other === undefined || (other.status === 'REJECTED' && other.paused === true)) return undefined;
      const waits = other.status === 'READY_FOR_REVIEW' ? 'waits for the verdict on' : 'is on';
      return refuse(`${command.agent} ${waits} ${busy} (${other.status})`, `Finish that first: liza show ${busy}`);
    },
  };
}

export const register: Row<'register'> = {
  name: 'register',
  syntax: 'agent <role>',
  summary: 'Registers an agent id; refused while another process uses it.',
  who: ['supervisor'],
  from: 'board',
  irreversible: true,
  guards: [
    ownAgent((command) => command.agent),
    {
      name: 'id-fits-role',
      rule: 'the id is {role}-{n}',
      check: ({ command }) => {
        if (roleOfId(command.agent) === command.role) return undefined;
        const example = `${command.role.replace('_', '-')}-1`;
        return refuse(
          `the id ${command.agent} does not fit the role ${command.role}`,
          `Use an id like ${example}: LIZA_AGENT_ID=${example}`,
        );
      },
    },
    {
      name: 'no-live-lease',
      rule: 'no live lease is held under this id',
      check: ({ board, command, now }) => {
        const lease = agentLease(board, command.agent, now);
        if (board.state.agents[command.agent] === undefined || lease.expired) return undefined;
        return refuse(
          `${command.agent} is alive in another process (lease for another ${duration(lease.remaining)})`,
          'Choose another id, or end that process and wait until its lease ends',
        );
      },
    },
  ],
  effects: 'agent IDLE with a lease; it keeps a task it still owns',
  change: ({ state, command, now, settings }) => {
    const { agent: id, role, terminal, provider } = command;
    const former = state.agents[id];
    const owned = former?.current_task === undefined ? undefined : findTask(state, former.current_task);
    const waits = owned?.assigned_to === id && (owned.status === 'READY_FOR_REVIEW' || owned.status === 'REJECTED');
    const keeps = waits || (owned?.status === 'CLAIMED' && owned.assigned_to === id) || owned?.reviewing_by === id;
    const agent: Agent = patch<Agent>(
      { ...(former ?? { iterations_total: 0, context_percent: 0 }), role, status: waits ? 'WAITING' : 'IDLE' },
      {
        lease_expires: later(now, settings.lease_duration),
        heartbeat: iso(now),
        process: command.process,
        // A new epoch: the lease record of the dead process does not count for this one.
        epoch: former === undefined ? undefined : (former.epoch ?? 0) + 1,
        current_task: keeps ? former?.current_task : undefined,
        declared_exit: undefined,
        trouble: undefined,
        terminal: terminal ?? former?.terminal,
        provider: provider ?? former?.provider,
      },
    );
    return { state: withAgent(state, id, agent), detail: `${id} registered as ${role}` };
  },
};

function claimGuards<K extends ClaimName>(): readonly Guard<K>[] {
  return [
    ownAgent((command) => (command as { agent: string }).agent),
    registeredAs('coder') as Guard<K>,
    noOtherTask() as Guard<K>,
    { name: 'not-excluded', rule: 'the coder is not excluded from the task', check: notExcluded },
    {
      name: 'lease-past',
      rule: 'a CLAIMED task: its lease is past, its holder provably dead, or the same coder returns from a handoff or restart',
      raced: true,
      check: leasePast,
    },
    {
      name: 'reservation',
      rule: 'nobody else has it reserved: a REJECTED task is its coder’s while that agent lives, one that was answered or unblocked for a coder is that one’s for lease_duration at most',
      raced: true,
      check: notReserved,
    },
    {
      name: 'not-being-claimed',
      rule: 'nobody else is preparing a worktree for it',
      raced: true,
      check: notBeingClaimed,
    },
    { name: 'dependencies-merged', rule: 'all dependencies are MERGED', check: dependenciesMerged },
    { name: 'not-exhausted', rule: 'fewer than two coders failed it as it is defined', check: notExhausted },
    ...mayStart<K>(),
  ];
}

function notExcluded({ task, command }: Situation<ClaimName>): Refusal | undefined {
  if (!task.excluded_coders?.includes(command.agent)) return undefined;
  return refuse(`${command.agent} is excluded from ${task.id}`, 'Leave it to another coder: liza status');
}

function leasePast({ board, state, task, command, now, commandLine }: Situation<ClaimName>): Refusal | undefined {
  if (task.status !== 'CLAIMED') return undefined;
  const lease = taskLease(board, task, now);
  if (lease.expired) return undefined;
  // Its coder is not WORKING: it has registered again or handed off, so its former session is over.
  if (task.assigned_to === command.agent && state.agents[command.agent]?.status !== 'WORKING') return undefined;
  return refuse(
    `${task.assigned_to} holds ${task.id} for another ${duration(lease.remaining)}`,
    `Wait until its lease ends, or take the task from it: ${commandLine('release-claim', task.id)}`,
  );
}

function notReserved({ board, task, command, now, commandLine }: Situation<ClaimName>): Refusal | undefined {
  const reserved = reservedFor(board, task, now);
  if (reserved === undefined || reserved === command.agent) return undefined;
  return refuse(
    `${task.id} is reserved for ${reserved}, whose lease is live`,
    `Leave it to ${reserved}: ${commandLine('claim-task', task.id).replace('<agent>', reserved)}`,
  );
}

function notBeingClaimed({ board, task, command, now }: Situation<ClaimName>): Refusal | undefined {
  const claiming = claimingBy(board, task, now);
  if (claiming === undefined || (claiming === command.agent && !fromElsewhere(task, command))) return undefined;
  return refuse(`${claiming} is claiming ${task.id} right now`, 'Take another task: liza status');
}

/** Another process of the same agent id: two processes that prepare one worktree undo each other's work. */
const fromElsewhere = ({ claiming }: Task, command: object): boolean =>
  'process' in command && claiming?.process !== undefined && claiming.process !== command.process;

function dependenciesMerged({ board, task }: Situation<ClaimName>): Refusal | undefined {
  const missing = unmergedDependencies(board, task);
  if (missing.length === 0) return undefined;
  const named = missing.slice(0, 10).join(', ');
  return refuse(`it depends on ${named}, not MERGED yet`, `Those must be merged first: liza show ${missing[0]}`);
}

function notExhausted({ task, commandLine }: Situation<ClaimName>): Refusal | undefined {
  if (!isExhausted(task)) return undefined;
  return refuse(
    `${task.failures_current?.join(' and ')} failed it as it is defined`,
    `The planner rescopes it: ${commandLine('supersede', task.id)}`,
  );
}

export const reserveClaim: Row<'reserve-claim'> = {
  name: 'reserve-claim',
  typed: 'claim-task',
  syntax: 'claim-task {task} <agent>',
  summary: 'First phase of a claim: hold the task while its worktree is created.',
  who: ['supervisor'],
  from: CLAIMABLE,
  inner: true,
  irreversible: true,
  startsWork: true,
  guards: [
    ...claimGuards<'reserve-claim'>(),
    {
      name: 'few-unmerged',
      rule: 'an UNCLAIMED task: at most max_unmerged approved tasks wait that could be merged now',
      raced: true,
      check: ({ board, task, now }) => {
        const why = whyBacklogged(board, task, now);
        return why === undefined
          ? undefined
          : refuse(why, 'It can be claimed when some of them are merged: liza queue');
      },
    },
  ],
  effects: 'claiming {by, epoch, expires, process}; the status stays',
  change: ({ state, task, command, now, settings }) => ({
    state: withTask(
      state,
      patch(task, {
        claiming: {
          by: command.agent,
          epoch: (task.epoch ?? 0) + 1,
          expires: later(now, settings.long_lease_duration),
          ...defined({ process: command.process }),
        },
      }),
    ),
    detail: `${command.agent} prepares to claim ${task.id}`,
  }),
};

export const claimTask: Row<'claim-task'> = {
  name: 'claim-task',
  syntax: 'claim-task {task} <agent>',
  summary: 'Give a task to a coder.',
  who: ['supervisor'],
  from: CLAIMABLE,
  to: ['CLAIMED'],
  irreversible: true,
  startsWork: true,
  already: ({ board, state, task, command, now }) =>
    task.status === 'CLAIMED' &&
    task.assigned_to === command.agent &&
    task.base_commit === command.base_commit &&
    task.worktree === command.worktree &&
    state.agents[command.agent]?.status === 'WORKING' &&
    state.agents[command.agent]?.current_task === task.id &&
    !taskLease(board, task, now).expired,
  guards: claimGuards(),
  effects:
    'assigned_to, worktree, base_commit, lease, epoch+1; iteration 1, or +1 for the same coder’s rework and an integration fix; another coder continues what was handed off or left by one that died or lost its lease (takeover), and starts fresh after a rejection; what its budget had stopped continues under any coder, and what its coder blocked under that one, in a kept worktree',
  change: (s) => {
    const { task, command, now, settings } = s;
    const { agent } = command;
    const former = lastCoder(task);
    const takeover = continuesIteration(task, agent, settings);
    const epoch = (task.epoch ?? 0) + 1;
    const expires = later(now, settings.lease_duration);
    const plan = worktreePlan(task, agent, settings);
    const progress = progressOf(task, agent, settings);
    const reassigned = former !== undefined && former !== agent ? [reassignment(s, former, plan === 'continue')] : [];
    const lost = lossText(reassigned[0]?.why);
    const claimed = evolve(
      task,
      {
        status: 'CLAIMED',
        assigned_to: agent,
        worktree: command.worktree,
        base_commit: command.base_commit,
        lease_expires: expires,
        epoch,
        claiming: undefined,
        reserved_for: undefined,
        keep_worktree: undefined,
        handoff_pending: undefined,
        review_commit: undefined,
        approved_by: undefined,
        ...progress,
      },
      ...reassigned,
      event(s, 'claimed', {
        agent,
        from: task.status,
        epoch,
        iteration: progress.iteration,
        base_commit: command.base_commit,
        // A takeover continues the iteration, so the iteration keeps its start commit.
        start_commit: takeover ? startCommit(task) : (command.start_commit ?? command.base_commit),
        baseline: command.baseline,
        tip: command.tip,
        kept: command.kept,
        ...(takeover ? { takeover: true } : {}),
        ...(plan === 'fresh' && former !== undefined ? { fresh: true } : {}),
        former: command.former,
      }),
    );
    const freed = detach(withTask(s.state, claimed), task.id);
    const state = attach(freed, agent, claimed, { status: 'WORKING', expires, now: iso(now) });
    return {
      state,
      detail: `${agent} claimed ${task.id} (iteration ${progress.iteration}, epoch ${epoch})${lost === undefined ? '' : `, from ${former}: ${lost}`}`,
    };
  },
};

type Progress = Patch<Task> & { readonly iteration: number };

/** Whose work it was, and why that coder lost it: the next one is told. */
function reassignment(s: Situation<'claim-task'>, from: string, continued: boolean): HistoryEvent {
  const { board, task, command, now } = s;
  const why = task.status === 'CLAIMED' ? lossOf(task, taskLease(board, task, now)) : undefined;
  return event(s, 'reassigned', {
    agent: command.agent,
    from,
    ...defined({ why }),
    ...(continued ? { continued } : {}),
  });
}

const lossOf = (task: Task, lease: LeaseView): Loss =>
  task.handoff_pending === true ? 'handoff' : lease.dead ? 'dead' : 'lease';

/** A coder that starts fresh from the integration head has no failed merge to fix. */
const progressOf = (task: Task, agent: string, settings: Settings): Progress =>
  worktreePlan(task, agent, settings) === 'fresh'
    ? { ...countOf(task, agent, settings), integration_fix: undefined }
    : countOf(task, agent, settings);

/** Iteration and review cycles after a claim, by where the task comes from and who takes it. */
function countOf(task: Task, agent: string, settings: Settings): Progress {
  const iteration = task.iteration ?? 0;
  const same = lastCoder(task) === agent;
  switch (task.status) {
    case 'INTEGRATION_FAILED':
      return { iteration: iteration + 1, integration_fix: true, review_cycles_current: 0 };
    case 'REJECTED':
      return same ? { iteration: iteration + 1 } : { iteration: 1, review_cycles_current: 0 };
    case 'CLAIMED':
      return same || continuesIteration(task, agent, settings)
        ? { iteration: Math.max(1, iteration) }
        : { iteration: 1, review_cycles_current: 0 };
    default:
      // Review cycles count the current work: they continue only when the same coder continues it.
      return {
        iteration: goesOn(task, agent) ? Math.max(1, iteration) : 1,
        ...(same && task.keep_worktree === true ? {} : { review_cycles_current: 0 }),
      };
  }
}
