// Liza's own git over an agent's folder: it tells what is there, and sees nothing that the agent does not. Real bubblewrap.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { changedSince, treeOf } from '../../../src/git/folder-snapshot.ts';
import { openGitDir } from '../../../src/git/integration.ts';
import { findPlace, type Place } from '../../../src/git/task-folder.ts';
import { sandboxSupportOf } from '../../../src/sandbox/mode.ts';
import { hostAt } from '../../host.ts';
import { project, succeeded } from '../../support/project.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;

test.runIf(works)('a snapshot of the folder is whole, and no path leads git out of it', async () => {
  const p = project({ config: { isolation: 'clone' } });
  await p.claim('t');
  const env = { ...p.env, PATH: process.env['PATH'] };
  const context = p.as('coder-1', { env, sandboxSupport: sandboxSupportOf(hostAt(Date.now, env), []) });
  const gitDir = succeeded(await openGitDir(context, (await context.store.read()).board));
  const place = findPlace(gitDir, 't') as Place;
  const secret = path.join(p.base, 'secret');
  fs.writeFileSync(secret, 'TOP-SECRET\n');
  fs.mkdirSync(p.folder('t', 'src'), { recursive: true });
  fs.writeFileSync(p.folder('t', 'src/new.ts'), 'new\n');
  fs.writeFileSync(p.folder('t', 'README.md'), 'changed\n');

  const head = p.git('-C', place.folder, 'rev-parse', 'HEAD');
  expect(await changedSince(gitDir, place, head)).toEqual(['README.md', 'src/new.ts']);
  const tree = await treeOf(gitDir, place, head, []);
  expect(p.git('show', `${tree}:src/new.ts`)).toBe('new');

  const read = await gitDir.files(place, ['hash-object', '-w', '--no-filters', secret]);
  expect(read.status).not.toBe(0);
  expect(read.stderr).toContain('No such file');
  // What an agent must not see of the project either: the board, its copy, other folders, and settings with keys.
  const hidden = [path.join(gitDir.root, '.liza', 'state.yaml'), path.join(gitDir.common, 'liza', 'owner')];
  for (const file of hidden.filter((one) => fs.existsSync(one)))
    expect((await gitDir.files(place, ['hash-object', '--no-filters', file])).status).not.toBe(0);

  // Without its .git it is still an agent's folder.
  fs.renameSync(path.join(place.folder, '.git'), path.join(p.base, 'dot'));
  const bare = { ...place, index: path.join(gitDir.common, 'liza', 'nowhere', 'index') };
  expect((await gitDir.files(bare, ['hash-object', '--no-filters', secret])).status).not.toBe(0);
});
