// The text of a replay means what applyHunks and sha256 mean, however long it is and wherever it is changed.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/store/hash.ts';
import { ReplayText } from '../../../src/store/replay-text.ts';
import { applyHunks, diffHunksSimple, type Hunk, HunkMismatch } from '../../../src/store/yaml/hunks.ts';
import { runs } from '../../runs.ts';

const line = fc.constantFrom('', 'a', '  b: "ü"', 'x'.repeat(700), '\u{1f600}', 'two\nlines');
const hunk = fc.record({
  at: fc.nat(40),
  del: fc.array(line, { maxLength: 2 }),
  ins: fc.array(line, { maxLength: 12 }),
});

/** Undefined: the change was not made for this text. */
function whole(text: string, hunks: readonly Hunk[]): string | undefined {
  try {
    return applyHunks(text, hunks);
  } catch (error) {
    if (error instanceof HunkMismatch) return undefined;
    throw error;
  }
}

function piecewise(text: ReplayText, hunks: readonly Hunk[]): ReplayText | undefined {
  const next = text.copy();
  try {
    next.apply(hunks);
    return next;
  } catch (error) {
    if (error instanceof HunkMismatch) return undefined;
    throw error;
  }
}

describe('the text of a replay', () => {
  test('any changes, those that do not fit too', () => {
    fc.assert(
      fc.property(fc.array(fc.array(hunk, { maxLength: 3 }), { maxLength: 12 }), (changes) => {
        let [expected, found] = ['', new ReplayText()];
        for (const change of changes) {
          const next = whole(expected, change);
          const mine = piecewise(found, change);
          expect(mine?.toString()).toBe(next);
          if (next === undefined || mine === undefined) continue;
          expect(mine.hash()).toBe(sha256(next));
          expect(mine.length).toBe(next.length + 1);
          [expected, found] = [next, mine];
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('real changes of a long text: anywhere in it, grown and shrunk', () => {
    const lines = Array.from({ length: 30_000 }, (_, n) => `line ${n} ${'.'.repeat(n % 50)}`);
    let text = '';
    const found = new ReplayText();
    const step = (): void => {
      const next = lines.join('\n');
      const before = found.copy();
      found.apply(diffHunksSimple(text, next));
      expect(found.hash()).toBe(sha256(next));
      expect(before.hash()).toBe(sha256(text));
      text = next;
    };
    step();
    for (let n = 0; n < 60; n++) {
      const at = (n * 7919) % lines.length;
      if (n % 3 === 0) lines.splice(at, n * 10);
      else lines.splice(at, n % 2, ...Array.from({ length: n % 5 }, (_, more) => `new ${n} ${more}`));
      step();
    }
    lines.length = 0;
    step();
    expect(found.toString()).toBe('');
  });
});
