import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as YAML from 'yaml';
import { emitLiteral, emitScalar, parseScalar } from '../../../../src/store/yaml/scalar.ts';
import { runs } from '../../../runs.ts';
import { NASTY, nastyString } from './samples.ts';

describe('emitScalar', () => {
  test.each([
    'yes',
    'No',
    'on',
    'y',
    'null',
    '~',
    'true',
    '12e4567',
    'e12',
    '0x1f',
    '1_000',
    '2001-01-01',
    '2026-01-01T00:00:00Z',
    '.5',
    '1:30',
    '1234567',
    'deadbeef',
    '0123456789abcdef0123456789abcdef01234567',
    '- a',
    'a: b',
    'a #b',
    'a:',
    '',
    ' a',
    'a ',
    '#a',
    '&a',
    '*a',
    '@a',
    '%a',
    '<<',
    '=',
    'a\tb',
    '\u2028',
  ])('quotes %j', (text) => {
    expect(emitScalar(text)).toBe(JSON.stringify(text).replace('\u2028', '\\u2028'));
  }); // prettier-ignore

  test.each([
    'task-1',
    'READY_FOR_REVIEW',
    'specs/vision.md#part',
    'a sentence, with commas; and "quotes"',
    'émile',
    '/abs/path',
    'http://a.b',
  ])('leaves %j plain', (text) => {
    expect(emitScalar(text)).toBe(text);
  });

  test.each([
    [null, 'null'],
    [true, 'true'],
    [3, '3'],
    [-0, '-0'],
    [1e21, '1.0e+21'],
    [Number.NaN, '.nan'],
    [-Infinity, '-.inf'],
  ])('writes %j as %s', (value, text) => {
    expect(emitScalar(value)).toBe(text);
  });

  test('keeps the quotes it is asked for', () => {
    expect(emitScalar("it's", 'single')).toBe("'it''s'");
    expect(emitScalar('plain', 'double')).toBe('"plain"');
    expect(emitScalar('changeSignal\u0007', 'single')).toBe('"changeSignal\\u0007"');
  });
});

describe('emitLiteral', () => {
  test('holds ordinary text', () => {
    expect(emitLiteral('a\n\n  b')).toEqual({ header: '|-', lines: ['a', '', '  b'] });
    expect(emitLiteral('a\nb\n')).toEqual({ header: '|', lines: ['a', 'b'] });
  });

  test.each([
    'one line',
    '\na',
    ' a\nb',
    'a \nb',
    'a\n \nb',
    'a\n\tb',
    'a\n\n',
    'a\r\nb',
    'a\n\u0000',
    '\n',
    'a\n\u2028',
  ])('leaves %j to quotes', (text) => {
    expect(emitLiteral(text)).toBeUndefined();
  });
});

describe('parseScalar', () => {
  test('reads as the core schema does', () => {
    for (const text of NASTY.filter((nasty) => nasty !== '' && !/[\n\r]/.test(nasty))) {
      const value = parseScalar(text);
      if (value !== undefined) expect(value, text).toEqual(YAML.parse(`- ${text}`)[0]);
    }
  });

  test.each([
    ['12', 12],
    ['-0x1', '-0x1'],
    ['0o17', 15],
    ['1e3', 1000],
    ['~', null],
    ['True', true],
    ['yes', 'yes'],
    ['"a\\tb\\u00e9"', 'a\tbé'],
    ["'it''s'", "it's"],
    ['2001-01-01', '2001-01-01'],
  ])('%s', (text, value) => {
    expect(parseScalar(text)).toBe(value);
  });

  test.each([
    '',
    '"open',
    "'open",
    '"bad\\q"',
    '"a" b',
    '&a',
    '*a',
    '!a',
    '- a',
    'a: b',
    'a #c',
    'a ',
    '[a]',
    '<<',
    '---',
    'a\tb',
    '"\\U00110000"',
  ])('declines %j', (text) => {
    expect(parseScalar(text)).toBeUndefined();
  });

  test('reads back every string in every style', () => {
    fc.assert(
      fc.property(
        nastyString,
        fc.constantFrom('plain' as const, 'single' as const, 'double' as const),
        (text, quote) => {
          expect(parseScalar(emitScalar(text, quote))).toBe(text);
        },
      ),
      { numRuns: runs(3000) },
    );
  });
});
