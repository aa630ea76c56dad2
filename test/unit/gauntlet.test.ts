// The gauntlet is complete, and each row names what holds it: `node planted/run.mjs` takes just that away. Here, fast: it
// is there to be taken.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TABLE } from '../../src/protocol/table.ts';

const ROOT = join(import.meta.dirname, '../..');

type Edit = string | { readonly file: string; readonly find: string; readonly put: string };

interface Row {
  readonly id: string;
  readonly plant: readonly { readonly take: Edit | readonly Edit[]; readonly red: RegExp; readonly sandbox?: true }[];
}

const { allRows } = (await import(join(ROOT, 'gauntlet/rows.mjs'))) as { allRows(): Promise<readonly Row[]> };
const rows = await allRows(); // throws when one is missing
const guards = new Set(Object.values(TABLE).flatMap((row) => row.guards.map(({ name }) => `${row.name}/${name}`)));

test('all rows are there', () => {
  expect(rows.map(({ id }) => id).filter((id) => /^G(0[1-9]|1\d|2[0-7]|3[0-5]|4[0-4]|5[0-4])$/.test(id))).toHaveLength(
    43,
  );
});

/** Those that come out otherwise in the sandbox are held there by something else. */
test.each(['G01', 'G02', 'G11', 'G12', 'G21', 'G22', 'G30'])('%s has a plant for the sandbox too', (id) => {
  const plants = rows.find((row) => row.id === id)?.plant ?? [];
  expect(new Set(plants.map(({ sandbox }) => sandbox === true)).size).toBe(2);
});

describe.each(rows)('$id', ({ plant }) => {
  test('names what holds it, and how its loss is told', () => {
    expect(plant.length).toBeGreaterThan(0);
    for (const { take, red } of plant) {
      expect([take].flat()).not.toHaveLength(0);
      expect(red.source.length).toBeGreaterThan(4);
    }
  });
  test.each(plant.flatMap(({ take }) => [take].flat() as readonly Edit[]))('%j can be taken away', (edit) => {
    if (typeof edit === 'string') expect(guards).toContain(edit);
    else expect(readFileSync(join(ROOT, edit.file), 'utf8').split(edit.find)).toHaveLength(2);
  });
});
