// The names of all refusals: the guards of the command table, the steps of `decide` around them, and what the rooms
// around the protocol refuse by themselves. Callers and tests tell refusals apart by these names, never by their words.
// A row can use no other guard name: renaming one is a type error wherever it is referred to. A test holds the list of
// guards and the table together.

import { type WordsOf, words } from './values.ts';

export const GUARD_NAMES = [
  ...words(
    'acyclic address addressee after-checkpoint all-terminal announced anomalies answer answer-read answered-since-claim asked-by-others assessment',
  ),
  ...words('assumption because before-code branch'),
  ...words(
    'breaker-resolved by-agent chain checkpoint checkpoint-first clean-sync code coders commit commits concern-places',
  ),
  ...words(
    'copy-as-submitted criteria-shown criterion deadline decision definition definition-changed dependencies-merged details discovery dismissed-discovery',
  ),
  ...words(
    'event-name few-exits few-open few-tasks few-unmerged file-gone file-there files gates goal-open has-needs holds-review holds-task id-fits-role id-free in-scope',
  ),
  ...words('integration-accepted integration-known key learned lease-lives lease-past left-behind limit-reached'),
  ...words('live-task merge-commit message moved never-its-coder no-hole no-live-lease no-live-review'),
  ...words(
    'no-merge-under-way no-other-task no-unreviewed-work no-worktree-files nobody-merges nobody-prepares not-aborted',
  ),
  ...words(
    'not-about-agents not-approved-before not-being-claimed not-being-merged not-completed not-drained not-excluded not-exhausted',
  ),
  ...words(
    'not-halted not-needed not-rejected-before not-retracted-before note notes nothing-undecided once open-discovery other-provider own-agent own-history own-process own-question own-review own-submission own-task proof question queue-open',
  ),
  ...words(
    'rationale readable-names reason reason-and-questions registered rejection-structure replacements reservation resolution retractions-left',
  ),
  ...words(
    'room-on-disk root-cause said-done session-over something-changes something-merged something-new something-planned spec-known',
  ),
  ...words('sprint-open sprint-over summary task-exists terminal tests-with-code this-commit tree triggered type'),
  ...words('unblocks unblocks-left value what-changed within-budget'),
];

export type GuardName = (typeof GUARD_NAMES)[number];

export type RefusalName =
  | GuardName
  | StepName
  | GateName
  | DisproofName
  | IdentityName
  | LeaseName
  | StoreName
  | GitName
  | TaskName
  | ProjectName
  | PastName
  | CliName
  | 'environment';

/** A step of `decide` outside a row's guards. */
type StepName =
  WordsOf<'command role input id-pattern text-limit placeholder credential task-exists terminal epoch state switches invariants'>;

/** What exactly is wrong with a task's definition; said by the guards `definition` and `gates`. */
type GateName = WordsOf<
  | 'needs priority type limits dependencies-exist acyclic spec-ref spec-exists done-when scope no-abandoned-dependency'
  | 'no-superseded-dependency tests-included proof anchor criteria type-and-scope always-green unrunnable description'
>;

/** What a run at the submitted commit showed; said by the guard `proof`. */
export type DisproofName = 'validation' | 'tests-red-on-base' | 'base-tests-green';

type IdentityName = 'identity' | 'credential' | 'agent-id' | 'sandbox';

type LeaseName = 'lease' | 'no-agent';

type StoreName = WordsOf<
  | 'board-size broken-chain broken-yaml damaged-journal import lock lost-board nested newer-version no-board no-journal'
  | 'not-utf8 too-large unreadable-journal'
  | 'in-doubt older-tables store-address store-moved store-refused store-set-back store-unreachable'
>;

type GitName = WordsOf<
  | 'bare git git-config git-version no-commit no-git ownership partial-clone path second-board'
  | 'exchange exchange-fenced exchange-moved exchange-refused exchange-stale exchange-unreachable'
>;

/** Refusals of task folders, proof runs and merges. */
type TaskName = WordsOf<
  | 'advance branch-exists branch-in-use claimed commit-fit conflict folder folder-lock foreign held integration-moved'
  | 'above-checkout beside-checkout exchanged integration-test link live-session no-base no-integration not-started post-worktree-cmd stopped worktree-files'
>;

/** Refusals of init, deinit, setup, edit, validate and lock. */
type ProjectName = WordsOf<
  | 'agents edit-lock editor encoding file goal home invalid left made marks older package place refused-edit'
  | 'spec tasks-open unreadable yaml'
>;

/** Refusals of undo, blame, audit and report. */
type PastName =
  WordsOf<'before contradicted effect entry invariant journal later not-on-integration out outside switch undo'>;

type CliName = WordsOf<
  | 'alarms aside config-key demo detail doctor ended json no-crew no-project no-provider no-task node planned platform'
  | 'preflight provider rehearsal script spec-path task-id unexpected unknown-topic unknown-verb unread usage'
>;
