// `liza edit --restore`: state.yaml as the journal has it, for a file that cannot be read any more. What was there is
// kept in rejected/; the journal is not touched, so nothing that was acknowledged can be lost.

import { replaceFile, syncDirectory } from '../ports/files.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { readIfFile } from '../store/bounded-text.ts';
import type { BoardContext } from '../store/context.ts';
import { loadBoard } from '../store/load-board.ts';
import { missingBoard, unlocked } from '../store/refusals.ts';
import { keepText } from '../store/rejected.ts';
import { parseStrict } from '../store/yaml/strict.ts';

export interface RestoredState {
  readonly ok: true;
  readonly message: string;
  /** Where the file that was there is now. */
  readonly kept?: string;
}

export async function restoreState(context: BoardContext): Promise<RestoredState | Refusal> {
  const lock = await context.lock();
  if (!('release' in lock)) return unlocked(lock, context);
  try {
    return await restoreLocked(context);
  } finally {
    lock.release();
  }
}

async function restoreLocked(context: BoardContext): Promise<RestoredState | Refusal> {
  const { files, paths } = context;
  const loaded = await loadBoard(context, 'ignore');
  if ('ok' in loaded) return loaded;
  if ('none' in loaded) return loaded.none === 'no-board' ? missingBoard(context) : NO_JOURNAL;
  const there = readIfFile(files, paths.state);
  const readable = loaded.broken === undefined && (await isReadable(loaded.edits));
  if (readable && there !== undefined) return { ok: true, message: 'state.yaml can be read: nothing to restore' };
  const kept = there === undefined ? undefined : keepText(context, 'state.yaml', there);
  replaceFile(files, paths.state, Buffer.from(loaded.doc.text), true);
  syncDirectory(files, paths.liza);
  const message = `state.yaml is as after entry ${loaded.tail.lines.at(-1)?.entry.seq ?? 0} of the journal again`;
  return { ok: true, message, ...(kept === undefined ? {} : { kept }) };
}

async function isReadable(edits: readonly string[]): Promise<boolean> {
  for (const text of edits) if (!(await parseStrict(text)).ok) return false;
  return true;
}

const NO_JOURNAL = refuse(
  'there is no journal, so no earlier state is known',
  'fix the file by hand: liza validate says what is wrong',
  4,
  'no-journal',
);
