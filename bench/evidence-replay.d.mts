// What a test uses of the replay.

export interface Repository {
  readonly git: (...args: readonly string[]) => Promise<string>;
}
export interface Replayed {
  readonly shown: Readonly<Record<string, readonly string[]>>;
  readonly false: Readonly<Record<string, readonly string[]>>;
  readonly missed: Readonly<Record<string, readonly string[]>>;
}
export const SPELLINGS: Readonly<Record<string, (files: readonly string[]) => string>>;
export function openRepository(gitDirectory: string): Repository;
export function chooseCommits(repository: Repository, many: number): Promise<readonly string[]>;
export function replay(
  parts: object,
  repository: Repository,
  commit: string,
  how: { readonly spelling: string; readonly testCommand: string },
): Promise<Replayed | undefined>;
