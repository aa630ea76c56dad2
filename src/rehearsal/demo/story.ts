// Whether everything the demo promises really happened, read off the board and its log afterwards. Pure. The demo fails
// when a chapter did not happen.

import { roleOfId } from '../../protocol/board.ts';
import type { HistoryEvent, State, Task } from '../../protocol/state.ts';
import { isDemos } from './human.ts';

export interface Chapter {
  readonly title: string;
  readonly happened: boolean;
  /** What happened, or what is missing. */
  readonly text: string;
}

/** Lines of .liza/log.yaml. */
export interface Logged {
  readonly agent: string;
  readonly action: string;
  readonly task?: string | undefined;
}

/** Who was killed, and at which task, as the supervisors saw it. */
export interface Killed {
  readonly who: string;
  readonly task: string;
}

export function story(state: State, log: readonly Logged[], deaths: readonly Killed[]): readonly Chapter[] {
  return [
    merged(state),
    parallel(state.tasks),
    rejected(state.tasks),
    killed(state.tasks, log, deaths),
    answered(state),
    redBatch(state),
    conflict(state.tasks),
  ];
}

/** The merged task that went the longest way: it was rejected, and approved after a rework. */
export const accountedTask = ({ tasks }: Pick<State, 'tasks'>): Task | undefined =>
  tasks.find(reworked) ?? tasks.findLast(({ status }) => status === 'MERGED');

const reworked = (task: Task): boolean => follow(task, ['rejected', 'submitted', 'approved', 'merged']) === true;

const chapter = (title: string, found: string | undefined, missing: string): Chapter => ({
  title,
  happened: found !== undefined,
  text: found ?? missing,
});

function merged({ tasks, goal }: State): Chapter {
  const done = tasks.filter(({ status }) => status === 'MERGED').length;
  const all = tasks.length > 0 && done === tasks.length && goal.status === 'COMPLETED' && tasks.every(inOrder(tasks));
  return chapter(
    'merged',
    all ? `${done} tasks, each after what it depends on, each reviewed and tested before its merge` : undefined,
    `${done} of ${tasks.length} tasks are merged, the goal is ${goal.status}`,
  );
}

/** No claim before the merge of everything it depends on. */
const inOrder =
  (tasks: readonly Task[]) =>
  (task: Task): boolean =>
    (task.depends_on ?? []).every((id) => {
      const merge = last(
        tasks.find((other) => other.id === id),
        'merged',
      );
      const claim = historyOf(task).find(({ event }) => event === 'claimed');
      return merge !== undefined && claim !== undefined && merge.time <= claim.time;
    });

function parallel(tasks: readonly Task[]): Chapter {
  const spans = tasks.flatMap((task) => {
    const claim = historyOf(task).find(({ event }) => event === 'claimed');
    const end = historyOf(task).find(({ event }) => event === 'submitted' || event === 'blocked');
    return claim === undefined || end === undefined
      ? []
      : [{ id: task.id, by: claim.agent, from: claim.time, to: end.time }];
  });
  const pairs = spans.flatMap((one, at) =>
    spans
      .slice(at + 1)
      .filter((two) => one.by !== two.by && one.from <= two.to && two.from <= one.to)
      .map((two) => `${one.id} and ${two.id}`),
  );
  return chapter(
    'in parallel',
    pairs.length === 0 ? undefined : `two coders at the same time: ${pairs.join('; ')}`,
    'no two tasks were worked on at the same time',
  );
}

function rejected(tasks: readonly Task[]): Chapter {
  const found = tasks.find(reworked);
  const by = found === undefined ? undefined : historyOf(found).find(({ event }) => event === 'rejected')?.agent;
  return chapter(
    'a rejection',
    found === undefined ? undefined : `${by} rejected ${found.id} for a real defect; reworked, approved, merged`,
    'no task was rejected, reworked and merged',
  );
}

/** The log must have the end of the session, and the history must show that the work went on. */
function killed(tasks: readonly Task[], log: readonly Logged[], deaths: readonly Killed[]): Chapter {
  const died = log.find(
    ({ action, agent, task }) =>
      action === 'session-end' && deaths.some((one) => one.who === agent && one.task === task),
  );
  const task = tasks.find(({ id }) => id === died?.task);
  const after = task === undefined ? undefined : follow(task, ['pre_execution_checkpoint', 'submitted', 'merged']);
  return chapter(
    'a killed coder',
    died === undefined || after === undefined
      ? undefined
      : `${died.agent} was killed (kill -9) while it worked on ${died.task}; the work was taken over and merged`,
    'no coder was killed whose task was then taken over and merged',
  );
}

function answered({ tasks, questions = [] }: State): Chapter {
  const found = questions.find(
    ({ task: id, status, closed_by }) =>
      status === 'answered' &&
      roleOfId(closed_by ?? '') === undefined &&
      tasks.some((task) => task.id === id && follow(task, ['blocked', 'unblocked', 'submitted', 'merged'])),
  );
  return chapter(
    'a question',
    found === undefined
      ? undefined
      : `${found.task} was blocked by a question; ${isDemos(found.answer ?? '') ? 'the demo answered it for you' : 'you answered it'}: “${found.answer}”`,
    'no task was blocked, answered by a person and merged',
  );
}

const mended = (task: Task): boolean => follow(task, ['integration_failed', 'claimed', 'submitted', 'merged']) === true;

function redBatch({ tasks, goal }: State): Chapter {
  const found = (goal.queue?.batches ?? []).find(
    ({ blamed, landed }) => landed > 1 && tasks.some((task) => task.id === blamed && mended(task)),
  );
  return chapter(
    'a red batch',
    found === undefined
      ? undefined
      : `${found.entries} tasks were tested together and were red; ${found.runs} test runs found out that it was ${found.blamed}: the other ${found.landed} landed, and ${found.blamed} did when it was mended and reviewed`,
    'no batch of the merge queue was red, lost its culprit and landed without it',
  );
}

function conflict(tasks: readonly Task[]): Chapter {
  const pathsOf = (task: Task): unknown => last(task, 'integration_failed')?.paths;
  const found = tasks.find((task) => mended(task) && Array.isArray(pathsOf(task)));
  const failed = found === undefined ? undefined : pathsOf(found);
  const paths = Array.isArray(failed) ? failed.join(', ') : undefined;
  return chapter(
    'a conflict',
    found === undefined || paths === undefined
      ? undefined
      : `${found.id} did not merge (${paths}); integration stayed as it was until the conflict was resolved and reviewed`,
    'no merge conflicted and was then resolved',
  );
}

const historyOf = (task: Task | undefined): readonly HistoryEvent[] => (task?.history ?? []) as readonly HistoryEvent[];

const last = (task: Task | undefined, name: string): HistoryEvent | undefined =>
  historyOf(task).findLast(({ event }) => event === name);

/** These events, in this order, whatever came between. */
function follow(task: Task, names: readonly string[]): true | undefined {
  let at = 0;
  for (const { event } of historyOf(task)) if (event === names[at]) at += 1;
  return at === names.length ? true : undefined;
}
