// One writer's transaction on the board, under the lock. Opening it brings the disk to the journal's last entry (roll
// forward) and absorbs edits made by hand. A commit keeps this order, and nothing may change it: archive (synced),
// temporary state file (synced), journal line (synced: the commit point), rename, fsync of the folder, kill switches,
// copy in the git directory, log, cache.
// Before the commit point a failure leaves everything as it was; after it nothing is taken back.

import { discard, errorCode, settle, syncDirectory, writeTemporary } from '../ports/files.ts';
import type { Lock } from '../ports/locks.ts';
import { type Actor, actorName, type Board, sessionName } from '../protocol/board.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { Authority } from '../protocol/edits/draft.ts';
import type { GoalRecord } from '../protocol/goal/goal-record.ts';
import { EDITED_OUTSIDE, type Notice } from '../protocol/notice.ts';
import type { State, Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { type Instant, iso } from '../text/time.ts';
import { goalArchive, taskArchive } from './archive.ts';
import { assemble } from './assemble.ts';
import { isSameFile, keyOf, type StatKey, statKey } from './cache.ts';
import { type Encoded, encodedIn, updateCache } from './cache-write.ts';
import { touchedRecords } from './changed-records.ts';
import type { BoardContext } from './context.ts';
import { type Normal, normalise } from './file-values.ts';
import { updateMirror } from './git-dir-copy.ts';
import type { Absorbed } from './hand-edits.ts';
import { sha256, sha256Of } from './hash.ts';
import { append, dropTorn, type Entry, type Line, lastOf, readEntries, readTail, type Tail } from './journal.ts';
import { catchUpJournal, removeLeftovers } from './leftovers.ts';
import { type Loaded, load, WINDOW, WINDOW_BYTES } from './load.ts';
import { appendLog, lastLogged } from './log.ts';
import { goalHash } from './past-goals.ts';
import { brokenFile, missingBoard } from './refusals.ts';
import { describeAside, keepAside } from './rejected.ts';
import { forget, isLogAsLeft, type Remembered, recall, remember } from './remembered.ts';
import { applySwitches } from './switch-files.ts';
import { isTouched, isUnread, isUnreadError, readable, wholeDocument } from './unread.ts';
import { refuseNewer } from './version.ts';
import type { BoardDocument } from './yaml/document.ts';

/** A race was lost: the lock file was deleted while we held it. The whole transaction is repeated. */
export class LostRace extends Error {
  override name = 'LostRace';
}

/** What goes into the journal besides the change itself. */
export interface Recording extends Pick<Entry, 'change' | 'records' | 'command' | 'detail'> {
  readonly actor: Actor | 'external';
  readonly task?: string;
  readonly switches?: NonNullable<Entry['switches']>;
  /** What a person said of a host of a board in a database. */
  readonly host?: { readonly id: string; readonly drained?: boolean; readonly tags?: readonly string[] };
  readonly edit?: NonNullable<Entry['edit']>;
  readonly seen?: string;
  readonly aside?: readonly string[];
  readonly undoes?: number;
  readonly effect?: true;
  readonly archive?: readonly Task[];
  /** The goal that ended. */
  readonly ended?: GoalRecord;
}

/** What a decision is made on: some sections may be unread. */
export interface Seen {
  readonly doc: BoardDocument;
  readonly normal: Normal;
  readonly board: Board;
}

type Found = Pick<Loaded, 'doc' | 'hash' | 'tail' | 'behind' | 'key' | 'settled'> & Partial<Pick<Loaded, 'cached'>>;

/** Changes of one edit by hand that are named one by one; the journal's hunks have them all. */
const SHOWN = 10;

export class Transaction {
  readonly #context: BoardContext;
  readonly #lock: Lock;
  #doc: BoardDocument;
  #normal: Normal;
  #hash: string;
  #tail: Tail;
  /** state.yaml is the text of `#doc`. */
  #onDisk: boolean;
  /** The stat of state.yaml, and of the file it replaced, from before their content was taken into account. */
  #known: { state: StatKey | null; superseded: StatKey | null };
  /** Whatever anybody writes to state.yaml changes its stat. */
  #settled: boolean;
  /** What the cache has. */
  #encoded: Encoded | undefined;
  /** An edit was absorbed: the editor may save into that file again, so it is kept as the superseded one. */
  #keepsEdit = false;
  readonly notices: Notice[] = [];

  private constructor(context: BoardContext, lock: Lock, loaded: Found) {
    this.#context = context;
    this.#lock = lock;
    this.#doc = loaded.doc;
    this.#normal = normalise(loaded.doc.value);
    this.#hash = loaded.hash;
    this.#tail = loaded.tail;
    this.#onDisk = !loaded.behind;
    this.#known = { state: loaded.key?.state ?? null, superseded: loaded.key?.superseded ?? null };
    this.#settled = loaded.settled;
    this.#encoded = loaded.cached === undefined ? undefined : encodedIn(loaded.cached, loaded.doc);
  }

  /** `edits: 'leave'`: the caller deals with the edited file itself. */
  static async open(
    context: BoardContext,
    lock: Lock,
    edits: 'absorb' | 'leave' = 'absorb',
  ): Promise<Transaction | Refusal> {
    const { files, paths } = context;
    const known = recall(context);
    if (known !== undefined) return Transaction.#goOn(context, lock, known);
    catchUpJournal(context);
    const loaded = await load(files, paths, 'small');
    if ('none' in loaded) return noBoard(context, loaded.none);
    if ('ok' in loaded) return loaded;
    const newer = refuseNewer(loaded.doc);
    if (newer !== undefined) return newer;
    dropTorn(files, paths.journal, loaded.tail);
    removeLeftovers(context);
    const transaction = new Transaction(context, lock, loaded);
    if (loaded.behind && loaded.edits.length === 0 && loaded.broken === undefined) transaction.#rollForward();
    transaction.#completeLog();
    if (loaded.broken !== undefined) return loaded.broken;
    if (edits === 'absorb') {
      for (const text of loaded.edits) {
        const refused = await transaction.absorb(text, { kind: 'person' });
        if (refused !== undefined) return refused;
      }
    }
    return transaction;
  }

  /** Nobody has written since this process did: there is nothing to read, to put right or to absorb. */
  static #goOn(context: BoardContext, lock: Lock, known: Remembered): Transaction {
    const transaction = new Transaction(context, lock, { ...known, behind: false, settled: true });
    transaction.#encoded = known.encoded;
    if (!isLogAsLeft(context, known)) transaction.#completeLog();
    return transaction;
  }

  get doc(): BoardDocument {
    this.#readAll();
    return this.#doc;
  }

  get normal(): Normal {
    this.#readAll();
    return this.#normal;
  }

  #readAll(): void {
    const whole = wholeDocument(this.#doc);
    if (whole === this.#doc) return;
    if (this.#encoded !== undefined) this.#encoded = { ...this.#encoded, doc: wholeDocument(this.#encoded.doc) };
    this.#doc = whole;
    this.#normal = normalise(whole.value);
  }

  /** The committed state, for anybody. */
  get state(): State {
    return readable(this.#normal.state);
  }

  /** Tasks are not read where no work needed them. */
  get hasReadTasks(): boolean {
    return !isUnread(this.#doc.value['tasks']);
  }

  /** Does the work on the sections that were read, and once more on all of them where it needs others too. */
  async withEnough<T>(work: (seen: Seen) => Promise<T>): Promise<T> {
    try {
      const done = await work(this.#seen());
      if (!isTouched(this.#doc.value)) return done;
    } catch (error) {
      if (!isUnreadError(error)) throw error;
    }
    this.#readAll();
    return work(this.#seen());
  }

  #seen(): Seen {
    return { doc: this.#doc, normal: this.#normal, board: assemble(this.#context, this.#normal.state) };
  }

  get seq(): number {
    return this.#head.entry.seq;
  }

  /** The last entries that an edit or an undo may reach back to, oldest first. */
  get recent(): readonly Line[] {
    const { files, paths } = this.#context;
    return readTail(files, paths.journal, WINDOW, WINDOW_BYTES)?.lines ?? this.#tail.lines;
  }

  entryAt(seq: number): Entry | undefined {
    return this.recent.find(({ entry }) => entry.seq === seq)?.entry;
  }

  now(): Instant {
    return this.#context.clock.now();
  }

  board(): Board {
    return assemble(this.#context, this.normal.state);
  }

  get #head(): Line {
    return lastOf(this.#tail);
  }

  /** Merges an edit into the current state; commits nothing. */
  async weigh(text: string, authority: Authority, base?: BoardDocument): Promise<Absorbed | Refusal> {
    const { clock, specExists } = this.#context;
    const head = { head: this.doc, normal: this.normal, board: this.board() };
    const found = { ...head, recent: this.recent, now: clock.now(), specExists };
    const { absorb } = await import('./hand-edits.ts');
    const absorbed = await absorb(found, text, authority, base);
    if ('ok' in absorbed) return brokenFile(absorbed);
    return absorbed;
  }

  /** Commits an edit: the adopted part becomes an `external_edit` entry, the rest goes to rejected/. */
  async absorb(text: string, authority: Authority, base?: BoardDocument): Promise<Refusal | undefined> {
    const absorbed = await this.weigh(text, authority, base);
    if ('ok' in absorbed) return absorbed;
    this.commitEdit(absorbed, text);
    return undefined;
  }

  commitEdit(absorbed: Absorbed, text: string): void {
    const { merge, doc, change, edit } = absorbed;
    const aside = keepAside(this.#context, this.seq + 1, text, merge.aside);
    const more = merge.adopted.length - SHOWN;
    const shown = [...merge.adopted.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])];
    const adopted = shown.length === 0 ? 'nothing adopted' : shown.join('; ');
    const detail = `${EDITED_OUTSIDE}${adopted}${aside.length === 0 ? '' : `; ${merge.aside.length} set aside`}`;
    this.commit(doc, {
      actor: 'external',
      command: 'external_edit',
      detail: detail.slice(0, 500),
      change,
      records: touchedRecords(this.normal.state, merge.board.state),
      edit,
      seen: sha256(text),
      ...(aside.length === 0 ? {} : { aside }),
    });
    this.#keepsEdit = true;
    this.notices.push({ kind: 'edit-adopted', level: 'info', message: detail }, ...describeAside(merge.aside, aside));
  }

  /** The commit point is inside. Throws LostRace when the transaction must be repeated. */
  commit(doc: BoardDocument, record: Recording): number {
    const { files, paths } = this.#context;
    const bytes = doc.source.bytes();
    if (record.archive !== undefined && record.archive.length > 0)
      taskArchive(files, paths.archive).add(record.archive, () => this.#normal.state.goal.id);
    if (record.ended !== undefined) goalArchive(files, paths.archive).add([record.ended]);
    const temporary = files.temporaryFor(paths.state);
    const rewrite = !doc.source.equals(this.#doc.source) || !this.#onDisk;
    if (rewrite) writeTemporary(files, temporary, bytes, true);
    const line = JSON.stringify(this.#entry(record, sha256Of(bytes)));
    if (!this.#lock.stillOurs()) throw new LostRace();
    try {
      if (append(files, paths.journal, this.#tail.end, line) === 'lost') throw new LostRace();
    } catch (error) {
      if (rewrite) discard(files, temporary);
      throw error;
    }
    this.#advance(doc, line);
    this.#afterCommit(() => {
      if (rewrite) this.#replaceState(temporary);
      if (record.switches !== undefined) applySwitches(files, paths, record.switches);
      updateMirror(this.#context, this.seq, doc.source);
      // All that this transaction knows of: an earlier entry of it may have failed to reach the log.
      appendLog(files, paths.log, this.#tail.lines);
      this.#writeCache();
    });
    return this.seq;
  }

  #entry(record: Recording, state: string): Entry {
    const { actor, archive, ended, ...rest } = record;
    const session = actor === 'external' ? undefined : sessionName(actor);
    return {
      seq: this.seq + 1,
      time: iso(this.#context.clock.now()),
      ...rest,
      ...(archive === undefined ? {} : { archived: archive.map((task) => task.id) }),
      ...(ended === undefined ? {} : { ended: { goal: ended.id, record: goalHash(ended) } }),
      actor: actor === 'external' ? 'external' : actorName(actor),
      ...defined({ session }),
      prev: this.#head.hash,
      state,
    };
  }

  #replaceState(temporary: string): void {
    const { files, paths } = this.#context;
    this.#settled = false;
    tryTo(() => {
      this.#settled = settle(files, temporary);
    });
    const written = files.stat(temporary);
    // An editor may hold the old file open and save into it late; kept, it is looked at next time.
    if (!this.#keepsEdit) {
      tryTo(() => files.remove(paths.superseded));
      tryTo(() => files.link(paths.state, paths.superseded));
      this.#known.superseded = this.#known.state;
    }
    files.rename(temporary, paths.state);
    this.#known.state = written === undefined ? null : statKey(written);
    syncDirectory(files, paths.liza);
    this.#onDisk = true;
  }

  #advance(doc: BoardDocument, line: string): void {
    const offset = this.#tail.end;
    const entry = JSON.parse(line) as Entry;
    this.#tail = {
      ...this.#tail,
      lines: [...this.#tail.lines, { entry, hash: sha256(line), offset }],
      end: offset + Buffer.byteLength(line) + 1,
      torn: false,
    };
    if (doc !== this.#doc) {
      this.#doc = doc;
      this.#normal = normalise(doc.value);
    }
    this.#hash = entry.state;
  }

  /** The entry is committed: a failure here becomes a notice, and the next writer completes the work. */
  #afterCommit(finish: () => void): void {
    try {
      finish();
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      this.notices.push({
        kind: 'commit-unfinished',
        level: 'alarm',
        message: `entry ${this.seq} is committed to the journal, but completing it failed with ${code}; the next command completes it`,
      });
    }
  }

  #rollForward(): void {
    const { files, paths } = this.#context;
    const temporary = files.temporaryFor(paths.state);
    writeTemporary(files, temporary, this.#doc.source.bytes(), true);
    this.#replaceState(temporary);
    const switches = this.#head.entry.switches;
    if (switches !== undefined) applySwitches(files, paths, switches);
    updateMirror(this.#context, this.seq, this.#doc.source);
    this.#writeCache();
  }

  #completeLog(): void {
    const { files, paths } = this.#context;
    const logged = lastLogged(files, paths.log, this.#tail.lines);
    if (logged >= this.seq) return;
    const { recent } = this;
    // The log is written last: an entry that is not there may not have set its switches either.
    for (const { entry } of recent) {
      if (logged > 0 && entry.seq > logged && entry.switches !== undefined) applySwitches(files, paths, entry.switches);
    }
    // A log that is gone is written again, from the first entry on.
    appendLog(files, paths.log, logged === 0 ? [...readEntries(files, paths.journal)] : recent);
  }

  #writeCache(): void {
    const { files, paths } = this.#context;
    forget(this.#context);
    const now = keyOf(files, paths);
    // Not the stat of this moment: a save since we read or wrote the files would pass for known.
    if (now === undefined || !isSameFile(now.state, this.#known.state)) return;
    const key = { ...now, superseded: now.superseded === null ? null : this.#known.superseded };
    const bound = { key, hash: this.#hash, seq: this.seq };
    const before = this.#settled ? this.#encoded : undefined;
    this.#encoded = updateCache(files, paths.cache, before, this.#doc, bound, this.#settled);
    if (this.#encoded === undefined || !this.#settled || !this.#onDisk) return;
    remember(this.#context, { ...bound, doc: this.#doc, tail: this.#tail, encoded: this.#encoded });
  }
}

function tryTo(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

const noBoard = (context: BoardContext, none: 'no-board' | 'no-journal'): Refusal =>
  none === 'no-board'
    ? missingBoard(context)
    : refuse('state.yaml has no journal yet', 'the first command imports it', 4, 'no-journal');
