// The shipped JSON Schema of the blackboard, which state.yaml names so that editors complete and check it.

import { readFileSync } from 'node:fs';
import type { Io } from './io.ts';

/** Only editors miss it when it is not there. */
export function readSchema(io: Io): string | undefined {
  try {
    return readFileSync(io.asset('schema/state.schema.json'), 'utf8');
  } catch {
    return undefined;
  }
}
