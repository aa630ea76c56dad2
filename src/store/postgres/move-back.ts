// A board leaves the database for the state.yaml of this host. The files are brought up to date and checked first; then the
// database says that the board has moved, at that very entry and no other, which is the moment from which state.yaml
// counts. Whoever is killed after that leaves files that only have to be put in place, which the next command does.

import { replaceFile, syncDirectory } from '../../ports/files.ts';
import { OPERATOR } from '../../protocol/board.ts';
import { isRefusal, type Refusal, Refused, refuse } from '../../protocol/decision.ts';
import { readIfFile } from '../bounded-text.ts';
import type { BoardContext } from '../context.ts';
import { lastOf, readTail } from '../journal.ts';
import { type SharedBoard, storeFile } from '../shared-board.ts';
import { verifyJournal } from '../verify.ts';
import { wholeText } from './board-rows.ts';
import { setStage } from './fill.ts';
import { type SharedSession, sessionOf } from './session.ts';
import { inSharedTransaction } from './shared-transaction.ts';
import { refreshView } from './view.ts';

interface MovedBack {
  readonly ok: true;
  readonly message: string;
  readonly entries: number;
}

const TRIES = 5;

export async function moveBack(context: BoardContext, shared: SharedBoard): Promise<MovedBack | Refusal> {
  const session = sessionOf(context, shared);
  try {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const sealed = await seal(context, shared, session);
      if (sealed !== undefined) return sealed;
      await refreshView(context, shared, session, 'force');
      const verified = verifyJournal(context);
      const [problem] = verified.problems;
      if (problem !== undefined) return damaged(problem);
      const head = session.head;
      // Somebody wrote meanwhile: once more.
      if (head === undefined || verified.head !== head.hash) continue;
      const step = ['open', 'moved'] as const;
      const { hash } = head;
      if (!(await session.link.retry((connection) => setStage(connection, shared.board, step, hash)))) continue;
      install(context, head.doc.text);
      const message = `the board is in state.yaml again, with all ${verified.entries} entries of its journal; other hosts have none now`;
      return { ok: true, message, entries: verified.entries };
    }
    return refuse('other hosts keep writing to the board', 'stop their crews first: liza hosts', 1, 'agents');
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    return session.link.refusal(error);
  }
}

/** The last entry names the hash of its state, by which state.yaml is known. */
async function seal(context: BoardContext, shared: SharedBoard, session: SharedSession): Promise<Refusal | undefined> {
  const { head } = await session.link.retry((connection) => session.catchUp(connection, false));
  if (head.unsealed === 0) return undefined;
  const done = await inSharedTransaction(
    context,
    shared,
    async (transaction) => {
      if (transaction.recent.at(-1)?.entry.state !== '') return { ok: true } as const;
      const detail = 'the board moves from PostgreSQL to state.yaml';
      transaction.commit(transaction.doc, {
        ...{ actor: OPERATOR, command: 'store move', detail, change: [], records: [], effect: true },
      });
      return { ok: true } as const;
    },
    'recent',
  );
  return isRefusal(done) ? done : undefined;
}

/** Puts in place what a move that was killed has left. False: the board has not moved to this host. */
export async function finishMoveBack(context: BoardContext, shared: SharedBoard): Promise<boolean> {
  const session = sessionOf(context, shared);
  const found = await session.link.retry((connection) => wholeText(connection, shared.board));
  if (found?.stage !== 'moved') return false;
  const tail = readTail(context.files, context.paths.journal, 1);
  const isHere = tail !== undefined && tail.lines.length > 0 && lastOf(tail).hash === found.hash;
  if (isHere) install(context, found.text);
  return isHere;
}

function install(context: BoardContext, text: string): void {
  const { files, paths } = context;
  const journal = readIfFile(files, paths.journal);
  if (journal !== undefined) replaceFile(files, paths.journal, journal, true);
  replaceFile(files, paths.state, Buffer.from(text), true);
  syncDirectory(files, paths.liza);
  files.remove(storeFile(paths));
  syncDirectory(files, paths.liza);
}

const damaged = (problem: string): Refusal =>
  refuse(`the journal of this host is not whole: ${problem}`, 'run: liza log verify', 4, 'journal');
