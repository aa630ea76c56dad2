// The rows about the goal itself: completing it, and editing what it says. A goal ends on its own tasks, and not over
// anything undecided: what is left open is decided or carried over by name.

import { gist } from '../../../text/format.ts';
import type { Actor } from '../../board.ts';
import { aligned, withGoal } from '../../change.ts';
import type { CommandName } from '../../command.ts';
import type { BoardSituation, Row } from '../../command-row.ts';
import { refuse } from '../../decision.ts';

import { givenUpByAgents } from '../../goal/ended-early.ts';
import { endedOfGoal, isOfGoal } from '../../goal/goal-tasks.ts';
import { holdsGoal, openDiscoveries } from '../../messages/discoveries.ts';
import { withNote } from '../../messages/notes.ts';
import { needsPerson, openQuestions } from '../../messages/questions.ts';
import { type Goal, isTerminal, type Question, type State } from '../../state.ts';
import { blank, defined } from '../../values.ts';
import { goalOpen, PLANNED_OUT, PLANNERS } from './planning.ts';

export const goalComplete: Row<'goal complete'> = {
  name: 'goal complete',
  syntax: 'goal complete',
  summary: 'Declare the goal reached.',
  who: PLANNERS,
  from: 'board',
  already: ({ state }) => state.goal.status === 'COMPLETED',
  guards: [
    {
      name: 'not-aborted',
      rule: 'the goal is not ABORTED',
      check: ({ state, part }) =>
        state.goal.status === 'ABORTED'
          ? refuse('the goal is ABORTED', part === 'planner' ? PLANNED_OUT : 'Reopen it first: liza resume')
          : undefined,
    },
    {
      name: 'all-terminal',
      rule: 'all tasks are terminal',
      check: ({ state }) => {
        const live = state.tasks.filter((task) => !isTerminal(task.status));
        if (live.length === 0) return undefined;
        const named = live.slice(0, 10).map((task) => `${task.id} (${task.status})`);
        return refuse(`not finished yet: ${named.join(', ')}`, 'See what each of them waits for: liza status');
      },
    },
    {
      name: 'something-merged',
      rule: 'at least one task of this goal is MERGED',
      check: ({ board, state, part, commandLine }) =>
        state.tasks.some((task) => task.status === 'MERGED' && isOfGoal(task, state.goal)) ||
        endedOfGoal(board).includes('MERGED')
          ? undefined
          : refuse(
              `no task of ${state.goal.id} was ever merged`,
              part === 'planner'
                ? `Plan one that reaches the goal: ${commandLine('add-task')}; or leave it to a person: liza exit 0 --reason "no way to the goal"`
                : 'Finish one, or give up the goal: liza abort',
            ),
    },
    {
      name: 'nothing-undecided',
      rule: 'every critical or high discovery and every open question is decided, or carried over with --carry-over',
      check: (s) => (s.command.carry_over === true ? undefined : refuseUndecided(s)),
    },
  ],
  effects:
    'goal → COMPLETED; tasks that agents gave up are named in alignment_history and raise ENDED EARLY; what is still open goes to the next goal, named in alignment_history',
  change: (s) => {
    const { summary } = s.command;
    const carried = [...undecided(s).map(({ name }) => name), ...lesser(s.state)];
    const givenUp = givenUpByAgents(s.state).map(({ task, by, why }) => `${task.id} (${by}: ${gist(why, 120)})`);
    const completed = withGoal(s.state, { status: 'COMPLETED' });
    const done =
      givenUp.length === 0
        ? completed
        : aligned(s, completed, 'ended_early', `abandoned, not done: ${givenUp.join('; ')}`.slice(0, 4000));
    const told =
      carried.length === 0
        ? done
        : aligned(s, done, 'carried_over', `left to the next goal: ${carried.join('; ')}`.slice(0, 4000));
    return {
      state: aligned(s, told, 'goal_completed', blank(summary) ? 'The goal is reached.' : (summary ?? '')),
      detail: `goal ${s.state.goal.id} completed`,
      notes: [
        ...(givenUp.length === 0 ? [] : [`abandoned, not done: ${givenUp.join('; ')}`]),
        ...(carried.length === 0 ? [] : [`left to the next goal: ${carried.join('; ')}`]),
      ],
    };
  },
};

type Completing = Omit<BoardSituation<CommandName>, 'command'>;

interface Undecided {
  /** `disc-1 (high): no timeout` */
  readonly name: string;
  /** What this reader types to decide it. */
  readonly commands: string;
}

/** What the goal may not end over in silence. */
function undecided(s: Completing): readonly Undecided[] {
  return [...undecidedQuestions(s), ...undecidedDiscoveries(s)];
}

