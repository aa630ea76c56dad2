// Boards as different people would write them: one value, many layouts, every comment numbered so that it can be missed.
import fc from 'fast-check';
import type { BoardDocument } from '../../../../src/store/yaml/document.ts';
import { emitFlow, isScalar } from '../../../../src/store/yaml/emit.ts';
import { isMap } from '../../../../src/store/yaml/equal.ts';
import { emitLiteral, emitScalar } from '../../../../src/store/yaml/scalar.ts';
import { key, plainValue, scalar } from './samples.ts';

export type Plain = Record<string, unknown>;

export const RECORD_SECTIONS = {
  tasks: 'list',
  agents: 'map',
  discovered: 'list',
  handoff: 'map',
  human_notes: 'list',
  spec_changes: 'list',
  anomalies: 'list',
} as const;

const fields = fc.dictionary(
  key.filter((name) => name !== 'id'),
  plainValue,
  { maxKeys: 4, noNullPrototype: true },
);
const task = fc
  .tuple(fields, fc.array(fc.record({ at: scalar, note: scalar }, { noNullPrototype: true }), { maxLength: 3 }))
  .map(([rest, history]): Plain => ({ ...rest, status: 'DRAFT', history }));

export const board: fc.Arbitrary<Plain> = fc
  .record({
    goal: fields,
    tasks: fc.array(task, { maxLength: 4 }),
    agents: fc.dictionary(key, fields, { maxKeys: 3, noNullPrototype: true }),
    human_notes: fc.array(plainValue, { maxLength: 3 }),
    config: plainValue,
  })
  .map(({ tasks, ...rest }) => ({
    version: 1,
    ...rest,
    tasks: tasks.map((fieldsOf, i) => ({ id: `task-${i}`, ...fieldsOf })),
  }));

/** Small, fast, and the same for the same seed, so that a counterexample can be replayed. */
export function randomOf(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % limit;
  };
}

/** `value` as a block mapping in a layout drawn from `seed`; `simple` leaves out what only the library can read. */
export function layOut(value: Plain, seed: number, simple: boolean): string {
  const random = randomOf(seed);
  let comments = 0;
  const comment = () => `# c${comments++}.`;
  const trailing = () => (random(5) === 0 ? `  ${comment()}` : '');

  const text = (value: unknown, indent: number): { inline: string; below: string[] } => {
    if (typeof value !== 'string') return { inline: emitScalar(value as null) + trailing(), below: [] };
    const literal = emitLiteral(value);
    if (literal && random(2) === 0) {
      const margin = ' '.repeat(indent + 1 + random(4));
      return {
        inline: literal.header + trailing(),
        below: literal.lines.map((line) => (line === '' ? '' : margin + line)),
      };
    }
    if (!simple && /^\w+ \w+$/.test(value) && random(2) === 0) {
      return {
        inline: `"${value.split(' ')[0]}`,
        below: [`${' '.repeat(indent + 3)}${value.split(' ')[1]}"${trailing()}`],
      };
    }
    const quote = (['plain', 'single', 'double'] as const)[random(3)];
    return { inline: emitScalar(value, quote) + trailing(), below: [] };
  };

  const node = (value: unknown, indent: number, ofKey: boolean): { inline: string; below: string[] } => {
    if (value === null && random(2) === 0) return { inline: trailing().trim(), below: [] };
    if (isScalar(value)) return text(value, indent);
    const empty = Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0;
    if (empty || random(4) === 0) return { inline: emitFlow(value) + trailing(), below: [] };
    const inner = indent + (Array.isArray(value) && ofKey ? random(2) * 2 : 1 + random(4));
    return {
      inline: trailing().trim(),
      below: Array.isArray(value) ? items(value, inner) : entries(value as Plain, inner),
    };
  };

  const noise = (indent: number): string[] => {
    const roll = random(10);
    if (roll === 0) return [''];
    return roll === 1 ? [' '.repeat(indent) + comment()] : [];
  };

  const entries = (map: Plain, indent: number): string[] =>
    Object.entries(map).flatMap(([name, value]) => {
      const { inline, below } = node(value, indent, true);
      const head = `${' '.repeat(indent)}${emitScalar(name, random(6) === 0 ? 'double' : 'plain')}:`;
      return [...noise(indent), inline === '' ? head : `${head}${' '.repeat(1 + random(2))}${inline}`, ...below];
    });

  const items = (list: readonly unknown[], indent: number): string[] =>
    list.flatMap((value) => {
      const head = `${' '.repeat(indent)}-`;
      if (isMap(value) && Object.keys(value).length > 0 && random(4) > 0) {
        const gap = 1 + random(3);
        const [first = '', ...rest] = entries(value as Plain, indent + 1 + gap);
        if (first.trimStart().startsWith('#') || first.trim() === '') return [`${head}`, first, ...rest];
        return [`${head}${' '.repeat(gap)}${first.trimStart()}`, ...rest];
      }
      const { inline, below } = node(value, indent, false);
      return [...noise(indent), inline === '' ? head : `${head} ${inline}`, ...below];
    });

  const end = ['\n', '', '\n\n', '\n# the end\n', '\n  # the end'][random(5)];
  return [...(random(3) === 0 ? ['---'] : []), ...entries(value, 0)].join('\n') + end;
}

