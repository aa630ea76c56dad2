import { defineConfig } from 'vitest/config';
import { TEMPORARY } from './test/temporary.ts';

// Real git and real programs in temporary folders: too slow for `npm run check`, part of `npm test`.
export default defineConfig({
  test: {
    include: ['test/integration/**/*.test.ts'],
    environment: 'node',
    env: { TMPDIR: TEMPORARY },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: '100%',
  },
});
