// What a board in the database looks like on this host's disk: state.yaml, the journal, the log, the archive and the switch
// files, for people and for whatever reads files. All of it is a view: it is brought up to date from the database and never
// the other way, but for the switch files, which a person may set or remove by hand on any host. An edit of state.yaml
// changes nothing; it is kept in rejected/ and told.

import { join } from 'node:path';
import { appendFile, replaceFile } from '../../ports/files.ts';
import { SWITCHES, type Switch } from '../../protocol/board.ts';
import { isRefusal } from '../../protocol/decision.ts';
import type { GoalRecord } from '../../protocol/goal/goal-record.ts';
import type { Notice } from '../../protocol/notice.ts';
import type { Task } from '../../protocol/state.ts';
import { goalArchive, taskArchive } from '../archive.ts';
import { decode, readIfFile } from '../bounded-text.ts';
import type { BoardContext } from '../context.ts';
import { sha256 } from '../hash.ts';
import { GENESIS, lastOf, readTail } from '../journal.ts';
import { appendLog } from '../log.ts';
import { keepAside } from '../rejected.ts';
import { type SharedBoard, VIEW } from '../shared-board.ts';
import { applySwitches, readSwitches } from '../switch-files.ts';
import { parseStrict } from '../yaml/strict.ts';
import { archivedRowsSince, entriesFrom } from './board-rows.ts';
import type { Seen, SharedSession } from './session.ts';
import { inSharedTransaction } from './shared-transaction.ts';

const HEADING = /^# A view of entry (\d+) of a board on PostgreSQL \(([0-9a-f]{64})\)[^\n]*\n/;

const headingOf = (seq: number, hash: string): string =>
  `${VIEW}${seq} of a board on PostgreSQL (${hash}): an edit here changes nothing, use liza edit\n`;

/** Of a state.yaml: what it is a view of, and whether anybody changed it since. */
function readView(text: string): { readonly seq: number; readonly isEdited: boolean } | undefined {
  const [heading = '', seq, hash] = HEADING.exec(text) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), isEdited: sha256(text.slice(heading.length)) !== hash };
}

export const withoutHeading = (text: string): string => text.replace(HEADING, '');

/** Brings the files of this host up to date. `force`: whatever state.yaml looks like, it is written again. */
export async function refreshView(
  context: BoardContext,
  shared: SharedBoard,
  session: SharedSession,
  force?: 'force',
): Promise<readonly Notice[]> {
  if (context.leavesCache === true) return [];
  await tellSwitches(context, shared);
  const lock = await context.lock();
  // Another process of this host is at it, or a person's command has the files.
  if (!('release' in lock)) return [];
  try {
    const seen = await session.link.retry((connection) => session.catchUp(connection, false));
    await bringJournal({ context, board: shared.board, session }, seen.head.seq);
    keepSwitches(context, seen);
    return writeState(context, seen, force);
  } finally {
    lock.release();
  }
}

/** A switch file that a person made or removed here switches the board everywhere. */
async function tellSwitches(context: BoardContext, shared: SharedBoard): Promise<void> {
  if (Object.keys(changedSwitches(context)).length === 0) return;
  const done = await inSharedTransaction(context, shared, async (transaction) => {
    // Another process of this host may have told it while this one waited for its turn.
    const changed = changedSwitches(context);
    const words = Object.entries(changed).map(([name, on]) => `${name} ${on ? 'set' : 'removed'}`);
    if (words.length === 0) return { ok: true } as const;
    transaction.commit(transaction.doc, {
      actor: 'external',
      command: 'switch',
      detail: `${words.join(', ')} by hand on ${shared.name}`,
      change: [],
      records: [],
      switches: changed,
    });
    return { ok: true } as const;
  });
  if (!isRefusal(done)) rememberSwitches(context, Object.keys(readSwitches(context.files, context.paths)));
}

export function changedSwitches(context: BoardContext): Readonly<Partial<Record<Switch, boolean>>> {
  const { files, paths } = context;
  const known = rememberedSwitches(context);
  if (known === undefined) return {};
  const there = readSwitches(files, paths);
  return Object.fromEntries(
    SWITCHES.filter((name) => (there[name] !== undefined) !== known.has(name)).map((name) => [
      name,
      there[name] !== undefined,
    ]),
  );
}

const switchesFile = ({ paths }: BoardContext): string => join(paths.liza, 'cache', 'switches.json');

/** Undefined: this host has not shown any yet. */
function rememberedSwitches(context: BoardContext): ReadonlySet<string> | undefined {
  const text = context.files.read(switchesFile(context))?.toString('utf8');
  if (text === undefined) return undefined;
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? new Set(names) : undefined;
  } catch {
    return undefined;
  }
}

