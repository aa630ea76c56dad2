// `liza lock write` and `liza lock modify`: for scripts that change the file itself, under the lock and by the rules of an
// edit by hand (protocol/edits/). All or nothing: when something may not be adopted, the whole file is put back and the
// refused version is kept.

import { spawnSync } from 'node:child_process';
import { replaceFile } from '../ports/files.ts';
import type { Actor } from '../protocol/board.ts';
import { type Refusal, Refused, refuse } from '../protocol/decision.ts';
import type { Authority } from '../protocol/edits/draft.ts';
import { setPath } from '../protocol/edits/path.ts';
import type { BoardTransaction } from '../store/board-transaction.ts';
import { decode, readIfFile } from '../store/bounded-text.ts';
import { touchedRecords } from '../store/changed-records.ts';
import type { BoardContext } from '../store/context.ts';
import { sha256 } from '../store/hash.ts';
import { inTransaction } from '../store/in-transaction.ts';
import { unlocked } from '../store/refusals.ts';
import { keepText } from '../store/rejected.ts';
import { LostRace } from '../store/transaction.ts';
import type { BoardDocument } from '../store/yaml/document.ts';
import { updateDocument } from '../store/yaml/update.ts';

export interface Changed {
  readonly ok: true;
  readonly message: string;
  readonly seq: number;
}

type Acting = BoardContext & { readonly actor: Actor };

const authorityOf = (actor: Actor): Authority =>
  actor.id === undefined ? { kind: 'person' } : { kind: 'agent', id: actor.id };

export function lockWrite(context: Acting, path: string, value: unknown): Promise<Changed | Refusal> {
  return inTransaction<Changed>(context, async (transaction) => {
    const target = setPath(transaction.doc.value, path, value);
    if ('ok' in target) return target as Refusal;
    const { doc } = await updateDocument(transaction.doc, target.value as Readonly<Record<string, unknown>>);
    if (doc.text === transaction.doc.text) return { ok: true, message: `already so: ${path}`, seq: transaction.seq };
    // Nothing is inconsistent then: what was asked for is not allowed.
    const done = await adopt(context, transaction, doc.text, `write ${path}`);
    return done.ok || done.code !== 4 ? done : { ...done, code: 1 };
  });
}

/** What the command left, and what it had before it. */
interface Left {
  readonly text: string;
  readonly base: BoardDocument;
}

/**
 * The environment of the child says that the lock is held: a liza inside it fails at once. If the lock file vanishes
 * meanwhile, all is decided again, but the command is not run again: what it left is merged into what others wrote.
 */
export function lockModify(context: Acting, command: readonly string[]): Promise<Changed | Refusal> {
  let left: Left | undefined;
  return inTransaction<Changed>(context, async (transaction) => {
    if (left !== undefined) return adoptLate(context, transaction, left);
    const [program = '', ...args] = command.length === 1 ? ['sh', '-c', command[0] ?? ''] : command;
    const { ran, bytes } = await onTheFile(context, transaction, () =>
      spawnSync(program, args, {
        stdio: 'inherit',
        cwd: context.paths.root,
        env: { ...context.env, LIZA_LOCK_HELD: context.paths.liza },
      }),
    );
    if (ran.error !== undefined) {
      return refuse(`${program} did not start: ${ran.error.message}`, 'check the command', 1, 'command');
    }
    const text = bytes === undefined ? undefined : decode(bytes);
    if (ran.status !== 0) {
      const kept = text === transaction.doc.text ? undefined : putBack(context, transaction, bytes);
      const ended = ran.signal ?? `exit ${ran.status}`;
      return refuse(`the command failed (${ended}); the blackboard is unchanged`, hintFor(kept), 1, 'command');
    }
    if (text === transaction.doc.text) return { ok: true, message: 'nothing changed', seq: transaction.seq };
    if (text === undefined) {
      const kept = putBack(context, transaction, bytes);
      return refuse(
        'the command left no readable state.yaml; the blackboard is unchanged',
        hintFor(kept),
        4,
        'unreadable',
      );
    }
    left = { text, base: transaction.doc };
    try {
      return await adopt(context, transaction, text, 'modify');
    } catch (error) {
      // Else the next look at the file would take it for an edit by hand, of which a part may be adopted.
      if (error instanceof LostRace && readIfFile(context.files, context.paths.state)?.toString('utf8') === text)
        replaceFile(context.files, context.paths.state, Buffer.from(left.base.text), true);
      throw error;
    }
  });
}

