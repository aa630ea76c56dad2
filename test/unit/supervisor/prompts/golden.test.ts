// Every prompt as text, so that a change of wording is seen in review. GOLDEN=write writes them anew.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SITUATIONS } from './situations.ts';

const FOLDER = join(import.meta.dirname, 'golden');
const WRITE = process.env.GOLDEN === 'write';

test.each(Object.entries(SITUATIONS))('%s', (name, told) => {
  const file = join(FOLDER, `${name}.txt`);
  if (WRITE) writeFileSync(file, told());
  expect(existsSync(file), 'GOLDEN=write makes it').toBe(true);
  expect(told()).toBe(readFileSync(file, 'utf8'));
});

test('every golden file belongs to a situation', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(
    Object.keys(SITUATIONS)
      .map((name) => `${name}.txt`)
      .sort(),
  );
});
