// Every command's name, for whom it is, one line about it, and how to load it. Loading is lazy, so
// that `liza show` pays for `show` alone. A name without a loader is planned: it is refused as such.
// A test holds this list and the files in verbs/ together.

import type { Group, Verb } from './verb.ts';

export interface Entry {
  readonly groups: readonly [Group, ...Group[]];
  readonly summary: string;
  readonly load?: () => Promise<{ readonly verb: Verb }>;
}

type Groups = Entry['groups'];
const ANYONE: Groups = ['Anyone'];
const HUMAN: Groups = ['Human'];
const SUPERVISOR: Groups = ['Supervisor'];
const PLANNER: Groups = ['Planner'];
const CODER: Groups = ['Coder'];
const REVIEWER: Groups = ['Reviewer'];
const PLUMBING: Groups = ['Plumbing'];
const WORKERS: Groups = ['Coder', 'Reviewer'];
const AGENTS: Groups = ['Planner', 'Coder', 'Reviewer'];

export const REGISTRY: Readonly<Record<string, Entry>> = {
  status: entry(
    ANYONE,
    'Show the whole board: who works on what, and why nothing moves.',
    () => import('./verbs/status.ts'),
  ),
  show: entry(ANYONE, 'Show one task with its history.', () => import('./verbs/show.ts')),
  log: entry(ANYONE, 'Show what happened, newest last.', () => import('./verbs/log.ts')),
  help: entry(ANYONE, 'Explain a command or a topic.', () => import('./verbs/help.ts')),
  completion: entry(ANYONE, 'Print the completion script of your shell.', () => import('./verbs/completion.ts')),
  version: entry(ANYONE, 'Print the version.', () => import('./verbs/version.ts')),

  pause: entry(HUMAN, 'Let no new work start, on the whole board or on one task.', () => import('./verbs/pause.ts')),
  resume: entry(HUMAN, 'Go on after pause, checkpoint or abort.', () => import('./verbs/resume.ts')),
  abort: entry(HUMAN, 'Stop the goal: agents end, tasks and worktrees stay.', () => import('./verbs/abort.ts')),
  note: entry(HUMAN, 'Leave a note that agents read before they go on.', () => import('./verbs/note.ts')),
  replan: entry(HUMAN, 'Hand a live task back to the planner.', () => import('./verbs/replan.ts')),
  'config get': entry(HUMAN, 'Show the configuration, defaults included.', () => import('./verbs/config-get.ts')),
  'config set': entry(HUMAN, 'Change one configuration value.', () => import('./verbs/config-set.ts')),
  'spec-change': entry(
    HUMAN,
    'Record that a spec changed and list the tasks it touches.',
    () => import('./verbs/spec-change.ts'),
  ),
  metrics: entry(HUMAN, 'Recompute and show the sprint’s metrics.', () => import('./verbs/metrics.ts')),
  archive: entry(HUMAN, 'Move finished tasks out of state.yaml.', () => import('./verbs/archive.ts')),
  'sprint start': entry(HUMAN, 'Open the next sprint.', () => import('./verbs/sprint-start.ts')),
  'sprint deadline': entry(
    HUMAN,
    'Set, move or lift the deadline of the sprint.',
    () => import('./verbs/sprint-deadline.ts'),
  ),
  'goal complete': entry(['Human', 'Planner'], 'Declare the goal reached.', () => import('./verbs/goal-complete.ts')),

  'add-task': entry(PLANNER, 'Add a task to the plan.', () => import('./verbs/add-task.ts')),
  amend: entry(PLANNER, 'Change the definition of a task nobody works on.', () => import('./verbs/amend.ts')),
  finalize: entry(PLANNER, 'Release a draft for claiming.', () => import('./verbs/finalize.ts')),
  'plan done': entry(PLANNER, 'Close the sprint’s scope: the plan is complete.', () => import('./verbs/plan-done.ts')),
  unblock: entry(PLANNER, 'Answer a blocked task and release it again.', () => import('./verbs/unblock.ts')),
  supersede: entry(PLANNER, 'Replace a task by better ones.', () => import('./verbs/supersede.ts')),
  abandon: entry(PLANNER, 'Give a task up for good.', () => import('./verbs/abandon.ts')),
  align: entry(PLANNER, 'Record how the plan serves the goal.', () => import('./verbs/align.ts')),
  'discovery list': entry(PLANNER, 'List what was discovered on the way.', () => import('./verbs/discovery-list.ts')),
  'discovery convert': entry(
    PLANNER,
    'Record that a discovery became a task.',
    () => import('./verbs/discovery-convert.ts'),
  ),
  'discovery dismiss': entry(
    PLANNER,
    'Record why a discovery needs no task.',
    () => import('./verbs/discovery-dismiss.ts'),
  ),

  begin: entry(CODER, 'Say what you are about to do, before the first change.', () => import('./verbs/begin.ts')),
  block: entry(
    ['Coder', 'Planner'],
    'Stop a task with a reason and the questions to answer.',
    () => import('./verbs/block.ts'),
  ),
  discover: entry(
    WORKERS,
    'Report a problem outside your task without fixing it.',
    () => import('./verbs/discover.ts'),
  ),
  anomaly: entry(AGENTS, 'Record something that went other than it should.', () => import('./verbs/anomaly.ts')),
  'anomaly processed': entry(
    ['Planner', 'Human'],
    'Mark anomalies as dealt with.',
    () => import('./verbs/anomaly-processed.ts'),
  ),
  handoff: entry(CODER, 'Leave your notes to the next session.', () => import('./verbs/handoff.ts')),
  heartbeat: entry(WORKERS, 'Renew your lease.', () => import('./verbs/heartbeat.ts')),
  exit: entry(
    AGENTS,
    'Declare how your session ends: 0 nothing more to do, 42 restart me.',
    () => import('./verbs/exit.ts'),
  ),
  'submit-verdict': entry(
    REVIEWER,
    'Approve or reject the commit under review.',
    () => import('./verbs/submit-verdict.ts'),
  ),

  init: entry(ANYONE, 'Start a goal in this project.', () => import('./verbs/init.ts')),
  validate: entry(ANYONE, 'Check a blackboard against the rules.', () => import('./verbs/validate.ts')),
  doctor: entry(ANYONE, 'Find and repair what is wrong around the blackboard.', () => import('./verbs/doctor.ts')),
  'log verify': entry(ANYONE, 'Check the journal’s chain.', () => import('./verbs/log-verify.ts')),
  edit: entry(HUMAN, 'Edit state.yaml safely.', () => import('./verbs/edit.ts')),
  undo: entry(HUMAN, 'Revert the last operation.', () => import('./verbs/undo.ts')),
  'lock read': entry(PLUMBING, 'Print the blackboard.', () => import('./verbs/lock-read.ts')),
  'lock write': entry(PLUMBING, 'Set one field of the blackboard.', () => import('./verbs/lock-write.ts')),
  'lock modify': entry(PLUMBING, 'Run a command while holding the lock.', () => import('./verbs/lock-modify.ts')),
  rehearse: entry(PLUMBING, 'Play one session of an agent from a script.', () => import('./verbs/rehearse.ts')),

  demo: entry(ANYONE, 'Watch Liza at work without an account.', () => import('./verbs/demo.ts')),
  setup: entry(ANYONE, 'Install contracts, templates and scripts below ~/.liza.', () => import('./verbs/setup.ts')),
  run: entry(ANYONE, 'Run planner, coders, reviewers and the watcher in one terminal.', () => import('./verbs/run.ts')),
  report: entry(ANYONE, 'Write a report on the goal, as one page.', () => import('./verbs/report.ts')),
  blame: entry(ANYONE, 'Say which task, coder and reviewer a commit came from.', () => import('./verbs/blame.ts')),
  audit: entry(
    ANYONE,
    'Show what stands behind a task, checked against journal and git.',
    () => import('./verbs/audit.ts'),
  ),
  attempts: entry(ANYONE, 'List work that was discarded but kept.', () => import('./verbs/attempts.ts')),
  deinit: entry(HUMAN, 'Remove Liza from this project.', () => import('./verbs/deinit.ts')),
  checkpoint: entry(HUMAN, 'Halt and write a summary for a decision.', () => import('./verbs/checkpoint.ts')),
  retrospective: entry(HUMAN, 'Draft the sprint’s retrospective.', () => import('./verbs/retrospective.ts')),
  analyze: entry(HUMAN, 'Look for systemic patterns; one that is there halts.', () => import('./verbs/analyze.ts')),
  'release-claim': entry(
    HUMAN,
    'Take a task from its coder, keeping the work.',
    () => import('./verbs/release-claim.ts'),
  ),
  watch: entry(HUMAN, 'Watch the board and raise alarms.', () => import('./verbs/watch.ts')),
  agent: entry(SUPERVISOR, 'Supervise one agent.', () => import('./verbs/agent.ts')),
  register: entry(SUPERVISOR, 'Bring an agent id to life without supervising it.', () => import('./verbs/register.ts')),
  'claim-task': entry(SUPERVISOR, 'Claim a task for an agent.', () => import('./verbs/claim-task.ts')),
  'claim-review': entry(SUPERVISOR, 'Claim a review for an agent.', () => import('./verbs/claim-review.ts')),
  'wt create': entry(SUPERVISOR, 'Make a task’s worktree.', () => import('./verbs/wt-create.ts')),
  'wt merge': entry(SUPERVISOR, 'Merge an approved task.', () => import('./verbs/wt-merge.ts')),
  'wt delete': entry(
    ['Supervisor', 'Planner'],
    'Remove a task’s worktree, keeping its work.',
    () => import('./verbs/wt-delete.ts'),
  ),
  'clear-stale-review-claims': entry(
    SUPERVISOR,
    'Free reviews whose reviewer is gone.',
    () => import('./verbs/clear-stale-review-claims.ts'),
  ),
  'submit-for-review': entry(CODER, 'Hand a commit to review.', () => import('./verbs/submit-for-review.ts')),
  dashboard: entry(ANYONE, 'Show the board in the browser.'),
  mcp: entry(ANYONE, 'Serve the blackboard to agents as an MCP server.'),
};

function entry(groups: Groups, summary: string, load?: Entry['load']): Entry {
  return load === undefined ? { groups, summary } : { groups, summary, load };
}
