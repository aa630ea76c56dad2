// What a page is made of: parts, each of which the page's script can replace by itself. A part has a name that stays and
// a version that changes with what it shows, so that only what changed is sent. Times are written as times, never as
// ages: a part that nothing happened to stays the same.

import type { Board } from '../../../protocol/board.ts';
import type { StatusView } from '../../../report/status-view.ts';
import type { JournalEntry } from '../../../store/store.ts';
import type { CrewView } from '../../../supervisor/crew-view.ts';
import type { Instant } from '../../../text/time.ts';
import type { Action } from '../../live/actions.ts';
import type { Subject } from '../offers.ts';
import type { WebRole } from '../sessions.ts';
import type { Markup } from './markup.ts';
import { versionOf } from './version.ts';

/** What every page is made from. */
export interface Seen {
  readonly board: Board;
  /** The journal's number of this board. */
  readonly seq: number;
  readonly now: Instant;
  readonly status: Omit<StatusView, 'why'>;
  /** Why nothing moves. */
  why(): string | undefined;
  readonly crew: CrewView;
  /** A crew is at work, in whichever process. */
  readonly hasCrew: boolean;
  readonly role: WebRole;
  /** The path before all others: `/9f8e…`. */
  readonly base: string;
  /** None for a viewer. */
  actionsFor(subject: Subject): readonly Action[];
  fingerprint(subject: Subject): string;
}

export interface Part {
  /** Unique on its page; letters, digits and dashes. */
  readonly id: string;
  readonly version: string;
  readonly className: string;
  /** A part of a long list, of so many rows of one height: it is loaded when somebody comes near it. */
  readonly rows?: number;
  html(): Markup;
}

export interface View {
  readonly title: string;
  /** Which entry of the menu it belongs to. */
  readonly menu: string;
  readonly parts: readonly Part[];
  /** A session prints on it, which is no change of the board. */
  readonly prints?: boolean;
  /** The last entries of the journal, where the page lists them; those that follow are added by the script. */
  readonly journal?: readonly JournalEntry[];
}

export function part(id: string, markup: Markup, className = 'card'): Part {
  return { id, version: versionOf(className + markup.markup), className, html: () => markup };
}

/** `key`: all that its rows show, so that they are written only when they are sent. */
export const rowsPart = (id: string, key: string, rows: number, html: () => Markup): Part => ({
  id,
  version: versionOf(key),
  className: 'rows',
  rows,
  html,
});
