// The text of a program without its comments and what `#if 0` leaves out, and where its one-line strings are: what stands in either declares no
// test. Places stay as they were. It knows no grammar: an odd quote ends with its line. Linear.

import { withoutNever } from './never-run.ts';

export interface Uncommented {
  readonly text: string;
  /** Whether that place is within a string of one line. */
  readonly isString: (at: number) => boolean;
}

const HASH = /\.(?:py|pyi|rb|sh|bash|zsh|bats|pl|r|ex|exs|cr|nim|jl|ya?ml|feature)$/i;
const PYTHON = /\.pyi?$/i;

const TRIPLE = /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)/;
/** Each form ends somewhere, so that no place is read twice. */
const STRING = /"(?:[^"\\\n]|\\[\s\S]?)*(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\[\s\S]?)*(?:'|(?=\n)|$)/;
const TEMPLATE = /`(?:[^`\\]|\\[\s\S]?)*(?:`|$)/;
const SLASHES = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/;
const HASHES = /(?<![^\s;])#(?!\[)[^\n]*/;

const either = (...forms: readonly RegExp[]): RegExp => new RegExp(forms.map(({ source }) => source).join('|'), 'g');
const OF_PYTHON = either(TRIPLE, STRING, HASHES);
const OF_HASH = either(STRING, HASHES);
const OF_SLASH = either(STRING, TEMPLATE, SLASHES);

/** `path`: what it is named tells how it writes comments. */
export function withoutComments(given: string, path = ''): Uncommented {
  const text = withoutNever(given, path);
  const form = PYTHON.test(path) ? OF_PYTHON : HASH.test(path) ? OF_HASH : OF_SLASH;
  const kept: string[] = [];
  const strings: { readonly from: number; readonly to: number }[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(form)) {
    const isTriple = form === OF_PYTHON && /^(?:"""|''')/.test(found);
    if (/^["'`]/.test(found) && !isTriple) {
      const isClosed = found.length > 1 && found.endsWith(found.charAt(0));
      if (isClosed && !found.startsWith('`')) strings.push({ from: index, to: index + found.length });
      continue;
    }
    // What nothing closes is no comment: a pattern, say.
    if (found.startsWith('/*') && !found.endsWith('*/')) continue;
    kept.push(text.slice(from, index), found.replace(/[^\n]/g, ' '));
    from = index + found.length;
  }
  return {
    text: kept.join('') + text.slice(from),
    isString: (at) => within(strings, at),
  };
}

function within(places: readonly { readonly from: number; readonly to: number }[], at: number): boolean {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.to ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return (places[low]?.from ?? at) < at;
}
