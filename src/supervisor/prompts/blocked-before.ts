// Why the task was stopped before this coder got it, in the words of who stopped it: the reason, what was asked, what had
// been tried, and what the one said who gave it back. A task that replaces others is told why they went, and where their
// work is, by names that resolve in its own folder.

import { findTask } from '../../protocol/find.ts';
import type { HistoryEvent, State, Task } from '../../protocol/state.ts';
import { blockBefore } from '../../protocol/work/block-before.ts';
import { takePath } from '../../protocol/work/kept-work.ts';
import { gist } from '../../text/format.ts';
import type { CoderWork } from './prompt.ts';
import { field, inline, quoteList } from './quote.ts';
import { showTask } from './task-fields.ts';

const LONGEST = 1500;

export function blockedBefore(task: Task): readonly string[] {
  const found = blockBefore(task);
  if (found === undefined) return [];
  const { block, unblocked } = found;
  const who = block.agent === task.assigned_to ? 'you' : block.event === 'limit' ? 'a limit' : nameOf(block);
  // A person's answer is among ANSWERS.
  const assessment = unblocked.answered_by_person === true ? [] : textsOf(unblocked.assessment);
  const told = [
    ...textsOf(block.reason).map((text) => `because: ${gist(text, LONGEST)}`),
    // What a limit asks is the planner's to answer.
    ...textsOf(block.event === 'limit' ? [] : block.questions).map((text) => `asked: ${gist(text, LONGEST)}`),
    ...textsOf(block.attempted).map((text) => `tried: ${gist(text, LONGEST)}`),
    ...textsOf(unblocked.withdraw).map(
      (text) => `${nameOf(unblocked)} gave no answer, because: ${gist(text, LONGEST)}`,
    ),
    ...assessment.map((text) => `${nameOf(unblocked)} said: ${gist(text, LONGEST)}`),
  ];
  return [
    `BLOCKED BEFORE by ${who} at ${block.time}, unblocked by ${nameOf(unblocked)} at ${unblocked.time} (answers are in ANSWERS, changes in the fields above):`,
    ...quoteList(told, showTask(task)),
  ];
}

const nameOf = ({ agent }: HistoryEvent): string => inline(agent ?? 'somebody').slice(0, 80);

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one.trim() !== '');

const MOST = 3;

/** What this task stands in for. */
export function replaced(state: State, { task, replaced: kept = [] }: CoderWork): readonly string[] {
  const base = (task.base_commit ?? 'HEAD').slice(0, 12);
  return (task.supersedes ?? []).slice(0, MOST).flatMap((id) => {
    const work = kept.find((one) => one.task === id);
    const where =
      work === undefined
        ? ''
        : `; its work is kept: \`git log --stat ${work.commit}\`, \`git diff ${base}...${work.commit}\`; take what is good: \`${takePath(base, work.commit)}\``;
    const why = findTask(state, id)?.rescope_reason;
    const head = `THIS TASK REPLACES ${id} (\`liza show ${id}\`)${where}.`;
    return why === undefined
      ? [head]
      : [head, ...field(`WHY ${id} WENT`, gist(why, LONGEST), `liza show ${id} --json`)];
  });
}
