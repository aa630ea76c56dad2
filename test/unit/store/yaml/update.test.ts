import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as YAML from 'yaml';
import {
  type BoardDocument,
  documentValue,
  parseDocument,
  parseDocumentSimple,
} from '../../../../src/store/yaml/document.ts';
import { isMap } from '../../../../src/store/yaml/equal.ts';
import { applyHunks, revertHunks } from '../../../../src/store/yaml/hunks.ts';
import { updateDocument, updateDocumentSimple } from '../../../../src/store/yaml/update.ts';
import { runs } from '../../../runs.ts';
import { board, layOut, type Plain, RECORD_SECTIONS, randomOf, shapeOf, step, tasksOf, withTask } from './boards.ts';
import { plainValue, scalar } from './samples.ts';

async function open(text: string): Promise<BoardDocument> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(`${parsed.line}:${parsed.column} ${parsed.message}\n${text}`);
  return parsed.doc;
}

async function update(text: string, change: (value: Plain) => Plain): Promise<string> {
  const doc = await open(text);
  const { doc: after, edits } = await updateDocument(doc, change(documentValue(doc)));
  expect(applyHunks(text, edits)).toBe(after.text);
  expect(revertHunks(after.text, edits)).toBe(text);
  return after.text;
}

const BOARD = `# yaml-language-server: $schema=x
version: 1

goal: {id: g, status: "ACTIVE"}   # ours

tasks:
  # first of all
  - id: a  # the first
    status: UNCLAIMED   # state
    note: 'it''s'
    depends_on: []
    history:
      - at: "2026-01-01T00:00:00Z"
        event: created
    # the end of a

  # then
  - id: b
    text: |
      one

      two

agents:
  coder-1:
    status: IDLE
  # spare
  coder-2:
    status: IDLE
human_notes: []
discovered:
config: # settings
  limit: 3
# bye
`;

