// Programs that print, list or make, and are no check unless something makes one of them; and that no honest validation
// of a real project is taken for such.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { provesNothing } from '../../../src/protocol/shell/always-green.ts';

const LISTS = 'succeeds whatever it finds';
const PRINTS = 'prints what it reads';
const MAKES = 'makes what it names';
const SCRIPTS = 'without the name of a script only lists them';
const AWAY = 'nothing that stands in the project decides it';

test.each([
  ['find .', LISTS],
  ["find src -name '*.js'", LISTS],
  ['git log --oneline -3', LISTS],
  ['git ls-files src', LISTS],
  ['git show', LISTS],
  ['wc -l README.md', PRINTS],
  ['wc -l < README.md', PRINTS],
  ['sort names.txt', PRINTS],
  ['sed -n 1p README.md', PRINTS],
  ['sed -i s/a/b/ README.md', PRINTS],
  ['awk 1 README.md', PRINTS],
  ["awk '{ print $1 }' data.csv", PRINTS],
  ['head -5 README.md', PRINTS],
  ['sha256sum dist/app.js', PRINTS],
  ['npm ls', 'packages that are installed'],
  ['pnpm list --depth=0', 'packages that are installed'],
  ['npm run', SCRIPTS],
  ['npm run --silent', SCRIPTS],
  ['yarn run', SCRIPTS],
  ['deno task', SCRIPTS],
  ['npm config list', 'not about the code'],
  ['npm pkg get scripts.lint', LISTS],
  ['file dist/app.js', PRINTS],
  ['realpath dist/app.js', PRINTS],
  ['tee x < README.md', PRINTS],
  ['tar czf x.tgz src', MAKES],
  ['tar -czf x.tgz src', MAKES],
  ['pytest --setup-only', 'runs no test'],
  ['npm test -- --help', 'runs no test'],
  ["node --test --test-name-pattern='^$'", 'runs none'],
  ["node --test --test-name-pattern '^$' test/", 'runs none'],
  ["npx jest --testNamePattern='^$'", 'runs none'],
  ["npx vitest run -t '^$'", 'runs none'],
  ['npm help test', 'asks npm about itself'],
  ['python3 -m unittest --help', 'asks unittest about itself'],
  ['npx tsc --version', 'asks tsc about itself'],
  ['npx eslint --help', 'asks eslint about itself'],
  ['bats --count test', 'runs no test'],
  ['npx tsc --showConfig', 'checks nothing'],
  ['npx eslint --print-config .', 'checks nothing'],
  ['mkdir x && touch x/y', MAKES],
  ['cp a b', MAKES],
  ['rm -rf dist', MAKES],
  ['git add .', MAKES],
  ['test -f x || touch x', 'ends with touch x'],
  ['find . | xargs wc -l', 'succeeds whatever comes before'],
  ['find . -print0 | xargs -0 -I {} cp {} out', 'succeeds whatever comes before'],
  ['npm test | sort', 'that of sort'],
  ['diff a a', 'compares a with itself'],
  ["python3 -c 'assert 5-3==2'", AWAY],
  ["python3 -c 'assert 1 == 2'", AWAY],
  ["python3 -c 'x = 5; assert x - 3 == 2'", AWAY],
  [`node -e 'require("assert").equal(1 + 1, 2)'`, AWAY],
  [`node -e 'const assert = require("node:assert/strict"); assert.equal(1 + 1, 2)'`, AWAY],
  [`node --input-type=module -e 'import assert from "node:assert"; assert(2 > 1)'`, AWAY],
  [`node -e 'if (5 - 3 !== 2) throw new Error("no")'`, AWAY],
])('proves nothing: %s', (line, why) => {
  expect(provesNothing(line)).toContain(why);
});

test('commands of real projects are taken, every one', () => {
  const honest = readFileSync(new URL('honest-validations.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(honest.length).toBeGreaterThan(180);
  expect(honest.filter((line) => provesNothing(line) !== undefined)).toEqual([]);
});
