// What a running crew tells other processes: cache/crew/status.json, replaced as a whole when what people see has
// changed, and how they ask it to stop: cache/crew/stop.json. Both are small, derived, and read without a lock.
// A program without a sandbox could write them, so a reader takes nothing but the shapes it knows, opens no file that
// they name elsewhere than below agent-logs, and sends a signal to no process but one that the board itself names.

import { basename, join } from 'node:path';
import { ALARM_NAMES, type Alarm } from '../alarms/rules/alarm.ts';
import { replaceFile } from '../ports/files.ts';
import { send } from '../process/end-process-tree.ts';
import { readPlainFile } from '../process/plain-file.ts';
import { formatProcess, identify, isAlive, parseProcess } from '../process/process-identity.ts';
import { ROLES } from '../protocol/state.ts';
import { isFields } from '../protocol/values.ts';
import type { BoardContext } from '../store/context.ts';
import type { StoreContext } from '../store/transact.ts';
import type { Instant } from '../text/time.ts';
import type { CrewControl, CrewEnd, CrewEvent, CrewMember, CrewView, MemberState } from './crew-view.ts';

export interface CrewRecord {
  /** `<boot>/<pid>/<started>`. */
  readonly process: string;
  readonly pid: number;
  readonly isAlive: boolean;
  /** When it began; absent in what an earlier version wrote. */
  readonly since?: Instant;
  readonly view: Pick<CrewView, 'members' | 'alarms' | 'events' | 'waitsFor' | 'lag' | 'unconfined'>;
  /** How often it was asked to stop and obeyed. */
  readonly stops: number;
  /** How it ended, where it could still say so. */
  readonly end?: CrewEnd;
}

const PUBLISH_MS = 250;
const LOOK_MS = 250;
/** Two signals sooner after each other count as one press of Ctrl-C (cli/show-crew.ts). */
const NEXT_PRESS_MS = 200;
/** As many events as a large screen shows. */
const EVENTS = 60;
/** A crew of 100 with long texts writes less. */
const MOST_BYTES = 4_000_000;

const folderOf = ({ paths }: BoardContext): string => join(paths.liza, 'cache', 'crew');
export const statusFile = (context: BoardContext): string => join(folderOf(context), 'status.json');
const stopFile = (context: BoardContext): string => join(folderOf(context), 'stop.json');

/** Publishes the crew of this process, and obeys those who ask it to stop, until it is closed. */
export function publishCrew(context: BoardContext, control: CrewControl): { close(end?: CrewEnd): void } {
  const { clock, files, processes } = context;
  const own = identify(context, processes.pid);
  const process = own === undefined ? '' : formatProcess(own);
  const since = clock.now();
  let written = '';
  let waiting: (() => void) | undefined;
  let asked = 0;
  const write = (end?: CrewEnd): void => {
    const { members, alarms, events, waitsFor, lag, unconfined } = control.view();
    const shown = { members, alarms, events: events.slice(-EVENTS), waitsFor, lag, unconfined };
    const text = JSON.stringify({ process, since, ...shown, stops: asked, end });
    if (text === written) return;
    written = text;
    files.makeDirectory(folderOf(context));
    replaceFile(files, statusFile(context), Buffer.from(text), false);
  };
  // A full disk must not end the crew: what is shown elsewhere is late then.
  const tryWrite = (end?: CrewEnd): void => {
    try {
      write(end);
    } catch {
      written = '';
    }
  };
  const quiet = control.onChange(() => {
    waiting ??= clock.after(PUBLISH_MS, () => {
      waiting = undefined;
      tryWrite();
    });
  });
  const stopLooking = clock.every(LOOK_MS, () => {
    const times = timesAsked(context, process);
    if (asked >= times) return;
    for (; asked < times; asked += 1) control.stop('you stopped it: q, Ctrl-C or liza stop');
    tryWrite();
  });
  tryWrite();
  return {
    close: (end) => {
      quiet();
      waiting?.();
      stopLooking();
      tryWrite(end);
    },
  };
}

/** Asks a crew of another process to stop: the first time in order, the second time at once. */
export async function askToStop(context: StoreContext, { process }: CrewRecord, times: number): Promise<void> {
  const { files } = context;
  try {
    files.makeDirectory(folderOf(context));
    replaceFile(files, stopFile(context), Buffer.from(JSON.stringify({ process, times })), false);
  } catch (error) {
    // A full disk must not keep a crew at work that may be what fills it.
    if (!(await signal(context, process, times))) throw error;
  }
}

/** As Ctrl-C would; false: the board knows of no supervisor in that process, or it is gone. */
async function signal(context: StoreContext, process: string, times: number): Promise<boolean> {
  const identity = parseProcess(process);
  const board = await context.store.read().then(
    (snapshot) => snapshot.board,
    () => undefined,
  );
  const isNamed = Object.values(board?.state.agents ?? {}).some((agent) => agent.process === process);
  if (identity === undefined || !isNamed) return false;
  for (let at = 0; at < times; at += 1) {
    if (at > 0) await context.clock.sleep(NEXT_PRESS_MS);
    if (!isAlive(context, identity)) return at > 0;
    if (!send(context, identity.pid, 'SIGTERM')) return false;
  }
  return true;
}

