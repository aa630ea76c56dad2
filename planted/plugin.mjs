// Plants a bug into the sources as a bundler loads them: the files themselves stay as they are. A plant is
// {"record": folder}, {"guard": "command/name"} or {"file", "find", "put"}; `find` is there exactly once.

import { readFileSync } from 'node:fs';

const TABLE = 'src/protocol/table.ts';

/** The text of that source with the plant; undefined: it concerns another one. */
function planting(plant, path, code) {
  if (path.endsWith(`/${TABLE}`) && plant.record !== undefined) return code + RECORDING;
  if (path.endsWith(`/${TABLE}`) && plant.guard !== undefined) return code + without(plant.guard);
  if (plant.file !== undefined && path.endsWith(`/${plant.file}`)) return replaced(code, plant);
  return undefined;
}

/** For vitest: LIZA_PLANTED says which. */
export function planted(said = process.env.LIZA_PLANTED) {
  const plant = said === undefined ? {} : JSON.parse(said);
  return {
    name: 'planted',
    enforce: 'pre',
    transform: (code, id) => planting(plant, id.split('?')[0], code),
  };
}

/** For esbuild; several edits are one plant. `left`: what has met no source by now. */
export function plantedBundle(edits) {
  const plants = edits.map((edit) => (typeof edit === 'string' ? { guard: edit } : edit));
  const put = new Set();
  const load = ({ path }) => {
    let contents;
    for (const plant of plants) {
      const text = planting(plant, path, contents ?? readFileSync(path, 'utf8'));
      if (text === undefined) continue;
      contents = text;
      put.add(plant);
    }
    return contents === undefined ? undefined : { contents, loader: 'ts' };
  };
  return {
    plugin: { name: 'planted', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/, namespace: 'file' }, load) },
    left: () => plants.filter((plant) => !put.has(plant)).map(({ guard, file }) => guard ?? file),
  };
}

/** Who refused, as `command/guard`, and who is there at all; planted/record.ts writes it down by test file. */
const RECORDING = `
globalThis.__guards = Object.values(TABLE).flatMap((row) => row.guards.map((guard) => row.name + '/' + guard.name));
for (const row of Object.values(TABLE)) {
  row.guards = row.guards.map((guard) => ({
    ...guard,
    check: (situation) => {
      const refusal = guard.check(situation);
      if (refusal !== undefined) (globalThis.__refused ??= new Set()).add(row.name + '/' + guard.name);
      return refusal;
    },
  }));
}
`;

function without(guard) {
  const [command, name] = guard.split('/').map((part) => JSON.stringify(part));
  return `
{
  const row = TABLE[${command}];
  const left = row?.guards.filter(({ name }) => name !== ${name});
  if (left === undefined || left.length === row.guards.length) throw new Error('there is no guard ' + ${JSON.stringify(guard)});
  row.guards = left;
}
`;
}

function replaced(code, { file, find, put }) {
  const parts = code.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} places like: ${find}`);
  return parts.join(put);
}
