// A board in memory with a clock in the hand: what the core's tests stand on.
// Commands run through `decide`; nothing here knows any rule.

import { type Actor, type Board, type Lease, OPERATOR, SWITCHES, type Switch } from '../../../src/protocol/board.ts';
import type { Checkpoint, Command, SubmitFacts } from '../../../src/protocol/command.ts';
import { decide } from '../../../src/protocol/decide.ts';
import type { Decided, Decision, Refusal } from '../../../src/protocol/decision.ts';
import type { Definition } from '../../../src/protocol/definition/payloads.ts';
import type { FileChange } from '../../../src/protocol/facts/file-change.ts';
import { findTask } from '../../../src/protocol/find.ts';
import { freshState } from '../../../src/protocol/records/new-board.ts';
import { type Proof, proofCommands } from '../../../src/protocol/review/proof.ts';
import type { Agent, Config, State, Task } from '../../../src/protocol/state.ts';
import { iso } from '../../../src/text/time.ts';
import { holdHintFits, holdHintIsTimely } from './hints.ts';

export const START = Date.parse('2026-03-01T09:00:00Z');

export const HUMAN: Actor = OPERATOR;
export const SUPERVISOR: Actor = { parts: ['supervisor'] };
export const PLANNER: Actor = { id: 'planner-1', parts: ['planner'] };
export const CODER: Actor = { id: 'coder-1', parts: ['coder'] };
export const OTHER_CODER: Actor = { id: 'coder-2', parts: ['coder'] };
export const REVIEWER: Actor = { id: 'code-reviewer-1', parts: ['code_reviewer'] };
export const OTHER_REVIEWER: Actor = { id: 'code-reviewer-2', parts: ['code_reviewer'] };
export const supervisorOf = (id: string): Actor => ({ id, parts: ['supervisor'] });

export const AGENTS: Readonly<Record<string, Agent['role']>> = {
  'planner-1': 'planner',
  'coder-1': 'coder',
  'coder-2': 'coder',
  'coder-3': 'coder',
  'code-reviewer-1': 'code_reviewer',
  'code-reviewer-2': 'code_reviewer',
};

export const commit = (n: number): string => n.toString(16).padStart(40, '0');
export const BASE = commit(0xba5e);

/** One of each part that reads hints. */
const READERS: readonly Actor[] = [HUMAN, PLANNER, CODER, REVIEWER];

export interface World {
  board: Board;
  now: number;
  /** Runs a command; a decision is applied, a refusal is only returned. */
  tell(actor: Actor, command: Command): Decision;
  /** Runs a command that must succeed. */
  run(actor: Actor, command: Command): Decided;
  /** Runs a command that must be refused. */
  refused(actor: Actor, command: Command): Refusal;
  task(id: string): Task;
  agent(id: string): Agent;
  readonly state: State;
  pass(seconds: number): void;
  lease(lease: Lease): void;
  /** A process that a reservation or a merge names has ended. */
  ends(process: string): void;
  edit(change: (state: State) => State): void;
}

export function world(config: Partial<Config> = {}): World {
  const fresh = freshState({ goal: 'Retry all calls', spec_ref: 'specs/vision.md', now: START });
  const agents = Object.fromEntries(
    Object.entries(AGENTS).map(([id, role]): [string, Agent] => [
      id,
      { role, status: 'IDLE', lease_expires: iso(START + 300_000), heartbeat: iso(START), iterations_total: 0 },
    ]),
  );
  const state = { ...fresh, agents, config: { ...fresh.config, test_command: 'npm test', ...config } };
  const self: World = {
    board: { state, switches: {}, leases: new Map(), archived: new Map() },
    now: START,
    tell(actor, command) {
      const decision = decide(self.board, command, { actor, now: self.now });
      if (decision.ok) {
        self.board = applied(self.board, decision, self.now);
        for (const note of decision.notes ?? [])
          holdHintFits(actor, { ok: false, code: 1, message: decision.detail, hint: note });
      } else {
        holdHintFits(actor, decision);
        holdHintIsTimely(self.board, actor, decision);
      }
      return decision;
    },
    run(actor, command) {
      const decision = self.tell(actor, command);
      if (!decision.ok) throw new Error(`${decision.message} [${decision.guard}]\n${decision.hint}`);
      return decision;
    },
    refused(actor, command) {
      const before = self.board;
      const decision = self.tell(actor, command);
      if (decision.ok) throw new Error(`not refused: ${decision.detail}`);
      if (self.board !== before) throw new Error('a refusal changed the board');
      // Whoever else runs into it reads a hint of their own.
      for (const other of READERS) {
        const read = decide(self.board, command, { actor: other, now: self.now });
        if (read.ok) continue;
        holdHintFits(other, read);
        holdHintIsTimely(self.board, other, read);
      }
      return decision;
    },
    task(id) {
      const task = findTask(self.board.state, id);
      if (task === undefined) throw new Error(`no task ${id}`);
      return task;
    },
    agent(id) {
      const agent = self.board.state.agents[id];
      if (agent === undefined) throw new Error(`no agent ${id}`);
      return agent;
    },
    get state() {
      return self.board.state;
    },
    pass(seconds) {
      self.now += seconds * 1000;
    },
    lease(lease) {
      self.board = { ...self.board, leases: new Map(self.board.leases).set(lease.agent, lease) };
    },
    ends(process) {
      self.board = { ...self.board, gone: new Set([...(self.board.gone ?? []), process]) };
    },
    edit(change) {
      self.board = { ...self.board, state: change(self.board.state) };
    },
  };
  return self;
}

