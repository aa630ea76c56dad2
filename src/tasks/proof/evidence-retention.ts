// Keeps `.liza/evidence/<task>/<n>.json` and `<n>-*.log`, as many as there is room for. Touches only files that Liza
// names so, and follows no link.

import { join } from 'node:path';
import { removeIfEmpty } from '../../git/scratch-folders.ts';
import type { Disk } from '../../ports/disk.ts';
import { ID_PATTERN } from '../../protocol/records/fields.ts';
import { isTerminal, type State, settings } from '../../protocol/state.ts';
import type { TaskContext } from '../context.ts';
import { type Submission, submissionsToDrop } from '../rules/log-retention.ts';

/** Submissions of one task. */
const KEPT = 40;
/** A small file takes a block of the disk. */
const BLOCK = 4096;
const OURS = /^(\d{1,9})(?:\.json|-[a-z0-9-]+\.log(?:\.prepare)?)$/;

interface Kept extends Submission {
  readonly files: readonly string[];
}

/** Only under the lock for a proof; that of another task is the newest of a live one. */
export function makeRoomForEvidence({ disk, paths }: TaskContext, state: State): void {
  const folder = join(paths.liza, 'evidence');
  const live = state.tasks.filter(({ status }) => !isTerminal(status)).map(({ id }) => id);
  const room = { bytes: settings(state).agent_logs_mb * 1e6, each: KEPT, liveTasks: new Set(live) };
  const tasks = foldersIn(disk, folder);
  const all = tasks.flatMap((task) => submissionsIn(disk, join(folder, task), task));
  for (const { files } of submissionsToDrop(all, room) as readonly Kept[])
    for (const file of files) disk.rmSync(file, { force: true });
  for (const task of tasks) if (!room.liveTasks.has(task)) removeIfEmpty(disk, join(folder, task));
}

/** For one task. A link that somebody put there is not written through. */
export function makeEvidenceFolder(disk: Disk, folder: string): void {
  if (disk.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) disk.rmSync(folder);
  disk.mkdirSync(folder, { recursive: true });
}

const foldersIn = (disk: Disk, folder: string): readonly string[] =>
  disk.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ? disk
        .readdirSync(folder, { withFileTypes: true })
        .flatMap((entry) => (entry.isDirectory() && ID_PATTERN.test(entry.name) ? [entry.name] : []))
    : [];

function submissionsIn(disk: Disk, folder: string, task: string): readonly Kept[] {
  const found = new Map<number, Kept>();
  for (const name of disk.readdirSync(folder)) {
    const file = join(folder, name);
    const pin = Number(OURS.exec(name)?.[1]);
    const stat = disk.lstatSync(file, { throwIfNoEntry: false });
    if (!Number.isInteger(pin) || stat?.isFile() !== true) continue;
    const { bytes, time, files } = found.get(pin) ?? { bytes: 0, time: 0, files: [] };
    found.set(pin, {
      task,
      pin,
      bytes: bytes + Math.max(stat.size, BLOCK),
      time: Math.max(time, stat.mtimeMs),
      files: [...files, file],
    });
  }
  return [...found.values()];
}
