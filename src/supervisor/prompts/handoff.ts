// What an earlier session left for this one: a coder's notes for the coder, a reviewer's for the reviewer, a planner's
// for the planner. Notes are kept for the record; once the work they are about was handed on, they are behind it.

import { roleOfId } from '../../protocol/board.ts';
import { historyOf } from '../../protocol/leases.ts';
import type { Handoff, Task } from '../../protocol/state.ts';
import { outdatedHandoff } from './former-work.ts';
import type { PromptContext } from './prompt.ts';
import { field, pathList, quoteList } from './quote.ts';
import { type Section, section } from './sections.ts';
import { showTask } from './task-fields.ts';

const NONE: Section = section('HANDOFF', []);

export function handedOff(context: PromptContext, task: Task): Section {
  const left = context.board.state.handoff[task.id];
  if (left === undefined || roleOfId(left.agent) !== context.role || isBehind(context, task)) return NONE;
  const [from, ...rest] = notes(context, left, showTask(task));
  return section('HANDOFF', [from ?? '', ...(context.role === 'coder' ? outdatedHandoff(task) : []), ...rest]);
}

export function handedOffPlan(context: PromptContext): Section {
  const left = context.board.state.goal.handoff;
  return left === undefined ? NONE : section('HANDOFF', notes(context, left, 'liza lock read'));
}

/** A coder's work was submitted, or a reviewer's judged, since. */
function isBehind({ role }: PromptContext, task: Task): boolean {
  const history = historyOf(task);
  const ends = role === 'coder' ? ['submitted'] : ['submitted', 'approved', 'rejected'];
  const left = history.findLastIndex(({ event, agent }) => event === 'handoff' && roleOfId(agent ?? '') === role);
  return history.findLastIndex(({ event }) => ends.includes(event)) > left;
}

function notes({ agent }: PromptContext, left: Handoff, rest: string): readonly string[] {
  const full = left.context_percent === undefined ? '' : `, its context ${Math.round(left.context_percent)} % used`;
  return [
    `FROM: ${left.agent === agent ? 'an earlier session of yours' : left.agent}, ${left.timestamp}${full}`,
    ...field('SUMMARY', left.summary, rest),
    ...field('NEXT ACTION', left.next_action, rest),
    ...(left.approach === undefined ? [] : field('APPROACH', left.approach, rest)),
    ...(left.blockers === undefined ? [] : field('BLOCKERS', left.blockers, rest)),
    ...(left.findings === undefined ? [] : ['FOUND SO FAR (check each):', ...quoteList(left.findings, rest)]),
    ...(left.files_modified === undefined ? [] : [`FILES: ${pathList(left.files_modified)}`]),
    ...(left.commits === undefined ? [] : ['COMMITS, newest first:', ...quoteList(left.commits.slice(0, MOST), rest)]),
    ...(left.uncommitted === undefined ? [] : [`NOT COMMITTED THEN: ${pathList(left.uncommitted)}`]),
    ...(left.next_steps === undefined ? [] : ['NEXT STEPS:', ...quoteList(left.next_steps, rest)]),
  ];
}

const MOST = 10;
