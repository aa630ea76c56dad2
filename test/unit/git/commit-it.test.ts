// The command that a person is told to commit a document with: it can be typed as it is printed, in any terminal.

import { expect, test } from 'vitest';
import { commitIt } from '../../../src/git/committed-files.ts';

test.each([
  ['specs/vision.md', 'specs/vision.md'],
  ['specs/my vision.md', "'specs/my vision.md'"],
  ['specs/Grüße.md', 'specs'],
  ['docs/für alle/a.md', 'docs'],
  ['übersicht.md', '.'],
])('%s', (file, typed) => {
  expect(commitIt(file)).toBe(`git add ${typed} && git commit -m "The goal"`);
});
