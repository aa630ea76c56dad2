// What `config set` changes: `budgets.day.usd 20` sets that one budget and leaves the others. A map that is given for
// `providers` or `prices` changes the entries it names and keeps the others; null removes one.

import type { CommandOf } from '../../command.ts';
import { type Refusal, refuse } from '../../decision.ts';
import type { Config } from '../../state.ts';
import { type Fields, isFields } from '../../values.ts';

const NESTED = ['budgets', 'providers', 'prices'];
const MERGED = ['providers', 'prices'];

/** The entries of a map that a command leaves as they are; none where it sets the whole value. */
export function keptEntries(config: Config, { key, value }: Pick<CommandOf<'config set'>, 'key' | 'value'>): string[] {
  const before = (config as Fields)[key];
  if (!MERGED.includes(key) || !isFields(before) || !isFields(value)) return [];
  return Object.keys(before).filter((name) => !Object.hasOwn(value, name));
}

/** The top-level setting and its whole value after the command. */
export function settled(
  config: Config,
  { key, value }: Pick<CommandOf<'config set'>, 'key' | 'value'>,
): { readonly key: string; readonly value: unknown } {
  const [name = '', ...path] = key.split('.');
  const before = (config as Fields)[name];
  if (NESTED.includes(name) && path.length > 0) return { key: name, value: placed(before, path, value ?? undefined) };
  if (!MERGED.includes(name) || !isFields(before) || !isFields(value)) return { key, value };
  const merged = Object.entries({ ...before, ...value }).filter(([, entry]) => entry !== null);
  return { key, value: merged.length === 0 ? undefined : Object.fromEntries(merged) };
}

/** An undefined value removes the field, and every map that becomes empty. */
function placed(into: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return value;
  const fields: Fields = isFields(into) ? into : {};
  const { [first]: before, ...others } = fields;
  const inner = placed(before, rest, value);
  const all = inner === undefined ? others : { ...fields, [first]: inner };
  return Object.keys(all).length === 0 ? undefined : all;
}

/** Liza moves the integration branch, so it cannot be one that a person has checked out. */
export const branchInUse = (branch: string, folder: string): Refusal =>
  refuse(
    `${branch} is checked out in ${folder}: Liza merges to the integration branch, and you decide about merging into yours`,
    'Choose another one, or check out something else there first',
    1,
    'branch',
  );
