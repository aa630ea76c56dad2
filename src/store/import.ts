// How a journal begins: with a board that init makes, or with a state.yaml that was there before.
// The first entry holds the whole text, so that the journal alone can rebuild everything.

import { discard, errorCode, syncDirectory, writeTemporary } from '../ports/files.ts';
import { actorName, OPERATOR } from '../protocol/board.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { validate } from '../protocol/invariants.ts';
import { RECORD_SECTIONS } from '../protocol/state.ts';
import { iso } from '../text/time.ts';
import { decode, SIZE_LIMIT } from './bounded-text.ts';
import type { BoardContext } from './context.ts';
import { normalise } from './file-values.ts';
import { updateMirror } from './git-dir-copy.ts';
import { sha256 } from './hash.ts';
import { append, dropTorn, type Entry, GENESIS, readTail } from './journal.ts';
import { appendLog, putLogAside } from './log.ts';
import { asMigrated, migrate } from './migrate.ts';
import type { Operation } from './store.ts';
import { LostRace } from './transaction.ts';
import { refuseNewer } from './version.ts';
import { type BoardDocument, parseDocument } from './yaml/document.ts';
import { Text } from './yaml/text.ts';

/** Adopts a whole state.yaml that has no journal, as entry `imported`; only under the lock. */
export async function adoptFile(context: BoardContext): Promise<Refusal | undefined> {
  const doc = await readFile(context);
  if ('ok' in doc) return doc;
  const refused = refuseInvalid(doc, context);
  if (refused !== undefined) return refused;
  const migrated = await migrate(context, doc);
  const from =
    doc === migrated
      ? ''
      : `, upgraded from version ${String(doc.value['version'] ?? 0)}; the old file is in the archive`;
  const detail = `adopted a state.yaml that had no journal${from}`;
  start(context, migrated.text, { actor: OPERATOR, command: 'imported', detail });
  return undefined;
}

/** Checks every rule on the board as it will be once it is migrated. */
export function refuseInvalid(doc: BoardDocument, context: BoardContext): Refusal | undefined {
  const problems = validate(normalise(asMigrated(doc.value, context.clock.now())).state, new Map());
  const first = problems[0];
  if (first === undefined) return undefined;
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  return unusable(`${first.message}${more}`, 'liza validate lists everything; fix it, then continue');
}

/** state.yaml as it is on the disk, checked only against the rules of YAML and the version. */
export async function readFile({ files, paths }: BoardContext): Promise<BoardDocument | Refusal> {
  if ((files.stat(paths.state)?.size ?? 0n) > BigInt(SIZE_LIMIT)) return unusable('it is larger than 64 MB');
  const bytes = files.read(paths.state);
  const text = bytes === undefined ? undefined : decode(bytes);
  if (text === undefined) return unusable('it is not UTF-8 text');
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) return unusable(`line ${parsed.line}, column ${parsed.column}: ${parsed.message}`, parsed.hint);
  return refuseNewer(parsed.doc) ?? parsed.doc;
}

/**
 * Writes a board's first entry and state.yaml itself, in the order of every commit (transaction.ts); only under the
 * lock. Throws LostRace when another writer's first entry came first. Returns what the next command has to finish.
 */
export function start(
  context: BoardContext,
  text: string,
  { actor, command, detail }: Operation & { readonly detail: string },
): string | undefined {
  const { files, paths } = context;
  const old = putLogAside(context);
  const entry: Entry = {
    seq: 1,
    time: iso(context.clock.now()),
    actor: actorName(actor),
    command,
    detail: old === undefined ? detail : `${detail}; the log of the board before is kept in ${old}`,
    change: [{ at: 0, del: [''], ins: text.split('\n') }],
    records: [],
    effect: true,
    prev: GENESIS,
    state: sha256(text),
  };
  const temporary = files.temporaryFor(paths.state);
  writeTemporary(files, temporary, Buffer.from(text), true);
  try {
    const tail = readTail(files, paths.journal, 1);
    if (tail !== undefined) dropTorn(files, paths.journal, tail);
    if (append(files, paths.journal, tail?.end ?? 0, JSON.stringify(entry)) === 'lost') throw new LostRace();
  } catch (error) {
    discard(files, temporary);
    throw error;
  }
  try {
    files.rename(temporary, paths.state);
    syncDirectory(files, paths.liza);
    updateMirror(context, 1, Text.of(text));
    appendLog(files, paths.log, readTail(files, paths.journal, 2)?.lines ?? []);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return `the board is in the journal, but completing it failed with ${code}; the next command completes it`;
  }
}

const unusable = (fact: string, hint = 'fix state.yaml in an editor, then run: liza validate'): Refusal =>
  refuse(`state.yaml has no journal and cannot be adopted: ${fact}`, hint, 4, 'import');
