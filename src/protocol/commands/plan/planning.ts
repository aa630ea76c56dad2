// The planning rows: a task is added, amended (while somebody works on it only for a reason), and finalized once it passes the gates.

import { listed } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { event, evolve, type Patch, withGoal, withSprint, withTask } from '../../change.ts';
import type { CommandName } from '../../command.ts';
import type { BoardSituation, Guard, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { droppedNotes, isHeadingGone } from '../../definition/amendment.ts';
import {
  checkDefinition,
  checkReplaced,
  DEFINITION_FIELDS,
  differing,
  draft,
  formerValues,
  isChanged,
} from '../../definition/definition.ts';
import { checkGates } from '../../definition/gates.ts';
import { checkSubstance } from '../../definition/substance.ts';
import { gateNotes, partNotes, wordNotes } from '../../definition/unchecked.ts';
import type { SpecFacts } from '../../facts/spec-facts.ts';
import { findTask, statusOf } from '../../find.ts';
import { historyOf } from '../../leases.ts';
import { answersSinceClaim } from '../../messages/question-scope.ts';
import { findQuestion, tasksBuiltOn } from '../../messages/questions.ts';
import { unrunnable } from '../../review/trial.ts';
import { isTerminal, type State, type Task } from '../../state.ts';
import { noSuch } from '../../unknown-id.ts';
import { defined } from '../../values.ts';
import { seenHash, withSpecSeen } from './spec-changed.ts';

export const PLANNERS = ['planner', 'human'] as const;

/** Every command reads the board: without an end of it none would be quick. A person may add more. */
const MOST_OPEN = 500;

/** What a planner does when only a person can go on. */
export const PLANNED_OUT = 'Leave it to a person, and stop: liza exit 0 --reason "nothing more to plan now"';

/** A finished goal takes no more work. */
export function goalOpen<K extends CommandName>(): Guard<K> {
  return {
    name: 'goal-open',
    rule: 'the goal is not COMPLETED',
    check: ({ state, part }) =>
      state.goal.status === 'COMPLETED'
        ? refuse(
            `the goal ${state.goal.id} is COMPLETED`,
            part === 'planner' ? PLANNED_OUT : 'Start the next goal: liza init "<goal>"',
          )
        : undefined,
  };
}

export const addTask: Row<'add-task'> = {
  name: 'add-task',
  syntax: 'add-task --id {task} --desc "…" --spec specs/… --done "…" --scope "IN: …"',
  summary: 'Write a new task; with --ready it may be claimed at once.',
  who: PLANNERS,
  from: 'new',
  to: ['DRAFT', 'UNCLAIMED'],
  already: (s) => {
    const { definition, ready } = s.command;
    const task = findTask(s.state, definition.id);
    if (task === undefined || historyOf(task)[0]?.agent !== actorName(s.actor)) return false;
    if (ready === true && task.status === 'DRAFT') return false;
    const asked = draft(definition, '');
    return DEFINITION_FIELDS.every((field) => JSON.stringify(asked[field]) === JSON.stringify(task[field]));
  },
  guards: [
    goalOpen(),
    {
      name: 'id-free',
      rule: 'no live or archived task has this id',
      check: ({ board, command, commandLine }) => {
        const { id } = command.definition;
        const status = statusOf(board, id);
        if (status === undefined) return undefined;
        const task = findTask(board.state, id);
        return refuse(
          `there is a task ${id} already (${status})`,
          task !== undefined && mayBeAmended(task, board.state)
            ? `Choose another id, or change that one: ${commandLine('amend', id)}`
            : 'Choose another id',
        );
      },
    },
    {
      name: 'few-tasks',
      rule: `a planner adds none while ${MOST_OPEN} tasks are open`,
      check: ({ state, part }) => {
        const open = state.tasks.filter(({ status }) => !isTerminal(status)).length;
        return part !== 'planner' || open < MOST_OPEN
          ? undefined
          : refuse(`${open} tasks are open, and a planner adds none beyond ${MOST_OPEN}`, PLANNED_OUT);
      },
    },
    {
      name: 'definition',
      rule: 'priority 1–5, known type, dependencies exist and are acyclic',
      check: (s) => checkDefinition(s, s.command.definition.id, s.command.definition),
    },
    {
      name: 'because',
      rule: 'the question it comes from exists',
      check: ({ state, command: { because } }) =>
        because === undefined || findQuestion(state, because) !== undefined
          ? undefined
          : noSuch({
              what: 'question',
              id: because,
              known: (state.questions ?? []).map(({ id }) => id),
              see: 'See them: liza question list --all; or leave --because out',
            }),
    },
    {
      name: 'gates',
      rule: 'with --ready: the gates of finalize',
      needs: 'facts',
      check: (s) => {
        const { definition, ready, facts } = s.command;
        if (ready !== true) return undefined;
        const task = draft(definition, iso(s.now));
        const by = { ...s, given: true } as const;
        return checkGates(by, task, facts) ?? checkSubstance(by, task, facts);
      },
    },
  ],
  effects: 'created, history; with --ready also what finalize does',
  change: (s) => {
    const { because } = s.command;
    const made = { ...draft(s.command.definition, iso(s.now)), ...defined({ because }) };
    const cause = because === undefined ? {} : causeOf(s, because);
    const task = evolve(made, { goal: s.state.goal.id }, event(s, 'created', cause));
    const state = s.command.ready === true ? finalized(s, s.state, task) : withTask(s.state, task);
    const ready = s.command.ready === true ? 'UNCLAIMED, ready to be claimed' : 'DRAFT';
    const notes =
      s.command.ready === true
        ? [...gateNotes(s.settings, task, s.command.facts), ...partNotes(task, {}, s.command.facts.there)]
        : [...wordNotes(task), ...partNotes(task, {}, s.command.facts.there)];
    return { state, task: task.id, detail: `task ${task.id} added as ${ready}`, notes };
  },
};

/** The question behind a task, and the merged work that its answer undoes. */
function causeOf({ board, state }: Situation<'add-task'>, because: string): Readonly<Record<string, unknown>> {
  const question = findQuestion(state, because);
  if (question === undefined) return {};
  const on = new Set([...tasksBuiltOn(state, question).map(({ id }) => id), ...(question.task ? [question.task] : [])]);
  const undoes = [...on].filter((id) => statusOf(board, id) === 'MERGED');
  return { because, question: question.text, ...(undoes.length === 0 ? {} : { undoes }) };
}

const AMENDABLE: readonly Task['status'][] = ['DRAFT', 'UNCLAIMED', 'CLAIMED', 'REJECTED', 'BLOCKED'];

export const amend: Row<'amend'> = {
  name: 'amend',
  syntax: 'amend {task} --done "…" --scope "…"',
  summary:
    'Change the definition of a task nobody works on, or of one that got an answer after it was claimed; replace a validation that cannot be run; name another section where its heading is gone.',
  who: PLANNERS,
  from: AMENDABLE,
  offered: mayBeAmended,
  instead: (task, _commandLine, part) => (UNDER_WAY.has(task.status) ? changeUnderWay({ task, part }) : undefined),
  already: (s) =>
    Object.keys(s.command.changes).length > 0 &&
    checkReplaced(s, s.task, s.command.changes) === undefined &&
    Object.keys(differing(s.task, s.command.changes)).length === 0,
  guards: [
    {
      name: 'something-changes',
      rule: 'at least one field is given',
      check: ({ command, commandLine }) =>
        Object.values(command.changes).every((value) => value === undefined)
          ? refuse('no field was given', `Name what to change: ${commandLine('amend', command.task)}`)
          : undefined,
    },
    {
      name: 'answered-since-claim',
      rule: 'a CLAIMED or REJECTED task: only done_when, scope, type and validation, and only after an answer that came since its claim to a question of the task, one it cites, or one whose assumption it repeats; its validation also while a trial on the base shows that it cannot be run; its spec_ref only where the heading that it names is gone',
      check: checkUnderClaim,
    },
    {
      name: 'definition',
      rule: 'priority 1–5, known type, dependencies exist and are acyclic',
      check: (s) => checkDefinition(s, s.command.task, s.command.changes),
    },
    {
      name: 'criterion',
      rule: 'a criterion that is replaced exists, and is replaced once',
      check: (s) => checkReplaced(s, s.task, s.command.changes),
    },
    {
      name: 'gates',
      rule: 'an UNCLAIMED task still passes the gates of finalize; those of substance judge what changes, of a BLOCKED one too',
      needs: 'facts',
      check: (s) => {
        const { task, command } = s;
        if (task.status === 'DRAFT') return undefined;
        const changes = differing(task, command.changes);
        const next = { ...task, ...changes };
        const missing = task.status === 'UNCLAIMED' ? checkGates(s, next, command.facts) : undefined;
        return missing ?? checkSubstance({ ...s, changes: command.changes }, next, command.facts, changes);
      },
    },
  ],
  effects:
    'definition, history with the former values; says whether the definition changed in substance; under a claim also for which answers (none: for its validation or its heading), and the coder is told, may record its checkpoint again and has not failed',
  change: (s) => {
    const { task } = s;
    const changes = differing(task, s.command.changes);
    const changed = isChanged(task, { ...task, ...changes });
    const fields = Object.keys(changes);
    // A DRAFT has its text from finalize.
    const text = changes.spec_ref === undefined || task.status === 'DRAFT' ? {} : specText(s.command.facts);
    const because = FIXED.has(task.status) ? occasion(s.state, task, fields) : undefined;
    const amended = evolve(
      task,
      { ...changes, ...text },
      event(s, 'amended', { fields, changed, was: formerValues(task, changes), ...defined({ because }) }),
    );
    return {
      state: withTask(s.state, amended),
      detail: `task ${task.id} amended: ${fields.join(', ')}`,
      notes: [
        ...droppedNotes(task, changes),
        ...(changes.done_when === undefined ? [] : wordNotes(changes)),
        ...(changes.scope === undefined ? [] : partNotes(changes, task, s.command.facts.there)),
        ...(task.status === 'CLAIMED' ? [`${task.assigned_to} works on it and is told with its next command`] : []),
      ],
    };
  },
};

const AFTER_ANSWER: readonly string[] = ['done_when', 'scope', 'type', 'validation'];
const UNDER_WAY: ReadonlySet<Task['status']> = new Set(['CLAIMED', 'READY_FOR_REVIEW', 'APPROVED']);
/** A coder has built by its definition, and will go on. */
const FIXED: ReadonlySet<Task['status']> = new Set(['CLAIMED', 'REJECTED']);

function mayBeAmended(task: Task, state: State): boolean {
  if (!AMENDABLE.includes(task.status)) return false;
  return !FIXED.has(task.status) || openUnderClaim(state, task).length > 0;
}

/** The fields that may change although a coder works by them. */
const openUnderClaim = (state: State, task: Task): readonly string[] => [
  ...(answersSinceClaim(state, task).length > 0 ? AFTER_ANSWER : unrunnable(task).length > 0 ? ['validation'] : []),
  ...(isHeadingGone(task) ? ['spec_ref'] : []),
];

/** The questions whose answers gave rise to it. */
const occasion = (state: State, task: Task, fields: readonly string[]): readonly string[] =>
  fields.some((field) => AFTER_ANSWER.includes(field)) ? answersSinceClaim(state, task).map(({ id }) => id) : [];

function checkUnderClaim(s: BoardSituation<'amend'>): Refusal | undefined {
  const { task, state, command } = s;
  if (!FIXED.has(task.status)) return undefined;
  const worker = task.status === 'CLAIMED' ? `${task.assigned_to} works on` : 'a coder has built';
  const open = openUnderClaim(state, task);
  if (open.length === 0) {
    return refuse(`${worker} ${task.id} as it is defined, and it got no answer since`, changeUnderWay(s));
  }
  const others = Object.keys(differing(task, command.changes)).filter((field) => !open.includes(field));
  if (others.length === 0) return undefined;
  const why = open.includes('done_when')
    ? 'an answer'
    : open.includes('validation')
      ? 'that its validation cannot be run'
      : 'that the heading of its spec is gone';
  return refuse(
    `${worker} ${task.id}: ${why} changes ${listed(open, 9)}, not ${others.join(', ')}`,
    `Leave the others out: ${s.commandLine('amend', task.id)}`,
  );
}

/** What is left to somebody whose plan changed under a task that is worked on or reviewed. */
function changeUnderWay({ task, part }: Pick<BoardSituation<'amend'>, 'task' | 'part'>): string {
  return part === 'human'
    ? `Tell its coder: liza note "…" --for ${task.id}; or take it back to the planner: liza replan ${task.id}`
    : `Plan the change as a task after it: liza add-task --id <id> --depends ${task.id} …; or ask a person to give it back: liza ask "…" --task ${task.id} --assume "…"`;
}

export const finalize: Row<'finalize'> = {
  name: 'finalize',
  syntax: 'finalize {task}',
  summary: 'Check a DRAFT against the gates, so that it may be claimed.',
  who: PLANNERS,
  from: ['DRAFT'],
  to: ['UNCLAIMED'],
  already: (s) => {
    const last = historyOf(s.task).findLast((entry) => entry.event === 'finalized');
    return s.task.status === 'UNCLAIMED' && last?.agent === actorName(s.actor);
  },
  guards: [
    goalOpen(),
    {
      name: 'gates',
      rule: 'spec_ref exists and so does its anchor; done_when whose every criterion can be checked; a scope that does not forbid what the type demands; dependencies neither abandoned nor superseded; tests included; a command that proves a code task (its own or test_command), and none that cannot fail',
      needs: 'facts',
      check: (s) => checkGates(s, s.task, s.command.facts) ?? checkSubstance(s, s.task, s.command.facts),
    },
  ],
  effects:
    'goal → IN_PROGRESS; joins scope.planned until `plan done` closes it; replacements join later too, other tasks scope.stretch',
  change: (s) => ({
    state: finalized(s, s.state, s.task),
    detail: `task ${s.task.id} finalized: ${whenClaimable(s)}`,
    notes: gateNotes(s.settings, s.task, s.command.facts),
  }),
};

function whenClaimable({ board, task }: Pick<Situation<'finalize'>, 'board' | 'task'>): string {
  const open = (task.depends_on ?? []).filter((id) => statusOf(board, id) !== 'MERGED');
  if (open.length === 0) return 'it may be claimed';
  return `it can be claimed once ${listed(open, 5)} ${open.length === 1 ? 'is' : 'are'} merged`;
}

/** The text that a task is made from: what changes in it later is told. */
export const specText = ({ spec_hash }: SpecFacts): Patch<Task> => ({ spec_hash, spec_seen: undefined });

function finalized<K extends 'add-task' | 'finalize'>(s: Situation<K>, before: State, task: Task): State {
  const { facts } = s.command;
  const ready = evolve(task, { status: 'UNCLAIMED', ...specText(facts) }, event(s, 'finalized'));
  // What the planner has read is the first text that a later one is held against.
  const isFirst = facts.file !== undefined && seenHash(before, facts.file.spec) === undefined;
  const state = withTask(isFirst ? withSpecSeen(before, facts.file) : before, ready);
  const started = state.goal.status === 'PLANNING' ? withGoal(state, { status: 'IN_PROGRESS' }) : state;
  return joinSprint(started, ready.id, (task.supersedes ?? []).length > 0);
}

/** Tasks that were finalized before `plan done` are planned, and replacements of such tasks; what comes later is stretch. */
export function joinSprint(state: State, id: string, replacement: boolean): State {
  const { scope } = state.sprint;
  const { planned, stretch = [], closed_at } = scope;
  if (planned.includes(id)) return state;
  if (closed_at === undefined || replacement)
    return withSprint(state, { scope: { ...scope, planned: [...planned, id] } });
  return stretch.includes(id) ? state : withSprint(state, { scope: { ...scope, stretch: [...stretch, id] } });
}
