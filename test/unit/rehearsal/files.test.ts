import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { changeFiles } from '../../../src/rehearsal/files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let home: string;
let work: string;
beforeEach(() => {
  home = temporaryFolder();
  work = join(home, 'work');
  mkdirSync(join(home, 'script', 'set', 'src'), { recursive: true });
  mkdirSync(work);
  writeFileSync(join(home, 'outside.txt'), 'mine\n');
  writeFileSync(join(home, 'script', 'set', 'src', 'a.mjs'), '{task}\n');
});

const change = (step: Record<string, unknown>): string =>
  changeFiles(realDisk, step, Object.keys(step)[0] as 'write', { cwd: work, beside: join(home, 'script') });
const text = (file: string): string => readFileSync(join(work, file), 'utf8');

test('writes, appends, replaces, removes, copies', () => {
  change({ write: 'a/b.txt', text: ['one', 'two'] });
  expect(text('a/b.txt')).toBe('one\ntwo\n');
  change({ append: 'a/b.txt', text: 'three' });
  change({ replace: 'a/b.txt', find: 'two', by: 'deux' });
  expect(text('a/b.txt')).toBe('one\ndeux\nthree\n');
  change({ remove: 'a/b.txt' });
  expect(existsSync(join(work, 'a/b.txt'))).toBe(false);
  change({ copy: 'set' });
  expect(text('src/a.mjs')).toBe('{task}\n');
});

test('a program that is copied over stays executable', () => {
  change({ write: 'src/a.mjs', text: 'old' });
  chmodSync(join(work, 'src/a.mjs'), 0o755);
  change({ copy: 'set' });
  expect(text('src/a.mjs')).toBe('{task}\n');
  expect(statSync(join(work, 'src/a.mjs')).mode & 0o111).toBe(0o111);
});

test('a text to replace must be there exactly once', () => {
  change({ write: 'a.txt', text: 'x x' });
  expect(() => change({ replace: 'a.txt', find: 'x', by: 'y' })).toThrow('2 times, not once');
  expect(() => change({ replace: 'a.txt', find: 'z', by: 'y' })).toThrow('0 times, not once');
  expect(() => change({ remove: 'b.txt' })).toThrow('there is no b.txt');
  expect(() => change({ copy: 'nowhere' })).toThrow('there is no folder');
});

test('no path and no link leads out of the folder, or into git’s own files', () => {
  symlinkSync(home, join(work, 'link'));
  symlinkSync(join(home, 'outside.txt'), join(work, 'file'));
  for (const name of ['../outside.txt', join(home, 'outside.txt'), 'link/outside.txt', 'link/new/deep.txt', 'file']) {
    expect(() => change({ write: name, text: 'x' }), name).toThrow('is outside ');
  }
  expect(() => change({ remove: '..' })).toThrow('is outside ');
  expect(() => change({ write: '.git/hooks/pre-commit', text: 'x' })).toThrow('git’s own');
  expect(() => change({ copy: '../work' })).toThrow('is outside ');
  expect(readFileSync(join(home, 'outside.txt'), 'utf8')).toBe('mine\n');
});
