import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tally } from '../src/tally.mjs';

const LEDGER = `2026-03-01 rent 640.00
2026-03-02 groceries 12.50
2026-04-03 groceries 27.35
`;

test('both options together', () => {
  const words = ['ledger.txt', '--month', '2026-03', '--only', 'groceries'];
  assert.equal(
    tally(words, () => LEDGER),
    'groceries 12.50\ntotal     12.50\n',
  );
});
