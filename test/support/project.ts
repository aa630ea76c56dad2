// A project for tests: a repository, its board, a clock in the test's hand, `liza` in this process, and the steps of
// the work on a task, as the workflows take them. Verbs alone take them in by-verbs.ts, the built program in program.ts.

import fs from 'node:fs';
import path from 'node:path';
import { openGitDir } from '../../src/git/integration.ts';
import { type Actor, type Board, OPERATOR, roleOfId } from '../../src/protocol/board.ts';
import type { Checkpoint, Command } from '../../src/protocol/command.ts';
import { decide } from '../../src/protocol/decide.ts';
import { type Decided, isRefusal, type Refusal } from '../../src/protocol/decision.ts';
import { freshState } from '../../src/protocol/records/new-board.ts';
import type { Agent, Config, HistoryEvent, State, Task } from '../../src/protocol/state.ts';
import type { BoardContext } from '../../src/store/context.ts';
import { openYamlStore } from '../../src/store/open.ts';
import type { Committed, Outcome, Store } from '../../src/store/store.ts';
import { transact } from '../../src/store/transact.ts';
import { emitEntries } from '../../src/store/yaml/emit.ts';
import { type Claimed, claimTask } from '../../src/tasks/claim.ts';
import { worktreeFacts } from '../../src/tasks/commit-facts.ts';
import { look, type TaskContext } from '../../src/tasks/context.ts';
import type { MergeFailure } from '../../src/tasks/judge-candidate.ts';
import { type Merged, type MergeOptions, mergeTask } from '../../src/tasks/merge.ts';
import { type Submitted, submitForReview } from '../../src/tasks/submit.ts';
import { iso } from '../../src/text/time.ts';
import { hostAt } from '../host.ts';
import { UNCHANGED } from '../unit/protocol/world.ts';
import { showing } from './approval.ts';
import { boardContext } from './board-context.ts';
import type { Contents } from './core.mjs';
import { inProcess, type Liza, succeeding } from './in-process.ts';
import { fromTemplate, keyOf, type Repository, start } from './repository.ts';
import { fingerprint, snapshot, template } from './temporary-folder.ts';

export const START = Date.parse('2026-03-01T09:00:00Z');
/** What shows that a task is done whose validation is the usual one. */
export const SHOWN = '1: ran test -d .';
/** A change with its test, as most tasks make it. */
export const WORK: Contents = { 'src/app.ts': 'export const app = 2;\n', 'test/app.test.ts': 'test(2);\n' };

const FILES: Contents = {
  'README.md': 'hello\n',
  'specs/vision.md': '# Vision\n',
  'src/app.ts': 'export const app = 1;\n',
  'test/app.test.ts': 'test(1);\n',
};
const AGENTS: Readonly<Record<string, Agent['role']>> = {
  'planner-1': 'planner',
  'coder-1': 'coder',
  'coder-2': 'coder',
  'coder-3': 'coder',
  'code-reviewer-1': 'code_reviewer',
};
const CHECKPOINT: Checkpoint = {
  intent: 'change the app',
  assumptions: [],
  risks: 'none',
  validation: 'npm test: passes',
  files_to_modify: ['src/app.ts', 'test/app.test.ts'],
};
/** Each time another one: the same rejection twice would block the task. */
const rejection = (n: number): string => `Blockers: 1
- [blocker] src/file-${n}.ts:1 — it is wrong
  Why it matters: it is
  Suggestion: mend it
Concerns: 0
Overall: not yet.
Prior Feedback Status:
- RESOLVED: all`;

/** A repository whose board is open. */
export interface OpenedProject extends Repository {
  readonly context: BoardContext;
  readonly store: Store;
  pass(seconds: number): void;
  /** In this process. */
  readonly liza: Liza;
  /** The same; throws unless it succeeds. */
  readonly ok: Liza;
  state(): Promise<State>;
  task(id: string): Promise<Task>;
  /** A path in the folder of a task. */
  folder(task: string, ...parts: readonly string[]): string;
}

