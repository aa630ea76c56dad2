// The names of all refusals: the guards of the command table, the steps of `decide` around them, and what the rooms
// around the protocol refuse by themselves. Callers and tests tell refusals apart by these names, never by their words.

import type { GuardName } from './guard-names.ts';

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
  | 'command'
  | 'role'
  | 'input'
  | 'id-pattern'
  | 'text-limit'
  | 'credential'
  | 'task-exists'
  | 'terminal'
  | 'epoch'
  | 'state'
  | 'switches'
  | 'invariants';

/** What exactly is wrong with a task's definition; said by the guards `definition` and `gates`. */
type GateName =
  | 'priority'
  | 'type'
  | 'limits'
  | 'dependencies-exist'
  | 'acyclic'
  | 'spec-ref'
  | 'spec-exists'
  | 'done-when'
  | 'scope'
  | 'no-abandoned-dependency'
  | 'no-superseded-dependency'
  | 'tests-included'
  | 'proof';

/** What a run at the submitted commit showed; said by the guard `proof`. */
export type DisproofName = 'validation' | 'tests-red-on-base' | 'base-tests-green';

type IdentityName = 'identity' | 'credential' | 'agent-id' | 'sandbox';

type LeaseName = 'lease' | 'no-agent';

type StoreName =
  | 'broken-chain'
  | 'broken-yaml'
  | 'damaged-journal'
  | 'import'
  | 'lock'
  | 'lost-board'
  | 'nested'
  | 'newer-version'
  | 'no-board'
  | 'no-journal'
  | 'not-utf8'
  | 'too-large'
  | 'unreadable-journal';

type GitName =
  | 'bare'
  | 'git'
  | 'git-config'
  | 'git-version'
  | 'no-commit'
  | 'no-git'
  | 'ownership'
  | 'partial-clone'
  | 'path';

/** Of task folders, proof runs and merges. */
type TaskName =
  | 'advance'
  | 'branch-exists'
  | 'branch-in-use'
  | 'claimed'
  | 'conflict'
  | 'folder'
  | 'folder-lock'
  | 'foreign'
  | 'held'
  | 'integration-moved'
  | 'integration-test'
  | 'link'
  | 'no-integration'
  | 'not-started'
  | 'post-worktree-cmd'
  | 'stopped'
  | 'worktree-files';

/** Of init, deinit, setup, edit, validate and lock. */
type ProjectName =
  | 'agents'
  | 'edit-lock'
  | 'editor'
  | 'encoding'
  | 'file'
  | 'goal'
  | 'home'
  | 'invalid'
  | 'left'
  | 'made'
  | 'marks'
  | 'older'
  | 'package'
  | 'place'
  | 'refused-edit'
  | 'spec'
  | 'tasks-open'
  | 'unreadable'
  | 'yaml';

/** Of undo, blame, audit and report. */
type PastName =
  | 'before'
  | 'contradicted'
  | 'effect'
  | 'entry'
  | 'invariant'
  | 'journal'
  | 'later'
  | 'not-on-integration'
  | 'out'
  | 'outside'
  | 'switch'
  | 'undo';

type CliName =
  | 'alarms'
  | 'aside'
  | 'config-key'
  | 'demo'
  | 'detail'
  | 'doctor'
  | 'ended'
  | 'json'
  | 'no-project'
  | 'no-provider'
  | 'no-task'
  | 'node'
  | 'planned'
  | 'platform'
  | 'provider'
  | 'rehearsal'
  | 'script'
  | 'spec-path'
  | 'task-id'
  | 'unexpected'
  | 'unknown-topic'
  | 'unknown-verb'
  | 'usage';
