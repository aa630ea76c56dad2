// The row of `answer`: it closes questions, and with the last one of a blocked task it frees that task in the same
// transaction, by the guards and the change of `unblock`.

import { gist } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { actorName, type Board, LIZA } from '../../board.ts';
import { event, evolve, withTask } from '../../change.ts';
import type { BoardSituation, Change, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { criteriaOf, withCriterion, withReplaced } from '../../definition/criteria.ts';
import { emptiness } from '../../definition/criterion-words.ts';
import { differing, formerValues, isChanged } from '../../definition/definition.ts';
import { findTask, statusOf } from '../../find.ts';
import { historyOf } from '../../leases.ts';
import { builtOnAssumption, differs } from '../../messages/question-scope.ts';
import {
  blockingQuestions,
  closeQuestions,
  findQuestion,
  isOpen,
  needsPerson,
  openQuestions,
  withQuestion,
} from '../../messages/questions.ts';
import { TEXT_LIMIT } from '../../records/fields.ts';
import { isGoalOver, isTerminal, type Question, type State, type Task } from '../../state.ts';
import { noSuch, taskIds } from '../../unknown-id.ts';
import { blank, defined } from '../../values.ts';
import { isDeadlocked } from '../../work/blocked.ts';
import { PLANNERS } from '../plan/planning.ts';
import { unblock } from '../plan/unblock.ts';
import { list } from '../words.ts';

export const answer: Row<'answer'> = {
  name: 'answer',
  syntax: 'answer <question> "…"',
  summary: 'Answer a question; the last answer gives a blocked task back to its coder.',
  who: PLANNERS,
  from: 'board',
  already: (s) => {
    const { about, text } = s.command;
    if (about === undefined || text === undefined) return false;
    const one = findQuestion(s.state, about);
    if (one === undefined) return isFreedBefore(s, findTask(s.state, about));
    return one.status === 'answered' && one.answer === text && one.closed_by === actorName(s.actor);
  },
  guards: [
    { name: 'question', rule: 'there is such a question, or a task with open ones', check: checkTargets },
    {
      name: 'answer',
      rule: 'the answer is not empty; --accept needs an assumption',
      check: (s) => {
        const { accept, text } = s.command;
        if (accept !== true) return blank(text) ? refuse('the answer is empty', s.commandLine('answer')) : undefined;
        const bare = targetsOf(s).find(({ assume }) => assume === undefined);
        return bare === undefined
          ? undefined
          : refuse(`${bare.id} has no assumption`, `Answer it: liza answer ${bare.id} "…"`);
      },
    },
    {
      name: 'asked-by-others',
      rule: 'the planner answers coders and reviewers; a person answers anybody',
      check: (s) => {
        const mine = s.part === 'planner' ? targetsOf(s).find(needsPerson) : undefined;
        if (mine === undefined) return undefined;
        const isOwn = mine.asked_by === s.actor.id;
        const over = isOwn ? `; if it is no longer needed: liza ask --withdraw ${mine.id} --reason "…"` : '';
        return refuse(
          `${isOwn ? 'you asked it yourself' : `${mine.asked_by} asked it`}, and only a person answers ${mine.id}`,
          `Leave it to a person, and continue with its assumption${over}`,
        );
      },
    },
    {
      name: 'criterion',
      rule: 'a criterion can be checked, and goes to a task that nobody works on',
      check: checkCriterion,
    },
    {
      name: 'unblocks',
      rule: 'an answer that unblocks a task passes the guards of unblock; a person’s answer counts as assessment and as change',
      needs: 'facts',
      check: (s) => {
        const freed = freedBy(s);
        if (freed === undefined) return s.command.unblock === undefined ? undefined : freesNothing(s);
        const asUnblock = unblocking(s, answered(s, freed), freed);
        for (const guard of unblock.guards) {
          const refusal = guard.check(asUnblock);
          if (refusal !== undefined) return { ...refusal, message: `it would unblock ${freed.id}: ${refusal.message}` };
        }
        return undefined;
      },
    },
  ],
  effects:
    'question answered, or assumed with --accept; with --criterion also a criterion of done_when; the last one of a BLOCKED task does what unblock does, with its options where they are given: worktree kept, reserved for its asker, but of its anomalies only those about the block are processed; a person’s answer to an assumption wakes the planner',
  change: (s) => {
    const targets = targetsOf(s);
    if (s.command.accept === true) return accepted(s, targets);
    const freed = freedBy(s);
    const state = answered(s, freed);
    const first = targets.length === 0 ? freed?.id : targets.map(({ id }) => id).join(', ');
    const about = defined({ task: freed?.id ?? targets[0]?.task });
    if (freed === undefined)
      return {
        state,
        ...about,
        detail: `${first} answered`,
        said: s.command.text,
        notes: [...replaced(state, targets), ...builtOn(s, state, targets)],
      };
    const change = unblock.change(unblocking(s, state, freed));
    if ('ok' in change) return change;
    const whose = reserveFor(s, freed);
    const next = whose === undefined ? '' : `, reserved for ${whose}`;
    return {
      ...change,
      ...about,
      detail: `${first} answered; ${freed.id} unblocked${next}`,
      said: s.command.text,
      notes: [...(change.notes ?? []), ...builtOn(s, state, targets)],
    };
  },
};

type Answering = BoardSituation<'answer'>;

/** The questions that this answers; none for a task whose questions are Liza's own. */
function targetsOf({ state, command, part }: Pick<Answering, 'state' | 'command' | 'part'>): readonly Question[] {
  const { about, accept } = command;
  if (about === undefined) {
    const open = accept === true ? openQuestions(state).filter(({ assume }) => assume !== undefined) : [];
    return open.filter((one) => part === 'human' || !needsPerson(one));
  }
  const one = findQuestion(state, about);
  if (one !== undefined) return [one];
  // What holds the task is what was asked when it was blocked; what else is open about it is answered by its own id.
  const task = findTask(state, about);
  if (task?.status === 'BLOCKED' && accept !== true) return blockingQuestions(state, task);
  return openQuestions(state).filter((open) => open.task === about);
}

function checkTargets(s: Answering): Refusal | undefined {
  const { state, command, part, board } = s;
  const { about, accept } = command;
  const targets = targetsOf(s);
  const [first] = targets;
  if (about === undefined) {
    if (first !== undefined) return undefined;
    return accept === true
      ? refuse('no open question has an assumption', 'See what is open: liza status')
      : refuse('no question was named', s.commandLine('answer'));
  }
  if (first === undefined) {
    const status = statusOf(board, about);
    if (status === 'BLOCKED' && accept !== true) return undefined;
    if (status === undefined) return unknown(board, about);
    const tell = part === 'human' ? `liza note "…" --for ${about}` : s.commandLine('amend', about);
    return refuse(`${about} (${status}) has no open question`, `To tell its coder something: ${tell}`);
  }
  // A person may correct what was answered, assumed or withdrawn; the planner answers what is open.
  if (part === 'human' || isOpen(first)) return undefined;
  const end = first.answer === undefined ? '' : `: ${first.answer}`;
  const open = openQuestions(state).filter((one) => !needsPerson(one));
  return refuse(
    `${first.id} is ${first.status}${end}`,
    open.length === 0
      ? 'There are no open questions that you could answer: continue with the plan'
      : `Open to you: ${list(open.map(({ id }) => id))}; what they ask: liza status`,
  );
}

function checkCriterion(s: Answering): Refusal | undefined {
  const { state, command } = s;
  if (command.criterion !== true) return undefined;
  const { about = '' } = command;
  const id = findQuestion(state, about)?.task ?? about;
  const task = findTask(state, id);
  if (task === undefined) {
    return refuse(`${about} is about no task on the board`, `Add it to one: ${s.commandLine('amend')}`);
  }
  if (!OPEN_DEFINITION.has(task.status)) {
    return refuse(
      `${task.id} is ${task.status}, and its definition is fixed`,
      `Leave --criterion out: its coder and its reviewer read the answer anyway`,
    );
  }
  const empty = emptiness(command.text ?? '');
  if (empty !== undefined) {
    return refuse(
      `nobody could tell whether a criterion “${gist(command.text ?? '')}” is met: ${empty}`,
      `Say it as one, such as "GET /jobs/7 of an unknown job answers 404"; or leave --criterion out: coder and reviewer read the answer anyway`,
    );
  }
  const length = withCriterion(task.done_when, command.text ?? '').length;
  return length <= TEXT_LIMIT
    ? undefined
    : refuse(`done_when would have ${length} characters, at most ${TEXT_LIMIT} are kept`, 'Say it shorter');
}

const OPEN_DEFINITION: ReadonlySet<Task['status']> = new Set(['DRAFT', 'UNCLAIMED', 'BLOCKED']);

/** The blocked task that has nothing open any more once this is answered. */
function freedBy(s: Pick<Answering, 'state' | 'command' | 'part'>): Task | undefined {
  const { about = '', accept } = s.command;
  if (accept === true) return undefined;
  const question = findQuestion(s.state, about);
  const task = findTask(s.state, question?.task ?? about);
  if (task?.status !== 'BLOCKED') return undefined;
  if (question === undefined) return task;
  const holding = blockingQuestions(s.state, task);
  return holding.length === 1 && holding[0]?.id === question.id ? task : undefined;
}

/** Repeated: the same answer freed it, with the same changes, and nothing came after. */
function isFreedBefore(s: Pick<Answering, 'actor' | 'command'>, task: Task | undefined): boolean {
  if (task?.status !== 'UNCLAIMED') return false;
  const [answer, last] = historyOf(task).slice(-2);
  if (last?.event !== 'unblocked' || answer?.event !== 'answered') return false;
  const { text, unblock: options } = s.command;
  return (
    [answer, last].every(({ agent }) => agent === actorName(s.actor)) &&
    answer.answer === text &&
    Object.keys(differing(task, options?.changes ?? {})).length === 0
  );
}

/** Options of unblock would be lost on a task that goes on being what it is. */
function freesNothing(s: Answering): Refusal {
  const { about = '' } = s.command;
  const status = statusOf(s.board, about);
  return refuse(
    `${about} is ${status ?? 'no task'}, not BLOCKED, so the answer changes nothing about it`,
    `Answer alone: liza answer ${about} "…"`,
  );
}

/** The coder that asked, as far as it may have the task back. */
function reserveFor({ state, command }: Pick<Answering, 'state' | 'command'>, task: Task): string | undefined {
  const { reserve, exclude = [] } = command.unblock ?? {};
  if (reserve !== undefined) return reserve;
  const asker = blockingQuestions(state, task)[0]?.asked_by;
  if (asker === undefined || state.agents[asker]?.role !== 'coder') return undefined;
  return [...(task.excluded_coders ?? []), ...exclude].includes(asker) ? undefined : asker;
}

/** `state`: with the answer in it; `freed`: the task as it was before. */
function unblocking(s: Situation<'answer'>, state: State, freed: Task): Situation<'unblock'> {
  const task = findTask(state, freed.id) ?? freed;
  const { text, facts, unblock: options } = s.command;
  const person = s.part === 'human';
  const command = {
    name: 'unblock',
    task: task.id,
    facts,
    ...options,
    ...defined({
      keep_worktree: task.worktree === undefined ? undefined : true,
      reserve: reserveFor(s, freed),
      assessment: options?.assessment ?? (person && isDeadlocked(freed) ? text : undefined),
      answered: true as const,
      answered_by_person: person || undefined,
    }),
  } as const;
  return { ...s, state, task, command } as Situation<'unblock'>;
}

/** The board with the answer: in the records, and in the history and perhaps the definition of its tasks. */
function answered(s: Situation<'answer'>, freed: Task | undefined): State {
  const targets = targetsOf(s);
  const tasks = new Set([...targets.flatMap(({ task }) => task ?? []), ...(freed === undefined ? [] : [freed.id])]);
  let state = closedBy(s, targets, freed);
  for (const id of tasks) state = told(s, state, id, targets);
  return state;
}

function closedBy(s: Situation<'answer'>, targets: readonly Question[], freed: Task | undefined): State {
  const how = { status: 'answered', answer: s.command.text ?? '' } as const;
  const ids = targets.map(({ id }) => id);
  if (freed === undefined || ids.length > 0) return closeQuestions(s, s.state, ids, how);
  // Liza asked in general; with an answer it is worth a record, which the next coder reads.
  const question = { asked_by: LIZA, task: freed.id, text: (freed.blocked_questions ?? []).join(' ') };
  const made = withQuestion(s.state, { ...question, created: iso(s.now) });
  return closeQuestions(s, made.state, [made.question.id], how);
}

/** The task's own history tells the answer, and its definition holds it where it became a criterion. */
function told(s: Situation<'answer'>, state: State, id: string, targets: readonly Question[]): State {
  const task = findTask(state, id);
  const { text = '', criterion } = s.command;
  if (task === undefined || isTerminal(task.status)) return state;
  const changes = criterion === true ? { done_when: withAnswer(task, targets, text) } : {};
  const mine = targets.filter((one) => one.task === id);
  const entry = event(s, 'answered', {
    questions: mine.length === 0 ? undefined : mine.map((one) => one.id),
    asked: mine.length === 0 ? undefined : mine.map((one) => one.text),
    answer: text,
    ...(criterion === true
      ? { changed: isChanged(task, { ...task, ...changes }), was: formerValues(task, changes) }
      : {}),
  });
  return withTask(state, evolve(task, changes, entry));
}

/** In place of the criterion that the answer before it became, where it corrects one. */
function withAnswer(task: Task, targets: readonly Question[], text: string): string {
  const before = new Set(targets.flatMap(({ answer }) => answer?.trim() ?? []));
  const at = criteriaOf(task.done_when).findIndex((one) => before.has(one));
  return at === -1 ? withCriterion(task.done_when, text) : withReplaced(task.done_when ?? '', at + 1, text);
}

function accepted(s: Situation<'answer'>, targets: readonly Question[]): Change {
  const ids = targets.map(({ id }) => id);
  return {
    state: closeQuestions(s, s.state, ids, { status: 'assumed' }),
    detail: `accepted as assumed: ${ids.join(', ')}`,
    said: targets.flatMap(({ assume }) => assume ?? []).join('; '),
    ...defined({ task: targets.length === 1 ? targets[0]?.task : undefined }),
  };
}

/** Two people may answer the same question: the later one reads what its answer replaces. */
const replaced = (state: State, targets: readonly Question[]): readonly string[] =>
  targets.flatMap(({ id, status, answer, assume, closed_by: by, task }) => {
    if (status !== 'answered' && status !== 'assumed') return [];
    const about = task === undefined ? undefined : findTask(state, task)?.status;
    const now =
      about !== undefined && isTerminal(about)
        ? `${task} is ${about}, so your answer changes nothing of it; what it must be instead is a task of its own: liza add-task`
        : 'your answer applies now';
    return [`${id} was ${status} before by ${by ?? 'somebody'}: "${answer ?? assume ?? ''}"; ${now}`];
  });

/** What a person's answer may undo, and who reads it; one that says what was assumed undoes nothing. */
function builtOn({ part, board }: Situation<'answer'>, state: State, targets: readonly Question[]): readonly string[] {
  if (part !== 'human') return [];
  const { status } = state.goal;
  const next = status === 'COMPLETED' ? 'the next goal’s planner reads it' : NEXT_AFTER_ABORT;
  const isOver = isGoalOver(state);
  return targets.flatMap((one) => {
    const now = findQuestion(state, one.id);
    const tasks = now === undefined || !differs(now) ? [] : builtOnAssumption({ ...board, state }, now);
    if (tasks.length === 0) return isOver ? [`${one.id}: ${next}`] : [];
    return [`built on the assumption "${one.assume}": ${list(tasks)}; ${isOver ? next : 'the planner is woken'}`];
  });
}

const NEXT_AFTER_ABORT = 'the planner reads it when the goal continues, or the planner of the next goal';

const unknown = (board: Board, id: string): Refusal =>
  noSuch({
    what: 'question or task',
    id,
    known: [...(board.state.questions ?? []).map((one) => one.id), ...taskIds(board)],
    see: 'See what is open: liza status',
  });
