// Whether the board of a folder is on PostgreSQL: `.liza/store` says so, and names the board and this host. The address is
// not in it (postgres/address.ts). Light: every command reads it.

import { join } from 'node:path';
import type { DatabaseAddress } from '../ports/database.ts';
import type { Disk } from '../ports/disk.ts';
import type { Clock } from '../ports/host.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { Instant } from '../text/time.ts';
import type { Paths } from './paths.ts';

export interface SharedBoard {
  readonly board: string;
  /** This host, among those that work on the board: made when it joined. */
  readonly host: string;
  /** What people call it. */
  readonly name: string;
  /** The journal's last line when this host moved the board into the database. */
  readonly moved?: string;
  readonly time: ServerTime;
  /** Where the database is, once it was taken out of the environment. */
  readonly address?: DatabaseAddress | Refusal;
  /** Of this program, for the other hosts to see. */
  readonly version?: string;
}

/** The server's clock as it was last read, going on by this machine's monotonic one; this machine's own before that. */
export class ServerTime {
  readonly #clock: Clock;
  #ahead: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  learn(now: Instant): void {
    this.#ahead = now - this.#clock.monotonic();
  }

  now(): Instant {
    return this.#ahead === undefined ? this.#clock.now() : Math.trunc(this.#ahead + this.#clock.monotonic());
  }
}

/** How the heading of a state.yaml begins that is only a view. */
export const VIEW = '# A view of entry ';

export const storeFile = ({ liza }: Pick<Paths, 'liza'>): string => join(liza, 'store');

export const storeText = ({
  board,
  host,
  name,
  moved,
}: Pick<SharedBoard, 'board' | 'host' | 'name' | 'moved'>): string =>
  [
    '# The board of this project is on PostgreSQL; docs/hosts.md says how to go on. The address is kept elsewhere.',
    'kind: postgres',
    `board: ${board}`,
    `host: ${host}`,
    `name: ${name}`,
    ...(moved === undefined ? [] : [`moved: ${moved}`]),
    '',
  ].join('\n');

/** Undefined: the board is in state.yaml. */
export function sharedBoard(disk: Disk, clock: Clock, paths: Pick<Paths, 'liza'>): SharedBoard | undefined {
  const text = textOf(disk, storeFile(paths));
  const field = (name: string): string | undefined => new RegExp(`^${name}: ([A-Za-z0-9._-]+)$`, 'm').exec(text)?.[1];
  const [board, host] = [field('board'), field('host')];
  if (field('kind') !== 'postgres' || board === undefined || host === undefined) return undefined;
  const moved = field('moved');
  const name = field('name') ?? host;
  return { board, host, name, ...(moved === undefined ? {} : { moved }), time: new ServerTime(clock) };
}

function textOf(disk: Disk, file: string): string {
  try {
    return disk.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
