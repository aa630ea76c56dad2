import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** These write what no person reads on a screen: JSON, a page with its own encoding, an agent's stream, completions. */
const RAW: Readonly<Record<string, number>> = {
  'complete.ts': 1,
  'render/print.ts': 2,
  'render/result.ts': 1,
  'verbs/dashboard.ts': 1,
  'verbs/log.ts': 1,
  'verbs/rehearse.ts': 2,
  'verbs/report.ts': 1,
  'verbs/watch.ts': 2,
};

test('every text for a person goes through render/print.ts, which makes it ASCII where it must be', () => {
  const folder = join(import.meta.dirname, '../../../src/cli');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const direct = files.flatMap((name) => {
    const found = readFileSync(join(folder, name), 'utf8').match(/\bio\.std(?:out|err)\b(?!IsTty)/g);
    return found === null ? [] : [[name, found.length] as const];
  });
  expect(files.length).toBeGreaterThan(50);
  expect(Object.fromEntries(direct)).toEqual(RAW);
});

test('templates that people fill in are ASCII', () => {
  const folder = join(import.meta.dirname, '../../../templates');
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) expect(readFileSync(join(folder, name), 'utf8')).toMatch(/^[\x20-\x7e\n]*$/);
});
