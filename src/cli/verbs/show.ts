// `liza show <task>`: one task, read without the rest of the board; or a question, discovery, anomaly or note. This is the command agents call
// most, so neither it nor what it imports may load valibot, the table or the decisions (a test checks).

import { effectiveLease } from '../../protocol/board.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { reservationEnds } from '../../protocol/leases.ts';
import { concerns } from '../../protocol/messages/question-scope.ts';
import { proofCommands } from '../../protocol/review/proof.ts';
import { discoveriesOn } from '../../protocol/review/reported.ts';
import type { Task } from '../../protocol/state.ts';
import { noTask } from '../../protocol/unknown-id.ts';
import { defined } from '../../protocol/values.ts';
import { hasSetup, setupFailureOf } from '../../protocol/work/setup-failures.ts';
import { runsFor, type SetupRun } from '../../protocol/work/setup-runs.ts';
import type { Way } from '../../protocol/work/ways-on.ts';
import type { TaskView } from '../../report/status-view.ts';
import type { BoardContext } from '../../store/context.ts';
import type { Store, TaskReading } from '../../store/store.ts';
import { setupRunsNow } from '../../tasks/setup-runs.ts';
import type { Instant } from '../../text/time.ts';
import type { Io } from '../io.ts';
import { openBoard } from '../open-board.ts';
import { lookOf } from '../render/look.ts';
import { renderTask } from '../render/task.ts';
import { plain } from '../render/terminal.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    {
      name: 'task',
      kind: 'task',
      optional: true,
      description: 'Live or archived; or the id of a question, discovery, anomaly or note.',
    },
  ],
  options: {
    spec: { description: 'The full change of its spec section since the task was created.' },
    ids: { description: 'Only list the ids of all live tasks, one per line.' },
  },
  elsewhere: {
    diff: 'its diff: d on the live board (liza attach), or git diff between the base commit and the commit that liza show names',
    log: 'what happened to it: liza log <task>',
    all: 'all tasks: liza status --all',
  },
  examples: ['liza show retry-login', 'liza show retry-login --json', 'liza show retry-login --spec', 'liza show q-3'],
  run: async (args, io) => {
    const board = openBoard(io);
    if (isRefusal(board)) return board;
    const { store } = board;
    if (args.flag('ids')) return listIds(store);
    const id = args.text('task');
    if (id === undefined) {
      return refuse('liza show needs <task>', 'liza show --ids lists them; liza status shows the board', 1, 'usage');
    }
    const found = await store.readTask(id);
    if (found === undefined) return showRecord(store, id);
    if (args.flag('spec')) return showSpec(board, found.task);
    const setUp = found.archived ? [] : runsFor(setupRunsNow(board), found.task);
    const lines = args.json ? [] : [await text(store, found, io, setUp)];
    const { questions, discoveries, notes, setup } = recordsOn(found);
    const data = {
      task: found.task,
      archived: found.archived,
      ...(questions.length === 0 ? {} : { questions }),
      ...(discoveries.length === 0 ? {} : { discoveries }),
      ...(notes.length === 0 ? {} : { notes }),
      ...defined({ setup_failure: setup }),
      ...(setUp.length === 0 ? {} : { setup_runs: setUp }),
    };
    return { ok: true, lines, data };
  },
};

/** What was asked about the task, what was found in it or is its business, notes for it, and the set-up that it waits for. */
const recordsOn = ({
  task,
  config,
  archived,
  questions = [],
  discovered = [],
  notes = [],
  setup = [],
}: TaskReading) => ({
  questions: questions.filter((one) => concerns(one, task)),
  discoveries: discoveriesOn(discovered, task.id),
  notes: notes.filter((note) => note.for === task.id),
  setup: archived || !hasSetup(config) ? undefined : setupFailureOf(setup, task),
});

/** Loaded only here: it reads the whole board. */
async function showRecord(store: Store, id: string): Promise<Result> {
  const { findRecord } = await import('../render/record.ts');
  const { board } = await store.read();
  const found = await findRecord(board.state, id, () => store.pastGoals());
  if (found !== undefined) return { ok: true, ...found };
  const kind = LISTS.get(id.replace(/-\d+$/, ''));
  return kind === undefined
    ? noTask(board, id)
    : refuse(`there is no ${kind[0]} ${quoted(id)}`, `There are: ${kind[1]}`, 1, 'no-task');
}

