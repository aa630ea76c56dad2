import { describe, expect, it } from 'vitest';
import {
  isLittle,
  onlyReadTexts,
  type SinceRed,
  sinceRedOf,
  sinceRedText,
} from '../../../src/protocol/review/since-red.ts';

const commit = 'a'.repeat(40);

describe('red runs before the green one', () => {
  it.each<[SinceRed, number, string, boolean]>([
    [{ red: 2 }, 0, 'red, red, green', false],
    [
      { red: 1, commit, lines: 0 },
      1,
      'red, red, green; the nearest red commit, aaaaaaaaaaaa, differs by no line',
      true,
    ],
    [
      { red: 7, commit, lines: 11, files: { paths: ['src/a.ts'], more: 2 } },
      0,
      'red 7 times, then green; the nearest red commit, aaaaaaaaaaaa, differs by 11 lines (blanks not counted), in src/a.ts and 2 more',
      false,
    ],
    [
      { red: 2, at: [{ commit, times: 2, command: 'npm test' }], commit, lines: 9, files: { paths: ['a'] } },
      0,
      'red at aaaaaaaaaaaa (both times; by npm test), then green; the nearest red commit, aaaaaaaaaaaa, differs by 9 lines (blanks not counted), in a',
      true,
    ],
    [
      {
        red: 4,
        at: [
          { commit, times: 1 },
          { commit: 'b'.repeat(40), times: 3, command: 'make' },
        ],
      },
      2,
      'red at aaaaaaaaaaaa, at bbbbbbbbbbbb (each of 3 times; by make), at this very commit (2 times), then green',
      false,
    ],
    [
      { red: 1, commit, lines: 1, files: { paths: ['src/a.ts'] } },
      0,
      'red, green; the nearest red commit, aaaaaaaaaaaa, differs by 1 line (blanks not counted), in src/a.ts',
      true,
    ],
  ])('%j and %i of the same commit', (since, same, text, little) => {
    expect(sinceRedText(since, same)).toBe(text);
    expect(isLittle(since)).toBe(little);
  });

  it.each([undefined, {}, { since_red: 'x' }, { since_red: { red: 'x' } }])('%j tells none', (entry) =>
    expect(sinceRedOf(entry)).toBeUndefined(),
  );
  it('an edited record is read as far as it makes sense', () =>
    expect(sinceRedOf({ since_red: { red: 1, commit, lines: 'many', files: 3 } })).toEqual({ red: 1 }));
});

it.each([
  ['! grep -n TODO src/a.ts', true],
  ['test -z "$(grep -rn foo src)"', true],
  ['sed -n 1p a | grep -q x || exit 1', true],
  ['test "$(node src/cli.js)" = 6', false],
  ['grep -q x a && npm test', false],
  ['grep -q x a && …', false],
])('%s only reads texts: %s', (command, is) => {
  expect(onlyReadTexts({ red: 1, at: [{ commit, times: 1, command }] })).toBe(is);
});
