// agents/<id>.json: one small lease record per agent, so that a heartbeat never rewrites state.yaml.
// A record counts only at the task's current epoch (protocol/board.ts: effectiveLease); writing one is
// atomic and takes no lock, since each has a single writer: its agent's supervisor.

import { join } from 'node:path';
import { type FileStat, type Files, replaceFile } from '../ports/files.ts';
import { bootId, identify, isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import { type Lease, stoppedOf } from '../protocol/board.ts';
import { defined } from '../protocol/values.ts';
import { type Instant, instant, iso } from '../text/time.ts';
import { CLOCK_TICK, type StatKey, statKey } from './cache.ts';
import type { BoardContext } from './context.ts';
import type { Renewal } from './store.ts';

interface LeaseRecord {
  readonly agent: string;
  readonly task?: string;
  readonly epoch: number;
  readonly expires: string;
  readonly heartbeat: string;
  /** Who renews it; absent when only passing commands do. */
  readonly process?: ProcessIdentity;
  /** Monotonic milliseconds at which it ends. */
  readonly monotonic_end: number;
  readonly boot: string;
  /** Its holder stopped in order. */
  readonly stopped?: true;
}

export function readLeases(context: BoardContext): Map<string, Lease> {
  return new Map(recordsIn(context).map((record) => [record.agent, leaseOf(context, record)]));
}

/** What the folder held, as long as its stat says that nothing was put there since. */
interface Kept {
  readonly folder: string;
  /** undefined: it may change once more without any other stat. */
  readonly stat: StatKey | undefined;
  readonly files: ReadonlyMap<string, KeptFile>;
}

interface KeptFile {
  readonly stat: StatKey | undefined;
  /** undefined: it cannot be read, and counts for nothing. */
  readonly record: LeaseRecord | undefined;
}
const KEPT = new WeakMap<Files, Kept>();

/** Every supervisor of a crew reads all records after every change of the board: each is parsed once. */
function recordsIn({ files, paths: { agents }, clock }: BoardContext): readonly LeaseRecord[] {
  const now = clock.now();
  const folder = files.stat(agents);
  if (folder === undefined) return [];
  const stat = statKey(folder);
  const kept = KEPT.get(files);
  const known = kept?.folder === agents ? kept : undefined;
  if (known?.stat?.every((field, at) => field === stat[at]) === true) return recordsOf(known.files);
  const read = new Map(
    files
      .list(agents)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const one = fileIn(files, join(agents, name), known?.files.get(name), now);
        return one === undefined ? [] : [[name, one] as const];
      }),
  );
  KEPT.set(files, { folder: agents, stat: isSettled(folder, now) ? stat : undefined, files: read });
  return recordsOf(read);
}

/** A record is renamed into its place, which changes the times; within one tick of the clock it may not. */
const isSettled = ({ mtimeNs, ctimeNs }: FileStat, now: Instant): boolean =>
  [mtimeNs, ctimeNs].every((time) => now - Number(time / 1_000_000n) > CLOCK_TICK);

const recordsOf = (all: ReadonlyMap<string, KeptFile>): readonly LeaseRecord[] =>
  [...all.values()].flatMap(({ record }) => record ?? []);

/** A record is never changed, only replaced. */
function fileIn(files: Files, file: string, known: KeptFile | undefined, now: Instant): KeptFile | undefined {
  const found = files.stat(file);
  if (found === undefined) return undefined;
  const stat = statKey(found);
  if (known?.stat?.every((field, at) => field === stat[at]) === true) return known;
  return { stat: isSettled(found, now) ? stat : undefined, record: readRecord(files, file) };
}

export function readLease(context: BoardContext, agent: string): Lease | undefined {
  const record = readRecord(context.files, join(context.paths.agents, `${agent}.json`));
  return record === undefined ? undefined : leaseOf(context, record);
}

/** Never shortens a lease of the same epoch. The caller decides whether it may be renewed at all. */
export function writeLease(context: BoardContext, renewal: Renewal, now: Instant): Lease {
  const { files, paths } = context;
  const boot = bootId(context);
  const file = join(paths.agents, `${renewal.agent}.json`);
  const old = readRecord(files, file);
  const same = old !== undefined && old.epoch === renewal.epoch && old.task === renewal.task && old.boot === boot;
  const expires = now + renewal.seconds * 1000;
  const end = sinceBoot(context) + renewal.seconds * 1000;
  const holder = renewal.pid === undefined ? (same ? old.process : undefined) : identify(context, renewal.pid);
  const record: LeaseRecord = {
    agent: renewal.agent,
    ...defined({ task: renewal.task }),
    epoch: renewal.epoch,
    expires: iso(same ? Math.max(expires, instant(old.expires)) : expires),
    heartbeat: iso(now),
    ...defined({ process: holder }),
    monotonic_end: same ? Math.max(end, old.monotonic_end) : end,
    boot,
    ...(renewal.stops === true ? { stopped: true } : {}),
  };
  files.makeDirectory(paths.agents);
  replaceFile(files, file, Buffer.from(`${JSON.stringify(record)}\n`), false);
  return leaseOf(context, record);
}

/** Milliseconds; not changed by setting the wall clock. */
const sinceBoot = ({ clock }: BoardContext): number => Math.trunc(clock.monotonic());

function readRecord(files: Files, file: string): LeaseRecord | undefined {
  try {
    const record = JSON.parse(files.read(file)?.toString('utf8') ?? 'null') as LeaseRecord | null;
    return record !== null && typeof record.agent === 'string' && typeof record.epoch === 'number' ? record : undefined;
  } catch {
    return undefined; // a record that cannot be read counts for nothing; the state's own lease stands
  }
}

function leaseOf(context: BoardContext, record: LeaseRecord): Lease {
  const holder = holderOf(context, record);
  return {
    agent: record.agent,
    ...defined({ task: record.task }),
    epoch: record.epoch,
    expires: record.expires,
    heartbeat: record.heartbeat,
    holder,
    ...stoppedOf(record),
    ...(holder === 'alive' ? { remaining: record.monotonic_end - sinceBoot(context) } : {}),
  };
}

function holderOf(context: BoardContext, record: LeaseRecord): Lease['holder'] {
  // Its process may go on with other agents: this one has ended.
  if (record.stopped === true) return 'dead';
  if (record.process === undefined) return 'unknown';
  return isAlive(context, record.process) ? 'alive' : 'dead';
}
