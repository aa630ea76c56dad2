import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ascii, clip, columns, hang, oneLine, plain, wrap, wrapWhole } from '../../../../src/cli/render/terminal.ts';

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

it('ascii spells what it can and names the rest by number', () => {
  expect(ascii('⚠️ BLOCKED: t — “why” … 🚨 ≥ 3 · é → 世')).toBe(
    '[!] BLOCKED: t - "why" ... [!!] >= 3 | <U+00E9> -> <U+4E16>',
  );
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
    // A character that is named by its number stays whole, or goes.
    for (const room of [4, 6, 10])
      expect(clip('a <U+00EB> name', room + 3, '...')).toBe(room < 10 ? 'a...' : 'a <U+00EB>...');
    expect(clip('a < b and more', 7, '...')).toBe('a <...');
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

it.each([
  ['combining marks in a pattern', '/[\u0300-\u036f]/', '/[<U+0300>-<U+036F>]/'],
  ['a mark behind its letter', 'e\u0301', 'e<U+0301>'],
  ['a letter that another one looks like', 'caf\u00e9', 'caf<U+00E9>'],
  ['a blank that is none', 'a\u00a0b', 'a<U+00A0>b'],
  ['a full-width digit', '\uff11', '<U+FF11>'],
  ['steps of a path', 'a › b', 'a > b'],
  ['a tick', '✓ done', '+ done'],
])('on an ASCII terminal %s is not left out and not taken for another', (_what, text, shown) => {
  expect(ascii(text)).toBe(shown);
});

describe('hang', () => {
  it('leaves a line alone that fits', () => {
    expect(hang('  a  b', 6)).toEqual(['  a  b']);
  });
  it('goes on below the second column', () => {
    expect(hang('  green   it passes without the change', 26)).toEqual([
      '  green   it passes',
      '          without the',
      '          change',
    ]);
  });
  it('goes on below the last of several short columns', () => {
    expect(hang('ok   git  it is new enough', 20)).toEqual(['ok   git  it is new', '          enough']);
  });
  it('goes on below the text of a list', () => {
    expect(hang('1. liza init asks for it', 14)).toEqual(['1. liza init', '   asks for it']);
  });
  it('goes two columns further in without either', () => {
    expect(hang('liza: note: one two three', 14)).toEqual(['liza: note:', '  one two', '  three']);
  });
  it('breaks no word, however long it is', () => {
    expect(hang('it is kept in /a/long/path/of/a/file now', 14)).toEqual([
      'it is kept in',
      '  /a/long/path/of/a/file',
      '  now',
    ]);
  });
  it('breaks no command within a sentence, and gives a long one a line of its own', () => {
    const hint =
      'say so: liza amend greet --done "it greets" --scope "IN: src"; or liza config set setup_read \'["~/x"]\', then go on';
    expect(hang(hint, 40)).toEqual([
      'say so:',
      '  liza amend greet --done "it greets" --scope "IN: src";',
      '  or',
      '  liza config set setup_read \'["~/x"]\',',
      '  then go on',
    ]);
    expect(wrap('it is yours: liza answer auth-header "two words"', 35)).toEqual([
      'it is yours:',
      'liza answer auth-header "two words"',
    ]);
  });
  it('breaks no command that people copy', () => {
    expect(hang('  who did what    cd /somewhere && liza log -n 60', 40)).toEqual([
      '  who did what',
      '    cd /somewhere && liza log -n 60',
    ]);
    expect(hang('  liza add-task one --description "a b c"', 20)).toEqual([
      '  liza add-task one --description "a b c"',
    ]);
  });
  it('counts no colour as a column', () => {
    expect(hang('\x1b[31mone two\x1b[0m', 7)).toEqual(['\x1b[31mone two\x1b[0m']);
    expect(hang('\x1b[31mone two three\x1b[0m', 9)).toEqual(['\x1b[31mone two', '  three\x1b[0m']);
  });
  it('loses nothing but blanks, and no line is longer than it must be', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 })),
        fc.integer({ min: 20, max: 60 }),
        (words, width) => {
          const line = words.join(' ');
          const lines = hang(line, width);
          expect(lines.join('').replace(/\s/g, '')).toBe(line.replace(/\s/g, ''));
        },
      ),
    );
  });
});
