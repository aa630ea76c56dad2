// Writes down, by test file, which guards refused something in it.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';

afterAll(() => {
  const { record } = JSON.parse(process.env['LIZA_PLANTED'] ?? '{}') as { readonly record?: string };
  const { __guards: guards = [], __refused: refused = new Set() } = globalThis as {
    __guards?: readonly string[];
    __refused?: Set<string>;
  };
  if (record === undefined) return;
  const file = expect.getState().testPath ?? '';
  const lines = guards.map((guard) => `${guard}\t${refused.has(guard) ? file : ''}\n`);
  appendFileSync(join(record, 'refused.txt'), lines.join(''));
  refused.clear();
});