/** A request that was left for a crew that is gone is for nobody. */
function timesAsked(context: BoardContext, process: string): number {
  const found = readJson(context, stopFile(context));
  if (found?.['process'] !== process) return 0;
  return found['times'] === 1 ? 1 : found['times'] === 2 ? 2 : 0;
}

/** What the last crew told; undefined: none ever did. */
export function readCrew(context: BoardContext): CrewRecord | undefined {
  const found = readJson(context, statusFile(context));
  const process = typeof found?.['process'] === 'string' ? parseProcess(found['process']) : undefined;
  if (found === undefined || process === undefined) return undefined;
  const end = endIn(found['end']);
  return {
    process: formatProcess(process),
    pid: process.pid,
    isAlive: isAlive(context, process),
    ...(typeof found['since'] === 'number' ? { since: found['since'] } : {}),
    stops: typeof found['stops'] === 'number' ? found['stops'] : 0,
    view: {
      members: listIn(found['members'], (one) => memberIn(context, one)),
      alarms: listIn(found['alarms'], alarmIn),
      events: listIn(found['events'], eventIn),
      ...taken(found, ['waitsFor', 'lag'], []),
      ...(found['unconfined'] === true ? { unconfined: true } : {}),
    },
    ...(end === undefined ? {} : { end }),
  };
}

/** The crew that runs now; undefined: none does. */
export function crewAtWork(context: BoardContext): CrewRecord | undefined {
  const crew = readCrew(context);
  return crew?.isAlive === true && crew.end === undefined ? crew : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function readJson({ disk }: BoardContext, path: string): Fields | undefined {
  try {
    const found: unknown = JSON.parse(readPlainFile(disk, path, MOST_BYTES)?.toString('utf8') ?? 'null');
    return isFields(found) ? found : undefined;
  } catch {
    return undefined; // not there, or written by somebody else: it says nothing
  }
}

const listIn = <T>(value: unknown, one: (fields: Fields) => T | undefined): readonly T[] =>
  Array.isArray(value) ? value.flatMap((found) => (isFields(found) ? (one(found) ?? []) : [])) : [];

const STATES: readonly MemberState[] = [
  ...(['starting', 'idle', 'claiming', 'working', 'waiting', 'merging'] as const),
  ...(['backing-off', 'stopping', 'stopped'] as const),
];

/** The named fields that are texts, and those that are numbers. */
function taken(from: Fields, texts: readonly string[], numbers: readonly string[]): Fields {
  const of = (names: readonly string[], type: string): readonly (readonly [string, unknown])[] =>
    names.flatMap((name) => (typeof from[name] === type ? [[name, from[name]] as const] : []));
  return Object.fromEntries([...of(texts, 'string'), ...of(numbers, 'number')]);
}

function memberIn({ paths }: BoardContext, found: Fields): CrewMember | undefined {
  const role = ROLES.find((one) => one === found['role']);
  const state = STATES.find((one) => one === found['state']);
  const known = taken(found, ['agent', 'provider', 'task', 'activity', 'why'], ['since', 'until']);
  if (role === undefined || state === undefined || known['agent'] === undefined) return undefined;
  const session = isFields(found['session']) ? found['session'] : undefined;
  const log = typeof session?.['log'] === 'string' ? join(paths.liza, 'agent-logs', basename(session['log'])) : '';
  return {
    provider: '',
    since: 0,
    ...known,
    role,
    state,
    ...(session === undefined
      ? {}
      : {
          session: {
            ...{ started: 0, input: 0, output: 0 },
            ...taken(session, [], ['started', 'input', 'output', 'cost_usd', 'context_percent']),
            log,
          },
        }),
  } as CrewMember;
}

function alarmIn(found: Fields): Alarm | undefined {
  const name = ALARM_NAMES.find((one) => one === found['name']);
  const { key, level, text } = found;
  if (name === undefined || typeof key !== 'string' || typeof text !== 'string') return undefined;
  return level === 'alarm' || level === 'warning' ? { name, key, level, text } : undefined;
}

function eventIn(found: Fields): CrewEvent | undefined {
  const { time, level, text } = found;
  if (typeof time !== 'number' || typeof text !== 'string') return undefined;
  if (level !== 'info' && level !== 'warning' && level !== 'alarm') return undefined;
  const passing = found['passing'] === true ? ({ passing: true } as const) : {};
  return { ...taken(found, ['agent', 'task', 'head'], []), ...passing, time, level, text };
}

function endIn(found: unknown): CrewEnd | undefined {
  if (!isFields(found) || typeof found['code'] !== 'number' || typeof found['message'] !== 'string') return undefined;
  const { code, message, hint, needs } = found;
  const texts = { ...(typeof hint === 'string' ? { hint } : {}), ...(typeof needs === 'string' ? { needs } : {}) };
  return { code, message, ...texts };
}
