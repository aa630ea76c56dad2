import { defineConfig } from 'vitest/config';
import { TEMPORARY } from './test/temporary.ts';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', 'test/scenarios/**/*.test.ts'],
    environment: 'node',
    env: { TMPDIR: TEMPORARY },
    testTimeout: 60_000,
    pool: 'threads',
    // By default one core is left idle, which on two cores doubles the time.
    maxWorkers: '100%',
  },
});