export const tasksOf = (value: Plain): Plain[] => value.tasks as Plain[];
export const withTask = (value: Plain, i: number, change: Plain): Plain => ({
  ...value,
  tasks: tasksOf(value).map((task, at) => (at === i ? { ...task, ...change } : task)),
});

/** One random step a command could take, built with structural sharing. */
export function step(value: Plain, random: (limit: number) => number, fresh: unknown, drawn: unknown): Plain {
  const keys = Object.keys(value);
  const tasks = tasksOf(value);
  const agents = value.agents as Plain;
  const pick = random(Math.max(1, tasks.length));
  switch (random(14)) {
    case 0:
      return tasks.length ? withTask(value, pick, { status: fresh }) : value;
    case 1:
      return tasks.length ? withTask(value, pick, { [`new${random(9)}`]: drawn }) : value;
    case 2: {
      const task = tasks[pick];
      const names = Object.keys(task ?? {}).slice(1);
      return names.length ? withTask(value, pick, { [names[random(names.length)] ?? '']: undefined }) : value;
    }
    case 3:
      return { ...value, tasks: [...tasks, { id: `added-${random(1e9)}`, field: drawn }] };
    case 4:
      return { ...value, tasks: tasks.filter((_, i) => i !== pick) };
    case 5:
      return tasks.length
        ? withTask(value, pick, { history: [...((tasks[pick]?.history as unknown[]) ?? []), drawn] })
        : value;
    case 6:
      return tasks.length
        ? withTask(value, pick, { history: ((tasks[pick]?.history as unknown[]) ?? []).slice(random(2)).slice(0, -1) })
        : value;
    case 7:
      return { ...value, agents: { ...agents, [`agent ${random(5)}`]: drawn } };
    case 8:
      return { ...value, agents: Object.fromEntries(Object.entries(agents).slice(random(2))) };
    case 9:
      return { ...value, human_notes: [...(value.human_notes as unknown[]), drawn] };
    case 10:
      return { ...value, human_notes: (value.human_notes as unknown[]).map((note, i) => (i === pick ? drawn : note)) };
    case 11:
      return { ...value, config: drawn };
    case 12:
      return { ...value, [`section${random(3)}`]: drawn };
    default:
      return isMap(value.goal) && keys.length
        ? { ...value, goal: { ...value.goal, [Object.keys(value.goal)[0] ?? 'x']: drawn } }
        : value;
  }
}

/** All of a document but its values. */
export function shapeOf(doc: BoardDocument): unknown {
  return doc.sections.map(({ value: _, records, ...rest }) => ({
    ...rest,
    records: records.map(({ value: __, ...span }) => span),
  }));
}
