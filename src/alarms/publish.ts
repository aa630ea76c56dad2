// Where alarms go: alerts.log, the desktop, the webhook, ESCALATION. Of several watchers on one board only the one
// that holds cache/watch/lock tells; the others see the same and keep quiet, and the next one takes over when it
// ends. A disk that is full or gone costs the telling, never the watching.

import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode, replaceFile } from '../ports/files.ts';
import { acquireLock, type Lock } from '../ports/locks.ts';
import type { Board } from '../protocol/board.ts';
import type { BoardContext } from '../store/context.ts';
import { redact, safeLine, secretsOf } from '../text/redact.ts';
import type { Instant } from '../text/time.ts';
import { openAlertsLog } from './alerts-log.ts';
import { type Caller, openCaller } from './batch.ts';
import { type Desktop, openDesktop } from './desktop.ts';
import type { Sight } from './observe.ts';
import { type Alarm, type AlarmsOn, alarmChanges, isChanged } from './rules/alarm.ts';
import { escalation } from './rules/escalation.ts';
import { type Calling, recall, remember } from './saved-state.ts';
import { payload } from './webhook.ts';
import { type Deliveries, openDeliveries } from './webhook-queue.ts';

export interface OutletOptions {
  readonly context: BoardContext;
  now(): Instant;
  /** Where the desktop is and the webhook's secret; without it nobody is called on the desktop. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For what is tried again later; not for looking at the board. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  readonly desktop?: Desktop | undefined;
  readonly webhookTimeoutMs?: number | undefined;
  /** Something could not be told: why. */
  trouble?(line: string): void;
}

export interface Outlets {
  /** Alarms that were on when somebody last told: they are no news. */
  known(): AlarmsOn;
  /** When a kill switch was last seen on by somebody who told. */
  halted(): Instant | undefined;
  /** The same alarms without secrets and control characters: only these may be told or shown. */
  safe(sight: Sight): Sight;
  /** True: it was this watcher's to tell. */
  tell(safe: Sight): Promise<boolean>;
  /** Tells what was gathered, gives it a moment to be delivered, and lets another watcher take over. */
  close(patienceMs: number): Promise<void>;
}

/** How often a second watcher looks whether the first is still there. */
const TURN_EVERY = 15;
const ASK_AGAIN_MS = 20;
const MOST_UNWRITTEN = 10_000;