/** Runs it on state.yaml. Of a board that is kept elsewhere the file is a copy for as long as it runs. */
async function onTheFile<T>(context: Acting, transaction: BoardTransaction, run: () => T) {
  const { files, paths, shared } = context;
  if (shared === undefined) return { ran: run(), bytes: readIfFile(files, paths.state) };
  const lock = await context.lock();
  if (!('release' in lock)) throw new Refused(unlocked(lock, context));
  const view = readIfFile(files, paths.state);
  try {
    replaceFile(files, paths.state, Buffer.from(transaction.doc.text), true);
    return { ran: run(), bytes: readIfFile(files, paths.state) };
  } finally {
    if (view !== undefined) replaceFile(files, paths.state, view, true);
    lock.release();
  }
}

async function adoptLate(
  context: Acting,
  transaction: BoardTransaction,
  { text, base }: Left,
): Promise<Changed | Refusal> {
  const done = await adopt(context, transaction, text, 'modify', base);
  const what = context.shared === undefined ? '.liza/state.yaml.lock was removed' : 'the turn on the database was lost';
  const message = `${done.message}; ${what} while the command ran, which was run once, and what it left was merged`;
  return { ...done, message };
}

async function adopt(
  context: Acting,
  transaction: BoardTransaction,
  text: string,
  what: string,
  base: BoardDocument = transaction.doc,
): Promise<Changed | Refusal> {
  const { actor } = context;
  const weighed = await transaction.weigh(text, authorityOf(actor), base);
  const bytes = Buffer.from(text);
  if ('ok' in weighed) {
    const kept = putBack(context, transaction, bytes);
    return refuse(`${weighed.message}; the blackboard is unchanged`, hintFor(kept), 4, 'broken-yaml');
  }
  const [first] = weighed.merge.aside;
  if (first !== undefined) {
    const kept = putBack(context, transaction, bytes);
    const more = weighed.merge.aside.length === 1 ? '' : ` (and ${weighed.merge.aside.length - 1} more)`;
    return refuse(
      `lock ${what} was refused: ${first.record}: ${first.reason}${more}; the blackboard is unchanged`,
      `${first.kind === 'guarded' ? `use: liza config set ${first.record.slice(7)} …` : first.hint}; ${hintFor(kept)}`,
      4,
      'refused-edit',
    );
  }
  const detail = `${what}: ${weighed.merge.adopted.join('; ') || 'layout or comments'}`;
  transaction.commit(weighed.doc, {
    actor,
    command: `lock ${what.split(' ')[0]}`,
    detail: detail.slice(0, 500),
    change: weighed.change,
    records: touchedRecords(transaction.normal.state, weighed.merge.board.state),
    edit: weighed.edit,
    seen: sha256(text),
  });
  return { ok: true, message: detail, seq: transaction.seq };
}

function putBack(context: BoardContext, transaction: BoardTransaction, bytes: Buffer | undefined): string | undefined {
  const kept = bytes === undefined ? undefined : keepText(context, 'state.yaml', bytes);
  const now = readIfFile(context.files, context.paths.state);
  // There it is a view, and is one again.
  if (context.shared !== undefined) return kept;
  if (now === undefined || !now.equals(Buffer.from(transaction.doc.text))) {
    replaceFile(context.files, context.paths.state, Buffer.from(transaction.doc.text), true);
  }
  return kept;
}

const hintFor = (kept: string | undefined): string =>
  kept === undefined ? 'nothing was lost' : `the refused version is kept in ${kept}`;
