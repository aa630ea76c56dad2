// The cache: bytes copied from the one before are the bytes that writing everything anew gives.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Files, realFiles } from '../../../src/ports/files.ts';
import { RECORD_SECTIONS } from '../../../src/protocol/state.ts';
import { type CacheKey, HEADER, MAGIC, readCache, readRecord } from '../../../src/store/cache.ts';
import { documentOf, writeCache } from '../../../src/store/cache-document.ts';
import { isNormal } from '../../../src/store/file-values.ts';
import { type BoardDocument, parseDocument, type Section } from '../../../src/store/yaml/document.ts';
import { sameValue } from '../../../src/store/yaml/equal.ts';
import { laidOut } from '../../../src/store/yaml/layout.ts';
import { updateDocument, updateDocumentSimple } from '../../../src/store/yaml/update.ts';
import { runs } from '../../runs.ts';
import { board, layOut, type Plain, randomOf, shapeOf, step, tasksOf, withTask } from './yaml/boards.ts';
import { plainValue, scalar } from './yaml/samples.ts';

const KEY: CacheKey = { state: ['1', '2', '3', '4'], journal: ['5', '6', '7', '8'], superseded: null };
const INDEX = { key: KEY, hash: 'h', seq: 7 };

async function open(text: string): Promise<BoardDocument> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(`${parsed.line}:${parsed.column} ${parsed.message}\n${text}`);
  return parsed.doc;
}

/** A disk of one file. */
function oneFile(): Files & { readonly pieces: Buffer[] } {
  const pieces: Buffer[] = [];
  return {
    ...realFiles,
    pieces,
    open: () => pieces.splice(0).length,
    write: (_, data) => void pieces.push(Buffer.from(data)),
    close: () => {},
    rename: () => {},
    read: () => Buffer.concat(pieces),
    readRange: (_, from, length) => Buffer.concat(pieces).subarray(from, from + length),
  };
}

/** Written, and read again as the next command would. */
function stored(doc: BoardDocument): { bytes: Buffer; again: BoardDocument; files: ReturnType<typeof oneFile> } {
  const files = oneFile();
  writeCache(files, 'cache', doc, INDEX, false);
  const cached = readCache(files, 'cache');
  if (cached === undefined) throw new Error('no cache');
  return { bytes: cached.bytes, again: documentOf(cached, doc.text, RECORD_SECTIONS), files };
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

/** The same, but none of its objects was ever seen. */
function strange(doc: BoardDocument): BoardDocument {
  const sections = doc.sections.map((section) =>
    laidOut({ ...section, value: structuredClone(section.value), layout: structuredClone({ ...section.layout }) }),
  );
  return { ...doc, sections };
}

const many = (count: number): string =>
  `version: 1\ntasks:\n${Array.from({ length: count }, (_, n) => `  - id: t${n}\n    text: "é ${n}"\n`).join('')}agents:\n  one: {status: IDLE}\n  "2": {status: IDLE}\nhuman_notes: []\n`;

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
  ])('of a large board is the same however it was made: %s changed', async (_, change) => {
    const { again } = stored(await open(many(1000)));
    const next = updateDocumentSimple(again, change(again.value));
    const doc = next?.doc as BoardDocument;
    const { bytes, files } = stored(doc);
    expect(bytes.toString()).toBe(fromScratch(doc));
    expect(bytes.equals(stored(strange(doc)).bytes)).toBe(true);
    // Few system calls, whatever the number of records.
    expect(files.pieces.length).toBeLessThan(20);
  });

  test('a cache whose end is missing or was never written is none', async () => {
    const { files, bytes } = stored(await open(many(20)));
    const found = (changed: Buffer) => readCache({ ...files, read: () => changed }, 'cache');
    expect(found(bytes)).toBeDefined();
    for (const end of [0, 10, 100, bytes.length - 300, bytes.length - 1]) {
      expect(found(bytes.subarray(0, end))).toBeUndefined();
      expect(found(Buffer.concat([bytes.subarray(0, end), Buffer.alloc(bytes.length - end)]))).toBeUndefined();
    }
    expect(found(Buffer.concat([bytes, bytes]))).toBeUndefined();
  });

  test('records that nobody changed are not turned into text again', async () => {
    const { again } = stored(await open(many(1000)));
    const next = updateDocumentSimple(again, withTask(again.value, 500, { text: 'x' }));
    const stringify = vi.spyOn(JSON, 'stringify');
    writeCache(oneFile(), 'cache', next?.doc as BoardDocument, INDEX, false);
    expect(stringify.mock.calls.length).toBeLessThan(10);
    stringify.mockRestore();
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
    expect(stored(edited).bytes.toString()).toBe(fromScratch(edited));
  });

  test('of any board, after any changes, is what writing it anew gives, and reads as the board', async () => {
    await fc.assert(
      fc.asyncProperty(
        board,
        fc.nat(),
        fc.array(fc.tuple(scalar, plainValue), { minLength: 1, maxLength: 4 }),
        async (value, seed, steps) => {
          let doc = await open(layOut(value, seed, false));
          const random = randomOf(seed + 1);
          for (const [fresh, drawn] of steps) {
            const { bytes, again, files } = stored(doc);
            expect(bytes.toString()).toBe(fromScratch(doc));
            expect(shapeOf(again)).toEqual(shapeOf(doc));
            expect(sameValue(jsonOf(again.value), jsonOf(doc.value))).toBe(true);
            const cached = readCache(files, 'cache');
            for (const record of again.sections.flatMap(({ kind, records }) => (kind === 'map' ? records : []))) {
              const found =
                cached && readRecord(files.readRange.bind(files, 'cache'), cached, record.section, record.key ?? null);
              expect(found).toEqual(record.value);
            }
            // The next command begins with what was read, or goes on with what it has.
            const from = random(2) === 0 && sameValue(again.value, doc.value) ? again : doc;
            const next = step(from.value, random, fresh, drawn);
            doc = (updateDocumentSimple(from, next) ?? (await updateDocument(from, next))).doc;
          }
          expect(stored(doc).bytes.toString()).toBe(fromScratch(doc));
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

/** JSON knows no infinity. */
const jsonOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
