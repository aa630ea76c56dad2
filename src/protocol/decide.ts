// Decides one command on one board: the answer is the changed state or a refusal. Nothing else changes a status.
// The order of checks: role, input, task, epoch, already done, state, kill switches, guards, change, invariants.
// A change may not introduce a violation; a violation that was there before does not stop it.

import { duration, type Instant, iso, later } from '../text/time.ts';
import { type Actor, actorName, type Board, holdOn, isAgentPart, onHold, type Part, SUPERVISOR } from './board.ts';
import type { Command, CommandName } from './command.ts';
import type { Change, Row, Situation } from './command-row.ts';
import { STOP } from './commands/words.ts';
import { type Decided, type Decision, type Refusal, refuse } from './decision.ts';
import { findTask } from './find.ts';
import { settleSprint } from './goal/sprint.ts';
import { checkInput, concealed, refuseSecretInCommand } from './input.ts';
import { introduced } from './invariants.ts';
import { holdsWork } from './leases.ts';
import { admits, commandLine, goOnOrStop, haltedBy, isAgent, nextHint, openWhileHalted } from './next-commands.ts';
import { settleQueue } from './queue/settle.ts';
import type { RefusalName } from './refusal-names.ts';
import { retractedHint, retractedRefusal } from './review/retracted.ts';
import { isTerminal, type State, settings, type Task } from './state.ts';
import { TABLE } from './table.ts';
import { noTask as unknownTask } from './unknown-id.ts';
import { defined } from './values.ts';

/** At this share of its context an agent is told to hand off. */
export const HANDOFF_PERCENT = 90;

interface Asking {
  readonly actor: Actor;
  readonly now: Instant;
  /** Values that no text of an agent's command may hold; see text/redact.ts. */
  readonly secrets?: readonly string[];
}

export function decide(board: Board, asked: Command, { actor, now, secrets = [] }: Asking): Decision {
  const command = concealed(asked, actor, secrets);
  const row = TABLE[command.name] as unknown as Row<CommandName> | undefined;
  if (row === undefined)
    return refuse(`there is no command ${String(command.name)}`, 'See them: liza help --all', 1, 'command');
  const task = taskOf(board, row, command);
  const part = partFor(row, actor, task);
  if (part === undefined) return notYours({ board, row, command, actor, task });
  const named = (refusal: Refusal, by?: Refuser) => explain(command, refusal, by);
  const bad = checkInput(command);
  if (bad !== undefined) return named(bad);
  const told = refuseSecretInCommand(asked, command);
  if (told !== undefined) return named(told);
  if (Array.isArray(row.from) && task === undefined) return named(noTask(board, command, actor));

  const state = board.state;
  const situation = {
    board,
    state,
    settings: settings(state),
    actor,
    part,
    now,
    command,
    task,
    secrets,
    commandLine,
  } as Situation<CommandName>;
  const retracted =
    REVIEWING.has(command.name) && task !== undefined && part === 'code_reviewer'
      ? retractedRefusal(task, actor.id)
      : undefined;
  if (retracted !== undefined) return named(retracted, { name: 'state', raced: true });
  const stale = staleEpoch(situation, row);
  if (stale !== undefined) return named(stale, { name: 'epoch', raced: true });
  const done = row.already?.(situation) ?? false;
  if (done !== false) return alreadyDone(command, situation, done);
  if (task !== undefined && Array.isArray(row.from) && !admits(row, part, task.status)) {
    return named(wrongState(situation, row), { name: 'state', raced: true });
  }
  const halted = haltedBy(board, row, part, task);
  if (halted !== undefined)
    return named(onHold(board, halted, { task, open: openWhileHalted(state, part, task) }), { name: 'switches' });
  for (const guard of row.guards) {
    const refusal = guard.check(situation);
    if (refusal !== undefined) return named(refusal, guard);
  }
  const change = row.change(situation);
  if ('ok' in change) return named(change);
  const about = task === undefined ? change : { task: task.id, ...change };
  return checked(board, command, reminded(situation, about), now);
}

