import { expect, test } from 'vitest';
import { isLockedTo } from '../../../src/preflight/rules/locked-registry.ts';

const ACME = { scope: '@acme', host: 'npm.acme.example' };
const ALL = { host: 'npm.acme.example' };

test.each([
  ['npm, by address', '"resolved": "https://npm.acme.example/small.tgz"', ALL, true],
  ['with a port', '"resolved": "http://npm.acme.example:8080/small.tgz"', ALL, true],
  ['npm, by scope', '"node_modules/@acme/hidden": {"version": "1.0.0"}', ACME, true],
  ['pnpm, by scope', "packages:\n  '@acme/hidden@1.0.0':\n", ACME, true],
  ['yarn, under another name', '"hidden@npm:@acme/hidden@^1.0.0":', ACME, true],
  ['another host', '"resolved": "https://npm.acme.example.org/small.tgz"', ALL, false],
  ['a longer host', '"resolved": "https://my.npm.acme.example/small.tgz"', ALL, false],
  ['another scope', '"node_modules/@acme-tools/x": {}, "node_modules/@my@acme/x": {}', ACME, false],
  ['nothing of it', '"resolved": "https://packages.example/small.tgz"', ACME, false],
])('a lock file that names a registry: %s', (_, lock, registry, is) => {
  expect(isLockedTo(lock, registry)).toBe(is);
});
