// News for pages that are open, as server-sent events. Two kinds: `entry`, one for each entry of the journal, numbered as
// it is, so that a browser that was away goes on behind the last one it has, with none missed and none twice; and `parts`,
// what of the page looks different now. Pages of one address are worked out once, for all who look at it. With nobody
// there, nothing is watched and no clock runs.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/host.ts';
import type { JournalEntry } from '../../store/store.ts';
import type { Feed, Looked } from './feed.ts';
import { type Address, isLive, type Pages, textOf } from './pages.ts';
import type { WebRole } from './sessions.ts';
import { shown } from './views/markup.ts';
import { commonParts } from './views/page.ts';
import type { Part } from './views/view.ts';

interface Opening {
  readonly address: Address;
  readonly role: WebRole;
  /** The number of the last entry that the page has. */
  readonly after: number;
  readonly response: ServerResponse;
  /** Its session goes on. */
  readonly isOpen: () => boolean;
}

export interface Streams {
  open(opening: Opening): void;
  count(): number;
  close(): void;
}

interface Stream {
  readonly response: ServerResponse;
  readonly isOpen: () => boolean;
  /** The last entry that was written to it. */
  sent: number;
}

/** The pages of one address, open in as many browsers as may be. */
interface Watched {
  readonly address: Address;
  readonly role: WebRole;
  readonly streams: Set<Stream>;
  parts: readonly Part[];
  /** A session prints on it. */
  prints: boolean;
}

/** Changes come in bursts: a page is not worked out again sooner than this. */
const BURST_MS = 100;
/** Sessions print without a commit. */
const PRINT_MS = 700;
/** Tells proxies and browsers that the line is not dead. */
const BEAT_MS = 20_000;
/** Whoever has missed more than this loads the page anew. */
const MOST_MISSED = 500;
/** A reader that does not read is let go; it comes back by itself and goes on where it was. */
const MOST_WAITING = 1024 * 1024;
/** What is longer is fetched by those who have it in sight. */
const MOST_PUSHED = 64 * 1024;

interface Sources {
  readonly feed: Feed;
  readonly pages: Pages;
  readonly clock: Clock;
  /** Hides what nobody may read. */
  readonly outgoing: (text: string) => string;
}

