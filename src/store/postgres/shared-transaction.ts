// One writer's turn on a board in the database. The turn holds the board's row, so writers come one after the other and a
// decision is made on the last entry there is. Entries are put together in memory and go out in one message with the
// commit. If the connection breaks then, nobody knows whether it took effect: it is looked up by the commit's own name,
// which is final because the turn must be over by then, and decided again only where it did not.

import { type Connection, DatabaseError, literal } from '../../ports/database.ts';
import { actorName, type Board, sessionName } from '../../protocol/board.ts';
import { type Refusal, Refused } from '../../protocol/decision.ts';
import type { Authority } from '../../protocol/edits/draft.ts';
import { EDITED_OUTSIDE, type Notice } from '../../protocol/notice.ts';
import type { State } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { type Instant, iso } from '../../text/time.ts';
import { archivedText } from '../archive.ts';
import type { BoardTransaction } from '../board-transaction.ts';
import { touchedRecords } from '../changed-records.ts';
import type { BoardContext } from '../context.ts';
import { type Normal, normaliseAfter } from '../file-values.ts';
import { type Absorbed, absorb } from '../hand-edits.ts';
import { sha256, sha256Of } from '../hash.ts';
import type { Entry, Line } from '../journal.ts';
import { keepable } from '../keepable.ts';
import { WINDOW } from '../load.ts';
import { goalHash } from '../past-goals.ts';
import { brokenFile } from '../refusals.ts';
import { describeAside, keepAside } from '../rejected.ts';
import type { SharedBoard } from '../shared-board.ts';
import type { Recording, Seen } from '../transaction.ts';
import type { BoardDocument } from '../yaml/document.ts';
import { entriesFrom } from './board-rows.ts';
import { inDoubt, isLost } from './failures.ts';
import { boardOf, type Head, sizeOfChange, withArchived } from './head.ts';
import { PATIENCE_MS } from './link.ts';
import { changedPieces } from './pieces.ts';
import { type Seen as SeenBoard, type SharedSession, sessionOf } from './session.ts';

/**
 * The next writer's turn begins before this one's commit is on the server's disk; whoever asked is answered when it is. All
 * that follows is on the disk later than it, so nothing that was acknowledged can build on something that was lost.
 */
const LATER = 'set local synchronous_commit = off';
const FLUSH = 'select liza.flush()';

/** A board's text in so many pieces is joined: each change adds two or three. */
const MOST_PIECES = 600;

/** Only an edit or an undo looks at what was before. */
type Reach = 'head' | 'recent';

export async function inSharedTransaction<T>(
  context: BoardContext,
  shared: SharedBoard,
  work: (transaction: BoardTransaction) => Promise<T | Refusal>,
  reach: Reach = 'head',
): Promise<T | Refusal> {
  const session = sessionOf(context, shared);
  const until = context.clock.monotonic() + session.link.patience;
  for (let wait = 20; ; wait = Math.min(wait * 2, 1000)) {
    const turn = new Turn<T>({ context, shared, session, reach });
    try {
      const done = await session.link.use((connection) => turn.take(connection, work));
      turn.settled();
      return done;
    } catch (error) {
      if (error instanceof Refused && turn.commit === undefined) return error.refusal;
      if (!isLost(error)) return session.link.refusal(error);
      const outcome = turn.commit === undefined ? 'void' : await settle(session, shared, turn.commit);
      if (outcome === 'unknown') return inDoubt(turn.commit ?? '');
      if (outcome === 'done' && turn.result !== undefined) {
        turn.settled();
        return turn.result.value;
      }
      if (context.clock.monotonic() + wait > until) return session.link.refusal(error);
      await context.clock.sleep(wait);
    }
  }
}

