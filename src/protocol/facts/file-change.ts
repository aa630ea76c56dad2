// A submitted diff as the rules see it: its files, and lines worth a look. Read from git, never told by the coder.

import { counted } from '../../text/format.ts';

/** One file of the diff between the base and the submitted commit; a rename is one removed and one added. */
export interface FileChange {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** Git takes it for binary: its diff shows no line of it. */
  readonly binary?: boolean;
  /** What a pointer of Git LFS names: `sha256:…, 1234 bytes`. */
  readonly lfs?: string;
  /** Another file of the commit whose path differs by case alone: on many machines they are one file. */
  readonly twin?: string;
  /** What it is now, where that is no file. */
  readonly form?: 'link' | 'submodule';
  /** `executable`, `not executable`, `a link`, `a submodule`, `a file`: what a path that stays became. */
  readonly becomes?: string;
  /** A removed file of the very same content. */
  readonly moved_from?: string;
  /** A removed test that this one takes the place of, changed. */
  readonly changed_from?: string;
  /** A removed file beside the tests that held none: where it stands as code now. */
  readonly moved_to?: string;
  /** Tests within code, by name: those that lost lines, and those that are gone or stand elsewhere (`name → file`). */
  readonly within_changed?: readonly string[];
  readonly within_removed?: readonly string[];
  readonly within_moved?: readonly string[];
  /** Tests whose lines all stay, and that are no tests any more: they stand in a comment, say. */
  readonly silenced?: readonly string[];
  /** A test that lost no line: what it held, it holds. */
  readonly only_added?: boolean;
  /** A test that asserts less in some place, or in which something is switched off. */
  readonly weakened?: boolean;
  /** A test file in which nothing could fail: empty bodies, constants. `gained`: none of the tests that are new in it could. */
  readonly hollow?: boolean | 'gained';
  /** New tests in whose own lines nothing is asserted. */
  readonly unasserted?: readonly string[];
  /** Code that holds its own tests, and was changed or gained one. */
  readonly tests_within?: boolean;
}

/** `file:line text`, each. */
export interface LineList {
  readonly lines: readonly string[];
  /** How many further ones there are. */
  readonly more?: number;
}

/** What `begin --also` names. */
export interface LateFiles {
  readonly files: readonly string[];
  readonly reason: string;
  /** Those of `files` that are folders in the worktree. */
  readonly folders?: readonly string[];
}

/** Lines alone hide a file that went and a mode that is another: `, 10 lines added, 0 removed, 1 file deleted, 1 mode changed`; each only where the record has it. */
export function sizeText({ lines, deleted, modes }: Readonly<Record<string, unknown>>): string {
  const { added, removed } = (lines ?? {}) as { readonly added?: unknown; readonly removed?: unknown };
  const [files, others] = [lengthOf(deleted), lengthOf(modes)];
  return [
    ...(added === undefined ? [] : [`${counted(Number(added), 'line')} added`, `${Number(removed)} removed`]),
    ...(files === 0 ? [] : [`${counted(files, 'file')} deleted`]),
    ...(others === 0 ? [] : [`${counted(others, 'mode')} changed`]),
  ]
    .map((part) => `, ${part}`)
    .join('');
}

function lengthOf(list: unknown): number {
  const { paths, more } = (list ?? {}) as { readonly paths?: unknown; readonly more?: unknown };
  return (Array.isArray(paths) ? paths.length : 0) + (typeof more === 'number' ? more : 0);
}