export interface Project extends OpenedProject {
  /** What the workflows said. */
  readonly said: string[];
  /** What a workflow works with when that agent asks for it; without an id the operator does. */
  as(id?: string, more?: Partial<TaskContext>): TaskContext;
  /** A commit on the integration branch that a person has accepted. */
  accepted(files: Contents, message?: string): Promise<string>;
  /** The task's last event of that name. */
  last(id: string, event: string): Promise<Record<string, unknown> | undefined>;
  /** Commands that must be possible, decided one after the other and written in one step. */
  run(id: string | undefined, ...commands: readonly Command[]): Promise<Committed>;
  config(changes: Partial<Config>): Promise<void>;
  claim(task: string, agent?: string): Promise<Claimed>;
  begin(task: string, agent?: string, files?: readonly string[]): Promise<Outcome>;
  /** Claimed, with a checkpoint that names these files, or the usual. */
  begun(task: string, agent?: string, files?: readonly string[]): Promise<void>;
  /** Files and a commit in the task's folder. */
  work(task: string, files?: Contents, message?: string): string;
  submit(task: string, commit?: string, agent?: string): Promise<Submitted | Refusal>;
  approve(task: string): Promise<void>;
  reject(task: string): Promise<void>;
  merge(task: string, options?: Partial<MergeOptions>, by?: TaskContext): Promise<Merged | MergeFailure>;
  /** Claimed, begun, worked on and submitted; the commit. */
  submitted(task: string, files?: Contents, agent?: string): Promise<string>;
  /** The same, and approved. */
  approved(task: string, files?: Contents, agent?: string): Promise<string>;
}

type Tasks = readonly (string | (Partial<Task> & { readonly id: string }))[];

export interface ProjectOptions {
  /** A function is called when the repository is there. */
  readonly tasks?: Tasks | ((project: Project) => Tasks);
  readonly config?: Partial<Config>;
  /** What the integration branch has besides the usual. */
  readonly files?: Contents;
}

/** Branch main checked out in the root, integration at the same commit, and a board that nobody has written to yet. */
export function project({ tasks = ['t'], config = {}, files }: ProjectOptions = {}): Project {
  const repo = fromTemplate(keyOf(['project', files]), 'project', (made) => {
    start(made, 'main', FILES);
    made.git('branch', 'integration');
    made.write({ '.git/info/exclude': '/.liza/\n/.worktrees/\n' });
    if (files !== undefined) made.commitTo('integration', files, 'more to start with');
  });
  const self = withSteps(openProject(repo));
  writeBoard(self, typeof tasks === 'function' ? tasks(self) : tasks, config);
  return self;
}