/** Whether a commit took effect whose answer was lost. */
async function settle(
  session: SharedSession,
  { board }: SharedBoard,
  commit: string,
): Promise<'done' | 'void' | 'unknown'> {
  try {
    const rows = await session.link.retry(async (connection) => {
      const found = await connection.run('select seq from liza.settle($1, $2)', [board, commit]);
      await connection.query(FLUSH);
      return found;
    }, 2 * PATIENCE_MS);
    return rows.length > 0 ? 'done' : 'void';
  } catch (error) {
    if (error instanceof DatabaseError) return 'unknown';
    throw error;
  }
}

interface TurnContext {
  readonly context: BoardContext;
  readonly shared: SharedBoard;
  readonly session: SharedSession;
  readonly reach: Reach;
}

class Turn<T> {
  readonly #context: BoardContext;
  readonly #shared: SharedBoard;
  readonly #session: SharedSession;
  readonly #reach: Reach;
  #transaction: SharedTransaction | undefined;
  /** The name under which it was sent to be committed. */
  commit: string | undefined;
  result: { readonly value: T | Refusal } | undefined;

  constructor(given: TurnContext) {
    this.#context = given.context;
    this.#shared = given.shared;
    this.#session = given.session;
    this.#reach = given.reach;
  }

  async take(
    connection: Connection,
    work: (transaction: BoardTransaction) => Promise<T | Refusal>,
  ): Promise<T | Refusal> {
    let open = true;
    try {
      const seen = await this.#session.catchUp(connection, true);
      const transaction = new SharedTransaction(this.#context, seen, await this.#recent(connection, seen));
      const value = await work(transaction);
      const { staged } = transaction;
      if (staged.length > 0) {
        const commit = this.#context.random.uuid();
        const calls = staged.map((one, at) => this.#append(one, at === 0 ? commit : `${commit}.${at}`));
        this.#transaction = transaction;
        this.result = { value };
        this.commit = commit;
        open = false;
        await connection.query([LATER, ...calls, 'commit', FLUSH].join('; '));
      }
      return value;
    } catch (error) {
      // Refused by the server within the message: the transaction is over, and did nothing.
      if (!isLost(error) && this.commit !== undefined) {
        this.commit = undefined;
        open = true;
      }
      throw error;
    } finally {
      if (open && connection.isOpen) await connection.query('rollback').catch(() => []);
    }
  }

  /** It took effect. */
  settled(): void {
    if (this.#transaction !== undefined) this.#session.advance(this.#transaction.head);
  }

  #append({ line, entry, change, host: said }: Staged, commit: string): string {
    const { board, host } = this.#shared;
    const values = [literal(board), entry.seq, literal(entry.prev), literal(commit), literal(host)];
    const append = `select liza.append(${values.join(', ')}, ${literal(line)}, ${literal(JSON.stringify(change))})`;
    if (said === undefined) return append;
    const { id, drained, tags } = said;
    const list = tags === undefined ? 'null' : `array[${tags.map(literal).join(', ')}]::text[]`;
    return `${append}; select liza.set_host(${literal(board)}, ${literal(id)}, ${drained ?? 'null'}, ${list})`;
  }

  async #recent(connection: Connection, { head }: SeenBoard): Promise<readonly Line[]> {
    if (this.#reach === 'head') return [];
    return entriesFrom(connection, this.#shared.board, Math.max(1, head.seq - WINDOW + 1));
  }
}

interface Staged {
  readonly line: string;
  readonly entry: Entry;
  readonly change: object;
  readonly host?: Recording['host'];
}

class SharedTransaction implements BoardTransaction {
  readonly #context: BoardContext;
  readonly #seen: SeenBoard;
  readonly recent: readonly Line[];
  readonly staged: Staged[] = [];
  readonly notices: Notice[] = [];
  #head: Head;

  constructor(context: BoardContext, seen: SeenBoard, recent: readonly Line[]) {
    this.#context = context;
    this.#seen = seen;
    this.recent = recent;
    this.#head = seen.head;
  }

  get head(): Head {
    return this.#head;
  }

  get doc(): BoardDocument {
    return this.#head.doc;
  }

  get normal(): Normal {
    return this.#head.normal;
  }

  get state(): State {
    return this.#head.normal.state;
  }

  get hasReadTasks(): boolean {
    return true;
  }

  get seq(): number {
    return this.#head.seq;
  }

  entryAt(seq: number): Entry | undefined {
    return this.recent.find(({ entry }) => entry.seq === seq)?.entry;
  }

  now(): Instant {
    return this.#seen.look.now;
  }

  board(): Board {
    return boardOf(this.#context, this.#head, this.#seen.look);
  }

  withEnough<R>(work: (seen: Seen) => Promise<R>): Promise<R> {
    return work({ doc: this.doc, normal: this.normal, board: this.board() });
  }

  async weigh(text: string, authority: Authority, base?: BoardDocument): Promise<Absorbed | Refusal> {
    const { specExists } = this.#context;
    const head = { head: this.doc, normal: this.normal, board: this.board() };
    const absorbed = await absorb({ ...head, recent: this.recent, now: this.now(), specExists }, text, authority, base);
    return 'ok' in absorbed ? brokenFile(absorbed) : absorbed;
  }

  commitEdit({ merge, doc, change, edit }: Absorbed, text: string): void {
    const aside = keepAside(this.#context, this.seq + 1, text, merge.aside);
    const adopted = merge.adopted.length === 0 ? 'nothing adopted' : merge.adopted.join('; ');
    const detail = `${EDITED_OUTSIDE}${adopted}${aside.length === 0 ? '' : `; ${merge.aside.length} set aside`}`;
    this.commit(doc, {
      actor: 'external',
      command: 'external_edit',
      detail: detail.slice(0, 500),
      change,
      records: touchedRecords(this.state, merge.board.state),
      edit,
      seen: sha256(text),
      ...(aside.length === 0 ? {} : { aside }),
    });
    this.notices.push({ kind: 'edit-adopted', level: 'info', message: detail }, ...describeAside(merge.aside, aside));
  }

  commit(doc: BoardDocument, record: Recording): number {
    const { actor, archive = [], ended, host, ...rest } = record;
    const goal = this.state.goal.id;
    const rows = [
      ...archive.map((task) => ({ kind: 'task' as const, ...task, goal: task.goal ?? goal, text: archivedText(task) })),
      ...(ended === undefined ? [] : [{ kind: 'goal' as const, ...ended, goal: null, text: archivedText(ended) }]),
    ].map(({ kind, id, status, goal: of, text }) => ({ kind, id, status: status as never, goal: of, text }));
    const before = this.#head;
    const size = sizeOfChange(rest.change);
    const seals = before.unsealed + size >= doc.source.length || record.command === 'store move';
    const entry: Entry = {
      seq: before.seq + 1,
      time: iso(this.now()),
      ...rest,
      // The server reads the line.
      ...keepable({ detail: rest.detail, records: rest.records }),
      ...(record.archive === undefined ? {} : { archived: archive.map(({ id }) => id) }),
      ...(ended === undefined ? {} : { ended: { goal: ended.id, record: goalHash(ended) } }),
      actor: actor === 'external' ? 'external' : actorName(actor),
      ...defined({ session: actor === 'external' ? undefined : sessionName(actor) }),
      prev: before.hash,
      state: seals ? sha256Of(doc.source.bytes()) : '',
    };
    if (doc.source.pieces > MOST_PIECES) doc.source.toString();
    const line = JSON.stringify(entry);
    const change = {
      // An edit by hand names the text that was typed.
      ...changedPieces(before.doc, doc, rest.change, rest.seen !== undefined),
      ...(rows.length === 0 ? {} : { archive: rows }),
      ...defined({ switches: record.switches }),
    };
    this.staged.push({ line, entry, change, ...defined({ host }) });
    this.#head = {
      doc,
      normal: doc === before.doc ? before.normal : normaliseAfter(doc.value, before.doc.value),
      seq: entry.seq,
      hash: sha256(line),
      archived: withArchived(before.archived, rows),
      unsealed: seals ? 0 : before.unsealed + size,
    };
    return entry.seq;
  }
}
