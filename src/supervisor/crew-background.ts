// What runs beside the supervisors of a crew: the board as people see it, the watcher, the governor, the folders of
// ended tasks, and the signal that wakes everybody after a change. None of it ends an agent when it fails.

import { join } from 'node:path';
import { endedText } from '../alarms/rules/alarm.ts';
import { watchBoard } from '../alarms/watcher.ts';
import { isRefusal } from '../protocol/decision.ts';
import { isTerminal } from '../protocol/state.ts';
import { tidy } from '../tasks/release.ts';
import { isBusy } from './agent-status.ts';
import { taskContextOf } from './context.ts';
import type { Crew } from './crew.ts';
import { keepOffering } from './exchange-loop.ts';
import { keepGoverning } from './govern-loop.ts';
import { refusalText } from './refusals.ts';
import { restartOnError } from './restart-on-error.ts';
import { turnOf } from './rules/next-duty.ts';
import { keepTryingSetup } from './setup-loop.ts';
import { keepTrying } from './trial-loop.ts';

const REFRESH_MS = 5000;

/** Returns how to stop it, once `crew.over` says so. */
export function startBackground(crew: Crew, watcher: boolean): () => Promise<void> {
  const { context, over } = crew;
  const warn = (text: string): void => context.emit({ level: 'warning', text });
  const warnForNow = (text: string): void => context.emit({ level: 'warning', text, passing: true });
  const tell = (text: string): void => context.emit({ level: 'info', text });
  const keep = (what: string, work: () => Promise<void>): Promise<void> =>
    restartOnError(what, work, { warn, sleep: context.clock.sleep }, over.signal);
  const governor = { context, changeSignal: context.changeSignal, report: warn };
  const resisted = new Set<string>();
  const unwatch = context.store.watch(notifyInTurn(crew));
  const trials = {
    context: taskContextOf(context, crew.members[0]?.who.agent ?? 'planner-1'),
    changeSignal: context.changeSignal,
    report: (task: string, text: string): void => context.emit({ level: 'warning', task, text }),
  };
  const exchange = {
    context: trials.context,
    report: (level: 'alarm' | 'info', text: string) => context.emit({ level, text }),
  };
  const isTried = (): boolean => context.codeHeld?.() !== undefined;
  const stopped = AbortSignal.any([over.signal, crew.orderly.signal]);
  const running = [
    keep('trying validations', () => keepTrying(trials, stopped)),
    keep('trying set-up', () => keepTryingSetup({ ...trials, report: warnForNow, tell, isTried }, stopped)),
    keep('the shown board', () => refresh(crew, resisted)),
    keep('the exchange', () => keepOffering(exchange, stopped)),
    ...(watcher
      ? [keep('watching', () => watch(crew, warn)), keep('governing', () => keepGoverning(governor, over.signal))]
      : []),
  ];
  return async () => {
    unwatch();
    await Promise.all(running);
  };
}

async function refresh(crew: Crew, resisted: Set<string>): Promise<void> {
  const { context, over, feed } = crew;
  while (!over.signal.aborted) {
    const since = context.changeSignal.count();
    crew.snapshot = await context.store.read(REFRESH_MS * 2).catch(() => crew.snapshot);
    crew.base = await crew.followBase(crew.snapshot.board).catch(() => crew.base);
    feed.changed();
    await removeEndedFolders(crew, resisted).catch(() => {}); // reconcile finds them at the next start
    await context.changeSignal.wait(since, REFRESH_MS, over.signal);
  }
  // The last sessions have ended by now.
  await removeEndedFolders(crew, resisted).catch(() => {}); // reconcile finds them at the next start
}

/**
 * Folders of tasks that were abandoned or superseded by anyone: their work is kept as an attempt, then they go. A merged
 * task's folder goes with its merge, or here, if its coder's session had not ended by then. `resisted`: those that could not be removed, which is reported once.
 */
async function removeEndedFolders(crew: Crew, resisted: Set<string>): Promise<void> {
  const { context, members } = crew;
  const atWork = (task: string): boolean => members.some(({ member }) => member.view().task === task && isBusy(member));
  for (const { id, status } of crew.snapshot.board.state.tasks) {
    if (!isTerminal(status) || resisted.has(id) || atWork(id)) continue;
    // Whoever merges tells of it first, and removes it.
    if (status === 'MERGED' && context.mergeTurn.taken) continue;
    if (!context.disk.existsSync(join(context.paths.root, '.worktrees', id))) continue;
    const agent = members[0]?.who.agent ?? 'planner-1';
    const done = await tidy(taskContextOf(context, agent), id, `its task is ${status}`, { patience: 0 });
    if (isRefusal(done) && done.guard === 'live-session') continue;
    if (isRefusal(done)) {
      resisted.add(id);
      context.emit({ level: 'warning', task: id, text: `its folder stays: ${refusalText(done)}` });
    } else {
      const kept = done.attempt === undefined ? '' : `; its work is kept: liza attempts ${id}`;
      context.emit({ level: 'info', task: id, text: `its folder is removed, now that it is ${status}${kept}` });
    }
  }
}

function watch({ context, alarms, over }: Crew, warn: (text: string) => void): Promise<void> {
  const { changeSignal } = context;
  alarms.clear();
  return watchBoard(
    context,
    {
      trouble: warn,
      wait: (ms, signal) => changeSignal.wait(changeSignal.count(), ms, signal),
      changed: ({ raised, cleared, replaced }) => {
        for (const { key } of [...cleared, ...replaced]) alarms.delete(key);
        for (const alarm of raised) {
          alarms.set(alarm.key, alarm);
          context.emit({ level: alarm.level, text: alarm.text });
        }
        for (const alarm of cleared) context.emit({ level: 'info', text: endedText(alarm) });
      },
    },
    over.signal,
  );
}

/** About as long as a claim takes: the next process then finds the board as the one before has left it. */
const TURN_MS = 80;
const LAST_TURN = 3;

/** Of several processes that hear of the same change, those that are not next would only slow down the one that is. */
function notifyInTurn(crew: Crew): () => void {
  const { changeSignal, clock } = crew.context;
  let waits = false;
  return () => {
    const ms = idleBefore(crew) * TURN_MS;
    if (ms === 0) return changeSignal.notify();
    if (waits) return;
    waits = true;
    void clock.sleep(ms, crew.over.signal).then(() => {
      waits = false;
      changeSignal.notify();
    });
  };
}

/** How many idle agents, of other processes, a piece of work would go to before it comes to one of these. */
function idleBefore({ context, members, snapshot }: Crew): number {
  const now = context.clock.now();
  const turns = members.map(({ who, member }) => (isBusy(member) ? 0 : turnOf(snapshot.board, who, now)));
  return Math.min(...turns, LAST_TURN);
}
