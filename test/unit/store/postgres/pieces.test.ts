// The rows of a board, after any changes, joined in their order are the text, byte for byte.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changedPieces,
  type Piece,
  type PieceChange,
  piecesOf,
  sectionsOf,
} from '../../../../src/store/postgres/pieces.ts';
import { type BoardDocument, parseDocument } from '../../../../src/store/yaml/document.ts';
import { diffHunks, type Hunk } from '../../../../src/store/yaml/hunks.ts';
import { updateDocument } from '../../../../src/store/yaml/update.ts';
import { runs } from '../../../runs.ts';
import { board, layOut, RECORD_SECTIONS, randomOf, step } from '../yaml/boards.ts';
import { handText } from '../yaml/samples.ts';

async function open(text: string): Promise<BoardDocument> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(`${parsed.line}:${parsed.column} ${parsed.message}\n${text}`);
  return parsed.doc;
}

/** What liza.apply does with them. */
class Rows {
  #sections: readonly string[];
  #rows: readonly Piece[];

  constructor(doc: BoardDocument) {
    this.#sections = sectionsOf(doc);
    this.#rows = piecesOf(doc);
  }

  apply({ sections, drop = [], put = [] }: PieceChange): void {
    const isDropped = (row: Piece): boolean =>
      drop.some(({ section, key }) => row.section === section && (key === undefined || key === row.key));
    const rows = this.#rows.filter((row) => !isDropped(row));
    for (const piece of put) {
      const at = rows.findIndex(({ section, key }) => section === piece.section && key === piece.key);
      if (at === -1) rows.push(piece);
      else rows[at] = piece;
    }
    this.#rows = rows;
    this.#sections = sections ?? this.#sections;
  }

  text(): string {
    return this.#sections
      .flatMap((name) => this.#rows.filter(({ section }) => section === name))
      .map(({ text }) => text)
      .join('');
  }

  get size(): number {
    return this.#rows.length;
  }
}

test('a value has no half of a character, and no NUL: the server takes neither', async () => {
  const doc = await open('tasks:\n  - id: a\n    why: "cut\\ud83d\\0"\nnote: "\\udc00"\n');
  const rows = piecesOf(doc);
  expect(rows.map(({ text }) => text).join('')).toBe(doc.text);
  expect(rows.flatMap(({ value }) => value ?? [])).toEqual([{ id: 'a', why: 'cut\ufffd\ufffd' }, '\ufffd']);
});

test('after random changes of commands', async () => {
  await fc.assert(
    fc.asyncProperty(board, fc.nat(), fc.boolean(), fc.jsonValue(), async (value, seed, simple, drawn) => {
      const random = randomOf(seed);
      let doc = await open(layOut(value, seed, simple));
      const rows = new Rows(doc);
      expect(rows.text()).toBe(doc.text);
      for (let change = 0; change < 5; change++) {
        const next = step(doc.value as never, random, { id: `fresh-${change}`, status: 'DRAFT' }, drawn);
        const { doc: after, edits } = await updateDocument(doc, next);
        rows.apply(changedPieces(doc, after, edits));
        expect(rows.text()).toBe(after.text);
        doc = after;
      }
      // No row is left over.
      expect(rows.size).toBe(new Rows(doc).size);
    }),
    { numRuns: runs(600) },
  );
});

test('after edits by hand, comments and all', async () => {
  await fc.assert(
    fc.asyncProperty(board, fc.nat(), handText, async (value, seed, words) => {
      const random = randomOf(seed);
      const doc = await open(layOut(value, seed, true));
      const lines = doc.text.split('\n');
      const at = random(lines.length);
      const typed = words.split('\n').map((line) => `# ${line.replace(/[^\x20-\x7e]/g, '')}`);
      const text = [...lines.slice(0, at), ...typed, ...lines.slice(at + random(3))].join('\n');
      const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS, previous: doc });
      if (!parsed.ok) return;
      const hunks: readonly Hunk[] = await diffHunks(doc.text, text);
      const rows = new Rows(doc);
      rows.apply(changedPieces(doc, parsed.doc, hunks, true));
      expect(rows.text()).toBe(text);
    }),
    { numRuns: runs(600) },
  );
});

test('a change of one record is one row, or with its neighbours a few', async () => {
  const records = (status: string) =>
    Array.from({ length: 500 }, (_, n) => `  - id: t${n}\n    status: ${n === 250 ? status : 'DRAFT'}\n`).join('');
  const [before, after] = [
    await open(`version: 1\ntasks:\n${records('DRAFT')}`),
    await open(`version: 1\ntasks:\n${records('BLOCKED')}`),
  ];
  const { put = [], drop, sections } = changedPieces(before, after, await diffHunks(before.text, after.text));
  expect(put.map(({ key }) => key)).toContain('t250');
  expect(put.length).toBeLessThanOrEqual(3);
  expect([drop, sections]).toEqual([undefined, undefined]);
});
