// The rows about the reviewer's copy: where it is and which tree it held, and that it was changed when the session was
// over. A verdict is refused when its reviewer edited the copy.

import { event, evolve, withTask } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { isFullCommit } from '../../ids.ts';
import { historyOf } from '../../leases.ts';
import type { Task } from '../../state.ts';
import { list } from '../words.ts';

export interface ReviewCopy {
  /** The path from the project's root. */
  readonly folder: string;
  /** The git tree of its tracked files. */
  readonly tree: string;
  /** The folder to try things in. */
  readonly tryout?: string;
}

/** The copy of the current review; a person who reviews by hand has none. */
export function reviewCopyOf(task: Task): ReviewCopy | undefined {
  const history = historyOf(task);
  const claimed = history.findLastIndex((entry) => entry.event === 'review_claimed');
  const made = history.slice(claimed + 1).findLast((entry) => entry.event === 'review_copy');
  if (typeof made?.folder !== 'string' || typeof made.tree !== 'string') return undefined;
  const { folder, tree, tryout } = made;
  return { folder, tree, ...(typeof tryout === 'string' ? { tryout } : {}) };
}

export const reviewCopy: Row<'review-copy'> = {
  name: 'review-copy',
  typed: 'claim-review',
  syntax: 'claim-review {task} <agent>',
  summary: 'Record the copy that a reviewer was given.',
  who: ['supervisor'],
  from: ['READY_FOR_REVIEW'],
  inner: true,
  guards: [
    {
      name: 'own-review',
      rule: 'its own agent holds the review',
      check: (s) => (s.actor.id === undefined || s.task.reviewing_by === s.actor.id ? undefined : notIts(s)),
    },
    {
      name: 'tree',
      rule: 'the tree is named',
      check: ({ task, command, commandLine }) =>
        isFullCommit(command.tree)
          ? undefined
          : refuse('the copy has no tree', `Make it again: ${commandLine('claim-review', task.id)}`),
    },
  ],
  effects: 'history review_copy; the verdict is checked against it',
  change: (s) => {
    const { task, command } = s;
    const told = event(s, 'review_copy', {
      folder: command.folder,
      tree: command.tree,
      tryout: command.tryout,
    });
    return {
      state: withTask(s.state, evolve(task, {}, told)),
      detail: `${s.actor.id ?? task.reviewing_by} reviews ${task.id} in ${command.folder}`,
    };
  },
};

const notIts = ({ task, actor }: Situation<'review-copy'>): Refusal =>
  refuse(
    `${task.id} is reviewed by ${task.reviewing_by ?? 'nobody'}, not by ${actor.id}`,
    'Take another review: liza status',
  );

export const reviewChanged: Row<'review-changed'> = {
  name: 'review-changed',
  typed: 'claim-review',
  syntax: 'claim-review {task} <agent>',
  summary: 'Record that a reviewer changed what it was reviewing.',
  who: ['supervisor'],
  from: ['READY_FOR_REVIEW', 'REJECTED', 'APPROVED', 'BLOCKED', 'CLAIMED'],
  inner: true,
  guards: [],
  effects: 'history review_changed with the paths; the submitted commit is unchanged',
  change: (s) => {
    const { task, command } = s;
    const told = event(s, 'review_changed', { by: command.agent, paths: command.paths.slice(0, 20) });
    return {
      state: withTask(s.state, evolve(task, {}, told)),
      detail: `${command.agent} changed files of its copy of ${task.id}: ${list(command.paths)}`,
    };
  },
};
