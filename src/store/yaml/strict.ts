// The strict reader for everything the simple one declines: the `yaml` package, fenced in.
// Promises that every refusal has a line, a column, one sentence and a hint, and that hostile text is refused quickly:
// depth is watched while the text is tokenised, before anything recurses. No aliases, anchors, foreign tags, duplicate,
// merge or `__proto__` keys, second documents. Must never be reached on the everyday path: it loads the library.
import type { CST, Document, Node } from 'yaml';
import { parseBlock } from './block.ts';
import { type Refusal, refusal, refuseCharacters } from './characters.ts';
import { MAX_DEPTH } from './inline.ts';

export type Strict = { readonly ok: true; readonly value: unknown } | Refusal;
type Library = typeof import('./library.ts');

/** The `yaml` package, loaded on first use. */
export function loadYaml(): Promise<Library> {
  return import('./library.ts');
}

/** The value of one YAML document, or where and why it is refused. */
export async function parseStrict(text: string): Promise<Strict> {
  return refuseCharacters(text) ?? parseWith(await loadYaml(), text);
}

/** As parseStrict without the library: undefined when the simple reader cannot tell. */
export function parseStrictSimple(text: string): Strict | undefined {
  const refused = refuseCharacters(text);
  if (refused !== undefined) return refused;
  const node = parseBlock(text);
  return node && { ok: true, value: node.value };
}

function parseWith(library: Library, text: string): Strict {
  try {
    const documents: Document.Parsed[] = [];
    const composer = new library.Composer({ uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
    for (const document of composer.compose(tokens(library, text), true, text.length)) {
      documents.push(document);
      if (documents.length > 1) break;
    }
    const [document, second] = documents;
    if (document === undefined) return { ok: true, value: null };
    const error = document.errors[0];
    if (error) throw new Refused(error.pos[0], lowerFirst(error.message), HINTS[error.code] ?? 'check the syntax here');
    if (second) throw new Refused(second.range[0], 'a second document starts here', 'keep one document in the file');
    const warning = document.warnings[0];
    if (warning) throw new Refused(warning.pos[0], lowerFirst(warning.message), 'remove the tag or directive');
    return { ok: true, value: plainOf(library, document.contents, 1) };
  } catch (error) {
    if (error instanceof Refused) return refusal(text, Math.min(error.offset, text.length), error.message, error.hint);
    throw error;
  }
}

/** Internal: travels from the place of the offence to parseWith, which turns it into a value. */
class Refused extends Error {
  constructor(
    readonly offset: number,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The library's tokens; its parser keeps open collections on a stack of its own, so depth costs no recursion here. */
function* tokens(library: Library, text: string): Generator<CST.Token> {
  const parser = new library.Parser();
  for (const lexeme of new library.Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // Above the collections are the document and at most one scalar.
    if (parser.stack.length > MAX_DEPTH + 2) throw tooDeep(parser.offset);
  }
  yield* parser.end();
}

/** Plain data of a node, built here rather than by toJS so that nothing surprising is ever assigned. */
function plainOf(library: Library, node: unknown, depth: number): unknown {
  if (node === null || node === undefined) return null;
  const offset = (node as Node).range?.[0] ?? 0;
  if (library.isAlias(node)) throw new Refused(offset, 'aliases are not allowed', 'write the value out');
  const { anchor, tag } = node as { anchor?: string; tag?: string };
  if (anchor !== undefined) throw new Refused(offset, 'anchors are not allowed', 'remove the anchor');
  if (tag !== undefined && !CORE_TAGS.has(tag))
    throw new Refused(offset, `the tag ${tag} is not allowed`, 'remove the tag');
  if (library.isScalar(node)) return node.value;
  if (depth > MAX_DEPTH) throw tooDeep(offset);
  if (library.isSeq(node)) return node.items.map((item) => plainOf(library, item, depth + 1));
  const map: Record<string, unknown> = {};
  if (!library.isMap(node)) throw new Refused(offset, 'this is not plain data', 'use mappings, lists and scalars only');
  for (const { key, value } of node.items) {
    const name = keyOf(library, key, offset);
    if (Object.hasOwn(map, name)) {
      throw new Refused(
        (key as Node).range?.[0] ?? offset,
        `the key ${name.slice(0, 60)} appears twice`,
        'keep one of the two',
      );
    }
    map[name] = plainOf(library, value, depth + 1);
  }
  return map;
}

function keyOf(library: Library, key: unknown, offset: number): string {
  const at = (key as Node | null)?.range?.[0] ?? offset;
  const collection = library.isMap(key) || library.isSeq(key);
  const name = collection ? undefined : plainOf(library, key, 0);
  if (typeof name !== 'string') throw new Refused(at, 'keys must be strings', 'put the key in double quotes');
  if (name === '<<') throw new Refused(at, 'merge keys are not allowed', 'write the merged fields out');
  if (name === '__proto__') throw new Refused(at, 'the key __proto__ is not allowed', 'rename the key');
  return name;
}

function tooDeep(offset: number): Refused {
  return new Refused(offset, `the nesting is deeper than ${MAX_DEPTH} levels`, 'flatten the structure');
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

const CORE_TAGS = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'align the line with its siblings',
  MISSING_CHAR: 'add what is missing, or put the text in double quotes',
  BAD_SCALAR_START: 'put the text in double quotes',
  BAD_DQ_ESCAPE: 'double the backslash, or use single quotes',
  MULTILINE_IMPLICIT_KEY: 'end the key with a colon, or put the text in double quotes',
  BLOCK_AS_IMPLICIT_KEY: 'put text that holds a colon in double quotes',
  UNEXPECTED_TOKEN: 'put the text in double quotes',
  KEY_OVER_1024_CHARS: 'shorten the key',
};
