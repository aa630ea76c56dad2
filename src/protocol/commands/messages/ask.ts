// The rows of `ask`: a question on record, with what the asker goes on with, and taken back by who asked it. Nothing
// waits for it.

import { counted } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { actorName, isAgentPart } from '../../board.ts';
import type { Row, Situation } from '../../command-row.ts';
import { refuse } from '../../decision.ts';

import {
  closeQuestions,
  findQuestion,
  isHolding,
  isOpen,
  needsPerson,
  openQuestions,
  withQuestion,
} from '../../messages/questions.ts';
import type { Question } from '../../state.ts';
import { noSuch } from '../../unknown-id.ts';
import { blank, defined } from '../../values.ts';
import { firstLine } from '../words.ts';
import { taskExists } from './agent-reports.ts';
import { fewOpen, MOST_OPEN, MOST_WITHDRAWN } from './few-open.ts';

export const ask: Row<'ask'> = {
  name: 'ask',
  syntax: 'ask "…" --assume "…"',
  summary: 'Ask a question and continue with an assumption.',
  who: ['planner', 'coder', 'code_reviewer', 'human'],
  from: 'board',
  already: (s) => askedBefore(s) !== undefined,
  guards: [
    {
      name: 'question',
      rule: 'the question is not empty',
      check: ({ command, commandLine }) =>
        blank(command.text) ? refuse('the question is empty', commandLine('ask')) : undefined,
    },
    {
      name: 'assumption',
      rule: 'an agent says what it assumes',
      check: ({ command, part, state, actor, commandLine }) => {
        if (part === 'human' || !blank(command.assume)) return undefined;
        const task = state.agents[actor.id ?? '']?.current_task;
        const stop = part === 'coder' ? `; if you cannot continue at all: ${commandLine('block', task)}` : '';
        return refuse(
          'it does not say what you assume until there is an answer',
          `Name it: liza ask "…" --assume "…"${stop}`,
        );
      },
    },
    taskExists(),
    {
      name: 'few-open',
      rule: `fewer than ${MOST_OPEN} of the agent’s own are open, and it withdrew fewer than ${MOST_WITHDRAWN}`,
      check: ({ state, actor, part, commandLine }) => {
        const own = (state.questions ?? []).filter((one) => one.asked_by === actorName(actor));
        const back = own.filter(({ status, closed_by }) => status === 'withdrawn' && closed_by === actorName(actor));
        if (isAgentPart(part) && back.length >= MOST_WITHDRAWN)
          return refuse(
            `you have withdrawn ${counted(back.length, 'question')} of yours`,
            'Go on with what you assume',
          );
        const task = state.agents[actor.id ?? '']?.current_task;
        const stop = part === 'coder' ? `; if you cannot: ${commandLine('block', task)}` : '';
        const open = own.filter(isOpen).map(({ id }) => id);
        return fewOpen({ part, what: 'question', open, next: `Go on with what you assume${stop}` });
      },
    },
  ],
  effects: 'questions; the work continues; a coder’s or reviewer’s question wakes the planner',
  change: (s) => {
    const { state, question } = withQuestion(s.state, { ...asked(s), created: iso(s.now) });
    return { state, detail: `question ${question.id} asked`, said: question.text, ...defined({ task: question.task }) };
  },
};

export const withdraw: Row<'withdraw'> = {
  name: 'withdraw',
  typed: 'ask',
  syntax: 'ask --withdraw <question> --reason "…"',
  summary: 'Withdraw a question that is no longer needed.',
  who: ['planner', 'coder', 'code_reviewer', 'human'],
  from: 'board',
  already: ({ state, command, actor }) => {
    const one = findQuestion(state, command.question);
    return one?.status === 'withdrawn' && one.closed_by === actorName(actor) && one.why === command.reason;
  },
  guards: [
    {
      name: 'question',
      rule: 'it is open, and no task is BLOCKED by it',
      check: ({ state, command, part }) => {
        const one = findQuestion(state, command.question);
        if (one === undefined)
          return noSuch({
            what: 'question',
            id: command.question,
            known: (state.questions ?? []).map(({ id }) => id),
            see: 'See them: liza question list',
          });
        if (!isOpen(one)) return refuse(`${one.id} is ${one.status} already`, `See it: liza show ${one.id}`);
        if (!isHolding(state, one)) return undefined;
        const free =
          part === 'planner' || part === 'human'
            ? `: liza unblock ${one.task} --withdraw "…"`
            : '; its planner or a person unblocks it';
        return refuse(`${one.task} is BLOCKED by ${one.id}`, `Unblocking the task closes it${free}`);
      },
    },
    {
      name: 'own-question',
      rule: 'by the one who asked it, or by a person',
      check: ({ state, command, part, actor }) => {
        const one = findQuestion(state, command.question);
        if (part === 'human' || one?.asked_by === actor.id) return undefined;
        const answers = part === 'planner' && one !== undefined && !needsPerson(one);
        return refuse(
          `${one?.asked_by} asked ${command.question}`,
          answers
            ? `Answer it: liza answer ${command.question} "…"`
            : 'Leave it: its asker withdraws it, or a person answers',
        );
      },
    },
    {
      name: 'reason',
      rule: 'it says why',
      check: ({ command }) =>
        blank(command.reason)
          ? refuse(
              'it does not say why',
              `Say why it is no longer needed: liza ask --withdraw ${command.question} --reason "…"`,
            )
          : undefined,
    },
  ],
  effects: 'question withdrawn, with the reason: from then on no prompt shows it or its assumption',
  change: (s) => {
    const { question: id, reason: why } = s.command;
    const task = findQuestion(s.state, id)?.task;
    const state = closeQuestions(s, s.state, [id], { status: 'withdrawn', why });
    return { state, detail: `question ${id} withdrawn: ${firstLine(why)}`, ...defined({ task }) };
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
