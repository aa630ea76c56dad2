// One writer's turn on the board, whatever the board is kept in: what a decision is made on, and where its change goes. What
// was committed in it counts when the work on it has ended (in-transaction.ts).

import type { Board } from '../protocol/board.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { Authority } from '../protocol/edits/draft.ts';
import type { Notice } from '../protocol/notice.ts';
import type { State } from '../protocol/state.ts';
import type { Instant } from '../text/time.ts';
import type { Normal } from './file-values.ts';
import type { Absorbed } from './hand-edits.ts';
import type { Entry, Line } from './journal.ts';
import type { Recording, Seen } from './transaction.ts';
import type { BoardDocument } from './yaml/document.ts';

export interface BoardTransaction {
  readonly doc: BoardDocument;
  readonly normal: Normal;
  readonly state: State;
  /** Tasks are not read where no work needed them. */
  readonly hasReadTasks: boolean;
  readonly seq: number;
  /** The last entries that an edit or an undo may reach back to, oldest first. */
  readonly recent: readonly Line[];
  readonly notices: Notice[];
  entryAt(seq: number): Entry | undefined;
  now(): Instant;
  board(): Board;
  withEnough<T>(work: (seen: Seen) => Promise<T>): Promise<T>;
  /** Merges an edit into the current state; commits nothing. */
  weigh(text: string, authority: Authority, base?: BoardDocument): Promise<Absorbed | Refusal>;
  commitEdit(absorbed: Absorbed, text: string): void;
  commit(doc: BoardDocument, record: Recording): number;
}
