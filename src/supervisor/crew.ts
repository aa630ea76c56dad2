// Several supervisors in one process, with the watcher beside them: `liza run`, and with a single member
// `liza agent`. Starts them, shows what they do, and knows when there is nothing left that could move
// without a person.

import { type Alarm, unsigned } from '../alarms/rules/alarm.ts';
import { watchBoard } from '../alarms/watcher.ts';
import { recordGoneUse } from '../budget/unrecorded-usage.ts';
import { installHook } from '../identity/project-hook.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { sandboxMode, sandboxModeText, sweepRooms } from '../sandbox/mode.ts';
import { transact } from '../store/transact.ts';
import { reconcile } from '../tasks/reconcile.ts';
import { redact, secretsOf } from '../text/redact.ts';
import type { Instant } from '../text/time.ts';
import { type MemberStatus, trackMember } from './agent-status.ts';
import { type SupervisorContext, taskContextOf } from './context.ts';
import type { CrewControl, CrewEnd, CrewEvent, CrewView } from './crew-view.ts';
import { keepGoverning } from './govern-loop.ts';
import { endOf, type SupervisedAgent, whenIdle } from './idle.ts';
import { enrol, supervise } from './loop.ts';
import { freshMemory, type Supervised } from './loop-state.ts';
import { keepUp } from './restart-on-error.ts';
import { turnOf } from './rules/next-duty.ts';
import { whyNothingMoves } from './rules/why-idle.ts';
import { tidier } from './tidy-folders.ts';

export interface CrewOptions {
  readonly context: Omit<SupervisorContext, 'tell'>;
  readonly members: readonly Supervised[];
  /** Ends when nothing moves any more without a person, and when the goal is complete. */
  readonly untilIdle: boolean;
  /** PAUSE and a paused task do not end it: the person who set them is there, and takes them away again. */
  readonly outlastsPause?: boolean;
  readonly watcher: boolean;
}

const HAPPENINGS = 200;

