import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totals } from '../src/totals.mjs';

const entry = (category, cents) => ({ date: '2026-03-01', category, cents, note: '' });

test('entries are added up by category, the largest first', () => {
  assert.deepEqual(totals([entry('train', 4900), entry('rent', 64000), entry('train', 100)]), [
    { category: 'rent', cents: 64000 },
    { category: 'train', cents: 5000 },
  ]);
});

test('a refund lowers the total of its category', () => {
  assert.deepEqual(totals([entry('groceries', 1250), entry('groceries', -320)]), [
    { category: 'groceries', cents: 930 },
  ]);
});
