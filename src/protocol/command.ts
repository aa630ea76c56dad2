// Every command that `decide` takes, as data. `facts` are things about the disk or git that the caller looked up
// beforehand: the protocol itself never looks.

import type { PlanPayloads, UnblockOptions } from './definition/payloads.ts';
import type { FileChange, LateFiles, LineList } from './facts/file-change.ts';
import type { SectionChange, ShellFacts, SpecFacts } from './facts/spec-facts.ts';
import type { VerdictFacts } from './facts/verdict-facts.ts';
import type { BasePayloads } from './goal/base-records.ts';
import type { ViolationPayloads } from './messages/violation-payloads.ts';
import type { Landed, QueuePayloads } from './queue/records.ts';
import type { SetupPayloads } from './records/setup-records.ts';
import type { Proof } from './review/proof.ts';
import type { SecondVerdict } from './review/second-verdict.ts';
import type { SinceRed } from './review/since-red.ts';
import type { Trial } from './review/trial.ts';
import type { Anomaly, Discovery, Handoff, Role, Task, TaskSession, Trouble } from './state.ts';

export interface Checkpoint {
  readonly intent: string;
  readonly assumptions: readonly string[];
  readonly risks: string;
  readonly validation: string;
  readonly files_to_modify: readonly string[];
}

/** The worktree as git sees it; absent when the task's worktree is not on this disk. */
export interface WorktreeFacts {
  readonly head: string;
  readonly branch?: string;
  /** Paths that differ from the recorded baseline. */
  readonly dirty: readonly string[];
  /** A merge that was laid out in it is not concluded. */
  readonly merging?: boolean;
  /** For `begin`: HEAD is this commit of the integration branch, without one of the coder's own on it. */
  readonly integrated?: string;
  /** For `begin`: `n` of the newest refs/liza/attempts/<task>/<n>. */
  readonly attempts?: number;
}

export interface SubmitFacts extends WorktreeFacts {
  readonly descends_from_base: boolean;
  readonly changes: readonly FileChange[];
  /** The new review base when the coder rebased on integration; absent: the base stays. */
  readonly base_commit?: string;
  /** The rejected commit whose tree is the submitted one's. */
  readonly same_tree_as?: string;
  /** The commit that its coder retracted last, where its tree is the submitted one's. */
  readonly same_as_retracted?: string;
  /** Changed paths that earlier iterations changed already, so that the start of this one has them. */
  readonly before_start?: readonly string[];
  /** `n` of refs/liza/review/<task>/<n>, which keeps the commit. */
  readonly pin?: number;
  /** Lines of the whole diff. */
  readonly lines?: { readonly added: number; readonly removed: number };
  /** Lines that were taken from existing tests, and lines that switch tests off. */
  readonly test_edits?: LineList;
  /** New lines that put work off or silence a check. */
  readonly marks?: LineList;
  /** Changed files that decide how the tests are run. */
  readonly test_setup?: readonly string[];
  /** What no diff shows: files that its commits add and remove again, or change and change back, empty commits, other roots. */
  readonly passing?: readonly string[];
  readonly changed_back?: readonly string[];
  readonly empty_commits?: readonly string[];
  readonly roots?: readonly string[];
  /** The coders of the task whose commits are in it, the first one first; none: no commit bears a coder's name. */
  readonly authors?: readonly string[];
  /** Its commits whose author or committer is none of the task's coders, with the names that they bear. */
  readonly named_otherwise?: readonly string[];
  /** Tags, and branches by names of the project’s, that the coder made or moved in its own clone. */
  readonly refs_in_clone?: readonly string[];
  /** `id of branch`: those of them that are on a branch or tag of people's and not on the integration branch. */
  readonly taken_in?: readonly string[];
  /** Its commits that Liza knew before the iteration's checkpoint, and those that are dated before it. */
  readonly before_plan?: readonly string[];
  readonly dated_before?: readonly string[];
  /** Files that are as they were in work that was put aside for the checkpoint; that work, where none of its files came back. */
  readonly brought_back?: readonly string[];
  readonly put_aside?: readonly string[];
  /** Changed files whose texts Liza did not look at: too large, too many, or generated. */
  readonly unread?: readonly string[];
  readonly unread_bytes?: number;
  /** Words of the scope, of IN and of OUT, that name something on the base. */
  readonly on_base?: readonly string[];
  /** Changed type declarations that a command which Liza runs checks. */
  readonly checked_types?: readonly string[];
  /** Red submissions before it, in the same iteration. */
  readonly since_red?: SinceRed;
  /** What Liza's own runs at this commit showed. */
  readonly proof?: Proof;
}

