// Every command's name, for whom it is, one line about it, and the file that has it: verbs/ has a file for each first word.
// Loading is lazy, so that `liza show` pays for `show` alone. A name without a file is planned: it is refused as such.

import { Bug } from '../protocol/decision.ts';
import type { Group, LoadedVerb, Verb } from './verb.ts';

export interface Entry {
  readonly groups: readonly [Group, ...Group[]];
  readonly summary: string;
  readonly load?: () => Promise<LoadedVerb>;
}

type Groups = Entry['groups'];
/** The verb of that word, or all that begin with it. */
type File = { readonly verb: Verb } | { readonly verbs: Readonly<Record<string, Verb>> };
type Row = readonly [groups: Groups, summary: string, file?: () => Promise<File>];

const ANYONE: Groups = ['Anyone'];
const HUMAN: Groups = ['Human'];
const SUPERVISOR: Groups = ['Supervisor'];
const PLANNER: Groups = ['Planner'];
const CODER: Groups = ['Coder'];
const REVIEWER: Groups = ['Reviewer'];
const PLUMBING: Groups = ['Plumbing'];
const WORKERS: Groups = ['Coder', 'Reviewer'];
const AGENTS: Groups = ['Planner', 'Coder', 'Reviewer'];
const EVERYONE: Groups = ['Planner', 'Coder', 'Reviewer', 'Human'];

