// What the parts of the bench share: their options, and how they hand over the result. A part measures and prints its
// table; bench/run.mjs runs the parts and says at the end which limits were missed.

import path from 'node:path';
import { parseArgs } from 'node:util';
import { fillMarkers } from '../tools/fill-markers.mjs';

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, docs: { type: 'boolean' }, case: { type: 'string' } },
});
export const quick = values.quick === true;
/** The build that is measured: this checkout's, or another one's (`--against`). */
export const LIZA = path.join(process.env.LIZA_DIST ?? path.join(import.meta.dirname, '..', 'dist'), 'liza.cjs');
export const wantsCase = (name) => values.case === undefined || name.includes(values.case);

export { median } from './paired.mjs';

/**
 * `table` is what docs/cost.md shows under that marker; `missed` has a line for each limit that was not kept. `busy`: why
 * the numbers are worth nothing, and are not kept there.
 */
export function finish({ marker, table, missed, busy = [] }) {
  for (const line of busy) console.log(line);
  missed.push(...busy);
  if (values.docs && busy.length === 0) fillMarkers('docs/cost.md', marker, [...table, '']);
  if (process.send !== undefined) return process.send({ missed });
  for (const line of missed) console.log(`missed: ${line}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
}
