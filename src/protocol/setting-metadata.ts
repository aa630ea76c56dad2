// What the configuration schema says about one setting, read off its metadata.

import * as v from 'valibot';
import { ConfigSchema } from './config.ts';

/** False: a field of the user's own, which means nothing to Liza. */
export const knownSetting = (key: string): boolean => Object.hasOwn(ConfigSchema.entries, key);

const schemaOf = (key: string): v.GenericSchema | undefined =>
  knownSetting(key) ? (ConfigSchema.entries as Readonly<Record<string, v.GenericSchema>>)[key] : undefined;

/** True for what executes, spends or loosens; a key the schema does not know is the user's own. */
export function guardedSetting(key: string): boolean {
  const schema = schemaOf(key);
  return schema !== undefined && v.getMetadata(schema)['guarded'] === true;
}

/** What a person meant: the value it reads as, unless only the text as it was typed fits (`test_command true`). */
export function meant(key: string, typed: string, value: unknown): unknown {
  const schema = schemaOf(key);
  if (schema === undefined || value === null) return value;
  return !v.is(schema, value) && v.is(schema, typed) ? typed : value;
}
