// The row for a verdict that contradicts the one which the same reviewer gave on the same commit just before. One of the
// two may be the word of a program that it ran: the rejection counts, nothing is merged on the approval, a person is told.

import { actorName } from '../../board.ts';
import { event, evolve, withAnomaly, withTask } from '../../change.ts';
import type { Change, Guard, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { historyOf } from '../../leases.ts';
import type { HistoryEvent, State, Task } from '../../state.ts';
import { blockTask, QUESTIONS } from '../../work/blocked.ts';
import { STOP } from '../words.ts';

type Both = 'second-verdict' | 'verdict-disputed';

/** The agent's own last verdict, where neither a submission nor another review of its own came after it. */
function verdictBefore(task: Task, agent: string): HistoryEvent | undefined {
  const last = historyOf(task).findLast(
    ({ event: name, agent: by }) => name === 'submitted' || (by === agent && OWN.has(name)),
  );
  return last?.event === 'approved' || last?.event === 'rejected' ? last : undefined;
}
const OWN: ReadonlySet<string> = new Set(['approved', 'rejected', 'review_claimed']);

const wordOf = ({ event: name }: HistoryEvent): 'APPROVED' | 'REJECTED' =>
  name === 'approved' ? 'APPROVED' : 'REJECTED';

interface Verdict {
  readonly verdict: string;
  readonly commit?: string | undefined;
  readonly reason?: string | undefined;
}

/** Whether this verdict is the other one of the two. */
export function contradicts(
  task: Task,
  agent: string,
  { verdict, commit }: Pick<Verdict, 'verdict' | 'commit'>,
): boolean {
  const first = verdictBefore(task, agent);
  return first !== undefined && wordOf(first) !== verdict && (commit === undefined || commit === first.commit);
}

const ownReview = <K extends Both>(): Guard<K> => ({
  name: 'own-review',
  rule: 'its own last verdict on this very commit was the other one',
  check: ({ task, actor, command }) =>
    contradicts(task, actorName(actor), command as Verdict)
      ? undefined
      : refuse(`${actorName(actor)} gave no other verdict on ${task.id} just before`, STOP),
});

/** The rejection, where nothing has landed yet. */
export const secondVerdict: Row<'second-verdict'> = {
  name: 'second-verdict',
  typed: 'submit-verdict',
  syntax: 'submit-verdict {task} REJECTED',
  summary: 'Reject what the same session approved just before.',
  who: ['code_reviewer'],
  from: ['READY_FOR_REVIEW', 'APPROVED'],
  to: ['BLOCKED'],
  inner: true,
  irreversible: true,
  ownEpoch: true,
  guards: [
    ownReview(),
    {
      name: 'not-being-merged',
      rule: 'its merge is not announced',
      raced: true,
      check: ({ task }) =>
        task.merging === undefined ? undefined : refuse(`${task.id} is being merged`, 'It is recorded all the same'),
    },
  ],
  effects: 'the approval does not count: BLOCKED with the rejection; history, an anomaly and an alarm verdict_disputed',
  change: (s) => {
    const { task, actor, command } = s;
    const by = actorName(actor);
    return told(s, (event) =>
      blockTask(s, s.state, task, {
        reason: `${by} approved ${event['commit']} and then rejected it in the same session: the approval does not count`,
        questions: QUESTIONS.disputed,
        changes: {
          approvals: (task.approvals ?? []).filter((one) => one.by !== by || one.commit !== event['commit']),
          rejection_reason: command.reason ?? '',
        },
        earlier: [event],
      }),
    );
  },
};

/** Everywhere else nothing is undone. */
export const verdictDisputed: Row<'verdict-disputed'> = {
  name: 'verdict-disputed',
  typed: 'submit-verdict',
  syntax: 'submit-verdict {task} APPROVED|REJECTED',
  summary: 'Record that a session gave two verdicts on one commit that contradict each other.',
  who: ['code_reviewer'],
  from: ['READY_FOR_REVIEW', 'APPROVED', 'REJECTED', 'CLAIMED', 'INTEGRATION_FAILED', 'BLOCKED', 'MERGED'],
  inner: true,
  irreversible: true,
  ownEpoch: true,
  guards: [
    ownReview(),
    {
      name: 'once',
      rule: 'it is recorded once for each verdict',
      check: ({ state, task, actor }) => {
        const first = verdictBefore(task, actorName(actor))?.time;
        return state.anomalies.some(
          ({ type, task: of, details }) =>
            type === 'verdict_disputed' && of === task.id && details?.['first_at'] === first,
        )
          ? refuse('both verdicts are on record, and a person is told', STOP)
          : undefined;
      },
    },
  ],
  effects: 'history, an anomaly and an alarm verdict_disputed; the status stays',
  change: (s) => told(s, (event) => withTask(s.state, evolve(s.task, {}, event))),
};

function told<K extends Both>(s: Situation<K>, change: (event: HistoryEvent) => State): Change | Refusal {
  const { task, actor } = s;
  const command = s.command as Verdict;
  const by = actorName(actor);
  const first = verdictBefore(task, by);
  if (first === undefined) return refuse('there is no verdict before', STOP);
  const words = { first: wordOf(first), second: command.verdict };
  const commit = String(first.commit ?? '');
  const details = { agent: by, commit, ...words, first_at: first.time, status: task.status };
  const state = change(event(s, 'verdict_disputed', { commit, ...words, reason: command.reason }));
  return {
    state: withAnomaly(s, state, { type: 'verdict_disputed', task: task.id, details }),
    detail: `${by} said ${words.first} of ${task.id}, then ${words.second}, at ${commit.slice(0, 12)}`,
  };
}
