// What a question asks of the planner: somebody asked, a person answered otherwise than was assumed, or accepted it.

import type { Board } from '../../protocol/board.ts';
import { criteriaOf } from '../../protocol/definition/criteria.ts';
import { EXAMPLE } from '../../protocol/definition/example-words.ts';
import { fileOf } from '../../protocol/messages/news.ts';
import { builtOnAssumption, contradictedBy, restsOn, saysAssumed } from '../../protocol/messages/question-scope.ts';
import { findQuestion, tasksBuiltOn } from '../../protocol/messages/questions.ts';
import { isTerminal, type Question, type Task } from '../../protocol/state.ts';
import { field, inline, pathList, quoteList } from './quote.ts';

/** More tasks are only named. */
const MOST = 5;

export function questionAsked({ state }: Board, id: string): readonly string[] {
  const question = findQuestion(state, id);
  if (question === undefined) return [];
  return [
    `* QUESTION_ASKED: ${id}, by ${inline(question.asked_by)}${question.task === undefined ? '' : ` on ${question.task}`}, who continues meanwhile`,
    ...questionLines(question),
    `If you know: \`liza answer ${id} "${EXAMPLE.answer}"\`; if the assumption is right: \`liza answer ${id} --accept\``,
    'If only a person knows: leave it open, Liza shows it to them.',
  ];
}

export function questionAnswered(board: Board, id: string): readonly string[] {
  const { state } = board;
  const question = findQuestion(state, id);
  if (question === undefined) return [];
  const tasks = builtOnAssumption(board, question);
  const says = tasksBuiltOn(state, question).filter((task) => !isTerminal(task.status) && restsOn(task, question));
  return [
    `* QUESTION_ANSWERED: a person answered ${id} of ${inline(question.asked_by)}`,
    ...questionLines(question),
    `BUILT ON THE ASSUMPTION: ${tasks.length === 0 ? 'no task' : pathList(tasks)}`,
    ...says.slice(0, MOST).flatMap((task) => mendCriterion(task, question)),
    'Where the answer differs: amend what is not submitted (`--validate`, `--scope` too; a running coder is told), leave a review alone (its reviewer reads the answer; rejected, it comes to you before a coder starts), undo what is merged:',
    `liza add-task --id new-task --because ${id} --desc "${EXAMPLE.change}" --spec ${fileOf(state.goal.spec_ref)}#section --done "${EXAMPLE.done}" --scope "${EXAMPLE.scope}"`,
  ];
}

/** No commit can satisfy both the answer and the definition that contradicts it. */
export function rejectedAfterAnswer({ state }: Board, task: Task): readonly string[] {
  const answered = contradictedBy(state, task);
  return [
    `* REJECTED_AFTER_ANSWER: ${task.id} was rejected, and its definition is older than a person's answer; nobody gets the task before you have looked at it.`,
    ...answered
      .slice(0, MOST)
      .flatMap((one) => [...questionLines(one), ...(restsOn(task, one) ? mendCriterion(task, one) : [])]),
    `If criteria or validation contradict it: \`liza amend ${task.id} --replace-done "number: the criterion, as the answer has it" --validate "command"\` (repeat it: all are replaced). If nothing does, leave it: a coder takes it.`,
  ];
}

/** A task whose own words say what was assumed: they contradict the answer until somebody changes them. */
function mendCriterion(task: Task, question: Question): readonly string[] {
  const { id, status } = task;
  const says = `${id} has the assumption in its definition`;
  const mend = (command: string, also = ''): readonly string[] => [
    `${says}${also}: \`liza ${command} ${replacing(task, question)}\``,
  ];
  if (status === 'DRAFT' || status === 'UNCLAIMED' || status === 'REJECTED') return mend(`amend ${id}`);
  if (status === 'BLOCKED') return mend(`unblock ${id} --keep-worktree`);
  if (status === 'CLAIMED') return mend(`amend ${id}`, `, and ${inline(task.assigned_to ?? 'a coder')} works on it`);
  return [
    `${says} and is ${status}: its coder and its reviewer read the answer, which takes precedence over these words.`,
  ];
}

/** Only those that say it: `--done` would replace all. */
function replacing(task: Task, question: Question): string {
  const saying = criteriaOf(task.done_when).flatMap((one, at) => (saysAssumed(one, question) ? [String(at + 1)] : []));
  return (saying.length === 0 ? ['number'] : saying)
    .map((number) => `--replace-done "${number}: the criterion, as the answer has it"`)
    .join(' ');
}

/** What a person accepted: nothing changes, and the planner need not wait for it any more. */
export function accepted({ state }: Board, records: readonly string[]): readonly string[] {
  const told = records.flatMap((id) => {
    const one = findQuestion(state, id);
    return one === undefined ? [] : [`${id} Q ${one.text}\nA ${one.assume ?? ''}`];
  });
  return [
    '* ACCEPTED by a person, as it was assumed; continue planning with it:',
    ...quoteList(told.slice(0, MOST_ACCEPTED), ALL_QUESTIONS),
    ...(told.length > MOST_ACCEPTED ? [`(${told.length - MOST_ACCEPTED} more: \`${ALL_QUESTIONS}\`)`] : []),
  ];
}

const MOST_ACCEPTED = 10;

const questionLines = ({ text, assume, answer }: Question): readonly string[] => [
  ...field('Q', text, ALL_QUESTIONS),
  ...(assume === undefined ? [] : field('ASSUMED', assume, ALL_QUESTIONS)),
  ...(answer === undefined ? [] : field('A', answer, ALL_QUESTIONS)),
];

const ALL_QUESTIONS = 'liza question list --all';
