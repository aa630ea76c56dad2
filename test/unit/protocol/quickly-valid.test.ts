// What is quickly found valid is valid, whatever the value; and nearly all of a real board is found so.

import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { SCHEMAS } from '../../../src/protocol/records/check-record.ts';
import { isQuicklyValid } from '../../../src/protocol/records/quickly-valid.ts';
import { runs } from '../../runs.ts';

const FIELDS = Object.values(SCHEMAS).flatMap(({ entries }) => Object.values(entries) as v.GenericSchema[]);

const leaf = fc.oneof(
  fc.constantFrom('2026-01-01T00:00:00Z', 'CLAIMED', 'coder', 'task-1', 'a'.repeat(40), 'x'.repeat(20_000), '', 'ü'),
  fc.constantFrom(undefined, null, true, 0, 1, 5, 6, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY),
  fc.string(),
);
const key = fc.constantFrom('time', 'event', 'agent', 'by', 'commit', 'since', 'provider', 'session', 'kind', 'detail');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(key, tie('any'), { maxKeys: 4 }),
  ),
})).any;

test('says yes to nothing that the schema refuses', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FIELDS), value, (schema, one) => {
      if (isQuicklyValid(schema, one)) expect(v.is(schema, one)).toBe(true);
    }),
    { numRuns: runs(5000) },
  );
});

test('says yes to what a task mostly is', () => {
  const { entries } = SCHEMAS.tasks;
  const time = '2026-01-01T00:00:00Z';
  expect(
    isQuicklyValid(entries.history, [
      { time, event: 'created', agent: 'planner-1', more: {} },
      { time, event: 'x' },
    ]),
  ).toBe(true);
  expect(isQuicklyValid(entries.history, [{ time: 'today', event: 'created' }])).toBe(false);
  expect(isQuicklyValid(entries.history, [{ time }])).toBe(false);
  expect(isQuicklyValid(entries.depends_on, ['task-1', 'task-2'])).toBe(true);
  expect(isQuicklyValid(entries.depends_on, ['Task'])).toBe(false);
  expect([1, 5, 0, 6, 1.5, '1'].map((one) => isQuicklyValid(entries.priority, one))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(isQuicklyValid(entries.description, 'x'.repeat(16_385))).toBe(false);
});
