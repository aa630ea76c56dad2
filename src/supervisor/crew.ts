// Several supervisors in one process, with the watcher beside them: `liza run`, and with a single member `liza agent`.
// Starts them, shows what they do, and ends when nothing is left that could move without a person.

import { setMaxListeners } from 'node:events';
import type { Alarm } from '../alarms/rules/alarm.ts';
import { type FollowedBase, followBase } from '../git/base-branch.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { type BaseDistance, baseLag } from '../protocol/goal/base-distance.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Detected } from '../sandbox/detect.ts';
import { isUnconfined } from '../sandbox/mode.ts';
import type { Snapshot } from '../store/store.ts';
import { redact, secretsOf } from '../text/redact.ts';
import { isBusy, trackMember } from './agent-status.ts';
import { calledAgain } from './called-again.ts';
import type { SupervisorContext } from './context.ts';
import { startBackground } from './crew-background.ts';
import { prepareProject } from './crew-start.ts';
import type { CrewControl, CrewEnd, CrewEvent, CrewView } from './crew-view.ts';
import { renewOwn } from './heartbeat.ts';
import { endOf, type SupervisedAgent, whenIdle } from './idle.ts';
import { enrol, supervise } from './loop.ts';
import { newMemory, type Supervised } from './loop-state.ts';
import { whyNothingMoves } from './rules/why-idle.ts';

export interface CrewOptions {
  readonly context: Omit<SupervisorContext, 'emit'>;
  readonly members: readonly Supervised[];
  /** Ends when nothing moves any more without a person, and when the goal is complete. */
  readonly untilIdle: boolean;
  /** PAUSE and a paused task do not end it: the person who set them is there, and takes them away again. */
  readonly outlastsPause?: boolean;
  readonly watcher: boolean;
  readonly preflight?: CrewPreflight | undefined;
}

/** What is checked beside the supervisors when they start. */
export interface CrewPreflight {
  /** Why no coder takes work yet. */
  held(): string | undefined;
  /** Until `over` at the latest. */
  run(context: SupervisorContext, over: AbortSignal): Promise<void>;
}

/** A crew at work. */
export interface Crew {
  readonly context: SupervisorContext;
  readonly members: readonly SupervisedAgent[];
  readonly orderly: AbortController;
  readonly atOnce: AbortController;
  /** Why it was asked to end; the first reason stays. */
  why?: string;
  /** All supervisors have ended. */
  readonly over: AbortController;
  readonly alarms: Map<string, Alarm>;
  readonly feed: Feed;
  /** What this machine has to confine agents; absent: nobody asked. */
  readonly sandboxFound: Detected | undefined;
  /** How far the person's branch is from integration. */
  base: BaseDistance | undefined;
  readonly followBase: FollowedBase;
  /** The board as it was last seen, for people. */
  snapshot: Snapshot;
}

export async function startCrew(options: CrewOptions): Promise<CrewControl | Refusal> {
  const feed = openFeed(options.context);
  const { preflight } = options;
  const context: SupervisorContext = {
    running: new Map(),
    ...options.context,
    ...(preflight && { codeHeld: preflight.held }),
    emit: feed.add,
  };
  const snapshot = await prepareProject(context, options.members[0]?.agent ?? 'planner-1');
  if (isRefusal(snapshot)) return snapshot;
  const refused = await enrolAll(context, options.members);
  if (refused !== undefined) return refused;
  const follow = followBase(context);
  const base = await follow(snapshot.board).catch(() => undefined); // looked at again soon
  const sandboxFound = await context.sandboxSupport?.detect();
  const crew: Crew = { ...gather(context, options.members, feed, snapshot), sandboxFound, base, followBase: follow };
  const stopBackground = startBackground(crew, options.watcher);
  const deaf = context.git.onOverrun?.(({ folder, text }) =>
    context.emit({ level: 'alarm', text: `${text} → look at ${folder}` }),
  );
  const startHere = context.git.startAside?.();
  const lockHere = context.locks.keepReady?.(context.paths.lock);
  const checked = checkBeside(crew, preflight);
  const stopAll = async (): Promise<void> => {
    await Promise.all([stopBackground(), checked]);
    deaf?.();
    startHere?.();
    lockHere?.();
    context.served?.close();
  };
  return controlOf(crew, runToEnd(crew, options, stopAll));
}

/** All of them, or none: who starts again finds the ids free. */
async function enrolAll(context: SupervisorContext, members: readonly Supervised[]): Promise<Refusal | undefined> {
  for (const [at, who] of members.entries()) {
    const refused = await enrol(context, who);
    if (refused === undefined) continue;
    const { state } = (await context.store.read()).board;
    for (const { agent } of members.slice(0, at)) await renewOwn(context, agent, state, undefined, true);
    return refused;
  }
  return undefined;
}

/** A check that fails by itself ends no agent. */
async function checkBeside({ context, over, orderly }: Crew, preflight: CrewPreflight | undefined): Promise<void> {
  const ended = AbortSignal.any([over.signal, orderly.signal]);
  await preflight?.run(context, ended).catch((error: unknown) => {
    context.emit({ level: 'warning', text: `pre-flight could not run: ${(error as Error).message}` });
  });
}

const EVENTS_KEPT = 200;

/** What happened, for people; and who is called after a change of anything they see. */
interface Feed {
  readonly events: CrewEvent[];
  readonly listeners: Set<() => void>;
  add(event: Omit<CrewEvent, 'time'>): void;
  changed(): void;
}

