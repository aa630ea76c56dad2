// Which files go, so that a project that runs for months does not fill the disk: of agent-logs and agent-prompts all
// but the latest few of each agent, of evidence all but the latest few submissions of each task, and of the rest the
// oldest until the folder fits. Never the newest of an agent, whose session may be running, and never the newest
// about a live task.

import { defined } from '../../protocol/values.ts';

export interface LogFile {
  readonly name: string;
  readonly bytes: number;
  /** When it was last written. */
  readonly time: number;
}

export interface LogQuota {
  /** Bytes that the folder may hold. */
  readonly bytes: number;
  /** Files of one agent, submissions of one task. */
  readonly each: number;
  readonly liveTasks: ReadonlySet<string>;
}

interface Entry extends LogFile {
  /** Whose number is limited. */
  readonly owner?: string | undefined;
  /** The newest of each of these stays. */
  readonly about: readonly string[];
  /** Anything else a person put there. */
  readonly ours: boolean;
}

const OURS = /\.log(?:\.prepare)?$|^[a-z-]+-\d+\.\d{8}T[\dZ-]+\.(?:[a-z0-9-]+\.)?md$/;

export const filesToDrop = (files: readonly LogFile[], quota: LogQuota): readonly string[] =>
  beyond(
    files.map((file) => {
      const { agent, task } = aboutOf(file.name);
      const live = task !== undefined && quota.liveTasks.has(task) ? [`task ${task}`] : [];
      const about = [...live, ...(agent === undefined ? [] : [`agent ${agent}`])];
      return { ...file, owner: agent, about, ours: OURS.test(file.name) };
    }),
    quota,
  ).map(({ name }) => name);

export interface Submission {
  readonly task: string;
  readonly pin: number;
  readonly bytes: number;
  readonly time: number;
}

/** What was run at a submitted commit goes as a whole: a log without its others tells little. */
export const submissionsToDrop = (all: readonly Submission[], quota: LogQuota): readonly Submission[] =>
  beyond(
    all.map((one) => {
      const about = quota.liveTasks.has(one.task) ? [one.task] : [];
      return { ...one, name: `${one.task}/${one.pin}`, owner: one.task, about, ours: true };
    }),
    quota,
  );

function beyond<E extends Entry>(entries: readonly E[], { bytes, each }: LogQuota): readonly E[] {
  const newestFirst = entries.toSorted((a, b) => b.time - a.time || (a.name < b.name ? 1 : -1));
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  let held = 0;
  const dropped: E[] = [];
  for (const entry of newestFirst) {
    const { owner, about } = entry;
    const before = owner === undefined ? 0 : (counts.get(owner) ?? 0);
    const newest = about.some((one) => !seen.has(one));
    if (owner !== undefined) counts.set(owner, before + 1);
    for (const one of about) seen.add(one);
    const fits = held + entry.bytes <= bytes && before < each;
    if (newest || fits || !entry.ours) held += entry.bytes;
    else dropped.push(entry);
  }
  return dropped;
}

/** `coder-1.20260131T120000-000Z.task-1.log`, `integration-test-task-1-0123456789ab.log`, `test-command-…`, `prepare-task-1.log`. */
function aboutOf(name: string): { readonly agent?: string; readonly task?: string } {
  const session = /^([a-z-]+-\d+)\.\d{8}T[\dZ-]+(?:\.([a-z0-9-]+))?\.(?:log|md)$/.exec(name);
  if (session !== null) {
    const [, agent = '', task] = session;
    return { agent, ...defined({ task }) };
  }
  const task = /^(?:(?:integration-test|test-command)-(.+)-[0-9a-f]{12}(?:\.\d+)?|prepare-(.+))\.log/.exec(name);
  const found = task?.[1] ?? task?.[2];
  return found === undefined ? {} : { task: found };
}
