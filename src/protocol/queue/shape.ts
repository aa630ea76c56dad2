// What the rules of the merge queue call its records.

import type { Goal } from '../state.ts';

export type Queue = NonNullable<Goal['queue']>;
export type Batch = NonNullable<Queue['batch']>;
export type Ahead = NonNullable<Queue['ahead']>[number];
export type Beside = NonNullable<Batch['beside']>;
export type BatchRun = Batch['runs'][number];
export type PastBatch = NonNullable<Queue['batches']>[number];
