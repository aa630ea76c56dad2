import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tally } from '../src/tally.mjs';

const LEDGER = '2026-03-01 rent 640.00\n2026-03-02 groceries 12.50\n';

test('--only counts only that category', () => {
  assert.equal(
    tally(['ledger.txt', '--only', 'groceries'], () => LEDGER),
    'groceries 12.50\ntotal     12.50\n',
  );
});
