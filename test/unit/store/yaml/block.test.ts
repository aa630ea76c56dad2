import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as YAML from 'yaml';
import { parseBlock } from '../../../../src/store/yaml/block.ts';
import { emitEntries, emitItems } from '../../../../src/store/yaml/emit.ts';
import { runs } from '../../../runs.ts';
import { handText, plainValue } from './samples.ts';

/** What the reference reader makes of a text; undefined when it objects to anything. */
function reference(text: string): { value: unknown } | undefined {
  const document = YAML.parseDocument(text, { logLevel: 'silent' });
  return document.errors.length + document.warnings.length > 0 ? undefined : { value: document.toJS() };
}

describe('parseBlock', () => {
  test('reads what people write', () => {
    const text = [
      '# a board',
      'version: 1   # the first',
      'goal:',
      '  id: "g-1"',
      "  note: 'it''s here'",
      '  text: |',
      '    one # not a comment',
      '',
      '      two',
      '  folded: >-',
      '    joined',
      '    lines',
      '',
      '    and more',
      'tasks:',
      '- id: a',
      '  depends_on: [b, "c d", 3]',
      '  # inside',
      '  scope: {files: 2, deep: [x]}',
      '-   id: b',
      '    none:',
      '- - nested',
      '  - list',
      'agents: {}',
      'last: []',
    ].join('\n');
    const node = parseBlock(text);
    expect(node?.value).toEqual(YAML.parse(text));
    expect(node?.value).toMatchObject({
      goal: { text: 'one # not a comment\n\n  two\n', folded: 'joined lines\nand more' },
    });
  });

  test('says where everything is', () => {
    const node = parseBlock('a: 1\nb:  "x"  # note\nc:\n  - one\n  # between\n  - two: |\n      t\n\nd:\n');
    if (node?.kind !== 'map') throw new Error('no map');
    const [a, b, c, d] = node.entries;
    expect(a).toMatchObject({ key: 'a', line: 0, end: 1, indent: 0, after: 2, comment: -1, node: { from: 3, to: 4 } });
    expect(b).toMatchObject({ line: 1, end: 2, comment: 9, node: { style: 'double', from: 4, to: 7 } });
    expect(c).toMatchObject({ line: 2, end: 7, node: { kind: 'list', line: 3, from: 2 } });
    if (c?.node.kind !== 'list') throw new Error('no list');
    expect(c.node.items.map(({ line, end, indent }) => [line, end, indent])).toEqual([
      [3, 4, 2],
      [5, 7, 2],
    ]);
    expect(d).toMatchObject({ line: 8, end: 9, node: { style: 'empty', value: null } });
  });

  test.each([
    ['anchor', 'a: &x 1'],
    ['alias', 'a: *x'],
    ['tag', 'a: !!str 1'],
    ['complex key', '? a\n: b'],
    ['document marker', '---\na: 1'],
    ['directive', '%YAML 1.2\na: 1'],
    ['tab indentation', 'a:\n\tb: 1'],
    ['multi-line plain', 'a: one\n  two'],
    ['multi-line quoted', 'a: "one\n  two"'],
    ['duplicate key', 'a: 1\na: 2'],
    ['duplicate key in flow', 'a: {b: 1, b: 2}'],
    ['merge key', '<<: {a: 1}'],
    ['number as key', '1: a'],
    ['__proto__', '__proto__: 1'],
    ['__proto__ in flow', 'a: {__proto__: 1}'],
    ['carriage return', 'a: 1\r\nb: 2'],
    ['byte-order mark', '\ufeffa: 1'],
    ['control character', 'a: \u0007'],
    ['65 levels', Array.from({ length: 65 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['10,000 flow levels', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ])('declines %s', (_, text) => {
    expect(parseBlock(text)).toBeUndefined();
  });

  test('accepts 64 levels', () => {
    expect(parseBlock(Array.from({ length: 64 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'))).toBeDefined();
  });

  test('never disagrees with the reference on hand-written text', () => {
    let accepted = 0;
    fc.assert(
      fc.property(handText, (text) => {
        const node = parseBlock(text);
        if (node === undefined) return;
        accepted++;
        expect({ value: node.value }).toEqual(reference(text));
      }),
      { numRuns: 20_000 },
    );
    // Guards against a reader that is sound only because it declines everything.
    expect(accepted).toBeGreaterThan(500);
  });
});

describe('emit', () => {
  test('is laid out in the house style', () => {
    const value = {
      id: 'a',
      skip: undefined,
      when: '2026-01-01T00:00:00Z',
      empty: [],
      none: {},
      list: ['x', { k: 1, l: 'two\nlines' }, ['deep']],
      map: { m: null },
    };
    expect(emitEntries(value, 0).join('\n')).toBe(
      `id: a\nwhen: "2026-01-01T00:00:00Z"\nempty: []\nnone: {}\nlist:\n  - x\n  - k: 1\n    l: |-\n      two\n      lines\n  - - deep\nmap:\n  m: null`,
    );
  });

  test('is read back the same by every reader', () => {
    fc.assert(
      fc.property(plainValue, fc.constantFrom(0, 2, 5), (value, indent) => {
        const text = `${emitItems([value, { k: value }], indent).join('\n')}\n`;
        expect(parseBlock(text)?.value).toEqual([value, { k: value }]);
        expect(YAML.parse(text)).toEqual([value, { k: value }]);
        expect(YAML.parse(text, { version: '1.1', merge: false })).toEqual([value, { k: value }]);
      }),
      { numRuns: runs(6000) },
    );
  });

  test.each([[{ ['__proto__']: 1 }], [{ '<<': 1 }], [{ a: () => 1 }], [{ ['k'.repeat(2000)]: 1 }]])(
    'refuses what YAML cannot hold',
    (value) => {
      expect(() => emitEntries(value, 0)).toThrow(TypeError);
    },
  );
});
