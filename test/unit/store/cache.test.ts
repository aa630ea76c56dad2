// The cache: whatever changed, appended or written anew, it reads as the board.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Files, realFiles } from '../../../src/ports/files.ts';
import { RECORD_SECTIONS } from '../../../src/protocol/state.ts';
import { type CacheKey, HEADER, LONGEST_TAIL, MAGIC } from '../../../src/store/cache.ts';
import { documentOf, readCache } from '../../../src/store/cache-document.ts';
import { readKeys, readList, readRecord } from '../../../src/store/cache-lookup.ts';
import { appendDelta, type Encoded, writeCache } from '../../../src/store/cache-write.ts';
import { isNormal } from '../../../src/store/file-values.ts';
import { type BoardDocument, boardDocument, parseDocument, type Section } from '../../../src/store/yaml/document.ts';
import { sameValue } from '../../../src/store/yaml/equal.ts';
import { Text } from '../../../src/store/yaml/text.ts';
import { updateDocument, updateDocumentSimple } from '../../../src/store/yaml/update.ts';
import { runs } from '../../runs.ts';
import { board, layOut, type Plain, randomOf, shapeOf, step, tasksOf, withTask } from './yaml/boards.ts';
import { plainValue, scalar } from './yaml/samples.ts';

const KEY: CacheKey = { state: ['1', '2', '3', '4'], journal: ['5', '6', '7', '8'], superseded: null };
/** A process knows what it read under a hash: another one each time, so that it reads the file. */
let times = 0;
const bound = () => ({ key: KEY, hash: `h${times++}`, seq: 7 });
const INDEX = { key: KEY, hash: 'h', seq: 7 };

async function open(text: string): Promise<BoardDocument> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(`${parsed.line}:${parsed.column} ${parsed.message}\n${text}`);
  return parsed.doc;
}

/** A disk of one file. */
function oneFile(): Files & { bytes: Buffer } {
  const file = { bytes: Buffer.alloc(0) };
  return Object.assign(file, {
    ...realFiles,
    open: (_: string, flags: string) => {
      if (flags === 'w') file.bytes = Buffer.alloc(0);
      return 0;
    },
    fstat: () => ({ ...realFiles.fstat(0), size: BigInt(file.bytes.length) }),
    write: (_: number, data: Uint8Array) => {
      file.bytes = Buffer.concat([file.bytes, data]);
    },
    close: () => {},
    rename: () => {},
    read: () => file.bytes,
    readRange: (_: string, from: number, length: number) => file.bytes.subarray(from, from + length),
  });
}

type OneFile = ReturnType<typeof oneFile>;

/** Read as a process would that has read nothing before. */
function readAnew(files: Files, text: string): BoardDocument {
  forget();
  return readDocument(files, text);
}

function forget(): void {
  const other = oneFile();
  writeCache(other, 'cache', NOTHING, bound(), false);
  readDocument(other, NOTHING.text);
}

function readDocument(files: Files, text: string): BoardDocument {
  const cached = readCache(files, 'cache');
  if (cached === undefined) throw new Error('no cache');
  return documentOf(cached, Text.of(text), RECORD_SECTIONS);
}

const NOTHING = boardDocument({
  source: Text.of(''),
  sections: [],
  opaque: false,
  recordSections: RECORD_SECTIONS,
  value: {},
});

/** Written, and read again as the next command would. */
function stored(doc: BoardDocument): { bytes: Buffer; again: BoardDocument; files: OneFile; encoded: Encoded } {
  const files = oneFile();
  const encoded = writeCache(files, 'cache', doc, bound(), false);
  if (encoded === undefined) throw new Error('not written');
  return { bytes: files.bytes, again: readDocument(files, doc.text), files, encoded };
}

/** Appended to what the file has; written whole where that cannot be. */
function added(files: OneFile, encoded: Encoded, doc: BoardDocument): Encoded {
  const now = appendDelta(files, 'cache', encoded, doc, bound()) ?? writeCache(files, 'cache', doc, bound(), true);
  if (now === undefined) throw new Error('not written');
  return now;
}

/** Every way to read the file says what the document says. */
function expectCached(files: OneFile, doc: BoardDocument): BoardDocument {
  const [known, anew] = [readDocument(files, doc.text), readAnew(files, doc.text)];
  for (const again of [known, anew]) {
    expect(shapeOf(again)).toEqual(shapeOf(doc));
    expect(sameValue(jsonOf(again.value), jsonOf(doc.value))).toBe(true);
    for (const section of again.sections) {
      const { normal } = { normal: isNormal(section.key, structuredClone(section.value)) };
      expect(isNormal(section.key, section.value)).toBe(normal);
    }
  }
  const cached = readCache(files, 'cache');
  if (cached === undefined) throw new Error('no cache');
  const range = files.readRange.bind(files, 'cache');
  for (const { key, kind, records, value } of anew.sections) {
    if (kind !== 'whole') expect(readKeys(range, cached, key)).toEqual(records.map((one) => one.key ?? null));
    if (kind === 'list') expect(readList(range, cached, key)).toEqual(value);
    for (const record of kind === 'map' ? records : []) {
      expect(readRecord(range, cached, key, record.key ?? null)).toEqual(record.value);
    }
    expect(readRecord(range, cached, key, 'not there')).toBeUndefined();
  }
  return known;
}

