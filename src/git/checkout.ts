// Files of a commit, written into an empty folder, without filters unless they are allowed.

import { must } from './run.ts';
import type { Files, Workbench } from './workbench.ts';

export async function checkOut(bench: Workbench, files: Files, commit: string): Promise<void> {
  await must(bench.files(files, ['read-tree', '--reset', '-u', commit]), `check out ${commit.slice(0, 12)}`);
}
