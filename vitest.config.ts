import { defineConfig } from 'vitest/config';
import { TEMPORARY } from './test/temporary.ts';

/** They replace modules or globals, and so have a process of their own; the others share what they import. */
const ALONE = [
  'test/unit/store/yaml/splice.test.ts',
  'test/unit/store/cache.test.ts',
  'test/unit/cli/live/view-model.test.ts',
];
const ALL = ['test/unit/**/*.test.ts', 'test/scenarios/**/*.test.ts'];

export default defineConfig({
  test: {
    environment: 'node',
    env: { TMPDIR: TEMPORARY },
    testTimeout: 60_000,
    pool: 'threads',
    // By default one core is left idle, which on two cores doubles the time.
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'unit', include: ALL, exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
