import { describe, expect, test } from 'vitest';
import { parseStrict, parseStrictSimple } from '../../../../src/store/yaml/strict.ts';
import { cpuTimer } from '../../../support/cpu-time.ts';

const DEEP = 10_000;

describe('parseStrict', () => {
  test('reads what the simple reader declines', async () => {
    const text = '---\na: "one\n  two"\nb: three\n  four\n"c": {"d":[1,2]}\n? e\n: !!str 5\n';
    expect(parseStrictSimple(text)).toBeUndefined();
    expect(await parseStrict(text)).toEqual({
      ok: true,
      value: { a: 'one two', b: 'three four', c: { d: [1, 2] }, e: '5' },
    });
  });

  test('an empty file is null', async () => {
    expect(await parseStrict('# nothing\n')).toEqual({ ok: true, value: null });
  });

  test('accepts 64 levels and no more', async () => {
    const flow = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(await parseStrict(flow(64))).toMatchObject({ ok: true });
    expect(await parseStrict(flow(65))).toMatchObject({ ok: false, message: 'the nesting is deeper than 64 levels' });
  });

  const bomb = ['a: &a [x, x]', ...Array.from({ length: 20 }, (_, i) => `b${i}: &b${i} [*a, *a]`)].join('\n');
  test.each<[string, string, number, number, RegExp]>([
    ['alias bomb', bomb, 1, 7, /anchors/],
    ['alias', 'a: 1\nb: *x\n', 2, 4, /alias/],
    ['duplicate keys', 'a: 1\nb: 2\na: 3\n', 3, 1, /a appears twice/],
    ['duplicate keys deep down', 'a:\n  - b: 1\n    b: 2\n', 3, 5, /b appears twice/],
    ['depth in flow', `a: ${'['.repeat(DEEP)}`, 1, 69, /deeper than 64/],
    ['depth in flow maps', `a: ${'{a: '.repeat(DEEP)}`, 1, 261, /deeper than 64/],
    ['depth in compact lists', '- '.repeat(DEEP), 1, 132, /deeper than 64/],
    [
      'depth in block',
      Array.from({ length: DEEP }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      66,
      67,
      /deeper than 64/,
    ],
    ['depth in complex keys', '? '.repeat(DEEP), 1, 132, /deeper than 64/],
    ['byte-order mark', '\ufeffa: 1', 1, 1, /starts with a byte-order mark/],
    ['Windows line endings', 'a: 1\r\nb: 2\r\n', 1, 5, /has Windows line endings/],
    ['old Mac line endings', 'a: 1\rb: 2', 1, 5, /has Windows line endings/],
    ['NUL', 'a: 1\nb: \u0000', 2, 4, /U\+0000/],
    ['escape character', 'a: \u001b', 1, 4, /U\+001B/],
    ['lone surrogate', 'a: \ud800', 1, 4, /U\+D800/],
    ['tab indentation', 'a:\n\tb: 1\n', 2, 1, /tab/i],
    ['__proto__', 'a: 1\nb:\n  __proto__: {x: 1}\n', 3, 3, /__proto__/],
    ['merge key', 'a: 1\n<<: {b: 1}\n', 2, 1, /merge/],
    ['number as key', 'a: 1\n2: b\n', 2, 1, /keys must be strings/],
    ['list as key', '? [a]\n: b\n', 1, 3, /keys must be strings/],
    ['foreign tag', 'a: !!js/function "x"\n', 1, 4, /tag|resolve/i],
    ['custom tag', 'a: !x 1\n', 1, 4, /tag/i],
    ['second document', 'a: 1\n---\nb: 2\n', 2, 1, /second document/],
    ['unclosed quote', 'a: "x\n', 2, 1, /quote/],
    ['5 MB line', `a: "${'x'.repeat(5_000_000)}`, 1, 5_000_005, /quote/],
    ['5 MB of brackets', '['.repeat(5_000_000), 1, 67, /deeper/],
    [
      '50,000 distinct keys',
      `${Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`).join('\n')}\nk0: 2`,
      50_001,
      1,
      /k0 appears twice/,
    ],
  ])('refuses %s', async (_, text, line, column, message) => {
    const spent = cpuTimer();
    const refused = await parseStrict(text);
    expect(refused).toMatchObject({
      ok: false,
      line,
      column,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\w/),
    });
    // Far from what a quadratic reader would take, and far from what a busy machine adds.
    expect(spent()).toBeLessThan(10_000);
  });

  test('a value named like a method of Object is only a value', async () => {
    expect(await parseStrict('constructor: 1\n? toString\n: 2\n')).toEqual({
      ok: true,
      value: { constructor: 1, toString: 2 },
    });
  });
});
