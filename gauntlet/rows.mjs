// All rows, in order. Which there must be is said here too: a row that is lost, or has two ids, fails everything.

import { readdirSync } from 'node:fs';
import path from 'node:path';

const STATED = 'G01–G27 G30–G35 G40–G44 G50–G54 G60–G77 G80–G99 G101–G113 G120–G122 G130–G153 G155–G161';

/** Fast ones of each kind: refusals of each role, a process that stays behind, a second supervisor. For CI. */
export const SLICE = ['G06', 'G10', 'G31', 'G91'];

export async function allRows() {
  const folder = path.join(import.meta.dirname, 'rows');
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  const modules = await Promise.all(files.map((name) => import(path.join(folder, name))));
  const rows = modules.flatMap((module) => Object.values(module)).sort((a, b) => numberOf(a) - numberOf(b));
  const found = rows.map(({ id }) => id).join(' ');
  const stated = STATED.split(' ').flatMap(between).join(' ');
  if (found !== stated) throw new Error(`the rows of the gauntlet are ${found}, and must be ${stated}`);
  return rows;
}

const numberOf = ({ id }) => Number(id.slice(1));

function between(range) {
  const [first, last = first] = range.split('–').map((id) => Number(id.slice(1)));
  return Array.from({ length: last - first + 1 }, (_, n) => `G${String(first + n).padStart(2, '0')}`);
}
