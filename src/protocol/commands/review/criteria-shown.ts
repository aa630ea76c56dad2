// An approval is an argument: it names what shows each criterion of the task, and what it names is there at the very
// commit. One that is refused is answered with the whole form for this task, so that one step leads on.

import { whole } from '../../../text/format.ts';
import type { Guard, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { criteriaOf } from '../../definition/criteria.ts';
import {
  APPROVAL_WAYS,
  aboutOne,
  approvalForm,
  blockersIn,
  CONCERN_FORM,
  formLines,
  nearLine,
  type Problem,
  parseApproval,
} from '../../review/approval.ts';
import { notGreen, type Shown, shownOf, unshown } from '../../review/approval-record.ts';
import { greenCommands, isLong, ranForm } from '../../review/ran-command.ts';
import type { Task } from '../../state.ts';
import { list } from '../words.ts';

type Verdict = Situation<'submit-verdict'>;

export const criteriaShown: Guard<'submit-verdict'> = {
  name: 'criteria-shown',
  rule: 'an agent’s approval names evidence for each criterion of done_when that exists at the commit (approval_evidence); a person’s needs none (--by-hand); no approval has a blocker',
  needs: 'facts',
  check: (s) => {
    const { task, command, actor, settings } = s;
    if (command.verdict !== 'APPROVED') return undefined;
    const blocks = blockersIn(command.reason ?? '').map((line) => ({
      text: `“${line}” is a blocker, and a blocker means REJECTED; if it blocks nothing, write [concern]`,
    }));
    if (blocks.length > 0) return refused(s, blocks);
    if (settings.approval_evidence === 'off') return undefined;
    if (command.by_hand === true && actor.session !== undefined) {
      return refused(s, [{ text: '--by-hand is for a person, and a session of an agent gives this verdict' }]);
    }
    if (command.by_hand === true) return undefined;
    const text = command.reason ?? '';
    const { evidence, problems } = parseApproval(text, criteriaOf(task.done_when).length);
    const wrong = [
      ...notGreen(task, evidence),
      ...command.facts.false_evidence.map(({ criterion, why }) => aboutOne(criterion, why)),
    ];
    const all = settings.approval_evidence === 'told' ? wrong : [...missing(task, text), ...problems, ...wrong];
    return all.length === 0 ? undefined : refused(s, [...all, ...unknownConcerns(s).map((text) => ({ text }))]);
  },
};

/** As one clause; empty: all places of concerns are there. */
export function unknownConcerns({ command }: Verdict): readonly string[] {
  const unknown = command.facts.unknown_concerns ?? [];
  return unknown.length === 0
    ? []
    : [`concerns name places that are neither in the tree nor in the diff: ${list(unknown)}`];
}

function missing(task: Task, text: string): readonly Problem[] {
  const open = unshown(task, text).map(({ n }) => n);
  if (open.length === 0) return [];
  const lines = open.flatMap((n) => nearLine(text, n) ?? []).map((line) => `“${line}” has no known form`);
  const named = `no evidence is named for ${open.length === 1 ? 'criterion' : 'criteria'} ${list(open.map(String))}`;
  return [named, ...lines].map((one) => ({ text: one, criteria: open }));
}

/** What one refusal names; the rest is counted. */
const MOST = 40;

function refused({ task, actor }: Verdict, why: readonly Problem[]): Refusal {
  const person = actor.session === undefined ? '\nA person who reviewed it says so instead: --by-hand' : '';
  const more = why.length > MOST ? `; and ${why.length - MOST} more` : '';
  const said = why.slice(0, MOST).map(({ text }) => text);
  const wrong = criteriaIn(why);
  if (wrong !== undefined && wrong.size < criteriaOf(task.done_when).length) {
    // Each says itself what to write: the forms beside it would say something else.
    const isTold = why.every(({ text }) => /; (?:did you mean|name the whole)\b/.test(text));
    const forms = isTold
      ? ''
      : `:\n${formLines(task, true, wrong).join('\n')}\nEach line is one of: ${APPROVAL_WAYS}${green(task)}${person}`;
    return refuse(
      `what the approval names is not all so: ${said.join('; ')}${more}`,
      `Correct ${wrong.size === 1 ? 'this line' : 'these lines'}, and send the verdict again with the others as they are${forms}`,
    );
  }
  return refuse(
    `the approval does not show that ${task.id} is done: ${said.join('; ')}${more}`,
    `Name the evidence for each criterion:\n${approvalForm(task, true)}\nEach line is one of: ${APPROVAL_WAYS}${green(task)}\nA criterion without evidence is a blocker. A concern has a line of its own: ${CONCERN_FORM}${person}`,
  );
}

/** Which ones it is about; undefined: not only about single criteria. */
const criteriaIn = (why: readonly Problem[]): ReadonlySet<number> | undefined =>
  why.some(({ criteria }) => criteria === undefined)
    ? undefined
    : new Set(why.flatMap(({ criteria = [] }) => [...criteria]));

function green(task: Task): string {
  const commands = greenCommands(task).map((command) => {
    const begins = isLong(command)
      ? ` (${whole(command)
          .slice(0, 80)
          .replace(/(?<=^.{79}.*)\s+\S*$/, ' …')})`
      : '';
    return `\`${ranForm(task, command)}\`${begins}`;
  });
  return commands.length === 0 ? '' : `; these are green: ${commands.join(', ')}`;
}

/** What history keeps of it. */
export function shownBy({ task, command, settings }: Verdict): {
  readonly shown?: readonly Shown[];
  readonly by_hand?: true;
} {
  if (command.by_hand === true) return { by_hand: true };
  if (settings.approval_evidence === 'off') return {};
  const shown = shownOf(task, command.reason ?? '', command.facts);
  return shown.length === 0 ? {} : { shown };
}