/** Which session it was, since when, and what confined it. */
export interface SessionStay {
  readonly id: string;
  readonly since: string;
  readonly sandbox: TaskSession['sandbox'];
}

export interface SessionUse {
  readonly seconds: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens?: number;
  /** Told by the provider, or by its model's price; absent: not known. */
  readonly cost_usd?: number;
  /** Its provider told no tokens. */
  readonly untold?: boolean;
}

/** What an agent says in a handoff; the rest is added by Liza. */
export type HandoffNotes = Omit<Handoff, 'agent' | 'timestamp' | 'last_red' | 'context_percent' | keyof HandoffFacts>;

/** What git says about the work that is handed off. */
export interface HandoffFacts {
  /** Since the base, newest first. */
  readonly commits: readonly string[];
  readonly uncommitted: readonly string[];
  /** All paths that differ from the base. */
  readonly files: readonly string[];
}

interface Payloads extends BasePayloads, PlanPayloads, QueuePayloads, SetupPayloads, ViolationPayloads {
  // the goal and its plan
  'plan done': Record<never, never>;
  align: { readonly summary: string; readonly event?: string };
  'discovery convert': { readonly discovery: string; readonly to_task: string };
  'discovery dismiss': { readonly discovery: string; readonly reason: string };
  'discovery reopen': { readonly discovery: string; readonly reason: string };
  'goal complete': {
    readonly summary?: string;
    /** What is undecided goes to the next goal. */
    readonly carry_over?: boolean;
  };
  'goal edit': { readonly description?: string; readonly spec_ref?: string; readonly facts?: SpecFacts };
  /** `facts`: the tasks that left the state for the archive. */
  'sprint start': { readonly deadline?: string; readonly facts?: { readonly archived: readonly Task[] } };
  /** Without a deadline: the sprint has none any more. */
  'sprint deadline': { readonly deadline?: string };

