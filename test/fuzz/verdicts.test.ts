// Whatever a reviewer writes: parsed in bounded time, never an approval by accident, and comparing two of them is bounded too.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseScope } from '../../src/protocol/facts/scope.ts';
import { parseRejection, sameRejection, similarity } from '../../src/protocol/review/verdict.ts';
import { gist } from '../../src/text/format.ts';
import { hostile, RUNS, within } from './hostile.ts';

const piece = fc.oneof(
  hostile,
  fc.constantFrom(
    'Blockers: 1\n',
    'Blockers: 99999999999999999999\n',
    '- [blocker] src/a.ts:1 — x\n',
    '[blocker] ../../etc/passwd:1 - x\n',
    'Why it matters: y\n',
    'Suggestion: z\n',
    'Concerns: 0\n',
    'Overall: no\n',
    'Prior Feedback Status:\n- RESOLVED: all\n',
    'APPROVED',
  ),
);
const verdict = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));

test('a rejection is parsed or refused', async () => {
  await fc.assert(
    fc.asyncProperty(verdict, verdict, fc.boolean(), async (first, second, prior) => {
      const [a, b] = await within('parsing', () => [parseRejection(first, prior), parseRejection(second, prior)]);
      expect(a.blockers.length).toBeLessThanOrEqual(100);
      await within('comparing', () => sameRejection(a.blockers, b.blockers));
    }),
    { numRuns: RUNS },
  );
}, 600_000);

test('texts are likened and shortened in bounded time', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (a, b) => {
      const score = await within('likening', () => similarity(a.slice(0, 5000), b.slice(0, 5000)));
      expect(score >= 0 && score <= 1).toBe(true);
      expect([...gist(a, 80)].length).toBeLessThanOrEqual(81);
      await within('scope', () => parseScope(a));
    }),
    { numRuns: RUNS },
  );
}, 600_000);
