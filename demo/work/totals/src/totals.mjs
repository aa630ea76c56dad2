// What each category comes to, the largest first. A refund lowers the total of its category.

export function totals(entries) {
  const sums = new Map();
  for (const { category, cents } of entries) sums.set(category, (sums.get(category) ?? 0) + cents);
  return [...sums]
    .map(([category, cents]) => ({ category, cents }))
    .sort((a, b) => b.cents - a.cents || a.category.localeCompare(b.category));
}
