// Edits a record that is not simple through a `yaml` Document of this record alone, so that its comments survive.
// The library reflows what it writes, so layout may change inside the record, never outside it.
// Promises that the result reads back as the new value, and throws Bug otherwise.
import type { Document, Scalar } from 'yaml';
import { Bug } from '../../protocol/decision.ts';
import { isScalar } from './emit.ts';
import { definedKeys, isMap, own, sameValue } from './equal.ts';
import { emitDouble, emitLiteral, isPlainSafe } from './scalar.ts';
import { loadYaml, parseStrict } from './strict.ts';

/** As editBlock, for any text the strict reader accepts. */
export async function editWithLibrary(text: string, oldValue: unknown, newValue: unknown): Promise<string> {
  const { isScalar: isScalarNode, parseDocument, visit } = await loadYaml();
  const margin = marginOf(text);
  const document = parseDocument(outdent(text, margin), { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });

  // The library writes `yes` bare and loses blanks around line breaks; quotes keep every reader on the same string.
  const quoted = (node: Scalar): void => {
    const safe = typeof node.value !== 'string' || isPlainSafe(node.value) || node.type?.startsWith('QUOTE');
    if (!safe) node.type = emitLiteral(String(node.value)) ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
  };
  const put = (path: Path, value: unknown): void => {
    const there = document.getIn(path, true);
    if (isScalarNode(there) && isScalar(value)) {
      // In the node that is there the value keeps its comment.
      there.value = value;
      // What described the old value: a tag such as !!str, hexadecimal, a number of digits.
      delete there.tag;
      delete there.format;
      delete there.minFractionDigits;
      quoted(there);
      return;
    }
    const node = document.createNode(value, { aliasDuplicateObjects: false });
    visit(node, { Scalar: (_, scalar) => quoted(scalar) });
    document.setIn(path, node);
  };
  editPath({ put, drop: (path) => document.deleteIn(path) }, [], oldValue, newValue);

  const written = await checked(indentedLike(text, margin, document), newValue);
  if (written !== undefined) return written;
  // Some bare strings survive only where they stood; a second attempt quotes every doubtful one in the record.
  visit(document, { Scalar: (_, scalar) => quoted(scalar) });
  const again = await checked(indentedLike(text, margin, document), newValue);
  if (again === undefined) throw new Bug('an edited record reads back differently');
  return again;
}

async function checked(text: string, value: unknown): Promise<string | undefined> {
  const read = await parseStrict(text);
  return read.ok && sameValue(read.value, value) ? text : undefined;
}

function indentedLike(text: string, margin: string, document: Document): string {
  const written = document.toString({
    lineWidth: 0,
    flowCollectionPadding: false,
    doubleQuotedMinMultiLineLength: 1e9,
  });
  // The library leaves these bare between double quotes; the text held none, so all of them stand there.
  const escaped = written.replace(/[\x7f-\x84\x86-\x9f\ufffe\uffff]/g, (c) => emitDouble(c).slice(1, -1));
  return indented(text.endsWith('\n') ? escaped : escaped.replace(/\n$/, ''), margin);
}

type Path = readonly (string | number)[];

interface Editable {
  readonly put: (path: Path, value: unknown) => void;
  readonly drop: (path: Path) => void;
}

/** Sets only what differs, so that the comments of the rest stay on their nodes. */
function editPath(target: Editable, path: Path, oldValue: unknown, newValue: unknown): void {
  if (oldValue === newValue || sameValue(oldValue, newValue)) return;
  if (isMap(oldValue) && isMap(newValue) && Object.keys(oldValue).length > 0) {
    for (const key of definedKeys(oldValue)) if (own(newValue, key) === undefined) target.drop([...path, key]);
    for (const key of definedKeys(newValue)) editPath(target, [...path, key], own(oldValue, key), newValue[key]);
    return;
  }
  if (Array.isArray(oldValue) && Array.isArray(newValue) && newValue.length >= oldValue.length && oldValue.length > 0) {
    for (const [i, value] of newValue.entries()) editPath(target, [...path, i], oldValue[i], value);
    return;
  }
  target.put(path, newValue);
}

/** The spaces before every line of a record; comments may stand further left. */
function marginOf(text: string): string {
  const contents = text.split('\n').filter((line) => /^ *[^ #]/.test(line));
  const margin = contents.reduce((least, line) => Math.min(least, line.search(/[^ ]/)), Number.POSITIVE_INFINITY);
  return ' '.repeat(contents.length > 0 ? margin : 0);
}

function outdent(text: string, margin: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line.trimStart()))
    .join('\n');
}

function indented(text: string, margin: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : margin + line))
    .join('\n');
}
