import { describe, expect, it } from 'vitest';
import {
  MAX_BLOCKERS,
  parseRejection,
  rejectionConcerns,
  sameRejection,
  similarity,
} from '../../../src/protocol/review/verdict.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import { rejection } from './world.ts';

const problems = (text: string, withPrior = false) => parseRejection(text, withPrior).problems.join('\n');
const blockers = (...issues: readonly string[]) => parseRejection(rejection(issues), false).blockers;

describe('the structure of a rejection', () => {
  it('is read in the form that prompts ask for', () => {
    const text = rejection(['src/api/client.ts:12 — retries forever on a 401', 'test/a.test.ts:3 — asserts nothing']);
    expect(parseRejection(text, true)).toEqual({
      blockers: [
        { file: 'src/api/client.ts', line: 12, text: 'retries forever on a 401' },
        { file: 'test/a.test.ts', line: 3, text: 'asserts nothing' },
      ],
      problems: [],
    });
  });

  it('all that is wrong with its blockers is named at once, and their places are read all the same', () => {
    const text =
      'Blockers: 2\n- [blocker] src/a.ts:1 — wrong\n- [blocker] src/b.ts:2 — worse\n  Suggestion: s\nConcerns: 0';
    const read = parseRejection(text, true);
    expect(read.problems).toEqual([
      'blocker 1 has no `Why it matters: …` and no `Suggestion: …` line',
      'blocker 2 has no `Why it matters: …` line',
      'a line `Overall: <one or two sentences>` is missing',
      expect.stringContaining('`Prior Feedback Status:`'),
    ]);
    expect(read.blockers.map(({ file, line }) => `${file}:${line}`)).toEqual(['src/a.ts:1', 'src/b.ts:2']);
  });

  it.each([
    ['a hyphen for the dash', '- [blocker] a.ts:1 - wrong'],
    ['two hyphens', '- [blocker] a.ts:1 -- wrong'],
    ['a range of lines', '* [blocker] a.ts:1-20 — wrong'],
    ['line and column', '[BLOCKER] a.ts:1:7 — wrong'],
    ['backticks', '- [blocker] `a.ts:1` — wrong'],
    ['bold', '- **[blocker]** a.ts:1 — wrong'],
    ['a path in backticks', '- [blocker] `a.ts`:1 — wrong'],
    ['a path in quotes', '- [blocker] "a.ts":1 — wrong'],
    ['all of it in quotes', '- [blocker] "a.ts:1" — wrong'],
    ['a numbered list', '1. [blocker] a.ts:1 — wrong'],
    ['another numbered list', '2) **[blocker]** ./a.ts:1 — wrong'],
    ['the line with an L', '- [blocker] a.ts:L1 — wrong'],
    ['lines as GitHub names them', '- [blocker] a.ts#L1-L20 — wrong'],
    ['a link', '- [blocker] [a.ts:1](a.ts#L1) — wrong'],
    ['several lines', '- [blocker] a.ts:1,7 — wrong'],
    ['a colon for the dash', '- [blocker] a.ts:1: wrong'],
  ])('bears %s', (_what, line) => {
    const text = `## Blockers: 1\n${line}\n  Why it matters: x\n  Suggestion: y\nConcerns: 0\n**Overall:** no`;
    expect(parseRejection(text, false)).toEqual({ blockers: [{ file: 'a.ts', line: 1, text: 'wrong' }], problems: [] });
  });

  it.each([
    ['my file.ts:3', 'my file.ts'],
    ['`my file.ts:3`', 'my file.ts'],
    ['a:1b.ts:3', 'a:1b.ts'],
    ['app/[id].tsx:3', 'app/[id].tsx'],
    ['[id].tsx:3', '[id].tsx'],
    ['src\\a.ts:3', 'src\\a.ts'],
  ])('takes %s for a place', (place, file) => {
    expect(blockers(`${place} — 4 of 5 fail`)).toEqual([{ file, line: 3, text: '4 of 5 fail' }]);
  });

  it('bears headings without a colon', () => {
    const text = rejection(['a.ts:1 — x'], false)
      .replace('Blockers: 1', '## Blockers (1)')
      .replace('Overall: not yet.', '### Overall\n\nNot yet.');
    expect(problems(text)).toBe('');
    expect(problems(text.replace('Not yet.', ''))).toContain('`Overall:');
    expect(problems(text.replace('(1)', '(3)'))).toContain('is stated, and 1 is listed');
    expect(problems(text.replace('## Blockers (1)', '## Blockers'))).toContain('is stated, and 1 is listed');
  });

  it.each([
    ['looks wrong', 'Blockers: <count>'],
    ['', 'no `[blocker] file:line'],
    [rejection(['a.ts:1 — x']).replace('Blockers: 1', 'Blockers: 2'), '`Blockers: 2` is stated, and 1 is listed'],
    [rejection(['a.ts:1 — x']).replace('Blockers: 1', 'Blockers: many'), 'is stated, and 1 is listed'],
    [rejection(['a.ts — x']), 'blocker 1 does not read'],
    [rejection(['somewhere']), 'blocker 1 does not read'],
    [rejection(['a.ts:1 —']), 'blocker 1 does not read'],
    [rejection(['a.ts:1 — x']).replace('  Why it matters: users wait\n', ''), 'blocker 1 has no `Why it matters'],
    [rejection(['a.ts:1 — x']).replace('Suggestion: stop', 'Suggestion:'), 'blocker 1 has no `Suggestion'],
    [rejection(['a.ts:1 — x']).replace('Concerns: 0', ''), '`Concerns: <count>` is missing'],
    [rejection(['a.ts:1 — x'], false).replace('Overall: not yet.', 'Overall:'), '`Overall:'],
  ])('says what is missing: %#', (text, missing) => {
    expect(problems(text)).toContain(missing);
  });

  it('wants the prior feedback from iteration 2 on, with a status under it', () => {
    const without = rejection(['a.ts:1 — x'], false);
    expect(problems(without, false)).toBe('');
    expect(problems(without, true)).toContain('Prior Feedback Status');
    expect(problems(`${without}\nPrior Feedback Status:\n- nothing to say`, true)).toContain('Prior Feedback Status');
    for (const status of ['RESOLVED: all', 'STILL PRESENT: one', 'PARTIAL: half']) {
      expect(problems(`${without}\nPrior Feedback Status:\n- ${status}`, true)).toBe('');
    }
  });

  it('counts the blockers of a second one against its own lines only', () => {
    const text =
      'Blockers: 2\n[blocker] a.ts:1 — x\n[blocker] b.ts:1 — y\nWhy: z\nSuggestion: s\nConcerns: 0\nOverall: no';
    expect(problems(text)).toContain('blocker 1 has no `Why it matters');
  });

  it('stays quick on 16 KB of anything', () => {
    const hostile = [
      '[blocker] a:1 — x\n'.repeat(900),
      '-'.repeat(16_000),
      '# * '.repeat(4000),
      `[blocker] ${'a:'.repeat(8000)}`,
      `[blocker] a:1 ${'— - '.repeat(4000)}`,
      `Overall:${' '.repeat(16_000)}x`,
      `[blocker] a:1 — ${'wrong '.repeat(2600)}`,
    ];
    const spent = cpuTimer();
    for (const text of hostile) parseRejection(text, true);
    expect(spent()).toBeLessThan(500);
  });

  it('caps the number of blockers', () => {
    const many = rejection(Array.from({ length: MAX_BLOCKERS + 1 }, (_, n) => `a.ts:${n} — x`));
    expect(parseRejection(many, false).blockers).toHaveLength(MAX_BLOCKERS);
    expect(problems(many)).toContain('more than 100 blockers');
  });
});

