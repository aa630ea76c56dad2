// What programs find above the checkouts, and what of it changed since agents work.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { changedAbove, topsAbove } from '../../../src/git/above.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function tree() {
  const top = fs.realpathSync(temporaryFolder());
  const worktrees = path.join(top, 'home', 'p', '.worktrees');
  const checkout = path.join(worktrees, '.proof-t-00000000');
  fs.mkdirSync(checkout, { recursive: true });
  const write = (file: string, text = 'x\n'): string => {
    const at = path.join(top, file);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    fs.writeFileSync(at, text);
    return at;
  };
  const look = (since: number, topsOnly = false) =>
    changedAbove(realDisk, { worktrees, checkout, since, topsOnly })
      .filter(({ at }) => at.startsWith(top))
      .map(({ at, names }) => [path.relative(top, at), ...names].join(' '));
  /** After all that was written so far, by the clock of the file system. */
  const now = (): number => {
    const mark = path.join(top, 'mark');
    for (const first = touched(mark); ; ) if (touched(mark) > first) return first;
  };
  return { top, worktrees, write, look, now };
}

const touched = (file: string): number => {
  fs.writeFileSync(file, '');
  fs.utimesSync(file, 0, 0);
  return fs.lstatSync(file).ctimeMs;
};

test('settings and modules in every folder above, and nothing that no program looks for', () => {
  const { write, look } = tree();
  for (const file of ['conftest.py', '.cargo/config.toml', '.babelrc', 'tsconfig.json', 'package.json', 'notes.txt'])
    write(`home/${file}`);
  write('node_modules/a/index.js');
  write('home/p/pytest.ini');
  expect(look(0).toSorted()).toEqual(
    [
      ...['home/.babelrc', 'home/.cargo/config.toml', 'home/conftest.py', 'home/p/pytest.ini', 'home/package.json'],
      ...['home/tsconfig.json', 'node_modules a'],
    ].toSorted(),
  );
});

test('what is older is not told; a file changed in place, with its time set back, or moved there is', () => {
  const { top, write, look, now } = tree();
  const inner = write('home/p/node_modules/@s/old/lib/index.js');
  write('home/p/node_modules/other/index.js');
  write('home/p/node_modules/.cache/x');
  write('home/p/tox.ini');
  write('aside/index.js');
  const since = now();
  expect(look(since)).toEqual([]);
  fs.writeFileSync(inner, 'changed\n');
  fs.utimesSync(inner, 1, 1);
  write('home/p/node_modules/.cache/y');
  expect(look(since)).toEqual(['home/p/node_modules @s/old/lib/index.js']);
  fs.renameSync(path.join(top, 'aside'), path.join(top, 'home/p/node_modules/answers'));
  expect(look(since)).toEqual(['home/p/node_modules answers @s/old/lib/index.js']);
});

test('the same file as in the checkout decides nothing; a link is told and not followed', () => {
  const { top, write, look } = tree();
  write('home/p/package.json', '{}\n');
  write('home/p/.worktrees/.proof-t-00000000/package.json', '{}\n');
  expect(look(0)).toEqual([]);
  write('home/p/package.json', '{"type":"module"}\n');
  write('elsewhere/a/index.js');
  fs.symlinkSync(path.join(top, 'elsewhere'), path.join(top, 'home/node_modules'));
  expect(look(0)).toEqual(['home/p/package.json', 'home/node_modules']);
});

test('the look before programs run goes no deeper than what is new there', () => {
  const { top, worktrees, write, look, now } = tree();
  const inner = write('home/p/node_modules/@s/old/lib/index.js');
  write('home/p/node_modules/.cache/x');
  write('node_modules/far/index.js');
  const since = now();
  fs.writeFileSync(inner, 'changed\n');
  expect([look(since, true), look(since)]).toEqual([[], ['home/p/node_modules @s/old/lib/index.js']]);
  // As a whole, so that a person accepts the same before and after.
  write('home/p/node_modules/new/index.js');
  expect(look(since, true)).toEqual(look(since));
  const tops = topsAbove(realDisk, worktrees).map((at) => path.relative(top, at));
  expect(tops.filter((at) => !at.startsWith('..')).toSorted()).toEqual(
    ['home/p/node_modules/@s', 'home/p/node_modules/new', 'node_modules/far'].toSorted(),
  );
});
