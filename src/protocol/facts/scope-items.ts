// One entry of a scope as planners write it: `index.js: function x`, `src/ (parser only)`, `` `a.ts` and `b.ts` ``,
// `src/{a,b}.ts`, `lib/x.py:10-40`. It hides which of its words are paths. Each expression is linear in the text.

export interface ScopeItem {
  /** What can only be meant as a path, or stands alone. */
  readonly paths: readonly string[];
  /** Words within prose that may be paths: `Node.js`, `read/write`, `README.md`. */
  readonly maybe: readonly string[];
  /** The entry without bullet, quotes and full stop; empty: there is none. */
  readonly text: string;
}

/** The entries of one line. What follows a dash in a list's line is description, and its commas separate nothing. */
export function itemsOf(line: string): readonly ScopeItem[] {
  const isBullet = /^\s*[-*]\s/.test(line);
  const text = line.replace(/^\s*(?:[-*]\s+|\*\*\s+)/, '');
  const dash = isBullet ? text.search(DASH) : -1;
  const head = dash === -1 ? text : text.slice(0, dash);
  const described = dash === -1 ? [] : [inProse(text.slice(dash))];
  return [...(head.match(ENTRY) ?? []).map(readItem), ...described].filter((item) => item.text !== '');
}

const DASH = /\s(?:\u2014|\u2013|--|-)\s/;
/** Up to a comma or semicolon that is in no bracket, brace or code quotation. */
const ENTRY = /(?:`[^`]*`|\([^()]*\)|\{[^{}]*\}|[^,;])+/g;

function readItem(item: string): ScopeItem {
  const text = clean(item);
  if (!/\s/.test(text)) return { paths: pathsOf(text), maybe: [], text };
  const end = text.search(/:\s|\s\(|\s(?:\u2014|\u2013|--|-)\s/);
  const head = end === -1 ? text : text.slice(0, end);
  const names = head.split(/(?<!\s)\s+(?:and|&|\+)\s+/).map(clean);
  const alone = names.every((name) => !/\s/.test(name)) && (end !== -1 || names.some(isLikePath));
  if (!alone) return inProse(text);
  const rest = inProse(text.slice(head.length));
  return { paths: [...names.flatMap(pathsOf), ...rest.paths], maybe: rest.maybe, text };
}

function inProse(text: string): ScopeItem {
  const words = text.split(/[\s()]+/).map(clean);
  const sure = words.filter(isSurelyPath);
  const maybe = words.filter((word) => isLikePath(word) && !isSurelyPath(word));
  return { paths: sure.flatMap(pathsOf), maybe: maybe.flatMap(pathsOf), text: clean(text) };
}

const isLikePath = (word: string): boolean => LIKE_PATH.test(word) && !/^\w+:\/\//.test(word);
/** With a slash, a star, an ending; a dotted name; or a name that only files have. */
const LIKE_PATH = /[/*]|\w\.[A-Za-z]\w{0,9}$|^\.[a-z]\w+$|^[A-Z]\w*file$|^[A-Z]{4,}$/;
/** `read/write` and `Node.js` are words, too. */
const isSurelyPath = (word: string): boolean =>
  isLikePath(word) && (/\w\/$|^\*\*|\*\.|\/\*/.test(word) || (word.includes('/') && /\w\.[A-Za-z]\w{0,9}$/.test(word)));

/** As git writes it, without lines or names inside the file; what stands in braces, each by itself. */
function pathsOf(word: string): readonly string[] {
  const plain = word
    .replace(/^\.?\/(?=.)/, '')
    .replace(/(\w)(?::\d[\d,:-]*|#L?\d.*|::.*)$/, '$1')
    .replace(/:$/, '');
  return plain === '' ? [] : withoutBraces(plain);
}

const MOST_NAMES = 64;

/** Brace by brace from the left; no more than a few names are kept at any step. */
function withoutBraces(path: string): readonly string[] {
  let found = [''];
  for (const [part, names] of path.matchAll(/\{([^{}]*)\}|[^{]+|\{/g)) {
    const each = names === undefined ? [part] : names.split(',').map((name) => name.trim());
    found = found.flatMap((before) => each.map((name) => before + name)).slice(0, MOST_NAMES);
  }
  return found;
}

/** Without bullet and full stop, and without quotes that are around all of it or that nothing closes. */
function clean(item: string): string {
  let text = withoutStop(item.trim().replace(/^[-*]\s+/, ''));
  for (const quote of ['`', '"', "'", '`']) {
    const many = text.split(quote).length - 1;
    if (many > 2 || many === 0) continue;
    const [starts, ends] = [text.startsWith(quote), text.endsWith(quote)];
    if (many === 2 && !(starts && ends)) continue;
    text = withoutStop(text.slice(starts ? 1 : 0, ends ? -1 : undefined));
  }
  return text.trim();
}

const withoutStop = (text: string): string => text.replace(/(?<![.:,;])[.:,;]+$/, '');
