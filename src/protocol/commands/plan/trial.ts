// The row by which a supervisor records how a task's own validation came out on the base, before anything was changed.

import { event, evolve, withTask } from '../../change.ts';
import type { Row } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { isFullCommit } from '../../ids.ts';
import { type TrialRun, trialCommands, trialOf } from '../../review/trial.ts';
import { same } from '../../values.ts';

export const recordTrial: Row<'record-trial'> = {
  name: 'record-trial',
  typed: 'run',
  syntax: 'run',
  summary: 'Record the result of a task’s validation on the base.',
  who: ['supervisor'],
  // Not where it would wake the planner as a change of the task.
  from: ['UNCLAIMED', 'CLAIMED', 'READY_FOR_REVIEW', 'REJECTED', 'APPROVED'],
  inner: true,
  // Tried again after integration moved, it came out as before.
  already: ({ task, command: { under, runs } }) => {
    const last = trialOf(task);
    return last !== undefined && last.under === under && same(outcomes(last.runs), outcomes(runs));
  },
  guards: [
    {
      name: 'commit',
      rule: 'it names the base that it was tried on',
      check: ({ command }) =>
        isFullCommit(command.commit)
          ? undefined
          : refuse('it names no commit', 'Nothing needs to be done: liza status'),
    },
    {
      name: 'what-changed',
      rule: 'the task still has the commands that were tried',
      check: ({ task, command }) =>
        same(command.commands, trialCommands(task))
          ? undefined
          : refuse(
              `the validation of ${task.id} was amended meanwhile`,
              `Nothing needs to be done, it is tried again: liza show ${task.id}`,
            ),
    },
  ],
  effects:
    'history validation_tried; a command that cannot be run (126, 127) wakes the planner while the task is UNCLAIMED or CLAIMED, and its coder is told',
  change: (s) => {
    const { task, command } = s;
    const { commit, commands, under, runs } = command;
    const told = event(s, 'validation_tried', { commit, commands, under, runs });
    return {
      state: withTask(s.state, evolve(task, {}, told)),
      detail: `the validation of ${task.id} on the base ${commit.slice(0, 12)}: ${outcomes(runs).join(', ').replaceAll('_', ' ')}`,
    };
  },
};

const outcomes = (runs: readonly TrialRun[]): readonly string[] => runs.map(({ is }) => is);
