// Values as block YAML in the house layout: two-space indents, lists indented under their key, `[]` and `{}` for empties.
// Promises that what it writes is read back the same by parseBlock and by every YAML library.
// Must never write what it cannot represent: a value that is no plain data throws.
import { definedKeys, isMap } from './equal.ts';
import { emitDouble, emitLiteral, emitScalar, isPlainSafe, type Quote, type Scalar } from './scalar.ts';

/** What follows a `key:` or `-`: text on the same line (empty for a block below), then the lines of the block. */
export interface Emitted {
  readonly inline: string;
  readonly lines: readonly string[];
}

/** `value` as it stands below a key or dash at column `indent`. */
export function emitValue(value: unknown, indent: number, quote: Quote = 'plain'): Emitted {
  if (isScalar(value)) return emitText(value, indent, quote);
  if (Array.isArray(value)) {
    return value.length === 0 ? { inline: '[]', lines: [] } : { inline: '', lines: emitItems(value, indent + 2) };
  }
  if (!isMap(value)) throw new TypeError(`cannot write a ${typeof value} as YAML`);
  const lines = emitEntries(value, indent + 2);
  return lines.length === 0 ? { inline: '{}', lines } : { inline: '', lines };
}

/** Lines of a block mapping whose keys stand at column `indent`. */
export function emitEntries(map: Readonly<Record<string, unknown>>, indent: number): string[] {
  return definedKeys(map).flatMap((key) => emitEntry(key, map[key], indent));
}

/** Lines of a block list whose dashes stand at column `indent`. */
export function emitItems(items: readonly unknown[], indent: number): string[] {
  return items.flatMap((item) => emitItem(item, indent));
}

export function emitEntry(key: string, value: unknown, indent: number): string[] {
  const { inline, lines } = emitValue(value, indent);
  const head = `${' '.repeat(indent)}${emitKey(key)}:`;
  return [inline === '' ? head : `${head} ${inline}`, ...lines];
}

export function emitItem(value: unknown, indent: number): string[] {
  const { inline, lines } = emitValue(value, indent);
  const head = `${' '.repeat(indent)}-`;
  if (inline !== '') return [`${head} ${inline}`, ...lines];
  // The block's first line moves up beside the dash: its column is indent + 2 either way.
  return [`${head} ${(lines[0] ?? '').trimStart()}`, ...lines.slice(1)];
}

/** `value` on one line in flow style, for fields that a person wrote that way. */
export function emitFlow(value: unknown): string {
  if (typeof value === 'string') return isFlowSafe(value) ? value : emitDouble(value);
  if (isScalar(value)) return emitScalar(value);
  if (Array.isArray(value)) return `[${value.map(emitFlow).join(', ')}]`;
  if (!isMap(value)) throw new TypeError(`cannot write a ${typeof value} as YAML`);
  const entries = definedKeys(value).map((key) => {
    refuseKey(key);
    return `${isFlowSafe(key) ? key : emitDouble(key)}: ${emitFlow(value[key])}`;
  });
  return `{${entries.join(', ')}}`;
}

export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function emitKey(key: string): string {
  refuseKey(key);
  return isPlainSafe(key) ? key : emitDouble(key);
}

function emitText(value: Scalar, indent: number, quote: Quote): Emitted {
  const literal = typeof value === 'string' ? emitLiteral(value) : undefined;
  if (literal === undefined) return { inline: emitScalar(value, quote), lines: [] };
  const margin = ' '.repeat(indent + 2);
  return { inline: literal.header, lines: literal.lines.map((line) => (line === '' ? '' : margin + line)) };
}

function isFlowSafe(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_./-]*$/.test(text) && isPlainSafe(text);
}

function refuseKey(key: string): void {
  if (key === '__proto__' || key === '<<') throw new TypeError(`cannot write the key ${key}`);
  // YAML ends the search for the colon of an implicit key after 1,024 characters.
  if (emitDouble(key).length > 1000) throw new TypeError(`cannot write a key of ${key.length} characters`);
}
