// The log of a crew in the background does not grow for ever.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { boundedLines, crewLog, MOST_BYTES } from '../../../src/cli/background-crew.ts';
import { boardContext } from '../../support/board-context.ts';
import { repository } from '../../support/repository.ts';

test('a log that is too long goes on empty, and what was in it is kept beside it once', () => {
  const { root } = repository();
  fs.mkdirSync(path.join(root, '.liza'), { recursive: true });
  const context = boardContext(root);
  const log = crewLog(context);
  const fd = fs.openSync(log, 'a+');
  const write = boundedLines(context, (text) => fs.writeSync(fd, text), fd);
  const first = 'x'.repeat(MOST_BYTES);
  write(first);
  expect(fs.existsSync(`${log}.1`)).toBe(false);
  write('the line that is too much\n');
  expect(fs.readFileSync(`${log}.1`, 'utf8')).toBe(`${first}the line that is too much\n`);
  write('goes on\n');
  expect(fs.readFileSync(log, 'utf8')).toBe('goes on\n');
  fs.closeSync(fd);
});