  // work
  register: {
    readonly agent: string;
    readonly role: Role;
    readonly terminal?: string;
    /** The agent CLI it works with, where it is known beforehand. */
    readonly provider?: string;
    readonly process?: string;
  };
  /** `process`: who prepares the worktree, as `<boot>/<pid>/<started>`; here and below. */
  'reserve-claim': { readonly task: string; readonly agent: string; readonly process?: string };
  'release-reservation': { readonly task: string; readonly process?: string };
  'claim-task': {
    readonly task: string;
    readonly agent: string;
    readonly worktree: string;
    readonly base_commit: string;
    /** Where this iteration starts: `begin` binds to it. Absent: base_commit. */
    readonly start_commit?: string;
    /** The git tree of the prepared worktree, where it is not simply the start commit's. */
    readonly baseline?: string;
    /** The folder was not usable, and was made again at this commit. */
    readonly tip?: string;
    /** The content of the old folder, as a commit. */
    readonly kept?: string;
    /** Where the former work is, when this folder begins without it: refs/liza/attempts/<task>/<n>. */
    readonly former?: string;
  };
  'release-claim': { readonly task: string; readonly reason?: string };
  /** `wt create` made the worktree of a claimed task again. */
  'renew-worktree': {
    readonly task: string;
    readonly worktree: string;
    readonly base_commit: string;
    /** Absent: the iteration's start stays where it was. */
    readonly start_commit?: string;
    readonly baseline?: string;
    readonly fresh?: boolean;
    /** The same two fields as those of claim-task. */
    readonly tip?: string;
    readonly kept?: string;
  };
  /** `wt delete` saved the work and removed the worktree. */
  'drop-worktree': { readonly task: string };
  begin: {
    readonly task: string;
    readonly checkpoint: Checkpoint;
    readonly facts?: WorktreeFacts;
    /** What came before it is kept and put back first: a hint repeats that. */
    readonly set_aside?: true;
  };
  /** `begin --also`: files that the checkpoint did not name. */
  declare: { readonly task: string } & LateFiles;
  'submit-for-review': {
    readonly task: string;
    readonly commit: string;
    /** Why what the coder retracted is right as it was. */
    readonly unchanged?: string;
    readonly facts: SubmitFacts;
  };
  retract: { readonly task: string; readonly reason: string };
  /** Liza ran what proves the commit, and the submission did not (yet) follow: red, or stopped on the way. */
  'record-validation': { readonly task: string; readonly proof: Proof };
  /** Liza ran the task's own validation on the base. */
  'record-trial': { readonly task: string } & Omit<Trial, 'time'>;
  block: {
    readonly task: string;
    readonly reason: string;
    readonly questions: readonly string[];
    readonly attempted?: readonly string[];
  };
  /** A limit was hit: the supervisor, not the coder, blocks. */
  limit: {
    readonly task: string;
    readonly limit: 'max_iterations' | 'spin' | 'silence' | 'budget';
    readonly detail?: string;
  };
  discover: Omit<Discovery, 'id' | 'by' | 'created' | 'converted_to_task' | 'dismissed_reason' | 'carried_from'> & {
    readonly id?: string;
  };
  anomaly: {
    readonly type: string;
    readonly task?: string;
    readonly details: NonNullable<Anomaly['details']>;
  };
  withdraw: { readonly question: string; readonly reason: string };
  ask: { readonly text: string; readonly task?: string; readonly spec_ref?: string; readonly assume?: string };
  answer: {
    /** A question, or a task whose open questions it answers; absent with accept: all that have an assumption. */
    readonly about?: string;
    readonly text?: string;
    /** What the askers go on with is right. */
    readonly accept?: true;
    /** The answer is a criterion of the task's done_when, too. */
    readonly criterion?: true;
    /** What changes with the blocked task that the answer frees. */
    readonly unblock?: UnblockOptions;
    /** About the task that it concerns. */
    readonly facts: SpecFacts;
  };
  handoff: { readonly task: string; readonly facts?: HandoffFacts } & HandoffNotes;
  /** A planner's, which is about the plan. */
  'handoff-plan': HandoffNotes;
  'long-heartbeat': { readonly task?: string; readonly reason: string };
  exit: { readonly code: number; readonly reason?: string };
  /** A session is about to begin: from here on it counts. */
  'session-start': {
    readonly agent: string;
    readonly task?: string;
    /** It goes on in the provider's own session. */
    readonly resumes?: boolean;
    /** That of its supervisor. */
    readonly process?: string;
  };
  /** A session of an agent is over: what it used, and how the next one may continue it. */
  'session-end': {
    readonly agent: string;
    /** That of its supervisor. */
    readonly process?: string;
    readonly task?: string;
    readonly provider: string;
    readonly how: string;
    readonly used: SessionUse;
    readonly stay?: SessionStay;
    readonly context_percent?: number;
    /** The provider's session to resume; absent: the next session starts fresh. */
    readonly session?: string;
    /** When a session began whose supervisor was gone before its end. */
    readonly began?: string;
    /** Wakes that its prompt named; absent: it did not end well, and they are open still. */
    readonly handled?: readonly string[];
    /** The last commands that it was refused. */
    readonly refused?: readonly string[];
    /** For the log: what it left undone, and the last command that it was refused. */
    readonly left?: string;
  };
  /** The agent is measured to be near the end of its context: its commands tell it to hand off. */
  'context-used': { readonly agent: string; readonly percent: number };
  /** An agent cannot go on; absent `kind`: it can again. */
  trouble: { readonly agent: string; readonly kind?: Trouble; readonly detail?: string; readonly until?: string };

