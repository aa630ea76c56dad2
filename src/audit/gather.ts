// Gathers what `liza audit` compares: the journal replayed from its first entry, state.yaml and the archive as they
// are, and what git has. The journal's board is the witness, never the file, which anybody can edit. Only reads, and
// uses nothing that may be wrong: no cache, no index, no lock.

import { buildingOn, severalAtOnce } from '../git/ancestry.ts';
import { integrationRef, openGitDir } from '../git/integration.ts';
import { isMergedTree, mergeTrees, since } from '../git/merge-candidate.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, commitsOf, readRefs } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { findPlanted } from '../identity/branch-watch.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { noGoal } from '../protocol/goal/goal-record.ts';
import { type TasksOf, tasksOfGoal } from '../protocol/goal/goal-tasks.ts';
import { historyOf } from '../protocol/leases.ts';
import { isAccepted } from '../protocol/messages/planted.ts';
import type { Goal, State, Task } from '../protocol/state.ts';
import { noTask } from '../protocol/unknown-id.ts';
import { defined, isFields, same } from '../protocol/values.ts';
import { recordedMerges } from '../protocol/work/task-history.ts';
import { goalArchive, taskArchive } from '../store/archive.ts';
import { sha256 } from '../store/hash.ts';
import type { Entry } from '../store/journal.ts';
import { untold } from '../store/log.ts';
import { goalHash, pastGoals } from '../store/past-goals.ts';
import { type Replayed, replay, stateOf, stateText } from '../store/replay.ts';
import type { TaskContext } from '../tasks/context.ts';
import { evidenceOf } from '../tasks/proof/evidence-files.ts';
import { integrationLine } from './integration-line.ts';
import { namesInGit } from './names-in-git.ts';
import type { CommitFacts, Fact, Told, Witness } from './rules/facts.ts';
import { auditGoal } from './rules/goal.ts';
import { auditTask } from './rules/task.ts';

export interface Audit {
  readonly goal: readonly Fact[];
  readonly tasks: readonly { readonly task: Task; readonly facts: readonly Fact[] }[];
}

interface Asked {
  readonly task?: string;
  /** The goal whose tasks are audited, or `all`; absent: the current one. */
  readonly goal?: string;
}

/** Audits one task, or those of a goal, with what holds for the board as a whole. */
export async function audit(context: TaskContext, { task: only, goal }: Asked = {}): Promise<Audit | Refusal> {
  const replayed = await replay(context);
  const { problems } = replayed.verification;
  const state = await stateOf(replayed.text);
  if (state === undefined || replayed.entries.length === 0) {
    return refuse(
      `there is no journal that leads to a board: ${problems[0] ?? 'it is empty'}`,
      context.paths.mirror !== undefined && context.files.list(context.paths.mirror).includes('journal.jsonl')
        ? 'a copy is in the git directory: liza doctor --fix'
        : 'nothing can be verified without it; restore .liza/journal.jsonl from a backup',
      4,
      'journal',
    );
  }
  const gitDir = await openGitDir(context, { state });
  if (isRefusal(gitDir)) return gitDir;
  const live = new Set(state.tasks.map(({ id }) => id));
  const tasks = [...replayed.archived.tasks.filter(({ id }) => !live.has(id)), ...state.tasks];
  const past = await pastGoals(context, state.goal);
  const about =
    only !== undefined || goal === ALL ? undefined : aboutGoal([...past, state.goal], goal ?? state.goal.id);
  if (only === undefined && goal !== ALL && about === undefined) {
    return noGoal(
      goal ?? '',
      [...past, state.goal].map((one) => one.id),
    );
  }
  const ofGoal = about === undefined ? tasks : tasksOfGoal(tasks, about.goal);
  const asked = only === undefined ? ofGoal : tasks.filter(({ id }) => id === only);
  if (only !== undefined && asked.length === 0) {
    return { ...noTask({ state: { tasks }, archived: new Map() }, only), guard: 'task-exists' };
  }
  const entries = replayed.entries.map(told);
  const ofTask = byTask(entries);
  const missed = untold(context.files, context.paths.log, replayed.entries);
  const witness: Witness = {
    state,
    tasks,
    past,
    noted: new Set(replayed.entries.flatMap(({ ended }) => ended?.goal ?? [])),
    ...defined({ about }),
    entries,
    broken: problems,
    copy: replayed.verification.copy,
    evidence: evidenceOf(context, asked),
    ...defined({ log: missed }),
    namedFrom: entries.find(({ session }) => session !== undefined)?.seq ?? Number.POSITIVE_INFINITY,
    imported: replayed.entries.some(({ command }) => command === 'imported' || command === 'import'),
    ...(await compareFiles(context, replayed, state)),
    ...(await gitFacts(gitDir, { state, past, tasks, asked })),
    planted: (await findPlanted(context, gitDir, { state })).filter((one) => !isAccepted(state, one)),
  };
  return {
    goal: auditGoal(witness),
    tasks: asked.map((task) => ({ task, facts: auditTask(task, { ...witness, entries: ofTask.get(task.id) ?? [] }) })),
  };
}

