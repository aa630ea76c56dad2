// A checkout made ready: what is copied, what is run, and what is refused instead.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { contextOf } from '../../../src/store/open.ts';
import { type PrepareRequest, prepareFolder } from '../../../src/tasks/prepare-checkout.ts';
import { hostAt } from '../../host.ts';
import { refusedBy } from '../../refused-by.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let home = '';
let root = '';
let folder = '';
let outside = '';
const said: string[] = [];

beforeEach(() => {
  home = temporaryFolder();
  root = join(home, 'project');
  folder = join(root, '.worktrees', 'task-1');
  outside = join(home, 'outside');
  mkdirSync(folder, { recursive: true });
  mkdirSync(outside);
  write(join(outside, 'secret'), 'outside');
  said.length = 0;
});

function write(file: string, text: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

interface More {
  readonly folder?: string;
  readonly signal?: AbortSignal;
}

const prepare = (settings: Partial<PrepareRequest['settings']>, { folder: at = folder, signal }: More = {}) =>
  prepareFolder(
    {
      ...contextOf({
        root,
        gitDirectory: undefined,
        host: hostAt(Date.now, { PATH: process.env.PATH, TMPDIR: home, GITHUB_TOKEN: 'sesame' }),
        specExists: () => true,
        nested: undefined,
      }),
      say: (line) => said.push(line),
      ...(signal === undefined ? {} : { stop: () => signal }),
    },
    {
      folder: at,
      settings: { sandbox: 'off', agent_memory_mb: 0, agent_processes: 0, post_worktree_timeout: 10, ...settings },
      logFile: join(root, '.liza', 'agent-logs', 'prepare-task-1.log'),
    },
  );
const files = (...worktree_files: readonly string[]) => prepare({ worktree_files });
const run = (post_worktree_cmd: string, more: More = {}) => prepare({ post_worktree_cmd }, more);
const inFolder = (name: string): string => readFileSync(join(folder, name), 'utf8');

test('nothing declared, nothing done', async () => {
  expect(await prepare({})).toBeUndefined();
  expect(await prepare({ worktree_files: [], post_worktree_cmd: null })).toBeUndefined();
  expect(await run('  ')).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
  expect(said).toEqual([]);
});

test('files first, then the command, which finds them', async () => {
  write(join(root, '.env'), 'A=1\n');
  expect(
    await prepare({ worktree_files: ['.env'], post_worktree_cmd: 'cat .env > seen; pwd >> seen' }),
  ).toBeUndefined();
  expect(inFolder('seen')).toBe(`A=1\n${folder}\n`);
  expect(said).toEqual(['preparing .worktrees/task-1: cat .env > seen; pwd >> seen']);
});

describe('files', () => {
  test('byte for byte, with their mode, in folders made for them', async () => {
    const bytes = Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7) % 256));
    write(join(root, 'config', 'deep', 'key.bin'), bytes);
    chmodSync(join(root, 'config', 'deep', 'key.bin'), 0o600);
    write(join(root, 'tool'), '#!/bin/sh\n');
    chmodSync(join(root, 'tool'), 0o755);
    write(join(root, '..env'), 'dots');
    expect(await files('config/deep/key.bin', 'tool', '..env')).toBeUndefined();
    expect(readFileSync(join(folder, 'config', 'deep', 'key.bin')).equals(bytes)).toBe(true);
    expect(statSync(join(folder, 'config', 'deep', 'key.bin')).mode & 0o7777).toBe(0o600);
    expect(statSync(join(folder, 'tool')).mode & 0o7777).toBe(0o755);
    expect(inFolder('..env')).toBe('dots');
    expect(readdirSync(folder).sort()).toEqual(['..env', 'config', 'tool']);
  });

  test('again: the old one is replaced as a whole, and so is what a crash left', async () => {
    write(join(root, '.env'), 'new');
    write(join(folder, '.env'), 'an older and longer one');
    write(join(folder, '.env.liza-new'), 'half');
    const before = lstatSync(join(folder, '.env')).ino;
    expect(await files('.env')).toBeUndefined();
    expect(inFolder('.env')).toBe('new');
    expect(lstatSync(join(folder, '.env')).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(['.env']);
  });

  test('a link that stays in the project is followed', async () => {
    write(join(root, 'config', 'real'), 'text');
    symlinkSync('config/real', join(root, '.env'));
    expect(await files('.env')).toBeUndefined();
    expect(lstatSync(join(folder, '.env')).isFile()).toBe(true);
    expect(inFolder('.env')).toBe('text');
  });

  test.each([
    ['../outside/secret', 'points outside the project'],
    ['a/../../x', 'points outside the project'],
    ['/etc/passwd', 'points outside the project'],
    ['', 'is not a plain name'],
    ['.', 'is not a plain name'],
    ['./.env', 'is not a plain name'],
    ['a//b', 'is not a plain name'],
    ['a\0b', 'is not a plain name'],
    ['config/', 'is a folder'],
    ['.git', 'belongs to git or to Liza'],
    ['.git/config', 'belongs to git or to Liza'],
    ['.GIT/hooks/x', 'belongs to git or to Liza'],
    ['sub/.git/config', 'belongs to git or to Liza'],
    ['.liza/state.yaml', 'belongs to git or to Liza'],
    ['.worktrees/other/.env', 'belongs to git or to Liza'],
  ])('the name %j is refused before anything is copied', async (name, why) => {
    write(join(root, 'first'), 'x');
    const refused = await files('first', name);
    expect(refused).toMatchObject(refusedBy('worktree-files', { ok: false, code: 3 }));
    expect(refused?.message).toContain(`worktree_files names ${JSON.stringify(name)}, which ${why}`);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a file that is missing is named', async () => {
    write(join(root, 'file'), 'x');
    expect(await files('.env')).toMatchObject({
      code: 3,
      message: `worktree_files names .env, but ${join(root, '.env')} is not there`,
      hint: 'create it, or remove it from the list: liza config set worktree_files \'[".env"]\'',
    });
    expect((await files('file/below'))?.message).toContain('is not there');
    symlinkSync('nowhere', join(root, 'broken'));
    expect((await files('broken'))?.message).toContain('is not there');
  });

  test('a folder, a fifo and a loop are no files', async () => {
    mkdirSync(join(root, 'config'));
    execFileSync('mkfifo', [join(root, 'fifo')]);
    symlinkSync('loop', join(root, 'loop'));
    expect((await files('config'))?.message).toBe('config of worktree_files is a folder');
    expect((await files('fifo'))?.message).toBe('fifo of worktree_files is not a regular file');
    expect((await files('loop'))?.message).toContain('loop of worktree_files could not be copied');
  });

  test('links in the project that lead out of it, or to what is not its own', async () => {
    write(join(root, '.git', 'config'), 'git');
    write(join(root, '.worktrees', 'other', 'planted'), 'agent');
    symlinkSync(join(outside, 'secret'), join(root, 'file-link'));
    symlinkSync(outside, join(root, 'folder-link'));
    symlinkSync('.git/config', join(root, 'git-link'));
    symlinkSync('.worktrees/other/planted', join(root, 'agent-link'));
    for (const name of ['file-link', 'folder-link/secret', 'git-link', 'agent-link']) {
      const refused = await files(name);
      expect(refused).toMatchObject(refusedBy('worktree-files', { code: 3 }));
      expect(refused?.message).toContain(`${name} of worktree_files is a link that points to `);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test('links in the checkout are never written through', async () => {
    write(join(root, 'sub', 'deep', 'secret'), 'new');
    write(join(root, 'secret'), 'new');
    const cases: readonly (readonly [link: string, target: string, name: string])[] = [
      ['sub', outside, 'sub/deep/secret'],
      ['sub/deep', outside, 'sub/deep/secret'],
      ['secret', join(outside, 'secret'), 'secret'],
      ['secret', join(outside, 'made'), 'secret'],
      ['secret.liza-new', join(outside, 'secret'), ''],
    ];
    for (const [link, target, name] of cases) {
      rmSync(folder, { recursive: true });
      mkdirSync(dirname(join(folder, link)), { recursive: true });
      symlinkSync(target, join(folder, link));
      const refused = await files(name || 'secret');
      if (name === '') expect(refused).toBeUndefined();
      else
        expect(refused?.message).toBe(
          `${name} of worktree_files cannot be copied: ${join(folder, link)} is a symbolic link`,
        );
    }
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('outside');
  });

  test('a checkout that is itself a link, and things in the way', async () => {
    write(join(root, 'sub', 'file'), 'x');
    write(join(root, 'file'), 'x');
    write(join(folder, 'sub'), 'a file where a folder belongs');
    mkdirSync(join(folder, 'file'));
    expect((await files('sub/file'))?.message).toContain(`${join(folder, 'sub')} is not a folder`);
    expect((await files('file'))?.message).toContain(`${join(folder, 'file')} is a folder`);
    const link = join(root, '.worktrees', 'link');
    symlinkSync(outside, link);
    expect((await prepare({ worktree_files: ['file'] }, { folder: link }))?.message).toContain('is a symbolic link');
    expect(readdirSync(outside)).toEqual(['secret']);
  });
});

describe('the command', () => {
  const log = () => readFileSync(join(root, '.liza', 'agent-logs', 'prepare-task-1.log'), 'utf8');

  test('runs in a shell, without credentials, and its output is kept', async () => {
    expect(await run('echo "token: $GITHUB_TOKEN" && echo done >&2')).toBeUndefined();
    expect(log()).toBe('token: \ndone\n');
  });

  test('that fails is refused with the end of its output', async () => {
    const refused = await run('seq 1 30;\n  printf "\\033[31mno\\033[0m\\n\\n"; exit 7');
    expect(refused).toEqual({
      ok: false,
      code: 3,
      guard: 'post-worktree-cmd',
      message: 'post_worktree_cmd "seq 1 30; printf "\\033[31mno\\033[0m\\n\\n"; exit 7" ended with 7',
      hint: 'fix what it names, or change the command: liza config set post_worktree_cmd "<command>"; whole output: .liza/agent-logs/prepare-task-1.log',
      lines: [...Array.from({ length: 19 }, (_, n) => `  ${n + 12}`), '  no'],
    });
    expect(log().split('\n')).toHaveLength(33);
  });

  test.each([
    ['exit 1', 'post_worktree_cmd "exit 1" ended with 1'],
    ['kill -TERM $$', 'post_worktree_cmd "kill -TERM $$" was ended by SIGTERM'],
  ])('%s: said plainly', async (command, message) => {
    const refused = await run(command);
    expect(refused).toMatchObject({ code: 3, message });
    expect(refused?.lines).toBeUndefined();
    expect(refused?.hint).not.toContain('whole output');
  });

  test('that hangs is ended at its limit', async () => {
    const refused = await prepare({ post_worktree_cmd: 'echo waiting; sleep 1000', post_worktree_timeout: 0.3 });
    expect(refused).toMatchObject({
      code: 3,
      message: 'post_worktree_cmd "echo waiting; sleep 1000" was ended after 0.3 s, its time limit',
      hint: expect.stringContaining('give it more time: liza config set post_worktree_timeout 0.6'),
      lines: ['  waiting'],
    });
  });

  test('that is stopped, or cannot start', async () => {
    expect(await run('true', { signal: AbortSignal.abort() })).toMatchObject({
      code: 3,
      message: 'post_worktree_cmd "true" was stopped',
    });
    const gone = join(root, '.worktrees', 'gone');
    expect(await run('true', { folder: gone })).toMatchObject({
      code: 3,
      message: `post_worktree_cmd "true" did not start: the folder ${gone} is not there`,
    });
  });

  test('does not run when a file is refused', async () => {
    expect(await prepare({ worktree_files: ['.env'], post_worktree_cmd: 'touch ran' })).toMatchObject({ code: 3 });
    expect(readdirSync(folder)).toEqual([]);
    expect(said).toEqual([]);
  });

  test('a checkout outside the project is named in full', async () => {
    await run('true', { folder: outside });
    expect(said).toEqual([`preparing ${outside}: true`]);
  });
});