export async function startCrew(options: CrewOptions): Promise<CrewControl | Refusal> {
  const events: CrewEvent[] = [];
  const listeners = new Set<() => void>();
  const alarmsOn = new Map<string, Alarm>();
  const secrets = secretsOf(options.context.env);
  const changed = (): void => {
    for (const tell of [...listeners]) tell();
  };
  const context: SupervisorContext = {
    running: new Map(),
    ...options.context,
    tell: (event) => {
      const text = redact(event.text, secrets);
      events.push({ ...event, text, time: options.context.clock.now() });
      if (events.length > HAPPENINGS) events.splice(0, events.length - HAPPENINGS);
      changed();
    },
  };
  const { store, clock, changeSignal } = context;
  let snapshot = await store.read();
  const { spec_ref: spec } = snapshot.board.state.goal;
  if (spec !== undefined && !context.specExists(spec)) {
    return refuse(
      `the goal's document ${spec} is not there`,
      `bring it back: git checkout -- ${spec.split('#')[0]}`,
      1,
      'spec',
    );
  }
  const sandboxSupport = await sandboxMode(context.sandboxSupport, settings(snapshot.board.state));
  if (isRefusal(sandboxSupport)) return sandboxSupport;
  if (context.sandboxSupport !== undefined) {
    const remedy = 'tool' in sandboxSupport || sandboxSupport.remedy === undefined ? '' : `; ${sandboxSupport.remedy}`;
    context.tell({ level: remedy === '' ? 'info' : 'warning', text: `${sandboxModeText(sandboxSupport)}${remedy}` });
  }
  sweepRooms(context.paths.root);
  const mended = await reconcile(taskContextOf(context, options.members[0]?.agent ?? 'planner-1'));
  if (isRefusal(mended)) return mended;
  for (const { subject, problem, done, resists } of mended) {
    const text = `${subject}: ${problem}; ${done ?? resists?.message ?? ''}`;
    context.tell({ level: done === undefined ? 'warning' : 'info', text });
  }
  const { integration_branch: branch } = settings(snapshot.board.state);
  const unguarded = await installHook(context.env, context.paths.root, branch);
  if (unguarded !== undefined) context.tell({ level: 'warning', text: unguarded });
  await recordGoneUse(context, await store.read());
  for (const who of options.members) {
    const refused = await enrol(context, who);
    if (refused !== undefined) return refused;
  }
  const orderly = new AbortController();
  const atOnce = new AbortController();
  const over = new AbortController();
  const stop = { orderly: orderly.signal, atOnce: atOnce.signal };
  const supervised: readonly SupervisedAgent[] = options.members.map((who) => {
    const { agent, role, chosen } = who;
    const member = trackMember({ agent, role, provider: chosen.provider.name }, clock.now, changed);
    return { who, member, memory: freshMemory() };
  });
  const unwatch = store.watch(inTurn(context, () => turn(supervised, snapshot.board, clock.now()), over.signal));
  const folders = tidier(context, options.members[0]?.agent ?? 'planner-1');
  const busy = (task: string): boolean =>
    supervised.some(({ member }) => member.view().task === task && isBusy(member));
  const refresh = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const rung = changeSignal.count();
      snapshot = await store.read().catch(() => snapshot);
      changed();
      await folders.look(snapshot.board, busy).catch(() => {}); // reconcile finds it at the next start
      await changeSignal.wait(rung, REFRESH_MS, over.signal);
    }
  };
  const warn = (text: string): void => context.tell({ level: 'warning', text });
  const beside = (what: string, work: () => Promise<void>): Promise<void> =>
    keepUp(what, work, { tell: warn, sleep: clock.sleep }, over.signal);
  const watch = (): Promise<void> => {
    alarmsOn.clear();
    return watchBoard(
      context,
      {
        trouble: warn,
        wait: (ms, signal) => changeSignal.wait(changeSignal.count(), ms, signal),
        changed: ({ raised, cleared, replaced }) => {
          for (const { key } of [...cleared, ...replaced]) alarmsOn.delete(key);
          for (const alarm of raised) {
            alarmsOn.set(alarm.key, alarm);
            context.tell({ level: alarm.level, text: alarm.text });
          }
          for (const alarm of cleared) context.tell({ level: 'info', text: `over: ${unsigned(alarm)}` });
        },
      },
      over.signal,
    );
  };
  const govern = (): Promise<void> => keepGoverning({ context, changeSignal, tell: warn }, over.signal);
  const watching = options.watcher ? [beside('watching', watch), beside('governing', govern)] : [];
  let broken: unknown;
  const loops = supervised.map(async (one) => {
    try {
      one.end = await supervise(context, one.who, one.member, stop, one.memory);
    } catch (error) {
      // A full disk, or our own mistake: nobody's agent is left running for that.
      broken ??= error;
      one.member.turn('stopped', { why: (error as Error).message });
      orderly.abort();
    }
    changed();
    changeSignal.ring();
  });
  const refreshing = beside('the board on show', refresh);
  const ends = { stopped: stop.orderly, over: over.signal, outlastsPause: options.outlastsPause === true };
  const idling = options.untilIdle ? whenIdle(context, supervised, ends) : new Promise<never>(() => {});
  const all = Promise.all(loops);
  const ended = (async (): Promise<CrewEnd> => {
    try {
      const idle = await Promise.race([all.then(() => undefined), idling]);
      orderly.abort();
      changeSignal.ring();
      await all;
      if (broken !== undefined) throw broken;
      return idle ?? (await endOf(context, supervised));
    } finally {
      over.abort();
      unwatch();
      await Promise.all([...watching, refreshing]);
    }
  })();
  const person = { ...taskContextOf(context, ''), actor: { parts: ['human' as const] } };
  return {
    ended,
    view: (): CrewView => {
      const { board } = snapshot;
      const now = clock.now();
      const waitsFor = supervised.some(({ member }) => isBusy(member)) ? undefined : whyNothingMoves(board, now);
      return {
        now,
        board,
        members: supervised.map(({ member }) => member.view()),
        alarms: [...alarmsOn.values()],
        events: [...events],
        ...defined({ waitsFor }),
      };
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pause: async () => saying(await transact(person, { name: 'pause' })),
    resume: async () => saying(await transact(person, { name: 'resume' })),
    stop: () => {
      const again = orderly.signal.aborted;
      if (again) atOnce.abort();
      context.tell({
        level: 'info',
        text: again ? 'stopping at once' : 'stopping: agents are asked to end; again ends them at once',
      });
      orderly.abort();
      changeSignal.ring();
      for (const { member } of supervised) if (member.view().state !== 'stopped') member.turn('stopping');
    },
  };
}

/** About as long as a claim takes: the next one then finds the board as the one before has left it. */
const TURN_MS = 80;
const LAST_TURN = 3;

/** How many idle agents, of other processes, a piece of work would go to before it comes to one of these. */
const turn = (supervised: readonly SupervisedAgent[], board: Board, now: Instant): number =>
  Math.min(...supervised.map(({ who, member }) => (isBusy(member) ? 0 : turnOf(board, who, now))), LAST_TURN);

/** Of several processes that hear of the same change, those that are not next would only slow down the one that is. */
function inTurn({ changeSignal, clock }: SupervisorContext, before: () => number, over: AbortSignal): () => void {
  let waits = false;
  return () => {
    const ms = before() * TURN_MS;
    if (ms === 0) return changeSignal.ring();
    if (waits) return;
    waits = true;
    void clock.sleep(ms, over).then(() => {
      waits = false;
      changeSignal.ring();
    });
  };
}

const REFRESH_MS = 5000;
const BUSY: ReadonlySet<string> = new Set(['starting', 'claiming', 'working', 'merging', 'stopping']);
const isBusy = (member: MemberStatus): boolean => BUSY.has(member.view().state);

const saying = (outcome: { readonly ok: boolean; readonly detail?: string; readonly message?: string }): string =>
  outcome.detail ?? outcome.message ?? '';
