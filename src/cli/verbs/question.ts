// `liza question list`: what was asked, by whom, and how it stands; the open ones, or all of the goal.

import { outcomeOf } from '../../protocol/messages/question-scope.ts';
import { isOpen, questionsOf } from '../../protocol/messages/questions.ts';
import type { Question } from '../../protocol/state.ts';
import { onProject } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

const questionList: Verb = {
  options: { all: { description: 'Also those that are answered, assumed or withdrawn.' } },
  examples: ['liza question list', 'liza question list --all'],
  details: ['To see one of them whole, also of a goal that has ended: liza show q-3.'],
  run: onProject(async ({ store }, args) => {
    const { board, notices } = await store.read();
    const all = questionsOf(board.state);
    const shown = args.flag('all') ? all : all.filter(isOpen);
    const closed = all.length - all.filter(isOpen).length;
    const none =
      closed > 0 && !args.flag('all') ? `No open questions; ${closed} closed: liza question list --all` : NONE;
    return { ok: true, lines: shown.length === 0 ? [none] : shown.flatMap(lines), data: { questions: shown }, notices };
  }),
};

const NONE = 'No questions.';

function lines(question: Question): readonly string[] {
  const { id, asked_by, task, spec_ref, text } = question;
  const about = task ?? spec_ref;
  return [
    `${id}  ${asked_by}${about === undefined ? '' : ` on ${about}`}: ${text}`,
    ...outcomeOf(question)
      .split('\n')
      .map((line) => `  ${line}`),
  ].flatMap((line) => plain(line).split('\n'));
}

export const verbs = { 'question list': questionList };
