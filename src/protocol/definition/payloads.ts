// What the commands say that define a task and change its definition. Part of the vocabulary in command.ts.

import type { SpecFacts } from '../facts/spec-facts.ts';
import type { Task } from '../state.ts';

export interface Definition {
  readonly id: string;
  readonly description?: string;
  readonly spec_ref?: string;
  readonly done_when?: string;
  readonly scope?: string;
  readonly type?: Task['type'];
  readonly priority?: number;
  readonly depends_on?: readonly string[];
  readonly needs?: readonly string[];
  readonly validation?: readonly string[];
  readonly max_iterations?: number;
  readonly max_review_cycles?: number;
}
/** `replace_done`: single criteria of done_when, by their number; `add_done`: criteria that come after those. */
export type DefinitionChange = Partial<Omit<Definition, 'id'>> & {
  readonly replace_done?: readonly { readonly criterion: number; readonly text: string }[];
  readonly add_done?: readonly string[];
};

/** What somebody who frees a blocked task may decide about it. */
export interface UnblockOptions {
  readonly changes?: DefinitionChange;
  readonly keep_worktree?: boolean;
  readonly reset_review_cycles?: boolean;
  readonly exclude?: readonly string[];
  readonly reserve?: string;
  readonly assessment?: string;
  /** Why the questions that hold it need no answer. */
  readonly withdraw?: string;
}

export interface PlanPayloads {
  'add-task': {
    readonly definition: Definition;
    readonly ready?: boolean;
    /** The question whose answer makes it necessary. */
    readonly because?: string;
    readonly facts: SpecFacts;
  };
  amend: { readonly task: string; readonly changes: DefinitionChange; readonly facts: SpecFacts };
  finalize: { readonly task: string; readonly facts: SpecFacts };
  unblock: UnblockOptions & {
    readonly task: string;
    /** An answer frees it: nobody has looked at what else was reported on it. */
    readonly answered?: true;
    /** A person answered what held it: that counts as a change of the definition. */
    readonly answered_by_person?: true;
    readonly facts: SpecFacts;
  };
  supersede: {
    readonly task: string;
    readonly root_cause: string;
    /** Existing DRAFT or UNCLAIMED tasks. */
    readonly replacements: readonly string[];
    /** Tasks created by this very transaction, as DRAFT. */
    readonly definitions: readonly Definition[];
  };
  abandon: { readonly task: string; readonly rationale: string };
  replan: { readonly task: string; readonly reason?: string };
}
