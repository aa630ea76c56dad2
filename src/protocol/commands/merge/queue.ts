// The rows of the merge queue besides those of `wt merge`: what a test of a candidate showed, and what a person says about
// the order. A task's own hold is `pause` and `resume`; one that is taken out has failed to integrate.

import { iso } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { patch, withTask } from '../../change.ts';
import type { Row } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { checkCommits } from '../../ids.ts';
import { placeOf, ran, ranAlone } from '../../queue/batch.ts';
import { queueOf } from '../../queue/order.ts';
import { defined } from '../../values.ts';
import { withQueue } from './batch.ts';

export const mergeRun: Row<'merge-run'> = {
  name: 'merge-run',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Record what a test of a merge candidate showed.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  inner: true,
  irreversible: true,
  guards: [
    {
      name: 'commits',
      rule: 'the candidate is a full commit id',
      check: ({ command }) => checkCommits(command.candidate),
    },
    {
      name: 'announced',
      rule: 'exactly this candidate was announced, in the batch that is under way',
      check: ({ state, task, command, commandLine }) => {
        const { batch } = queueOf(state);
        const place = placeOf(batch, task.id);
        const entry = batch?.entries[(place ?? 0) - 1];
        const is = entry !== undefined && (command.alone === true || entry.candidate === command.candidate);
        if (is && task.merging !== undefined) return undefined;
        return refuse(
          `no merge of it at ${command.candidate} is under way`,
          `Merge it: ${commandLine('merge', task.id)}`,
        );
      },
    },
  ],
  effects: 'a run in goal.queue.batch; the status stays',
  change: ({ state, task, command, now }) => {
    const { candidate, red, alone, reason, log, output } = command;
    const upto = placeOf(queueOf(state).batch, task.id) ?? 0;
    const what = `${candidate.slice(0, 12)}, ${alone === true ? `${task.id} alone` : `up to ${task.id}`}`;
    return {
      state: withQueue(state, (queue) =>
        alone === true
          ? ranAlone(queue, { candidate, red, ...defined({ log }) })
          : ran(queue, { upto, red, time: iso(now), ...defined({ reason, log, output }) }),
      ),
      detail: `${red ? 'red' : 'green'}: ${what}`,
    };
  },
};

export const queueHold: Row<'queue hold'> = {
  name: 'queue hold',
  syntax: 'queue hold',
  summary: 'Let nothing land until the queue is released.',
  who: ['human'],
  from: 'board',
  already: ({ state }) => queueOf(state).held !== undefined,
  guards: [],
  effects: 'goal.queue.held {by, since, reason}; a batch that is under way ends after its test, and goes on later',
  change: ({ state, actor, command, now }) => ({
    state: withQueue(state, (queue) => ({
      ...queue,
      held: { by: actorName(actor), since: iso(now), ...defined({ reason: command.reason }) },
    })),
    detail: 'the merge queue is held',
  }),
};

export const queueRelease: Row<'queue release'> = {
  name: 'queue release',
  syntax: 'queue release',
  summary: 'Let approved tasks land again.',
  who: ['human'],
  from: 'board',
  already: ({ state }) => queueOf(state).held === undefined,
  guards: [],
  effects: 'goal.queue.held goes',
  change: ({ state }) => ({
    state: withQueue(state, ({ held: _, ...queue }) => queue),
    detail: 'the merge queue goes on',
  }),
};

export const queueFirst: Row<'queue first'> = {
  name: 'queue first',
  syntax: 'queue first {task}',
  summary: 'Put an approved task before all others that wait to be merged.',
  who: ['human'],
  from: ['APPROVED'],
  inner: true,
  guards: [],
  effects: 'merge_first; the next batch begins with it',
  change: ({ state, task, now }) => ({
    state: withQueue(
      withTask(state, patch(task, { merge_first: iso(now) })),
      // Those behind a culprit no longer go before it.
      ({ rest: _, ...queue }) => queue,
    ),
    detail: `${task.id} is merged first`,
  }),
};
