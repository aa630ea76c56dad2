// A plain configuration says what git says of it; one that could mean something else is left to git.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parsePlainConfig } from '../../../src/git/plain-config.ts';
import { type Repository, repository } from '../../support/repository.ts';

let repo: Repository;
let original: string;
beforeAll(() => {
  repo = repository();
  original = fs.readFileSync(path.join(repo.root, '.git/config'), 'utf8');
});

/** As git lists them; undefined: it refuses. */
function byGit(text: string): readonly (readonly string[])[] | undefined {
  const file = path.join(repo.base, 'config');
  fs.writeFileSync(file, text);
  try {
    const listed = execFileSync('git', ['config', '--file', file, '--list', '-z'], { encoding: 'utf8', stdio: 'pipe' });
    return listed
      .split('\0')
      .filter(Boolean)
      .map((one) =>
        one.includes('\n') ? [one.slice(0, one.indexOf('\n')), one.slice(one.indexOf('\n') + 1)] : [one, 'true'],
      );
  } catch {
    return undefined;
  }
}

test.each([
  ['as git made it', () => original],
  [
    'a remote, a branch, a filter',
    () =>
      `${original}[remote "Origin x"]\n\turl = https://example.org/a b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n`,
  ],
  ['sha256', () => '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n'],
  [
    'comments, nothing, a bare key, upper case',
    () => '# x\n; y\n\n[Core]\n\tBare\n\tautoCRLF = Input\n[user]\n\tname = É B\nemail = a@b\n',
  ],
  ['an empty value', () => '[a]\n\tb = \n'],
])('%s: the same as git', (_, text) => {
  const found = parsePlainConfig(text());
  expect(found).toEqual(byGit(text()));
  expect(found).toBeDefined();
});

test.each([
  ['quotes', '[a]\n\tb = "x"\n'],
  ['a comment behind a value', '[a]\n\tb = x # y\n'],
  ['a line that goes on', '[a]\n\tb = x\\\n y\n'],
  ['a tab in a value', '[a]\n\tb = x\ty\n'],
  ['a section and its variable on one line', '[a] b = x\n'],
  ['the old form of a part', '[a.B]\n\tc = x\n'],
  ['an escape in a part', '[a "b\\"c"]\n\td = x\n'],
  ['an include', '[include]\n\tpath = other\n'],
  ['a conditional include', '[includeIf "gitdir:/"]\n\tpath = other\n'],
  ['settings of each checkout', '[extensions]\n\tworktreeConfig = true\n'],
  ['refs that are no files', '[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefstorage = reftable\n'],
  ['a form that is not known', '[core]\n\trepositoryformatversion = 2\n'],
  ['carriage returns', '[a]\r\n\tb = x\r\n'],
  ['a mark of the encoding', '\ufeff[a]\n\tb = x\n'],
  ['no section', 'b = x\n'],
  ['not closed', '[a\n\tb = x\n'],
])('%s: left to git', (_, text) => {
  expect(parsePlainConfig(text)).toBeUndefined();
});

test('whatever the characters: the same as git, or left to it', () => {
  const odd = ['"', '\\', '#', ';', '=', ' ', '\t', '[', ']', '.', '\r', '\v', 'é', '\u00a0', '-', '_', '%'];
  for (const one of odd) {
    for (const text of [
      `[a]\n\tb = x${one}y\n`,
      `[a]\n\tb = ${one}y\n`,
      `[a]\n\tb = y${one}\n`,
      `[a "p${one}q"]\n\tb = x\n`,
      `[a]\n\tb${one}c = x\n`,
    ]) {
      const found = parsePlainConfig(text);
      if (found !== undefined) expect(found, JSON.stringify(text)).toEqual(byGit(text));
    }
  }
});
