// Plants a bug into the sources as vitest loads them: the files themselves stay as they are.
// LIZA_PLANTED says which: {"record": folder}, {"guard": "command/name"} or {"file", "find", "put"}.

export function planted(said = process.env.LIZA_PLANTED) {
  const plant = said === undefined ? {} : JSON.parse(said);
  return {
    name: 'planted',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0];
      if (path.endsWith('/src/core/commands.ts') && plant.record !== undefined) return code + RECORDING;
      if (path.endsWith('/src/core/commands.ts') && plant.guard !== undefined) return code + without(plant.guard);
      if (plant.file !== undefined && path.endsWith(`/${plant.file}`)) return replaced(code, plant);
      return undefined;
    },
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
  const left = row.guards.filter(({ name }) => name !== ${name});
  if (left.length === row.guards.length) throw new Error('nothing was planted');
  row.guards = left;
}
`;
}

export function replaced(code, { file, find, put }) {
  const parts = code.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} places like: ${find}`);
  return parts.join(put);
}
