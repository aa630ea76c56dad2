// What a test expects of a refusal, for `toMatchObject`. A name that no refusal has is a type error.

import type { RefusalName } from '../src/protocol/refusal-names.ts';

export const refusedBy = (guard: RefusalName, more: Readonly<Record<string, unknown>> = {}): object => ({
  ...more,
  guard,
});