describe('the same rejection', () => {
  it('is one whose every blocker was there before: same file, similar text, wherever the line went', () => {
    const first = blockers('a.ts:1 — the token is never refreshed', 'b.ts:9 — leaks a handle');
    expect(sameRejection(first, blockers('a.ts:44 — The token is never refreshed!'))).toBe(true);
    expect(sameRejection(first, blockers('b.ts:9 — leaks a handle', 'a.ts:1 — the token is never refreshed'))).toBe(
      true,
    );
    expect(sameRejection(first, blockers('c.ts:1 — the token is never refreshed'))).toBe(false);
    expect(sameRejection(first, blockers('a.ts:1 — the token is never refreshed', 'a.ts:5 — new trouble'))).toBe(false);
    expect(sameRejection(first, [])).toBe(false);
  });

  it('measures similarity from 0 to 1, case and punctuation aside', () => {
    expect(similarity('Retries forever on a 401.', 'retries FOREVER, on a 401')).toBe(1);
    expect(similarity('retries forever on a 401', 'retries for ever on a 401')).toBeGreaterThanOrEqual(0.8);
    expect(similarity('retries forever on a 401', 'the port is never closed')).toBeLessThan(0.5);
  });

  it('stays quick when both are as long as they may be', () => {
    const long = blockers(...Array.from({ length: 100 }, (_, n) => `a.ts:${n} — ${`word${n} `.repeat(18)}`));
    const spent = cpuTimer();
    expect(sameRejection(long, long)).toBe(true);
    sameRejection(
      long.slice(0, 99),
      blockers(...Array.from({ length: 100 }, (_, n) => `a.ts:1 — ${`x${n} `.repeat(30)}`)),
    );
    expect(spent()).toBeLessThan(500);
  });
});

describe('the concerns of a rejection', () => {
  const text = (concerns: string): string => `Blockers: 0\n${concerns}\nOverall: not yet.\nPrior Feedback Status:\n- x`;
  it.each([
    ['a list', 'Concerns: 2\n- a.ts:1 — odd\n- b.ts:2 — even', ['a.ts:1 — odd', 'b.ts:2 — even']],
    ['with their mark', '**Concerns:** 1\n- [concern] a.ts:1 — odd', ['a.ts:1 — odd']],
    ['over two lines', 'Concerns: 1\n- a.ts:1 — odd\n  and long', ['a.ts:1 — odd and long']],
    ['on the same line', 'Concerns: 1 — the name is odd', ['the name is odd']],
    ['none', 'Concerns: 0', []],
    ['none in words', 'Concerns: 0\n- none', []],
  ])('%s', (_form, concerns, found) => expect(rejectionConcerns(text(concerns))).toEqual(found));

  it('a text without them has none', () => expect(rejectionConcerns('no')).toEqual([]));
});
