import { expect, test } from 'vitest';
import { firstLine } from '../../../src/cli/first-line.ts';

test.each([
  [['run'], 'Liza 1.2.3: checking the project ...\n'],
  [['run', '--coders', '3'], 'Liza 1.2.3: checking the project ...\n'],
  [['attach'], 'Liza 1.2.3: looking for the crew ...\n'],
  [['run', '--json'], undefined],
  [['run', '--help'], undefined],
  [['status'], undefined],
  [['constructor'], undefined],
  [[], undefined],
])('%j', (argv, line) => {
  expect(firstLine(argv, '1.2.3')).toBe(line);
});
