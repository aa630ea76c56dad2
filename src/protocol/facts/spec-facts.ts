// What the caller looked up on the disk about a task's definition before a command is decided: the file and the section
// behind its spec_ref, and which words of its scope name something.

/** Whether the file behind a spec_ref exists in the project; undefined: there is no spec_ref to check. */
export interface SpecFacts {
  readonly spec_exists?: boolean | undefined;
  /** SHA-256 of the section's text, which is kept. */
  readonly spec_hash?: string | undefined;
  /** The file has no heading and no id that its anchor names; the anchors that it has, nearest first. */
  readonly dead_anchor?: readonly string[] | undefined;
  /** How many further anchors it has. */
  readonly more_anchors?: number | undefined;
  /** Words of the scope’s IN that are there, though they do not look like paths; undefined: nobody looked. */
  readonly there?: readonly string[] | undefined;
  /** Files of the base below folders and patterns of the scope’s IN; undefined: nobody looked. */
  readonly base_files?: readonly string[] | undefined;
  /** The whole file that the section is in; its text is kept, too. */
  readonly file?: { readonly spec: string; readonly hash: string } | undefined;
}
