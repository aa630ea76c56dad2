// The row of `unblock`: a blocked task goes back to the coders, as it is or with a changed definition.
// `answer` frees a task by the same guards and the same change.

import { raiseTaskCommands, taskUsedUp, usedUpText } from '../../../budget/rules/limits.ts';
import { counted, whole } from '../../../text/format.ts';
import { actorName } from '../../board.ts';
import { aligned, event, evolve, processAnomalies, unique, withAnomaly, withTask } from '../../change.ts';
import type { BoardSituation, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { droppedNotes } from '../../definition/amendment.ts';
import {
  checkDefinition,
  checkReplaced,
  definitionWhenBlocked,
  definitionWhenFailed,
  differing,
  formerValues,
  isChanged,
  isReworded,
  isSpecChanged,
} from '../../definition/definition.ts';
import { checkGates } from '../../definition/gates.ts';
import { checkSubstance } from '../../definition/substance.ts';
import { checkTestWaiver } from '../../definition/test-waiver.ts';
import { codersOf, historyOf } from '../../leases.ts';
import { blockingQuestions, needsPerson } from '../../messages/questions.ts';
import type { Anomaly, Task } from '../../state.ts';
import { meantHint } from '../../unknown-id.ts';
import { blank } from '../../values.ts';
import {
  FAILURES_THAT_EXHAUST,
  isDeadlocked,
  isExhausted,
  isStoppedByBudget,
  LET_GO,
  unblocksOf,
} from '../../work/blocked.ts';
import { PLANNERS, specText } from './planning.ts';
import { START_OVER, withdrawn, withdrawnNotes } from './rescope.ts';

export const unblock: Row<'unblock'> = {
  name: 'unblock',
  syntax: 'unblock {task}',
  summary: 'Give a blocked task back to the coders.',
  who: PLANNERS,
  from: ['BLOCKED'],
  to: ['UNCLAIMED'],
  instead: ({ id, status, failures_current = [] }) =>
    status === 'DRAFT' || failures_current.length >= FAILURES_THAT_EXHAUST
      ? undefined
      : `Nothing needs to be done: it is not blocked, see liza show ${id}`,
  already: ({ task, actor, command }) => {
    const last = historyOf(task).at(-1);
    if (task.status !== 'UNCLAIMED' || last?.event !== 'unblocked' || last.agent !== actorName(actor)) return false;
    const flags = ['assessment', 'keep_worktree', 'reset_review_cycles', 'exclude', 'reserve', 'withdraw'] as const;
    const same = flags.every((flag) => JSON.stringify(last[flag]) === JSON.stringify(command[flag]));
    return same && Object.keys(differing(task, command.changes ?? {})).length === 0;
  },
  guards: [
    {
      name: 'definition',
      rule: 'changes pass the guards of add-task',
      check: (s) => checkDefinition(s, s.command.task, s.command.changes ?? {}),
    },
    {
      name: 'criterion',
      rule: 'a criterion that is replaced exists, and is replaced once',
      check: (s) => checkReplaced(s, s.task, s.command.changes),
    },
    {
      name: 'definition-changed',
      rule: 'after two coders failed, a word, number, path or command of done_when, scope, spec_ref or validation, or the text of the spec, must differ; case, spacing and punctuation do not count',
      needs: 'facts',
      check: ({ task, command, commandLine }) => {
        if (!isExhausted(task) || command.answered_by_person === true) return undefined;
        if (isReworded(definitionWhenFailed(task), redefined(task, command.changes))) return undefined;
        if (isSpecChanged(task, command.facts)) return undefined;
        return refuse(
          `${task.failures_current?.join(' and ')} failed it as it is defined, so the definition is presumed wrong, and nothing in it has changed`,
          `Change it as you unblock it (liza unblock ${task.id} ${command.answered === true ? '"<answer>" ' : ''}--replace-done "<n>: …", --add-done "…", --scope "…" or --validate "…"), replace it (${commandLine('supersede', task.id)}) or give it up (${commandLine('abandon', task.id)})`,
        );
      },
    },
    {
      name: 'unblocks-left',
      rule: 'the planner unblocks one task at most max_unblocks times; after that only a person does',
      check: ({ task, part, settings, commandLine }) => {
        const times = unblocksOf(task);
        if (part !== 'planner' || times < settings.max_unblocks) return undefined;
        return refuse(
          `it was unblocked ${counted(times, 'time')} already, max_unblocks is ${settings.max_unblocks}, and the next needs a person`,
          `Leave it BLOCKED for a person, replace it (${commandLine('supersede', task.id)}) or give it up (${commandLine('abandon', task.id)})`,
        );
      },
    },
    {
      name: 'assessment',
      rule: 'after a review deadlock an assessment is given',
      check: ({ task, command, commandLine }) =>
        isDeadlocked(task) && blank(command.assessment)
          ? refuse(
              'coder and reviewer were deadlocked and no assessment was given',
              `Say which of the two is stuck and why: ${commandLine('unblock', task.id)} --assessment "…"`,
            )
          : undefined,
    },
    {
      name: 'within-budget',
      rule: 'the task’s own budget is not used up',
      check: withinBudget,
    },
    {
      name: 'coders',
      rule: 'coders that are named are registered; a reserved one is not excluded',
      check: ({ state, task, command }) => {
        const { reserve } = command;
        const coders = Object.keys(state.agents).filter((id) => state.agents[id]?.role === 'coder');
        const named = [...(command.exclude ?? []), ...(reserve === undefined ? [] : [reserve])];
        const unknown = named.find((id) => !coders.includes(id) && (id === reserve || !codersOf(task).includes(id)));
        if (unknown !== undefined) {
          const hint = `${meantHint(unknown, coders)}See who is there: liza status`;
          return refuse(`${unknown} is not a registered coder`, hint);
        }
        if (reserve === undefined) return undefined;
        if (![...(task.excluded_coders ?? []), ...(command.exclude ?? [])].includes(reserve)) return undefined;
        return refuse(`${reserve} would be both reserved and excluded`, 'Choose one of --reserve and --exclude');
      },
    },
    {
      name: 'answer',
      rule: 'the questions that hold it are answered, by words or by a definition that says something else, or withdrawn with a reason',
      check: checkAnswered,
    },
    {
      name: 'tests-with-code',
      rule: 'no answer frees a code task from its test: submit-for-review would refuse it again',
      check: (s) => checkTestWaiver(s, redefined(s.task, s.command.changes), saidWith(s)),
    },
    {
      name: 'gates',
      rule: 'the gates of finalize hold, those of substance for what changes, and no dependency is ABANDONED',
      needs: 'facts',
      check: (s) => {
        const next = redefined(s.task, s.command.changes);
        const changes = differing(s.task, s.command.changes ?? {});
        // What was wrong before is mended by an amend: `answer` frees tasks too, and takes no options.
        const given = Object.keys(changes).length === 0 ? {} : ({ given: true, changes: s.command.changes } as const);
        const by = { ...s, ...given };
        return checkGates(by, next, s.command.facts) ?? checkSubstance(by, next, s.command.facts, changes);
      },
    },
  ],
  effects:
    'a changed definition empties failures_current; failed_by stays; worktree kept with --keep-worktree, or when its budget had stopped it (the iteration then continues); a changed definition is an entry of alignment_history; assessment logged as review_deadlock; its anomalies are processed; questions that blocked it and got no answer are withdrawn, with the reason',
  change: (s) => {
    const { task, command } = s;
    const changes = differing(task, command.changes ?? {});
    const next = { ...task, ...changes };
    const reworded = isReworded(definitionWhenFailed(task), next) || isSpecChanged(task, command.facts);
    const goesOn = isStoppedByBudget(task) && task.worktree !== undefined;
    const keep = command.keep_worktree === true || goesOn;
    const fields = Object.keys(changes).join(', ') || 'its definition';
    const left = blockingQuestions(s.state, task);
    const why = blank(command.withdraw) ? `${task.id} was redefined instead (${fields})` : command.withdraw;
    const free = evolve(
      task,
      {
        ...(keep ? { ...LET_GO, assigned_to: undefined } : { ...START_OVER, rejection_reason: undefined }),
        ...changes,
        ...(changes.spec_ref === undefined ? {} : specText(command.facts)),
        status: 'UNCLAIMED',
        blocked_reason: undefined,
        blocked_questions: undefined,
        attempted: undefined,
        keep_worktree: keep ? true : undefined,
        ...(keep ? {} : { integration_fix: undefined }),
        reserved_for: command.reserve,
        ...((reworded || command.answered_by_person) && task.failures_current !== undefined
          ? { failures_current: [] }
          : {}),
        ...(command.reset_review_cycles === true ? { review_cycles_current: 0 } : {}),
        ...(command.exclude === undefined || command.exclude.length === 0
          ? {}
          : { excluded_coders: unique([...(task.excluded_coders ?? []), ...command.exclude]) }),
      },
      event(s, 'unblocked', {
        changed: isChanged(task, next),
        was: Object.keys(changes).length === 0 ? undefined : formerValues(task, changes),
        assessment: command.assessment,
        keep_worktree: command.keep_worktree,
        goes_on: goesOn || undefined,
        reset_review_cycles: command.reset_review_cycles,
        exclude: command.exclude,
        reserve: command.reserve,
        answered_by_person: command.answered_by_person,
        withdraw: left.length === 0 ? undefined : why,
      }),
    );
    const { assessment } = command;
    const isRescoped = isReworded(definitionWhenBlocked(task), next);
    const unasked = withTask(withdrawn(s, s.state, left, why), free);
    const freed = isRescoped
      ? aligned(s, unasked, 'rescope', `${task.id} redefined (${fields}) and unblocked`)
      : unasked;
    const logged = blank(assessment)
      ? freed
      : withAnomaly(s, freed, { type: 'review_deadlock', task: task.id, details: { assessment } });
    return {
      // An unblock settles every anomaly of the task, the deadlock included; an answer only what the block was about.
      state: processAnomalies(
        s,
        logged,
        ({ task: on, type }) => on === task.id && (command.answered !== true || OF_BLOCKS.has(type)),
      ),
      detail: `task ${task.id} unblocked${isRescoped ? ' with a changed definition' : ''}`,
      notes: [...droppedNotes(task, changes), ...withdrawnNotes(left), ...(keep ? [] : startsOver(s))],
      said: assessment ?? command.withdraw,
    };
  },
};

/** Said before it happens: the work is put away when somebody claims the task. */
function startsOver({ task: { id, worktree }, part, commandLine }: Situation<'unblock'>): readonly string[] {
  if (worktree === undefined) return [];
  const back =
    part === 'human' ? `; to keep it instead: liza undo, then ${commandLine('unblock', id)} --keep-worktree` : '';
  return [
    `Its next coder starts over. The work so far stays in ${worktree} until then; afterwards liza attempts ${id} shows it${back}`,
  ];
}

/** What is reported because a task is BLOCKED, not because of its work. */
const OF_BLOCKS: ReadonlySet<Anomaly['type']> = new Set(['review_deadlock', 'hypothesis_exhaustion']);

/** The words that its coder reads with it. */
function saidWith({ task, command }: BoardSituation<'unblock'>): readonly string[] {
  const { withdraw, assessment, answered, changes } = command;
  const answer = answered === true ? historyOf(task).at(-1)?.answer : undefined;
  return [withdraw, assessment, answer, ...(changes?.add_done ?? [])].filter((one) => typeof one === 'string');
}

const redefined = (task: Task, changes: Situation<'unblock'>['command']['changes']): Task => ({
  ...task,
  ...differing(task, changes ?? {}),
});

/** Whoever asked reads what became of it: an answer, other words in the definition, or why neither was needed. */
function checkAnswered({ state, task, command, part }: BoardSituation<'unblock'>): Refusal | undefined {
  const open = blockingQuestions(state, task);
  if (open.length === 0 || !blank(command.withdraw)) return undefined;
  if (isReworded(definitionWhenBlocked(task), redefined(task, command.changes))) return undefined;
  const line = `liza unblock ${task.id}`;
  const { keep_worktree, reset_review_cycles, exclude, reserve, changes, assessment } = command;
  const options = [keep_worktree, reset_review_cycles, exclude, reserve, changes, assessment];
  const answer = options.every((one) => one === undefined)
    ? `liza answer ${open.length === 1 ? open[0]?.id : task.id} "…"`
    : `${line} "…" with the options that you gave`;
  const ways = [
    ...(part === 'planner' && open.some(needsPerson) ? [] : [`answer it, which unblocks the task: ${answer}`]),
    `if no answer is needed, say why: ${line} --withdraw "…"`,
    ...(part === 'planner' ? ['if only a person can answer, leave it BLOCKED'] : []),
  ];
  return refuse(
    `${task.id} waits for an answer: ${open.map(({ id, text }) => `${id} “${whole(text)}”`).join('; ')}`,
    ways.join('; '),
  );
}

/** A task whose budget is used up could not be claimed, and would wait without anybody noticing. */
function withinBudget({ state, task, part, commandLine }: BoardSituation<'unblock'>): Refusal | undefined {
  const over = taskUsedUp(state, task);
  const [first] = over;
  if (first === undefined) return undefined;
  const raise = raiseTaskCommands(over, task.id);
  return refuse(
    usedUpText(first),
    part === 'planner'
      ? `Only a person can raise it. Leave it BLOCKED, or make it smaller: ${commandLine('supersede', task.id)}`
      : `Raise it, if it is worth more: ${raise}`,
  );
}
