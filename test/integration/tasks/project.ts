// A project with real git in a temporary folder, the YAML store on it and a clock in the hand: what the
// tests of workflows run against. Each starts as a copy of a template that is made once per thread.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { openGitDir } from '../../../src/git/integration.ts';
import { openPrivateGitDir, type PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { type Actor, type Board, OPERATOR, roleOfId } from '../../../src/protocol/board.ts';
import type { Checkpoint, Command } from '../../../src/protocol/command.ts';
import { decide } from '../../../src/protocol/decide.ts';
import type { Decided, Refusal } from '../../../src/protocol/decision.ts';
import { isRefusal } from '../../../src/protocol/decision.ts';
import { freshState } from '../../../src/protocol/new-board.ts';
import type { Agent, Config, HistoryEvent, State, Task } from '../../../src/protocol/state.ts';
import type { BoardContext } from '../../../src/store/context.ts';
import { contextOf, openYamlStore } from '../../../src/store/open.ts';
import type { Committed, Outcome, Store } from '../../../src/store/store.ts';
import { transact } from '../../../src/store/transact.ts';
import { emitEntries } from '../../../src/store/yaml/emit.ts';
import { type Claimed, claimTask } from '../../../src/tasks/claim.ts';
import { worktreeFacts } from '../../../src/tasks/commit-facts.ts';
import { look, type TaskContext } from '../../../src/tasks/context.ts';
import { type Merged, type MergeFailure, type MergeOptions, mergeTask } from '../../../src/tasks/merge.ts';
import { type Submitted, submitForReview } from '../../../src/tasks/submit.ts';
import { iso } from '../../../src/text/time.ts';
import { hostAt } from '../../host.ts';
import { UNCHANGED } from '../../unit/protocol/world.ts';
import { type Contents, write } from '../git/repo.ts';

export const START = Date.parse('2026-03-01T09:00:00Z');
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
  intent: 'change it',
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

export interface Project {
  /** Everything of the test is below; HOME is here. */
  readonly base: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly context: BoardContext;
  readonly store: Store;
  /** What the workflows said. */
  readonly said: string[];
  /** Without an id they are the operator's. */
  hands(id?: string, more?: Partial<TaskContext>): TaskContext;
  gitDir(): Promise<PrivateGitDir>;
  pass(seconds: number): void;
  /** A path in the root. */
  file(...parts: readonly string[]): string;
  /** Of a task, or a path in it. */
  folder(task: string, ...parts: readonly string[]): string;
  /** Git as a person calls it, in the root or in another folder; what it printed, trimmed. */
  git(...args: readonly string[]): string;
  gitIn(folder: string, ...args: readonly string[]): string;
  refs(below?: string): Readonly<Record<string, string>>;
  /** The full id of a commit; without a name, where the integration branch is. */
  head(rev?: string): string;
  /** A commit on a branch that is checked out nowhere. */
  commitTo(branch: string, files: Contents, message?: string): string;
  /** A commit on the integration branch that a person has accepted. */
  accepted(files: Contents, message?: string): Promise<string>;
  state(): Promise<State>;
  task(id: string): Promise<Task>;
  /** The task's last event of that name. */
  last(id: string, event: string): Promise<Record<string, unknown> | undefined>;
  /** Commands that must be possible, decided one after the other and written in one step. */
  run(id: string | undefined, ...commands: readonly Command[]): Promise<Committed>;
  config(changes: Partial<Config>): Promise<void>;
  claim(task: string, agent?: string): Promise<Claimed>;
  begin(task: string, agent?: string, files?: readonly string[]): Promise<Outcome>;
  /** Files and a commit in the task's folder. */
  work(task: string, files?: Contents, message?: string): string;
  submit(task: string, commit?: string, agent?: string): Promise<Submitted | Refusal>;
  approve(task: string): Promise<void>;
  reject(task: string): Promise<void>;
  merge(task: string, options?: Partial<MergeOptions>, hands?: TaskContext): Promise<Merged | MergeFailure>;
  /** Claimed, begun, worked on and submitted; the commit. */
  submitted(task: string, files?: Contents, agent?: string): Promise<string>;
  /** As above, and approved. */
  approved(task: string, files?: Contents, agent?: string): Promise<string>;
  remove(): void;
}

type Tasks = readonly (string | (Partial<Task> & { readonly id: string }))[];

export interface ProjectOptions {
  /** A function is called when the repository is there. */
  readonly tasks?: Tasks | ((project: Project) => Tasks);
  readonly config?: Partial<Config>;
  /** What the integration branch has besides the usual. */
  readonly files?: Contents;
}

export function project({ tasks = ['t'], config = {}, files }: ProjectOptions = {}): Project {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'liza-work-')));
  const root = path.join(base, 'project');
  fs.cpSync(templateFolder(), base, { recursive: true });
  const env = { ...cleanEnvironment(), HOME: base };
  let now = START;
  const context = contextOf({
    root,
    gitDirectory: path.join(root, '.git'),
    host: hostAt(() => now),
    specExists: () => true,
    nested: undefined,
  });
  const store = openYamlStore(context);
  const said: string[] = [];
  const shell = (folder: string, script: string, ...args: readonly string[]): string =>
    execFileSync('sh', ['-e', '-c', script, 'sh', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    }).trim();
  const self: Project = {
    base,
    root,
    env,
    context,
    store,
    said,
    hands: (id, more = {}) => ({ ...context, env, actor: actorOf(id), store, say: (line) => said.push(line), ...more }),
    gitDir: async () => succeeded(await openPrivateGitDir({ ...context, env }, root)),
    pass: (seconds) => {
      now += seconds * 1000;
    },
    file: (...parts) => path.join(root, ...parts),
    folder: (task, ...parts) => path.join(root, '.worktrees', task, ...parts),
    git: (...args) => self.gitIn(root, ...args),
    gitIn: (folder, ...args) =>
      execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env }).trim(),
    refs: (below = 'refs') => {
      const lines = self.git('for-each-ref', '--format=%(refname) %(objectname)', below).split('\n');
      return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' ')));
    },
    head: (rev = 'integration') => self.git('rev-parse', '--verify', '--end-of-options', rev),
    commitTo: (branch, changed, message = 'work') => {
      const input = Buffer.concat([
        Buffer.from(`commit refs/heads/${branch}\ncommitter Person <person@example.org> 1700000000 +0000\n`),
        data(message),
        Buffer.from(`from refs/heads/${branch}^0\n`),
        ...Object.entries(changed).map(([name, content]) => fastImport(name, content)),
      ]);
      execFileSync('git', ['-C', root, 'fast-import', '--quiet'], { input, env });
      return self.head(branch);
    },
    accepted: async (changed, message) => {
      const head = self.commitTo('integration', changed, message);
      await self.run(undefined, { name: 'accept-integration', head });
      return head;
    },
    state: async () => (await store.read()).board.state,
    task: async (id) => {
      const found = await store.readTask(id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found.task;
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
    claim: async (task, agent = 'coder-1') => succeeded(await claimTask(self.hands(agent), task, agent)),
    begin: (task, agent = 'coder-1', named) => begin(self, task, agent, named),
    work: (task, changed = WORK, message = 'work') => {
      write(self.folder(task), changed);
      return shell(self.folder(task), 'git add -A; git commit -q -m "$1"; git rev-parse HEAD', message);
    },
    submit: (task, commit = 'HEAD', agent = 'coder-1') => submitForReview(self.hands(agent), task, commit),
    approve: (task) => judge(self, task, 'APPROVED'),
    reject: (task) => judge(self, task, 'REJECTED'),
    merge: (task, options = {}, hands = self.hands('code-reviewer-1')) =>
      mergeTask(hands, task, { testFrom: 'base', ...options }),
    submitted: async (task, changed = WORK, agent = 'coder-1') => {
      await self.claim(task, agent);
      succeeded(await self.begin(task, agent));
      const commit = self.work(task, changed, `${task}: work`);
      succeeded(await self.submit(task, commit, agent));
      return commit;
    },
    approved: async (task, changed = WORK, agent = 'coder-1') => {
      const commit = await self.submitted(task, changed, agent);
      await self.approve(task);
      return commit;
    },
    remove: () => fs.rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  };
  if (files !== undefined) self.commitTo('integration', files, 'more to start with');
  writeBoard(self, typeof tasks === 'function' ? tasks(self) : tasks, config);
  return self;
}

