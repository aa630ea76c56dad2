import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLedger } from '../src/parse.mjs';

test('a line becomes an entry in cents', () => {
  assert.deepEqual(parseLedger('2026-03-02 groceries  12.50  market\n'), [
    { date: '2026-03-02', category: 'groceries', cents: 1250, note: 'market' },
  ]);
});

test('a refund is negative, a note may be missing, empty lines are skipped', () => {
  assert.deepEqual(
    parseLedger('\n2026-03-09 groceries -3.20\n\n').map(({ cents, note }) => ({ cents, note })),
    [{ cents: -320, note: '' }],
  );
});

test('a line that cannot be read is named', () => {
  assert.throws(() => parseLedger('2026-03-02 rent 640.00\nrent 640\n'), /line 2 is not/);
});
