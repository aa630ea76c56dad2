// A folder that was not removed, because not all of it could be kept as an attempt.

export interface KeptFolder {
  readonly path: string;
  readonly why: string;
  /** Nothing that an honest coder leaves: a person should look at it. */
  readonly isOdd: boolean;
}

export const keptFolderLine = ({ path, why }: KeptFolder): string => `the folder is kept as ${path}: ${why}`;
