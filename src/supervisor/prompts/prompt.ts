// What an agent is told, as data in and text out. Pure: the same board gives the same text.

import type { Board } from '../../protocol/board.ts';
import type { SectionNews } from '../../protocol/messages/news.ts';
import type { Role, Task } from '../../protocol/state.ts';
import type { Instant } from '../../text/time.ts';
import type { Wake } from '../rules/wakes.ts';

/** Where things are on this machine. */
export interface Places {
  readonly project: string;
  readonly blackboard: string;
  /** The folder of specs, and the guide to the repository where there is one. */
  readonly specs: string;
  readonly repositoryGuide?: string;
  /** The folder of scripts that call liza under older names. */
  readonly scripts: string;
}

export interface PromptContext {
  readonly board: Board;
  readonly now: Instant;
  readonly agent: string;
  readonly role: Role;
  readonly places: Places;
}

/** How the section that a task was made from has changed since. */
export interface SpecNews {
  readonly diff?: { readonly text: string; readonly added: number; readonly removed: number };
  readonly headingGone?: true;
  /** How the section read that is gone. */
  readonly was?: string;
}

export interface CoderWork {
  readonly task: Task;
  readonly spec?: SpecNews;
  /** Absolute. */
  readonly worktree: string;
  /** Paths with conflict markers, laid out by an integration fix. */
  readonly conflicts?: readonly string[];
  /** What is in the folder that somebody worked in before: a coder that was taken over from, or this one before a block. */
  readonly continued?: {
    readonly commits: number;
    readonly uncommitted: readonly string[];
    /** The ref that holds what that coder put aside for its checkpoint, and had not brought back. */
    readonly setAside?: string;
    /** Branches, tags and the stash that its folder, a clone, had besides the task's branch. */
    readonly beside?: readonly { readonly name: string; readonly commit: string }[];
  };
  /** Where the iteration began, and the rejected commit that is no part of its history. */
  readonly begun?: string;
  readonly without?: string;
  /** The kept work of tasks that this one replaces. */
  readonly replaced?: readonly { readonly task: string; readonly commit: string }[];
  /** What integration has gained since the work began. */
  readonly drift?: {
    readonly commits: number;
    readonly files: readonly string[];
    /** By its id: the branch's name need not resolve in a clone. */
    readonly head?: string;
  };
  /** Goes on in the provider's own session: what it knows already is not said again. */
  readonly resumed?: boolean;
  /** Percent of the last session's context: one that is resumed hands off at once, a fresh one is told why it is there. */
  readonly handOff?: number;
  /** The human named this task on the command line. */
  readonly named?: boolean;
}

export interface ReviewWork {
  readonly task: Task;
  readonly spec?: SpecNews;
  readonly worktree: string;
  /** A folder with the same commit, to try things in. */
  readonly tryout?: string;
  /** A file with every list of EVIDENCE, whole; absent: none is cut. */
  readonly lists?: string;
  /** What set-up did to WORKTREE or TRY IT IN that was undone. */
  readonly undone?: { readonly changed: readonly string[]; readonly removed: readonly string[] };
  /** How the spec of the commit’s base differs from the project’s, which counts. */
  readonly specBehind?: SpecNews | 'absent';
  readonly base: string;
  readonly commit: string;
  /** The rejected commit, where it is no ancestor of this one. */
  readonly without?: string;
  /** What a reviewer had found whose lease ended before it gave a verdict. */
  readonly lostVerdicts?: readonly string[];
  readonly resumed?: boolean;
  /** The human named this task on the command line. */
  readonly named?: boolean;
}

export interface PlanningWork {
  readonly wakes: readonly Wake[];
  /** What became of each file of specs that changed; one that is not here has no text to compare with. */
  readonly specs?: readonly { readonly spec: string; readonly sections: readonly SectionNews[] }[];
  readonly resumed?: boolean;
}