const ROWS: Readonly<Record<string, Row>> = {
  status: [
    ANYONE,
    'Show the whole board: who works on what, and why nothing moves.',
    () => import('./verbs/status.ts'),
  ],
  show: [
    ANYONE,
    'Show one task with its history, or one question, discovery, anomaly or note.',
    () => import('./verbs/show.ts'),
  ],
  log: [ANYONE, 'Show what happened, newest last.', () => import('./verbs/log.ts')],
  help: [ANYONE, 'Explain a command or a topic.', () => import('./verbs/help.ts')],
  completion: [ANYONE, 'Print the completion script of your shell.', () => import('./verbs/completion.ts')],
  version: [ANYONE, 'Print the version.', () => import('./verbs/version.ts')],

  pause: [HUMAN, 'Keep new work from starting, on the whole board or on one task.', () => import('./verbs/pause.ts')],
  resume: [HUMAN, 'Continue after PAUSE, CHECKPOINT or ABORT.', () => import('./verbs/resume.ts')],
  abort: [HUMAN, 'Stop the goal: agents end, tasks and worktrees stay.', () => import('./verbs/abort.ts')],
  note: [HUMAN, 'Leave a note that agents read before they continue.', () => import('./verbs/note.ts')],
  'note list': [EVERYONE, 'List the notes that people left.', () => import('./verbs/note.ts')],
  'note done': [['Human', 'Planner', 'Coder', 'Reviewer'], 'Mark a note as done.', () => import('./verbs/note.ts')],
  replan: [HUMAN, 'Hand a live task back to the planner.', () => import('./verbs/replan.ts')],
  'config get': [HUMAN, 'Show the configuration, defaults included.', () => import('./verbs/config.ts')],
  'config set': [HUMAN, 'Change one configuration value.', () => import('./verbs/config.ts')],
  'spec-change': [
    HUMAN,
    'Record that a spec changed and list the tasks it affects.',
    () => import('./verbs/spec-change.ts'),
  ],
  metrics: [HUMAN, 'Show the sprint’s metrics.', () => import('./verbs/metrics.ts')],
  archive: [HUMAN, 'Move finished tasks out of state.yaml.', () => import('./verbs/archive.ts')],
  'sprint start': [HUMAN, 'Open the next sprint.', () => import('./verbs/sprint.ts')],
  'sprint deadline': [HUMAN, 'Set, move or remove the deadline of the sprint.', () => import('./verbs/sprint.ts')],
  goals: [ANYONE, 'List the goals of this project.', () => import('./verbs/goals.ts')],
  sync: [HUMAN, 'Merge your branch into the integration branch.', () => import('./verbs/sync.ts')],
  queue: [ANYONE, 'Show what waits to be merged, and how the batch goes.', () => import('./verbs/queue.ts')],
  'queue hold': [HUMAN, 'Let nothing land, or not one task.', () => import('./verbs/queue.ts')],
  'queue release': [HUMAN, 'Let it land again.', () => import('./verbs/queue.ts')],
  'queue first': [HUMAN, 'Put an approved task first.', () => import('./verbs/queue.ts')],
  'queue out': [HUMAN, 'Give an approved task back to a coder, with your reason.', () => import('./verbs/queue.ts')],
  'queue run': [
    ['Supervisor', 'Human'],
    'Merge the next batch of approved tasks, or go on with one.',
    () => import('./verbs/queue.ts'),
  ],
  finish: [
    HUMAN,
    'Merge the integration branch into yours, after showing, testing and asking.',
    () => import('./verbs/finish.ts'),
  ],
  'goal edit': [HUMAN, 'Change the text of the goal, or its document.', () => import('./verbs/goal.ts')],
  'goal complete': [['Human', 'Planner'], 'Declare the goal reached.', () => import('./verbs/goal.ts')],

  'add-task': [PLANNER, 'Add a task to the plan.', () => import('./verbs/add-task.ts')],
  amend: [
    PLANNER,
    'Change the definition of a task; while it is under way, only after an answer.',
    () => import('./verbs/amend.ts'),
  ],
  finalize: [PLANNER, 'Release a draft, so that coders can claim it.', () => import('./verbs/finalize.ts')],
  'plan done': [PLANNER, 'Close the sprint’s scope: the plan is complete.', () => import('./verbs/plan.ts')],
  unblock: [PLANNER, 'Answer a blocked task and release it again.', () => import('./verbs/unblock.ts')],
  supersede: [PLANNER, 'Replace a task by better ones.', () => import('./verbs/supersede.ts')],
  abandon: [PLANNER, 'Give up a task for good.', () => import('./verbs/abandon.ts')],
  align: [PLANNER, 'Record how the plan serves the goal.', () => import('./verbs/align.ts')],
  'discovery list': [
    PLANNER,
    'List the problems that agents found outside their tasks.',
    () => import('./verbs/discovery.ts'),
  ],
  'discovery convert': [PLANNER, 'Record that a discovery became a task.', () => import('./verbs/discovery.ts')],
  'discovery dismiss': [PLANNER, 'Record why a discovery needs no task.', () => import('./verbs/discovery.ts')],
  'discovery reopen': [PLANNER, 'Undo the dismissal of a discovery.', () => import('./verbs/discovery.ts')],

  ask: [EVERYONE, 'Ask a question and continue with an assumption.', () => import('./verbs/ask.ts')],
  answer: [
    ['Planner', 'Human'],
    'Answer a question; the last answer unblocks a blocked task.',
    () => import('./verbs/answer.ts'),
  ],
  'question list': [EVERYONE, 'List the questions and their answers.', () => import('./verbs/question.ts')],
  begin: [CODER, 'Say what you are about to do, before the first change.', () => import('./verbs/begin.ts')],
  block: [
    ['Coder', 'Planner'],
    'Stop a task with a reason and the questions to answer.',
    () => import('./verbs/block.ts'),
  ],
  discover: [WORKERS, 'Report a problem outside your task without fixing it.', () => import('./verbs/discover.ts')],
  anomaly: [AGENTS, 'Record an anomaly: something that went wrong.', () => import('./verbs/anomaly.ts')],
  'anomaly list': [EVERYONE, 'List the recorded anomalies.', () => import('./verbs/anomaly.ts')],
  'anomaly processed': [['Planner', 'Human'], 'Mark anomalies as handled.', () => import('./verbs/anomaly.ts')],
  handoff: [AGENTS, 'Leave your notes for the next session.', () => import('./verbs/handoff.ts')],
  heartbeat: [WORKERS, 'Renew your lease.', () => import('./verbs/heartbeat.ts')],
  exit: [
    AGENTS,
    'Declare how your session ends: 0 nothing more to do, 42 restart me.',
    () => import('./verbs/exit.ts'),
  ],
  try: [WORKERS, 'Run what the commit brings, apart from your session.', () => import('./verbs/try.ts')],
  'submit-verdict': [REVIEWER, 'Approve or reject the commit under review.', () => import('./verbs/submit-verdict.ts')],

  init: [ANYONE, 'Start a goal in this project.', () => import('./verbs/init.ts')],
  validate: [ANYONE, 'Check a blackboard against the rules.', () => import('./verbs/validate.ts')],
  doctor: [ANYONE, 'Find and repair problems on and around the blackboard.', () => import('./verbs/doctor.ts')],
  'log verify': [ANYONE, 'Check the journal’s chain.', () => import('./verbs/log.ts')],
  edit: [HUMAN, 'Edit state.yaml safely.', () => import('./verbs/edit.ts')],
  undo: [HUMAN, 'Revert the last operation.', () => import('./verbs/undo.ts')],
  'lock read': [PLUMBING, 'Print the blackboard.', () => import('./verbs/lock.ts')],
  'lock write': [PLUMBING, 'Set one field of the blackboard.', () => import('./verbs/lock.ts')],
  'lock modify': [PLUMBING, 'Run a command while holding the lock.', () => import('./verbs/lock.ts')],
  'play next': [HUMAN, 'Take the next session of an agent and play its model.', () => import('./verbs/play.ts')],
  'play sh': [HUMAN, 'Run a command as the agent you play.', () => import('./verbs/play.ts')],
  'play say': [HUMAN, 'Say a line as the agent you play.', () => import('./verbs/play.ts')],
  'play end': [HUMAN, 'End the session of the agent you play.', () => import('./verbs/play.ts')],
  rehearse: [PLUMBING, 'Play one session of an agent from a script.', () => import('./verbs/rehearse.ts')],

  demo: [ANYONE, 'Watch Liza at work without an account.', () => import('./verbs/demo.ts')],
  setup: [ANYONE, 'Install contracts, templates and scripts below ~/.liza.', () => import('./verbs/setup.ts')],
  run: [ANYONE, 'Run planner, coders, reviewers and the watcher in one terminal.', () => import('./verbs/run.ts')],
  attach: [HUMAN, 'Show the live board of the crew running here.', () => import('./verbs/attach.ts')],
  stop: [HUMAN, 'Stop the crew running here; the goal stays open.', () => import('./verbs/stop.ts')],
  report: [ANYONE, 'Write a report on the goal, as one page.', () => import('./verbs/report.ts')],
  blame: [ANYONE, 'Show which task, coder and reviewer a commit came from.', () => import('./verbs/blame.ts')],
  audit: [ANYONE, 'Show the record of a task, checked against journal and git.', () => import('./verbs/audit.ts')],
  attempts: [ANYONE, 'List work that was discarded but kept.', () => import('./verbs/attempts.ts')],
  hosts: [HUMAN, 'List the hosts that work on this board.', () => import('./verbs/hosts.ts')],
  'hosts drain': [HUMAN, 'Let a host take no new work, or work again.', () => import('./verbs/hosts.ts')],
  'hosts tag': [HUMAN, 'Say what a host has that tasks may need.', () => import('./verbs/hosts.ts')],
  store: [HUMAN, 'Say where the board is kept.', () => import('./verbs/store.ts')],
  'store move': [HUMAN, 'Move the board into PostgreSQL, or back to state.yaml.', () => import('./verbs/store.ts')],
  'store address': [
    HUMAN,
    'Keep the address of the board’s database, read from stdin.',
    () => import('./verbs/store.ts'),
  ],
  'store upgrade': [HUMAN, 'Bring the tables of an earlier version up to date.', () => import('./verbs/store.ts')],
  'store accept': [HUMAN, 'Go on with a database that was set back.', () => import('./verbs/store.ts')],
  'store role': [HUMAN, 'Print the SQL that gives other hosts their rights.', () => import('./verbs/store.ts')],
  deinit: [HUMAN, 'Remove Liza from this project.', () => import('./verbs/deinit.ts')],
  checkpoint: [
    HUMAN,
    'Halt everything (CHECKPOINT) and write a summary for a decision.',
    () => import('./verbs/checkpoint.ts'),
  ],
  retrospective: [HUMAN, 'Draft the sprint’s retrospective.', () => import('./verbs/retrospective.ts')],
  analyze: [HUMAN, 'Look for systemic patterns; finding one halts all work.', () => import('./verbs/analyze.ts')],
  'release-claim': [HUMAN, 'Take a task from its coder, keeping the work.', () => import('./verbs/release-claim.ts')],
  watch: [HUMAN, 'Watch the board and raise alarms.', () => import('./verbs/watch.ts')],
  agent: [SUPERVISOR, 'Supervise one agent.', () => import('./verbs/agent.ts')],
  register: [SUPERVISOR, 'Register an agent id without supervising it.', () => import('./verbs/register.ts')],
  'claim-task': [SUPERVISOR, 'Claim a task for an agent.', () => import('./verbs/claim-task.ts')],
  'claim-review': [SUPERVISOR, 'Claim a review for an agent.', () => import('./verbs/claim-review.ts')],
  'wt create': [SUPERVISOR, 'Make a task’s worktree.', () => import('./verbs/wt.ts')],
  'wt merge': [SUPERVISOR, 'Merge an approved task.', () => import('./verbs/wt.ts')],
  'wt delete': [
    ['Supervisor', 'Planner'],
    'Remove a task’s worktree, keeping its work.',
    () => import('./verbs/wt.ts'),
  ],
  'clear-stale-review-claims': [
    SUPERVISOR,
    'Free reviews whose reviewer is gone.',
    () => import('./verbs/clear-stale-review-claims.ts'),
  ],
  'submit-for-review': [CODER, 'Submit a commit for review.', () => import('./verbs/submit-for-review.ts')],
  retract: [CODER, 'Withdraw a submission that you know is wrong.', () => import('./verbs/retract.ts')],
  dashboard: [HUMAN, 'Show the board in a browser.', () => import('./verbs/dashboard.ts')],
  mcp: [ANYONE, 'Serve the blackboard to agents as an MCP server.'],
};

export const REGISTRY: Readonly<Record<string, Entry>> = Object.fromEntries(
  Object.entries(ROWS).map(([name, [groups, summary, file]]): [string, Entry] => [
    name,
    file === undefined ? { groups, summary } : { groups, summary, load: async () => loaded(name, await file()) },
  ]),
);

function loaded(name: string, file: File): LoadedVerb {
  const verb = 'verb' in file ? file.verb : file.verbs[name];
  if (verb === undefined) throw new Bug(`no file has the verb ${name}`);
  return { positionals: [], options: {}, ...verb, name };
}
