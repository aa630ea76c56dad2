// The words and operators of a shell line, read without running it: quotes, escapes, substitutions within quotes within
// substitutions, comments, here-documents. What has no end makes the whole line undefined. Linear in the line.

export interface Word {
  readonly text: string;
  /** A variable, a pattern or the output of a command decides what it is. */
  readonly varies: boolean;
  /** The command lines that it runs: `$(…)`, backticks, `<(…)`. */
  readonly runs: readonly string[];
  /** The here-document that it names the end of, where nothing in that varies. */
  readonly document?: string | undefined;
}

export interface Token extends Word {
  /** An operator, or a word. */
  readonly sign: boolean;
  /** Part of it is quoted, so that it is no keyword. */
  readonly quoted: boolean;
  readonly from: number;
  readonly to: number;
}

/** Nobody writes more by hand. */
const MOST = 1000;
const MOST_RUNS = 50;

/** Undefined: something in it has no end, or it is longer than what people write. */
export function tokensOf(line: string): readonly Token[] | undefined {
  const found: Token[] = [];
  /** Here-documents that begin behind the next end of a line. */
  let ahead: Ahead[] = [];
  let runs = 0;
  for (let at = 0; at < line.length; ) {
    BLANK.lastIndex = at;
    const blank = BLANK.exec(line)?.[0];
    if (blank !== undefined) {
      at += blank.length;
    } else if (line[at] === '#') {
      const end = line.indexOf('\n', at);
      at = end === -1 ? line.length : end;
    } else {
      const read = signAt(line, at) ?? wordAt(line, at);
      if (read === undefined) return undefined;
      const before = found.at(-1);
      if (before?.sign && /^\d*<<-?$/.test(before.text) && !read.sign)
        ahead.push({ end: read.text, tabs: before.text.endsWith('-'), quoted: read.quoted, at: found.length });
      runs += read.runs.length;
      if (found.push(read) > MOST || runs > MOST_RUNS) return undefined;
      at = read.to;
      if (read.sign && read.text === '\n' && ahead.length > 0) {
        for (const one of ahead) {
          const { to, text } = documentAt(line, at, one);
          const named = found[one.at];
          const isPlain = one.quoted || !/[$`\\]/.test(text);
          if (named !== undefined && isPlain) found[one.at] = { ...named, document: text };
          at = to;
        }
        ahead = [];
      }
    }
  }
  return ahead.length === 0 ? found : undefined;
}

const BLANK = /(?:[ \t\r]|\\\n)+/y;
const SIGNS = /(?:\d*(?:>>|>\||>&|<&|<<<|<<-|<<|<>|>|<)|&>>|&>)(?!\()|&&|\|\||\|&|;;&|;;|;&|[;|&\n()]/y;

function signAt(line: string, at: number): Token | undefined {
  SIGNS.lastIndex = at;
  const text = SIGNS.exec(line)?.[0];
  return text === undefined
    ? undefined
    : { text, sign: true, quoted: false, varies: false, runs: [], from: at, to: at + text.length };
}

interface Ahead {
  readonly end: string;
  readonly tabs: boolean;
  readonly quoted: boolean;
  /** The number of its token. */
  readonly at: number;
}

function documentAt(line: string, from: number, { end, tabs }: Ahead): { readonly to: number; readonly text: string } {
  const lines: string[] = [];
  for (let at = from; at < line.length; ) {
    const stop = line.indexOf('\n', at);
    const whole = line.slice(at, stop === -1 ? line.length : stop);
    const text = tabs ? whole.replace(/^\t+/, '') : whole;
    at = stop === -1 ? line.length : stop + 1;
    if (text === end) return { to: at, text: lines.join('\n') };
    lines.push(text);
  }
  return { to: line.length, text: lines.join('\n') };
}

interface Reading {
  text: string;
  quoted: boolean;
  varies: boolean;
  runs: string[];
}

/** `[` and `[[` are commands. */
const isPattern = (plain: string): boolean => /[*?[]/.test(plain) && !/^\[{1,2}$/.test(plain);

function wordAt(line: string, from: number): Token | undefined {
  const word: Reading = { text: '', quoted: false, varies: false, runs: [] };
  let plain = '';
  let at: number | undefined = from;
  while (at < line.length && !/[\s;|&()]/.test(line[at] ?? '')) {
    const sign = line[at] ?? '';
    const isFed = (sign === '<' || sign === '>') && line[at + 1] === '(';
    if ((sign === '<' || sign === '>') && !isFed) break;
    if (sign === '\\') {
      if (line[at + 1] !== '\n') word.text += line[at + 1] ?? '';
      word.quoted = true;
      at += 2;
    } else if (sign === "'") {
      const end = line.indexOf("'", at + 1);
      if (end === -1) return undefined;
      word.text += line.slice(at + 1, end);
      word.quoted = true;
      at = end + 1;
    } else if (sign === '"') {
      word.quoted = true;
      at = readDouble(line, at + 1, word);
    } else if (sign === '$' || sign === '`' || isFed) {
      at = readDollar(line, at, word);
    } else {
      word.text += sign;
      plain += sign;
      at += 1;
    }
    if (at === undefined) return undefined;
  }
  word.varies ||= isPattern(plain);
  return at === from ? undefined : { ...word, sign: false, from, to: Math.min(at, line.length) };
}

/** Up to the closing quote; says what stands behind it. */
function readDouble(line: string, from: number, word: Reading): number | undefined {
  for (let at: number | undefined = from; at !== undefined && at < line.length; ) {
    const sign: string = line[at] ?? '';
    if (sign === '"') return at + 1;
    if (sign === '\\') {
      const next = line[at + 1] ?? '';
      word.text += /["\\$`]/.test(next) ? next : next === '\n' ? '' : sign + next;
      at += 2;
    } else if (sign === '$' || sign === '`') {
      at = readDollar(line, at, word);
    } else {
      word.text += sign;
      at += 1;
    }
  }
  return undefined;
}

const VARIABLE = /\$(?:\w+|[?#@!*$-])?/y;

/** A variable or a substitution; says what stands behind it. */
function readDollar(line: string, from: number, word: Reading): number | undefined {
  const two = line.slice(from, from + 2);
  let to: number | undefined;
  if (line[from] === '`') {
    to = endOfBackticks(line, from + 1);
    if (to !== undefined) word.runs.push(line.slice(from + 1, to - 1).replace(/\\([\\`$])/g, '$1'));
  } else if (two === '${') {
    to = endOf(line, from + 2, '}', 0);
  } else if (two === '$(' || two === '<(' || two === '>(') {
    to = endOf(line, from + 2, ')', 0);
    // The patterns of a `case` close brackets that nobody opened.
    if (/(?:^|[\s;|&({])case\s/.test(line.slice(from + 2, to))) return undefined;
    // `$((1 + 1))` runs nothing.
    const isSum = line.startsWith('$((', from) && line.slice(0, to).endsWith('))');
    if (to !== undefined && !isSum) word.runs.push(line.slice(from + 2, to - 1));
  } else {
    VARIABLE.lastIndex = from;
    to = from + (VARIABLE.exec(line)?.[0].length ?? 1);
  }
  if (to === undefined) return undefined;
  word.varies = true;
  word.text += line.slice(from, to);
  return to;
}

function endOfBackticks(line: string, from: number): number | undefined {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '`') return at + 1;
  }
  return undefined;
}

const DEEPEST = 20;

/** Behind the sign that closes what is open; quotes within hide theirs. */
function endOf(line: string, from: number, close: ')' | '}', depth: number): number | undefined {
  if (depth > DEEPEST) return undefined;
  const open = close === ')' ? '(' : '{';
  let left = 1;
  let isQuoted = false;
  for (let at = from; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (sign === '\\') at += 1;
    else if (sign === "'" && !isQuoted && close === ')') {
      const end = line.indexOf("'", at + 1);
      if (end === -1) return undefined;
      at = end;
    } else if (sign === '$' && (line[at + 1] === '(' || line[at + 1] === '{')) {
      const end = endOf(line, at + 2, line[at + 1] === '(' ? ')' : '}', depth + 1);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (sign === '`') {
      const end = endOfBackticks(line, at + 1);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (sign === open) left += 1;
    else if (sign === close) left -= 1;
    if (left === 0) return at + 1;
  }
  return undefined;
}
