// agents/<id>.session: the session that runs under an agent's id. It keeps the hash of the credential that was given to
// that one process, what the session is about, and which processes supervise and play it. A single writer, its
// supervisor, replaces it whole; a record whose supervisor is dead counts for nothing.

import { join } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
import { send } from '../process/end-process-tree.ts';
import type { ProcessHost } from '../process/proc-files.ts';
import { identify, isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import { roleOfId } from '../protocol/board.ts';
import type { Role } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { BoardContext } from '../store/context.ts';
import { sha256 } from '../store/hash.ts';
import type { Paths } from '../store/paths.ts';
import { type Instant, iso } from '../text/time.ts';

/** The folder of the records, and the machine that the sessions run on. */
export interface SessionsContext extends Pick<BoardContext, 'files' | 'disk' | 'processes' | 'random'> {
  readonly paths: Pick<Paths, 'agents'>;
}

export interface SessionRecord {
  readonly agent: string;
  readonly role: Role;
  readonly task?: string;
  /** The task's epoch at the claim. */
  readonly epoch?: number;
  /** The credential's hash; the credential itself is nowhere but in the agent's environment. */
  readonly hash: string;
  readonly since: string;
  readonly supervisor: ProcessIdentity;
  /** The agent's own process, known a moment after its start. */
  readonly process?: ProcessIdentity;
  /** The first process in its sandbox: all others there end with it. Known before the agent runs. */
  readonly inside?: ProcessIdentity;
  /** It runs in a sandbox. */
  readonly confined?: true;
  /** It has ended; the record stays so that a late command is told why it does not count. */
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
  /** The supervisor's. */
  readonly pid: number;
}

export interface OpenSession {
  /** Its name in the journal. */
  readonly id: string;
  /** For LIZA_SESSION of that process alone. */
  readonly credential: string;
  /** Throws where it cannot be written: then the agent must not run. */
  inside(process: ProcessIdentity): void;
  /** Its process has started. */
  begun(pid: number, sandbox?: 'confined'): void;
  /** No command of it counts any more, while its processes are being ended. */
  ending(now: Instant): void;
  over(now: Instant): void;
}

/** Before the agent can act: from here on this credential is the agent's, and any earlier one is over. */
export function openSession(context: SessionsContext, opening: SessionOpening, now: Instant): OpenSession {
  const { files, random } = context;
  const directory = context.paths.agents;
  const { agent, role, task, epoch, pid } = opening;
  const file = join(directory, `${agent}${SUFFIX}`);
  const credential = Buffer.from(random.hex(32), 'hex').toString('base64url');
  const before = readRecord(files, file);
  const former = before === undefined ? [] : [before.hash, ...(before.former ?? [])].slice(0, FORMER_KEPT);
  const supervisor = identify(context, pid);
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
  dropHints(context, agent);
  const write = (changes: Partial<SessionRecord>): void => {
    record = { ...record, ...changes };
    replaceFile(files, file, Buffer.from(`${JSON.stringify(record)}\n`), false);
  };
  /** False: the next session under this id has written its record. */
  const isMine = (): boolean => readRecord(files, file)?.hash === record.hash;
  write({});
  return {
    id: sessionIdOf(record),
    credential,
    inside: (inside) => write({ inside }),
    begun: (agentPid, sandbox) => {
      const process = identify(context, agentPid);
      if (process === undefined || !isMine()) return;
      write({ process, ...(sandbox === undefined ? {} : { confined: true }) });
      files.close(files.open(join(directory, `${agent}.${agentPid}.process`), 'w'));
    },
    ending: (at) => {
      // The hints stay: what is left of its processes is still the agent.
      if (isMine()) write({ ended: iso(at) });
    },
    over: (at) => {
      // An agent may have removed the folder; then there is nothing to end.
      if (!isMine()) return;
      write({ ended: record.ended ?? iso(at) });
      dropHints(context, agent);
    },
  };
}

/** All that are on record, whether they live or not. */
export function readSessions({ files, paths }: SessionsContext): readonly SessionRecord[] {
  return files
    .list(paths.agents)
    .filter((name) => name.endsWith(SUFFIX))
    .flatMap((name) => readRecord(files, join(paths.agents, name)) ?? []);
}

/** What an agent made to outlive a supervisor that was killed: its sandbox ends with the first process in it. */
export function endLeftSandboxes(context: SessionsContext): void {
  for (const { inside, supervisor } of readSessions(context)) {
    if (inside === undefined || isAlive(context, supervisor) || !isAlive(context, inside)) continue;
    send(context, inside.pid, 'SIGKILL');
  }
}

/** The agents that ever had a session here. */
export const agentsWithSessions = ({ files, paths }: SessionsContext): readonly string[] =>
  files.list(paths.agents).flatMap((name) => (name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : []));

export const readSession = ({ files, paths }: SessionsContext, agent: string): SessionRecord | undefined =>
  readRecord(files, join(paths.agents, `${agent}${SUFFIX}`));

/** Processes that may be an agent's, by pid; the record of that agent decides. */
export function sessionHints({ files, paths }: SessionsContext): ReadonlyMap<number, string> {
  const hints = files.list(paths.agents).flatMap((name): [number, string][] => {
    const [, agent, pid] = name.endsWith('.process') ? (HINT.exec(name) ?? []) : [];
    return agent === undefined ? [] : [[Number(pid), agent]];
  });
  return new Map(hints);
}

function dropHints({ files, paths }: SessionsContext, agent: string): void {
  for (const name of files.list(paths.agents)) {
    if (HINT.exec(name)?.[1] === agent) files.remove(join(paths.agents, name));
  }
}

/** Tells nothing of the credential. */
export const sessionIdOf = ({ hash }: Pick<SessionRecord, 'hash'>): string => hash.slice(0, 12);

export const isLive = (host: ProcessHost, { ended, supervisor }: SessionRecord): boolean =>
  ended === undefined && isAlive(host, supervisor);

/** Whether a credential is this record's, or was one of the same agent before. */
export function matchCredential(record: SessionRecord, credential: string): 'current' | 'former' | undefined {
  const hash = sha256(credential);
  if (record.hash === hash) return 'current';
  return record.former?.includes(hash) === true ? 'former' : undefined;
}

/** A record that cannot be read counts for nothing. */
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
