// What git says about what a verdict names: its blockers, its concerns, its evidence; and about the reviewer's copy.

export interface VerdictFacts {
  /** `file:line` of blockers that is neither in the tree nor in the diff, each with why. */
  readonly unknown_places: readonly string[];
  /** `file:line` of concerns that is neither in the tree nor in the diff, each with why. */
  readonly unknown_concerns?: readonly string[];
  /** Files of blockers that the change does not touch. */
  readonly outside_diff: readonly string[];
  /** Files of concerns that the change does not touch, as the verdict spells them. */
  readonly outside_concerns?: readonly string[];
  /** What an approval names that is not so at the commit. */
  readonly false_evidence: readonly { readonly criterion: number; readonly why: string }[];
  /** Files of the tests and places it names that the change does not touch, as it has them. */
  readonly unchanged_files?: readonly string[];
  /** Places it names, as `file:line`, in changed files, but with no changed line near them. */
  readonly far_places?: readonly string[];
  /** Tests it names of which Liza does not know that they ran. */
  readonly unrun_tests?: readonly UnrunTest[];
  /** Places it names, as `file:line`, in test files that a command ran green at the commit. */
  readonly ran_places?: readonly string[];
  /** Commands it names that say nothing about the change, though they are green. */
  readonly idle_commands?: readonly IdleCommand[];
  /** Paths that the criteria name and that the change does not touch. */
  readonly left_alone?: readonly string[];
  /** Tracked files of the reviewer's copy that are not as they were handed over. */
  readonly changed_files: readonly string[];
}

/**
 * `file`: no command that Liza ran runs its file. `values`: no runner named it with these values. `unreported`: the
 * runners name or count tests, and this one is not among them. `empty`: it ran, and nothing in its body can fail.
 * `left_out`: the commands that run its file choose other tests by their names.
 */
export type NotRun = 'file' | 'values' | 'unreported' | 'empty' | 'left_out';

/** `no_tests`: its runner ran none. `green_before`: no runner reported tests, and it was green on the base, too. */
export type Idle = 'no_tests' | 'green_before';

export interface IdleCommand {
  readonly command: string;
  readonly why: Idle;
}

export interface UnrunTest {
  readonly file: string;
  readonly name: string;
  readonly why: NotRun;
}
