// Who may look, and who may act. A code of one use, which a person carries from the terminal to the browser, is exchanged
// for a session; the session's secret is another one and is only ever in a cookie. Kept in memory alone and by hash: it
// ends with the server, and a copy of this process's data opens nothing.

import { createHash } from 'node:crypto';
import type { Clock, Random } from '../../ports/host.ts';

/** A viewer reads; an operator acts as the person at the terminal. */
export type WebRole = 'operator' | 'viewer';

export interface Session {
  readonly role: WebRole;
  /** What a form must bring along. */
  readonly form: string;
}

export interface Sessions {
  /** A code for one browser: four groups of four signs that are hard to mistake. */
  newCode(role: WebRole): string;
  /** Whether it would open a session; uses nothing up. */
  isGood(code: string): boolean;
  /** The cookie's secret; undefined: no such code, or not any more. */
  open(code: string): { readonly secret: string; readonly session: Session } | undefined;
  find(secret: string): Session | undefined;
  close(secret: string): void;
}

const CODE_MS = 60 * 60_000;
export const SESSION_MS = 12 * 60 * 60_000;
const MOST_CODES = 100;
const MOST_SESSIONS = 200;
/** 32 signs; letters that look like another sign are read as that one. */
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz';
const LOOK_ALIKE: Readonly<Record<string, string>> = { i: '1', l: '1', o: '0', u: 'v' };

interface Kept {
  readonly session: Session;
  until: number;
}

export function openSessions({ clock, random }: { readonly clock: Clock; readonly random: Random }): Sessions {
  const codes = new Map<string, { readonly role: WebRole; readonly until: number }>();
  const sessions = new Map<string, Kept>();
  return {
    newCode: (role) => {
      const code = codeFrom(random.hex(16));
      codes.set(hash(code), { role, until: clock.steady() + CODE_MS });
      dropFirst(codes, MOST_CODES);
      return code;
    },
    isGood: (typed) => (codes.get(hash(asTyped(typed)))?.until ?? 0) >= clock.steady(),
    open: (typed) => {
      const key = hash(asTyped(typed));
      const found = codes.get(key);
      codes.delete(key);
      if (found === undefined || found.until < clock.steady()) return undefined;
      const secret = random.hex(32);
      const session: Session = { role: found.role, form: random.hex(16) };
      sessions.set(hash(secret), { session, until: clock.steady() + SESSION_MS });
      dropFirst(sessions, MOST_SESSIONS);
      return { secret, session };
    },
    find: (secret) => {
      const key = hash(secret);
      const kept = sessions.get(key);
      if (kept === undefined) return undefined;
      if (kept.until < clock.steady()) {
        sessions.delete(key);
        return undefined;
      }
      kept.until = clock.steady() + SESSION_MS;
      return kept.session;
    },
    close: (secret) => void sessions.delete(hash(secret)),
  };
}

/** Looked up by its hash: how long that takes says nothing of the secret. */
const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Eighty bits: nobody guesses one within the hour that it is good for. */
const codeFrom = (hex: string): string =>
  Array.from({ length: 16 }, (_, at) => SIGNS.charAt(Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16) % 32))
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

/** People type capitals, and leave dashes out. */
const asTyped = (text: string): string =>
  text
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/[ilou]/g, (sign) => LOOK_ALIKE[sign] ?? sign)
    .replace(/(.{4})(?=.)/g, '$1-');

function dropFirst(map: Map<string, unknown>, most: number): void {
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}
