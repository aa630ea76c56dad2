// A pipe where git expects a file keeps git waiting: whoever plants one in its folder must not stop Liza with it.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { changedSince } from '../../../src/git/folder-snapshot.ts';
import { isolationFor } from '../../../src/git/isolation.ts';
import { isMachineFault } from '../../../src/git/run.ts';
import { headOf } from '../../../src/git/task-folder.ts';
import { removePlantedPipes } from '../../../src/ports/git-watch.ts';
import { EnvironmentError } from '../../../src/protocol/decision.ts';
import { inFull } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { type Repository, repository } from '../../support/repository.ts';

let repo: Repository;

const clone = async () => {
  repo = repository({ branch: 'integration', files: { 'a.txt': 'a\n' } });
  const gitDir = await repo.gitDir();
  const start = repo.git('rev-parse', 'HEAD');
  return { gitDir, start, place: await isolationFor(gitDir, 'clone').make(gitDir, 't', start) };
};

test('what was changed is told all the same, and the pipes are gone', async () => {
  const { gitDir, start, place } = await clone();
  write(place.folder, { 'b.txt': 'b\n', 'deep/er/c.txt': 'c\n' });
  const pipes = ['.gitignore', 'deep/.gitattributes', 'deep/er/.gitignore'].map((name) =>
    path.join(place.folder, name),
  );
  execFileSync('mkfifo', pipes);
  expect(await changedSince(gitDir, place, start)).toEqual(['b.txt', 'deep/er/c.txt']);
  expect(pipes.filter((pipe) => fs.existsSync(pipe))).toEqual([]);
}, 40_000);

test('a branch that is a pipe leads to no commit', async () => {
  const { gitDir, place } = await clone();
  const branch = path.join(place.folder, '.git/refs/heads/task/t');
  fs.rmSync(branch);
  execFileSync('mkfifo', [branch]);
  const begun = performance.now();
  expect(await headOf(gitDir, place)).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(4000);
}, 40_000);

test('other pipes, and what a link leads to, are left alone', async () => {
  const { place } = await clone();
  const outside = path.join(repo.base, 'outside');
  fs.mkdirSync(outside);
  const others = [path.join(place.folder, 'a-pipe'), path.join(outside, '.gitignore')];
  execFileSync('mkfifo', others);
  fs.symlinkSync(outside, path.join(place.folder, 'link'));
  await removePlantedPipes(place.folder);
  expect(others.filter((pipe) => fs.existsSync(pipe))).toEqual(others);
});

test.runIf(inFull)(
  'out of the folder, by a repository inside: git is ended within seconds, and it is not the machine’s fault (in test:all)',
  async () => {
    const { gitDir, start, place } = await clone();
    const outside = path.join(repo.base, 'outside');
    write(outside, { 'objects/x': '', 'refs/x': '' });
    execFileSync('mkfifo', [path.join(outside, 'HEAD')]);
    write(place.folder, { 'inner/.git': `gitdir: ${outside}\n`, 'inner/x': '' });
    const begun = performance.now();
    const error = await changedSince(gitDir, place, start).catch((thrown: unknown) => thrown);
    expect(performance.now() - begun).toBeLessThan(9000);
    expect(error).toBeInstanceOf(EnvironmentError);
    expect(error).toMatchObject({
      message: expect.stringContaining('waited for ever'),
      hint: `look at ${place.folder}`,
    });
    expect(isMachineFault(error as EnvironmentError)).toBe(false);
  },
  40_000,
);

test('in the project’s own configuration: every command says so within seconds', async () => {
  await clone();
  const pipe = path.join(repo.base, 'pipe');
  execFileSync('mkfifo', [pipe]);
  repo.git('config', 'include.path', pipe);
  const begun = performance.now();
  await expect(repo.gitDir()).rejects.toMatchObject({
    message: 'git config waited for ever, as at a pipe in place of a file, and was ended',
  });
  expect(performance.now() - begun).toBeLessThan(9000);
}, 40_000);

test.runIf(inFull)(
  'a git that works for longer than a pipe is waited for is left alone (in test:all)',
  async () => {
    const { gitDir } = await clone();
    const asked = gitDir.objects(['-c', 'alias.long=!sleep 8; echo done', 'long']);
    expect((await asked).stdout).toBe('done\n');
  },
  40_000,
);
