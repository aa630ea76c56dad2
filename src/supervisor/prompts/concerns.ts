// What approvals said beside yes: concerns, and criteria that nothing but the reviewer's word shows. A planner is told
// of each until a session that was shown it has ended well; nobody is woken for it.

import { historyOf } from '../../protocol/leases.ts';
import type { Concern } from '../../protocol/review/approval.ts';
import { concernsOf, concernText, isFlagged, shownIn } from '../../protocol/review/approval-record.ts';
import { flakeText, redCommands } from '../../protocol/review/flake.ts';
import { proofAt } from '../../protocol/review/proof.ts';
import { shownText } from '../../protocol/review/shown-text.ts';
import { RAN_NO_TEST } from '../../protocol/review/test-count.ts';
import type { HistoryEvent, State, Task } from '../../protocol/state.ts';
import { gist, whole } from '../../text/format.ts';
import { quoteList } from './quote.ts';

interface Said {
  /** Kept among the wakes that a session handled. */
  readonly key: string;
  readonly lines: readonly string[];
}

export function newConcerns({ tasks, agents, goal }: State): readonly Said[] {
  const told = new Set(Object.values(agents).flatMap(({ handled }) => handled ?? []));
  const { created = '' } = goal;
  return tasks.flatMap((task) =>
    historyOf(task).flatMap((entry): readonly Said[] => {
      const key = `CONCERNS:${task.id}@${entry.time}`;
      if (entry.event !== 'approved' || entry.time < created || told.has(key)) return [];
      const lines = [
        ...concernsOf(entry).map((one) => `${task.id}: ${concernText(one)}`),
        ...shownIn(entry)
          .filter(isFlagged)
          .map((one) => `${task.id}, criterion ${one.n} (${whole(one.criterion)}): ${shownText(one)}`),
        ...idleIn(task, entry),
        ...flakyIn(task, entry),
      ];
      return lines.length === 0 ? [] : [{ key, lines }];
    }),
  );
}

/** Green commands of the approved commit that ran no test: whether they ever can is for who wrote them. */
const idleIn = (task: Task, { commit }: HistoryEvent): readonly string[] =>
  (proofAt(task, typeof commit === 'string' ? commit : undefined)?.runs ?? []).flatMap(({ ok, tests, command }) =>
    ok && tests === 0 ? [`${task.id}: \`${whole(command)}\` was green at the approved commit, and ${RAN_NO_TEST}`] : [],
  );

/** The planner wrote them, and they will hold up the next task, too. */
function flakyIn(task: Task, { commit }: HistoryEvent): readonly string[] {
  if (typeof commit !== 'string') return [];
  const flaky = [...new Set([...redCommands(task, commit), ...(proofAt(task, commit)?.tests?.flaky ?? [])])];
  return flaky.length === 0
    ? []
    : [`${task.id}: at the approved commit ${flakeText(flaky)}. A timing needs repeats and a margin`];
}

const MOST = 12;

export function concernLines(state: State): readonly string[] {
  const all = newConcerns(state).flatMap(({ lines }) => lines);
  if (all.length === 0) return [];
  const shown = all.slice(-MOST);
  const more = all.length - shown.length;
  return [
    'SAID IN APPROVALS (none of it blocked; put what matters into a task, new or amended; the rest needs nothing):',
    ...(more === 0 ? [] : [`(${more} older: ${SHOW})`]),
    ...quoteList(shown, 'liza show <task>'),
  ];
}

const SHOW = '`liza show <task>`';

const MOST_BEFORE = 6;
const LONGEST_BEFORE = 400;

/** What approvals of the work that a task builds on said beside yes, and those of any work that name the task; `told`: whose the reader has read already. */
export function concernsBefore({ tasks }: State, { id, depends_on = [] }: Task, told?: string): readonly string[] {
  const lines = tasks
    .filter((other) => other.id !== id && other.id !== told)
    .flatMap((other) =>
      historyOf(other)
        .filter(({ event }) => event === 'approved')
        .flatMap(concernsOf)
        .filter((one) => namesTask(one.text, id) || (depends_on.includes(other.id) && !isOfCommits(one)))
        .map((one) => `${other.id}: ${gist(concernText(one), LONGEST_BEFORE)}`),
    );
  if (lines.length === 0) return [];
  return [
    'CONCERNS OF EARLIER REVIEWS (they blocked nothing there; mind those that affect this task):',
    ...quoteList(lines.slice(-MOST_BEFORE), 'liza show <task>'),
  ];
}

/** How another task's commits came about is over with their merge. */
const isOfCommits = ({ file, text }: Concern): boolean =>
  file === undefined &&
  /\b(?:histor(?:y|ies)|commit messages?|(?:intermediate|extra|empty|later|earlier|two|three|several|its|the|its own) commits?|squash\w*|changed back|amend\w*)\b/i.test(
    text,
  );

/** As a word, for an id such as `sum` stands in other words. */
const namesTask = (text: string, id: string): boolean => text.split(/[^\w.-]+/).includes(id);
