// One git answers questions about objects for all sessions: it is nobody's own.

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { askObjects } from '../../../src/ports/git-objects.ts';
import { processesOf } from '../../../src/process/process-table.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('it does not carry the tag of the session that asked first, and so outlives it', async () => {
  const folder = temporaryFolder();
  execFileSync('git', ['init', '-q', '--bare', folder]);
  const id = execFileSync('git', ['-C', folder, 'hash-object', '-w', '--stdin'], { input: 'text' }).toString().trim();
  const place = { GIT_DIR: folder, GIT_OBJECT_DIRECTORY: path.join(folder, 'objects') };
  const env = { ...process.env, LIZA_PROGRAM: 'outer/5e5510' };
  const [found] = await askObjects(env, place, [{ name: id, content: true }]);
  expect(found?.bytes.toString()).toBe('text');
  const tagged = processesOf(hostAt(), { tag: '5e5510' }).filter((one) => one.tagged);
  expect(tagged).toEqual([]);
});
