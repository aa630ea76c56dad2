// Which files a set-up command reads: what is declared, what is known of an install by a lock file, and when all count.

import { describe, expect, test } from 'vitest';
import { knownReads, lockOf, readsOf } from '../../../src/tasks/rules/setup-inputs.ts';

const PLAIN = JSON.stringify({ name: 'a', scripts: { test: 'node --test' }, dependencies: { b: '^1.0.0' } });
const LOCK = JSON.stringify({ lockfileVersion: 3, packages: { 'node_modules/b': { version: '1.0.0' } } });

test('declared globs are what it reads; none declared, everything counts', () => {
  const reads = readsOf(['deps/*.txt', 'Makefile']);
  expect(['deps/a.txt', 'Makefile', 'src/a.js'].map((path) => reads?.(path))).toEqual([true, true, false]);
  expect(readsOf([])).toBeUndefined();
});

describe('an install by a lock file', () => {
  test('reads package.json, its lock file and .npmrc', () => {
    const reads = knownReads('npm ci --no-audit --no-fund', PLAIN, LOCK);
    expect(['package.json', 'package-lock.json', '.npmrc', 'src/a.js'].map((path) => reads?.(path))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(lockOf('pnpm  install --frozen-lockfile')).toBe('pnpm-lock.yaml');
  });

  test.each([
    ['another command', 'npm ci && npm run build', PLAIN, LOCK],
    ['an unknown flag', 'npm ci --prefix sub', PLAIN, LOCK],
    ['an install that no lock file decides', 'npm install', PLAIN, LOCK],
    ['no lock file', 'npm ci', PLAIN, undefined],
    ['a script of the project that runs with it', 'npm ci', JSON.stringify({ scripts: { prepare: 'husky' } }), LOCK],
    ['workspaces', 'npm ci', JSON.stringify({ workspaces: ['packages/*'] }), LOCK],
    ['a package by its path', 'npm ci', JSON.stringify({ dependencies: { b: 'file:./b' } }), LOCK],
    ['a linked package', 'npm ci', PLAIN, '{"packages":{"node_modules/b":{"resolved":"b","link": true}}}'],
    ['no JSON', 'npm ci', '{', LOCK],
  ])('with %s, everything counts', (_, command, about, lock) => {
    expect(knownReads(command, about, lock)).toBeUndefined();
  });
});
