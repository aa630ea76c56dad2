// What the demo prints while it happens: a line per event of a task, from what the board has now and had not before.
// Pure; the same two views give the same lines. The command decides how they look.

import { queueOf } from '../../protocol/queue/order.ts';
import { queueLine } from '../../protocol/queue/tell.ts';
import { remarksIn } from '../../protocol/review/approval.ts';
import { parseRejection } from '../../protocol/review/verdict.ts';
import type { HistoryEvent, State, Task } from '../../protocol/state.ts';
import type { CrewEvent, CrewView } from '../../supervisor/crew-view.ts';
import { isDemos } from './human.ts';

export type Tone = 'plain' | 'faint' | 'good' | 'bad' | 'human';

export interface StoryLine {
  readonly who: string;
  readonly task: string;
  readonly text: string;
  readonly tone: Tone;
  /** The event of the task's history that it tells of. */
  readonly event?: HistoryEvent['event'];
  /** The agent was killed while it worked on the task. */
  readonly killed?: true;
}

type Seen = Pick<CrewView, 'events' | 'members'> & { readonly board: { readonly state: State } };

/** `spoken`: what agents do is told only where the script has words for it. */
export function news(before: Seen | undefined, after: Seen, spoken: ReadonlySet<string>): readonly StoryLine[] {
  const state = after.board.state;
  const known = before?.board.state;
  const turns = state.tasks.flatMap((task) => {
    const seen = known?.tasks.find(({ id }) => id === task.id)?.history?.length ?? 0;
    const fresh = ((task.history ?? []) as readonly HistoryEvent[]).slice(seen);
    return fresh
      .flatMap((event) => turn(task, event).map((told): StoryLine => ({ ...told, event: event.event })))
      .map((told) => ({ told, time: Date.parse(fresh[0]?.time ?? '') }));
  });
  const old = new Set(before?.events);
  const deaths = after.events.filter((one) => !old.has(one)).flatMap(death);
  const complete = state.goal.status === 'COMPLETED' && known?.goal.status !== 'COMPLETED';
  return [
    ...doings(before, after, spoken),
    ...deaths,
    ...landing(before, after),
    ...turns.sort((a, b) => a.time - b.time).map(({ told }) => told),
    ...(complete ? [line('planner-1', '', 'the goal is reached', 'good')] : []),
  ];
}

function doings(before: Seen | undefined, { members }: Seen, spoken: ReadonlySet<string>): readonly StoryLine[] {
  return members.flatMap(({ agent, task = '', activity }) => {
    const last = before?.members.find((member) => member.agent === agent)?.activity;
    if (activity === undefined || activity === last || !spoken.has(activity)) return [];
    return [line(agent, task, activity, 'faint')];
  });
}

/** How a batch of the merge queue goes: what is tested, what was red. */
function landing(before: Seen | undefined, { board }: Seen): readonly StoryLine[] {
  if (queueOf(board.state).held !== undefined) return [];
  const told = queueLine(board);
  if (told === undefined || (before !== undefined && told === queueLine(before.board))) return [];
  return [line('queue', '', told.replace(/^queue: /, ''), 'faint')];
}

const line = (who: string, task: string, text: string, tone: Tone = 'plain'): StoryLine => ({ who, task, text, tone });

function death({ agent = '', task = '', ended, text, level }: CrewEvent): readonly StoryLine[] {
  if (ended?.kind === 'signalled' && ended.signal === 'SIGKILL') {
    return [
      {
        ...line(agent, task, `is killed in the middle of its work (kill -9; ${STAGED})`, 'bad'),
        killed: true,
      },
    ];
  }
  return level === 'alarm' ? [line(agent === '' ? 'watcher' : agent, task, onPurpose(text), 'bad')] : [];
}

export const STAGED = 'the demo does this on purpose';

/** Two of the script's tasks collide: whoever sees the alarm must not take it for a defect. */
export const onPurpose = (text: string): string =>
  text.includes('INTEGRATION FAILED') && !text.startsWith('alarm over: ') && !text.includes(STAGED)
    ? `${text} (${STAGED})`
    : text;

function turn(task: Task, event: HistoryEvent): readonly StoryLine[] {
  const who = event.agent ?? '';
  const say = (text: string, tone?: Tone): readonly StoryLine[] => [line(who, task.id, text, tone)];
  // Any agent's supervisor merges: its name would say nothing.
  const queue = (text: string, tone: Tone): readonly StoryLine[] => [line('queue', task.id, text, tone)];
  switch (event.event) {
    case 'created':
      return say(`plans: ${task.description}${after(task)}`);
    case 'claimed':
      return say(claimed(task, event));
    case 'pre_execution_checkpoint':
      return say(`will do: ${intent(event)}`, 'faint');
    case 'submitted':
      return say(`submits commit ${String(event.commit).slice(0, 7)} for review`);
    case 'review_claimed':
      return say('reviews it', 'faint');
    case 'rejected':
      return say(`REJECTS it: ${blocker(String(event.reason))}`, 'bad');
    case 'approved':
      return say(`approves it: ${remarksIn(String(event.reason))}`, 'good');
    case 'merged':
      return queue('merged: green on integration', 'good');
    case 'integration_failed':
      return event.paths === undefined
        ? queue(`is RED on integration, twice, and leaves: ${lastLine(event.output)}`, 'bad')
        : queue(`CONFLICT in ${list(event.paths)} with ${list(event.with)}; nothing was merged`, 'bad');
    case 'blocked':
      return say(`asks: ${list(event.questions)}`, 'human');
    case 'answered':
      return isDemos(String(event.answer))
        ? [line('demo', task.id, `answers for you: ${String(event.answer)}`, 'human')]
        : [line('you', task.id, `answer: ${String(event.answer)}`, 'human')];
    case 'unblocked':
      return [line('', task.id, 'has its answer; the next coder that is free takes it')];
    default:
      return [];
  }
}

const after = ({ depends_on: ids = [] }: Task): string => (ids.length === 0 ? '' : ` (after ${ids.join(', ')})`);

function claimed({ history = [] }: Task, event: HistoryEvent): string {
  const failed = (history as readonly HistoryEvent[]).findLast(({ event: name }) => name === 'integration_failed');
  if (event.from === 'INTEGRATION_FAILED')
    return failed?.paths === undefined
      ? 'takes it back, with the log of the red test'
      : 'takes on the conflict, with both sides in its worktree';
  if (event.from === 'REJECTED') return 'goes back to work on it';
  return event.from === 'CLAIMED' ? 'takes over the work' : 'takes it, in a worktree of its own';
}

const lastLine = (output: unknown): string =>
  String(output ?? '')
    .trimEnd()
    .split('\n')
    .at(-1) ?? '';

const intent = ({ checkpoint }: HistoryEvent): string =>
  typeof checkpoint === 'object' && checkpoint !== null && 'intent' in checkpoint ? String(checkpoint.intent) : '';

const blocker = (reason: string): string => {
  const [first] = parseRejection(reason, false).blockers;
  return first === undefined ? reason : `${first.file}:${first.line} ${first.text}`;
};

const list = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? 'the branch'));
