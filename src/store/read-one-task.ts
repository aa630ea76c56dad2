// One task straight from the cache, for `liza show`, or the ids of a section, for completion: no YAML, no hashing, no
// schema. Serves only what the files' stat proves to be current, and says "don't know" otherwise.

import type { Files } from '../ports/files.ts';
import type { Agent, Config, Discovery, Goal, Note, Question, SetupFailure, Task } from '../protocol/state.ts';
import { rangesOf, readIndex, unchanged } from './cache.ts';
import { readKeys, readList, readRecord } from './cache-lookup.ts';
import type { Paths } from './paths.ts';
import { normaliseRecord } from './record-values.ts';
import type { AgentReading } from './store.ts';

interface Where {
  readonly files: Files;
  readonly paths: Paths;
}

interface Peeked {
  readonly task: Task | undefined;
  readonly config: Config;
  readonly questions?: readonly Question[];
  readonly discovered?: readonly Discovery[];
  readonly notes?: readonly Note[];
  readonly setup?: readonly SetupFailure[];
}

/** undefined: the cache cannot tell. `task: undefined`: there is no such task on the board. */
export function peekTask({ files, paths }: Where, id: string): Peeked | undefined {
  const range = rangesOf(files, paths.cache);
  const found = readIndex(range);
  if (found === undefined || found.racy || !unchanged(files, found.index.key, paths)) return undefined;
  try {
    const read = (section: string, key: string | null) => readRecord(range, found, section, key);
    const listOf = (section: string) => readList(range, found, section)?.map((one) => normaliseRecord(section, one));
    const questions = listOf('questions') as readonly Question[] | undefined;
    const discovered = listOf('discovered') as readonly Discovery[] | undefined;
    const notes = listOf('human_notes') as readonly Note[] | undefined;
    if (questions === undefined || discovered === undefined || notes === undefined) return undefined;
    const setup = (read('goal', null) as Goal | undefined)?.setup_failures ?? [];
    return {
      task: normaliseRecord('tasks', read('tasks', id)) as Task | undefined,
      config: (read('config', null) ?? {}) as Config,
      ...(questions.length === 0 ? {} : { questions }),
      ...(discovered.length === 0 ? {} : { discovered }),
      ...(notes.length === 0 ? {} : { notes }),
      ...(setup.length === 0 ? {} : { setup }),
    };
  } catch {
    return undefined; // replaced between the two reads
  }
}

/** An agent and a task: the named one, or else the one that it has. undefined: the cache cannot tell. */
export function peekAgent({ files, paths }: Where, id: string, named?: string): AgentReading | undefined {
  const range = rangesOf(files, paths.cache);
  const found = readIndex(range);
  if (found === undefined || found.racy || !unchanged(files, found.index.key, paths)) return undefined;
  try {
    const read = (section: string, key: string | null) => readRecord(range, found, section, key);
    const agent = normaliseRecord('agents', read('agents', id)) as Agent | undefined;
    const wanted = named ?? agent?.current_task;
    const task =
      wanted === undefined ? undefined : (normaliseRecord('tasks', read('tasks', wanted)) as Task | undefined);
    // What is not there may be written in another style.
    if (agent === undefined || (wanted !== undefined && task === undefined)) return undefined;
    return { agent, config: (read('config', null) ?? {}) as Config, ...(task === undefined ? {} : { task }) };
  } catch {
    return undefined; // replaced between the two reads
  }
}

/**
 * The ids of all tasks or agents on the board; undefined: the cache cannot tell. Good enough to be offered, not to decide
 * by: an edit by hand within the clock tick of the last command is missed.
 */
export function peekIds({ files, paths }: Where, section: 'tasks' | 'agents'): readonly string[] | undefined {
  const range = rangesOf(files, paths.cache);
  const found = readIndex(range);
  if (found === undefined || !unchanged(files, found.index.key, paths)) return undefined;
  try {
    const keys = readKeys(range, found, section);
    // A section that a person wrote in another style is one record without a key.
    return keys.includes(null) ? undefined : keys.flatMap((key) => key ?? []);
  } catch {
    return undefined; // replaced between the two reads
  }
}