/** What ends a review, or leaves it to the next. */
const REVIEWING: ReadonlySet<CommandName> = new Set(['submit-verdict', 'handoff']);

/** Tells a running agent, with the answer to its own command, what it must do next about its session. */
function reminded(situation: Situation<CommandName>, change: Change): Change {
  const { stop, ...rest } = change;
  if (situation.command.name === 'exit') return rest;
  const note =
    sessionEnds(situation, change.state) ??
    stop ??
    pausedMeanwhile(situation, change.state) ??
    contextUsed(situation, change.state);
  return note === undefined ? rest : { ...rest, notes: [...(change.notes ?? []), note] };
}

/** This very command finished its part of the work: nothing is left to do, and its supervisor ends the session. */
function sessionEnds(
  { state, actor, command, now, settings: limits }: Situation<CommandName>,
  after: State,
): string | undefined {
  const id = actor.id ?? '';
  const held = state.agents[id]?.current_task ?? '';
  if (actor.session === undefined || actor.session === SUPERVISOR) return undefined;
  if (!holdsWork(findTask(state, held), id)) return undefined;
  const isLeft = command.name === 'handoff';
  if (!isLeft && holdsWork(findTask(after, held), id)) return undefined;
  const by = later(now, limits.pause_grace);
  return `${isLeft ? `What you left of ${held} is kept` : `Your part of ${held} is done`} and this session ends: ${exitLine(ENDED_BY[command.name] ?? 'done')}, then stop. At ${by} (in ${duration(limits.pause_grace * 1000)}) it is ended, and no later command counts.`;
}

/** It is typed as it stands, so it says what is so. */
const exitLine = (reason: string): string => commandLine('exit').replace('…', reason);

const ENDED_BY: Readonly<Partial<Record<CommandName, string>>> = {
  'submit-for-review': 'submitted',
  'submit-verdict': 'verdict given',
  handoff: 'handoff',
  block: 'blocked',
};

/** A pause takes what a session still finishes, for a while: it is told, because nothing else refuses it anything. */
function pausedMeanwhile(situation: Situation<CommandName>, after: State): string | undefined {
  const { board, actor, command, part, settings: limits } = situation;
  if (actor.session === undefined || !isAgentPart(part) || TABLE[command.name].whileHalted === true) return undefined;
  const own = findTask(after, after.agents[actor.id ?? '']?.current_task ?? '');
  const held = holdOn(board, own);
  if (held === undefined) return undefined;
  const since = held === 'PAUSE' ? board.switches.PAUSE : undefined;
  const fact = since === undefined ? `${own?.id} is paused` : `PAUSE is on since ${iso(since)}`;
  const by = since === undefined ? `within ${limits.pause_grace}s` : `by ${later(since, limits.pause_grace)}`;
  const left = commandLine(part === 'planner' ? 'handoff-plan' : 'handoff', own?.id);
  return `${fact}: start nothing else. Finish what you have ${by}, or ${left}; then ${exitLine('paused')}. Then this session is ended.`;
}

/** Its context is nearly used up. */
function contextUsed({ actor, command, part }: Situation<CommandName>, after: State): string | undefined {
  const agent = after.agents[actor.id ?? ''];
  if (agent === undefined || !isAgentPart(part) || (agent.context_percent ?? 0) < HANDOFF_PERCENT) return undefined;
  if (command.name === 'handoff' || command.name === 'handoff-plan') return undefined;
  const used = `${agent.context_percent} % of your context is used`;
  if (part === 'planner') return `${used}: ${commandLine('handoff-plan')} and ${exitLine('handoff')}`;
  const task = agent.current_task;
  if (task === undefined || (agent.status !== 'WORKING' && agent.status !== 'REVIEWING')) return undefined;
  const first = part === 'coder' ? 'commit what you have, then ' : '';
  return `${used}: ${first}${commandLine('handoff', task)} and ${exitLine('handoff')}`;
}

