// `liza show <task>`: one task, read without the rest of the board. This is the command agents call
// most, so neither it nor what it imports may load valibot, the table or the decisions (a test checks).

import { effectiveLease } from '../../protocol/board.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { concerns } from '../../protocol/question-scope.ts';
import type { Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskView } from '../../report/status-view.ts';
import type { Store, TaskReading } from '../../store/store.ts';
import type { Instant } from '../../text/time.ts';
import type { Io } from '../io.ts';
import { openBoard } from '../open-board.ts';
import { renderTask } from '../render/task.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', optional: true, description: 'Live or archived.' }],
  options: { ids: { description: 'Only list the ids of all live tasks, one a line.' } },
  examples: ['liza show retry-login', 'liza show retry-login --json'],
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
    if (found === undefined) {
      return refuse(`there is no task ${quoted(id)}`, 'liza status --all lists the tasks there are', 1, 'no-task');
    }
    const lines = args.json ? [] : [await text(store, found, io)];
    const questions = (found.questions ?? []).filter((one) => concerns(one, found.task));
    const data = { task: found.task, archived: found.archived, ...(questions.length === 0 ? {} : { questions }) };
    return { ok: true, lines, data };
  },
};

async function listIds(store: Store): Promise<Result> {
  const ids = (await store.read()).board.state.tasks.map(({ id }) => id);
  return { ok: true, lines: ids, data: { ids } };
}

async function text(store: Store, found: TaskReading, io: Io): Promise<string> {
  const { task, archived } = found;
  const now = io.host.clock.now();
  const view = { ...viewOf(found, now), waits: await waitsOf(store, task) };
  const look = { color: io.color, unicode: io.unicode, width: io.columns };
  const questions = (found.questions ?? []).filter((one) => concerns(one, task));
  return renderTask(task, { now, view, archived, questions }, look).trimEnd();
}

function viewOf({ task, config, lease }: TaskReading, now: Instant): Omit<TaskView, 'waits'> {
  const expires = task.status === 'CLAIMED' ? task.lease_expires : task.review_lease_expires;
  const own = lease?.task === task.id ? lease : undefined;
  const left = expires === undefined ? undefined : effectiveLease(expires, task.epoch, own, now).remaining;
  return {
    id: task.id,
    status: task.status,
    description: task.description ?? '',
    priority: task.priority,
    ...defined({ leaseLeft: left }),
    iteration: task.iteration ?? 0,
    maxIterations: task.max_iterations ?? config.max_coder_iterations ?? 10,
    reviewCycle: task.review_cycles_current ?? 0,
    maxReviewCycles: task.max_review_cycles ?? config.max_review_cycles ?? 5,
    paused: task.paused === true,
    questions: task.blocked_questions ?? [],
  };
}

async function waitsOf(store: Store, task: Task): Promise<TaskView['waits']> {
  const found = await Promise.all((task.depends_on ?? []).map(async (id) => ({ id, found: await store.readTask(id) })));
  return found
    .map(({ id, found }) => ({ id, status: found?.task.status ?? ('MISSING' as const) }))
    .filter(({ status }) => status !== 'MERGED');
}
