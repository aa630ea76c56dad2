import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../src/money.mjs';

test('cents are written with two digits', () => {
  assert.equal(money(1250), '12.50');
  assert.equal(money(5), '0.05');
  assert.equal(money(0), '0.00');
});

test('a refund has its sign', () => assert.equal(money(-320), '-3.20'));
