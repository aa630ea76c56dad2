// Tasks of the goal that agents planned and then gave up: a goal that completes over them ended early, which a person is
// told. What a person gave up is a person's decision.

import { roleOfId } from '../board.ts';
import { historyOf } from '../leases.ts';
import type { State, Task } from '../state.ts';
import { isOfGoal } from './goal-tasks.ts';

export interface GivenUp {
  readonly task: Task;
  readonly by: string;
  readonly why: string;
}

export const givenUpByAgents = ({ goal, tasks }: State): readonly GivenUp[] =>
  tasks
    .filter((task) => task.status === 'ABANDONED' && isOfGoal(task, goal))
    .flatMap((task) => {
      const told = historyOf(task).findLast(({ event }) => event === 'abandoned');
      if (told?.agent === undefined || roleOfId(told.agent) === undefined) return [];
      const { agent: by, rationale } = told;
      return [{ task, by, why: typeof rationale === 'string' ? rationale : 'no reason is recorded' }];
    });
