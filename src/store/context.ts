// What the parts of the YAML store share: ports and places, chosen once in cli/main.ts.

import type { Instant } from '../core/time.ts';
import type { Files } from './files.ts';
import type { LockResult } from './lock.ts';
import type { Paths } from './paths.ts';

export interface Context {
  readonly files: Files;
  readonly paths: Paths;
  readonly clock: () => Instant;
  readonly lock: () => Promise<LockResult>;
  /** Whether the file behind a spec_ref is there, inside the project. */
  readonly specExists: (specRef: string) => boolean;
  /** Reading leaves nothing behind, not even a fresher cache. */
  readonly leavesCache?: true;
}
