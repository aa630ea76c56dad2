import { mergeConfig } from 'vitest/config';
import { planted } from './planted/plugin.mjs';
import base from './vitest.config.ts';

export default mergeConfig(base, { plugins: [planted()], test: { setupFiles: ['planted/record.ts'] } });
