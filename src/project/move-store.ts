// `liza store move`: a board goes from state.yaml into a database, whole, and back. One of the two is in charge at every
// moment, whenever the move is killed, and the same command finishes it:
//   there   the database is filled and compared, and does not count; then `.liza/store` appears, by one rename: from then
//           on it counts. Until then the board is in state.yaml, and filling begins anew.
//   back    the files of this host are brought up to date and compared; then the database says that the board has moved,
//           in one transaction at that very entry: from then on state.yaml counts, which is then written without its heading.

import { join } from 'node:path';
import type { Connection } from '../ports/database.ts';
import { type Files, replaceFile, syncDirectory } from '../ports/files.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { archiveTexts } from '../store/archive.ts';
import type { BoardContext } from '../store/context.ts';
import { mirrorJournal } from '../store/git-dir-copy.ts';
import { sha256 } from '../store/hash.ts';
import { readEntries, readLines } from '../store/journal.ts';
import { load } from '../store/load.ts';
import { openStore } from '../store/open.ts';
import { addressToKeep, keepAddress } from '../store/postgres/address.ts';
import { wholeText } from '../store/postgres/board-rows.ts';
import { fillBoard, setStage } from '../store/postgres/fill.ts';
import { migrate } from '../store/postgres/migrate.ts';
import { moveBack } from '../store/postgres/move-back.ts';
import { unlocked } from '../store/refusals.ts';
import { storeFile, storeText } from '../store/shared-board.ts';
import { readSwitches } from '../store/switch-files.ts';
import { verifyJournal } from '../store/verify.ts';
import { refuseBusy } from './deinit-busy.ts';
import { newHost, withConnection } from './store-connection.ts';

export interface Moved {
  readonly ok: true;
  readonly message: string;
  readonly entries: number;
}

export async function moveToPostgres(context: BoardContext, repository: string | undefined): Promise<Moved | Refusal> {
  const url = addressToKeep(context);
  if (typeof url !== 'string') return url;
  const { board, now } = await openStore(context).read();
  const busy = refuseBusy(board, now, 'liza store move postgres');
  if (busy !== undefined) return busy;
  const lock = await context.lock();
  if (!('release' in lock)) return unlocked(lock, context);
  let moved: Moved | Refusal;
  try {
    moved = await withConnection(context, url, (connection) => bringThere(context, connection, url, repository));
  } finally {
    lock.release();
  }
  return moved;
}

async function bringThere(
  context: BoardContext,
  connection: Connection,
  url: string,
  repository: string | undefined,
): Promise<Moved | Refusal> {
  const { files, paths } = context;
  const refused = await migrate(connection);
  if (refused !== undefined) return refused;
  const loaded = await load(files, paths, 'ignore');
  if ('ok' in loaded) return loaded;
  if ('none' in loaded || loaded.behind || loaded.edits.length > 0 || loaded.broken !== undefined)
    return refuse(
      'state.yaml and its journal do not agree yet',
      'run: liza doctor --fix, then move again',
      4,
      'journal',
    );
  const verified = verifyJournal(context);
  const [problem] = verified.problems;
  if (problem !== undefined)
    return refuse(`the journal is not whole: ${problem}`, 'run: liza log verify', 4, 'journal');
  const [first] = readLines(files, paths.journal);
  const name = `b-${sha256(first?.text ?? '').slice(0, 20)}`;
  const filled = await fillBoard(connection, {
    board: name,
    repository,
    lines: batches(files, paths.journal),
    doc: loaded.doc,
    archived: archiveTexts(files, paths.archive),
    switches: Object.fromEntries(Object.keys(readSwitches(files, paths)).map((one) => [one, true])),
  });
  if (filled !== undefined) return filled;
  const text = await wholeText(connection, name);
  if (text === undefined || sha256(text.text) !== loaded.hash || text.hash !== verified.head) return notWhole();
  if (!(await setStage(connection, name, ['filling', 'ready'], verified.head))) return notWhole();
  keepAddress(context, url);
  putAwayCopy(context);
  const host = newHost(context);
  // From here on the database counts.
  replaceFile(files, storeFile(paths), Buffer.from(storeText({ board: name, ...host, moved: verified.head })), true);
  syncDirectory(files, paths.liza);
  await setStage(connection, name, ['ready', 'open'], verified.head);
  return {
    ok: true,
    message: `the board is on PostgreSQL now, with all ${verified.entries} entries of its journal; state.yaml is a view of it`,
    entries: verified.entries,
  };
}

const LINES = 200;
const BYTES = 4 * 1024 * 1024;

/** The lines that count; those of writers that lost a race do not. */
function* batches(files: Files, journal: string): Generator<readonly string[]> {
  const sound = readEntries(files, journal);
  let next = sound.next();
  let batch: string[] = [];
  let size = 0;
  for (const { text, offset } of readLines(files, journal)) {
    if (next.done === true) break;
    if (next.value.offset !== offset) continue;
    batch.push(text);
    size += text.length;
    if (batch.length >= LINES || size >= BYTES) {
      yield batch;
      [batch, size] = [[], 0];
    }
    next = sound.next();
  }
  if (batch.length > 0) yield batch;
}

/** The copy of the journal in the git directory would bring a board back that is not in charge any more. */
function putAwayCopy({ disk, paths }: BoardContext): void {
  const { mirror } = paths;
  if (mirror === undefined || !disk.existsSync(mirrorJournal(mirror))) return;
  disk.renameSync(mirrorJournal(mirror), join(mirror, 'journal.before-postgres.jsonl'));
}

export async function moveToYaml(context: BoardContext): Promise<Moved | Refusal> {
  const { shared } = context;
  if (shared === undefined)
    return refuse('this board is in state.yaml', 'liza store says where a board is', 1, 'store-moved');
  const { board, now } = await openStore(context).read();
  const busy = refuseBusy(board, now, 'liza store move yaml');
  if (busy !== undefined) return busy;
  return moveBack(context, shared);
}

const notWhole = (): Refusal =>
  refuse('what the database holds is not what was sent', 'nothing was changed here; try again', 4, 'store-refused');
