// What somebody did to the tracked files of a checkout besides the programs that Liza ran there.

import type { LaidOut, Moved } from '../git/laid-out.ts';
import { isMachineFault } from '../git/run.ts';
import { layOutAgain, trackedChanges } from '../git/tracked-files.ts';
import { EnvironmentError } from '../protocol/decision.ts';

/** Files that are not as Liza laid them out, though no program was to run there since. Named once, and laid out again. */
export async function exchangedBefore(laid: LaidOut): Promise<readonly string[]> {
  const moved = new Set((await laid.moved()).map(({ path }) => path).filter((path) => !laid.isOwn(path)));
  if (moved.size === 0) return [];
  const changed = (await inUsable(() => layOutAgain(laid.gitDir, laid.folder, laid.tree))) ?? [];
  const exchanged = changed.filter((path) => moved.has(path));
  for (const path of exchanged) laid.exchanged.add(path);
  return exchanged;
}

/** Files that were touched while a program ran, and have their content again. */
export async function putBack(laid: LaidOut): Promise<readonly Moved[]> {
  const moved = await laid.moved();
  if (moved.length === 0) return [];
  const found = await inUsable(() => trackedChanges(laid.gitDir, laid.folder, laid.tree));
  if (found === undefined) return [];
  const changed = new Set(found);
  return moved.filter(({ path }) => !changed.has(path) && !laid.isOwn(path));
}

/** Of a folder that a program left unusable others tell (proof/run-commands.ts). */
async function inUsable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EnvironmentError) || isMachineFault(error)) throw error;
    return undefined;
  }
}
