import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordsOf } from '../../../src/store/cache-records.ts';
import { recordsIn } from '../../../src/store/cache-reuse.ts';

const sectionOf = (values: readonly unknown[]) => {
  const { lengths, chunks } = recordsOf(values, undefined);
  return { bytes: Buffer.concat(chunks), lengths: () => lengths };
};
const record = (n: number) => ({ id: `task-${n}`, text: 'ü, "[\n]"'.repeat(n % 4), n });

test('whatever changed since the last time, it reads what is there', () => {
  const records = fc.array(fc.nat(60), { maxLength: 60 }).map((all) => all.map(record));
  const name = 'any';
  fc.assert(
    fc.property(fc.array(records, { minLength: 2, maxLength: 4 }), (boards) => {
      for (const values of boards) expect(recordsIn(name, sectionOf(values))).toEqual(values);
    }),
  );
});

test('records that are in the same bytes before and after a change stay the same objects', () => {
  const values = Array.from({ length: 40 }, (_, n) => record(n));
  const first = recordsIn('tasks', sectionOf(values));
  expect(recordsIn('tasks', sectionOf(values))).toBe(first);
  const changed = recordsIn('tasks', sectionOf(values.with(7, { ...record(7), text: 'another' })));
  expect(changed.filter((one, at) => one !== first[at])).toEqual([{ ...record(7), text: 'another' }]);
  const without = recordsIn('tasks', sectionOf(values.toSpliced(7, 1)));
  expect(without).toEqual(values.toSpliced(7, 1));
  expect(without[0]).toBe(first[0]);
  expect(without.at(-1)).toBe(first.at(-1));
});