export function openStreams({ feed, pages, clock, outgoing }: Sources): Streams {
  const watched = new Map<string, Watched>();
  let stops: readonly (() => void)[] = [];
  let lastRound = 0;
  let waiting: (() => void) | undefined;
  /** One after the other: what a page has been told is what the next difference is made against. */
  let work: Promise<void> = Promise.resolve();
  const inTurn = (task: () => Promise<void>): void => {
    // A board that cannot be read now is shown as it was; the next change tries again.
    work = work.then(task).catch(() => {});
  };

  const partsOf = async (one: Watched, looked: Looked): Promise<readonly Part[]> => {
    const seen = pages.seen(looked, one.role);
    const view = isLive(one.address) ? await pages.view(one.address, seen) : undefined;
    one.prints = view?.prints === true;
    return [...commonParts(seen), ...(view?.parts ?? [])];
  };
  const tell = (stream: Stream, text: string): void => {
    if (stream.response.writableLength > MOST_WAITING || !stream.isOpen()) stream.response.destroy();
    else stream.response.write(outgoing(text));
  };
  const tellEntries = (stream: Stream, entries: readonly JournalEntry[]): void => {
    const fresh = entries.filter(({ seq }) => seq > stream.sent);
    stream.sent = fresh.at(-1)?.seq ?? stream.sent;
    if (fresh.length > 0) tell(stream, fresh.map(entryText).join(''));
  };
  const tellAllEntries = async (): Promise<void> => {
    const all = [...watched.values()].flatMap(({ streams }) => [...streams]);
    const least = Math.min(...all.map(({ sent }) => sent));
    if (!Number.isFinite(least)) return;
    const entries = await pages.journal(least + 1, MOST_MISSED);
    for (const stream of all) tellEntries(stream, entries);
  };
  const round = (only: (one: Watched) => boolean): void =>
    inTurn(async () => {
      lastRound = clock.monotonic();
      // They leave before the board is looked at, which takes longer the larger it is.
      await tellAllEntries();
      await clock.nextTurn();
      const looked = await feed.look();
      for (const one of watched.values()) {
        if (!only(one)) continue;
        const parts = await partsOf(one, looked);
        const text = differenceText(one.parts, parts);
        one.parts = parts;
        if (text !== undefined) for (const stream of one.streams) tell(stream, text);
      }
    });
  const changed = (): void => {
    if (waiting !== undefined) return;
    const left = lastRound + BURST_MS - clock.monotonic();
    if (left <= 0) return round(() => true);
    waiting = clock.after(left, () => {
      waiting = undefined;
      round(() => true);
    });
  };
  const begin = (): void => {
    stops = [
      feed.watch(changed),
      clock.every(
        PRINT_MS,
        () => {
          if ([...watched.values()].some(({ prints }) => prints)) round(({ prints }) => prints);
        },
        'background',
      ),
      clock.every(
        BEAT_MS,
        () => {
          for (const { streams } of watched.values()) for (const stream of streams) tell(stream, ':\n\n');
        },
        'background',
      ),
    ];
  };
  const end = (): void => {
    for (const stop of stops) stop();
    stops = [];
    waiting?.();
    waiting = undefined;
  };
  const leave = (key: string, stream: Stream): void => {
    const one = watched.get(key);
    one?.streams.delete(stream);
    if (one?.streams.size === 0) watched.delete(key);
    if (watched.size === 0) end();
  };

  return {
    count: () => [...watched.values()].reduce((sum, { streams }) => sum + streams.size, 0),
    open: ({ address, role, after, response, isOpen }) => {
      const key = `${role} ${textOf(address)}`;
      const stream: Stream = { response, isOpen, sent: Number.POSITIVE_INFINITY };
      if (watched.size === 0) begin();
      const one = watched.get(key) ?? { address, role, streams: new Set<Stream>(), parts: [], prints: false };
      watched.set(key, one);
      response.write('retry: 1000\n\n');
      let isGone = false;
      response.on('close', () => {
        isGone = true;
        leave(key, stream);
      });
      // It hears of changes once it has been told how things stand.
      one.streams.add(stream);
      inTurn(async () => {
        if (isGone) return;
        const looked = await feed.look();
        const parts = await partsOf(one, looked);
        for (const other of one.streams) {
          const text = other === stream ? undefined : differenceText(one.parts, parts);
          if (text !== undefined) tell(other, text);
        }
        one.parts = parts;
        const isTooFar = after > looked.seq || looked.seq - after > MOST_MISSED;
        stream.sent = isTooFar ? looked.seq : after;
        if (isTooFar) return tell(stream, 'event: anew\ndata: {}\n\n');
        await tellAllEntries();
        tell(stream, eventText('stand', { parts: parts.map(named) }));
      });
    },
    close: () => {
      for (const { streams } of watched.values()) for (const { response } of streams) response.destroy();
      watched.clear();
      end();
    },
  };
}

const eventText = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const entryText = ({ seq, time, actor, command, task, detail }: JournalEntry): string =>
  `id: ${seq}\n${eventText('entry', { seq, time, actor: shown(actor), command, task, detail: shown(detail) })}`;

/** Name, version, class and rows. */
const named = ({ id, version, className, rows = 0 }: Part) => [id, version, className, rows] as const;

/** Undefined: they look the same. */
export function differenceText(before: readonly Part[], after: readonly Part[]): string | undefined {
  const known = new Map(before.map((part) => [part.id, part]));
  const changed = after.filter(({ id, version }) => known.get(id)?.version !== version);
  const isMoved = before.length !== after.length || after.some(({ id }, at) => before[at]?.id !== id);
  if (changed.length === 0 && !isMoved) return undefined;
  let room = MOST_PUSHED;
  const html: Record<string, string> = {};
  for (const part of changed) {
    const text = room > 0 ? part.html().markup : '';
    room -= text.length;
    if (room > 0) html[part.id] = text;
  }
  return eventText('parts', { html, parts: (isMoved ? after : changed).map(named), whole: isMoved });
}
