// `liza goals`: every goal of this project, one after another: state, dates, and what came of it.

import { costText } from '../../budget/rules/ledger.ts';
import { endEvent } from '../../protocol/goal/alignment.ts';
import { type GoalRecord, goalRecord } from '../../protocol/goal/goal-record.ts';
import { numberOf } from '../../protocol/goal/goal-tasks.ts';
import { holdsGoal, openDiscoveries } from '../../protocol/messages/discoveries.ts';
import { isOpen } from '../../protocol/messages/questions.ts';
import { defined } from '../../protocol/values.ts';
import { counted } from '../../text/format.ts';
import { onProject } from '../open-project.ts';
import { oneLine } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  examples: ['liza goals', 'liza goals --json'],
  details: [
    'Counts are for that goal alone; an open discovery of an earlier goal moved to the next one. More on one: liza report --goal goal-1, liza audit --goal goal-1; all that was kept: .liza/archive/goals.yaml.',
  ],
  run: onProject(async ({ store }) => {
    const { board, now, notices } = await store.read();
    const current = goalRecord(board.state, await store.archivedTasks(), now);
    const goals = [...(await store.pastGoals()), current].map((one, at, all) => row(one, all[at - 1]));
    return { ok: true, lines: goals.flatMap(lines), data: { current: current.id, goals }, notices };
  }),
};

interface Row {
  readonly id: string;
  readonly description: string;
  readonly status: string;
  readonly spec_ref?: string;
  readonly created?: string;
  readonly ended?: string;
  readonly tasks: number;
  readonly merged: number;
  readonly sprints: number;
  /** In words; absent: nothing ran, or nobody kept it. */
  readonly cost?: string;
  readonly cost_usd?: number;
  readonly anomalies: number;
  /** Made under this goal. */
  readonly discoveries: number;
  /** Left by an earlier one. */
  readonly carried: number;
  readonly open_discoveries: number;
  readonly questions: number;
  readonly open_questions: number;
  /** What the goal may not end over in silence. */
  readonly undecided: number;
}

function row(record: GoalRecord, before: GoalRecord | undefined): Row {
  const { id, description, status, spec_ref, created } = record;
  const over = status === 'COMPLETED' || status === 'ABORTED';
  const ended = over ? endEvent(record)?.timestamp : undefined;
  const open = openDiscoveries(record);
  const asked = record.questions ?? [];
  const unanswered = asked.filter(isOpen).length;
  const carried = record.discovered.filter(({ carried_from }) => carried_from !== undefined).length;
  return {
    id,
    description,
    status,
    ...defined({ spec_ref, created, ended }),
    tasks: record.tasks.length,
    merged: record.metrics.tasks_merged,
    sprints: sprintsOf(record, before),
    ...(record.spent === undefined ? {} : defined({ cost: costText(record.spent), cost_usd: record.spent.cost_usd })),
    anomalies: record.anomalies.length,
    discoveries: record.discovered.length - carried,
    carried,
    open_discoveries: open.length,
    questions: asked.filter(({ goal = id }) => goal === id).length,
    open_questions: unanswered,
    undecided: open.filter(holdsGoal).length + unanswered,
  };
}

/** Earlier versions kept only the last sprint of a goal; they are numbered through all goals. */
function sprintsOf({ sprints }: GoalRecord, before: GoalRecord | undefined): number {
  const last = (goal: GoalRecord['sprints'] = []): number => numberOf(goal.at(-1)?.id ?? '');
  return Math.max(sprints.length, last(sprints) - last(before?.sprints));
}

function lines(goal: Row): readonly string[] {
  const time = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  const when = [
    ...(goal.created === undefined ? [] : [`since ${time(goal.created)}`]),
    ...(goal.ended === undefined ? [] : [`ended ${time(goal.ended)}`]),
  ];
  const facts = [
    `${goal.merged} of ${counted(goal.tasks, 'task')} merged`,
    counted(goal.sprints, 'sprint'),
    ...(goal.cost === undefined ? [] : [goal.cost]),
    goal.discoveries === 1 ? '1 discovery' : `${goal.discoveries} discoveries`,
    ...(goal.carried === 0 ? [] : [`${goal.carried} carried over`]),
    ...(goal.open_discoveries === 0 ? [] : [`${goal.open_discoveries} open`]),
    ...(goal.questions === 0 ? [] : [counted(goal.questions, 'question')]),
    ...(goal.open_questions === 0 ? [] : [`${goal.open_questions} unanswered`]),
    goal.anomalies === 1 ? '1 anomaly' : `${goal.anomalies} anomalies`,
  ];
  return [oneLine(`${goal.id}  ${goal.status}  ${goal.description}`), `  ${oneLine([...when, ...facts].join(', '))}`];
}