describe('updateDocument', () => {
  test('nothing changed: not a byte moves', async () => {
    expect(await update(BOARD, (value) => ({ ...value, tasks: [...tasksOf(value)] }))).toBe(BOARD);
  });

  test('a field changes in its place, with its comment and quotes', async () => {
    expect(await update(BOARD, (value) => withTask(value, 0, { status: 'CLAIMED', note: "don't" }))).toBe(
      BOARD.replace('UNCLAIMED   # state', 'CLAIMED   # state').replace("'it''s'", "'don''t'"),
    );
  });

  test('a list grows at its end, and an empty one becomes a block', async () => {
    const more = (value: Plain) => ({
      ...withTask(value, 0, {
        history: [...((tasksOf(value)[0] as Plain).history as Plain[]), { event: 'claimed' }],
        depends_on: ['b'],
      }),
      human_notes: [{ note: 'hello' }],
      discovered: [{ id: 'd' }],
    });
    expect(await update(BOARD, more)).toBe(
      BOARD.replace('event: created\n', 'event: created\n      - event: claimed\n')
        .replace('depends_on: []', 'depends_on:\n      - b')
        .replace('human_notes: []', 'human_notes:\n  - note: hello')
        .replace('discovered:', 'discovered:\n  - id: d'),
    );
  });

  test('a new record goes to the end of its section, after the comments of the last', async () => {
    const more = (value: Plain) => ({
      ...value,
      tasks: [...tasksOf(value), { id: 'c', status: 'DRAFT' }],
      agents: { ...(value.agents as Plain), 'coder-3': { status: 'IDLE' } },
      sprint: { id: 's' },
    });
    expect(await update(BOARD, more)).toBe(
      BOARD.replace('      two\n', '      two\n  - id: c\n    status: DRAFT\n')
        .replace('coder-2:\n    status: IDLE\n', 'coder-2:\n    status: IDLE\n  coder-3:\n    status: IDLE\n')
        .replace('# bye\n', '# bye\nsprint:\n  id: s\n'),
    );
  });

  test('a removed record loses its lines, not the comment above it', async () => {
    const less = ({ agents, ...value }: Plain) => ({
      ...value,
      tasks: tasksOf(value).slice(1),
      agents: { 'coder-1': (agents as Plain)['coder-1'] },
    });
    expect(await update(BOARD, less)).toBe(
      BOARD.replace(/ {2}- id: a[\s\S]*# the end of a\n/, '').replace('  coder-2:\n    status: IDLE\n', ''),
    );
  });

  test('the last record leaves an empty list behind, and comments stay', async () => {
    expect(await update(BOARD, (value) => ({ ...value, tasks: [], agents: {} }))).toBe(
      BOARD.replace('tasks:', 'tasks: []')
        .replace('agents:', 'agents: {}')
        .replace(/ {2}- id: a[\s\S]*# the end of a\n/, '')
        .replace(/ {2}- id: b[\s\S]*two\n/, '')
        .replace('  coder-1:\n    status: IDLE\n', '')
        .replace('  coder-2:\n    status: IDLE\n', ''),
    );
  });

  test('a section can go, and an item without its id is another item', async () => {
    const less = () => ({ tasks: [{ b: 1 }] });
    expect(await update('x:\n  y: 1\n# kept\ntasks:\n- id: a\n  b: 1\n', less)).toBe('# kept\ntasks:\n- b: 1\n');
  });

  test.each([
    ['no final newline', 'tasks:\n- id: a', 'tasks:\n- id: a\n- id: z'],
    ['a null section', 'tasks:', 'tasks:\n  - id: z'],
    ['null in words', 'tasks: null # none\nx: 1\n', 'tasks: # none\n  - id: z\nx: 1\n'],
    ['an empty file', '', 'tasks:\n  - id: z\n'],
    ['only a comment', '# hi', '# hi\ntasks:\n  - id: z'],
    [
      'wide items',
      'tasks:\n    -   id: a\n        b: 1\n\n\nx: 1\n',
      'tasks:\n    -   id: a\n        b: 1\n    - id: z\n\n\nx: 1\n',
    ],
    ['a document marker', '---\ntasks: []\n', '---\ntasks:\n  - id: z\n'],
    ['flow style', 'tasks: [{id: a}]\n', 'tasks: [{id: a}, {id: z}]\n'],
    ['JSON', '{"tasks":[{"id":"a"}]}\n', '{"tasks": [{"id": "a"}, {id: z}]}\n'],
    [
      'kept newlines',
      'tasks:\n- id: a\n  b: |+\n    x\n\nx: 1\n',
      'tasks:\n- id: a\n  b: |+\n    x\n\n- id: z\nx: 1\n',
    ],
  ])('appends to %s', async (_, before, after) => {
    expect(
      await update(before, (value) => ({
        ...value,
        tasks: [...((value.tasks as Plain[] | null | undefined) ?? []), { id: 'z' }],
      })),
    ).toBe(after);
  });

  test('a record that is not simple is edited through the library, alone', async () => {
    const text = BOARD.replace('id: b\n', 'id: b  # second\n    long: "folded\n      text" # why\n');
    const after = await update(text, (value) => withTask(value, 1, { status: 'DRAFT' }));
    expect(YAML.parse(after).tasks[1]).toEqual({ id: 'b', long: 'folded text', text: 'one\n\ntwo\n', status: 'DRAFT' });
    expect(after.slice(0, text.indexOf('  - id: b'))).toBe(text.slice(0, text.indexOf('  - id: b')));
    expect(after.slice(after.indexOf('\nagents:'))).toBe(text.slice(text.indexOf('\nagents:')));
    expect(after).toMatch(/# second[\s\S]*# why/);
    const doc = await open(text);
    expect(updateDocumentSimple(doc, withTask(documentValue(doc), 1, { status: 'DRAFT' }))).toBeUndefined();
  });

  test('the new document can be updated again, and values stay shared', async () => {
    const doc = await open(BOARD);
    const first = withTask(documentValue(doc), 0, { status: 'CLAIMED' });
    const one = await updateDocument(doc, first);
    expect(documentValue(one.doc)).toBe(first);
    const two = updateDocumentSimple(one.doc, withTask(first, 1, { status: 'DRAFT' }));
    expect(two?.doc.text).toBe(
      BOARD.replace('UNCLAIMED', 'CLAIMED').replace('      two\n', '      two\n    status: DRAFT\n'),
    );
    expect(tasksOf(two?.doc.value ?? {})[0]).toBe(tasksOf(first)[0]);
  });
});

/** As YAML sees it: a key holding undefined is absent. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, defined(inner)]])),
  );
}

/** The text between the records, which no update of records may touch. */
function gaps(doc: BoardDocument): string {
  let out = '';
  let at = 0;
  for (const record of doc.sections.flatMap((section) => section.records)) {
    out += doc.text.slice(at, record.start);
    at = record.end;
  }
  return out + doc.text.slice(at);
}

describe('random boards', () => {
  test('are read as the reference reads them, whatever their layout', async () => {
    await fc.assert(
      fc.asyncProperty(board, fc.nat(), fc.boolean(), async (value, seed, simple) => {
        const text = layOut(value, seed, simple);
        expect(YAML.parse(text)).toEqual(value);
        const doc = await open(text);
        expect(documentValue(doc)).toEqual(value);
        if (simple) expect(parseDocumentSimple(text, { recordSections: RECORD_SECTIONS })?.ok, text).toBe(true);
        for (const record of doc.sections.flatMap((section) => section.records)) {
          const alone = YAML.parse(text.slice(record.start, record.end));
          expect(Array.isArray(alone) ? alone[0] : Object.values(alone)[0]).toEqual(record.value);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  // Whatever is longer is not read back as a whole.
  test.each([0, 20_000])('take any change, and nothing else moves: %i characters more', async (more) => {
    await fc.assert(
      fc.asyncProperty(
        board,
        fc.nat(),
        fc.boolean(),
        fc.array(fc.tuple(scalar, plainValue), { minLength: 1, maxLength: 4 }),
        async (value, seed, simple, steps) => {
          let doc = await open(layOut({ ...(more > 0 ? { more: 'x'.repeat(more) } : {}), ...value }, seed, simple));
          const random = randomOf(seed + 1);
          for (const [fresh, drawn] of steps) {
            const next = step(documentValue(doc), random, fresh, drawn);
            const quick = more > 0 ? updateDocumentSimple(doc, next) : undefined;
            const { doc: after, edits } = quick ?? (await updateDocument(doc, next));
            expect(applyHunks(doc.text, edits)).toBe(after.text);
            expect(revertHunks(after.text, edits)).toBe(doc.text);
            expect(YAML.parse(after.text)).toEqual(defined(next));
            const again = await open(after.text);
            expect(shapeOf(after)).toEqual(shapeOf(again));
            for (const section of doc.sections) {
              const kept = after.sections.find((candidate) => candidate.key === section.key);
              if (!kept || kept.kind === 'whole' || section.kind === 'whole') continue;
              for (const record of section.records) {
                const same = kept.records.find(
                  (candidate) =>
                    record.key !== undefined && candidate.key === record.key && candidate.value === record.value,
                );
                // The newline of the file's last line comes and goes with the line after it.
                if (same) expect(textOf(after, same)).toBe(textOf(doc, record));
              }
            }
            doc = after;
          }
        },
      ),
      { numRuns: runs(more > 0 ? 300 : 600) },
    );
  });

  test('keep every comment when only scalars change', async () => {
    await fc.assert(
      fc.asyncProperty(
        board,
        fc.nat(),
        fc.array(scalar, { minLength: 1, maxLength: 3 }),
        async (value, seed, values) => {
          let doc = await open(layOut(value, seed, true));
          const random = randomOf(seed + 1);
          for (const fresh of values) {
            const next = replaceScalar(documentValue(doc), random, fresh) as Plain;
            const { doc: after } = await updateDocument(doc, next);
            expect(commentsOf(after.text), `${doc.text}\n=====\n${after.text}`).toEqual(commentsOf(doc.text));
            expect(gaps(after)).toBe(gaps(doc));
            doc = after;
          }
        },
      ),
      { numRuns: runs(600) },
    );
  });
});

function textOf(doc: BoardDocument, { start, end }: { start: number; end: number }): string {
  return doc.text.slice(start, end).replace(/\n$/, '');
}

const commentsOf = (text: string): string[] => text.match(/# c\d+\./g) ?? [];

/** Another scalar for one that is already there, somewhere down a random path outside ids. */
function replaceScalar(value: unknown, random: (limit: number) => number, fresh: unknown): unknown {
  if (Array.isArray(value) && value.length > 0) {
    const at = random(value.length);
    return value.map((item, i) => (i === at ? replaceScalar(item, random, fresh) : item));
  }
  if (isMap(value) && Object.keys(value).length > 0) {
    const names = Object.keys(value).filter((name) => name !== 'id');
    const name = names[random(names.length)] ?? 'id';
    return name === 'id' ? value : { ...value, [name]: replaceScalar(value[name], random, fresh) };
  }
  return typeof value === 'object' && value !== null ? value : fresh;
}