function undecidedQuestions({ state, part, actor }: Completing): readonly Undecided[] {
  return openQuestions(state).map((one) => ({
    name: `${one.id}, asked by ${one.asked_by}: ${one.text}`,
    commands: part === 'planner' && needsPerson(one) ? leftToPerson(one, actor) : answers(one),
  }));
}

const answers = ({ id, assume }: Question): string =>
  `liza answer ${id} "…"${assume === undefined ? '' : ` or liza answer ${id} --accept`}`;

/** A planner answers neither its own questions nor those of its like. */
const leftToPerson = ({ id, asked_by }: Question, actor: Actor): string =>
  `${id} must be answered by a person${asked_by === actor.id ? `; if it is no longer needed: liza ask --withdraw ${id} --reason "…"` : ''}`;

function undecidedDiscoveries({ state, commandLine }: Completing): readonly Undecided[] {
  return openDiscoveries(state)
    .filter(holdsGoal)
    .map(({ id, severity, description }) => ({
      name: `${id} (${severity}): ${gist(description, 120)}`,
      commands: `${commandLine('discovery convert').replace('<id>', id)} or ${commandLine('discovery dismiss').replace('<id>', id)}`,
    }));
}

/** Open discoveries that hold nothing back. */
const lesser = (state: State): readonly string[] =>
  openDiscoveries(state)
    .filter((found) => !holdsGoal(found))
    .map(({ id, severity, description }) => `${id} (${severity}): ${gist(description, 120)}`);

function refuseUndecided(s: Completing) {
  const open = undecided(s);
  if (open.length === 0) return undefined;
  return refuse(
    `undecided: ${open.map(({ name }) => name).join('; ')}`,
    [
      'Decide each:',
      ...open.map(({ commands }) => commands),
      `Or leave all of it to ${s.part === 'planner' ? 'a person and ' : ''}the next goal: ${s.commandLine('goal complete')} --carry-over`,
    ].join('\n'),
  );
}

export const goalEdit: Row<'goal edit'> = {
  name: 'goal edit',
  syntax: 'goal edit --desc "…"',
  summary: 'Change the text of the goal, or its document; the planner is told.',
  who: ['human'],
  from: 'board',
  already: ({ state, command }) => hasFields(command) && changesOf(state.goal, command).length === 0,
  guards: [
    goalOpen(),
    {
      name: 'something-changes',
      rule: 'a description or a document is given',
      check: ({ command, commandLine }) =>
        hasFields(command) ? undefined : refuse('nothing to change was given', commandLine('goal edit')),
    },
    {
      name: 'definition',
      rule: 'what is given is not empty',
      check: ({ command: { description = '-', spec_ref = '-' }, commandLine }) =>
        blank(description) || blank(spec_ref)
          ? refuse('a goal needs a text, and its document a name', commandLine('goal edit'))
          : undefined,
    },
    {
      name: 'spec-known',
      rule: 'the document is in the project',
      needs: 'facts',
      check: ({ command: { spec_ref, facts } }) =>
        spec_ref === undefined || facts?.spec_exists === true
          ? undefined
          : refuse(`there is no file ${spec_ref.slice(0, 200)}`, 'Write it first, or name an existing one'),
    },
  ],
  effects: 'goal.description, goal.spec_ref; alignment_history with the former values; a note to the planner',
  change: (s) => {
    const { goal } = s.state;
    const { description, spec_ref } = s.command;
    const said = changesOf(goal, s.command).join('; ');
    const edited = withGoal(s.state, defined({ description, spec_ref }));
    const noted = withNote(edited, { message: `The goal was edited: ${said}`, reader: 'planner' }, s.now);
    return {
      state: aligned(s, noted.state, 'goal_edited', said),
      detail: `goal ${goal.id} edited: ${gist(said)}`,
    };
  },
};

type GoalFields = Partial<Pick<Goal, 'description' | 'spec_ref'>>;

const hasFields = ({ description, spec_ref }: GoalFields): boolean =>
  description !== undefined || spec_ref !== undefined;

/** A person has spoken about it since it was opened. */
const wasEdited = ({ alignment_history = [] }: Goal): boolean =>
  alignment_history.some(({ event }) => event === 'goal_edited');

/** `it is now "…", it was "…"` for each field that differs; naming its document for the first time confirms that one. */
function changesOf(goal: Goal, { description, spec_ref }: GoalFields): readonly string[] {
  return [
    ...(description === undefined || description === goal.description
      ? []
      : [`it is now "${gist(description, 1500)}", it was "${gist(goal.description, 1500)}"`]),
    ...(spec_ref === undefined || spec_ref === goal.spec_ref
      ? []
      : [`its document is now ${gist(spec_ref)}, it was ${gist(goal.spec_ref ?? 'none')}`]),
    ...(spec_ref !== undefined && spec_ref === goal.spec_ref && !wasEdited(goal)
      ? [`its document is ${gist(spec_ref)}, as before`]
      : []),
  ];
}
