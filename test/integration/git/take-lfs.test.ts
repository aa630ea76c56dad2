// Content of Git LFS comes out of a clone by the name that it has, whatever else the agent put beside it.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { isolationFor } from '../../../src/git/isolation.ts';
import { takeLfs } from '../../../src/git/take-lfs.ts';
import { write } from '../../support/core.mjs';
import { repository } from '../../support/repository.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const placed = (name: string): string => path.join('lfs/objects', name.slice(0, 2), name.slice(2, 4), name);

test('content is taken under its own name; false content and links are not', async () => {
  const repo = repository({ branch: 'integration', files: { 'a.txt': 'a\n' } });
  const gitDir = await repo.gitDir();
  const place = await isolationFor(gitDir, 'clone').make(gitDir, 't', repo.git('rev-parse', 'HEAD'));
  await takeLfs(gitDir, place);
  expect(fs.existsSync(path.join(gitDir.common, 'lfs'))).toBe(false);

  const [good, forged, linked] = [hash('good'), hash('forged'), hash('secret')];
  write(repo.base, { secret: 'secret' });
  write(place.gitDirectory, {
    [placed(good)]: 'good',
    [placed(forged)]: 'something else',
    [placed(linked)]: (file: string) => fs.symlinkSync(path.join(repo.base, 'secret'), file),
  });
  await takeLfs(gitDir, place);
  expect(fs.readFileSync(path.join(gitDir.common, placed(good)), 'utf8')).toBe('good');
  for (const name of [forged, linked]) expect(fs.existsSync(path.join(gitDir.common, placed(name)))).toBe(false);
});

test('a large file under a false name holds nobody up, and is read once', async () => {
  const repo = repository({ branch: 'integration', files: { 'a.txt': 'a\n' } });
  const gitDir = await repo.gitDir();
  const place = await isolationFor(gitDir, 'clone').make(gitDir, 't', repo.git('rev-parse', 'HEAD'));
  const file = path.join(place.gitDirectory, placed('ab'.repeat(32)));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '');
  fs.truncateSync(file, 200_000_000);
  const longest = monitorEventLoopDelay({ resolution: 1 });
  longest.enable();
  await takeLfs(gitDir, place);
  longest.disable();
  expect(longest.max / 1e6).toBeLessThan(300);
  const begun = performance.now();
  await takeLfs(gitDir, place);
  expect(performance.now() - begun).toBeLessThan(50);
  expect(fs.existsSync(path.join(gitDir.common, 'lfs'))).toBe(false);
});

test('with filters allowed, LFS finds the project’s content and leaves a pointer where there is none', async () => {
  const repo = repository({ branch: 'integration', files: { 'a.txt': 'a\n' } });
  repo.git('config', 'filter.lfs.smudge', 'cat');
  const gitDir = await repo.gitDir({ allowFilters: true });
  const asked = (key: string) => gitDir.objects(['config', key]).then(({ stdout }) => stdout.trim());
  expect(await asked('lfs.storage')).toBe(path.join(gitDir.common, 'lfs'));
  expect(await asked('lfs.skipdownloaderrors')).toBe('true');
});
