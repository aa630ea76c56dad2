import { defineConfig } from 'vitest/config';

/** It measures, and so has the machine to itself. */
const MEASURED = ['test/e2e/concurrency.test.ts'];

// Real processes, real git, real locks. Most of the time is spent waiting: a few files at once.
export default defineConfig({
  test: {
    environment: 'node',
    globalSetup: ['test/e2e/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'alone', include: MEASURED, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: MEASURED,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