const data = (content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`data ${Buffer.byteLength(content)}\n`), Buffer.from(content), Buffer.from('\n')]);

/** Only plain files, which is all that the tests need there. */
function fastImport(name: string, content: Contents[string]): Buffer {
  if (content === null) return Buffer.from(`D ${name}\n`);
  if (typeof content === 'function') throw new Error(`${name}: no plain file`);
  return Buffer.concat([Buffer.from(`M 100644 inline ${name}\n`), data(content)]);
}

let template: string | undefined;
afterAll(() => {
  if (template !== undefined) fs.rmSync(template, { recursive: true, force: true });
});

/** Branch main checked out in the root, and integration at the same commit. */
function templateFolder(): string {
  if (template !== undefined) return template;
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'liza-template-'));
  const root = path.join(base, 'project');
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(base, '.gitconfig'), '[user]\n\tname = Person\n\temail = person@example.org\n');
  write(root, FILES);
  const env = { ...cleanEnvironment(), HOME: base };
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', root, ...args], { env });
  git('init', '-q', '-b', 'main', '--template=');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  git('branch', 'integration');
  fs.mkdirSync(path.join(root, '.git', 'info'), { recursive: true });
  fs.writeFileSync(path.join(root, '.git', 'info', 'exclude'), '/.liza/\n/.worktrees/\n');
  template = base;
  return base;
}

