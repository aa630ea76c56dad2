// Every test that vitest runs, one project per kind: `npx vitest run --project integration`. `npm run check` runs
// 'unit', and tools/test.mjs the rest. Groups run one after the other: what measures has the machine to itself.

import { defineConfig } from 'vitest/config';
import { IN_MEMORY, ON_DISK } from './test/temporary.ts';

/** It measures, and so has the machine to itself. */
const MEASURED = ['test/e2e/concurrency.test.ts'];

const inMemory = { TMPDIR: IN_MEMORY, TESTS_ON_DISK: ON_DISK };
// By default one core is left idle, which on two cores doubles the time.
const unit = { env: inMemory, pool: 'threads', maxWorkers: '100%', sequence: { groupOrder: 0 } } as const;
/** Real git and real programs in temporary folders: too slow for `npm run check`. */
const processes = { env: inMemory, hookTimeout: 60_000, pool: 'forks', maxWorkers: '100%' } as const;
/** The built program, real locks. Most of the time is spent waiting: a few files at once. */
const e2e = {
  env: { TMPDIR: ON_DISK },
  globalSetup: ['test/support/build.ts'],
  hookTimeout: 60_000,
  isolate: false,
  pool: 'forks' as const,
};

export default defineConfig({
  test: {
    environment: 'node',
    testTimeout: 60_000,
    globalSetup: ['test/temporary.ts'],
    projects: [
      // One context for all files of a worker, here and below where `isolate` is off: a test puts back what it replaces.
      project('unit', {
        ...unit,
        include: ['test/unit/**/*.test.ts', 'test/scenarios/**/*.test.ts'],
        isolate: false,
      }),
      project('integration', {
        ...processes,
        include: ['test/integration/**/*.test.ts'],
        isolate: false,
        // More than half of the time is spent waiting for programs and for what gives up after a while.
        maxWorkers: 3,
        sequence: { groupOrder: 1 },
      }),
      project('fuzz', {
        ...processes,
        include: ['test/fuzz/**/*.test.ts'],
        testTimeout: 3_600_000,
        sequence: { groupOrder: 2 },
      }),
      project('e2e-measured', { ...e2e, include: MEASURED, sequence: { groupOrder: 3 } }),
      project('e2e', {
        ...e2e,
        include: ['test/e2e/**/*.test.ts'],
        exclude: MEASURED,
        maxWorkers: 3,
        sequence: { groupOrder: 4 },
      }),
    ],
  },
});

function project<T extends object>(name: string, test: T): { extends: true; test: T & { name: string } } {
  return { extends: true, test: { name, ...test } };
}
