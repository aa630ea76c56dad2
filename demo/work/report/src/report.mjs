// Totals as lines: names to the left, amounts to the right, the sum below.

import { money } from './money.mjs';

export function report(totals) {
  const sum = totals.reduce((all, { cents }) => all + cents, 0);
  const rows = [...totals, { category: 'total', cents: sum }].map(({ category, cents }) => [category, money(cents)]);
  const left = Math.max(...rows.map(([name]) => name.length));
  const right = Math.max(...rows.map(([, amount]) => amount.length));
  return rows.map(([name, amount]) => `${name.padEnd(left)} ${amount.padStart(right)}\n`).join('');
}
