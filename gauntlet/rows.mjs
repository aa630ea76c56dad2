// All rows, in order. Which there must be is said here too: a row that is lost, or has two ids, fails everything.

import { readdirSync } from 'node:fs';
import path from 'node:path';

const STATED = 'G01–G27 G30–G35 G40–G44 G50–G54 G60–G61 G66 G68–G74 G76–G77';

/** Fast ones of each kind: refusals of each role, a process that stays behind, a second supervisor. For CI. */
export const SLICE = ['G03', 'G06', 'G10', 'G14', 'G19', 'G31', 'G41', 'G53'];

export async function allRows() {
  const folder = path.join(import.meta.dirname, 'rows');
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  const modules = await Promise.all(files.map((name) => import(path.join(folder, name))));
  const rows = modules.flatMap((module) => Object.values(module)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const found = rows.map(({ id }) => id).join(' ');
  const stated = STATED.split(' ').flatMap(between).join(' ');
  if (found !== stated) throw new Error(`the rows of the gauntlet are ${found}, and must be ${stated}`);
  return rows;
}

function between(range) {
  const [first, last = first] = range.split('–').map((id) => Number(id.slice(1)));
  return Array.from({ length: last - first + 1 }, (_, n) => `G${String(first + n).padStart(2, '0')}`);
}
