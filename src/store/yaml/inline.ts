// What stands on a single line of simple YAML: keys, quoted and plain scalars, flow lists and maps, trailing comments.
// Works on columns of one line and answers `undefined` ("not simple") at the first doubt. Must never look at other lines.
import {
  endOfDouble,
  endOfPlain,
  endOfSingle,
  parseScalar,
  resolvePlain,
  type Scalar,
  startsPlain,
  unquoteDouble,
  unquoteSingle,
} from './scalar.ts';

export interface Key {
  readonly name: string;
  /** Column of the colon. */
  readonly colon: number;
}

export interface Inline {
  readonly value: Scalar | readonly unknown[] | Readonly<Record<string, unknown>>;
  readonly style: 'plain' | 'single' | 'double' | 'flow';
  readonly to: number;
}

export const MAX_DEPTH = 64;
const MAX_KEY = 1000;

/** The key at column `from`; null when the line holds no `key:` there, undefined when not simple. */
export function readKey(line: string, from: number): Key | null | undefined {
  const quote = line.charCodeAt(from);
  const quoted = quote === DOUBLE || quote === SINGLE;
  const colon = quoted ? endOfQuoted(line, from) : findColon(line, from);
  if (colon === -1) return quoted ? undefined : null;
  if (quoted && !isColon(line, colon)) return restIsEmpty(line, colon) ? null : undefined;
  if (colon - from > MAX_KEY || colon === from) return undefined;
  const text = line.slice(from, colon);
  const name = quoted ? unquote(text) : plainKey(line, from, text);
  if (name === undefined || name === '__proto__' || name === '<<') return undefined;
  return { name, colon };
}

/** The one-line value at column `from`. */
export function readInline(line: string, from: number, depth: number): Inline | undefined {
  const c = line.charCodeAt(from);
  if (c === OPEN_LIST || c === OPEN_MAP) return readFlow(line, from, depth);
  if (c === DOUBLE || c === SINGLE) {
    const to = endOfQuoted(line, from);
    if (to === -1) return undefined;
    const value = unquote(line.slice(from, to));
    return value === undefined ? undefined : { value, style: c === DOUBLE ? 'double' : 'single', to };
  }
  const to = endOfPlain(line, from);
  return to === -1 ? undefined : { value: resolvePlain(line.slice(from, to)), style: 'plain', to };
}

/** Column of the `#` of a comment after `from`, -1 when nothing follows, undefined when something else does. */
export function commentAfter(line: string, from: number): number | undefined {
  const at = skipSpaces(line, from);
  if (at === line.length) return -1;
  return line.charCodeAt(at) === HASH && at > from ? at : undefined;
}

export function skipSpaces(line: string, from: number): number {
  let at = from;
  while (line.charCodeAt(at) === SPACE) at++;
  return at;
}

function readFlow(line: string, from: number, depth: number): Inline | undefined {
  if (depth > MAX_DEPTH) return undefined;
  return line.charCodeAt(from) === OPEN_LIST ? readFlowList(line, from, depth) : readFlowMap(line, from, depth);
}

function readFlowList(line: string, from: number, depth: number): Inline | undefined {
  const value: unknown[] = [];
  let at = skipSpaces(line, from + 1);
  if (line.charCodeAt(at) === CLOSE_LIST) return { value, style: 'flow', to: at + 1 };
  for (;;) {
    const item = readFlowItem(line, at, depth);
    if (item === undefined) return undefined;
    value.push(item.value);
    at = skipSpaces(line, item.to);
    if (line.charCodeAt(at) === CLOSE_LIST) return { value, style: 'flow', to: at + 1 };
    if (line.charCodeAt(at) !== COMMA) return undefined;
    at = skipSpaces(line, at + 1);
  }
}

function readFlowMap(line: string, from: number, depth: number): Inline | undefined {
  const value: Record<string, unknown> = {};
  let at = skipSpaces(line, from + 1);
  if (line.charCodeAt(at) === CLOSE_MAP) return { value, style: 'flow', to: at + 1 };
  for (;;) {
    const key = readFlowItem(line, at, MAX_DEPTH);
    if (key === undefined || typeof key.value !== 'string' || key.to - at > MAX_KEY) return undefined;
    if (key.value === '__proto__' || key.value === '<<' || Object.hasOwn(value, key.value)) return undefined;
    if (line.charCodeAt(key.to) !== COLON || line.charCodeAt(key.to + 1) !== SPACE) return undefined;
    const item = readFlowItem(line, skipSpaces(line, key.to + 1), depth);
    if (item === undefined) return undefined;
    value[key.value] = item.value;
    at = skipSpaces(line, item.to);
    if (line.charCodeAt(at) === CLOSE_MAP) return { value, style: 'flow', to: at + 1 };
    if (line.charCodeAt(at) !== COMMA) return undefined;
    at = skipSpaces(line, at + 1);
  }
}

/** In flow, plain scalars are held to a narrow alphabet: what else may follow depends on too much. */
function readFlowItem(line: string, from: number, depth: number): Inline | undefined {
  const c = line.charCodeAt(from);
  if (c === OPEN_LIST || c === OPEN_MAP) return readFlow(line, from, depth + 1);
  if (c === DOUBLE || c === SINGLE) return readInline(line, from, depth);
  FLOW_PLAIN.lastIndex = from;
  const text = FLOW_PLAIN.exec(line)?.[0];
  if (text === undefined) return undefined;
  const value = parseScalar(text);
  return value === undefined ? undefined : { value, style: 'plain', to: from + text.length };
}

function plainKey(line: string, from: number, text: string): string | undefined {
  if (!startsPlain(line, from)) return undefined;
  if (text.endsWith(' ') || text.includes('\t') || text.includes(' #')) return undefined;
  const value = resolvePlain(text);
  return typeof value === 'string' ? value : undefined;
}

/** Column of the first colon that ends a plain key, or -1. */
function findColon(line: string, from: number): number {
  let at = line.indexOf(':', from);
  while (at !== -1 && !isColon(line, at)) at = line.indexOf(':', at + 1);
  if (at === -1) return -1;
  // A colon inside the trailing comment ends no key.
  const comment = line.indexOf(' #', from);
  return comment !== -1 && comment < at ? -1 : at;
}

function isColon(line: string, at: number): boolean {
  return line.charCodeAt(at) === COLON && (at + 1 === line.length || line.charCodeAt(at + 1) === SPACE);
}

function restIsEmpty(line: string, from: number): boolean {
  return commentAfter(line, from) !== undefined;
}

function endOfQuoted(line: string, from: number): number {
  return line.charCodeAt(from) === DOUBLE ? endOfDouble(line, from) : endOfSingle(line, from);
}

function unquote(text: string): string | undefined {
  return text.charCodeAt(0) === DOUBLE ? unquoteDouble(text) : unquoteSingle(text);
}

const SPACE = 32;
const DOUBLE = 34;
const HASH = 35;
const SINGLE = 39;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_MAP = 123;
const CLOSE_MAP = 125;
const FLOW_PLAIN = /[A-Za-z0-9_.~/+-](?:[A-Za-z0-9_./+@-]| (?=[A-Za-z0-9_(])|[()])*/y;