function rememberSwitches(context: BoardContext, names: readonly string[]): void {
  const { files } = context;
  files.makeDirectory(join(context.paths.liza, 'cache'));
  replaceFile(files, switchesFile(context), Buffer.from(JSON.stringify(names)), false);
}

function keepSwitches(context: BoardContext, { look }: Seen): void {
  const wanted = SWITCHES.filter((name) => look.switches[name] !== undefined);
  const known = rememberedSwitches(context);
  if (known !== undefined && known.size === wanted.length && wanted.every((name) => known.has(name))) return;
  const all = SWITCHES.map((name) => [name, look.switches[name] !== undefined]);
  applySwitches(context.files, context.paths, Object.fromEntries(all));
  rememberSwitches(context, wanted);
}

/** Entries, log and archive that this host does not have yet. */
interface Bringing {
  readonly context: BoardContext;
  readonly board: string;
  readonly session: SharedSession;
}

async function bringJournal(bringing: Bringing, head: number): Promise<void> {
  const { context, board, session } = bringing;
  const { files, paths } = context;
  const tail = readTail(files, paths.journal, 1);
  const have = tail === undefined || tail.lines.length === 0 ? undefined : lastOf(tail);
  let [seq, hash] = [have?.entry.seq ?? 0, have?.hash ?? GENESIS];
  if (tail?.torn === true || tail?.broken === true) [seq, hash] = [0, GENESIS];
  const since = seq;
  while (seq < head) {
    const lines = await session.link.retry((connection) => entriesFrom(connection, board, seq + 1));
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined) return;
    if (seq > 0 && first.entry.prev !== hash) return bringAgain(bringing, head);
    if (seq === 0) files.remove(paths.journal);
    appendFile(files, paths.journal, Buffer.from(lines.map(({ text }) => `${text}\n`).join('')), false);
    appendLog(files, paths.log, lines);
    [seq, hash] = [last.entry.seq, sha256(last.text)];
  }
  if (seq > since) await bringArchive(bringing, since);
}

/** The journal on this disk is not of this board, or was changed: it is read again from the first entry. */
async function bringAgain(bringing: Bringing, head: number): Promise<void> {
  const { files, paths } = bringing.context;
  files.remove(paths.journal);
  files.remove(paths.log);
  await bringJournal(bringing, head);
}

async function bringArchive({ context, board, session }: Bringing, since: number): Promise<void> {
  const { files, paths } = context;
  const rows = await session.link.retry((connection) => archivedRowsSince(connection, board, since));
  const tasks: Task[] = [];
  const goals: GoalRecord[] = [];
  const goalOf = new Map<string, string>();
  for (const { kind, id, goal, text } of rows) {
    const parsed = await parseStrict(text);
    if (!parsed.ok || !Array.isArray(parsed.value)) continue;
    if (kind === 'task') tasks.push(parsed.value[0]);
    else goals.push(parsed.value[0]);
    if (goal !== null) goalOf.set(id, goal);
  }
  if (tasks.length > 0) taskArchive(files, paths.archive).add(tasks, (id) => goalOf.get(id));
  if (goals.length > 0) goalArchive(files, paths.archive).add(goals);
}

function writeState(context: BoardContext, { head }: Seen, force?: 'force'): readonly Notice[] {
  const { files, paths } = context;
  const bytes = readIfFile(files, paths.state);
  const text = bytes === undefined ? undefined : decode(bytes);
  const view = text === undefined ? undefined : readView(text);
  if (force === undefined && view?.seq === head.seq && !view.isEdited) return [];
  const isForeign =
    force === undefined && bytes !== undefined && view?.isEdited !== false && !isSame(text, head.doc.text);
  const notices = isForeign ? setAside(context, head.seq, text ?? '') : [];
  const body = head.doc.text;
  replaceFile(files, paths.state, Buffer.from(headingOf(head.seq, sha256(body)) + body), false);
  return notices;
}

const isSame = (text: string | undefined, body: string): boolean => text !== undefined && withoutHeading(text) === body;

function setAside(context: BoardContext, seq: number, text: string): readonly Notice[] {
  const reason = 'the board is on PostgreSQL, and state.yaml is only a view of it: an edit of it changes nothing';
  const hint = 'make the change with: liza edit';
  const value = withoutHeading(text);
  const [file = ''] = keepAside(context, seq, value, [{ kind: 'conflict', record: 'state.yaml', value, reason, hint }]);
  return [
    { kind: 'set-aside', level: 'alarm', message: `EXTERNAL EDIT: ${reason}; yours is kept in ${file} — ${hint}` },
  ];
}
