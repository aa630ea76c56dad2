// The tasks as they move: one line each, grouped by state, the most urgent first (report/status-view.ts says which).

import type { StatusView, TaskView } from '../../report/status-view.ts';
import { type Line, type Page, type Span, STATUS_TONE } from '../render/layout.ts';
import { columns } from '../render/terminal.ts';
import { cell, widths } from './lines.ts';

export const taskRows = (status: StatusView): readonly TaskView[] => status.groups.flatMap(({ tasks }) => tasks);

export function countSpans(status: StatusView, p: Page): readonly Span[] {
  const room = p.width - columns('Tasks  ') - 2;
  const spans: Span[] = [{ text: '  ' }];
  let used = 2;
  for (const { status: name, count } of status.counts) {
    const dot = spans.length === 1 ? '' : p.dot;
    const text = `${count} ${name}`;
    used += columns(dot + text);
    if (used > room) break;
    spans.push({ text: dot, tone: 'faint' }, { text, tone: STATUS_TONE[name] });
  }
  return spans;
}

/** The state is named on the first line of its group. */
export function taskLines(tasks: readonly TaskView[], marked: string | undefined, p: Page): readonly Line[] {
  const wide = p.width >= 120;
  const cells = tasks.map((task) => [task.status, p.say(task.id), p.say(facts(task, wide).join(p.dot))]);
  const room = widths(cells, [18, wide ? 30 : 16, wide ? 52 : 26]);
  return tasks.map((task, at) => {
    const first = tasks[at - 1]?.status !== task.status;
    const mark = task.id === marked ? p.mark : '  ';
    const [, id = '', what = ''] = (cells[at] ?? []).map((text, i) => cell(text, room[i] ?? 0, p));
    const strong = task.id === marked ? 'strong' : undefined;
    return [
      { text: mark, tone: strong },
      { text: cell(first ? task.status : '', room[0] ?? 0, p), tone: STATUS_TONE[task.status] },
      { text: id, tone: strong },
      { text: what },
      { text: p.say(about(task)), tone: task.status === 'BLOCKED' ? 'warn' : 'faint' },
    ];
  });
}

/** A question would be cut here; it stands above, whole. */
const about = (task: TaskView): string => task.blockedReason ?? task.description;

/** Who has it and in which round; for one that waits, for whom. */
function facts(task: TaskView, wide: boolean): readonly string[] {
  const owner = task.owner === undefined ? [] : [task.owner];
  const iteration =
    task.iteration === 0 ? [] : [`${wide ? 'iteration' : 'it'} ${task.iteration}/${task.maxIterations}`];
  const cycles =
    task.reviewCycle === 0 ? [] : [`${wide ? 'review' : 'rev'} ${task.reviewCycle}/${task.maxReviewCycles}`];
  const paused = task.paused ? ['paused'] : [];
  switch (task.status) {
    case 'CLAIMED':
    case 'REJECTED':
    case 'BLOCKED':
    case 'INTEGRATION_FAILED':
      return [...paused, ...owner, ...iteration, ...cycles];
    case 'READY_FOR_REVIEW':
      return [...paused, task.reviewer ?? 'no reviewer yet', ...cycles];
    case 'UNCLAIMED':
    case 'DRAFT':
      return [
        ...paused,
        ...(task.waits.length === 0 ? [] : [`waits for ${task.waits.map(({ id }) => id).join(', ')}`]),
      ];
    case 'APPROVED':
    case 'MERGED':
    case 'SUPERSEDED':
    case 'ABANDONED':
      return owner;
    default:
      return task.status satisfies never;
  }
}
