// The rows of the merge queue besides those of `wt merge`: what a test of a candidate showed, and what a person says about
// the order. A task's own hold is `pause` and `resume`; one that is taken out has failed to integrate.

import { iso } from '../../../text/time.ts';
import { actorName, LIZA } from '../../board.ts';
import { patch, withTask } from '../../change.ts';
import type { Row } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { checkCommits } from '../../ids.ts';
import { announcedOf, ended, headOfBatch, placeOf, ran, ranAlone, ranBeneath } from '../../queue/batch.ts';
import {
  aheadAt,
  begunAhead,
  begunBeside,
  ranAhead,
  ranBeside,
  tipOf,
  withoutAhead,
  withoutBeside,
} from '../../queue/lanes.ts';
import { queueOf } from '../../queue/order.ts';
import { defined } from '../../values.ts';
import { baseOf, beginningOf, chained, sessionOver, withoutAnnouncements, withQueue } from './batch.ts';

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
      rule: 'exactly this candidate was announced, in the batch that is under way, or it is the branch beneath it',
      check: ({ state, task, command, commandLine }) => {
        const { batch } = queueOf(state);
        const entry = batch?.entries[(placeOf(batch, task.id) ?? 0) - 1];
        const tested = batch !== undefined && command.beneath === true ? headOfBatch(batch) : entry?.candidate;
        const is = entry !== undefined && (command.alone === true || tested === command.candidate);
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
    const { candidate, red, alone, beneath, onto, reason, log, output, by, seconds } = command;
    const upto = placeOf(queueOf(state).batch, task.id) ?? 0;
    const what = alone === true ? `${task.id} alone` : beneath === true ? `without ${task.id}` : `up to ${task.id}`;
    const run = { red, time: iso(now), ...defined({ reason, log, output, by, seconds }) };
    return {
      state: withQueue(state, (queue) => {
        if (alone === true) return ranAlone(queue, { candidate, red, ...defined({ log, onto }) });
        return beneath === true ? ranBeneath(queue, run) : ran(queue, { ...run, upto });
      }),
      detail: `${red ? 'red' : 'green'}: ${candidate.slice(0, 12)}, ${what}`,
    };
  },
};

export const mergeAhead: Row<'merge-ahead'> = {
  name: 'merge-ahead',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Record that the next batch is tested on top of the one under way or beside it, or what that showed.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  inner: true,
  irreversible: true,
  guards: [
    {
      name: 'session-over',
      rule: 'every session in which it, or one of its batch, was approved is over, or its supervisor is gone',
      check: (s) => (s.command.run === undefined ? sessionOver(s) : undefined),
    },
    {
      name: 'commits',
      rule: 'candidate and onto are full commit ids',
      check: ({ command }) => checkCommits(command.candidate, command.onto),
    },
    {
      name: 'chain',
      rule: 'those of its batch are approved, none is paused, and each candidate is built on the one before',
      check: chained,
    },
    {
      name: 'announced',
      rule: 'the first is built on the last of those that are tested, none of which was red, and merge_lanes has room; or, beside a batch, on the branch; or its test had begun',
      check: ({ state, settings, command }) => {
        const { candidate, run, beside } = command;
        const queue = queueOf(state);
        const { batch } = queue;
        const free = beside === true ? batch && headOfBatch(batch) : tipOf(queue, settings.merge_lanes);
        const begun = beside === true ? batch?.beside : aheadAt(queue, candidate);
        const isBegun = begun?.entries.at(-1)?.candidate === candidate && begun.run === undefined;
        const is = run === undefined ? free === baseOf(command) && !(beside === true && begun !== undefined) : isBegun;
        return is
          ? undefined
          : refuse(
              `${candidate} is not tested ${beside === true ? 'beside' : 'on top of'} the batch that is under way`,
              'Run it again',
            );
      },
    },
  ],
  effects:
    'a batch in goal.queue.ahead, or beside the one in goal.queue.batch, or its run there; the status stays, and nothing is announced to land',
  change: ({ state, task, command, now }) => {
    const { candidate, run, before = [], beside } = command;
    const beginning = beginningOf(state, command, iso(now));
    const named = [...before.map((one) => one.task), task.id].join(', ');
    const how = beside === true ? 'beside' : 'ahead';
    if (run === undefined)
      return {
        state: withQueue(state, (queue) => (beside === true ? begunBeside : begunAhead)(queue, beginning)),
        detail: `${named} tested ${how} as ${candidate.slice(0, 12)}, on top of ${beginning.base.slice(0, 12)}`,
      };
    const told = { upto: beginning.entries.length, time: iso(now), ...defined(run) };
    return {
      state: withQueue(state, (queue) => (beside === true ? ranBeside(queue, told) : ranAhead(queue, candidate, told))),
      detail: `${run.red ? 'red' : 'green'}: ${candidate.slice(0, 12)}, ${how}, up to ${task.id}`,
    };
  },
};

export const queueHold: Row<'queue hold'> = {
  name: 'queue hold',
  syntax: 'queue hold',
  summary: 'Let nothing land until the queue is released.',
  who: ['human', 'supervisor'],
  from: 'board',
  already: ({ state, command }) => command.red === undefined && queueOf(state).held !== undefined,
  guards: [],
  effects:
    'goal.queue.held {by, since, reason}; a batch that is under way ends after its test, and goes on later; where the branch itself is red, what was seen of the batch is forgotten',
  change: ({ state, actor, command, now }) => {
    const isRed = command.red !== undefined;
    const { batch } = queueOf(state);
    const [open] = batch === undefined ? [] : announcedOf(batch);
    // Nobody goes on with it: nothing of it stays announced.
    const free = isRed && open !== undefined ? withoutAnnouncements(state, open.task) : state;
    const by = isRed || command.unable === true ? LIZA : actorName(actor);
    const held = { by, since: iso(now), ...defined({ reason: command.reason }) };
    return {
      state: withQueue(free, (queue) => ({ ...(isRed ? ended(queue, iso(now)) : queue), held })),
      detail: 'the merge queue is held',
    };
  },
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
      // Neither those behind a culprit go before it, nor those that are tested ahead.
      (queue) => {
        const { rest: _, rest_judge: _judge, ...others } = withoutBeside(withoutAhead(queue));
        return others;
      },
    ),
    detail: `${task.id} is merged first`,
  }),
};
