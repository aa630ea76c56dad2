import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { sample } from '../src/sample.mjs';

test('the sample is a ledger of two entries', () => {
  const printed = execFileSync(process.execPath, ['bin/sample.mjs'], { encoding: 'utf8' });
  assert.match(printed, /^(\d{4}-\d\d-\d\d [a-z]+ +\d+\.\d\d .*\n){2}$/);
});

test('src gives it back, bin prints it', () => {
  assert.equal(sample().split('\n').length, 3);
});
