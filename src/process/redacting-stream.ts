// Redacts what comes in pieces: a line is looked at when it is whole, so that a secret that the pipe cut in two is still
// found. Takes and gives text of one character per byte (latin1), which keeps every byte as it was.

import { HIDDEN, KEY_BEGIN, KEY_END, KEY_LINE, redact } from '../text/redact.ts';

export interface Redactor {
  /** What may go on now; the rest is kept until its line ends. */
  push(text: string): string;
  /** What was kept. `cut`: more would have followed and was left out. */
  end(cut?: boolean): string;
}

/** A line longer than this goes on in parts, cut where no word is. */
const LONGEST = 64 * 1024;
/** No secret is longer, but for a key, which has a beginning and an end. */
const OVERLAP = 4096;
const LONGEST_KEY = 16 * 1024;
const END = new RegExp(KEY_END.source);

export function redactor(secrets: readonly string[]): Redactor {
  const known = inBytes(secrets);
  let kept = '';
  return {
    push: (text) => {
      kept = kept === '' ? text : kept + text;
      // Printed letter by letter, a long line would be looked through for each of them.
      if (kept.length <= LONGEST && !text.includes('\n')) return '';
      const ready = readyPart(kept);
      if (ready === 0) return '';
      const going = kept.slice(0, ready);
      kept = kept.slice(ready);
      return redact(going, known);
    },
    end: (cut = false) => {
      const rest = redact(kept, known);
      kept = '';
      return cut ? rest.replace(LAST_WORD, HIDDEN) : rest;
    },
  };
}

/** The same for a listener that gets lines: of a key that spans several lines it gets nothing but the beginning. */
export function lineRedactor(secrets: readonly string[]): (line: string) => string {
  let within = 0;
  const told = (line: string): string => {
    within = unfinishedKey(line) === undefined ? 0 : 1;
    return redact(line, secrets);
  };
  return (line) => {
    if (within === 0) return told(line);
    const end = END.exec(line);
    if (end !== null) return told(line.slice(end.index + end[0].length));
    within += line.length;
    // A record of its own is no part of a key, whatever it holds.
    if (within > LONGEST_KEY || line.startsWith('{') || !KEY_LINE.test(line)) return told(line);
    return '';
  };
}

/** Redacts a text whose beginning was left out. */
export const redactTail = (text: string, secrets: readonly string[]): string =>
  redact(withoutHalf(text), inBytes(secrets));

/** A text whose beginning was left out may start with the rest of a secret, or of a key. */
export function withoutHalf(text: string): string {
  const end = END.exec(text);
  const within = end !== null && !text.slice(0, end.index).includes('-----BEGIN ');
  return within ? HIDDEN + text.slice(end.index + end[0].length) : text.replace(FIRST_WORD, HIDDEN);
}

/** Secrets as they look in a text of one character per byte. */
const inBytes = (secrets: readonly string[]): readonly string[] => {
  const known = encoded.get(secrets);
  if (known !== undefined) return known;
  const made = secrets.map((secret) => Buffer.from(secret, 'utf8').toString('latin1'));
  encoded.set(secrets, made);
  return made;
};
const encoded = new WeakMap<readonly string[], readonly string[]>();

/** Long, and of letters and digits mixed, as keys are. */
const WORD = '(?=[A-Za-z_+/=.~-]{0,4096}\\d)(?=[\\d_+/=.~-]{0,4096}[A-Za-z])[A-Za-z0-9_+/=.~-]{16,4096}';
const FIRST_WORD = new RegExp(`^${WORD}`);
const LAST_WORD = new RegExp(`(?<![A-Za-z0-9_+/=.~-])${WORD}$`);

/** How much of it is whole. */
function readyPart(text: string): number {
  const lines = text.lastIndexOf('\n') + 1;
  const ready = lines > 0 ? lines : text.length > LONGEST ? wordless(text, text.length - OVERLAP) : 0;
  const open = unfinishedKey(text.slice(0, ready));
  return open === undefined || text.length - open > LONGEST_KEY ? ready : open;
}

/** Where a private key begins that does not end here. */
function unfinishedKey(text: string): number | undefined {
  if (!text.includes('-----BEGIN ')) return undefined;
  const last = [...text.matchAll(KEY_BEGIN)].at(-1)?.index;
  return last === undefined || END.test(text.slice(last)) ? undefined : last;
}

/** The last place up to `at` where no word is cut; `at` itself where there is none. */
function wordless(text: string, at: number): number {
  for (let place = at; place > at - OVERLAP; place -= 1) {
    if (!/[A-Za-z0-9_+/=.~-]/.test(text[place - 1] ?? ' ')) return place;
  }
  return at;
}
