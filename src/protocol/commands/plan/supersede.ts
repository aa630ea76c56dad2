// The row that replaces a task by others: one transaction changes original, replacements, dependents, sprint and
// alignment history together. A third replacement in a row needs a person.

import { iso } from '../../../text/time.ts';
import { plays } from '../../board.ts';
import { aligned, detach, event, evolve, unique, withTask } from '../../change.ts';
import type { Change, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { checkDefinition, draft } from '../../definition/definition.ts';
import { dependencyCycle, findTask, statusOf } from '../../find.ts';
import { historyOf } from '../../leases.ts';
import { isTerminal, type State, type Task } from '../../state.ts';
import { noTask } from '../../unknown-id.ts';
import { blank } from '../../values.ts';
import { firstLine } from '../words.ts';
import { joinSprint, PLANNERS } from './planning.ts';
import { questionsLeft, START_OVER, withAssessment, withdrawn, withdrawnNotes } from './rescope.ts';

const CHAIN_WITHOUT_HUMAN = 2;

export const supersede: Row<'supersede'> = {
  name: 'supersede',
  syntax: 'supersede {task} --root-cause "…" --replacement <task>',
  summary: 'Replace a task by others, and say what was wrong with it.',
  who: PLANNERS,
  from: ['BLOCKED', 'INTEGRATION_FAILED'],
  to: ['SUPERSEDED'],
  already: ({ task, command }) =>
    task.status === 'SUPERSEDED' &&
    task.rescope_reason === command.root_cause &&
    JSON.stringify(task.superseded_by) === JSON.stringify(replacementIds(command)),
  guards: [
    {
      name: 'root-cause',
      rule: 'a root cause is named',
      check: ({ task, command, commandLine }) =>
        blank(command.root_cause)
          ? refuse(
              'no root cause was named',
              `Say in one sentence what was wrong: ${commandLine('supersede', task.id)}`,
            )
          : undefined,
    },
    {
      name: 'replacements',
      rule: 'each replacement is an existing DRAFT or UNCLAIMED task, or a sound new definition',
      check: checkReplacements,
    },
    {
      name: 'chain',
      rule: 'a → b → c is allowed, c → d needs a person',
      check: ({ state, task, actor, commandLine }) =>
        chainDepth(state, task) >= CHAIN_WITHOUT_HUMAN && !plays(actor, 'human')
          ? refuse(
              `${task.id} is already the second replacement in a row (${lineage(state, task).join(' → ')}), and only a person may replace it again`,
              `Leave it BLOCKED for a person, or give it up: ${commandLine('abandon', task.id)}`,
            )
          : undefined,
    },
    {
      name: 'acyclic',
      rule: 'repointing the dependents makes no cycle',
      check: (s) => {
        const after = superseded(s).state;
        for (const task of after.tasks) {
          if (task === findTask(s.state, task.id)) continue;
          const cycle = dependencyCycle(after, task.id, task.depends_on ?? []);
          if (cycle === undefined) continue;
          return refuse(
            `repointing the dependents of ${s.task.id} would make a cycle: ${cycle.slice(0, 12).join(' → ')}`,
            `Remove a dependency first: ${s.commandLine('amend', task.id)}`,
          );
        }
        return undefined;
      },
    },
  ],
  effects:
    'superseded_by / supersedes, rescope_reason on both, dependents repointed, replacements take its place in the sprint, alignment_history, its anomalies processed, its open questions withdrawn with the root cause, after a deadlock the root cause logged as review_deadlock: one transaction',
  change: superseded,
};

const replacementIds = (command: Situation<'supersede'>['command']): readonly string[] => [
  ...command.replacements,
  ...command.definitions.map((definition) => definition.id),
];

function checkReplacements(s: Situation<'supersede'>): Refusal | undefined {
  const { board, state, task, command, commandLine } = s;
  const ids = replacementIds(command);
  if (ids.length === 0) {
    return refuse(
      'no replacement was named',
      `Name at least one, or give it up instead: ${commandLine('abandon', task.id)}`,
    );
  }
  if (new Set(ids).size < ids.length || ids.includes(task.id)) {
    return refuse('a replacement is named twice or is the task itself', 'Name each replacement once');
  }
  for (const id of command.replacements) {
    const status = statusOf(board, id);
    if (status === 'DRAFT' || status === 'UNCLAIMED') continue;
    return status === undefined
      ? noTask(board, id, `Add it first: ${commandLine('add-task', id)}`)
      : refuse(`the replacement ${id} is ${status}`, 'A replacement is a DRAFT or UNCLAIMED task');
  }
  let known: State = state;
  for (const definition of command.definitions) {
    if (statusOf({ ...board, state: known }, definition.id) !== undefined) {
      return refuse(`there is a task ${definition.id} already`, `Name it as an existing replacement instead`);
    }
    const by = { board: { ...board, state: known }, commandLine, part: s.part };
    const problem = checkDefinition(by, definition.id, definition);
    if (problem !== undefined) return { ...problem, message: `${definition.id}: ${problem.message}` };
    known = withTask(known, draft(definition, iso(s.now)));
  }
  return undefined;
}

function superseded(s: Situation<'supersede'>): Change {
  const { task, command, now } = s;
  const ids = replacementIds(command);
  const reason = command.root_cause;
  const chain = chainDepth(s.state, task) + 1;
  const left = questionsLeft(s.state, task);
  let state = withTask(
    withdrawn(s, s.state, left, `${task.id} was superseded by ${ids.join(', ')}: ${reason}`),
    evolve(
      task,
      {
        ...START_OVER,
        status: 'SUPERSEDED',
        superseded_by: ids,
        rescope_reason: reason,
        blocked_reason: undefined,
        blocked_questions: undefined,
      },
      event(s, 'superseded', { by: ids, reason }),
    ),
  );
  for (const definition of command.definitions) {
    state = withTask(state, evolve(draft(definition, iso(now)), { goal: state.goal.id }, event(s, 'created')));
  }
  for (const id of ids) {
    const made = findTask(state, id);
    if (made === undefined) continue;
    const link = {
      supersedes: unique([...(made.supersedes ?? []), task.id]),
      rescope_reason: reason,
      ...(made.depends_on?.includes(task.id)
        ? { depends_on: made.depends_on.filter((other) => other !== task.id) }
        : {}),
    };
    state = withTask(state, evolve(made, link, event(s, 'supersedes', { task: task.id, reason, chain })));
    if (state.sprint.scope.planned.includes(task.id)) state = joinSprint(state, id, true);
  }
  const repointed = state.tasks.filter((other) => !isTerminal(other.status) && other.depends_on?.includes(task.id));
  for (const other of repointed) {
    const depends_on = unique((other.depends_on ?? []).flatMap((id) => (id === task.id ? ids : [id])));
    state = withTask(state, evolve(other, { depends_on }, event(s, 'repointed', { from: task.id, to: ids })));
  }
  state = aligned(s, detach(state, task.id), 'rescope', `${task.id} → ${ids.join(', ')}: ${reason}`.slice(0, 2000));
  return {
    state: withAssessment(s, state, task, reason),
    detail: `task ${task.id} superseded by ${ids.join(', ')}: ${firstLine(reason, 240)}`,
    notes: [...withdrawnNotes(left), ...repointed.map((other) => `${other.id} now depends on ${ids.join(', ')}`)],
  };
}

/** How many replacements led to this task. Each link records the number, because ancestors may be archived. */
function chainDepth(state: State, task: Task): number {
  const recorded = historyOf(task).flatMap((entry) =>
    entry.event === 'supersedes' && typeof entry.chain === 'number' ? [entry.chain] : [],
  );
  return Math.max(0, lineage(state, task).length - 1, ...recorded);
}

/** The task's predecessors, oldest first, and the task itself. Bounded, because links may be edited by hand. */
function lineage(state: State, task: Task): readonly string[] {
  const line = [task.id];
  let at: Task | undefined = task;
  while (at !== undefined && line.length <= 20) {
    const parent: string | undefined = at.supersedes?.find((id) => !line.includes(id));
    if (parent === undefined) break;
    line.unshift(parent);
    at = findTask(state, parent);
  }
  return line;
}
