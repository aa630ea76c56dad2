// Somebody still has a checkout open in which a program of the project ran, and exchanges a folder for a link while Liza
// lays out files there. Nothing outside is written or removed. Real bubblewrap, and a process that exchanges all the time.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { putIndex } from '../../../src/git/checkout.ts';
import { renewGitDirectory, writeClone } from '../../../src/git/clone.ts';
import { openGitDir } from '../../../src/git/integration.ts';
import type { PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { temporaryPath } from '../../../src/git/scratch-folders.ts';
import { layOutAgain } from '../../../src/git/tracked-files.ts';
import { sandboxSupportOf } from '../../../src/sandbox/mode.ts';
import { hostAt } from '../../host.ts';
import { project, succeeded } from '../../support/project.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;
const PERL = '/usr/bin/perl';
const RENAMEAT2 = { x64: 316, arm64: 276 }[process.arch as string];
const canExchange = works && RENAMEAT2 !== undefined && fs.existsSync(PERL);

const FILES = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`d/!${n}`, `${n}\n`]));

async function checkout(purpose: 'proof' | 'merge' | 'trial' | 'setup' = 'proof') {
  const p = project({ files: { ...FILES, 'd/.bashrc': 'echo planted\n', 'd/sub/x': 'x\n' } });
  // As on a kernel without scopes: there nothing but this holds.
  const env = { ...p.env, PATH: process.env['PATH'], LIZA_SANDBOX_UNSCOPED: '1' };
  const context = p.as('coder-1', { env, sandboxSupport: sandboxSupportOf(hostAt(Date.now, env), []) });
  const gitDir = succeeded(await openGitDir(context, (await context.store.read()).board));
  const start = p.git('rev-parse', 'integration');
  const folder =
    purpose === 'setup'
      ? path.join(gitDir.worktrees, '.setup-1-00000000')
      : temporaryPath(context, gitDir.worktrees, purpose, 't');
  await writeClone(gitDir, folder, { start });
  const home = path.join(p.base, 'home-of-the-person');
  fs.mkdirSync(path.join(home, 'sub'), { recursive: true });
  fs.writeFileSync(path.join(home, '.bashrc'), 'echo the person wrote this\n');
  fs.writeFileSync(path.join(home, '.gitattributes'), 'of the person\n');
  fs.writeFileSync(path.join(home, 'index'), 'of the person\n');
  fs.writeFileSync(path.join(home, 'config'), 'of the person\n');
  return { p, gitDir, folder, start, home };
}

const listed = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => [
        name,
        fs.lstatSync(path.join(folder, name)).isFile() ? fs.readFileSync(path.join(folder, name), 'utf8') : '',
      ]),
  );

/** `name` and a link to `to` change places, again and again. */
async function exchanging(folder: string, name: string, to: string): Promise<() => void> {
  fs.symlinkSync(to, path.join(folder, `${name}-link`));
  const script = `my ($d, $l) = @ARGV; $| = 1; print "x"; while (1) { syscall(${RENAMEAT2}, -100, $d, -100, $l, 2); select(undef, undef, undef, 0.0004) }`;
  const child = spawn(PERL, ['-e', script, name, `${name}-link`], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((done) => child.stdout.once('data', done));
  const stop = (): void => void child.kill('SIGKILL');
  onTestFinished(stop);
  return stop;
}

const tries = async (work: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < 12; n += 1) await work(n).catch(() => {}); // what it meets there may fail it
};

test.runIf(works).each(['proof', 'merge', 'trial', 'setup'] as const)(
  'git over a checkout for a %s sees nothing outside of it, once programs ran there',
  async (purpose) => {
    const { gitDir, folder, home } = await checkout(purpose);
    const files = { folder, index: path.join(folder, '.git', 'index') };
    const asked = await gitDir.files(files, ['hash-object', '--no-filters', path.join(home, '.bashrc')]);
    expect(asked.status).not.toBe(0);
    expect((await gitDir.files(files, ['hash-object', '--no-filters', 'd/sub/x'])).status).toBe(0);
  },
);

test.runIf(canExchange)(
  'files that are laid out again come into the checkout alone',
  async () => {
    const { gitDir, folder, start, home } = await checkout();
    const before = listed(home);
    const stop = await exchanging(folder, 'd', home);
    const inside = fs.openSync(path.join(folder, 'd'), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
    onTestFinished(() => fs.closeSync(inside));
    await tries(async () => {
      for (const name of ['d', 'd-link']) {
        const at = path.join(folder, name);
        if (!fs.lstatSync(at).isSymbolicLink())
          for (const file of fs.readdirSync(at))
            if (file.startsWith('!')) fs.rmSync(path.join(folder, name, file), { force: true });
      }
      await layOutAgain(gitDir, folder, start);
    });
    stop();
    expect(listed(home)).toEqual(before);
  },
  120_000,
);

test.runIf(canExchange)(
  'attributes that are removed, and an index that is put there, are the checkout’s own',
  async () => {
    const { gitDir, folder, start, home } = await checkout();
    const before = listed(home);
    const stops = [await exchanging(folder, 'd', home), await exchanging(folder, '.git', home)];
    const index = path.join(folder, 'own-index');
    fs.writeFileSync(index, 'new');
    await tries(async () => {
      for (let n = 0; n < 60; n += 1) putIndex(gitDir.host, index, folder);
      await layOutAgain(gitDir, folder, start);
    });
    for (const stop of stops) stop();
    expect(listed(home)).toEqual(before);
  },
  120_000,
);

test.runIf(canExchange)(
  'a git directory that is written again is the checkout’s own',
  async () => {
    const { gitDir, folder, start, home } = await checkout();
    const before = listed(home);
    const stop = await exchanging(folder, '.git', home);
    await tries(() => renewGitDirectory(gitDir, folder, { start }));
    stop();
    expect(listed(home)).toEqual(before);
    expect(strays(gitDir)).toEqual([]);
  },
  120_000,
);

const strays = ({ worktrees }: PrivateGitDir): readonly string[] =>
  fs.readdirSync(worktrees).filter((name) => name.startsWith('.setup-'));
