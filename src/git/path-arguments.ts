// Paths as arguments of git. The system takes only so many bytes of them at once, and whoever wrote a commit decides how
// many paths it has and how long they are.

/** Well below what any system takes, together with the environment. */
const MOST_BYTES = 96 * 1024;
/** Longer ones the system does not open, and no tree gets to hold them. */
export const LONGEST_PATH = 3500;

/** In groups that one command takes; those that are too long for any file are in none. */
export function pathGroups(paths: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let left = 0;
  for (const path of paths) {
    const bytes = Buffer.byteLength(path) + 1;
    if (bytes > LONGEST_PATH) continue;
    if (bytes > left) {
      groups.push([]);
      left = MOST_BYTES;
    }
    left -= bytes;
    groups.at(-1)?.push(path);
  }
  return groups;
}
