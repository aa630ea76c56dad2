// archive/: records that left state.yaml, whole. tasks.yaml holds terminal tasks with their history, goals.yaml the goals
// that ended. Both files are for people and only grow; an index of JSON lines finds a record in each. A record is written
// before the state lets go of it, so a crash between leaves it in both, and the state's copy counts.

import { dirname, join } from 'node:path';
import { appendFile, type Files } from '../ports/files.ts';
import type { GoalRecord } from '../protocol/goal/goal-record.ts';
import { numberOf } from '../protocol/goal/goal-tasks.ts';
import type { Goal, Task } from '../protocol/state.ts';
import { emitItem } from './yaml/emit.ts';
import { parseStrict } from './yaml/strict.ts';

interface Kept {
  readonly id: string;
  readonly status: string;
  readonly goal?: string | undefined;
}

interface IndexLine<T extends Kept> {
  readonly id: string;
  readonly status: T['status'];
  /** The goal that a task belongs to; earlier versions noted none. */
  readonly goal?: string;
  readonly offset: number;
  readonly length: number;
}

export const taskArchive = (files: Files, directory: string): Archive<Task> =>
  new Archive(files, join(directory, 'tasks.yaml'), join(directory, 'index.jsonl'));

export const goalArchive = (files: Files, directory: string): Archive<GoalRecord> =>
  new Archive(files, join(directory, 'goals.yaml'), join(directory, 'goals.jsonl'));

/** Both archives as they are, each record with its own text. */
export function archiveTexts(files: Files, directory: string): readonly ArchivedText[] {
  return (['task', 'goal'] as const).flatMap((kind) => {
    const archive: Archive<Task | GoalRecord> =
      kind === 'task' ? taskArchive(files, directory) : goalArchive(files, directory);
    return [...archive.index().values()].map(({ id, status, goal = null }) => ({
      ...{ kind, id, status, goal, text: archive.text(id) ?? '' },
    }));
  });
}

export interface ArchivedText {
  readonly kind: 'task' | 'goal';
  readonly id: string;
  readonly status: string;
  readonly goal: string | null;
  readonly text: string;
}

class Archive<T extends Kept> {
  readonly #files: Files;
  readonly #records: string;
  readonly #indexFile: string;

  constructor(files: Files, records: string, index: string) {
    this.#files = files;
    this.#records = records;
    this.#indexFile = index;
  }

  index(): Map<string, IndexLine<T>> {
    const index = new Map<string, IndexLine<T>>();
    const text = this.#files.read(this.#indexFile)?.toString('utf8') ?? '';
    for (const line of text.split('\n')) {
      if (!line.endsWith('}')) continue; // the last line may be torn
      const entry = JSON.parse(line) as IndexLine<T>;
      index.set(entry.id, entry);
    }
    return index;
  }

  /** `goalOf`: the goal of a record that names none. */
  add(records: readonly T[], goalOf?: (id: string) => string | undefined): void {
    const index = this.index();
    let offset = this.#dropUnnamed(index);
    const lines: string[] = [];
    const blocks: Buffer[] = [];
    for (const record of records) {
      const block = Buffer.from(archivedText(record));
      if (this.#holds(index.get(record.id), record, block)) continue;
      const { id, status, goal = goalOf?.(id) } = record;
      lines.push(JSON.stringify({ id, status, goal, offset, length: block.length }));
      blocks.push(block);
      offset += block.length;
    }
    if (blocks.length === 0) return;
    appendFile(this.#files, this.#records, Buffer.concat(blocks), true);
    // A torn line of an earlier crash must not swallow the next one.
    appendFile(this.#files, this.#indexFile, Buffer.from(`\n${lines.join('\n')}\n`), true);
  }

  async all(): Promise<readonly T[]> {
    const found: T[] = [];
    for (const { offset, length } of this.index().values()) {
      const parsed = await parseStrict(this.#files.readRange(this.#records, offset, length).toString('utf8'));
      if (parsed.ok && Array.isArray(parsed.value)) found.push(parsed.value[0]);
    }
    return found;
  }

  /** The YAML text of one record. */
  text(id: string): string | undefined {
    const entry = this.index().get(id);
    if (entry === undefined) return undefined;
    return this.#files.readRange(this.#records, entry.offset, entry.length).toString('utf8');
  }

  /** Ids of the records of other goals. A line of an earlier version names no goal: then it counts when the task was made. */
  ofOtherGoals(index: ReadonlyMap<string, IndexLine<T>>, goal: Pick<Goal, 'id' | 'created'>): ReadonlySet<string> {
    const lines = [...index.values()];
    const { created = '' } = goal;
    const unnamed = numberOf(goal.id) > 1 && lines.some((line) => line.goal === undefined);
    const whole = unnamed ? this.#files.read(this.#records) : undefined;
    const isEarlier = ({ offset, length }: IndexLine<T>): boolean => {
      const made = CREATED.exec(whole?.toString('utf8', offset, offset + length) ?? '')?.[1];
      return made !== undefined && made < created;
    };
    const others = lines.filter((line) => (line.goal === undefined ? isEarlier(line) : line.goal !== goal.id));
    return new Set(others.map(({ id }) => id));
  }

  /** A crash came after the index and before the commit: the record is archived already. */
  #holds(entry: IndexLine<T> | undefined, record: T, block: Buffer): boolean {
    if (entry === undefined || entry.status !== record.status) return false;
    return this.#files.readRange(this.#records, entry.offset, entry.length).equals(block);
  }

  /** Cuts off records, whole or torn, that a crash kept from the index; returns where the next one goes. */
  #dropUnnamed(index: ReadonlyMap<string, IndexLine<T>>): number {
    this.#files.makeDirectory(dirname(this.#records));
    const size = Number(this.#files.stat(this.#records)?.size ?? 0);
    // The index is made before the first record. If it is missing somebody deleted it, and nothing is cut off.
    if (this.#files.stat(this.#indexFile) === undefined) {
      this.#files.close(this.#files.open(this.#indexFile, 'a'));
      return size;
    }
    const end = Math.max(0, ...[...index.values()].map(({ offset, length }) => offset + length));
    if (size <= end) return size;
    const rest = this.#files.readRange(this.#records, end, size - end).toString('utf8');
    if (!rest.startsWith('- id: '.slice(0, rest.length))) return size; // a person's own words
    const fd = this.#files.open(this.#records, 'r+');
    try {
      this.#files.truncate(fd, end);
    } finally {
      this.#files.close(fd);
    }
    return end;
  }
}

const CREATED = /^ {2}created: ['"]?([^'"\n]+)/m;

/** As the file has it. */
export const archivedText = (record: Kept): string => `${emitItem(record, 0).join('\n')}\n`;