/** By the first part of an id: what it names, and where the others are. */
const LISTS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['q', ['question', 'liza question list --all']],
  ['disc', ['discovery', 'liza discovery list --all']],
  ['anomaly', ['anomaly', 'liza anomaly list --all']],
  ['note', ['note', 'liza note list --all']],
]);

/** Loaded only here: it compares two texts, and the task alone is asked for far more often. */
async function showSpec({ disk, files, paths }: BoardContext, task: Task): Promise<Result> {
  const { spec_ref: ref, spec_hash: hash } = task;
  if (ref === undefined || hash === undefined) {
    return refuse(
      `it is not known how the spec of ${task.id} read before`,
      `Read it: ${ref ?? 'it has none'}`,
      1,
      'spec',
    );
  }
  const { hasLostHeading, keptSpec, readSpec, specDiff } = await import('../../store/spec-texts.ts');
  const now = readSpec(disk, paths.root, ref);
  const before = keptSpec({ files, paths }, hash);
  if (now?.hash === hash) return { ok: true, lines: [`${ref} reads as when ${task.id} was made`], data: { diff: '' } };
  const gone = (fact: string, was: string): Result => ({
    ok: true,
    lines: [`${fact}; when ${task.id} was made it read:`, ...was.trimEnd().split('\n').map(plain)],
    data: { heading_gone: true, was },
  });
  if (now === undefined && before !== undefined) return gone(`${ref} is not there`, before);
  if (now === undefined || before === undefined) {
    const fact = now === undefined ? `${ref} is not there` : `how ${ref} read when ${task.id} was made is not kept`;
    return refuse(fact, now === undefined ? 'Ask where it went: liza ask' : `Read it as it is: ${ref}`, 1, 'spec');
  }
  if (hasLostHeading(ref, before, now)) return gone(`the heading of ${ref} is gone from the file`, before);
  const { text } = await specDiff(before, now.text);
  return { ok: true, lines: text.split('\n').map(plain), data: { diff: text } };
}

async function listIds(store: Store): Promise<Result> {
  const ids = (await store.read()).board.state.tasks.map(({ id }) => id);
  return { ok: true, lines: ids, data: { ids } };
}

async function text(store: Store, found: TaskReading, io: Io, setUp: readonly SetupRun[]): Promise<string> {
  const { task, archived } = found;
  const now = io.host.clock.now();
  const view = { ...viewOf(found, now), ways: await waysOf(found), waits: await waitsOf(store, task) };
  const look = lookOf(io);
  const validation = proofCommands(found.config, task);
  return renderTask(task, { now, view, archived, ...recordsOn(found), validation, setUp }, look).trimEnd();
}

function viewOf({ task, config, lease }: TaskReading, now: Instant): Omit<TaskView, 'waits' | 'ways'> {
  const expires = task.status === 'CLAIMED' ? task.lease_expires : task.review_lease_expires;
  const own = lease?.task === task.id ? lease : undefined;
  const left = expires === undefined ? undefined : effectiveLease(expires, task.epoch, own, now).remaining;
  return {
    id: task.id,
    status: task.status,
    description: task.description ?? '',
    priority: task.priority,
    ...defined({ leaseLeft: left, reservedUntil: reservationEnds(task, config) }),
    iteration: task.iteration ?? 0,
    maxIterations: task.max_iterations ?? config.max_coder_iterations ?? 10,
    reviewCycle: task.review_cycles_current ?? 0,
    maxReviewCycles: task.max_review_cycles ?? config.max_review_cycles ?? 5,
    paused: task.paused === true,
    questions: task.blocked_questions ?? [],
  };
}

/** The rules that say it are loaded for a blocked task alone. */
async function waysOf({ task, questions = [] }: TaskReading): Promise<readonly Way[]> {
  if (task.status !== 'BLOCKED') return [];
  const [{ waysOn }, { holdingIn }] = await Promise.all([
    import('../../protocol/work/ways-on.ts'),
    import('../../protocol/messages/questions.ts'),
  ]);
  return waysOn(task, holdingIn(questions, task));
}

async function waitsOf(store: Store, task: Task): Promise<TaskView['waits']> {
  const found = await Promise.all((task.depends_on ?? []).map(async (id) => ({ id, found: await store.readTask(id) })));
  return found
    .map(({ id, found }) => ({ id, status: found?.task.status ?? ('MISSING' as const) }))
    .filter(({ status }) => status !== 'MERGED');
}
