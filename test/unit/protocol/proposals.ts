// What the random walk of model.test.ts tries next, and the weather around it: mostly the sensible
// thing for a task, now and then anything by anyone; time passes, holders die, switches appear.

import fc from 'fast-check';
import { type Actor, type Board, SWITCHES } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import type { Definition } from '../../../src/protocol/definition/payloads.ts';
import { startCommit } from '../../../src/protocol/leases.ts';
import type { State, Task } from '../../../src/protocol/state.ts';
import { iso } from '../../../src/text/time.ts';
import {
  AGENTS,
  BASE,
  CHECKPOINT,
  changes,
  commit,
  definition,
  HUMAN,
  PLANNER,
  proof,
  rejection,
  SHOWN,
  SPEC,
  SUPERVISOR,
} from './world.ts';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const CODERS = Object.keys(AGENTS).filter((id) => AGENTS[id] === 'coder');
const REVIEWERS = Object.keys(AGENTS).filter((id) => AGENTS[id] === 'code_reviewer');
const PROCESSES = ['boot/1/10', 'boot/2/20', 'boot/3/30'];
const ISSUES = [
  'src/client.ts:12 — retries forever on a 401',
  'src/client.ts:40 — retries for ever on a 401!',
  'src/server.ts:7 — the port is never closed',
  'test/client.test.ts:3 — asserts nothing at all',
];

/** Four numbers per step; what they mean depends on where the board stands. */
export const Step = fc.tuple(fc.nat(99), fc.nat(999), fc.nat(999), fc.nat(999));
export type Step = readonly [number, number, number, number];

export interface Run {
  board: Board;
  now: number;
  commits: number;
}

const pick = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;
const asCoder = (id: string): Actor => ({ id, parts: ['coder'] });
const asReviewer = (id: string): Actor => ({ id, parts: ['code_reviewer'] });

/** Mostly the next sensible thing for a task, now and then anything at all by anyone. */
export function propose(run: Run, [kind, x, y, z]: Step): { actor: Actor; command: Command } {
  const { state } = run.board;
  const task = state.tasks.length === 0 ? undefined : pick(state.tasks, x);
  if (task === undefined || kind < 8) return { actor: pick([HUMAN, PLANNER], x), command: addTask(state, x, y, z) };
  if (kind < 14) return wild(run, task, x, y, z);
  if (kind < 18) return { actor: HUMAN, command: pick(humanCommands(task), y) };
  if (kind < 22) return { actor: SUPERVISOR, command: register(y) };
  return sensible(run, task, y, z);
}

function addTask(state: State, x: number, y: number, z: number): Command {
  const id = pick(IDS, y);
  return { name: 'add-task', definition: define(state, id, x, z), ready: z % 3 > 0, facts: SPEC };
}

function define(state: State, id: string, x: number, z: number): Definition {
  const others = state.tasks.map((task) => task.id).filter((other) => other !== id);
  return definition(id, z % 4 === 0 && others.length > 0 ? { depends_on: [pick(others, x)] } : {});
}

function humanCommands(task: Task): readonly Command[] {
  return [
    { name: 'replan', task: task.id },
    { name: 'replan', task: task.id },
    { name: 'replan', task: task.id },
    { name: 'release-claim', task: task.id },
    { name: 'pause', task: task.id },
    { name: 'resume', task: task.id },
    { name: 'resume', decision: 'continue', note: 'go on' },
    { name: 'resume', decision: 'replan', note: 'smaller' },
    { name: 'resume', decision: 'stop' },
    { name: 'checkpoint-over' },
    { name: 'analyze' },
    { name: 'resolve', resolution: 'seen' },
    { name: 'retrospective', learned: 'a lot' },
    { name: 'anomaly processed', anomalies: ['anomaly-1'] },
    { name: 'resume' },
    { name: 'pause' },
    { name: 'note', message: 'hurry' },
    { name: 'note done', notes: ['note-1'], why: 'done' },
    { name: 'config set', key: 'max_review_cycles', value: 2 },
    { name: 'abort' },
    { name: 'checkpoint' },
    { name: 'plan done' },
    { name: 'goal complete' },
    { name: 'goal complete', carry_over: true },
    { name: 'goal edit', description: 'Retry some calls' },
    { name: 'sprint start' },
    { name: 'sprint deadline', deadline: '2030-01-01T00:00:00Z' },
    { name: 'sprint deadline' },
    { name: 'archive', tasks: [task.id] },
    { name: 'clear-stale-review-claims' },
    { name: 'metrics' },
    { name: 'drop-worktree', task: task.id },
    {
      name: 'setup-failed',
      part: 'proof',
      task: task.id,
      commit: commit(1),
      tree: commit(2),
      reason: 'red',
      remedy: 'x',
    },
    { name: 'setup-works', part: 'proof', task: task.id, commit: commit(1), tree: commit(2) },
    { name: 'integration-moved', found: commit(0xbad) },
    { name: 'accept-integration', head: commit(0xbad) },
    { name: 'release-reservation', task: task.id },
    { name: 'spec-changed', task: task.id, spec_hash: 'b'.repeat(64) },
  ];
}

