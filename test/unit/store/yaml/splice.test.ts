// Reading only the touched records again must give what reading the whole file gives, or nothing at all.
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as YAML from 'yaml';
import { type BoardDocument, parseDocument } from '../../../../src/store/yaml/document.ts';
import { isMap, sameValue } from '../../../../src/store/yaml/equal.ts';
import { applyHunks, type Hunk, replacementsOf } from '../../../../src/store/yaml/hunks.ts';
import { lineNear } from '../../../../src/store/yaml/layout.ts';
import { documentAfter } from '../../../../src/store/yaml/shift.ts';
import * as splice from '../../../../src/store/yaml/splice.ts';
import { Text } from '../../../../src/store/yaml/text.ts';
import { updateDocumentSimple } from '../../../../src/store/yaml/update.ts';
import { runs } from '../../../runs.ts';
import { board, layOut, type Plain, RECORD_SECTIONS, randomOf, shapeOf, step, tasksOf, withTask } from './boards.ts';
import { handText, plainValue, scalar } from './samples.ts';

const sectionAfter = vi.spyOn(splice, 'sectionAfter');
beforeEach(() => void sectionAfter.mockClear());
// Other files share what this one imports.
afterAll(() => sectionAfter.mockRestore());

/** How many sections were put together from kept and read records since the test began. */
const spliced = (): number => sectionAfter.mock.results.filter(({ value }) => value !== undefined).length;

async function open(text: string): Promise<BoardDocument> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(`${parsed.line}:${parsed.column} ${parsed.message}\n${text}`);
  return parsed.doc;
}

/** The text after the hunks, made of pieces where it can be, whether of a string or of the file's bytes. */
function after(doc: BoardDocument, hunks: readonly Hunk[], text: string): Text {
  const made = [doc.source, Text.decode(Buffer.from(doc.text)) ?? doc.source].map((source) => {
    const replacements = replacementsOf(source, hunks, (line) => lineNear(doc, line));
    const replaced = replacements && source.replaced(replacements);
    if (replaced === undefined) return Text.of(text);
    expect(replaced.slice(0)).toBe(text);
    expect(Buffer.concat(replaced.bytes()).toString()).toBe(text);
    expect(replaced.length).toBe(text.length);
    return replaced;
  });
  return made[1] ?? Text.of(text);
}

/** The document after the hunks, held against the whole text read anew; undefined when it has to be. */
async function reread(doc: BoardDocument, hunks: readonly Hunk[], value: Plain): Promise<BoardDocument | undefined> {
  const text = applyHunks(doc.text, hunks);
  const quick = documentAfter(doc, hunks, after(doc, hunks, text), value);
  if (quick === undefined) return undefined;
  const whole = await open(text);
  expect(shapeOf(quick), text).toEqual(shapeOf(whole));
  expect(sameValue(quick.value, whole.value), text).toBe(true);
  expect(quick.value).toBe(value);
  const values = (from: BoardDocument) => from.sections.flatMap(({ records }) => records.map((record) => record.value));
  expect(sameValue(values(quick), values(whole)), text).toBe(true);
  return quick;
}

const BOARD = `version: 1
tasks:   # all of them
  # first of all
  - id: a
    status: UNCLAIMED   # state
    text: |
      one

      two
    # the end of a

  # then

  - id: b
    status: UNCLAIMED
  - id: c
    list:
      - 1

# after the tasks

agents:
  one:
    status: IDLE

  two: {status: IDLE}
  three:
    status: IDLE
human_notes:
- note: x
`;

/** Line numbers of BOARD, by what they hold. */
const at = (line: string, from = 0): number => BOARD.split('\n').indexOf(line, from);