/** Every goal. */
const ALL = 'all';

function aboutGoal(goals: readonly (Goal & TasksOf)[], id: string): Witness['about'] {
  const at = goals.findIndex((goal) => goal.id === id);
  const found = goals[at];
  const until = goals[at + 1]?.created;
  return found === undefined ? undefined : { goal: found, ...defined({ until }) };
}

/** The entries that name a task or touch its record, by task: to go through all of them for each would take long. */
function byTask(entries: readonly Told[]): ReadonlyMap<string, readonly Told[]> {
  const found = new Map<string, Told[]>();
  for (const entry of entries) {
    const records = entry.records.flatMap((record) => (record.startsWith('tasks/') ? [record.slice(6)] : []));
    for (const id of new Set([...records, ...(entry.task === undefined ? [] : [entry.task])])) {
      const mine = found.get(id);
      if (mine === undefined) found.set(id, [entry]);
      else mine.push(entry);
    }
  }
  return found;
}

function told({ seq, time, actor, session, command, task, detail, records, change }: Entry): Told {
  // The entry that imports a board adds all of it.
  let added: string | undefined;
  return {
    seq,
    time,
    actor: actor ?? 'human',
    ...defined({ session }),
    command,
    ...defined({ task }),
    detail,
    records,
    get added() {
      added ??= change.flatMap(({ ins }) => ins).join('\n');
      return added;
    },
  };
}

/** state.yaml and the archive against what the journal leads to. */
async function compareFiles(
  context: TaskContext,
  { entries, text, archived }: Replayed,
  state: State,
): Promise<Pick<Witness, 'differing' | 'behind'>> {
  const differing = new Map<string, string>();
  const archive = taskArchive(context.files, context.paths.archive);
  const kept = new Map((await archive.all()).map((task) => [task.id, task]));
  for (const task of archived.tasks) {
    const found = kept.get(task.id);
    if (found === undefined) differing.set(`tasks/${task.id}`, 'the archive does not have it');
    else if (!same(found, task))
      differing.set(`tasks/${task.id}`, `the archive differs from the journal: ${fields(task, found)}`);
  }
  const known = new Set([...archived.tasks, ...state.tasks].map(({ id }) => id));
  for (const [id, { status }] of archive.index()) {
    // Put there before the journal's line, which a crash may have prevented: then the state still has it.
    if (!known.has(id)) differing.set(`tasks/${id.slice(0, 80)}`, 'the archive has it, the journal does not');
    else if (kept.has(id) && kept.get(id)?.status !== status)
      differing.set(`tasks/${id}`, `the archive’s index says ${status}, its record ${kept.get(id)?.status}`);
  }
  for (const [record, how] of await goalsThatDiffer(context, entries, state)) differing.set(record, how);
  const there = stateText(context);
  if (there === undefined) return { differing, behind: 'state.yaml is missing; the next command writes it again' };
  if (there === text) return { differing };
  const hash = sha256(there);
  if (entries.some((entry) => entry.state === hash))
    return { differing, behind: 'state.yaml is behind the journal; the next command completes it' };
  const found = await stateOf(there);
  if (found === undefined) {
    differing.set('state.yaml', 'it cannot be read');
    return { differing };
  }
  for (const [record, how] of recordsThatDiffer(state, found)) differing.set(record, how);
  return { differing };
}

/** The archived goals against what the journal noted of each. */
async function goalsThatDiffer(
  context: TaskContext,
  entries: readonly Entry[],
  { goal }: State,
): Promise<ReadonlyMap<string, string>> {
  const kept = new Map(
    (await goalArchive(context.files, context.paths.archive).all()).map((record) => [record.id, goalHash(record)]),
  );
  const noted = new Map(entries.flatMap(({ ended }) => (ended === undefined ? [] : [[ended.goal, ended.record]])));
  const differing = new Map<string, string>();
  for (const [id, hash] of noted) {
    if (kept.get(id) === hash) continue;
    const how = kept.has(id) ? 'the archive differs from the journal' : 'the archive does not have it';
    differing.set(`goals/${id}`, how);
  }
  // The current one may be there already: it is put there before the journal's line.
  for (const id of kept.keys()) {
    if (!noted.has(id) && id !== goal.id)
      differing.set(`goals/${id.slice(0, 80)}`, 'the archive has it, the journal does not');
  }
  return differing;
}

