import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as YAML from 'yaml';
import { Bug } from '../../../../src/protocol/decision.ts';
import { parseBlock } from '../../../../src/store/yaml/block.ts';
import { editBlock, editBlockSimple } from '../../../../src/store/yaml/edit.ts';
import { isMap } from '../../../../src/store/yaml/equal.ts';
import { parseStrict } from '../../../../src/store/yaml/strict.ts';
import { runs } from '../../../runs.ts';
import { randomOf } from './boards.ts';
import { handText, plainValue } from './samples.ts';

describe('editBlock', () => {
  test.each<[string, string, unknown, string]>([
    ['nothing', 'a: 1 # x\n', { a: 1 }, 'a: 1 # x\n'],
    ['a plain scalar', 'a:   1  # x\nb: 2\n', { a: 'two', b: 2 }, 'a:   two  # x\nb: 2\n'],
    ['double quotes', 'a: "x"\n', { a: 'y' }, 'a: "y"\n'],
    ['single quotes', "a: 'x'\n", { a: "y's" }, "a: 'y''s'\n"],
    ['single quotes that cannot hold it', "a: 'x'\n", { a: '\u0007' }, 'a: "\\u0007"\n'],
    ['a string that looks like a number', 'a: x\n', { a: '12e4567' }, 'a: "12e4567"\n'],
    ['an empty value', 'a: # x\nb:\n', { a: 1, b: 2 }, 'a: 1 # x\nb: 2\n'],
    ['text to more text', 'a: x # why\nb: 1\n', { a: 'one\ntwo\n', b: 1 }, 'a: | # why\n  one\n  two\nb: 1\n'],
    [
      'a literal',
      'a: |- # why\n    one\n    two\nb: 1\n',
      { a: 'one\nthree', b: 1 },
      'a: |- # why\n  one\n  three\nb: 1\n',
    ],
    ['a literal to a word', 'a: | # why\n  one\n\n\nb: 1\n', { a: 'x', b: 1 }, 'a: x # why\n\n\nb: 1\n'],
    [
      'a new key',
      '- id: a\n  b: 1\n# after\n',
      [{ id: 'a', b: 1, c: [1] }],
      '- id: a\n  b: 1\n  c:\n    - 1\n# after\n',
    ],
    [
      'a new nested key',
      'a:\n    b: 1\n  # deep\n',
      { a: { b: 1, c: 2 }, d: 3 },
      'a:\n    b: 1\n    c: 2\nd: 3\n  # deep\n',
    ],
    [
      'a removed key',
      'a: 1\n# of b\nb:\n  - x\n  # in b\n  - y\n# of c\nc: 2\n',
      { a: 1, c: 2 },
      'a: 1\n# of b\n# of c\nc: 2\n',
    ],
    ['a removed first key of an item', '  - id: a # x\n    b: 1 # y\n', [{ b: 1 }], '  -\n    b: 1 # y\n'],
    ['a removed last key', 'a:\n  b: 1\n', { a: {} }, 'a: {}\n'],
    ['an appended item', 'a:\n- x # 1\n# end\nb: 1\n', { a: ['x', 'w'], b: 1 }, 'a:\n- x # 1\n- w\n# end\nb: 1\n'],
    ['an appended map', 'a:\n  - x: 1\n', { a: [{ x: 1 }, { w: 2, z: 3 }] }, 'a:\n  - x: 1\n  - w: 2\n    z: 3\n'],
    [
      'a changed item',
      'a:\n  - x: 1 # one\n    y: 2 # two\n',
      { a: [{ x: 1, y: 3 }] },
      'a:\n  - x: 1 # one\n    y: 3 # two\n',
    ],
    [
      'a dropped item',
      'a:\n  # 1\n  - x\n  # 2\n  - y\n  # 3\n  - z\n',
      { a: ['x', 'z'] },
      'a:\n  # 1\n  - x\n  # 2\n  # 3\n  - z\n',
    ],
    ['a shorter, other list', 'a: # why\n  - x\n  - y\n', { a: ['z'] }, 'a: # why\n  - z\n'],
    ['an emptied list', 'a: # why\n  - x\nb: 1\n', { a: [], b: 1 }, 'a: [] # why\nb: 1\n'],
    ['a flow list', 'a: [x, w] # why\n', { a: ['x', 'w', 'z w'] }, 'a: [x, w, "z w"] # why\n'],
    ['a flow map', 'a: {x: 1}\n', { a: { x: 2, w: ['b'] } }, 'a: {x: 2, w: [b]}\n'],
    ['an empty flow list', 'a: [] # why\n', { a: ['x'] }, 'a: # why\n  - x\n'],
    ['a scalar item to a map', '- a # why\n- b\n', [{ x: 1, w: 2 }, { z: 1 }], '- # why\n  x: 1\n  w: 2\n- z: 1\n'],
    ['a map item to a scalar', '-   x: 1\n    y: 2\n- b\n', ['a', 'b'], '- a\n- b\n'],
    ['nested lists', '- - a\n  - b\n- c\n', [['a', 'x', 'w'], 'c'], '- - a\n  - x\n  - w\n- c\n'],
    ['a map to a scalar', 'a: # why\n  b: 1\n  # in\n  c: 2\nd: 1\n', { a: 'x', d: 1 }, 'a: x # why\nd: 1\n'],
    ['no final newline', 'a: 1', { a: 1, b: { c: 2 } }, 'a: 1\nb:\n  c: 2'],
    ['a kept literal', 'a: |+\n  x\n\nb: 1\n', { a: 'x\n\n', b: 1, c: 2 }, 'a: |+\n  x\n\nb: 1\nc: 2\n'],
    ['a kept literal at the end', 'a: |+\n  x\n\n', { a: 'x\n\n', c: 2 }, 'a: |+\n  x\n\nc: 2\n'],
    ['everything', 'a: 1\n', { b: 2 }, 'b: 2\n'],
  ])('changes %s', (_, text, newValue, expected) => {
    expect(editBlockSimple(text, YAML.parse(text), newValue)).toBe(expected);
  });

  test.each<[string, string, unknown, string]>([
    [
      'folded quotes',
      '  - id: a # x\n    b: "one\n      two" # y\n',
      [{ id: 'c', b: 'one two' }],
      '  - id: c # x\n    b: "one two" # y\n',
    ],
    [
      'folded plain',
      'a: one\n  two\n# z\nb: 1\n',
      { a: 'one two', b: 2, c: [1] },
      'a: one two\n# z\nb: 2\nc:\n  - 1\n',
    ],
    ['JSON', '{"a":{"b":1}}', { a: { b: 2 }, c: null }, '{"a": {"b": 2}, c: null}'],
    ['everything to nothing', 'a: 1\n', {}, '{}\n'],
    ['a removed key', 'a: one\n  two\nb: 1 # b\nc: 2 # c\n', { a: 'one two', c: 2 }, 'a: one two\nc: 2 # c\n'],
    [
      'a comment indented like the new text',
      '- id: a\n  b: short\n    # why\n  c: 1\n',
      [{ id: 'a', b: 'x\ny', c: 1 }],
      '- id: a\n  b: |- # why\n    x\n    y\n  c: 1\n',
    ],
    ['blanks indented like the new text', '- "f: g"\n   \n- - - i\n', ['a\n\nb', [['i']]], '- "a\\n\\nb"\n\n- - - i\n'],
    ['a shorter list', 'a: one\n  two\nb: [1,2,3]\n', { a: 'one two', b: [3] }, 'a: one two\nb:\n  - 3\n'],
  ])('changes text that is not simple: %s', async (_, text, newValue, expected) => {
    expect(editBlockSimple(text, YAML.parse(text), newValue)).toBeUndefined();
    expect(await editBlock(text, YAML.parse(text), newValue)).toBe(expected);
  });

  test('throws rather than return text that means something else', async () => {
    const other = { a: 1 };
    expect(() => editBlockSimple('a: 2\n', other, other)).toThrow(Bug);
    await expect(editBlock('a: one\n  two\n', other, other)).rejects.toThrow(Bug);
  });

  test('changes any hand-written text to any value', async () => {
    const seen = { simple: 0, library: 0 };
    await fc.assert(
      fc.asyncProperty(handText, fc.nat(), plainValue, async (text, seed, drawn) => {
        const read = await parseStrict(text);
        if (!read.ok || typeof read.value !== 'object' || read.value === null) return;
        const random = randomOf(seed);
        const newValue = vary(vary(read.value, random, drawn), random, drawn);
        const edited = await editBlock(text, read.value, newValue);
        expect(YAML.parse(edited), text).toEqual(newValue);
        seen[parseBlock(text) ? 'simple' : 'library']++;
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(seen.simple, seen.library)).toBeGreaterThan(RUNS / 100);
  });
});

const RUNS = runs(4000);

/** The value with something put in, taken out or replaced at a random place. */
function vary(value: unknown, random: (limit: number) => number, drawn: unknown): unknown {
  if (Array.isArray(value)) {
    const at = random(value.length + 1);
    if (at === value.length) return [...value, drawn];
    return random(4) === 0 ? value.toSpliced(at, 1) : value.with(at, vary(value[at], random, drawn));
  }
  if (!isMap(value)) return drawn;
  const names = Object.keys(value);
  const name = names[random(names.length + 1)];
  if (name === undefined) return { ...value, added: drawn };
  if (random(4) === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  return { ...value, [name]: vary(value[name], random, drawn) };
}
