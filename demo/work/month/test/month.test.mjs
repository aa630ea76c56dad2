import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tally } from '../src/tally.mjs';

const LEDGER = '2026-03-01 rent 640.00\n2026-04-01 rent 655.00\n';

test('--month counts only that month', () => {
  assert.equal(
    tally(['ledger.txt', '--month', '2026-04'], () => LEDGER),
    'rent  655.00\ntotal 655.00\n',
  );
});