export function openProject(repo: Repository): OpenedProject {
  let now = START;
  const context = boardContext(repo.root, { host: hostAt(() => now, repo.env) });
  const store = openYamlStore(context);
  const liza = inProcess({ ...repo, now: () => now });
  return {
    ...repo,
    context,
    store,
    liza,
    ok: succeeding(liza),
    pass: (seconds) => {
      now += seconds * 1000;
    },
    folder: (task, ...parts) => path.join(repo.root, '.worktrees', task, ...parts),
    state: async () => (await store.read()).board.state,
    task: async (id) => {
      const found = await store.readTask(id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found.task;
    },
  };
}

/** The project as it is now, with its clock; the function it returns goes back to that. Made in beforeAll. */
export function snapshotOf(self: OpenedProject): () => void {
  const { base, context, pass } = self;
  forgetReplaced(self);
  const putBack = snapshot(base);
  const then = context.clock.now();
  return () => {
    putBack();
    pass((then - context.clock.now()) / 1000);
  };
}

/** The file that the last write replaced is known by its inode: a copy of it would count as an edit by hand. */
const forgetReplaced = ({ context }: OpenedProject): void => fs.rmSync(context.paths.superseded, { force: true });

function withSteps(opened: OpenedProject): Project {
  const { context, store, env } = opened;
  const said: string[] = [];
  const self: Project = {
    ...opened,
    said,
    as: (id, more = {}) => ({ ...context, env, actor: actorOf(id), store, say: (line) => said.push(line), ...more }),
    accepted: async (files, message) => {
      const head = self.commitTo('integration', files, message);
      await self.run(undefined, { name: 'accept-integration', head });
      return head;
    },
    last: async (id, event) => {
      const history = ((await self.task(id)).history ?? []) as readonly Record<string, unknown>[];
      return history.findLast((entry) => entry['event'] === event);
    },
    run: (id, ...commands) => inOneStep(store, actorOf(id), commands),
    config: async (changes) => {
      const set = Object.entries(changes).map(([key, value]) => ({ name: 'config set' as const, key, value }));
      await self.run(undefined, ...set);
    },
    claim: async (task, agent = 'coder-1') => succeeded(await claimTask(self.as(agent), task, agent)),
    begin: (task, agent = 'coder-1', named) => begin(self, task, agent, named),
    work: (task, files = WORK, message) => self.commit(files, message, self.folder(task)),
    submit: (task, commit = 'HEAD', agent = 'coder-1') => submitForReview(self.as(agent), task, commit),
    approve: (task) => judge(self, task, 'APPROVED'),
    reject: (task) => judge(self, task, 'REJECTED'),
    merge: (task, options = {}, by = self.as('code-reviewer-1')) =>
      mergeTask(by, task, { testFrom: 'base', ...options }),
    begun: (task, agent = 'coder-1', named = CHECKPOINT.files_to_modify) =>
      once(self, ['begun', task, agent, named], async () => {
        await self.claim(task, agent);
        succeeded(await self.begin(task, agent, named));
      }),
    submitted: (task, files = WORK, agent = 'coder-1') =>
      once(self, ['submitted', task, files, agent], async () => {
        await self.begun(task, agent, [...new Set([...CHECKPOINT.files_to_modify, ...Object.keys(files)])]);
        const commit = self.work(task, files, `${task}: work`);
        succeeded(await self.submit(task, commit, agent));
        return commit;
      }),
    approved: async (task, files = WORK, agent = 'coder-1') => {
      const commit = await self.submitted(task, files, agent);
      await self.approve(task);
      return commit;
    },
  };
  return self;
}

interface Done {
  readonly copy: (place: string) => void;
  readonly returned: unknown;
  readonly said: readonly string[];
}
const done = new Map<string, Done>();
/** What git remembers of the files on the disk: another one in every copy. */
const INDEX = 'project/.git/index';

/** A step is taken once; where the same one is taken in a project that is the same, byte by byte, what it made is copied. */
async function once<T>(self: Project, step: readonly unknown[], take: () => Promise<T>): Promise<T> {
  const { base, context, said } = self;
  const key = `${fingerprint(base, [INDEX])} ${context.clock.now()} ${keyOf(step)}`;
  const before = done.get(key);
  if (before !== undefined) {
    before.copy(base);
    said.push(...before.said);
    return before.returned as T;
  }
  const silent = said.length;
  const returned = await take();
  forgetReplaced(self);
  done.set(key, { copy: template(base), returned, said: said.slice(silent) });
  return returned;
}

/** As the command line makes them of LIZA_AGENT_ID. */
function actorOf(id: string | undefined): Actor {
  const role = id === undefined ? undefined : roleOfId(id);
  return id === undefined || role === undefined ? OPERATOR : { id, parts: ['supervisor', role] };
}

/** A state.yaml without a journal: the first transaction adopts it. */
function writeBoard(self: Project, tasks: Tasks, config: Partial<Config>): void {
  const integration_head = self.head();
  const fresh = freshState({ goal: 'Retry all calls', spec_ref: 'specs/vision.md', integration_head, now: START });
  const lease = { lease_expires: iso(START + 300_000), heartbeat: iso(START) };
  const agents = Object.entries(AGENTS).map(([id, role]): [string, Agent] => [id, { role, status: 'IDLE', ...lease }]);
  self.write({
    '.liza/state.yaml': stateText({
      ...fresh,
      goal: { ...fresh.goal, status: 'IN_PROGRESS' },
      agents: Object.fromEntries(agents),
      tasks: tasks.map((task) => aTask(typeof task === 'string' ? { id: task } : task)),
      // Whether tests test is the matter of prove.test.ts; elsewhere it would only take time.
      config: { ...fresh.config, tdd: 'off', ...config },
    }),
  });
}

/** A state as state.yaml has it. */
export const stateText = (state: State): string => `${emitEntries({ ...state }, 0).join('\n')}\n`;

const aTask = (changes: Partial<Task> & { readonly id: string }): Task => ({
  description: `Build ${changes.id}`,
  type: 'code',
  status: 'UNCLAIMED',
  priority: 3,
  spec_ref: 'specs/vision.md',
  done_when: 'its own test passes',
  scope: 'IN: src, test. OUT: secret/',
  created: iso(START),
  validation: ['test -d .'],
  history: [{ time: iso(START), event: 'created', agent: 'planner-1' }],
  ...changes,
});

/** Approved without a folder: a commit on integration, or on `base`, as if somebody had made and reviewed it. */
export function approvedTask(
  self: Project,
  id: string,
  files: Contents,
  base = self.head(),
): Partial<Task> & { readonly id: string } {
  self.git('update-ref', `refs/heads/made/${id}`, base);
  const commit = self.commitTo(`made/${id}`, files, `${id}: work`);
  self.git('update-ref', `refs/liza/review/${id}/1`, commit);
  self.git('update-ref', '-d', `refs/heads/made/${id}`);
  const time = iso(START);
  const told: readonly HistoryEvent[] = [
    { time, event: 'created', agent: 'planner-1' },
    { time, event: 'claimed', agent: 'coder-1', start_commit: base },
    { time, event: 'submitted', agent: 'coder-1', commit },
    { time, event: 'approved', agent: 'code-reviewer-1', commit },
  ];
  return {
    id,
    status: 'APPROVED',
    assigned_to: 'coder-1',
    approved_by: 'code-reviewer-1',
    base_commit: base,
    review_commit: commit,
    iteration: 1,
    epoch: 2,
    history: told,
    approvals: [{ by: 'code-reviewer-1', commit, time }],
  };
}

async function inOneStep(store: Store, actor: Actor, commands: readonly Command[]): Promise<Committed> {
  const outcome = await store.transact({ actor, command: commands[0]?.name ?? '' }, (board, now) => {
    let last: Decided | undefined;
    let seen: Board = board;
    for (const command of commands) {
      const decided = decide(seen, command, { actor, now });
      if (!decided.ok) return decided;
      last = decided;
      seen = { ...seen, state: decided.state };
    }
    if (last === undefined) throw new Error('no command');
    return last;
  });
  return succeeded(outcome);
}

/** What is no refusal. */
export function succeeded<T extends object>(outcome: T): Exclude<T, Refusal> {
  if (!isRefusal(outcome)) return outcome as Exclude<T, Refusal>;
  throw new Error(`${outcome.message} [${outcome.guard}]`);
}

async function begin(self: Project, id: string, agent: string, named = CHECKPOINT.files_to_modify): Promise<Outcome> {
  const coder = self.as(agent);
  const { board, task, settings } = await look(coder, id);
  if (task === undefined) throw new Error(`no task ${id}`);
  const gitDir = succeeded(await openGitDir(coder, board));
  const facts = await worktreeFacts({ gitDir, task, settings, integration: self.head() });
  const checkpoint = { ...CHECKPOINT, files_to_modify: named };
  return transact(coder, { name: 'begin', task: id, checkpoint, ...(facts && { facts }) });
}

async function judge(self: Project, task: string, verdict: 'APPROVED' | 'REJECTED'): Promise<void> {
  const agent = 'code-reviewer-1';
  const judged = await self.task(task);
  const reason = verdict === 'REJECTED' ? rejection(judged.review_cycles_total ?? 0) : showing(judged);
  await self.run(
    agent,
    { name: 'claim-review', task, agent },
    { name: 'submit-verdict', task, verdict, reason, facts: UNCHANGED },
  );
}
