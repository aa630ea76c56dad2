// What git says about what a verdict names: its blockers, its concerns, its evidence; and about the reviewer's copy.

export interface VerdictFacts {
  /** `file:line` of blockers that is neither in the tree nor in the diff, each with why. */
  readonly unknown_places: readonly string[];
  /** `file:line` of concerns that is neither in the tree nor in the diff, each with why. */
  readonly unknown_concerns?: readonly string[];
  /** Files of blockers that the change does not touch. */
  readonly outside_diff: readonly string[];
  /** What an approval names that is not so at the commit, each with its criterion and why. */
  readonly false_evidence: readonly string[];
  /** Files of the tests and places it names that the change does not touch, as it has them. */
  readonly unchanged_files?: readonly string[];
  /** Tests it names of which Liza does not know that they ran. */
  readonly unrun_tests?: readonly UnrunTest[];
  /** Tracked files of the reviewer's copy that are not as they were handed over. */
  readonly changed_files: readonly string[];
}

/** `file`: no command that Liza ran runs its file. `values`: no runner named it with these values. */
export type NotRun = 'file' | 'values';

export interface UnrunTest {
  readonly file: string;
  readonly name: string;
  readonly why: NotRun;
}
