// Reads the board without the lock: the last committed state, with edits that were made by hand and are not committed
// yet. Writes nothing but the cache. A board whose files did not change is not parsed again.

import { dirname } from 'node:path';
import { errorCode } from '../ports/files.ts';
import type { Board } from '../protocol/board.ts';
import { Refused } from '../protocol/decision.ts';
import { EDITED_OUTSIDE, type Notice } from '../protocol/notice.ts';
import type { State } from '../protocol/state.ts';
import { counted } from '../text/format.ts';
import type { Instant } from '../text/time.ts';
import { assemble } from './assemble.ts';
import { type CacheKey, CLOCK_TICK, confirm, unchanged } from './cache.ts';
import { writeCache } from './cache-write.ts';
import type { BoardContext } from './context.ts';
import { normalise, normaliseAfter } from './file-values.ts';
import { lastOf } from './journal.ts';
import { type Earlier, type Loaded, load } from './load.ts';
import { missingBoard } from './refusals.ts';
import { WAITING_SETTING } from './rejected.ts';
import { recallWhole } from './remembered.ts';
import type { Snapshot } from './store.ts';
import { refuseNewer } from './version.ts';

export type Read = () => Promise<Snapshot>;

/** What was read last, and stays right as long as neither the journal nor the file has changed. */
interface Kept extends Earlier {
  readonly key: CacheKey;
  readonly state: State;
  readonly seq: number;
  /** Read so soon after the file's last change that its time stamp could hide another one: read once more by then. */
  readonly until: Instant | undefined;
}

/** A supervisor reads the same board many times after every change: it is parsed once. */
export function reader(context: BoardContext): Read {
  const { files, paths, clock } = context;
  let kept: Kept | undefined;
  /** Whatever was read last: what was written since is followed from there. */
  let earlier: Earlier | undefined;
  return async () => {
    const now = clock.now();
    if (kept !== undefined && now <= (kept.until ?? now) && unchanged(files, kept.key, paths)) {
      const { state, seq } = kept;
      return { board: assemble(context, state), now, seq, notices: waitingNotice(context) };
    }
    const known = recallWhole(context);
    if (known !== undefined) {
      const { state } = normalise(known.doc.value);
      const { seq } = lastOf(known.tail).entry;
      kept = { key: known.key, state, seq, doc: known.doc, hash: known.hash, until: undefined };
      return { board: assemble(context, state), now, seq, notices: waitingNotice(context) };
    }
    const { snapshot, keep, read } = await readWhole(context, kept ?? earlier);
    kept = keep;
    earlier = read ?? earlier;
    return snapshot;
  };
}

interface Whole {
  readonly snapshot: Snapshot;
  readonly keep?: Kept | undefined;
  readonly read?: Earlier;
}

async function readWhole(context: BoardContext, earlier: Earlier | undefined): Promise<Whole> {
  const { files, paths, clock } = context;
  const loaded = await load(files, paths, 'use', earlier);
  if ('none' in loaded) return { snapshot: await readImported(context, loaded.none) };
  if ('ok' in loaded) throw new Refused(loaded);
  const newer = refuseNewer(loaded.doc);
  if (newer !== undefined) throw new Refused(newer);
  refreshCache(context, loaded);
  const { doc, hash, followed } = loaded;
  const { state } = followed && earlier ? normaliseAfter(doc.value, earlier.doc.value) : normalise(doc.value);
  const { board, notices } = await withPendingEdits(context, state, loaded);
  const seq = loaded.tail.lines.at(-1)?.entry.seq ?? 0;
  const now = clock.now();
  const { key, behind, edits, broken, settled } = loaded;
  const whole = key !== undefined && !behind && edits.length === 0 && broken === undefined;
  const racy = key === undefined ? now : Number(BigInt(key.state[3]) / 1_000_000n) + CLOCK_TICK;
  const until = settled || now > racy ? undefined : racy;
  return {
    snapshot: { board, now, seq, notices: [...notices, ...waitingNotice(context)] },
    keep: whole && unchanged(files, key, paths) ? { key, state: board.state, seq, doc, hash, until } : undefined,
    read: { doc, hash },
  };
}

