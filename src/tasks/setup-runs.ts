// Which set-ups run now, for people: a small file for each in cache/setup-runs, written when its command starts and removed
// when it has ended. Derived, and read without a lock: what a killed process left says nothing.

import { join } from 'node:path';
import { replaceFile } from '../ports/files.ts';
import { plainText } from '../process/plain-file.ts';
import { formatProcess, identify, isAlive, parseProcess } from '../process/process-identity.ts';
import type { SetupPart } from '../protocol/records/setup-records.ts';
import { defined, isFields } from '../protocol/values.ts';
import { isSetupPart } from '../protocol/work/setup-failures.ts';
import { attemptText, type SetupRun } from '../protocol/work/setup-runs.ts';
import type { BoardContext } from '../store/context.ts';

const folderOf = ({ paths }: Pick<BoardContext, 'paths'>): string => join(paths.liza, 'cache', 'setup-runs');
const MOST_BYTES = 10_000;

/** The runs of one set-up: its command may be run more than once. */
export interface SetupRuns {
  /** `text`: which attempt it is, and why; `end` once it is over. */
  begin(command: string): { readonly text: string; end(): void };
  /** Why the next run, if there is one, is not the last. */
  because(why: string): void;
  /** How many there were, with those that failed before. */
  count(): number;
}

interface About {
  readonly part: SetupPart;
  readonly task?: string | undefined;
  /** How often it failed before. */
  readonly failed: number;
  readonly why: string | undefined;
}

export function announceRuns(context: BoardContext, { part, task, failed, why: first }: About): SetupRuns {
  const { clock, files, random, processes } = context;
  let attempt = failed;
  let why = first;
  return {
    begin: (command) => {
      attempt += 1;
      const run: SetupRun = { command, part, since: clock.now(), attempt, ...defined({ task, why }) };
      const file = join(folderOf(context), `${processes.pid}-${random.hex(4)}.json`);
      const own = identify(context, processes.pid);
      const written = JSON.stringify({ process: own && formatProcess(own), ...run });
      // A full disk must not keep it from running: then nobody is told.
      quietly(() => {
        files.makeDirectory(folderOf(context));
        replaceFile(files, file, Buffer.from(written), false);
      });
      return { text: attemptText(run), end: () => quietly(() => files.remove(file)) };
    },
    because: (said) => {
      why = said;
    },
    count: () => attempt,
  };
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // only people would have read it
  }
}

/** What runs now, longest first. */
export function setupRunsNow(context: BoardContext): readonly SetupRun[] {
  return namesIn(context)
    .flatMap((name) => runIn(context, plainText(context.disk, join(folderOf(context), name), MOST_BYTES)))
    .sort((a, b) => a.since - b.since);
}

function namesIn(context: BoardContext): readonly string[] {
  const folder = folderOf(context);
  try {
    return context.disk.existsSync(folder) ? context.disk.readdirSync(folder) : [];
  } catch {
    return []; // it went away meanwhile
  }
}

function runIn(context: BoardContext, text: string | undefined): readonly SetupRun[] {
  let found: unknown;
  try {
    found = JSON.parse(text ?? 'null');
  } catch {
    return [];
  }
  if (!isFields(found) || typeof found['process'] !== 'string') return [];
  const process = parseProcess(found['process']);
  if (process === undefined || !isAlive(context, process)) return [];
  const { command, part, task, since, attempt, why } = found;
  if (!isSetupPart(part) || typeof command !== 'string' || typeof since !== 'number') return [];
  return [
    {
      command,
      part,
      since,
      attempt: typeof attempt === 'number' ? attempt : 1,
      ...(typeof task === 'string' ? { task } : {}),
      ...(typeof why === 'string' ? { why } : {}),
    },
  ];
}
