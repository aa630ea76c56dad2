// The rows of the merge queue besides those of `wt merge`: what a test of a candidate showed, and what a person says about
// the order. A task's own hold is `pause` and `resume`; one that is taken out has failed to integrate.

import { type Instant, iso } from '../../../text/time.ts';
import { actorName, LIZA } from '../../board.ts';
import { patch, withTask } from '../../change.ts';
import type { CommandOf } from '../../command.ts';
import type { Row } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { findTask } from '../../find.ts';
import { checkCommits } from '../../ids.ts';
import { announcedOf, ended, headOfBatch, interrupted, placeOf, ran, ranAlone, ranBeneath } from '../../queue/batch.ts';
import { aheadAt, begunAhead, ranAhead, tipOf, withoutAhead } from '../../queue/lanes.ts';
import { queueOf } from '../../queue/order.ts';
import type { Queue } from '../../queue/shape.ts';
import { begunBeside, ranBeside, turned } from '../../queue/suspect.ts';
import type { Settings, State } from '../../state.ts';
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
      rule: 'exactly this candidate was announced, or it is the branch beneath it',
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
    const seen = withQueue(state, (queue) => {
      if (alone === true) return ranAlone(queue, { candidate, red, ...defined({ log, onto }) });
      return beneath === true ? ranBeneath(queue, run) : ran(queue, { ...run, upto });
    });
    return {
      state: beneath === true ? othersFirst(seen, now) : seen,
      detail: `${red ? 'red' : 'green'}: ${candidate.slice(0, 12)}, ${what}`,
    };
  },
};

/** They land in another order than was announced. */
function othersFirst(state: State, now: Instant): State {
  const { batch } = queueOf(state);
  const after = turned(queueOf(state), iso(now));
  const [suspect] = batch === undefined ? [] : announcedOf(batch);
  if (after === queueOf(state) || suspect === undefined) return state;
  return withQueue(withoutAnnouncements(state, suspect.task), () => after);
}

export const mergeAhead: Row<'merge-ahead'> = {
  name: 'merge-ahead',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Record a test on top of the batch under way or beside it, or what it showed.',
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
      rule: 'those of its batch are approved, none is paused, and each candidate is built of what is approved, on the one before',
      check: chained,
    },
    {
      name: 'announced',
      rule: 'the first is built on the last that is tested, none is red, and merge_lanes has room; or, beside a batch, on the branch; or its test had begun',
      check: ({ state, settings, command }) => {
        const queue = queueOf(state);
        const is = command.run === undefined ? mayBegin(queue, command, settings) : isBegun(queue, command);
        if (is) return undefined;
        const where = command.beside === true ? 'beside' : 'on top of';
        return refuse(`${command.candidate} is not tested ${where} the batch under way`, 'Run it again');
      },
    },
  ],
  effects:
    'a batch in goal.queue.ahead, or beside goal.queue.batch, or its run; green beside it where the branch is red, they are the batch; the status stays',
  change: ({ state, task, command, now }) => {
    const { candidate, run, before = [], beside, brings } = command;
    const beginning = beginningOf(state, command, iso(now));
    const named = [...before.map((one) => one.task), task.id].join(', ');
    const how = beside === true ? 'beside' : 'ahead';
    if (run === undefined)
      return {
        state: withQueue(state, (queue) =>
          beside === true ? begunBeside(queue, { ...beginning, ...defined({ brings }) }) : begunAhead(queue, beginning),
        ),
        detail: `${named} tested ${how} as ${candidate.slice(0, 12)}, on top of ${beginning.base.slice(0, 12)}`,
      };
    const told = { upto: beginning.entries.length, time: iso(now), ...defined(run) };
    const seen = withQueue(state, (queue) =>
      beside === true ? ranBeside(queue, told) : ranAhead(queue, candidate, told),
    );
    return {
      state: beside === true ? othersFirst(seen, now) : seen,
      detail: `${run.red ? 'red' : 'green'}: ${candidate.slice(0, 12)}, ${how}, up to ${task.id}`,
    };
  },
};

type Ahead = CommandOf<'merge-ahead'>;

function mayBegin(queue: Queue, command: Ahead, settings: Settings): boolean {
  const { batch } = queue;
  const onto = baseOf(command);
  if (command.beside !== true) return tipOf(queue, settings.merge_lanes) === onto;
  return batch !== undefined && headOfBatch(batch) === onto;
}

function isBegun(queue: Queue, { candidate, beside }: Ahead): boolean {
  const begun = beside === true ? queue.batch?.beside : aheadAt(queue, candidate);
  return begun?.entries.at(-1)?.candidate === candidate && begun.run === undefined;
}

export const queueHold: Row<'queue hold'> = {
  name: 'queue hold',
  syntax: 'queue hold',
  summary: 'Let nothing land until the queue is released.',
  who: ['human', 'supervisor'],
  from: 'board',
  already: ({ state, command, actor }) => {
    const { held } = queueOf(state);
    if (held === undefined || isFound(command)) return false;
    return held.by === actorName(actor) && (command.reason === undefined || held.reason === command.reason);
  },
  guards: [],
  effects: 'goal.queue.held {by, since, reason}; a batch ends after its test; where the branch is red, it is forgotten',
  change: ({ state, actor, command, now }) => {
    const isRed = command.red !== undefined;
    const { batch } = queueOf(state);
    const [open] = batch === undefined ? [] : announcedOf(batch);
    // Nobody goes on with it: nothing of it stays announced.
    const free = isRed && open !== undefined ? withoutAnnouncements(state, open.task) : state;
    const held = heldNow(queueOf(state).held, {
      by: isFound(command) ? LIZA : actorName(actor),
      since: iso(now),
      ...defined({ reason: command.reason }),
    });
    return {
      state: withQueue(free, (queue) => ({
        ...(isRed ? ended(interrupted(queue), iso(now)) : interrupted(queue)),
        held,
      })),
      detail: 'the merge queue is held',
    };
  },
};

const isFound = ({ red, unable }: Pick<CommandOf<'queue hold'>, 'red' | 'unable'>): boolean =>
  red !== undefined || unable === true;

type Held = NonNullable<Queue['held']>;

/** A person's word stands beside what Liza found: whoever releases it reads both. */
function heldNow(before: Held | undefined, now: Held): Held {
  const person = [now, before].find((one) => one !== undefined && one.by !== LIZA);
  const found = now.by === LIZA ? now.reason : before?.by === LIZA ? before.reason : before?.found;
  return person === undefined ? now : { ...person, ...defined({ found }) };
}

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
    // No test has begun since.
    state: withQueue(state, ({ held: _, ...queue }) => interrupted(queue, false)),
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
      // Neither those behind a culprit go before it, nor those that are tested ahead, nor a batch that nobody has begun.
      (before) => {
        const isBegun = before.batch?.entries.some(({ task: id }) => findTask(state, id)?.merging !== undefined);
        const { rest: _, ...others } = interrupted(isBegun ? withoutAhead(before) : ended(before, iso(now)));
        return others;
      },
    ),
    detail: `${task.id} is merged first`,
  }),
};
