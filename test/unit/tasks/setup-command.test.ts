// The proposed set-up command by lock file, and outputs that show that nothing was installed.

import { expect, test } from 'vitest';
import { lacksPackages, setupCommand } from '../../../src/tasks/rules/setup-command.ts';

const of = (files: Readonly<Record<string, string>>) => setupCommand((name) => files[name]);
const LOCK = JSON.stringify({ packages: { '': {}, 'node_modules/a': {} } });

test.each([
  [{ 'package-lock.json': LOCK }, 'npm ci'],
  [{ 'package-lock.json': '{"dependencies": {"a": {}}}' }, 'npm ci'],
  [{ 'pnpm-lock.yaml': '' }, 'pnpm install --frozen-lockfile'],
  [{ 'yarn.lock': '# yarn lockfile v1' }, 'yarn install --frozen-lockfile'],
  [{ 'yarn.lock': '__metadata:\n  version: 8' }, 'yarn install --immutable'],
  [{ 'Gemfile.lock': '' }, 'bundle config set --local path vendor/bundle && bundle install'],
  [{ 'uv.lock': '' }, 'uv sync --frozen'],
  [{}, undefined],
  [{ 'package-lock.json': '{"packages": {"": {}}}' }, undefined],
  [{ 'package-lock.json': 'not json' }, undefined],
  [{ 'package-lock.json': LOCK, 'yarn.lock': '' }, undefined],
])('%j is set up with %s', (files, command) => {
  expect(of(files)).toBe(command);
});

test.each([
  ["Error: Cannot find module 'words'", true],
  ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@acme/words' imported from /x.js", true],
  ["ModuleNotFoundError: No module named 'requests'", true],
  ['sh: 1: vitest: not found', true],
  ["Error: Cannot find module './words.js'", false],
  ['AssertionError: 1 != 2', false],
])('%s: a package is missing: %s', (output, is) => {
  expect(lacksPackages(output)).toBe(is);
});
