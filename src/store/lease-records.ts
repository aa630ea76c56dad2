// agents/<id>.json: one small lease record per agent, so that a heartbeat never rewrites state.yaml.
// A record counts only at the task's current epoch (protocol/board.ts: effectiveLease); writing one is
// atomic and takes no lock, since each has a single writer: its agent's supervisor.

import { join } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
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
  readonly stat: StatKey;
  readonly records: readonly LeaseRecord[];
}
const KEPT = new WeakMap<Files, Kept>();

/** Every supervisor of a crew reads all records after every change of the board: they are read once. */
function recordsIn({ files, paths: { agents }, clock }: BoardContext): readonly LeaseRecord[] {
  const before = files.stat(agents);
  if (before === undefined) return [];
  const stat = statKey(before);
  const kept = KEPT.get(files);
  if (kept?.folder === agents && kept.stat.every((field, at) => field === stat[at])) return kept.records;
  const records = files
    .list(agents)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readRecord(files, join(agents, name)) ?? []);
  // A record is renamed into the folder, which changes its time; within one tick of the clock it may not.
  const isSettled = clock.now() - Number(before.mtimeNs / 1_000_000n) > CLOCK_TICK;
  if (isSettled) KEPT.set(files, { folder: agents, stat, records });
  else KEPT.delete(files);
  return records;
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
  if (record.process === undefined) return 'unknown';
  return isAlive(context, record.process) ? 'alive' : 'dead';
}
