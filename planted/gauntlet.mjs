// The gauntlet's half: every row names in `plant` what holds it. That is taken out of a build of its own, the row is
// played with it, and must come out NOT AS STATED, for the reason that `red` says. Before that it is played with a build
// in which nothing is planted, and must come out as stated.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { allRows, SLICE } from '../gauntlet/rows.mjs';
import { buildPlanted } from './build.mjs';

const GAUNTLET = join(import.meta.dirname, '..', 'gauntlet', 'run.mjs');

export async function gauntletPlants() {
  const sound = once(() => buildPlanted([]));
  const rows = await allRows();
  const bare = rows.filter(({ plant = [] }) => plant.length === 0);
  if (bare.length > 0)
    throw new Error(`these rows name nothing that holds them: ${bare.map(({ id }) => id).join(' ')}`);
  const plants = rows.flatMap((row) => {
    const asStated = { open: once(() => plays(sound, row, 'open')), sandbox: once(() => plays(sound, row, 'sandbox')) };
    return row.plant.map((plant, at) => {
      const name = row.plant.length === 1 ? row.id : `${row.id}/${at + 1}`;
      const where = plant.sandbox === true ? 'sandbox' : 'open';
      const attempt = () => attempted(row, plant, where, asStated[where]);
      return { name, told: `${where}: ${told(plant)}`, fast: SLICE.includes(row.id), attempt };
    });
  });
  return { plants, rows: rows.length, close: async () => (await sound.made)?.remove() };
}

/** Made when it is first asked for. */
function once(make) {
  const ask = () => {
    ask.made ??= make();
    return ask.made;
  };
  return ask;
}

const taken = ({ take }) => (Array.isArray(take) ? take : [take]);
const told = (plant) =>
  taken(plant)
    .map((one) => (typeof one === 'string' ? one : `${one.file}: ${line(one.find)} → ${line(one.put)}`))
    .join(' and ');
const line = (text) => (text === '' ? 'nothing' : text.replace(/\s+/g, ' ').trim());

async function plays(build, row, where) {
  const { program } = await build();
  return played(program, row, where);
}

async function attempted(row, plant, where, asStated) {
  const before = await asStated();
  if (!before.ok) return { missed: `with nothing planted it is not as stated: ${before.outcome}` };
  let built;
  try {
    built = await buildPlanted(taken(plant));
    const { ok, kind, outcome } = await played(built.program, row, where);
    if (ok) return { missed: `NOBODY NOTICED: ${kind}: ${outcome}` };
    if (!plant.red.test(outcome)) return { missed: `red, but not for ${plant.red}: ${outcome}` };
    return { noticed: outcome.split('\n', 1)[0] };
  } catch (error) {
    return { missed: `nothing can be planted: ${error.message}` };
  } finally {
    built?.remove();
  }
}

/** What came of the row with that program. */
function played(program, { id }, where) {
  return new Promise((done) => {
    const mode = where === 'open' ? '--no-sandbox' : '--only-sandbox';
    const child = spawn(process.execPath, [GAUNTLET, '--only', id, mode, '--json'], {
      env: { ...process.env, GAUNTLET_PROGRAM: program },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    child.on('close', () => {
      const broken = { ok: false, outcome: `the row was not played: ${err.trim().slice(-500)}` };
      try {
        done(JSON.parse(out).rows[0][where] ?? broken);
      } catch {
        done(broken);
      }
    });
  });
}
