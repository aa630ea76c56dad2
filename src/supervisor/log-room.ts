// Which files of agent-logs or agent-prompts go, so that a project that runs for months does not fill the disk: all
// but the latest few of each agent, and of the rest the oldest until the folder fits. Never the newest of an agent,
// whose session may be running, and never the newest about a live task.

export interface LogFile {
  readonly name: string;
  readonly bytes: number;
  /** When it was last written. */
  readonly time: number;
}

export interface LogRoom {
  /** Bytes that the folder may hold. */
  readonly bytes: number;
  /** Files of one agent. */
  readonly perAgent: number;
  readonly liveTasks: ReadonlySet<string>;
}

/** Anything else a person put there. */
const OURS = /\.log(?:\.prepare)?$|^[a-z-]+-\d+\.\d{8}T[\dZ-]+\.(?:[a-z0-9-]+\.)?md$/;

export function filesToDrop(files: readonly LogFile[], room: LogRoom): readonly string[] {
  const newestFirst = files.toSorted((a, b) => b.time - a.time || (a.name < b.name ? 1 : -1));
  const agents = new Map<string, number>();
  const tasks = new Set<string>();
  let held = 0;
  const dropped: string[] = [];
  for (const file of newestFirst) {
    const { agent, task } = aboutOf(file.name);
    const before = agent === undefined ? 0 : (agents.get(agent) ?? 0);
    const first =
      (agent !== undefined && before === 0) || (task !== undefined && room.liveTasks.has(task) && !tasks.has(task));
    if (agent !== undefined) agents.set(agent, before + 1);
    if (task !== undefined) tasks.add(task);
    const fits = held + file.bytes <= room.bytes && before < room.perAgent;
    if (first || fits || !OURS.test(file.name)) held += file.bytes;
    else dropped.push(file.name);
  }
  return dropped;
}

/** `coder-1.20260131T120000-000Z.task-1.log`, `integration-test-task-1-0123456789ab.log`, `prepare-task-1.log`. */
function aboutOf(name: string): { readonly agent?: string; readonly task?: string } {
  const session = /^([a-z-]+-\d+)\.\d{8}T[\dZ-]+(?:\.([a-z0-9-]+))?\.(?:log|md)$/.exec(name);
  if (session !== null) {
    const [, agent = '', task] = session;
    return { agent, ...(task === undefined ? {} : { task }) };
  }
  const task = /^(?:integration-test-(.+)-[0-9a-f]{12}|prepare-(.+))\.log/.exec(name);
  const found = task?.[1] ?? task?.[2];
  return found === undefined ? {} : { task: found };
}