describe('an edit inside records', () => {
  const change = async (next: (value: Plain) => Plain): Promise<BoardDocument> => {
    const doc = await open(BOARD);
    const value = next(doc.value);
    const update = updateDocumentSimple(doc, value);
    const quick = await reread(doc, update?.edits ?? [], value);
    expect(quick?.text).toBe(update?.doc.text);
    return quick as BoardDocument;
  };

  test.each<[string, (value: Plain) => Plain, number]>([
    ['one line', (value) => withTask(value, 0, { status: 'READY' }), 1],
    ['more lines', (value) => withTask(value, 1, { why: 'a\nb\nc', list: [1, { x: 2 }] }), 1],
    ['fewer lines', (value) => withTask(value, 0, { text: 'short' }), 1],
    ['the first line', (value) => withTask(value, 2, { id: 'changed', list: [1] }), 1],
    ['several records', (value) => withTask(withTask(value, 0, { status: 'X' }), 2, { list: [1, 2] }), 1],
    ['neighbours', (value) => withTask(withTask(value, 1, { more: 1 }), 2, { list: undefined, x: 1 }), 1],
    ['appended records', (value) => ({ ...value, tasks: [...tasksOf(value), { id: 'd' }, { id: 'e', x: [] }] }), 1],
    ['a removed record', (value) => ({ ...value, tasks: tasksOf(value).filter(({ id }) => id !== 'b') }), 1],
    ['an entry of a map', (value) => ({ ...value, agents: { ...(value.agents as Plain), two: { x: 'y' } } }), 1],
    ['a new entry', (value) => ({ ...value, agents: { ...(value.agents as Plain), four: { x: 'y' } } }), 1],
    [
      'two sections',
      (value) => ({
        ...withTask(value, 1, { epoch: 1 }),
        agents: { ...(value.agents as Plain), one: { status: 'WORKING', task: 'b' } },
      }),
      2,
    ],
  ])('%s', async (_, next, sections) => {
    const quick = await change(next);
    expect(spliced()).toBe(sections);
    const untouched = (quick.value.tasks as Plain[]).length - 1;
    expect(quick.sections[1]?.records[untouched]?.value).toBe((quick.value.tasks as Plain[])[untouched]);
  });

  test.each<[string, Hunk, Plain]>([
    ['in the heading', { at: at('tasks:   # all of them'), del: ['tasks:   # all of them'], ins: ['tasks:'] }, {}],
    ['in a comment between records', { at: at('  # then'), del: ['  # then'], ins: ['  # and'] }, {}],
    ['of a blank line between records', { at: at('  # then') + 1, del: [], ins: [''] }, {}],
    ['that indents a record differently', { at: at('  - id: b'), del: ['  - id: b'], ins: ['   - id: b'] }, {}],
    ['that puts a comment before the first line', { at: at('  - id: b'), del: [], ins: ['  # about b'] }, {}],
    ['that begins another section', { at: at('  - id: c'), del: [], ins: ['more: 1'] }, { more: 1 }],
    ['that repeats a key', { at: at('  three:'), del: ['  three:'], ins: ['  one:'] }, {}],
    ['above another section', { at: at('agents:'), del: [], ins: ['    # deep'] }, {}],
    [
      'of two sections',
      {
        at: at('    status: IDLE', at('  three:')),
        del: ['    status: IDLE', 'human_notes:'],
        ins: ['    status: IDLE', 'human_notes: '],
      },
      {},
    ],
    ['with a carriage return', { at: at('  - id: b'), del: ['  - id: b'], ins: ['  - id: b\r'] }, {}],
    ['with an odd line break', { at: at('  - id: b'), del: ['  - id: b'], ins: ['  - id: "b\u2028"'] }, {}],
    ['with a control character', { at: at('  - id: b'), del: ['  - id: b'], ins: ['  - id: "b\u0007"'] }, {}],
    ['that only the library can read', { at: at('  - id: b'), del: ['  - id: b'], ins: ['  - id: &x b'] }, {}],
  ])('an edit %s is left to others', async (_, hunk, more) => {
    const doc = await open(BOARD);
    await reread(doc, [hunk], { ...doc.value, ...more });
    expect(spliced()).toBe(0);
  });

  test('a text block that begins to keep its blank lines takes those below it', async () => {
    const doc = await open(BOARD);
    const hunk = { at: at('    text: |'), del: ['    text: |'], ins: ['    text: |+'] };
    const blank = { at: at('    # the end of a'), del: ['    # the end of a'], ins: [] };
    const quick = await reread(doc, [hunk, blank], withTask(doc.value, 0, { text: 'one\n\ntwo\n\n' }));
    expect(spliced()).toBe(1);
    expect(quick?.sections[1]?.records[0]?.endLine).toBe(at('  # then') - 1);
    const last = { at: at('      - 1'), del: ['      - 1'], ins: ['      - |+', '        x'] };
    expect(await reread(doc, [last], withTask(doc.value, 2, { list: ['x\n\n'] }))).toBeDefined();
    expect(spliced()).toBe(2);
  });

  test('a record that no hunk touched must be the very same object', async () => {
    const doc = await open(BOARD);
    const hunk = { at: at('  - id: c') + 2, del: ['      - 1'], ins: ['      - 2'] };
    const value = withTask(withTask(doc.value, 2, { list: [2] }), 0, {});
    expect(await reread(doc, [hunk], value)).toBeDefined();
    expect(spliced()).toBe(0);
    expect(await reread(doc, [hunk], withTask(value, 0, { status: 'other' }))).toBeUndefined();
    expect(await reread(doc, [hunk], withTask(value, 2, { list: [3] }))).toBeUndefined();
    expect(await reread(doc, [hunk], { ...value, tasks: [...tasksOf(value), { id: 'd' }] })).toBeUndefined();
    expect(await reread(doc, [hunk], { ...value, tasks: null })).toBeUndefined();
    expect(await reread(doc, [hunk], { ...value, more: 1 })).toBeUndefined();
  });
});