/** What the layout of cache.ts says, one record after the other. */
function fromScratch(doc: BoardDocument): string {
  const sections = doc.sections.map((section) => {
    const { key, kind, indent, start, end, line, endLine, value } = section;
    const records = kind === 'whole' ? [{ key: undefined, value, place: [] }] : section.records.map(placed(section));
    const texts = records.map((record) => JSON.stringify(record.value ?? null));
    const lines = [
      `${JSON.stringify(records.map((record) => record.key ?? null))}\n`,
      `${JSON.stringify(texts.map((text) => Buffer.byteLength(text)))}\n`,
      `${JSON.stringify(records.flatMap(({ place }) => place))}\n`,
      `[\n${texts.join(',\n')}\n]\n`,
    ];
    const bytes = lines.map((text) => Buffer.byteLength(text));
    const span = [start, end, line, endLine];
    return { stored: { key, kind, indent, span, normal: isNormal(key, value), bytes }, lines };
  });
  const head = JSON.stringify({ ...INDEX, sections: sections.map((section) => section.stored) });
  const header = `${MAGIC} R ${Buffer.byteLength(head)}`.padEnd(HEADER - 1);
  return `${header}\n${head}\n${sections.flatMap(({ lines }) => lines).join('')}`;
}

const placed =
  ({ start, line }: Section) =>
  (record: Section['records'][number]) => ({
    key: record.key,
    value: record.value,
    place: [record.start - start, record.end - start, record.line - line, record.endLine - line],
  });

const many = (count: number): string =>
  `version: 1\ntasks:\n${Array.from({ length: count }, (_, n) => `  - id: t${n}\n    text: "é ${n}"\n`).join('')}agents:\n  one: {status: IDLE}\n  "2": {status: IDLE}\nhuman_notes: []\n`;

/** Most of a section goes, or a section comes. */
const WRITTEN_ANEW = new Set(['fewer', 'none', 'a section']);