function taskOf(board: Board, row: Row<CommandName>, command: Command): Task | undefined {
  if (!Array.isArray(row.from) || !('task' in command) || typeof command.task !== 'string') return undefined;
  return findTask(board.state, command.task);
}

/** The first of the actor's parts that the row admits; where states differ by part, one that fits the state. */
function partFor(row: Row<CommandName>, actor: Actor, task: Task | undefined): Part | undefined {
  const mine = actor.parts.filter((part) => row.who.includes(part));
  return mine.find((part) => task !== undefined && admits(row, part, task.status)) ?? mine[0];
}

/** What names a command, before its arguments are known to be right. */
interface Named {
  readonly name: CommandName;
  readonly task?: string;
}

/** Refuses what none of the actor's parts may ever run, whatever the arguments; undefined: one of them may. */
export function refusedByRole(board: Board, command: Named, actor: Actor): Refusal | undefined {
  const row = TABLE[command.name] as unknown as Row<CommandName>;
  if (partFor(row, actor, undefined) !== undefined) return undefined;
  const task = command.task === undefined ? undefined : findTask(board.state, command.task);
  return notYours({ board, row, command, actor, task });
}

interface NotYours {
  readonly board: Board;
  readonly row: Row<CommandName>;
  readonly command: Named;
  readonly actor: Actor;
  readonly task: Task | undefined;
}

function notYours({ board, row, command, actor, task }: NotYours): Refusal {
  const who = actor.id === undefined ? actorName(actor) : `${actor.id} (${actor.parts.join(', ')})`;
  const fact = `it is for ${row.who.map(spoken).join(' or ')}, not for ${who}`;
  return explain(command, refuse(fact, whatInstead({ board, row, command, actor, task })), { name: 'role' });
}

function whatInstead({ board, row, command, actor, task }: NotYours): string {
  if (isAgent(actor)) return task === undefined ? goOnOrStop(board, actor) : nextHint(board, actor, task);
  const agent = 'agent' in command && typeof command.agent === 'string' ? command.agent : '<agent>';
  if (actor.id === undefined && row.who.includes('supervisor')) {
    return `Run it under the agent’s id: LIZA_AGENT_ID=${agent}`;
  }
  if (actor.id !== undefined && actor.parts.includes('supervisor') && row.who.includes('human')) {
    return `LIZA_AGENT_ID says that you are ${actor.id}; to act as yourself: unset LIZA_AGENT_ID`;
  }
  if (task?.status === 'READY_FOR_REVIEW' && row.who.every((part) => part === 'code_reviewer')) {
    return `A person reviews under a separate id, in a shell with LIZA_AGENT_ID=${freeReviewer(board.state)}: register, claim-review, then this (an approval with --by-hand); each line: liza help ${command.name}`;
  }
  return task === undefined ? 'See what your role may do: liza help roles' : nextHint(board, actor, task);
}

function freeReviewer({ agents }: State): string {
  for (let n = 1; ; n++) {
    const id = `code-reviewer-${n}`;
    if (agents[id] === undefined) return id;
  }
}

function noTask(board: Board, command: Command, actor: Actor): Refusal {
  const id = 'task' in command ? String(command.task) : '';
  const archived = board.archived.get(id);
  if (archived === undefined) {
    const plans = TABLE['add-task'].who.some((part) => actor.parts.includes(part));
    const see = !isAgent(actor)
      ? undefined
      : plans
        ? `Add it first: ${commandLine('add-task', id)}; see the tasks: liza status`
        : goOnOrStop(board, actor);
    return { ...unknownTask(board, id, see), guard: 'task-exists' };
  }
  return refuse(`${id} is ${archived} and archived, which is final`, `See it: liza show ${id}`, 1, 'terminal');
}

