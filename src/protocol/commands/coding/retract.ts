// The row by which a coder takes back a submission that it knows to be wrong. Before the verdict the work is its own
// again, folder and checkpoint with it; after the verdict nothing is undone, and what it says is on record for reviewer
// and planner. It counts as no failure, and is bounded so that nobody circles in it.

import { counted } from '../../../text/format.ts';
import { isSentence, LEAST_WORDS } from '../../../text/sentence.ts';
import { iso, later } from '../../../text/time.ts';
import { actorName, roleOfId } from '../../board.ts';
import { attach, detach, event, evolve, patch, withAgent, withAnomaly, withTask } from '../../change.ts';
import type { Change, Row, Situation } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { checkpointEvent, historyOf, iterationEvents } from '../../leases.ts';
import { withDiscovery } from '../../messages/discoveries.ts';
import { LEFT_TO_NEXT, retractedHint } from '../../review/retracted.ts';
import type { HistoryEvent, State, Task } from '../../state.ts';
import { blank } from '../../values.ts';
import { firstLine } from '../words.ts';

/** Of one iteration; whoever is wrong more often needs a reviewer. */
const MOST_RETRACTIONS = 3;

/** `it is wrong`, `this was a mistake`: that is what retracting says already. */
const SAYS_ONLY_WRONG =
  /^(?:(?:i|it|this|that|the|my|a|an|is|was|are|were|be|does|do|did|not|just|all|really|very|still|simply|something|submission|commit|change|work|code|made|has|have|there|in|with|and|so|wrong|bad|broken|incorrect|mistaken?|error|bug|problem|issue|failed|fails|good|right|correct|ok|works?|doesn.t|isn.t|sorry|oops)[\s.!,]*)+$/i;

const submission = (task: Task): HistoryEvent | undefined =>
  historyOf(task).findLast(({ event: name }) => name === 'submitted');

/** Whether another one would be taken in this iteration. */
export const mayRetract = (task: Task): boolean => retractions(task).length < MOST_RETRACTIONS;

const retractions = (task: Task): readonly HistoryEvent[] =>
  iterationEvents(task).filter(({ event: name }) => name === 'retracted');

export const retract: Row<'retract'> = {
  name: 'retract',
  syntax: 'retract {task} --reason "…"',
  summary: 'Withdraw a submission that you know is wrong.',
  who: ['coder'],
  from: ['READY_FOR_REVIEW', 'APPROVED', 'REJECTED', 'INTEGRATION_FAILED', 'MERGED'],
  to: ['CLAIMED', 'APPROVED', 'REJECTED', 'INTEGRATION_FAILED', 'MERGED'],
  irreversible: true,
  ownEpoch: true,
  offered: (task) => task.status === 'READY_FOR_REVIEW' && mayRetract(task),
  instead: (task, commandLine, _part, actor) => {
    const left = retractedHint(task, actor.id);
    if (left !== undefined || task.status !== 'CLAIMED' || task.assigned_to !== actor.id) return left;
    return checkpointEvent(task) === undefined
      ? `It is yours, and nothing of this iteration is submitted: ${commandLine('begin', task.id)}`
      : `It is yours: fix it, commit, then ${commandLine('submit-for-review', task.id)}`;
  },
  already: ({ task, actor, command }) => {
    const last = retractions(task).at(-1);
    return last?.agent === actorName(actor) && last.reason === command.reason && historyOf(task).at(-1) === last;
  },
  guards: [
    {
      name: 'own-submission',
      rule: 'the coder itself made the last submission',
      check: ({ task, actor }) => {
        const by = submission(task)?.agent;
        return by === actorName(actor)
          ? undefined
          : refuse(
              `${by ?? 'nobody'} submitted ${task.id}, not ${actorName(actor)}`,
              'Tell others what you know: liza discover "…" --severity high',
            );
      },
    },
    {
      name: 'reason',
      rule: `a reason is given, in a sentence of ${LEAST_WORDS} words or more`,
      check: ({ task, command, commandLine }) =>
        isSentence(command.reason) && !SAYS_ONLY_WRONG.test(command.reason.trim())
          ? undefined
          : refuse(
              blank(command.reason)
                ? 'no reason was given'
                : `the reason “${command.reason.slice(0, 80)}” does not say what is wrong`,
              `Say it in a sentence of ${LEAST_WORDS} words or more, for whoever goes on with it: ${commandLine('retract', task.id)}`,
            ),
    },
    {
      name: 'retractions-left',
      rule: `at most ${MOST_RETRACTIONS} in one iteration`,
      check: ({ task }) => {
        const times = retractions(task).length;
        return times < MOST_RETRACTIONS
          ? undefined
          : refuse(
              `it was retracted ${counted(times, 'time')} in this iteration already`,
              'Leave it to the reviewer, and stop: liza exit 42 --reason "submitted"',
            );
      },
    },
  ],
  effects:
    'before the verdict CLAIMED again: folder, iteration and checkpoint stay, the lease is new, the reviewer is freed and told; if it was under review already, the coder’s next session continues it. After the verdict the status stays: an anomaly retracted, and unless it was rejected a discovery of severity high, which wakes the planner and holds the goal back',
  change: (s) => (s.task.status === 'READY_FOR_REVIEW' ? takenBack(s) : toldLate(s)),
};

