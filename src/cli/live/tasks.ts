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
  const abouts = tasks.map((task) => p.say(saidOf(task)));
  const about = Math.max(0, ...abouts.map(columns));
  const room = roomFor(cells, [18, wide ? LONG_ID : 16, wide ? 52 : 26], { width: p.width, about });
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
      { text: abouts[at] ?? '', tone: task.status === 'BLOCKED' ? 'warn' : 'faint' },
    ];
  });
}

/** What a description keeps when the facts beside it need some more columns than usual. */
const LEAST_ABOUT = 16;
/** Who has it, in which iteration and in which round of reviews. */
const ROUND = 34;
/** A longer id would push the others' rows out of sight. */
const LONG_ID = 30;

/** Facts, then ids, grow beyond their caps into what the longest description leaves free. */
function roomFor(
  cells: readonly (readonly string[])[],
  caps: readonly number[],
  { width, about }: { readonly width: number; readonly about: number },
): readonly number[] {
  const room = [...widths(cells, caps)];
  const whole = widths(
    cells,
    caps.map(() => width),
  );
  const grow = (at: 1 | 2, kept: number, most = width): void => {
    const used = room.reduce((sum, one) => sum + (one === 0 ? 0 : one + 2), 2);
    const [now = 0, wanted = 0] = [room[at], whole[at]];
    room[at] = now + Math.max(0, Math.min(width - used - kept, Math.min(wanted, most) - now));
  };
  grow(2, Math.min(LEAST_ABOUT, about), ROUND);
  grow(2, about);
  grow(1, about, LONG_ID);
  return room;
}

/** A question would be cut here; it stands above, whole. */
const saidOf = (task: TaskView): string => task.blockedReason ?? task.description;

/** Who has it and in which round; for one that waits, for whom. */
function facts(task: TaskView, wide: boolean): readonly string[] {
  const owner = task.owner === undefined ? [] : [task.owner];
  const iteration =
    task.iteration === 0 ? [] : [`${wide ? 'iteration' : 'it'} ${task.iteration}/${task.maxIterations}`];
  const cycles =
    task.reviewCycle === 0 ? [] : [`${wide ? 'rejected' : 'rej'} ${task.reviewCycle}/${task.maxReviewCycles}`];
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
    case 'DRAFT': {
      // Also after an answer, which only frees it: a coder that is at work ends that first.
      const free = task.status === 'UNCLAIMED' && !task.paused ? ['no coder yet'] : [];
      return [
        ...paused,
        ...(task.waits.length === 0 ? free : [`waits for ${task.waits.map(({ id }) => id).join(', ')}`]),
      ];
    }
    case 'APPROVED':
    case 'MERGED':
    case 'SUPERSEDED':
    case 'ABANDONED':
      return owner;
    default:
      return task.status satisfies never;
  }
}
