// An approval is an argument: it names what shows each criterion of the task, and what it names is there at the very
// commit. One that is refused is answered with the whole form for this task, so that one step leads on.

import { whole } from '../../text/format.ts';
import { APPROVAL_WAYS, approvalForm, CONCERN_FORM, greenCommands, parseApproval } from '../approval.ts';
import { notGreen, type Shown, shownOf, unshown } from '../approval-record.ts';
import type { Guard, Situation } from '../command-row.ts';
import { criteriaOf } from '../criteria.ts';
import { type Refusal, refuse } from '../decision.ts';
import type { Task } from '../state.ts';
import { list } from './coder.ts';

type Verdict = Situation<'submit-verdict'>;

export const criteriaShown: Guard<'submit-verdict'> = {
  name: 'criteria-shown',
  rule: 'an agent’s approval names what shows each criterion of done_when, and that is there at the commit (approval_evidence); a person’s needs none (--by-hand)',
  needs: 'facts',
  check: (s) => {
    const { task, command, actor, settings } = s;
    if (command.verdict !== 'APPROVED' || settings.approval_evidence === 'off') return undefined;
    if (command.by_hand === true && actor.session !== undefined) {
      return refused(s, ['--by-hand is for a person, and a session of an agent gives this verdict']);
    }
    if (command.by_hand === true) return undefined;
    const text = command.reason ?? '';
    const { evidence, problems } = parseApproval(text, criteriaOf(task.done_when).length);
    const wrong = [...notGreen(task, evidence), ...command.facts.false_evidence];
    if (settings.approval_evidence === 'told') return wrong.length === 0 ? undefined : refused(s, wrong);
    const missing = unshown(task, text).map(({ n }) => n);
    const all = [
      ...(missing.length === 0
        ? []
        : [`nothing is named for ${missing.length === 1 ? 'criterion' : 'criteria'} ${list(missing.map(String))}`]),
      ...problems,
      ...wrong,
    ];
    return all.length === 0 ? undefined : refused(s, all);
  },
};

function refused({ task, actor }: Verdict, why: readonly string[]): Refusal {
  const person = actor.session === undefined ? '\nA person who reviewed it says so instead: --by-hand' : '';
  return refuse(
    `the approval does not show that ${task.id} is done: ${why.slice(0, 8).join('; ')}`,
    `Name for each criterion what shows it:\n${approvalForm(task, true)}\nEach line is one of: ${APPROVAL_WAYS}${green(task)}\nA criterion that nothing shows is a blocker. A concern has a line of its own: ${CONCERN_FORM}${person}`,
  );
}

function green(task: Task): string {
  const commands = greenCommands(task).map((command) => `\`${whole(command)}\``);
  return commands.length === 0 ? '' : `; green are ${commands.join(', ')}`;
}

/** What history keeps of it. */
export function shownBy({ task, command, settings }: Verdict): {
  readonly shown?: readonly Shown[];
  readonly by_hand?: true;
} {
  if (command.by_hand === true) return { by_hand: true };
  if (settings.approval_evidence === 'off') return {};
  const shown = shownOf(task, command.reason ?? '');
  return shown.length === 0 ? {} : { shown };
}
