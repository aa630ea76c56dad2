import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tally } from '../src/tally.mjs';

const LEDGER = `2026-03-01 rent 640.00
2026-03-02 groceries 12.50
2026-03-09 groceries -3.20
`;

test('one line per category, the total below', () => {
  assert.equal(
    tally(['ledger.txt'], () => LEDGER),
    'rent      640.00\ngroceries   9.30\ntotal     649.30\n',
  );
});

test('without a file it says how it is used', () => {
  assert.throws(() => tally([], () => LEDGER), /usage: tally <file>/);
});
