// What waits for a person, most urgent first: each with the fact and the command that answers it. For the summary of a
// checkpoint; it says what there is to decide, never what to decide.

import { holdsGoal, isUrgent, openDiscoveries } from '../../protocol/messages/discoveries.ts';
import { blockingQuestions, isHolding, openQuestions } from '../../protocol/messages/questions.ts';
import { isTerminal, type State } from '../../protocol/state.ts';
import { isExhausted } from '../../protocol/work/blocked.ts';
import { waysOn } from '../../protocol/work/ways-on.ts';
import { counted, listed } from '../../text/format.ts';
import { inlineText, wholeText } from '../../text/markdown.ts';
import { type Instant, instant } from '../../text/time.ts';
import { findingLine, REPORT, triggerOf } from './breaker.ts';

export function decisionsToTake(state: State, now: Instant): readonly string[] {
  return [
    ...blocked(state),
    ...questions(state),
    ...breaker(state),
    ...integration(state),
    ...deadline(state, now),
    ...discoveries(state),
    ...stoppedAgents(state),
    ...sprintEnd(state),
  ];
}

/** Those that hold a task are told with it. */
function questions(state: State): readonly string[] {
  return openQuestions(state)
    .filter((one) => !isHolding(state, one))
    .map(({ id, asked_by, text, assume, task, spec_ref }) => {
      const about = [task, spec_ref].filter((one) => one !== undefined).map((one) => inlineText(one));
      const on = about.length === 0 ? '' : ` about ${about.join(', ')}`;
      const meanwhile = assume === undefined ? '' : ` Meanwhile: ${wholeText(assume)}`;
      const accept = assume === undefined ? '' : `, or \`liza answer ${id} --accept\``;
      return `${id}, ${inlineText(asked_by)} asks${on}: ${wholeText(text)}${meanwhile} \`liza answer ${id} "…"\`${accept}`;
    });
}

function breaker({ circuit_breaker: { status, current_trigger } }: State): readonly string[] {
  if (status !== 'TRIGGERED') return [];
  const found = (triggerOf(current_trigger)?.findings ?? []).map((one) => inlineText(findingLine(one))).join('; ');
  return [
    `The circuit breaker is TRIGGERED: ${found || 'see state.yaml'}. What caused it? Read \`${REPORT}\`, then \`liza analyze --resolve "…"\``,
  ];
}

function integration({ goal: { integration_moved: moved } }: State): readonly string[] {
  if (moved === undefined) return [];
  return [
    `The integration branch was moved outside Liza to ${moved.found}. Is that right? \`liza doctor --accept-integration\``,
  ];
}

function deadline({ sprint: { timeline, status } }: State, now: Instant): readonly string[] {
  const past = timeline.deadline !== undefined && instant(timeline.deadline) <= now && status !== 'COMPLETED';
  return past ? [`The deadline ${timeline.deadline} has passed. Continue, reduce the scope, or stop?`] : [];
}

function blocked(state: State): readonly string[] {
  return state.tasks
    .filter(({ status }) => status === 'BLOCKED')
    .map((task) => {
      const framing = isExhausted(task) ? ' Two coders failed it: its framing must change.' : '';
      const asked = (task.blocked_questions ?? []).map(wholeText).join(' ');
      const [first, ...others] = waysOn(task, blockingQuestions(state, task));
      const more = first === undefined || others.length === 0 ? '' : `; other ways: \`liza show ${task.id}\``;
      return `${task.id} is BLOCKED: ${inlineText(task.blocked_reason ?? '')}.${framing} ${asked} \`liza answer ${task.id} "…"\` gives it back to its coder${more}`;
    });
}

/** Those that are urgent or that the goal cannot end over; the others are only listed. */
function discoveries(state: State): readonly string[] {
  return openDiscoveries(state)
    .filter((one) => isUrgent(one) || holdsGoal(one))
    .map(
      (one) =>
        `Discovery ${one.id} is ${isUrgent(one) ? 'urgent and open' : `open, ${one.severity}`}: ${inlineText(one.description)}. \`liza discovery convert ${one.id} <task>\` or \`liza discovery dismiss ${one.id} --reason "…"\``,
    );
}

/** Waits that end by themselves are nobody's decision. */
function stoppedAgents({ agents }: State): readonly string[] {
  return Object.entries(agents).flatMap(([id, { trouble }]) =>
    trouble === undefined || trouble.until !== undefined
      ? []
      : [`${id} has stopped (${trouble.kind}): ${inlineText(trouble.detail)}`],
  );
}

function sprintEnd({ sprint, tasks }: State): readonly string[] {
  if (sprint.status !== 'COMPLETED') return [];
  const left = tasks.filter(({ status }) => !isTerminal(status)).map(({ id }) => id);
  const open = left.length === 0 ? '' : ` ${counted(left.length, 'task')} stay open: ${listed(left, 10)}.`;
  return [`${sprint.id} is COMPLETED.${open} \`liza retrospective\`, then \`liza sprint start\``];
}
