// What the caller looked up on the disk about a task's definition before a command is decided: the file and the section
// behind its spec_ref, and which words of its scope name something.

import { shellWord } from '../../text/format.ts';

/** Whether the file behind a spec_ref exists in the project; undefined: there is no spec_ref to check. */
export interface SpecFacts {
  readonly spec_exists?: boolean | undefined;
  /** SHA-256 of the section's text, which is kept. */
  readonly spec_hash?: string | undefined;
  /** The file has no heading and no id that its anchor names; the anchors that it has, nearest first. */
  readonly dead_anchor?: readonly string[] | undefined;
  /** How many further anchors it has. */
  readonly more_anchors?: number | undefined;
  /** Words of the scope that are there, though they do not look like paths; undefined: nobody looked. */
  readonly there?: readonly string[] | undefined;
  /** Files of the base below folders and patterns of the scope’s IN; undefined: nobody looked. */
  readonly base_files?: readonly string[] | undefined;
  /** Scripts of the base’s package.json, where IN names type declarations; undefined: nobody looked. */
  readonly scripts?: Readonly<Record<string, string>> | undefined;
  /** What the shell says of the commands that prove it. */
  readonly shell?: ShellFacts | undefined;
  /** The whole file that the section is in; its text is kept, too. */
  readonly file?: { readonly spec: string; readonly hash: string } | undefined;
}

export interface ShellFacts {
  /** Command lines that the shell which runs them cannot run, whatever the code does. */
  readonly unread?: readonly UnreadLine[] | undefined;
}

export interface UnreadLine {
  readonly line: string;
  /** The shell's own words. */
  readonly said: string;
  /** It is a line of bash. */
  readonly bash: boolean;
}

/** The same line for a shell that can read it. */
export const inBash = (line: string): string => `bash -c ${shellWord(line)}`;

/** What the machine saw of the section that a task was made from: how it reads now, by its hash and in numbers. */
export interface SectionChange {
  readonly spec_hash: string;
  readonly added?: number;
  readonly removed?: number;
  /** The heading that the anchor names is gone. */
  readonly heading_gone?: true;
}
