// A database that was set back knows less than this host has seen. When a person decides that it counts all the same, this
// host lets go of what it knew: its copy of the journal is kept, and the files are made anew.

import type { Refusal } from '../../protocol/decision.ts';
import { readIfFile } from '../bounded-text.ts';
import type { BoardContext } from '../context.ts';
import { keepText } from '../rejected.ts';
import type { SharedBoard } from '../shared-board.ts';
import { forgetReached } from './anchor-seen.ts';
import { sessionOf } from './session.ts';
import { refreshView } from './view.ts';

export async function acceptStore(
  context: BoardContext,
  shared: SharedBoard,
): Promise<{ readonly ok: true; readonly message: string } | Refusal> {
  const { files, paths } = context;
  const journal = readIfFile(files, paths.journal);
  const kept = journal === undefined ? undefined : keepText(context, 'journal.jsonl', journal);
  forgetReached(context);
  files.remove(paths.journal);
  files.remove(paths.log);
  const session = sessionOf(context, shared);
  session.lookAgain();
  await refreshView(context, shared, session, 'force');
  const where = kept === undefined ? '' : `; the journal that this host had is kept in ${kept}`;
  return { ok: true, message: `the database counts as it is now${where}` };
}
