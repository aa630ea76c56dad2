// Writes what proved a submission to `.liza/evidence`, and compares it later with what was recorded of it: the board has the hash of a submission's file,
// and the file has those of its logs. Old ones are dropped for room: a missing file contradicts nothing.

import { basename, join } from 'node:path';
import type { EvidenceFound } from '../../audit/rules/facts.ts';
import type { Disk } from '../../ports/disk.ts';
import { hideIn } from '../../protocol/input.ts';
import { historyOf } from '../../protocol/leases.ts';
import { type Proof, writtenDown } from '../../protocol/review/proof.ts';
import type { Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import type { BoardContext } from '../../store/context.ts';
import { sha256 } from '../../store/hash.ts';
import { secretsOf } from '../../text/redact.ts';
import { iso } from '../../text/time.ts';
import type { TaskContext } from '../context.ts';
import { fromRoot } from '../disposable-checkout.ts';
import { logFolder, type Proving } from './run-commands.ts';

type Evidence = Pick<BoardContext, 'disk' | 'paths'>;

/** Nothing else is ours to look at, whatever a record names. */
const OURS = /^\.liza\/evidence\/[a-z0-9][a-z0-9-]*\/\d{1,9}(?:\.json|-[a-z0-9-]+\.log)$/;

const logsOf = ({ runs, tests }: Proof): readonly string[] => [
  ...new Set([...runs.map(({ log }) => log), ...(tests?.logs ?? [])]),
];

function digestsOf({ disk, paths }: Evidence, files: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    files.flatMap((file) => {
      const bytes = read(disk, paths.root, file);
      return bytes === undefined ? [] : [[file, sha256(bytes)]];
    }),
  );
}

/** Names the files of a run: the number of its pin, or the next that is free. What is on record is never written over. */
export function freeNumber(disk: Disk, folder: string, task: Task, pin: number): number {
  const recorded = new Set(historyOf(task).map((entry) => basename(writtenDown(entry)?.file ?? '')));
  for (let n = pin; ; n += 1) {
    const name = `${n}.json`;
    if (!recorded.has(name) && disk.lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() !== true)
      return n;
  }
}

/** Writes all that was found beside the logs; the board has the compact form. */
export function writeEvidence(context: TaskContext, { task, number, base, facts }: Proving, found: Proof): Proof {
  const { disk, env, clock } = context;
  const path = join(logFolder(context, task.id), `${number}.json`);
  const proof = { ...found, file: fromRoot(context, path) };
  const { changes, lines, test_edits } = facts;
  const digests = digestsOf(context, logsOf(found));
  const diff = { lines, test_edits, changes };
  const whole = { task: task.id, at: iso(clock.now()), base, ...proof, diff, digests };
  const text = `${JSON.stringify(hideIn(whole, secretsOf(env)), undefined, 2)}\n`;
  disk.rmSync(path, { force: true, recursive: true });
  disk.writeFileSync(path, text, { flag: 'wx' });
  return { ...proof, digest: sha256(text) };
}

/** By the recorded hash; a file that was written again since is compared with the last record of it. */
export function evidenceOf(context: Evidence, tasks: readonly Task[]): ReadonlyMap<string, EvidenceFound> {
  const last = new Map(
    tasks.flatMap((task) =>
      historyOf(task).flatMap((entry) => {
        const { file, digest } = writtenDown(entry) ?? {};
        return file === undefined || digest === undefined ? [] : [[file, digest] as const];
      }),
    ),
  );
  return new Map([...last].map(([file, digest]) => [digest, compare(context, file, digest)]));
}

function compare({ disk, paths: { root } }: Evidence, file: string, digest: string): EvidenceFound {
  const bytes = read(disk, root, file);
  if (bytes === undefined) return { file, is: isThere(disk, root, file) ? 'other' : 'gone' };
  if (sha256(bytes) !== digest) return { file, is: 'other' };
  const told: unknown = JSON.parse(bytes.toString('utf8'));
  const digests = isFields(told) && isFields(told['digests']) ? Object.entries(told['digests']) : [];
  const logs = digests.map(([log, known]) => ({ log, known, bytes: read(disk, root, log) }));
  const changed = logs.find((one) =>
    one.bytes === undefined ? isThere(disk, root, one.log) : sha256(one.bytes) !== one.known,
  );
  if (changed !== undefined) return { file: changed.log, is: 'other' };
  const lost = logs.find((one) => one.bytes === undefined);
  return lost === undefined ? { file, is: 'same' } : { file: lost.log, is: 'gone' };
}

/** A link or a folder in its place, say: Liza leaves none. */
const isThere = (disk: Disk, root: string, file: string): boolean =>
  OURS.test(file) && disk.lstatSync(join(root, file), { throwIfNoEntry: false }) !== undefined;

function read(disk: Disk, root: string, file: string): Buffer | undefined {
  const path = join(root, file);
  if (!OURS.test(file) || disk.lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return disk.readFileSync(path);
}