describe('random edits', () => {
  test('of values: the document is the one that the whole text gives', async () => {
    const tries = runs(300);
    await fc.assert(
      fc.asyncProperty(
        board,
        fc.nat(),
        fc.boolean(),
        fc.array(fc.tuple(scalar, plainValue), { minLength: 1, maxLength: 4 }),
        async (value, seed, simple, steps) => {
          let doc = await open(layOut(value, seed, simple));
          const random = randomOf(seed + 1);
          for (const [fresh, drawn] of steps) {
            // Two steps at once: several records, several sections.
            const next = step(step(doc.value, random, fresh, drawn), random, drawn, fresh);
            const update = updateDocumentSimple(doc, next);
            if (update === undefined) return;
            doc = (await reread(doc, update.edits, next)) ?? update.doc;
          }
        },
      ),
      { numRuns: tries },
    );
    expect(spliced()).toBeGreaterThan(tries / 2);
  });

  test('of lines: the document is the one that the whole text gives, or none', async () => {
    const tries = runs(1200);
    await fc.assert(
      fc.asyncProperty(
        board,
        fc.nat(),
        handText,
        fc.constantFrom(1, 1, 1, 1, 2, 3),
        async (value, seed, words, edits) => {
          const random = randomOf(seed);
          const doc = await open(layOut(value, seed, true));
          const hunks = lineHunks(doc, random, words.split('\n'), edits);
          const text = applyHunks(doc.text, hunks);
          const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS, previous: doc });
          if (parsed.ok) await reread(doc, hunks, parsed.doc.value);
          // What nobody can read is not accepted for whatever someone may take it to mean.
          else
            expect(
              documentAfter(doc, hunks, after(doc, hunks, text), shared(lenient(text), doc.value)),
              text,
            ).toBeUndefined();
        },
      ),
      { numRuns: tries },
    );
    expect(spliced()).toBeGreaterThan(tries / 20);
  });
});

/** Lines changed anywhere, most of them in sections of records, to others of the file or to someone's typing. */
function lineHunks(doc: BoardDocument, random: (limit: number) => number, words: string[], edits: number): Hunk[] {
  const lines = doc.text.split('\n');
  const records = doc.sections.filter(({ kind }) => kind !== 'whole');
  const { line: top, endLine } = records[random(Math.max(1, records.length))] ?? { line: 0, endLine: lines.length };
  const hunks: Hunk[] = [];
  let from = random(5) === 0 ? 0 : top;
  for (let i = 0; i < edits; i++) {
    const at = from + random(Math.max(1, endLine - from + 1));
    const del = lines.slice(at, at + random(3));
    const typed = () => (random(3) === 0 ? words[random(words.length)] : lines[random(lines.length)]) ?? '';
    const ins = Array.from({ length: random(4) }, () => (random(20) === 0 ? `${typed()}${ODD[random(4)]}` : typed()));
    if (at > lines.length || (del.length === 0 && ins.length === 0)) continue;
    hunks.push({ at, del, ins });
    from = at + del.length + 1;
  }
  return hunks;
}

const ODD = ['\r', '\u2028', '\u0007', ' |+'];

/** The board that a careless reader would see in it. */
function lenient(text: string): Plain {
  try {
    const value: unknown = YAML.parseDocument(text, { uniqueKeys: false, strict: false, logLevel: 'silent' }).toJS();
    return isMap(value) ? value : {};
  } catch {
    return {};
  }
}

/** With the objects of `before` wherever they say the same. */
function shared(value: Plain, before: Plain): Plain {
  const old = Object.values(before).flatMap((section) =>
    typeof section === 'object' && section !== null ? Object.values(section) : [],
  );
  const share = (record: unknown): unknown => old.find((known) => sameValue(known, record)) ?? record;
  return Object.fromEntries(
    Object.entries(value).map(([key, section]) => [
      key,
      Array.isArray(section)
        ? section.map(share)
        : isMap(section)
          ? Object.fromEntries(Object.entries(section).map(([name, record]) => [name, share(record)]))
          : section,
    ]),
  );
}
