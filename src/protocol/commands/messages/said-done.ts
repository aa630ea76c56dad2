// A session that ends with "verdict given" or "submitted" while nothing of that is recorded: most often the command
// before was refused, and its author did not see it. Such an exit is refused with the fact; one with a true reason is not.

import type { Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { findTask } from '../../find.ts';
import { holdsWork } from '../../leases.ts';
import { retractedHint } from '../../review/retracted.ts';
import type { Task } from '../../state.ts';

type Exit = Situation<'exit'>;

const DONE = {
  review: /\b(?:verdict|approved|rejected|reviewed)\b/i,
  work: /\bsubmitted\b/i,
};
const BUT_NOT =
  /\b(?:no|not|never|without|cannot|refused|retracted|lost|before|nothing|until|blocked|handoff|handed)\b|n't\b/i;

export function saidDone(s: Exit): Refusal | undefined {
  const { command, commandLine } = s;
  const held = heldBy(s);
  if (held === undefined) return undefined;
  const { task, isReview } = held;
  const reason = command.reason ?? '';
  if (!(isReview ? DONE.review : DONE.work).test(reason) || BUT_NOT.test(reason)) return undefined;
  const left = retractedHint(task, s.actor.id);
  if (left !== undefined) return refuse(`the submission of ${task.id} was retracted`, left);
  const again = commandLine(isReview ? 'submit-verdict' : 'submit-for-review', task.id);
  return refuse(
    notRecorded(held),
    `Do it first${isReview ? '' : ', with everything committed'}: ${again}. ${OTHERWISE}, leave what you know (${commandLine('handoff', task.id)}) or end with the true reason: liza exit 42 --reason "${isReview ? 'no verdict' : 'not submitted'}: why"`,
  );
}

/** Where the submission or verdict was refused before, its own next step comes first: trying it again changes nothing. */
export function afterRefused(refusal: Refusal, last: string): Refusal {
  const [fact = last, ...next] = last.split(' → ');
  const otherwise = refusal.hint.slice(Math.max(0, refusal.hint.indexOf(OTHERWISE)));
  return {
    ...refusal,
    message: `${refusal.message}: the last one was refused: ${fact}`,
    hint: next.length === 0 ? refusal.hint : `${next.join(' → ')}. ${otherwise}`,
  };
}

const OTHERWISE = 'If you cannot';

/** What is still open when somebody ends, and has left no handoff: told, not refused. */
export function leftOpen(s: Exit): readonly string[] {
  const held = heldBy(s);
  if (held === undefined || s.state.handoff[held.task.id]?.agent === s.actor.id) return [];
  return [`${notRecorded(held)}; the next session begins it again`];
}

interface Held {
  readonly task: Task;
  readonly isReview: boolean;
}

const notRecorded = ({ task, isReview }: Held): string =>
  isReview ? `no verdict of yours is recorded for ${task.id}` : `nothing of yours is submitted for ${task.id}`;

function heldBy({ state, actor }: Exit): Held | undefined {
  const id = actor.id ?? '';
  const task = findTask(state, state.agents[id]?.current_task ?? '');
  return task !== undefined && holdsWork(task, id) ? { task, isReview: task.reviewing_by === id } : undefined;
}
