// The row of `ask`: a question on record, with what the asker goes on with. Nothing waits for it.

import { iso } from '../../text/time.ts';
import { actorName } from '../board.ts';
import type { Row, Situation } from '../command-row.ts';
import { refuse } from '../decision.ts';
import { blank } from '../definition.ts';
import { openQuestions, withQuestion } from '../questions.ts';
import type { Question } from '../state.ts';
import { defined } from '../values.ts';
import { taskExists } from './agent-reports.ts';

export const ask: Row<'ask'> = {
  name: 'ask',
  syntax: 'ask "…" --assume "…"',
  summary: 'Ask a question and go on with an assumption.',
  who: ['planner', 'coder', 'code_reviewer', 'human'],
  from: 'board',
  already: (s) => askedBefore(s) !== undefined,
  guards: [
    {
      name: 'question',
      rule: 'the question says something',
      check: ({ command, commandLine }) =>
        blank(command.text) ? refuse('the question is empty', commandLine('ask')) : undefined,
    },
    {
      name: 'assumption',
      rule: 'an agent says what it goes on with',
      check: ({ command, part, state, actor, commandLine }) => {
        if (part === 'human' || !blank(command.assume)) return undefined;
        const task = state.agents[actor.id ?? '']?.current_task;
        const stop = part === 'coder' ? `; if you cannot go on at all: ${commandLine('block', task)}` : '';
        return refuse(
          'it does not say what you go on with until there is an answer',
          `Name it: liza ask "…" --assume "…"${stop}`,
        );
      },
    },
    taskExists(),
  ],
  effects: 'questions; the work goes on; a coder’s or reviewer’s question wakes the planner',
  change: (s) => {
    const { state, question } = withQuestion(s.state, { ...asked(s), created: iso(s.now) });
    return { state, detail: `question ${question.id} asked`, ...defined({ task: question.task }) };
  },
};

/** An agent that names no task means the one it is on; a question about neither task nor spec is about the goal's. */
function asked({ state, actor, command }: Pick<Situation<'ask'>, 'state' | 'actor' | 'command'>) {
  const task = command.task ?? state.agents[actor.id ?? '']?.current_task;
  const spec_ref = command.spec_ref ?? (task === undefined ? state.goal.spec_ref : undefined);
  const assume = blank(command.assume) ? undefined : command.assume;
  return { asked_by: actorName(actor), text: command.text, ...defined({ task, spec_ref, assume }) };
}

/** The same question that this asker has open: asking twice makes one record. */
function askedBefore(s: Pick<Situation<'ask'>, 'state' | 'actor' | 'command'>): Question | undefined {
  const { asked_by, text, task, assume } = { task: undefined, assume: undefined, ...asked(s) };
  return openQuestions(s.state).find(
    (one) => one.asked_by === asked_by && one.text === text && one.task === task && one.assume === assume,
  );
}