const told = (s: Situation<'retract'>, reviewer: string | undefined): HistoryEvent =>
  event(s, 'retracted', {
    reason: s.command.reason,
    commit: submission(s.task)?.commit,
    iteration: s.task.iteration,
    reviewer,
    status: s.task.status,
    findings: findingsOf(s),
  });

/** What a reviewer had handed over of the submission: it stays true of the work, and the note makes way. */
function findingsOf({ state, task }: Situation<'retract'>): readonly string[] | undefined {
  const left = state.handoff[task.id];
  const isOfThis = (left?.timestamp ?? '') >= (submission(task)?.time ?? '');
  if (left === undefined || roleOfId(left.agent) !== 'code_reviewer' || !isOfThis) return undefined;
  return [left.summary, ...(left.findings ?? [])];
}

function takenBack(s: Situation<'retract'>): Change {
  const { task, actor, now, settings, command } = s;
  const id = actor.id ?? '';
  const expires = later(now, settings.lease_duration);
  // A review has fenced off the session that submitted: its next one claims the task anew.
  const isFenced = s.state.agents[id]?.epoch !== task.epoch;
  const own = evolve(
    task,
    {
      status: 'CLAIMED',
      lease_expires: expires,
      review_commit: undefined,
      // Who approved it did not know what its coder knows.
      approvals: undefined,
      reviewing_by: undefined,
      review_lease_expires: undefined,
      handoff_pending: isFenced ? true : undefined,
    },
    told(s, task.reviewing_by),
  );
  const freed = detach(withTask(s.state, own), task.id, 'code_reviewer');
  const state = isFenced ? leftToNext(s, freed) : attach(freed, id, own, { status: 'WORKING', expires, now: iso(now) });
  return {
    state,
    detail: `${id} retracted ${task.id}: ${firstLine(command.reason)}`,
    notes: [
      isFenced
        ? LEFT_TO_NEXT
        : `It is yours again: fix it, commit, then ${s.commandLine('submit-for-review', task.id)}`,
    ],
  };
}

/** The next session reads why. */
function leftToNext(s: Situation<'retract'>, state: State): State {
  const { task, actor, now, command } = s;
  const id = actor.id ?? '';
  const left = {
    agent: id,
    timestamp: iso(now),
    summary: `The submission was retracted: ${command.reason}`.slice(0, 4000),
    next_action: `Fix that, commit, then ${s.commandLine('submit-for-review', task.id)}`,
  };
  const agent = state.agents[id];
  const away = agent === undefined ? state : withAgent(state, id, patch(agent, { status: 'HANDOFF' }));
  return { ...away, handoff: { ...away.handoff, [task.id]: left } };
}

function toldLate(s: Situation<'retract'>): Change {
  const { task, actor, command } = s;
  const commit = String(submission(task)?.commit ?? '');
  const reviewer = historyOf(task).findLast(({ event: name }) => name === 'approved' || name === 'rejected')?.agent;
  const state = withTask(s.state, evolve(task, {}, told(s, reviewer)));
  const details = { reason: command.reason, commit, status: task.status };
  const known = withAnomaly(s, state, { type: 'retracted', task: task.id, details });
  return {
    // What is rejected comes back to a coder anyway; all else lands, or has landed, and somebody has to decide.
    state: task.status === 'REJECTED' ? known : withDiscovery(known, wrongWork(s)).state,
    detail: `${actor.id} says that ${task.id}, ${task.status}, is wrong: ${firstLine(command.reason)}`,
    notes: [
      `The verdict remains: ${task.id} is ${task.status}. What you said is on record for the planner and the reviewer`,
    ],
  };
}

const wrongWork = ({ task, actor, command, now }: Situation<'retract'>) =>
  ({
    by: actorName(actor),
    during: task.id,
    description: `${task.id}, ${task.status}, is wrong, according to its coder: ${command.reason}`.slice(0, 4000),
    severity: 'high',
    urgency: 'immediate',
    recommendation: 'a task that fixes it, unless it is not a defect',
    created: iso(now),
  }) as const;
