import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BoardDocument,
  documentValue,
  type Parsed,
  parseDocument,
  parseDocumentSimple,
} from '../../../../src/store/yaml/document.ts';
import { isMap } from '../../../../src/store/yaml/equal.ts';
import { parseStrict } from '../../../../src/store/yaml/strict.ts';
import { runs } from '../../../runs.ts';
import { RECORD_SECTIONS } from './boards.ts';
import { handText } from './samples.ts';

const options = { recordSections: RECORD_SECTIONS };

function simple(text: string, previous?: BoardDocument): BoardDocument {
  const parsed = parseDocumentSimple(text, { ...options, previous });
  if (!parsed?.ok) throw new Error(`not simple: ${text}`);
  return parsed.doc;
}

function doc(parsed: Parsed): BoardDocument {
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.doc;
}

const TEXT = `# top
version: 1
tasks:
  # about a
  - id: a
    x: |
      - id: not a task

    # inside a
  # about b

  - name: b
agents:
    one: {status: IDLE}
    "two words":
        status: IDLE
notes:
- free
-
  - form
handoff:
# end
`;

describe('parseDocument', () => {
  test('splits sections into records', () => {
    const { sections, text } = simple(TEXT);
    const seen = sections.map(({ key, kind, indent, records }) => [
      key,
      kind,
      indent,
      records.map((r) => [r.key, r.line, r.endLine]),
    ]);
    expect(seen).toEqual([
      ['version', 'whole', -1, [['version', 1, 2]]],
      [
        'tasks',
        'list',
        2,
        [
          ['a', 4, 9],
          [undefined, 11, 12],
        ],
      ],
      [
        'agents',
        'map',
        4,
        [
          ['one', 13, 14],
          ['two words', 14, 16],
        ],
      ],
      ['notes', 'whole', -1, [['notes', 16, 20]]],
      ['handoff', 'whole', -1, [['handoff', 20, 21]]],
    ]);
    expect(text.slice(sections[1]?.records[1]?.start, sections[1]?.records[1]?.end)).toBe('  - name: b\n');
  });

  test('assembles the value in the order of the file', () => {
    const value = documentValue(simple(TEXT));
    expect(value).toEqual({
      version: 1,
      tasks: [{ id: 'a', x: '- id: not a task\n' }, { name: 'b' }],
      agents: { one: { status: 'IDLE' }, 'two words': { status: 'IDLE' } },
      notes: ['free', ['form']],
      handoff: null,
    });
    expect(Object.keys(value)).toEqual(['version', 'tasks', 'agents', 'notes', 'handoff']);
  });

  test('keeps the values of unchanged records, wherever they went', () => {
    const before = simple(TEXT);
    const after = simple(TEXT.replace('  # about a\n', '  - id: new\n').replace('version: 1', 'version: 2'), before);
    expect((documentValue(after).tasks as unknown[])[1]).toBe((documentValue(before).tasks as unknown[])[0]);
    expect(documentValue(after).agents).toBe(documentValue(before).agents);
    expect(documentValue(after)).toEqual(documentValue(simple(after.text)));
    const moved = simple(before.text.replace('# top', '# moved\n'), before);
    expect(documentValue(moved).tasks).toBe(documentValue(before).tasks);
    expect(moved.sections[1]?.records[0]?.line).toBe(5);
  });

  test('the library is reached through one dynamic import and nowhere else', () => {
    const folder = new URL('../../../../src/store/yaml/', import.meta.url);
    const sources = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);
    const loaders = (pattern: RegExp) => sources.filter(([, source]) => pattern.test(source)).map(([name]) => name);
    expect(loaders(/^(import(?! type)|export) [^;]*from 'yaml'/m)).toEqual(['library.ts']);
    expect(loaders(/from '\.\/library\.ts'/)).toEqual([]);
    expect(loaders(/import\('\.\/library\.ts'\);/)).toEqual(['strict.ts']);
  });

  test('reads a record the simple reader declines on its own', async () => {
    const text = TEXT.replace('name: b', 'name: "b\n      and c"');
    expect(parseDocumentSimple(text, options)).toBeUndefined();
    const read = doc(await parseDocument(text, options));
    expect(read.opaque).toBe(false);
    expect((documentValue(read).tasks as unknown[])[1]).toEqual({ name: 'b and c' });
  });

  test.each([
    ['JSON', '{"tasks": [{"id": "a"}]}'],
    ['a complex key', '? tasks\n: - id: a\n'],
    ['a flow list over lines', 'tasks: [\n  {id: a}\n]\n'],
    ['a document end', 'tasks:\n- id: a\n...\n'],
  ])('takes %s as one piece', async (_, text) => {
    expect(doc(await parseDocument(text, options))).toMatchObject({
      opaque: true,
      sections: [],
      value: { tasks: [{ id: 'a' }] },
    });
  });

  test.each([
    ['oddly indented items', 'tasks:\n  - id: a\n - id: b\n'],
    ['a list where a map should be', 'agents:\n- id: a\n'],
    ['a map where a list should be', 'tasks:\n  id: a\n'],
    ['a scalar', 'tasks: none\n'],
  ])('leaves %s whole', async (name, text) => {
    const parsed = await parseDocument(text, options);
    if (name.startsWith('oddly')) expect(parsed).toMatchObject({ ok: false, line: 3 });
    else expect(doc(parsed).sections[0]).toMatchObject({ kind: 'whole', records: [{ line: 0 }] });
  });

  test('spaces and blank lines that end a text block stay with its record', async () => {
    const spaces = doc(await parseDocument('tasks:\n- |\n  x\n     \n- b\n', options));
    expect(documentValue(spaces).tasks).toEqual(['x\n   \n', 'b']);
    const kept = simple('tasks:\n- |+\n  x\n\n# c\n- b\n');
    expect(documentValue(kept).tasks).toEqual(['x\n\n', 'b']);
    expect(kept.sections[0]?.records[0]).toMatchObject({ line: 1, endLine: 4 });
  });

  test('an empty file is an empty board', () => {
    expect(documentValue(simple(''))).toEqual({});
    expect(documentValue(simple('  # only\n---\n# comments'))).toEqual({});
  });

  test.each<[string, string, number, number, RegExp]>([
    ['a tab in a later record', 'tasks:\n- id: a\n- id: b\n\tx: 1\n', 4, 1, /tab/i],
    ['an alias in an agent', 'agents:\n  a: 1\n  b: *a\n', 3, 6, /alias/],
    ['a repeated section', 'tasks: []\nx: 1\ntasks: []\n', 3, 1, /tasks appears twice/],
    ['a repeated agent', 'agents:\n  a: 1\n  a: 2\n', 3, 3, /a appears twice/],
    ['a repeated field', 'tasks:\n- id: a\n  x: 1\n  x: 2\n', 4, 3, /x appears twice/],
    ['__proto__ at the top', '__proto__: 1\n', 1, 1, /__proto__/],
    ['__proto__ among agents', 'agents:\n  __proto__:\n    x: 1\n', 2, 3, /__proto__/],
    ['a list at the top', '- a\n', 1, 1, /not a mapping/],
    ['text at the top', 'hello\n', 1, 1, /not a mapping/],
    ['Windows line endings', 'a: 1\nb: 2\r\n', 2, 5, /Windows/],
    ['a byte-order mark', '\ufeffa: 1\n', 1, 1, /byte-order/],
    ['a tab after an empty text block', 'tasks:\n-   - |\n    \ta: 1\n', 3, 6, /unexpected scalar/],
    ['an unclosed quote', 'tasks:\n- id: "a\n- id: b\n', 3, 1, /quote/],
  ])('refuses %s at its line in the file', async (_, text, line, column, message) => {
    expect(await parseDocument(text, options)).toMatchObject({
      ok: false,
      line,
      column,
      message: expect.stringMatching(message),
    });
  });

  test('means what the whole file means, record by record', async () => {
    let split = 0;
    const sections = { c: 'list', d: 'map' } as const;
    await fc.assert(
      fc.asyncProperty(handText, fc.constantFrom(...PLACES), async (rest, place) => {
        const text = place(rest);
        const whole = await parseStrict(text);
        const parsed = await parseDocument(text, { recordSections: sections });
        // A file of nothing but a written-out null may be refused, one of nothing at all may not.
        if (whole.ok && whole.value === null && text.trim() !== '') return;
        // An empty text block and then a tab among the spaces before a key: no YAML, but the library takes it in a list
        // within a list. Read by itself such a record is refused, with its line.
        if (whole.ok && !parsed.ok && /[|>][-+0-9]*\n +\t/.test(text)) return;
        expect(parsed.ok, text).toBe(whole.ok && (whole.value === null || isMap(whole.value)));
        if (!whole.ok || !parsed.ok) return;
        expect(documentValue(parsed.doc), text).toEqual(whole.value ?? {});
        if (parsed.doc.sections.some(({ kind }) => kind !== 'whole')) split++;
      }),
      { numRuns: RUNS },
    );
    expect(split).toBeGreaterThan(RUNS / 50);
  });
});

const RUNS = runs(5000);

/** Where random text may be in a file. Two make records of it, so that chance alone never leaves too few of them. */
const PLACES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `c:\n${text}`,
  (text) => `d:   # note\n${text}`,
  (text) => `a: 1\nc:\n${text}`,
  (text) => `c:\n- ${text.replaceAll('\n', '\n  ')}`,
  (text) => `d:\n  one:\n    ${text.replaceAll('\n', '\n    ')}\n  two: 2\n`,
];
