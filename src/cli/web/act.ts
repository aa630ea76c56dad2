// What a form asks for: the same command that a person would type, run as one. The table is asked again, whatever the page
// offered; what the person saw must still be so; what spends or destroys is asked first.

import type { JournalEntry } from '../../store/store.ts';
import type { BoardAccess } from '../live/access.ts';
import type { Action } from '../live/actions.ts';
import type { Feed, Looked } from './feed.ts';
import { actionsFor, fingerprint, isKind, type Subject } from './offers.ts';
import type { Pages } from './pages.ts';
import type { Wanted } from './views/forms.ts';

export type Outcome =
  | { readonly kind: 'done'; readonly said: string }
  | { readonly kind: 'ask'; readonly question: string; readonly looked: Looked }
  /** It is not as the person saw it. */
  | { readonly kind: 'news'; readonly entries: readonly JournalEntry[]; readonly looked: Looked }
  | { readonly kind: 'refused'; readonly said: string; readonly looked: Looked };

export interface Acting {
  readonly feed: Feed;
  readonly pages: Pages;
  readonly access: BoardAccess;
}

const LONGEST_TEXT = 16_000;

/** Undefined: no form of ours. */
export function readWanted(form: URLSearchParams): (Wanted & { readonly sure: boolean }) | undefined {
  const kind = form.get('kind') ?? '';
  const id = form.get('id') ?? '';
  const seq = Number(form.get('seq'));
  const action = form.get('action') ?? '';
  const seen = form.get('seen') ?? '';
  const text = (form.get('text') ?? '').replaceAll('\0', '').replace(/\r\n?/g, '\n').trim();
  if (!isKind(kind) || !isIdOf(kind, id) || !Number.isSafeInteger(seq) || action.length > 60) return undefined;
  if (text.length > LONGEST_TEXT) return undefined;
  return { subject: { kind, id }, action, seen, seq, text, sure: form.get('sure') === 'yes' };
}

/** It follows a command's name: nothing that would be read as an option. */
const isIdOf = (kind: Subject['kind'], id: string): boolean =>
  kind === 'board' ? id === '' : /^[a-z0-9][a-z0-9-]{0,79}$/.test(id);

export async function act(
  { feed, pages, access }: Acting,
  wanted: NonNullable<ReturnType<typeof readWanted>>,
): Promise<Outcome> {
  const looked = await feed.look();
  const { board, now, seq } = looked;
  const { subject, text } = wanted;
  const action = actionsFor(board, now, subject).find(({ name }) => name === wanted.action);
  const isAsSeen = fingerprint(board, subject) === wanted.seen;
  if (!isAsSeen || (action === undefined && seq !== wanted.seq))
    return { kind: 'news', entries: await newsSince(pages, wanted, seq), looked };
  if (action === undefined) return { kind: 'refused', said: `${wanted.action} is not possible here now`, looked };
  if (action.asks !== undefined && action.asks.optional === undefined && text === '')
    return { kind: 'refused', said: `${action.asks.label}: it takes a text`, looked };
  if (action.confirm !== undefined && !wanted.sure) return { kind: 'ask', question: action.confirm, looked };
  const { ok, said } = await access.run(argvOf(action, text));
  return ok ? { kind: 'done', said } : { kind: 'refused', said, looked };
}

const argvOf = (action: Action, text: string): readonly string[] => action.argv(action.asks === undefined ? '' : text);

const MOST_NEWS = 20;

/** Entries about it, or, where none names it, the last ones. */
async function newsSince(pages: Pages, { subject, seq }: Wanted, head: number): Promise<readonly JournalEntry[]> {
  const from = Math.max(seq + 1, head - 300);
  const all = head > seq ? await pages.journal(from, 300) : [];
  const own = subject.kind === 'task' ? all.filter(({ task }) => task === subject.id) : [];
  return (own.length > 0 ? own : all).slice(-MOST_NEWS);
}
