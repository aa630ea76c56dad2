// The unit tests with a bug planted into the sources as they are loaded; LIZA_PLANTED says which.

import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';
import { planted } from './plugin.mjs';

export default mergeConfig(base, { plugins: [planted()], test: { setupFiles: ['planted/record.ts'] } });
