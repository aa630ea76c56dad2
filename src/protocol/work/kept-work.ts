// The git commands by which kept work comes back into a folder: whole, deleted, renamed and binary files too. None
// overwrites what is there: git refuses, or marks what both sides changed.

/** Work that was put aside before a checkpoint: its first parent is what it was made upon. */
export const bringBack = (name: string): string => `git cherry-pick --no-commit -m 1 ${name}`;

/** Work of a former folder, upon whatever this one is at; `--ff` for people whose git is configured otherwise. */
export const mergeBack = (name: string): string => `git merge --squash --ff ${name}`;

/** The changes of one path alone. A copy of the file would undo what others did to it since `base`. */
export const takePath = (base: string, name: string): string =>
  `git diff --binary ${base}...${name} -- <path> | git apply -3`;
