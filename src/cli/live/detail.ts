// One task opened on the board: enough to understand its state, and where to read the rest.

import { historyOf } from '../../protocol/leases.ts';
import { type HistoryEvent, settings, type Task } from '../../protocol/state.ts';
import { setupFailureOf, setupFailures, setupFailureText } from '../../protocol/work/setup-failures.ts';
import { taskView } from '../../report/status-view.ts';
import type { CrewView } from '../../supervisor/crew-view.ts';
import { counted } from '../../text/format.ts';
import { instant } from '../../text/time.ts';
import { eventWords, whoDid } from '../render/event-words.ts';
import { type Line, type Page, STATUS_TONE } from '../render/layout.ts';
import { columns, pad } from '../render/terminal.ts';
import { clock, coarse } from './format.ts';
import type { LiveLook } from './screen.ts';

const LABEL = 11;
const MOST_EVENTS = 12;

export function detailLines(view: CrewView, id: string, p: Page, look: LiveLook): readonly Line[] {
  const task = view.board.state.tasks.find((one) => one.id === id);
  if (task === undefined) return [[{ text: `${p.say(id)} is no longer on the board: liza show ${p.say(id)}` }]];
  const failing = setupFailureOf(setupFailures(view.board.state), task);
  const seen = taskView(view.board, task, settings(view.board.state), view.now);
  const lease = seen.leaseLeft === undefined ? '' : `, lease ${seen.leaseLeft <= 0 ? 'ended' : coarse(seen.leaseLeft)}`;
  const field = (label: string, text: string | undefined, tone?: Line[number]['tone']): readonly Line[] =>
    text === undefined || text === ''
      ? []
      : p.lines(text, p.width - LABEL - 4).map((part, at) => [
          { text: `  ${pad(at === 0 ? label : '', LABEL)}  `, tone: 'faint' },
          { text: part, tone },
        ]);
  return [
    p.spread(
      [
        { text: `${p.say(id)}  `, tone: 'strong' },
        { text: task.status, tone: STATUS_TONE[task.status] },
      ],
      [{ text: `P${task.priority}`, tone: 'faint' }],
    ),
    ...p.lines(task.description ?? '', p.width).map((text): Line => [{ text }]),
    [],
    ...field('blocked', task.status === 'BLOCKED' ? task.blocked_reason : undefined, 'warn'),
    ...seen.questions.flatMap((question, at) => field(at === 0 ? 'questions' : '', `? ${question}`, 'warn')),
    ...(seen.ways.length > 0
      ? field('what next', seen.ways.map(({ line, says }) => `${line} (${says})`).join('\n'))
      : field(
          'answer',
          task.status === 'BLOCKED' ? `press a, or: liza answer ${id} "…" (gives it back to its coder)` : undefined,
        )),
    ...field('set-up', failing && `${setupFailureText(failing)}\n${failing.output ?? ''}`, 'warn'),
    ...field('fix', failing?.remedy),
    ...field('rejected', task.status === 'REJECTED' ? task.rejection_reason : undefined, 'warn'),
    ...field('coder', seen.owner && `${seen.owner}${task.status === 'CLAIMED' ? lease : ''}`),
    ...field('reviewer', seen.reviewer && `${seen.reviewer}${lease}`),
    ...field('rounds', rounds(seen.iteration, seen.maxIterations, seen.reviewCycle, seen.maxReviewCycles)),
    ...field('waits for', seen.waits.map((wait) => `${wait.id} (${wait.status})`).join(', ')),
    ...field('done when', task.done_when),
    ...field('folder', task.worktree),
    ...history(task, p, look),
    [],
    [{ text: `Everything about it: liza show ${p.say(id)}`, tone: 'faint' }],
  ];
}

function rounds(iteration: number, iterations: number, cycle: number, cycles: number): string {
  const worked = iteration === 0 ? [] : [`iteration ${iteration} of ${iterations}`];
  return [...worked, ...(cycle === 0 ? [] : [`${counted(cycle, 'rejection')} of at most ${cycles}`])].join(', ');
}

function history(task: Task, p: Page, look: LiveLook): readonly Line[] {
  const all = historyOf(task);
  if (all.length === 0) return [];
  const earlier = Math.max(0, all.length - MOST_EVENTS);
  const cut: readonly Line[] = earlier === 0 ? [] : [[{ text: `  ${p.more} ${earlier} earlier`, tone: 'faint' }]];
  return [
    [],
    [{ text: 'History', tone: 'strong' }],
    ...cut,
    ...all.slice(earlier).flatMap((entry) => eventLines(entry, p, look)),
  ];
}

/** What was said about it stands beside it where there is room, else below, whole. */
function eventLines(entry: HistoryEvent, p: Page, look: LiveLook): readonly Line[] {
  const time = `  ${clock(instant(entry.time), look.zone)}  `;
  const who = whoDid(entry);
  const what = `${p.say(eventWords(entry.event))}${who === undefined ? '' : ` by ${p.say(who)}`}`;
  const head: Line = [{ text: time, tone: 'faint' }, { text: what }];
  const told = [entry['reason'], entry['message'], entry['detail']].find((value) => typeof value === 'string');
  if (told === undefined) return [head];
  const beside = `  ${p.say(told)}`;
  if (columns(`${time}${what}${beside}`) <= p.width) return [[...head, { text: beside, tone: 'faint' }]];
  const below = p
    .lines(told, p.width - time.length)
    .map((text): Line => [{ text: ' '.repeat(time.length) + text, tone: 'faint' }]);
  return [head, ...below];
}
