// What lies in `.liza/evidence`, held against what was recorded of it: the board has the hash of a submission's file,
// and the file has those of its logs. Old ones are dropped for room: what is gone contradicts nothing. Reads only.

import { lstatSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EvidenceFound } from '../../audit/rules/facts.ts';
import { historyOf } from '../../protocol/leases.ts';
import { type Proof, writtenDown } from '../../protocol/proof.ts';
import type { Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import { sha256 } from '../../store/hash.ts';

/** Nothing else is ours to look at, whatever a record names. */
const OURS = /^\.liza\/evidence\/[a-z0-9][a-z0-9-]*\/\d{1,9}(?:\.json|-[a-z0-9-]+\.log)$/;

export const logsOf = ({ runs, tests }: Proof): readonly string[] => [
  ...new Set([...runs.map(({ log }) => log), ...(tests?.logs ?? [])]),
];

export function digestsOf(root: string, files: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    files.flatMap((file) => {
      const bytes = read(root, file);
      return bytes === undefined ? [] : [[file, sha256(bytes)]];
    }),
  );
}

/** Names the files of a run: the number of its pin, or the next that is free. What is on record is never written over. */
export function freeNumber(folder: string, task: Task, pin: number): number {
  const recorded = new Set(historyOf(task).map((entry) => basename(writtenDown(entry)?.file ?? '')));
  for (let n = pin; ; n += 1) {
    const name = `${n}.json`;
    if (!recorded.has(name) && lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() !== true) return n;
  }
}

/** By the recorded hash; a file that was written again since is held against the last record of it. */
export function evidenceOf(root: string, tasks: readonly Task[]): ReadonlyMap<string, EvidenceFound> {
  const last = new Map(
    tasks.flatMap((task) =>
      historyOf(task).flatMap((entry) => {
        const { file, digest } = writtenDown(entry) ?? {};
        return file === undefined || digest === undefined ? [] : [[file, digest] as const];
      }),
    ),
  );
  return new Map([...last].map(([file, digest]) => [digest, compare(root, file, digest)]));
}

function compare(root: string, file: string, digest: string): EvidenceFound {
  const bytes = read(root, file);
  if (bytes === undefined) return { file, is: isThere(root, file) ? 'other' : 'gone' };
  if (sha256(bytes) !== digest) return { file, is: 'other' };
  const told: unknown = JSON.parse(bytes.toString('utf8'));
  const digests = isFields(told) && isFields(told['digests']) ? Object.entries(told['digests']) : [];
  const logs = digests.map(([log, known]) => ({ log, known, bytes: read(root, log) }));
  const changed = logs.find((one) =>
    one.bytes === undefined ? isThere(root, one.log) : sha256(one.bytes) !== one.known,
  );
  if (changed !== undefined) return { file: changed.log, is: 'other' };
  const lost = logs.find((one) => one.bytes === undefined);
  return lost === undefined ? { file, is: 'same' } : { file: lost.log, is: 'gone' };
}

/** A link or a folder in its place, say: Liza leaves none. */
const isThere = (root: string, file: string): boolean =>
  OURS.test(file) && lstatSync(join(root, file), { throwIfNoEntry: false }) !== undefined;

function read(root: string, file: string): Buffer | undefined {
  const path = join(root, file);
  if (!OURS.test(file) || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return readFileSync(path);
}
