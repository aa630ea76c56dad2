// The report as text, so that a change of wording or drawing is seen in review. GOLDEN=write writes it anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reportOf } from '../../../src/report/facts.ts';
import { markdownReport } from '../../../src/report/markdown.ts';
import { page } from '../../../src/report/page.ts';
import { busySprint } from '../boards/busy-sprint.ts';
import { world } from '../protocol/world.ts';

function golden(name: string, text: string): void {
  const file = join(import.meta.dirname, 'golden', name);
  if (process.env.GOLDEN === 'write') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

const busy = () => {
  const w = busySprint();
  return reportOf({ state: w.state, archived: [], now: w.now });
};

it('a running goal, as a page', () => golden('busy.html.txt', page(busy())));
it('a running goal, as Markdown', () => golden('busy.md', markdownReport(busy())));

it('a board without tasks', () => {
  const w = world();
  const report = reportOf({ state: { ...w.state, agents: {} }, archived: [], now: w.now });
  golden('empty.html.txt', page(report));
  golden('empty.md', markdownReport(report));
});
