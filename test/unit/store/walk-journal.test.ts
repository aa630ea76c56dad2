// One walk over a journal: every wrong line is found and the first one named, whether the state is compared at each entry
// or now and then.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Files } from '../../../src/ports/files.ts';
import { sha256 } from '../../../src/store/hash.ts';
import { type Entry, GENESIS } from '../../../src/store/journal.ts';
import type { ReplayText } from '../../../src/store/replay-text.ts';
import { type Step, type WalkOptions, walkJournal } from '../../../src/store/walk-journal.ts';
import { diffHunksSimple } from '../../../src/store/yaml/hunks.ts';
import { runs } from '../../runs.ts';

/** The state's texts, one after the other, as a journal; `forge` may change an entry before it is hashed. */
function journalOf(texts: readonly string[], forge: (entry: Entry, at: number) => Entry = (entry) => entry): string[] {
  let prev = GENESIS;
  return texts.map((text, at) => {
    const entry = {
      ...{ seq: at + 1, time: '2026-01-01T00:00:00Z', actor: 'human', command: 'note', detail: '', records: [] },
      ...{ change: diffHunksSimple(texts[at - 1] ?? '', text), prev, state: sha256(text) },
    };
    const line = JSON.stringify(forge(entry as Entry, at));
    prev = sha256(line);
    return line;
  });
}

const filesWith = (lines: readonly string[]): Files => {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return {
    stat: () => ({ size: BigInt(bytes.length) }),
    readInto: (_path: string, from: number, into: Buffer) => bytes.copy(into, 0, from),
  } as unknown as Files;
};

function walked(lines: readonly string[], options: WalkOptions = {}): { steps: Step[]; text: ReplayText } {
  const steps: Step[] = [];
  const walk = walkJournal(filesWith(lines), 'journal.jsonl', options);
  for (;;) {
    const next = walk.next();
    if (next.done === true) return { steps, text: next.value };
    steps.push(next.value);
  }
}

const line = fc.constantFrom('a', 'b: 1', '', 'x'.repeat(90));
const texts = fc
  .array(fc.array(line, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 25 })
  .map((all) => all.map((lines) => lines.join('\n')));

/** How much of the journal lies between two comparisons: of one like these mostly all of it. */
const apart = fc.constantFrom(0, 300, 1024 * 1024);

describe('a walk over a journal', () => {
  test('that is whole gives every entry and the last text', () => {
    fc.assert(
      fc.property(texts, fc.boolean(), apart, (all, every, apart) => {
        const { steps, text } = walked(journalOf(all), { every, apart });
        expect(steps.map(({ kind }) => kind)).toEqual(all.map(() => 'entry'));
        expect(text.toString()).toBe(all.at(-1));
      }),
      { numRuns: runs(200) },
    );
  });

  test('names the first entry whose change does not lead to the state it names', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.boolean(), apart, (all, where, every, apart) => {
        const wrong = where % all.length;
        const lines = journalOf(all, (entry, at) =>
          at === wrong ? { ...entry, change: [...entry.change, { at: 10_000, del: ['gone'], ins: [] }] } : entry,
        );
        const { steps, text } = walked(lines, { every, apart });
        expect(steps.map(({ kind }) => kind)).toEqual([...all.slice(0, wrong).map(() => 'entry'), 'misled']);
        expect(steps.at(-1)?.number).toBe(wrong + 1);
        expect(text.toString()).toBe(all[wrong - 1] ?? '');
      }),
      { numRuns: runs(200) },
    );
  });

  test('finds a last state that is not what its entry names, and the entry that began it', () => {
    // From the third entry on every text has a line more than its entry says.
    const said = Array.from({ length: 8 }, (_, n) => `${'y'.repeat(400)}\n${n}`);
    const lines = journalOf(
      said.map((text, n) => (n < 2 ? text : `${text}\nmore`)),
      (entry, n) => ({ ...entry, state: sha256(said[n] ?? '') }),
    );
    for (const options of [{}, { apart: 0 }, { every: true }]) {
      const { steps, text } = walked(lines, options);
      expect(steps.map(({ kind, number }) => `${kind} ${number}`)).toEqual(['entry 1', 'entry 2', 'misled 3']);
      expect(text.toString()).toBe(said[1]);
    }
  });

  test('a hash that is wrong in between, where the states are right, is found at each entry only', () => {
    const all = Array.from({ length: 6 }, (_, n) => `${'z'.repeat(5000)}\n${n}`);
    const lines = journalOf(all, (entry, at) => (at === 2 ? { ...entry, state: sha256('other') } : entry));
    expect(walked(lines, { every: true }).steps.at(-1)).toMatchObject({ kind: 'misled', number: 3 });
    expect(walked(lines).steps.map(({ kind }) => kind)).toEqual(all.map(() => 'entry'));
  });

  test('tells lost races and lines that follow from nothing, and goes on behind them', () => {
    const [one = '', two = '', three = ''] = journalOf(['1', '1\n2', '1\n2\n3']);
    const lost = JSON.stringify({ ...JSON.parse(two), detail: 'of a writer that lost a race' });
    const astray = JSON.stringify({ ...JSON.parse(three), prev: sha256('nothing') });
    const { steps, text } = walked([one, two, lost, astray, three]);
    expect(steps.map(({ kind }) => kind)).toEqual(['entry', 'entry', 'void', 'astray', 'entry']);
    expect(text.toString()).toBe('1\n2\n3');
    expect(walked([one, '{', two]).steps.map(({ kind }) => kind)).toEqual(['entry', 'unreadable']);
  });

  test('that is much longer than what is read at once, with a line that is, too', () => {
    const all = Array.from({ length: 40 }, (_, n) => `${'l'.repeat(n === 7 ? 2_500_000 : 60_000)}\n${n}`);
    const lines = journalOf(all);
    const { steps, text } = walked(lines, { apart: 0 });
    expect(steps.map((step) => step.kind === 'entry' && step.hash)).toEqual(lines.map((line) => sha256(line)));
    expect(text.toString()).toBe(all.at(-1));
    const wrong = journalOf(all, (entry, at) => (at === 30 ? { ...entry, change: [] } : entry));
    expect(walked(wrong, { apart: 0 }).steps.at(-1)).toMatchObject({ kind: 'misled', number: 31, seq: 31 });
  });

  test('shows the text before each entry', () => {
    const seen: string[] = [];
    walked(journalOf(['a', 'a\nb', 'c']), { before: (_entry, text) => seen.push(text.toString()) });
    expect(seen).toEqual(['', 'a', 'a\nb']);
  });
});