function openFeed({ env, clock }: CrewOptions['context']): Feed {
  const secrets = secretsOf(env);
  const events: CrewEvent[] = [];
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const add = (event: Omit<CrewEvent, 'time'>): void => {
    events.push({ ...event, text: redact(event.text, secrets), time: clock.now() });
    if (events.length > EVENTS_KEPT) events.splice(0, events.length - EVENTS_KEPT);
    changed();
  };
  return { events, listeners, add, changed };
}

const gather = (
  context: SupervisorContext,
  members: readonly Supervised[],
  feed: Feed,
  snapshot: Snapshot,
): Omit<Crew, 'sandboxFound' | 'base' | 'followBase'> => ({
  context,
  members: members.map((who) => {
    const { agent, role, chosen } = who;
    const shown = { agent, role, provider: chosen.provider.name };
    return { who, member: trackMember(shown, context.clock.now, feed.changed), memory: newMemory() };
  }),
  orderly: heardByAll(),
  atOnce: heardByAll(),
  over: heardByAll(),
  alarms: new Map(),
  feed,
  snapshot,
});

/** Every supervisor listens to it: Node takes more than ten for a leak, and would say so on the person's screen. */
function heardByAll(): AbortController {
  const control = new AbortController();
  setMaxListeners(0, control.signal);
  return control;
}

/** All supervisors, until the last one has ended, and what ran beside them. */
async function runToEnd(
  crew: Crew,
  { untilIdle, outlastsPause = false }: CrewOptions,
  stopBackground: () => Promise<void>,
): Promise<CrewEnd> {
  const { context, members, orderly, over } = crew;
  const from = context.clock.now();
  const loops = superviseAll(crew);
  const ends = { stopped: orderly.signal, over: over.signal, outlastsPause, from };
  const idling = untilIdle ? whenIdle(context, members, ends) : new Promise<never>(() => {});
  try {
    const idle = await Promise.race([loops.then(() => undefined), idling]);
    if (idle !== undefined) crew.why ??= idle.message;
    orderly.abort();
    context.changeSignal.notify();
    const failed = await loops;
    if (failed !== undefined) throw failed.error;
    return idle ?? (await endOf(context, members, from));
  } finally {
    over.abort();
    await stopBackground();
  }
}

/** One that fails (a full disk, or a bug of ours) stops all, so that no agent is left running. */
async function superviseAll(crew: Crew): Promise<{ readonly error: unknown } | undefined> {
  const { context, members, orderly, atOnce, feed } = crew;
  const stop = { orderly: orderly.signal, atOnce: atOnce.signal, why: () => crew.why };
  let failed: { readonly error: unknown } | undefined;
  const superviseOne = async (one: SupervisedAgent): Promise<void> => {
    try {
      const loop = { context, stop, who: one.who, member: one.member, memory: one.memory };
      one.end = await supervise(loop);
      context.changeSignal.notify();
      const others = members.filter((other) => other !== one);
      if ((await calledAgain(context, one, others, stop.orderly)) && (await enrol(context, one.who)) === undefined)
        one.end = await supervise(loop);
    } catch (error) {
      failed ??= { error };
      const { message } = error as Error;
      one.member.set('stopped', { why: message });
      crew.why ??= `${one.who.agent} failed: ${message}`;
      orderly.abort();
    }
    feed.changed();
    context.changeSignal.notify();
  };
  await Promise.all(members.map(superviseOne));
  return failed;
}

function controlOf(crew: Crew, ended: Promise<CrewEnd>): CrewControl {
  const { feed } = crew;
  return {
    ended,
    view: () => viewOf(crew),
    onChange: (listener) => {
      feed.listeners.add(listener);
      return () => feed.listeners.delete(listener);
    },
    stop: (why) => {
      if (why !== undefined) crew.why ??= why;
      stopCrew(crew);
    },
  };
}

function viewOf({ context, members, snapshot: { board }, alarms, feed, sandboxFound, base }: Crew): CrewView {
  const unconfined = isUnconfined(context.sandboxSupport, sandboxFound, settings(board.state));
  const now = context.clock.now();
  const waitsFor = members.some(({ member }) => isBusy(member)) ? undefined : whyNothingMoves(board, now, { base });
  // After the goal's end `liza finish` is the step, which merges both.
  const lag = board.state.goal.status === 'COMPLETED' ? undefined : baseLag(base);
  return {
    now,
    board,
    members: members.map(({ member }) => member.view()),
    alarms: [...alarms.values()],
    events: [...feed.events],
    ...defined({ waitsFor, lag }),
    ...(unconfined === true ? { unconfined } : {}),
  };
}

/** What agents get to end in order: all of it, with what Liza records afterwards, is over within ten seconds. */
const ORDERLY_MS = 5000;

/** First: agents are asked to end. Again, or when that takes too long: at once. */
function stopCrew({ context, members, orderly, atOnce, over }: Crew): void {
  const again = orderly.signal.aborted;
  if (again) atOnce.abort();
  else void context.clock.sleep(ORDERLY_MS, over.signal).then(() => atOnce.abort());
  const tell = (text: string): void => context.emit({ level: 'info', text });
  if (again) tell('stopping at once');
  else {
    // Whoever asks twice in one moment (liza stop --now) wants it at once: how to ask again is no news then.
    void Promise.resolve().then(() => {
      if (!atOnce.signal.aborted)
        tell('stopping: agents are asked to end; to end them at once: Ctrl-C again, or liza stop --now');
    });
    const calm = context.git.hurry?.();
    if (calm !== undefined) over.signal.addEventListener('abort', calm, { once: true });
  }
  orderly.abort();
  context.changeSignal.notify();
  for (const { member } of members) if (member.view().state !== 'stopped') member.set('stopping');
}