export function openOutlets(options: OutletOptions): Outlets {
  const { context } = options;
  const { files, paths } = context;
  const folder = join(paths.liza, 'cache', 'watch');
  const secrets = secretsOf(options.env ?? {});
  const project = basename(paths.root);
  const log = openAlertsLog(context);
  const desktop = options.desktop ?? (options.env === undefined ? undefined : openDesktop({ env: options.env }));
  const sleep = options.sleep ?? pauseFor;
  // The key, too: it may hold what somebody wrote, and is remembered on the disk.
  const safe = ({ board, found }: Sight): Sight => ({
    board,
    found: found.map((one) => ({ ...one, key: redact(one.key, secrets), text: safeLine(one.text, secrets) })),
  });
  let lock: Lock | undefined;
  let asked = 0;
  let { on, halted } = recall(files, folder);
  let halting = false;
  /** Lines that a watcher wrote just before it died. */
  let written: ReadonlySet<string> = new Set();
  /** Lines that the disk did not take yet. */
  let unwritten: readonly string[] = [];
  let url: string | undefined;
  let deliveries: Deliveries | undefined;
  /** Of the next message. */
  let id = randomUUID();
  let owed: Calling | undefined;
  /** What fails for the same reason again is not told again. */
  const failing = new Map<string, string>();

  const failed = (what: string, done: 'read' | 'written', error: unknown): void => {
    const { message } = error as Error;
    const why = errorCode(error) ?? message;
    if (failing.get(what) !== why) options.trouble?.(`${what} could not be ${done}: ${message}`);
    failing.set(what, why);
  };
  const attempt = (what: string, act: () => void): void => {
    try {
      act();
      failing.delete(what);
    } catch (error) {
      failed(what, 'written', error);
    }
  };
  const caller: Caller = openCaller({
    project,
    sleep,
    send: (message, group) => {
      if (group.raised.length > 0) desktop?.show(message);
      const about = { project, time: options.now(), id };
      if (url !== undefined) deliveries?.add({ id, body: payload(message, group, about) });
      id = randomUUID();
      keep();
    },
  });
  /** What was told, and what is yet to be: before anybody is called, so that a watcher that is killed owes nothing. */
  const keep = (): void => {
    if (lock === undefined) return;
    const calling = owed ?? { id, group: caller.gathered() };
    attempt('cache/watch', () => remember(files, folder, { on, logged: log.size(), halted, unwritten, calling }));
  };
  /** A message that an earlier watcher gathered and did not live to send. */
  const takeOver = (): void => {
    if (owed !== undefined && owed.id !== id && deliveries?.has(owed.id) === false) caller.tell(owed.group);
    owed = undefined;
  };
  const ownTurn = async (): Promise<boolean> => {
    if (lock?.stillOurs() === true) return true;
    lock?.release();
    lock = undefined;
    asked += 1;
    if (asked % TURN_EVERY !== 1) return false;
    if (!madeFolder(folder)) return false;
    const got = await freeLock(join(folder, 'lock'));
    if (got === undefined) return false;
    lock = got;
    asked = 0;
    const memory = recall(files, folder);
    on = memory.on;
    halted = memory.halted ?? halted;
    unwritten = memory.unwritten;
    owed = memory.calling;
    try {
      written = new Set(log.since(memory.logged));
    } catch (error) {
      failed('alerts.log', 'read', error); // at worst a line is in there twice
    }
    // From now on whatever is in the log beyond this place was told.
    if (memory.logged === undefined) keep();
    return true;
  };
  const openQueue = (): Deliveries =>
    openDeliveries({
      files,
      folder,
      now: options.now,
      sleep,
      url: () => url,
      secret: options.env?.['LIZA_WEBHOOK_SECRET'],
      timeoutMs: options.webhookTimeoutMs,
      lost: (line) => {
        attempt('alerts.log', () => log.append(options.now(), [line]));
        options.trouble?.(line);
      },
    });

  return {
    known: () => on,
    halted: () => halted,
    safe,
    tell: async ({ board, found }) => {
      const mine = await ownTurn().catch((error: unknown) => failed('cache/watch/lock', 'written', error));
      if (mine !== true) return false;
      if (board !== undefined) {
        url = board.state.config.escalation_webhook ?? undefined;
        deliveries ??= openQueue();
        takeOver();
      }
      // A board that was never readable says nothing about the alarms of before.
      const changes = alarmChanges(on, board === undefined ? withEarlier(found, on) : found);
      const { raised, cleared, replaced } = changes;
      const ended = [...cleared, ...replaced];
      const lines = [...raised.map(({ text }) => text), ...ended.map(({ text }) => `cleared: ${text}`)];
      const moved = isChanged(changes);
      on = changes.on;
      const kept = unwritten.length;
      unwritten = [...unwritten, ...lines.filter((line) => !written.has(line))].slice(-MOST_UNWRITTEN);
      if (unwritten.length > 0) {
        attempt('alerts.log', () => {
          log.append(options.now(), unwritten);
          unwritten = [];
        });
      }
      if (moved) caller.tell({ raised, cleared });
      // Its beginning and its end are written; in between it would be a write at every look.
      const wasHalting = halting;
      halting = board === undefined ? halting : Object.keys(board.switches).length > 0;
      if (halting || wasHalting) halted = options.now();
      if (moved || unwritten.length !== kept || halting !== wasHalting) keep();
      written = new Set();
      if (board !== undefined) attempt('ESCALATION', () => keepEscalation(context, folder, board, on, secrets));
      return true;
    },
    close: async (patienceMs) => {
      caller.close();
      const patience = new AbortController();
      if (patienceMs > 0) {
        const delivered = Promise.all([deliveries?.settled(), desktop?.settled()]);
        await Promise.race([delivered, sleep(patienceMs, patience.signal)]);
      }
      patience.abort();
      desktop?.close();
      await deliveries?.close();
      lock?.release();
      lock = undefined;
    },
  };
}

/** An earlier alarm gives way to one of its family that is found now. */
function withEarlier(found: readonly Alarm[], on: AlarmsOn): readonly Alarm[] {
  const families = new Set(found.map(({ family }) => family));
  return [...found, ...[...on.values()].filter(({ family }) => family === undefined || !families.has(family))];
}

function keepEscalation(
  { files, paths }: BoardContext,
  folder: string,
  board: Board,
  on: AlarmsOn,
  secrets: readonly string[],
): void {
  const file = join(paths.liza, 'ESCALATION');
  const text = escalation(board, [...on.values()]);
  const there = files.stat(file) === undefined ? undefined : files.read(file)?.toString('utf8');
  if (text === undefined) {
    if (there !== undefined) files.remove(file);
    return;
  }
  const wanted = redact(text, secrets).replace(CONTROL, '');
  if (wanted === there) return;
  const ready = join(folder, 'ESCALATION');
  replaceFile(files, ready, Buffer.from(wanted), false);
  files.rename(ready, file);
}

const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** Asked twice: a process that is just being started holds what its parent had open for an instant. */
async function freeLock(path: string): Promise<Lock | undefined> {
  for (const ms of [0, ASK_AGAIN_MS]) {
    if (ms > 0) await pauseFor(ms, new AbortController().signal);
    const got = await acquireLock(path, 0);
    if ('release' in got) return got;
  }
  return undefined;
}

/** Not with its parents: where there is no board, none shall appear. */
function madeFolder(folder: string): boolean {
  for (const path of [join(folder, '..'), folder]) {
    try {
      mkdirSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