describe('the cache', () => {
  test.each<[string, (value: Plain) => Plain]>([
    ['nothing', (value) => value],
    ['one record', (value) => withTask(value, 500, { text: 'new “text”' })],
    ['the first', (value) => withTask(value, 0, { text: 'x' })],
    ['the last', (value) => withTask(value, 999, { text: 'x' })],
    ['both ends', (value) => withTask(withTask(value, 999, { text: 'x' }), 0, { text: 'y' })],
    ['several', (value) => withTask(withTask(withTask(value, 3, { a: 1 }), 4, { b: 2 }), 700, { c: [3] })],
    ['more', (value) => ({ ...value, tasks: [...tasksOf(value), { id: 'new' }, { id: 'newer' }] })],
    ['fewer', (value) => ({ ...value, tasks: tasksOf(value).filter((_, at) => at % 7 !== 3) })],
    ['none', (value) => ({ ...value, tasks: [] })],
    ['a map', (value) => ({ ...value, agents: { ...(value.agents as Plain), three: { x: 1 } } })],
    ['a section', (value) => ({ ...value, sprint: { id: 's' } })],
  ])('of a large board takes a change as a delta: %s changed', async (_, change) => {
    const { again, files, encoded } = stored(await open(many(1000)));
    const before = files.bytes.length;
    const next = updateDocumentSimple(again, change(again.value));
    const doc = next?.doc as BoardDocument;
    const now = added(files, { ...encoded, doc: again }, doc);
    expect(now.end).toBe(files.bytes.length);
    const known = expectCached(files, doc);
    if (WRITTEN_ANEW.has(_)) return;
    expect(files.bytes.length - before).toBeLessThan(2000);
    // Records that nobody changed are the objects that they were.
    const was = new Set(tasksOf(again.value));
    expect(tasksOf(known.value).filter((one) => !was.has(one)).length).toBeLessThan(10);
  });

  test('a cache whose end is missing or was never written is none', async () => {
    const { files, bytes } = stored(await open(many(20)));
    forget();
    const found = (all: Buffer) => readCache({ ...files, readRange: rangeOf(all), read: () => all }, 'cache');
    expect(found(bytes)).toBeDefined();
    for (const end of [0, 10, 100, bytes.length - 300, bytes.length - 1]) {
      expect(found(bytes.subarray(0, end))).toBeUndefined();
      expect(found(Buffer.concat([bytes.subarray(0, end), Buffer.alloc(bytes.length - end)]))).toBeUndefined();
    }
    expect(found(Buffer.concat([bytes, bytes]))).toBeUndefined();
  });

  test('a delta that is torn, missing or of another file makes the cache useless', async () => {
    const { again, files, encoded } = stored(await open(many(20)));
    const base = files.bytes;
    const first = updateDocumentSimple(again, withTask(again.value, 5, { text: 'x' }))?.doc as BoardDocument;
    const one = added(files, { ...encoded, doc: again }, first);
    const second = updateDocumentSimple(first, withTask(first.value, 7, { text: 'y' }))?.doc as BoardDocument;
    added(files, one, second);
    const found = (bytes: Buffer) => readCache({ ...files, readRange: rangeOf(bytes), read: () => bytes }, 'cache');
    expect(found(files.bytes)?.deltas).toHaveLength(2);
    for (const end of [base.length + 1, one.end - 1, one.end + 10, files.bytes.length - 1]) {
      expect(found(files.bytes.subarray(0, end))).toBeUndefined();
      const zeroes = Buffer.alloc(files.bytes.length - end);
      expect(found(Buffer.concat([files.bytes.subarray(0, end), zeroes]))).toBeUndefined();
    }
    expect(found(Buffer.concat([base, files.bytes.subarray(one.end)]))).toBeUndefined();
    // Somebody wrote it anew meanwhile.
    files.bytes = base;
    expect(appendDelta(files, 'cache', one, second, bound())).toBeUndefined();
    expect(files.bytes).toBe(base);
  });

  test('deltas stay short together: then it is written anew', async () => {
    let { again: doc, files, encoded } = stored(await open(many(50)));
    encoded = { ...encoded, doc };
    const base = files.bytes.length;
    for (let n = 0; n < 300; n += 1) {
      const next = updateDocumentSimple(doc, withTask(doc.value, n % 50, { text: `${n} ${'x'.repeat(500)}` }));
      doc = next?.doc as BoardDocument;
      encoded = added(files, encoded, doc);
      expect(files.bytes.length).toBeLessThan(base + 50 * 600 + LONGEST_TAIL);
    }
    expectCached(files, doc);
  });

  test.each([
    ['a comment that moves records', '  - id: t3', '  # three\n  - id: t3'],
    ['another value of the same length', 'é 3', 'é X'],
    ['other keys of the same length', 'id: t3', 'no: t3'],
  ])('an edit by hand: %s', async (_, before, after) => {
    const doc = await open(many(5));
    const { again } = stored(doc);
    const text = doc.text.replace(before, after);
    const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS, previous: again });
    const edited = parsed.ok ? parsed.doc : doc;
    expect(edited.text).toBe(text);
    expect(tasksOf(edited.value)[0]).toBe(tasksOf(again.value)[0]);
    expect(unbound(stored(edited).bytes)).toBe(fromScratch(edited));
  });

  test('of a board with a number that JSON does not have there is none, whole or appended', async () => {
    const text = 'goal:\n  id: goal-1\ntasks: []\nagents:\n  coder-1:\n    role: coder\n    note: 1\n';
    const plain = await open(text);
    const files = oneFile();
    const encoded = writeCache(files, 'cache', plain, bound(), false);
    if (encoded === undefined) throw new Error('not written');
    for (const number of ['.inf', '-.INF', '.nan']) {
      const doc = await open(text.replace('note: 1', `note: ${number}`));
      expect(writeCache(oneFile(), 'cache', doc, bound(), false)).toBeUndefined();
      expect(appendDelta(files, 'cache', encoded, doc, bound())).toBeUndefined();
    }
    const word = await open(text.replace('note: 1', 'note: "all .inf files"'));
    expect(writeCache(oneFile(), 'cache', word, bound(), false)).toBeDefined();
  });

  test('of any board, after any changes, is what writing it anew gives, and reads as the board', async () => {
    await fc.assert(
      fc.asyncProperty(
        board.map(finite),
        fc.nat(),
        fc.array(fc.tuple(scalar.map(finite), plainValue.map(finite)), { minLength: 1, maxLength: 4 }),
        async (value, seed, steps) => {
          let doc = await open(layOut(value, seed, false));
          const random = randomOf(seed + 1);
          let { files, encoded } = stored(doc);
          for (const [fresh, drawn] of steps) {
            expect(unbound(stored(doc).bytes)).toBe(fromScratch(doc));
            const again = expectCached(files, doc);
            // The next command begins with what was read, or goes on with what it has.
            const from = random(2) === 0 && sameValue(again.value, doc.value) ? again : doc;
            const next = step(from.value, random, fresh, drawn);
            doc = (updateDocumentSimple(from, next) ?? (await updateDocument(from, next))).doc;
            encoded = added(files, { ...encoded, doc: from }, doc);
          }
          expectCached(files, doc);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

/** What a cache can hold; with another number there is none. */
function finite<T>(value: T): T {
  if (typeof value === 'number') return (Number.isFinite(value) ? value : 0) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(finite) as T;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, finite(one)])) as T;
}

const rangeOf = (bytes: Buffer) => (_: string, from: number, length: number) => bytes.subarray(from, from + length);

/** As if it had been written with INDEX. */
const unbound = (bytes: Buffer): string => {
  const [header = '', index = '', ...rest] = bytes.toString().split('\n');
  const told = JSON.stringify({ ...JSON.parse(index), ...INDEX });
  return [header.replace(/\d+ *$/, String(Buffer.byteLength(told))).padEnd(HEADER - 1), told, ...rest].join('\n');
};

/** JSON knows no infinity. */
const jsonOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