const tried = (task: Task, n: number): Command => ({
  name: 'record-trial',
  task: task.id,
  commit: commit(0xbad),
  commands: task.validation ?? [],
  under: String(n % 2),
  runs: [{ command: 'npm test', is: pick(['green', 'red', 'cannot_run'] as const, n), how: 'ended', seconds: 1 }],
});

const register = (n: number): Command => {
  const id = pick(Object.keys(AGENTS), n);
  return { name: 'register', agent: id, role: AGENTS[id] ?? 'coder' };
};

function sensible(run: Run, task: Task, y: number, z: number): { actor: Actor; command: Command } {
  const t = task.id;
  const planner = pick([PLANNER, HUMAN], z);
  switch (task.status) {
    case 'DRAFT':
      return pick(
        [
          { actor: planner, command: { name: 'finalize', task: t, facts: SPEC } },
          { actor: planner, command: { name: 'finalize', task: t, facts: SPEC } },
          { actor: planner, command: amend(t, z) },
          { actor: planner, command: { name: 'abandon', task: t, rationale: 'no' } },
        ],
        y,
      );
    case 'UNCLAIMED':
      if (y % 12 === 0) return { actor: planner, command: amend(t, z) };
      if (y % 25 === 3) return { actor: SUPERVISOR, command: tried(task, z) };
      if (y % 25 === 1) return { actor: planner, command: { name: 'abandon', task: t, rationale: 'no' } };
      if (y % 7 === 2) return { actor: SUPERVISOR, command: released('release-reservation', t, z) };
      if (task.worktree !== undefined && y % 6 === 3)
        return { actor: planner, command: { name: 'drop-worktree', task: t } };
      return { actor: SUPERVISOR, command: claimOf(run, task, pick(CODERS, z), y % 5 === 0) };
    case 'CLAIMED':
      return work(run, task, y, z);
    case 'READY_FOR_REVIEW':
      if (task.reviewing_by !== undefined && y % 23 === 0) return { actor: SUPERVISOR, command: copyOf(t, z) };
      return task.reviewing_by === undefined || y % 8 === 0
        ? { actor: SUPERVISOR, command: { name: 'claim-review', task: t, agent: pick(REVIEWERS, z) } }
        : { actor: asReviewer(task.reviewing_by), command: verdict(t, y, z) };
    case 'REJECTED':
      if (y % 12 === 1) return { actor: planner, command: { name: 'drop-worktree', task: t } };
      if (y % 12 === 0) return { actor: planner, command: { name: 'abandon', task: t, rationale: 'no' } };
      return {
        actor: SUPERVISOR,
        command: claimOf(run, task, y % 3 === 0 ? pick(CODERS, z) : (task.assigned_to ?? ''), false),
      };
    case 'APPROVED':
      if (y % 17 === 3) return { actor: HUMAN, command: { name: 'replan', task: t } };
      return { actor: SUPERVISOR, command: mergeOf(run, task, y, z) };
    case 'BLOCKED':
    case 'INTEGRATION_FAILED':
      return rescue(run, task, y, z);
    default:
      return { actor: planner, command: { name: 'align', summary: `step ${y}` } };
  }
}

const amend = (task: string, z: number): Command => ({
  name: 'amend',
  task,
  changes: z % 2 === 0 ? { done_when: `variant ${z % 7}` } : { priority: 1 + (z % 5) },
  facts: SPEC,
});

function claimOf(run: Run, task: Task, agent: string, reserveOnly: boolean): Command {
  if (reserveOnly) return { name: 'reserve-claim', task: task.id, agent, process: pick(PROCESSES, run.commits) };
  return {
    name: 'claim-task',
    task: task.id,
    agent,
    worktree: `.worktrees/${task.id}`,
    base_commit: BASE,
    start_commit: task.status === 'REJECTED' ? commit(run.commits) : BASE,
  };
}

/** One step of `wt merge`: announce, record, fail, or give up. */
function mergeOf(run: Run, task: Task, y: number, z: number): Command {
  const t = task.id;
  if (y % 5 === 0) return { name: 'merge-failed', task: t, reason: 'conflict', with: IDS.slice(0, z % 3) };
  if (task.merging === undefined || y % 5 === 1) {
    const onto = run.board.state.goal.integration_head ?? BASE;
    const process = pick(PROCESSES, z);
    return { name: 'reserve-merge', task: t, candidate: commit(++run.commits), onto, process };
  }
  if (y % 5 === 2)
    return z % 3 === 0 ? { name: 'hold-merge', task: t, reason: `held ${z}` } : released('release-merge', t, z);
  const head_moved = z % 3 === 0 ? { head_moved: commit(++run.commits) } : {};
  return { name: 'merge', task: t, merge_commit: task.merging.candidate, ...head_moved };
}

