// The folder through which a person or a program plays an agent: the session says there who it is and what it was told,
// the player asks, the session answers. Both sides may write it, so neither trusts what it finds: files are regular,
// small and never reached through a link, and a file appears whole, by a rename.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';

/** What a session says of itself when it begins. */
export interface PlayedSession {
  readonly agent: string;
  readonly role: string;
  readonly session: string;
  readonly cwd: string;
  readonly prompt: string;
}

export type Asked =
  | { readonly kind: 'sh'; readonly text: string; readonly seconds: number }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'end'; readonly status: number };

export interface Answered {
  readonly output: string;
  /** Null: the command did not start, or was ended; `why` says it. */
  readonly status: number | null;
  readonly why?: string;
}

/** A session that wrote nothing for so long has ended. */
const SILENCE_MS = 5000;
const SIZE_LIMIT = 1024 * 1024;

const SESSION = 'session.json';
const ALIVE = 'alive';
const TAKEN = 'taken';

type Machine = Pick<Host, 'disk' | 'random' | 'clock'>;

export function announce(host: Machine, folder: string, session: PlayedSession): void {
  beat(host, folder);
  put(host, folder, SESSION, JSON.stringify(session));
}

export const beat = (host: Machine, folder: string): void => put(host, folder, ALIVE, String(host.clock.now()));

/** Undefined: nobody waits there, or the session has ended. */
export function sessionIn({ disk, clock }: Machine, folder: string): PlayedSession | undefined {
  const alive = Number(read(disk, join(folder, ALIVE)) ?? Number.NaN);
  if (!(Math.abs(clock.now() - alive) < SILENCE_MS)) return undefined;
  return parsed<PlayedSession>(read(disk, join(folder, SESSION)));
}

export const isTaken = (disk: Disk, folder: string): boolean => read(disk, join(folder, TAKEN)) !== undefined;

export const take = (host: Machine, folder: string): void => put(host, folder, TAKEN, '');

/** The name of the question: `answerTo` finds its answer by it. Later ones sort behind earlier ones. */
export function ask(host: Machine, folder: string, asked: Asked): string {
  const name = `${String(host.clock.now()).padStart(15, '0')}-${host.random.hex(6)}`;
  put(host, folder, `${name}.ask`, JSON.stringify(asked));
  return name;
}

/** The oldest question without an answer. */
export function nextAsked(disk: Disk, folder: string): { readonly name: string; readonly asked: Asked } | undefined {
  const names = disk.readdirSync(folder).sort();
  const open = names.find((name) => /^[\w-]+\.ask$/.test(name) && !names.includes(name.replace(/ask$/, 'answer')));
  const asked = open === undefined ? undefined : parsed<Asked>(read(disk, join(folder, open)));
  return open === undefined || asked === undefined ? undefined : { name: open.slice(0, -'.ask'.length), asked };
}

export const reply = (host: Machine, folder: string, name: string, answered: Answered): void =>
  put(host, folder, `${name}.answer`, JSON.stringify(answered));

export const answerTo = (disk: Disk, folder: string, name: string): Answered | undefined =>
  parsed<Answered>(read(disk, join(folder, `${name}.answer`)));

/** `wx` never follows a link that somebody left under that name, and the rename replaces one. */
function put({ disk, random }: Machine, folder: string, name: string, text: string): void {
  const temporary = join(folder, `${random.hex(8)}.new`);
  disk.writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
  disk.renameSync(temporary, join(folder, name));
}

function read(disk: Disk, path: string): string | undefined {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = disk.constants;
  let fd: number;
  try {
    fd = disk.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const { size } = disk.fstatSync(fd);
    return disk.fstatSync(fd).isFile() && size <= SIZE_LIMIT ? disk.readFileSync(fd, 'utf8') : undefined;
  } finally {
    disk.closeSync(fd);
  }
}

function parsed<T>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
