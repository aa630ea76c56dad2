import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ascii, clip, columns, oneLine, plain, wrap, wrapWhole } from '../../../../src/cli/render/terminal.ts';

describe('plain', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', '^[[31mred^[[0m'],
    ['a window title', '\u001b]0;owned\u0007', '^[]0;owned^G'],
    ['an 8-bit escape', '\u009b2J', '<U+009B>2J'],
    ['a backspace', 'rm\u0008\u0008ls', 'rm^H^Hls'],
    ['a carriage return that would overwrite', 'fail\rpass', 'fail\npass'],
    ['a reversed name', 'a\u202egnp.exe', 'a<U+202E>gnp.exe'],
    ['an invisible tag', 'hi\u{e0041}', 'hi<U+E0041>'],
    ['half a character', 'a\ud83d', 'a\ufffd'],
    ['a delete', 'a\u007f', 'a<U+007F>'],
    ['a tab', 'a\tb', 'a  b'],
  ])('neutralises %s', (_name, text, safe) => expect(plain(text)).toBe(safe));

  it('leaves readable text alone', () => {
    const text = 'Grüße, 世界 👩‍🚀 —\nnext line';
    expect(plain(text)).toBe(text);
  });

  it('never lets a control character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plain(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(oneLine(text)).not.toContain('\n');
      }),
    );
  });
});

it('ascii spells what it can and marks the rest', () => {
  expect(ascii('⚠️ BLOCKED: t — “why” … 🚨 ≥ 3 · é → 世')).toBe('[!] BLOCKED: t - "why" ... [!!] >= 3 | e -> ?');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(ascii(plain(text))).toMatch(/^[\n\x20-\x7e]*$/);
    }),
  );
});

it.each([
  ['abc', 3],
  ['日本', 4],
  ['🚨', 2],
  ['⚠️', 2],
  ['👩‍🚀', 2],
  ['é', 1],
  ['e\u0301', 1],
  ['█░', 2],
  ['— …', 3],
])('%s takes %i columns', (text, width) => expect(columns(text)).toBe(width));

describe('clip', () => {
  it('cuts at whole characters and marks the cut', () => {
    expect(clip('abcdef', 6, '…')).toBe('abcdef');
    expect(clip('abcdef', 5, '…')).toBe('abcd…');
    expect(clip('日本語', 5, '…')).toBe('日本…');
    expect(clip('日本語', 4, '…')).toBe('日…');
    expect(clip('abcdef', 2, '...')).toBe('..');
  });
});

describe('wrap', () => {
  it('what people copy keeps its runs of blanks', () => {
    expect(wrapWhole("grep '(?:    .*)' file", 80)).toEqual(["grep '(?:    .*)' file"]);
    expect(wrapWhole('one two  three', 8)).toEqual(['one two ', 'three']);
  });

  it('breaks at spaces, keeps line breaks and indents, splits what is too long', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap("it's the string '   ' or ' a', isn't it", 10)).toEqual([
      "it's the",
      'string',
      "'   ' or",
      "' a',",
      "isn't it",
    ]);
    expect(wrapWhole("gives `a  b` for '  '", 8)).toEqual(['gives', '`a  b`', "for '  '"]);
    expect(wrap("'much too long for it'", 8)).toEqual(["'much", 'too long', "for it'"]);
    expect(wrap('one\n\n  two three', 8)).toEqual(['one', '', '  two', '  three']);
    expect(wrap('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
    expect(wrap('日本語', 4)).toEqual(['日本', '語']);
    expect(wrap('', 4)).toEqual(['']);
  });

  it('loses no word and exceeds no width', () => {
    const words = fc.array(
      fc.string({ unit: fc.constantFrom('a', 'é', '日', '🚨', 'e\u0301'), minLength: 1, maxLength: 12 }),
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 30 }), (list, width) => {
        const lines = wrap(list.join(' '), width);
        for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(list.join(''));
      }),
    );
  });
});
