// What Liza itself records about agents.

export interface ViolationPayloads {
  /** An agent tried to run `command` as `claimed`, and was refused. */
  'refused-attempt': { readonly agent: string; readonly claimed: string; readonly command: string };
  /** An agent moved a branch that is neither its task's nor the integration branch; `holds`: it has an agent's commit;
   *  `lost`: it left that commit while the agent was at work, and was last `seen` there. */
  'branch-moved': {
    readonly agent: string;
    readonly branch: string;
    readonly commit: string;
    readonly from?: string;
    readonly holds?: true;
    readonly lost?: 'deleted' | 'moved';
    readonly seen?: string;
  };
  /** Something in git makes plain git show other content than Liza does. */
  'planted-in-git': Planted;
  /** Above the checkouts something changed while agents work, which programs find from there. */
  'planted-above': {
    readonly task?: string;
    readonly at: string;
    readonly changed: string;
    readonly names: string;
    /** Or within one, while it was tested: files, which nothing that Liza ran there exchanged. */
    readonly within?: true;
  };
  /** A reviewer's session that approved did not end by itself: a program may have spoken and ended it. */
  'verdict-unfinished': {
    readonly task: string;
    readonly agent: string;
    readonly commit: string;
    readonly ended: string;
  };
}

export interface Planted {
  /** A ref or a file that hides a branch, a ref that replaces an object, an agent's notes, or a file in Liza's own git. */
  readonly what: 'hides' | 'file' | 'replaces' | 'notes' | 'own';
  /** A ref's full name, or a path. */
  readonly at: string;
  /** Where the ref leads. */
  readonly commit?: string;
  /** The branch or the commit that people cannot name by its short name any more. */
  readonly hides?: string;
  readonly agent?: string;
}
