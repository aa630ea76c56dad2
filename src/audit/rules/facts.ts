// What an audit is made of: facts with their marks, and the witness that they are held against.

import type { GoalRecord } from '../../protocol/goal/goal-record.ts';
import type { TasksOf } from '../../protocol/goal/goal-tasks.ts';
import type { Planted } from '../../protocol/messages/violation-payloads.ts';
import type { Goal, State, Task } from '../../protocol/state.ts';
import type { NamesInGit } from './merge-names.ts';

export type Mark = 'verified' | 'unverifiable' | 'contradicted';

export interface Fact {
  readonly time?: string;
  /** What is claimed, in one line. */
  readonly what: string;
  readonly mark: Mark;
  /** What bears it out, or what speaks against it. */
  readonly why: string;
  /** A step under an agent's id with no session of a supervisor behind it. */
  readonly unsupervised?: true;
  /** A session that ran without a sandbox: true, and nothing to be called ok. */
  readonly unconfined?: true;
}

export interface Told {
  readonly seq: number;
  readonly time: string;
  readonly actor: string;
  /** Through whom it asked. */
  readonly session?: string;
  readonly command: string;
  readonly task?: string;
  readonly detail: string;
  /** Records it touched, as `tasks/a`. */
  readonly records: readonly string[];
  /** The text that it put into the state. */
  readonly added: string;
}

export interface CommitFacts {
  readonly parents: readonly string[];
  readonly tree: string;
}

/** A file of `.liza/evidence` against the hash that was recorded. */
export interface EvidenceFound {
  readonly file: string;
  readonly is: 'same' | 'other' | 'gone';
}

/** Everything outside the record of the task itself. */
export interface Witness {
  /** The state that the journal leads to. */
  readonly state: State;
  /** All tasks, archived ones first, as the journal has them. */
  readonly tasks: readonly Task[];
  /** The goals before the current one, as the archive has them; `differing` says if that is not what was journalled. */
  readonly past?: readonly GoalRecord[];
  /** Those of them whose record the journal notes; earlier versions archived none. */
  readonly noted?: ReadonlySet<string>;
  /** The goal that the audit is about, and when the next one began; absent: all of them. */
  readonly about?: { readonly goal: Goal & TasksOf; readonly until?: string };
  readonly entries: readonly Told[];
  /** What is wrong with the journal; empty: its chain holds. */
  readonly broken: readonly string[];
  /** How the copy of the journal in the git directory compares with it. */
  readonly copy: 'equal' | 'shorter' | 'longer' | 'other' | 'missing';
  /** What log.yaml tells otherwise than the journal; undefined: it has every entry, and no other. */
  readonly log?: { readonly entry: number; readonly behind: boolean } | { readonly foreign: string };
  /** The first entry that names a session; earlier versions noted none. */
  readonly namedFrom: number;
  /** The board was written by hand and imported as a whole: what happened before has no entries. */
  readonly imported: boolean;
  /** How state.yaml and the archive differ from what the journal leads to, by record. */
  readonly differing: ReadonlyMap<string, string>;
  /** state.yaml lags behind, or is missing: not wrong, but not to be compared. */
  readonly behind?: string;
  /** The evidence files, by the recorded hash. */
  readonly evidence: ReadonlyMap<string, EvidenceFound>;
  /** Every commit that the board names; one that is missing here does not exist. */
  readonly commits: ReadonlyMap<string, CommitFacts>;
  readonly refs: ReadonlyMap<string, string>;
  /** What makes plain git show other content than Liza does. */
  readonly planted?: readonly Planted[];
  /** The integration branch, newest first, by first parents; over a sync that went forward, from where it was before. */
  readonly line: readonly string[];
  /** `<older>..<newer>` where the newer one builds on the older. */
  readonly builds: ReadonlySet<string>;
  /** What git makes of two commits: `<onto> <commit>` to a tree. */
  readonly mergedTrees: ReadonlyMap<string, string>;
  /** Whom git names, by `<merge commit> <task>`. */
  readonly names: ReadonlyMap<string, NamesInGit>;
}

export const verified = (what: string, why: string, time?: string): Fact => fact('verified', what, why, time);
export const unverifiable = (what: string, why: string, time?: string): Fact => fact('unverifiable', what, why, time);
export const contradicted = (what: string, why: string, time?: string): Fact => fact('contradicted', what, why, time);

const fact = (mark: Mark, what: string, why: string, time?: string): Fact =>
  time === undefined ? { what, mark, why } : { time, what, mark, why };

/** Tokens, and money by their price. */
export const PROVIDERS_WORD = 'as the providers report it, or, for money, by the price that is set for the model';

export const short = (commit: string): string => commit.slice(0, 12);
