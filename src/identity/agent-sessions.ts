// agents/<id>.session: the session that lives under an agent's id. It keeps the hash of the credential that was given to
// that one process, what the session is about, and which processes supervise and play it. A single writer, its
// supervisor, replaces it whole; a record whose supervisor is dead counts for nothing.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
import { identify, isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import { roleOfId } from '../protocol/board.ts';
import type { Role } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { sha256 } from '../store/hash.ts';
import { type Instant, iso } from '../text/time.ts';

export interface SessionRecord {
  readonly agent: string;
  readonly role: Role;
  readonly task?: string;
  /** The task's, at the claim. */
  readonly epoch?: number;
  /** Of the credential; the credential itself is nowhere but in the agent's environment. */
  readonly hash: string;
  readonly since: string;
  readonly supervisor: ProcessIdentity;
  /** The agent's own process, known a moment after its start. */
  readonly process?: ProcessIdentity;
  /** It has ended; the record stays so that a late word is told why it does not count. */
  readonly ended?: string;
  /** Hashes of earlier sessions' credentials; the newest first. */
  readonly former?: readonly string[];
}

const FORMER_KEPT = 8;
const SUFFIX = '.session';
/** `<id>.<pid>.process`, empty: a hint which record to read for a process, so that a command need not read all. */
const HINT = /^(.+)\.(\d+)\.process$/;

export interface SessionOpening {
  readonly agent: string;
  readonly role: Role;
  readonly task?: string | undefined;
  readonly epoch?: number | undefined;
  /** Of the supervisor. */
  readonly pid: number;
}

export interface OpenSession {
  /** By which the journal names it. */
  readonly id: string;
  /** For LIZA_SESSION of that process alone. */
  readonly credential: string;
  /** Its process has started. */
  begun(pid: number): void;
  over(now: Instant): void;
}

/** Before the agent can act: from here on this credential is the agent's, and any earlier one is over. */
export function openSession(files: Files, directory: string, opening: SessionOpening, now: Instant): OpenSession {
  const { agent, role, task, epoch, pid } = opening;
  const file = join(directory, `${agent}${SUFFIX}`);
  const credential = randomBytes(32).toString('base64url');
  const before = readRecord(files, file);
  const former = before === undefined ? [] : [before.hash, ...(before.former ?? [])].slice(0, FORMER_KEPT);
  const supervisor = identify(pid);
  if (supervisor === undefined) throw new Error(`there is no process ${pid} to supervise ${agent}`);
  let record: SessionRecord = {
    agent,
    role,
    ...defined({ task, epoch }),
    hash: sha256(credential),
    since: iso(now),
    supervisor,
    ...(former.length === 0 ? {} : { former }),
  };
  files.makeDirectory(directory);
  dropHints(files, directory, agent);
  const write = (changes: Partial<SessionRecord>): void => {
    record = { ...record, ...changes };
    replaceFile(files, file, Buffer.from(`${JSON.stringify(record)}\n`), false);
  };
  /** Whoever follows under this id has written a record of its own. */
  const isMine = (): boolean => readRecord(files, file)?.hash === record.hash;
  write({});
  return {
    id: idOf(record),
    credential,
    begun: (agentPid) => {
      const process = identify(agentPid);
      if (process === undefined || !isMine()) return;
      write({ process });
      files.close(files.open(join(directory, `${agent}.${agentPid}.process`), 'w'));
    },
    over: (at) => {
      // The folder may be gone, by an agent's hand; then there is nothing to end.
      if (!isMine()) return;
      write({ ended: iso(at) });
      dropHints(files, directory, agent);
    },
  };
}

/** All that are on record, whether they live or not. */
export function readSessions(files: Files, directory: string): readonly SessionRecord[] {
  return files
    .list(directory)
    .filter((name) => name.endsWith(SUFFIX))
    .flatMap((name) => readRecord(files, join(directory, name)) ?? []);
}

/** The agents that ever had a session here. */
export const sessionsOf = (files: Files, directory: string): readonly string[] =>
  files.list(directory).flatMap((name) => (name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : []));

export const readSession = (files: Files, directory: string, agent: string): SessionRecord | undefined =>
  readRecord(files, join(directory, `${agent}${SUFFIX}`));

/** Processes that may be an agent's, by pid; the record of that agent decides. */
export function sessionHints(files: Files, directory: string): ReadonlyMap<number, string> {
  const hints = files.list(directory).flatMap((name): [number, string][] => {
    const [, agent, pid] = name.endsWith('.process') ? (HINT.exec(name) ?? []) : [];
    return agent === undefined ? [] : [[Number(pid), agent]];
  });
  return new Map(hints);
}

function dropHints(files: Files, directory: string, agent: string): void {
  for (const name of files.list(directory)) if (HINT.exec(name)?.[1] === agent) files.remove(join(directory, name));
}

/** Tells nothing of the credential. */
export const idOf = ({ hash }: Pick<SessionRecord, 'hash'>): string => hash.slice(0, 12);

export const isLive = (record: SessionRecord): boolean => record.ended === undefined && isAlive(record.supervisor);

/** Whether a credential is this record's, or was one of the same agent before. */
export function knows(record: SessionRecord, credential: string): 'current' | 'former' | undefined {
  const hash = sha256(credential);
  if (record.hash === hash) return 'current';
  return record.former?.includes(hash) === true ? 'former' : undefined;
}

/** One that cannot be read counts for nothing: nobody is whom it named. */
function readRecord(files: Files, file: string): SessionRecord | undefined {
  try {
    const record = JSON.parse(files.read(file)?.toString('utf8') ?? 'null') as SessionRecord | null;
    const whole =
      record !== null &&
      typeof record.hash === 'string' &&
      typeof record.supervisor?.pid === 'number' &&
      roleOfId(record.agent) === record.role &&
      file.endsWith(`/${record.agent}${SUFFIX}`);
    return whole ? record : undefined;
  } catch {
    return undefined;
  }
}