const released = (name: 'release-reservation' | 'release-merge', task: string, z: number): Command => ({
  name,
  task,
  ...(z % 2 === 0 ? { process: pick(PROCESSES, z) } : {}),
});

function work(run: Run, task: Task, y: number, z: number): { actor: Actor; command: Command } {
  const t = task.id;
  const actor = asCoder(task.assigned_to ?? '');
  const begun = task.history?.some((entry, at) => entry.event === 'pre_execution_checkpoint' && at > lastClaim(task));
  if (y % 9 === 0)
    return {
      actor,
      command: {
        name: 'block',
        task: t,
        reason: `stuck ${z % 3}`,
        questions: z % 2 === 0 ? ['why?'] : ['why?', 'who knows?'],
      },
    };
  if (y % 9 === 1) {
    const limit = pick(['spin', 'silence', 'max_iterations'] as const, z);
    return { actor: SUPERVISOR, command: { name: 'limit', task: t, limit } };
  }
  if (y % 9 === 2) return { actor, command: { name: 'handoff', task: t, summary: 'half', next_action: 'rest' } };
  if (y % 9 === 3) return { actor: SUPERVISOR, command: claimOf(run, task, pick(CODERS, z), false) };
  if (y % 40 === 4) return { actor: SUPERVISOR, command: { name: 'release-claim', task: t } };
  if (y % 20 === 6) {
    const worktree = `.worktrees/${t}`;
    const start = z % 2 === 0 ? { start_commit: commit(++run.commits), fresh: true } : {};
    return { actor: SUPERVISOR, command: { name: 'renew-worktree', task: t, worktree, base_commit: BASE, ...start } };
  }
  if (y % 40 === 5) return { actor, command: { name: 'long-heartbeat', reason: 'the whole suite' } };
  if (begun !== true) {
    const assumptions = z % 10 === 0 ? ['a', 'b', 'c', 'd'] : [];
    const facts = { head: startCommit(task) ?? BASE, branch: `task/${t}`, dirty: [] };
    return { actor, command: { name: 'begin', task: t, checkpoint: { ...CHECKPOINT, assumptions }, facts } };
  }
  if (y % 40 === 7) {
    const files = [z % 3 === 0 ? '../out' : 'lib/other.ts'];
    return { actor, command: { name: 'declare', task: t, files, reason: z % 5 === 0 ? ' ' : 'needed over there' } };
  }
  const at = commit(++run.commits);
  const facts = {
    head: at,
    branch: `task/${t}`,
    dirty: [],
    descends_from_base: true,
    changes: changes('src/a.ts', 'test/a.test.ts'),
    proof: proof(at, z % 41 === 0 ? { runs: [] } : {}),
  };
  if (y % 4 === 0)
    return { actor, command: { name: 'record-validation', task: t, proof: proof(at, z % 5 === 0 ? {} : RED) } };
  return { actor, command: { name: 'submit-for-review', task: t, commit: at, facts } };
}

const RED = { disproof: { guard: 'validation', reason: 'npm test ended with 1', hint: 'mend it' } } as const;

const lastClaim = (task: Task): number => task.history?.findLastIndex((entry) => entry.event === 'claimed') ?? -1;

const copyOf = (task: string, z: number): Command =>
  z % 2 === 0
    ? { name: 'review-copy', task, folder: `.worktrees/.review-${task}-00000000`, tree: commit(z) }
    : { name: 'review-changed', task, agent: 'code-reviewer-1', paths: ['src/a.ts'] };

function verdict(task: string, y: number, z: number): Command {
  const facts = { unknown_places: [], outside_diff: [], false_evidence: [], changed_files: [] };
  if (y % 2 === 0)
    return { name: 'submit-verdict', task, verdict: 'APPROVED', reason: z % 11 === 0 ? 'good' : SHOWN, facts };
  return { name: 'submit-verdict', task, verdict: 'REJECTED', reason: rejection([pick(ISSUES, z)]), facts };
}

