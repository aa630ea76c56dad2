import { defineConfig } from 'vitest/config';
import { TEMPORARY } from './test/temporary.ts';

export default defineConfig({
  test: {
    include: ['test/fuzz/**/*.test.ts'],
    environment: 'node',
    env: { TMPDIR: TEMPORARY },
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    // What one of them costs is measured by its process.
    pool: 'forks',
    maxWorkers: '100%',
  },
});