const cleanEnvironment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GIT|LIZA)_/.test(name))),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_EDITOR: 'true',
});

/** As the command line makes them of LIZA_AGENT_ID. */
function actorOf(id: string | undefined): Actor {
  const role = id === undefined ? undefined : roleOfId(id);
  return id === undefined || role === undefined ? OPERATOR : { id, parts: ['supervisor', role] };
}

/** A state.yaml without a journal: the first transaction adopts it. */
function writeBoard({ root, head }: Project, tasks: Tasks, config: Partial<Config>): void {
  const beginning = { goal: 'Retry all calls', spec_ref: 'specs/vision.md', integration_head: head(), now: START };
  const fresh = freshState(beginning);
  const lease = { lease_expires: iso(START + 300_000), heartbeat: iso(START) };
  const agents = Object.entries(AGENTS).map(([id, role]): [string, Agent] => [id, { role, status: 'IDLE', ...lease }]);
  const state: State = {
    ...fresh,
    goal: { ...fresh.goal, status: 'IN_PROGRESS' },
    agents: Object.fromEntries(agents),
    tasks: tasks.map((task) => aTask(typeof task === 'string' ? { id: task } : task)),
    // Whether tests test is prove.test.ts's matter; elsewhere it would only take time.
    config: { ...fresh.config, tdd: 'off', ...config },
  };
  fs.mkdirSync(path.join(root, '.liza'));
  const text = emitEntries(state as unknown as Readonly<Record<string, unknown>>, 0).join('\n');
  fs.writeFileSync(path.join(root, '.liza', 'state.yaml'), `${text}\n`);
}

const aTask = (changes: Partial<Task> & { readonly id: string }): Task => ({
  description: `Build ${changes.id}`,
  type: 'code',
  status: 'UNCLAIMED',
  priority: 3,
  spec_ref: 'specs/vision.md',
  done_when: 'its test passes',
  scope: 'IN: src, test. OUT: secret/',
  created: iso(START),
  validation: ['true'],
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
  const hands = self.hands(agent);
  const { board, task, settings } = await look(hands, id);
  if (task === undefined) throw new Error(`no task ${id}`);
  const gitDir = succeeded(await openGitDir(hands, board));
  const facts = await worktreeFacts({ gitDir, task, settings, integration: self.head() });
  const checkpoint = { ...CHECKPOINT, files_to_modify: named };
  return transact(hands, { name: 'begin', task: id, checkpoint, ...(facts && { facts }) });
}

async function judge(self: Project, task: string, verdict: 'APPROVED' | 'REJECTED'): Promise<void> {
  const agent = 'code-reviewer-1';
  const cycles = (await self.task(task)).review_cycles_total ?? 0;
  const reason = verdict === 'REJECTED' ? { reason: rejection(cycles) } : {};
  await self.run(
    agent,
    { name: 'claim-review', task, agent },
    { name: 'submit-verdict', task, verdict, ...reason, facts: UNCHANGED },
  );
}