/** The board as the next command will see it: edits that nobody has committed yet are merged, and told. */
async function withPendingEdits(
  context: BoardContext,
  state: State,
  { doc, broken, edits, tail }: Loaded,
): Promise<{ readonly board: Board; readonly notices: readonly Notice[] }> {
  const { clock, specExists } = context;
  let board = assemble(context, state);
  const notices: Notice[] = broken === undefined ? [] : [invalidState(broken.message)];
  for (const text of edits) {
    const { mergeText } = await import('./hand-edits.ts');
    const found = { head: doc, board, recent: tail.lines, now: clock.now(), specExists };
    const absorbed = await mergeText(found, text, { kind: 'person' });
    if ('ok' in absorbed) {
      notices.push(invalidState(`line ${absorbed.line}, column ${absorbed.column}: ${absorbed.message}`));
      continue;
    }
    board = absorbed.merge.board;
    const { adopted, aside } = absorbed.merge;
    const what = `the next command adopts ${counted(adopted.length, 'change')} and sets ${aside.length} aside`;
    notices.push({ kind: 'edit-pending', level: 'info', message: `state.yaml was ${EDITED_OUTSIDE}${what}` });
  }
  return { board, notices };
}

/** A reader leaves the cache better than it found it: derived data, replaced atomically, safe without the lock. */
function refreshCache(context: BoardContext, { doc, hash, tail, cached, behind, edits, key, followed }: Loaded): void {
  const { files, paths, clock, leavesCache } = context;
  // Whoever made the change that was followed is about to write it there.
  const isAwaited = followed === true && cached === undefined;
  if (leavesCache || isAwaited || behind || edits.length > 0 || key === undefined || !unchanged(files, key, paths))
    return;
  const head = lastOf(tail);
  try {
    if (cached === undefined || !unchanged(files, cached.index.key, paths)) {
      files.makeDirectory(dirname(paths.cache));
      writeCache(files, paths.cache, doc, { key, hash, seq: head.entry.seq }, false);
    } else if (cached.racy && clock.now() - Number(BigInt(key.state[3]) / 1_000_000n) > CLOCK_TICK) {
      confirm(files, paths.cache);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error; // a read-only disk is no reason not to read
  }
}

/** A board that no command has touched yet is shown as the file has it. */
async function readImported(context: BoardContext, none: 'no-board' | 'no-journal'): Promise<Snapshot> {
  const [{ readFile, refuseInvalid }, { asMigrated }] = await Promise.all([
    import('./import.ts'),
    import('./migrate.ts'),
  ]);
  const seen = none === 'no-board' ? missingBoard(context) : await readFile(context);
  if ('ok' in seen) throw new Refused(seen);
  const refused = refuseInvalid(seen, context);
  if (refused !== undefined) throw new Refused(refused);
  const board = assemble(context, normalise(asMigrated(seen.value, context.clock.now())).state);
  const message = 'state.yaml has no journal yet; the first command that writes will adopt it';
  return { board, now: context.clock.now(), seq: 0, notices: [{ kind: 'no-journal', level: 'info', message }] };
}

/** Repeated as long as they wait: the person who edited may not have seen the command that set them aside. */
function waitingNotice({ files, paths }: BoardContext): readonly Notice[] {
  const waiting = files.list(paths.rejected).filter((name) => WAITING_SETTING.test(name));
  if (waiting.length === 0) return [];
  return [
    {
      kind: 'settings-wait',
      level: 'info',
      message: `your approval is needed for ${counted(waiting.length, 'setting')} changed by hand: liza edit --adopt`,
    },
  ];
}

function invalidState(message: string): Notice {
  const problem = `${message} (showing the last good state; fix it with: liza edit)`;
  return { kind: 'invalid-state', level: 'alarm', message: `🚨 INVALID STATE: ${problem}`, problem };
}
