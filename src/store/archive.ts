// archive/: terminal tasks that left state.yaml, with their full history. tasks.yaml is for people and
// only grows; index.jsonl finds a task in it. Both are written before the state lets go of a task, so
// a crash between leaves it in both, and the state's copy counts.

import { join } from 'node:path';
import { appendFile, type Files } from '../ports/files.ts';
import type { Task, TaskStatus } from '../protocol/state.ts';
import { emitItem } from './yaml/emit.ts';
import { parseStrict } from './yaml/strict.ts';

interface IndexLine {
  readonly id: string;
  readonly status: TaskStatus;
  readonly offset: number;
  readonly length: number;
}

export class Archive {
  readonly #files: Files;
  readonly #directory: string;

  constructor(files: Files, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  index(): Map<string, IndexLine> {
    const index = new Map<string, IndexLine>();
    const text = this.#files.read(this.#indexFile)?.toString('utf8') ?? '';
    for (const line of text.split('\n')) {
      if (!line.endsWith('}')) continue; // the last line may be torn
      const entry = JSON.parse(line) as IndexLine;
      index.set(entry.id, entry);
    }
    return index;
  }

  add(tasks: readonly Task[]): void {
    this.#files.makeDirectory(this.#directory);
    const index = this.index();
    let offset = this.#dropUnnamed(index);
    const lines: string[] = [];
    const blocks: Buffer[] = [];
    for (const task of tasks) {
      const block = Buffer.from(`${emitItem(task, 0).join('\n')}\n`);
      if (this.#holds(index.get(task.id), task, block)) continue;
      lines.push(JSON.stringify({ id: task.id, status: task.status, offset, length: block.length }));
      blocks.push(block);
      offset += block.length;
    }
    if (blocks.length === 0) return;
    appendFile(this.#files, this.#tasksFile, Buffer.concat(blocks), true);
    // A torn line of an earlier crash must not swallow the next one.
    appendFile(this.#files, this.#indexFile, Buffer.from(`\n${lines.join('\n')}\n`), true);
  }

  /** All archived tasks. */
  async tasks(): Promise<readonly Task[]> {
    const found: Task[] = [];
    for (const { offset, length } of this.index().values()) {
      const parsed = await parseStrict(this.#files.readRange(this.#tasksFile, offset, length).toString('utf8'));
      if (parsed.ok && Array.isArray(parsed.value)) found.push(parsed.value[0]);
    }
    return found;
  }

  /** The YAML text of one archived task. */
  text(id: string): string | undefined {
    const entry = this.index().get(id);
    if (entry === undefined) return undefined;
    return this.#files.readRange(this.#tasksFile, entry.offset, entry.length).toString('utf8');
  }

  /** A crash came after the index and before the commit: the task is archived already. */
  #holds(entry: IndexLine | undefined, task: Task, block: Buffer): boolean {
    if (entry === undefined || entry.status !== task.status) return false;
    return this.#files.readRange(this.#tasksFile, entry.offset, entry.length).equals(block);
  }

  /** Cuts off tasks, whole or torn, that a crash kept from the index; returns where the next one goes. */
  #dropUnnamed(index: ReadonlyMap<string, IndexLine>): number {
    const size = Number(this.#files.stat(this.#tasksFile)?.size ?? 0);
    // The index is made before the first task. If it is missing somebody deleted it, and nothing is cut off.
    if (this.#files.stat(this.#indexFile) === undefined) {
      this.#files.close(this.#files.open(this.#indexFile, 'a'));
      return size;
    }
    const end = Math.max(0, ...[...index.values()].map(({ offset, length }) => offset + length));
    if (size <= end) return size;
    const rest = this.#files.readRange(this.#tasksFile, end, size - end).toString('utf8');
    if (!rest.startsWith('- id: '.slice(0, rest.length))) return size; // a person's own words
    const fd = this.#files.open(this.#tasksFile, 'r+');
    try {
      this.#files.truncate(fd, end);
    } finally {
      this.#files.close(fd);
    }
    return end;
  }

  get #tasksFile(): string {
    return join(this.#directory, 'tasks.yaml');
  }

  get #indexFile(): string {
    return join(this.#directory, 'index.jsonl');
  }
}