/** Refuses a session that has lost its task. Epochs are counted per task: another's says nothing about this session. */
function staleEpoch({ actor, task, state }: Situation<CommandName>, row: Row<CommandName>): Refusal | undefined {
  if (actor.epoch === undefined) return undefined;
  const isOwn = task === undefined || row.ownEpoch === true;
  if (!isOwn && worksElsewhere(state, actor, task)) return undefined;
  const current = isOwn ? state.agents[actor.id ?? '']?.epoch : (task.epoch ?? 0);
  if (current === undefined || current === actor.epoch) return undefined;
  if (row.who.includes('planner') && actor.parts.includes('planner')) return undefined;
  const where = task === undefined ? (actor.id ?? '') : task.id;
  const hint = (task === undefined ? undefined : retractedHint(task, actor.id)) ?? STOP;
  return refuse(`lease lost: ${where} is at epoch ${current}, this session has ${actor.epoch}`, hint);
}

/** It is still at work, on another task than this one: it has mistaken the id, and the guards say whose that is. */
function worksElsewhere(state: State, { id = '', epoch }: Actor, asked: Task): boolean {
  const agent = state.agents[id];
  const own = agent?.current_task;
  return own !== undefined && own !== asked.id && agent?.epoch === epoch && !holdsWork(asked, id);
}

function alreadyDone(
  command: Command,
  { state, task }: Pick<Situation<CommandName>, 'state' | 'task'>,
  done: true | string,
): Decided {
  return {
    ok: true,
    state,
    already: true,
    detail: `${label(command)} had already taken effect${done === true ? '' : `: ${done}`}`,
    ...(done === true ? {} : { made: done }),
    ...(task === undefined ? {} : { task: task.id }),
  };
}

function wrongState({ board, part, actor, task }: Situation<CommandName>, row: Row<CommandName>): Refusal {
  if (isTerminal(task.status)) {
    return refuse(`${task.id} is ${task.status}, which is final`, `See how it ended: liza show ${task.id}`);
  }
  const from = row.fromOf?.[part] ?? row.from;
  const allowed = Array.isArray(from) ? from.join(', ') : '';
  return refuse(
    `${task.id} is ${task.status}, and ${row.typed ?? row.name} by ${spoken(part)} needs ${allowed}`,
    row.instead?.(task, commandLine, part, actor) ?? nextHint(board, actor, task),
  );
}

function checked(board: Board, command: Command, change: Change, now: Instant): Decision {
  const decided: Decided = { ok: true, ...change, state: settleQueue(settleSprint(board, change, now), now) };
  const violations = introduced(board, decided.state, change.archive);
  if (violations.length === 0) return decided;
  const first = violations.slice(0, 3).map((violation) => violation.message);
  return explain(
    command,
    refuse(`it would leave the state inconsistent: ${first.join('; ')}`, 'See what is wrong: liza validate', 4),
    { name: 'invariants' },
  );
}

/** A guard of the row, or a step around them. */
interface Refuser extends Pick<Refusal, 'needs' | 'raced'> {
  readonly name: RefusalName;
}

function explain(command: Named, refusal: Refusal, by: Refuser = { name: 'input' }): Refusal {
  return {
    ...refusal,
    message: `${label(command)} refused: ${refusal.message}`,
    guard: refusal.guard ?? by.name,
    ...defined({ needs: by.needs, raced: by.raced }),
  };
}

function label(command: Named): string {
  const subject = 'task' in command && typeof command.task === 'string' ? ` ${command.task.slice(0, 80)}` : '';
  return `${TABLE[command.name].typed ?? command.name}${subject}`;
}

const SPOKEN: Readonly<Record<Part, string>> = {
  human: 'a person',
  supervisor: 'the supervisor',
  planner: 'the planner',
  coder: 'a coder',
  code_reviewer: 'a reviewer',
};
const spoken = (part: Part): string => SPOKEN[part];
