// One scalar: how it is written and how it is read back.
// Written plain only when YAML 1.2 and 1.1 readers (yq, PyYAML, editors) all take it for the same string; read under the
// 1.2 core schema. Readers answer `undefined` ("not simple") at the first doubt. Must never guess: the strict reader exists.

export type Scalar = string | number | boolean | null;
export type Quote = 'plain' | 'single' | 'double';

/** One line of text for `value`; a string keeps the asked-for quotes where they can hold it. */
export function emitScalar(value: Scalar, quote: Quote = 'plain'): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'number') return emitNumber(value);
  if (quote === 'single' && !UNPRINTABLE.test(value)) return `'${value.replaceAll("'", "''")}'`;
  if (quote === 'plain' && isPlainSafe(value)) return value;
  return emitDouble(value);
}

/** JSON's quotes and escapes, and escapes for what JSON leaves bare but YAML 1.1 takes for line breaks. */
export function emitDouble(value: string): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Header and unindented lines of a literal block, or undefined when quotes are the safer home for `value`. */
export function emitLiteral(value: string): { readonly header: '|' | '|-'; readonly lines: string[] } | undefined {
  if (!value.includes('\n')) return undefined;
  // `|+` would swallow blank lines that people later add below it, so text ending in several newlines is quoted.
  if (value.endsWith('\n\n') || value.startsWith('\n') || value.startsWith(' ')) return undefined;
  const lines = value.split('\n');
  const clipped = lines[lines.length - 1] === '';
  if (clipped) lines.pop();
  for (const line of lines) {
    // Trailing blanks vanish in editors, a leading tab looks like indentation.
    if (/[ \t]$|^ *\t/.test(line)) return undefined;
    if (UNPRINTABLE.test(line.replaceAll('\t', ''))) return undefined;
  }
  return { header: clipped ? '|' : '|-', lines };
}

/** Whether `text` means the same string bare in YAML 1.2 and 1.1, as value and as key. */
export function isPlainSafe(text: string): boolean {
  if (!/^[A-Za-z_/$\u00c0-\u024f]/.test(text) || UNPRINTABLE.test(text)) return false;
  if (/: | #|[: ]$/.test(text)) return false;
  // `e12` is a float to some 1.1 readers, and commit ids are always quoted.
  if (/^[eE][-+]?[0-9]+$/.test(text) || /^[0-9a-f]{7,}$/.test(text)) return false;
  return !(text.length <= 5 && WORDS_OF_1_1.has(text.toLowerCase()));
}

/** The value of one whole scalar written plain or in quotes; undefined when not certain. */
export function parseScalar(text: string): Scalar | undefined {
  const first = text.charCodeAt(0);
  if (first === DOUBLE || first === SINGLE) {
    const to = first === DOUBLE ? endOfDouble(text, 0) : endOfSingle(text, 0);
    if (to !== text.length) return undefined;
    return first === DOUBLE ? unquoteDouble(text) : unquoteSingle(text);
  }
  return endOfPlain(text, 0) === text.length ? resolvePlain(text) : undefined;
}

/** Column after a plain scalar that begins at `from`, before trailing spaces and comment; -1 when not certain. */
export function endOfPlain(line: string, from: number): number {
  if (!startsPlain(line, from)) return -1;
  let end = from;
  for (let i = from; i < line.length; i++) {
    const c = line.charCodeAt(i);
    if (c === SPACE) continue;
    if (c === TAB) return -1;
    if (c === HASH && line.charCodeAt(i - 1) === SPACE && i > from) break;
    if (c === COLON && (i + 1 === line.length || line.charCodeAt(i + 1) === SPACE)) return -1;
    end = i + 1;
  }
  return end;
}

/** Whether a plain scalar may begin here, leaving out the starts that are legal but doubtful. */
export function startsPlain(line: string, from: number): boolean {
  const c = line.charCodeAt(from);
  if (isLetterOrDigit(c)) return true;
  if (c === DASH) {
    const next = line.charCodeAt(from + 1);
    return !Number.isNaN(next) && next !== SPACE && next !== TAB && !line.startsWith('---', from);
  }
  if (c === DOT) return !line.startsWith('...', from);
  if (c === LESS) return !line.startsWith('<<', from);
  return c > SPACE && !NEVER_FIRST.has(c);
}

/** What a plain scalar means in the core schema. */
export function resolvePlain(text: string): Scalar {
  const c = text.charCodeAt(0);
  if ((c >= 48 && c <= 57) || c === DASH || c === PLUS || c === DOT) return resolveNumber(text);
  if (text.length > 5) return text;
  switch (text) {
    case '~':
    case 'null':
    case 'Null':
    case 'NULL':
      return null;
    case 'true':
    case 'True':
    case 'TRUE':
      return true;
    case 'false':
    case 'False':
    case 'FALSE':
      return false;
    default:
      return text;
  }
}

/** Column after the closing quote, or -1. */
export function endOfDouble(line: string, from: number): number {
  for (let i = from + 1; i < line.length; i++) {
    const c = line.charCodeAt(i);
    if (c === BACKSLASH) i++;
    else if (c === DOUBLE) return i + 1;
  }
  return -1;
}

/** Column after the closing quote, or -1. */
export function endOfSingle(line: string, from: number): number {
  let at = line.indexOf("'", from + 1);
  while (at !== -1 && line.charCodeAt(at + 1) === SINGLE) at = line.indexOf("'", at + 2);
  return at === -1 ? -1 : at + 1;
}

export function unquoteSingle(quoted: string): string {
  return quoted.slice(1, -1).replaceAll("''", "'");
}

/** The text between double quotes, or undefined for an escape YAML does not know. */
export function unquoteDouble(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  let out = '';
  for (let i = 1; i < quoted.length - 1; i++) {
    const c = quoted.charAt(i);
    if (c !== '\\') {
      out += c;
      continue;
    }
    const mark = quoted.charAt(++i);
    const digits = mark === 'x' ? 2 : mark === 'u' ? 4 : mark === 'U' ? 8 : 0;
    if (digits === 0) {
      const known = ESCAPES.get(mark);
      if (known === undefined) return undefined;
      out += known;
      continue;
    }
    const hex = quoted.slice(i + 1, i + 1 + digits);
    if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) return undefined;
    const code = Number.parseInt(hex, 16);
    if (code > 0x10ffff) return undefined;
    out += String.fromCodePoint(code);
    i += digits;
  }
  return out;
}

function resolveNumber(text: string): Scalar {
  if (/^[-+]?[0-9]+$/.test(text)) return Number.parseInt(text, 10);
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8);
  if (/^0x[0-9a-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16);
  if (/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return Number.parseFloat(text);
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (text === '.nan' || text === '.NaN' || text === '.NAN') return Number.NaN;
  return text;
}

function emitNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  // PyYAML takes `1e+21` for a string; with a point every reader sees the number.
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

function isLetterOrDigit(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57);
}

const TAB = 9;
const SPACE = 32;
const DOUBLE = 34;
const HASH = 35;
const SINGLE = 39;
const PLUS = 43;
const DASH = 45;
const DOT = 46;
const COLON = 58;
const LESS = 60;
const BACKSLASH = 92;
const NEVER_FIRST = new Set(Array.from('?:,[]{}#&*!|>\'"%@`=', (c) => c.charCodeAt(0)));

/** Tabs, line breaks of any YAML version, control characters, lone surrogates, byte-order marks. */
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/u;
const WORDS_OF_1_1 = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null']);
const ESCAPES = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
  [' ', ' '],
  ['"', '"'],
  ['/', '/'],
  ['\\', '\\'],
]);
