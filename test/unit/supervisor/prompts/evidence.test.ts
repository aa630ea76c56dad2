// What a reviewer is told of the facts that Liza found.

import { describe, expect, test } from 'vitest';
import { withTask } from '../../../../src/protocol/change.ts';
import { proofOf, type TestProof } from '../../../../src/protocol/proof.ts';
import {
  BASE,
  begin,
  CODER,
  claimed,
  claimReview,
  commit,
  proved,
  SUPERVISOR,
  submit,
  type World,
} from '../../protocol/world.ts';
import { toReviewer } from './situations.ts';

const AT = commit(0x2000);
const LONG = `node --test ${'--test-name-pattern=retries '.repeat(8)}test/client.test.ts`;

function reviewed(tests?: Partial<TestProof>): World {
  const w = claimed();
  w.edit((state) => ({ ...state, config: { ...state.config, test_command: LONG } }));
  w.run(CODER, begin('a', BASE));
  const found = { mode: 'evidence', base: BASE, base_alone: 'green', on_base: 'red', base_tests: 'same' } as const;
  const proof = proved(w, 'a', AT, tests === undefined ? {} : { tests: { ...found, ...tests } });
  w.run(CODER, submit('a', AT, { proof }));
  w.run(SUPERVISOR, claimReview('a'));
  return w;
}

describe('a long command', () => {
  test('is written out once: the runs name it by its place', () => {
    const told = toReviewer(reviewed({ by: LONG }), 'a');
    expect(told.split(LONG)).toHaveLength(2);
    expect(told).toMatch(/green, [\d.]+ s: command \d of VALIDATION/);
    expect(told).toMatch(/red, as they should be; command \d of VALIDATION: the runner names no test/);
  });

  test('is written out where VALIDATION is not told again', () => {
    expect(toReviewer(reviewed(), 'a', { resumed: true })).toContain(`s: ${LONG}`);
  });
});

test('each run has the number by which an approval names it, and what its runner left out stands beside green', () => {
  const w = reviewed();
  expect(toReviewer(w, 'a')).toMatch(/\| #1 green, [\d.]+ s: /);
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      history: (task.history ?? []).map((entry) => {
        const proof = proofOf(entry);
        if (proof === undefined) return entry;
        return { ...entry, proof: { ...proof, runs: proof.runs.map((run) => ({ ...run, skipped: 'skipped 2' })) } };
      }),
    })),
  }));
  expect(toReviewer(w, 'a')).toMatch(/\| #1 green, [\d.]+ s, BUT NOT ALL RAN \(skipped 2\): /);
});

test('each fact has its own reason, and one that needs none has none', () => {
  const told = toReviewer(reviewed({ base_tests: 'red', because: { base_tests: 'X ended with 1' }, why: 'both' }), 'a');
  expect(told).toContain('(on BASE): red, as they should be\n');
  expect(told).toContain('no longer holds, because X ended with 1\n');
  expect(told).not.toContain('because both');
});

test('a reason that an older version recorded is told below both', () => {
  expect(toReviewer(reviewed({ on_base: 'unknown', why: 'it took too long' }), 'a')).toContain(
    '\n  because it took too long\n',
  );
});

test('tests of a test task that are green on the base are told as they should be', () => {
  const w = reviewed({ on_base: 'green' });
  expect(toReviewer(w, 'a')).toContain('(on BASE): GREEN: they pass without the change');
  w.edit((state) => withTask(state, { ...w.task('a'), type: 'test' }));
  expect(toReviewer(w, 'a')).toContain('(on BASE): green, as tests for code that is merged already should be\n');
});
