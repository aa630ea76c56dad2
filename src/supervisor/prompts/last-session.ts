// What the session before left: how it ended, what it was refused, what it had done and what it had not. Told to the
// next one on the same work, whoever that is; one that ended as it should leaves nothing to tell.

import { roleOfId } from '../../protocol/board.ts';
import { openPlan } from '../../protocol/goal/plan.ts';
import { historyOf, iterationEvents } from '../../protocol/leases.ts';
import type { Interrupted, State, Task } from '../../protocol/state.ts';
import { listed } from '../../text/format.ts';
import type { PromptContext } from './prompt.ts';
import { inline, quoteList } from './quote.ts';
import { type Section, section } from './sections.ts';
import { showTask } from './task-fields.ts';

interface Left extends Interrupted {
  readonly agent: string;
}

/** The last session of the role on this task, where it ended before its part of the work did. */
export function lastOnTask({ agent, role, board }: PromptContext, task: Task, resumed: boolean): Section {
  const mine = task.sessions?.findLast((one) => roleOfId(one.agent) === role && one.sandbox !== 'not-started');
  if (mine?.how === undefined || mine.since < openedAt(task, role)) {
    return section('LAST SESSION', takenOver(board.state, agent));
  }
  const { how, refused = [] } = mine;
  return section('LAST SESSION', [
    endLine({ ...mine, how }, agent),
    // A session that goes on remembers what it was refused.
    ...(resumed ? [] : refusedLines(refused, showTask(task))),
  ]);
}

const NONE: Section = section('LAST SESSION', []);

/** Where the reader's very last session was on a task that another coder has taken over since. */
function takenOver({ tasks }: State, agent: string): readonly string[] {
  const own = tasks.flatMap((task) =>
    (task.sessions ?? []).filter((one) => one.agent === agent).map((one) => ({ task, ...one })),
  );
  const last = own.sort((a, b) => (a.since < b.since ? -1 : 1)).at(-1);
  if (last === undefined) return [];
  const { task, since, ended, how } = last;
  const lost = historyOf(task).findLast(
    ({ event, from, time }) => event === 'reassigned' && from === agent && time >= since,
  );
  if (typeof lost?.agent !== 'string') return [];
  return [
    `Yours on ${task.id}, from ${since} to ${ended ?? 'its end'}: ${inline(endedText(how ?? 'it ended')).slice(0, 300)}`,
    `${inline(lost.agent)} continues ${task.id} ${lost['continued'] === true ? 'from your work' : 'from the start'} (now ${task.status}); you need not do anything for it: \`${showTask(task)}\``,
  ];
}

/** When this part of the work began: the iteration, or the submission under review. */
function openedAt(task: Task, role: PromptContext['role']): string {
  if (role === 'coder') return iterationEvents(task)[0]?.time ?? '';
  return historyOf(task).findLast(({ event }) => event === 'submitted')?.time ?? '';
}

/** The last planner's session, where it did not end well: its wakes are open still. */
export function lastPlanning({ board, agent }: PromptContext): Section {
  const left = Object.entries(board.state.agents)
    .flatMap(([id, { role, interrupted }]): Left[] =>
      role === 'planner' && interrupted !== undefined ? [{ ...interrupted, agent: id }] : [],
    )
    .sort((a, b) => (a.ended < b.ended ? -1 : 1))
    .at(-1);
  if (left === undefined) return NONE;
  return section('LAST SESSION', [
    endLine(left, agent),
    ...doneLines(board.state, left),
    ...unfinished(board.state),
    ...refusedLines(left.refused ?? [], 'liza log'),
    'Continue from there; do not repeat what is on the board.',
  ]);
}

function endLine({ agent, since, ended, how }: Left, reader: string): string {
  const whose = agent === reader ? 'Yours' : `Of ${agent}`;
  return `${whose}, from ${since} to ${ended}: ${inline(endedText(how)).slice(0, 300)}`;
}

/** The code of a process is no word of its agent's. */
const endedText = (how: string): string =>
  how.replace(/^exit (\d+)(?=,| after |$)/, (_all, code: string) =>
    /^exit \d+, (?:"|declared )/.test(how)
      ? `its process ended with ${code}`
      : `its process ended with ${code}, and it had declared no end`,
  );

const refusedLines = (refused: readonly string[], rest: string): readonly string[] =>
  refused.length === 0 ? [] : ['IT WAS REFUSED:', ...quoteList(refused, rest)];

const MOST = 12;

/** What it changed on the board: by task, then what belongs to no task. */
function doneLines({ tasks, questions = [], goal, sprint }: State, { agent, since, ended }: Left): readonly string[] {
  const during = (time: string | undefined): boolean => time !== undefined && time >= since && time <= ended;
  const onTasks = tasks.flatMap((task) => {
    const events = historyOf(task).filter((one) => one.agent === agent && during(one.time));
    return events.length === 0 ? [] : [`${task.id} (${[...new Set(events.map(({ event }) => event))].join(', ')})`];
  });
  const onQuestions = questions.flatMap((one) => {
    const asked = one.asked_by === agent && during(one.created) ? ['asked'] : [];
    const closed = one.closed_by === agent && during(one.closed_at) ? [one.status] : [];
    return asked.length + closed.length === 0 ? [] : [`${one.id} (${[...asked, ...closed].join(', ')})`];
  });
  const done = [
    ...onTasks,
    ...onQuestions,
    ...(during(sprint.scope.closed_at) ? ['the plan (done)'] : []),
    ...(goal.handoff?.agent === agent && during(goal.handoff.timestamp) ? ['a handoff'] : []),
  ];
  return done.length === 0 ? ['IT CHANGED: nothing'] : [`IT CHANGED: ${listed(done, MOST)}`];
}

function unfinished(state: State): readonly string[] {
  const plan = openPlan(state);
  if (plan === undefined) return [];
  const drafts = plan.drafts.length === 0 ? '' : `${listed(plan.drafts, MOST)} still DRAFT; `;
  return [`LEFT OPEN: ${drafts}\`liza plan done\` was not run`];
}