/** What a store does with a decision: state, switches, archive. */
export function applied(board: Board, decided: Decided, now: number): Board {
  if (decided.already === true) return board;
  const switches: Partial<Record<Switch, number>> = { ...board.switches };
  for (const one of SWITCHES) {
    if (decided.switches?.[one] === true) switches[one] ??= now;
    if (decided.switches?.[one] === false) delete switches[one];
  }
  const archived =
    decided.archive === undefined
      ? board.archived
      : new Map([...board.archived, ...decided.archive.map((task) => [task.id, task.status] as const)]);
  return { ...board, state: decided.state, switches, archived };
}

// Commands with everything they need, so that a test names only what it is about.

export const SPEC = { spec_exists: true } as const;

export const definition = (id: string, more: Partial<Definition> = {}): Definition => ({
  id,
  description: `Do ${id}`,
  spec_ref: 'specs/retry.md',
  done_when: 'calls are retried three times',
  scope: 'IN: src/, test/\nOUT: docs/',
  ...more,
});

export const addReady = (id: string, more: Partial<Definition> = {}): Command => ({
  name: 'add-task',
  definition: definition(id, more),
  ready: true,
  facts: SPEC,
});
export const addDraft = (id: string, more: Partial<Definition> = {}): Command => ({
  name: 'add-task',
  definition: definition(id, more),
  facts: SPEC,
});
export const finalize = (task: string): Command => ({ name: 'finalize', task, facts: SPEC });
export const claim = (
  task: string,
  agent = 'coder-1',
  more: { base_commit?: string; start_commit?: string; baseline?: string; former?: string } = {},
): Command => ({
  name: 'claim-task',
  task,
  agent,
  worktree: `.worktrees/${task}`,
  base_commit: BASE,
  ...more,
});
export const CHECKPOINT: Checkpoint = {
  intent: 'Retry in the client',
  assumptions: ['the client is the only caller'],
  risks: 'none, it is reversible',
  validation: 'npm test: all green',
  files_to_modify: ['src/client.ts'],
};
export const begin = (task: string, head = BASE, checkpoint: Checkpoint = CHECKPOINT): Command => ({
  name: 'begin',
  task,
  checkpoint,
  facts: { head, branch: `task/${task}`, dirty: [] },
});
export const declare = (task: string, ...files: string[]): Command => ({
  name: 'declare',
  task,
  files,
  reason: 'the retry is set up there',
});
export const submit = (task: string, at: string, more: Partial<SubmitFacts> = {}): Command => ({
  name: 'submit-for-review',
  task,
  commit: at,
  facts: {
    head: at,
    branch: `task/${task}`,
    dirty: [],
    descends_from_base: true,
    changes: changes('src/client.ts', 'test/client.test.ts'),
    proof: proof(at),
    ...more,
  },
});
/** What Liza's own run of the project's test command shows. */
export const proof = (at: string, more: Partial<Proof> = {}): Proof => ({
  commit: at,
  commands: ['npm test'],
  runs: [{ command: 'npm test', ok: true, how: 'ended with 0', seconds: 1, log: '.liza/evidence/a/1-1.log' }],
  seconds: 1,
  ...more,
});
export const changes = (...paths: readonly string[]): readonly FileChange[] =>
  paths.map((path) => ({ path, kind: 'changed' }));