function rescue(run: Run, task: Task, y: number, z: number): { actor: Actor; command: Command } {
  const t = task.id;
  const actor = pick([PLANNER, HUMAN], z);
  const { state } = run.board;
  const drafts = state.tasks.filter(
    (other) => other.id !== t && (other.status === 'DRAFT' || other.status === 'UNCLAIMED'),
  );
  const fresh = IDS.find((id) => !state.tasks.some((other) => other.id === id) && !run.board.archived.has(id));
  switch (y % 9) {
    case 8:
      return { actor, command: { name: 'drop-worktree', task: t } };
    case 0:
      return { actor, command: amend(t, z) };
    case 1:
      return { actor, command: { name: 'abandon', task: t, rationale: 'no' } };
    case 2: {
      const replacements = drafts.slice(0, 1 + (z % 2)).map((other) => other.id);
      const definitions = fresh === undefined ? [] : [define(state, fresh, y, z)];
      return { actor, command: { name: 'supersede', task: t, root_cause: 'too big', replacements, definitions } };
    }
    case 3:
      if (z % 4 === 0) return { actor: HUMAN, command: { name: 'replan', task: t } };
      return { actor, command: { name: 'block', task: t, reason: 'needs a person', questions: ['which side wins?'] } };
    default: {
      if (task.status === 'INTEGRATION_FAILED')
        return { actor: SUPERVISOR, command: claimOf(run, task, pick(CODERS, z), false) };
      if (y % 9 === 7) return { actor, command: answerOf(state, t, z) };
      const changes = z % 3 === 0 ? { done_when: `variant ${y}` } : {};
      const more =
        z % 2 === 0 ? { keep_worktree: true, reserve: pick(CODERS, y), assessment: 'the criteria shift' } : {};
      const why = z % 5 === 0 ? {} : { withdraw: 'the spec says it now' };
      return { actor, command: { name: 'unblock', task: t, changes, facts: SPEC, ...more, ...why } };
    }
  }
}

/** By the task, by one of its questions, or all assumptions at once. */
function answerOf(state: State, task: string, z: number): Command {
  const asked = (state.questions ?? []).filter((one) => one.task === task && one.status === 'open').map(({ id }) => id);
  if (z % 13 === 0) return { name: 'answer', accept: true, facts: SPEC };
  const about = pick([...asked, ...asked, task], z);
  return { name: 'answer', about, text: `as in ${z % 5}`, facts: SPEC, ...(z % 3 === 0 ? { criterion: true } : {}) };
}

/** Anything, by anyone, well-formed or not. */
function wild(run: Run, task: Task, x: number, y: number, z: number): { actor: Actor; command: Command } {
  const id = pick(Object.keys(AGENTS), x);
  const actor = pick<Actor>(
    [
      HUMAN,
      SUPERVISOR,
      { id, parts: [AGENTS[id] ?? 'coder'] },
      { id, parts: ['supervisor', AGENTS[id] ?? 'coder'], epoch: z % 4 },
    ],
    y,
  );
  const commands: readonly Command[] = [
    ...humanCommands(task),
    ...['DRAFT', 'UNCLAIMED', 'CLAIMED', 'READY_FOR_REVIEW', 'REJECTED', 'APPROVED', 'BLOCKED'].map(
      (status) => sensible(run, { ...task, status: status as Task['status'] }, y, z).command,
    ),
    { name: 'finalize', task: '../x', facts: SPEC },
    { name: 'exit', code: 42 },
    { name: 'discover', description: 'leak', severity: 'low', during: task.id },
    { name: 'ask', text: `how ${z % 3}?`, assume: 'so', task: task.id },
    { name: 'ask', text: `how ${z % 3}?`, assume: 'so' },
    answerOf(run.board.state, task.id, z),
    { name: 'anomaly', type: 'retry_loop', task: task.id, details: { count: 3, error_pattern: 'EPIPE' } },
    { name: 'claim-review', task: task.id, agent: id },
  ];
  return { actor, command: pick(commands, x + y + z) };
}

/** The world moves without commands: time passes, supervisors die or renew, a switch file appears. */
export function weather(run: Run, [kind, x, y, z]: Step): void {
  if (kind % 7 === 0) run.now += ([1, 30, 299, 301, 601, 3600][x % 6] as number) * 1000;
  else run.now += 1000;
  if (y % 17 === 0) {
    const id = pick(Object.keys(AGENTS), z);
    const agent = run.board.state.agents[id];
    const holder = pick(['dead', 'alive', 'unknown'] as const, x);
    const record = {
      agent: id,
      ...(agent?.current_task === undefined ? {} : { task: agent.current_task }),
      epoch: agent?.epoch ?? 0,
      expires: iso(run.now + 60_000),
      heartbeat: iso(run.now),
      holder,
      ...(holder === 'alive' ? { remaining: 60_000 } : {}),
    };
    run.board = { ...run.board, leases: new Map(run.board.leases).set(id, record) };
  }
  if (y % 13 === 0) run.board = { ...run.board, gone: new Set(z % 2 === 0 ? [pick(PROCESSES, x)] : []) };
  if (y % 101 === 0) run.board = { ...run.board, switches: { ...run.board.switches, [pick(SWITCHES, z)]: run.now } };
  if (y % 5 === 0 && Object.keys(run.board.switches).length > 0 && run.board.state.goal.status !== 'ABORTED') {
    run.board = { ...run.board, switches: {} };
  }
}