  // review and merge
  'claim-review': {
    readonly task: string;
    readonly agent: string;
    /** The one that is to be reviewed; absent: whichever is. */
    readonly commit?: string;
  };
  'submit-verdict': {
    readonly task: string;
    readonly verdict: 'APPROVED' | 'REJECTED';
    readonly reason?: string;
    readonly commit?: string;
    readonly provider?: string;
    /** A person reviewed it. */
    readonly by_hand?: true;
    /** What git says about the verdict: no verdict is taken without it. */
    readonly facts: VerdictFacts;
  };
  /** The other verdict on the commit that the same session has judged already. */
  'second-verdict': SecondVerdict & { readonly verdict: 'REJECTED' };
  /** The same where it can change nothing any more. */
  'verdict-disputed': SecondVerdict & { readonly verdict: 'APPROVED' | 'REJECTED' };
  /** The reviewer's own copy is ready: where it is, and the tree of its tracked files. */
  'review-copy': {
    readonly task: string;
    readonly folder: string;
    readonly tree: string;
    /** The folder to try things in, which is made next. */
    readonly tryout?: string;
  };
  /** After the session the copy was not as it was handed over. */
  'review-changed': { readonly task: string; readonly agent: string; readonly paths: readonly string[] };
  /** `agent`: also its live claim, when its own supervisor gives it up (a spinning reviewer). */
  'clear-stale-review-claims': { readonly agent?: string };
  /** `wt merge` succeeded: the integration branch already holds `merge_commit`, the announced candidate. */
  merge: {
    readonly task: string;
    readonly merge_commit: string;
    readonly onto?: string;
    readonly drift?: number;
    /** What tested the candidate, or why nothing did. */
    readonly tested?: string;
    readonly untested?: string;
    /** Where the task branch was, when that was no longer the approved commit. */
    readonly head_moved?: string;
    /** Those of its batch that came to the branch with it, in order. */
    readonly before?: readonly Landed[];
    /** Tasks of the sprint that left the state, for its metrics. */
    readonly archived?: readonly Task[];
  };
  /** `wt merge` met a conflict or a red test. */
  'merge-failed': {
    readonly task: string;
    readonly reason: string;
    readonly paths?: readonly string[];
    /** The tasks of the other side of the conflict. */
    readonly with?: readonly string[];
    /** Where the test's output is. */
    readonly log?: string;
    /** The end of that output: a coder that fixes it may be in a sandbox that hides the log. */
    readonly output?: string;
  };
  /** A checkout of the integration branch is not clean: the merge waits. */
  'hold-merge': { readonly task: string; readonly reason: string };
  'release-merge': { readonly task: string; readonly process?: string };
  /** The integration branch is not where Liza left it. */
  'integration-moved': { readonly found: string };
  'accept-integration': { readonly head: string };

  // the operator
  note: { readonly message: string; readonly for?: string };
  /** `notes`: their ids. */
  'note done': { readonly notes: readonly string[]; readonly why?: string };
  pause: { readonly task?: string };
  /** `decision`: one of DECISIONS (commands/kill-switches.ts), of which stop aborts. */
  resume: { readonly task?: string; readonly decision?: string; readonly note?: string };
  /** Halts everything for a decision; also what a passed deadline or a tripped breaker does. */
  checkpoint: {
    readonly reason?: string;
    /** Only if the CHECKPOINT file is still there: the caller may have seen it some time ago. */
    readonly touched?: boolean;
  };
  /** The CHECKPOINT file was removed by hand: the sprint goes on, too. */
  'checkpoint-over': Record<never, never>;
  abort: { readonly reason?: string };
  /** The circuit breaker looks at the board as it is in this very transaction. */
  analyze: { readonly facts?: { readonly archived: readonly Task[] } };
  resolve: { readonly resolution: string; readonly facts?: { readonly archived: readonly Task[] } };
  /** The planner or a person has dealt with these. */
  'anomaly processed': { readonly anomalies: readonly string[]; readonly why?: string };
  /** What the people learned; the numbers are drafted from the board. */
  retrospective: { readonly file?: string; readonly learned?: string };
  /** The machine saw that the section a task was made from reads differently now. */
  'spec-changed': { readonly task: string } & SectionChange;
  /** The machine saw that a file of specs reads differently now. */
  'spec-file-changed': NonNullable<SpecFacts['file']> & { readonly added?: number; readonly removed?: number };
  'spec-change': {
    readonly spec: string;
    readonly change: string;
    readonly triggered_by?: string;
    readonly facts?: SpecFacts;
  };
  'config set': {
    readonly key: string;
    readonly value: unknown;
    /** Where the chosen integration branch is checked out; what a sandbox place would open. */
    readonly facts?: { readonly checked_out?: string; readonly hole?: string; readonly shell?: ShellFacts };
  };
  /** `facts`: the tasks that left the state for the archive. */
  metrics: { readonly facts?: { readonly archived: readonly Task[] } };
  archive: { readonly tasks?: readonly string[] };
}

export type CommandName = keyof Payloads;
export type CommandOf<K extends CommandName> = { readonly name: K } & Payloads[K];
export type Command = { [K in CommandName]: CommandOf<K> }[CommandName];