export const block = (task: string, reason = 'the API has no sandbox'): Command => ({
  name: 'block',
  task,
  reason,
  questions: ['Which account may the tests use?'],
});
export const claimReview = (task: string, agent = 'code-reviewer-1'): Command => ({
  name: 'claim-review',
  task,
  agent,
});
/** What git says about a verdict whose places exist, and whose giver kept its hands off its copy. */
export const UNCHANGED = { unknown_places: [], outside_diff: [], false_evidence: [], changed_files: [] };
/** What shows the one criterion of most tasks here. */
export const SHOWN = '1: ran npm test';
export const approve = (task: string, reason = SHOWN): Command => ({
  name: 'submit-verdict',
  task,
  verdict: 'APPROVED',
  reason,
  facts: UNCHANGED,
});
export const reject = (task: string, ...issues: readonly string[]): Command => ({
  name: 'submit-verdict',
  task,
  verdict: 'REJECTED',
  reason: rejection(issues.length === 0 ? ['src/client.ts:12 — retries forever on a 401'] : issues),
  facts: UNCHANGED,
});
export const rejection = (issues: readonly string[], prior = true): string =>
  [
    `Blockers: ${issues.length}`,
    ...issues.flatMap((issue) => [`- [blocker] ${issue}`, '  Why it matters: users wait', '  Suggestion: stop']),
    '',
    'Concerns: 0',
    '',
    'Overall: not yet.',
    ...(prior ? ['', 'Prior Feedback Status:', '- STILL PRESENT: the first issue'] : []),
  ].join('\n');
export const MERGE = commit(0x3e6);
export const reserveMerge = (task: string, candidate = MERGE, onto = BASE, process?: string): Command => ({
  name: 'reserve-merge',
  task,
  candidate,
  onto,
  ...(process === undefined ? {} : { process }),
});
export const merged = (task: string, at = MERGE): Command => ({ name: 'merge', task, merge_commit: at });
export const mergeFailed = (task: string): Command => ({
  name: 'merge-failed',
  task,
  reason: 'conflict in src/client.ts',
});
export const unblock = (task: string, more: object = {}): Command =>
  ({ name: 'unblock', task, facts: SPEC, withdraw: 'the spec says it now', ...more }) as Command;

// Roads to a state, walked by commands only.

export function toClaimed(w: World, id: string, coder = 'coder-1'): void {
  w.run(SUPERVISOR, claim(id, coder));
}
export function toReady(w: World, id: string, coder = 'coder-1', at = nextCommit(w, id)): void {
  if (w.task(id).status !== 'CLAIMED') toClaimed(w, id, coder);
  const actor: Actor = { id: coder, parts: ['coder'] };
  const start = w.task(id).history?.findLast((entry) => entry.event === 'claimed') as
    | { start_commit?: string }
    | undefined;
  w.run(actor, begin(id, start?.start_commit ?? BASE));
  w.run(actor, submit(id, at, { proof: proved(w, id, at) }));
}
/** The task's own commands and the project's, all green. */
export function proved(w: World, id: string, at: string, more: Partial<Proof> = {}): Proof {
  const commands = proofCommands(w.state.config, w.task(id));
  const runs = commands.map((command, n) => ({
    command,
    ok: true,
    how: 'ended with 0',
    seconds: n + 1,
    log: `.liza/evidence/${id}/1-${n + 1}.log`,
  }));
  return proof(at, { commands, runs, ...more });
}
export const nextCommit = (w: World, id: string): string => commit(0x1000 + (w.task(id).history?.length ?? 0));
export function toApproved(w: World, id: string, coder = 'coder-1'): void {
  toReady(w, id, coder);
  w.run(SUPERVISOR, claimReview(id));
  w.run(REVIEWER, approve(id));
}
export function toMerged(w: World, id: string, at = MERGE): void {
  if (w.task(id).status !== 'APPROVED') toApproved(w, id);
  w.run(SUPERVISOR, reserveMerge(id, at, w.state.goal.integration_head));
  w.run(SUPERVISOR, merged(id, at));
}
export function toRejected(w: World, id: string, coder = 'coder-1', ...issues: readonly string[]): void {
  toReady(w, id, coder);
  w.run(SUPERVISOR, claimReview(id));
  w.run(REVIEWER, reject(id, ...issues));
}

/** A world with these tasks ready to be claimed. */
export function ready(...ids: readonly string[]): World {
  const w = world();
  for (const id of ids) w.run(PLANNER, addReady(id));
  return w;
}
/** A world in which coder-1 holds task a. */
export function claimed(): World {
  const w = ready('a');
  toClaimed(w, 'a');
  return w;
}
