import { expect, it } from 'vitest';
import { isCommitName } from '../../../src/git/commit-name.ts';

it.each([
  ...['3f2c', 'a'.repeat(40), 'HEAD', '@', 'integration', 'refs/heads/task/a', 'v1.2', 'a@b', 'größe'],
  ...['HEAD~3', 'HEAD^', 'HEAD^2', 'main~2^2~1', `${'a'.repeat(40)}^1`],
])('%s names a commit', (name) => expect(isCommitName(name)).toBe(true));

it.each([
  ...['', '-x', '--all', ':/(((a{1,200}){1,200}){1,200})', 'HEAD^{/x}', 'HEAD^{tree}', 'HEAD@{1}', '@{-1}'],
  ...['a..b', 'a...b', '^a', 'a:b', ':0:a', 'a b', 'a\nb', 'a\0', 'a*', 'a?', '[a', 'a\\b', '/a', 'a/', 'a//b', '.a'],
  ...['a.lock', 'HEAD~99999999', `HEAD${'~'.repeat(99)}`, 'a'.repeat(501), 'HEAD^-', 'HEAD^!', 'HEAD^@'],
])('%j names none', (name) => expect(isCommitName(name)).toBe(false));