function recordsThatDiffer(journalled: State, found: State): ReadonlyMap<string, string> {
  const differing = new Map<string, string>();
  const [before, after] = [journalled, found] as unknown as [Record<string, unknown>, Record<string, unknown>];
  for (const section of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (section === 'tasks' || same(before[section], after[section])) continue;
    differing.set(section, `state.yaml was edited outside Liza: ${fields(before[section], after[section])}`);
  }
  const byId = new Map(found.tasks.map((task) => [task?.id, task]));
  for (const task of journalled.tasks) {
    const other = byId.get(task.id);
    if (other === undefined) differing.set(`tasks/${task.id}`, 'state.yaml no longer has it');
    else if (!same(task, other))
      differing.set(`tasks/${task.id}`, `state.yaml was edited outside Liza: ${fields(task, other)}`);
    byId.delete(task.id);
  }
  for (const id of byId.keys())
    differing.set(`tasks/${String(id).slice(0, 80)}`, 'state.yaml has it, the journal does not');
  return differing;
}

/** The names of the fields that differ. */
function fields(before: unknown, after: unknown): string {
  if (!isFields(before) || !isFields(after)) return 'its entries differ';
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !same(before[name], after[name]),
  );
  return names.slice(0, 8).join(', ');
}

type GitFacts = Pick<Witness, 'commits' | 'refs' | 'line' | 'builds' | 'mergedTrees' | 'names'>;

interface AskedOf {
  readonly state: State;
  readonly past: readonly Goal[];
  readonly tasks: readonly Task[];
  readonly asked: readonly Task[];
}

async function gitFacts(gitDir: PrivateGitDir, { state, past, tasks, asked }: AskedOf): Promise<GitFacts> {
  const head = await commitOf(gitDir, integrationRef({ state }));
  const commits = await commitFacts(gitDir, [
    ...new Set(tasks.flatMap(named)),
    ...(state.goal.integration_head === undefined ? [] : [state.goal.integration_head]),
  ]);
  const line = head === undefined ? [] : await integrationLine(gitDir, head, [...past, state.goal]);
  const asking = [...new Set(asked.flatMap(pairs))].filter((pair) => pair.split('..').every((one) => commits.has(one)));
  const builds = await buildingOn(gitDir, asking, recordedMerges(tasks)[0]?.onto);
  const mergedTrees = new Map<string, string>();
  const merged = recordedMerges(asked).flatMap(({ task: { base_commit: base = '' }, onto, event, mergeCommit }) => {
    const commit = String(event.commit);
    const isMerge = onto !== undefined && mergeCommit !== commit && mergeCommit !== onto;
    return isMerge && commits.has(onto) && commits.has(commit) ? [{ onto, commit, base, mergeCommit }] : [];
  });
  await severalAtOnce(merged, async ({ onto, commit, base, mergeCommit }) => {
    const brought = commits.has(base) ? await since(gitDir, base, commit) : commit;
    const { tree, conflicts } = await mergeTrees(gitDir, onto, brought);
    const had = commits.get(mergeCommit)?.tree;
    // Merges were made with other limits, too, for which files are taken for renamed.
    const found = had !== undefined && had !== tree && (await isMergedTree(gitDir, onto, brought, had)) ? had : tree;
    if (conflicts.length === 0 || found === had) mergedTrees.set(`${onto} ${commit}`, found);
  });
  const names = await namesInGit(gitDir, recordedMerges(asked), (commit) => commits.has(commit));
  return { commits, refs: await readRefs(gitDir, 'refs/liza'), line, builds, mergedTrees, names };
}

/** Every commit that the record of a task names. */
const named = (task: Task): readonly string[] =>
  [task, ...historyOf(task)]
    .flatMap((one) => Object.values(one as Readonly<Record<string, unknown>>))
    .filter((value): value is string => typeof value === 'string' && value.length >= 40 && COMMIT.test(value));

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** Which commits are to build on which, as far as its facts ask. */
function pairs(task: Task): readonly string[] {
  const history = historyOf(task);
  const bases = [task.base_commit, ...history.map(({ base_commit }) => base_commit)].filter(
    (one) => typeof one === 'string',
  );
  return history.flatMap(({ event, commit, onto }) => [
    ...(event === 'submitted' ? bases.map((base) => `${base}..${commit}`) : []),
    ...(event === 'merged' ? [`${onto}..${commit}`, `${commit}..${onto}`] : []),
  ]);
}

async function commitFacts(gitDir: PrivateGitDir, ids: readonly string[]): Promise<ReadonlyMap<string, CommitFacts>> {
  if (ids.length === 0) return new Map();
  const there = (await commitsOf(gitDir, ids)).filter((id) => id !== undefined);
  if (there.length === 0) return new Map();
  const asked = gitDir.objects(['log', '--no-walk=unsorted', '--stdin', '--format=%H %T %P'], `${there.join('\n')}\n`);
  return new Map(
    lines(await must(asked, 'read the commits')).map((line) => {
      const [id = '', tree = '', ...parents] = line.split(' ');
      return [id, { tree, parents }];
    }),
  );
}

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
