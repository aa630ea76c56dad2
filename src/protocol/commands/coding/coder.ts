// The coder's rows: checkpoint, block, and the limits by which its supervisor blocks for it.

import { raiseTaskCommands, spentText, taskUsedUp } from '../../../budget/rules/limits.ts';
import { counted } from '../../../text/format.ts';
import { duration, iso } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { event, evolve, withTask } from '../../change.ts';
import type { CommandName, WorktreeFacts } from '../../command.ts';
import type { Guard, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { amendmentsSincePlan } from '../../definition/amendment.ts';
import { isOpen } from '../../definition/example-words.ts';
import { exampleValidation, lacksInValidation } from '../../definition/plan-validation.ts';
import { thinFields } from '../../definition/plan-words.ts';
import { coversAll } from '../../facts/scope.ts';
import { checkpointEvent, historyOf, startCommit, taskLease } from '../../leases.ts';
import { answersSincePlan } from '../../messages/question-scope.ts';
import { withQuestion } from '../../messages/questions.ts';
import type { Task } from '../../state.ts';
import { blank } from '../../values.ts';
import { blockTask, QUESTIONS } from '../../work/blocked.ts';
import { SUPERVISOR_ENDED } from '../../work/losses.ts';
import { firstLine, list, ownOrStop, STOP } from '../words.ts';
import { beyondNote, notAPath, outsidePlan, tooMany } from './plan-files.ts';

export function holdsTask<K extends CommandName>(): Guard<K> {
  return {
    name: 'holds-task',
    rule: 'the coder holds the task and its lease is live',
    check: ({ board, state, actor, task, now }) => {
      if (task.assigned_to !== actor.id || actor.id === undefined) {
        return refuse(
          `${task.id} is held by ${task.assigned_to ?? 'nobody'}, not by ${actorName(actor)}`,
          ownOrStop({ state, actor, task }),
        );
      }
      const lease = taskLease(board, task, now);
      if (!lease.expired) return undefined;
      const how = lease.dead ? SUPERVISOR_ENDED : `it ended ${duration(-lease.remaining)} ago`;
      return refuse(`the lease of ${actor.id} on ${task.id} is lost: ${how}`, STOP);
    },
  };
}

export const CHECKPOINT_RULE = 'this iteration has its checkpoint';

export const hasCheckpoint = <K extends CommandName>(): Guard<K> => ({
  name: 'checkpoint-first',
  rule: CHECKPOINT_RULE,
  check: (s) => withoutCheckpoint(s, true),
});

/** `hasWork`: something is there that would be refused with the checkpoint, unless it is set aside. */
export function withoutCheckpoint(
  { task, commandLine }: Pick<Situation<CommandName>, 'task' | 'commandLine'>,
  hasWork: boolean,
): Refusal | undefined {
  if (checkpointEvent(task) !== undefined) return undefined;
  const line = commandLine('begin', task.id);
  return refuse(
    `iteration ${task.iteration} has no checkpoint`,
    hasWork && mayPutAside(task)
      ? `It comes before the code; with --set-aside what you have is kept for after it: ${line} --set-aside`
      : `It comes before the code: ${line}`,
  );
}

export const begin: Row<'begin'> = {
  name: 'begin',
  syntax: 'begin {task} --intent "…" --risks "…" --validation "…" --file <path>',
  summary: 'Write the checkpoint before the first line of code.',
  who: ['coder'],
  from: ['CLAIMED'],
  offered: (task) => checkpointEvent(task) === undefined,
  hinted: (task) => (mayPutAside(task) ? ' --set-aside' : ''),
  to: ['CLAIMED', 'BLOCKED'],
  already: ({ task, actor, command }) => {
    const made = checkpointEvent(task);
    return made?.agent === actor.id && JSON.stringify(made?.checkpoint) === JSON.stringify(command.checkpoint);
  },
  guards: [
    holdsTask(),
    {
      name: 'once',
      rule: 'once per iteration, and again after an answer or an amendment that came later; a handoff, a continued takeover, a raised budget or an unblock that keeps the worktree of the same coder continues it',
      check: ({ state, task, commandLine }) =>
        checkpointEvent(task) === undefined ||
        answersSincePlan(state, task).length + amendmentsSincePlan(task).length > 0
          ? undefined
          : refuse(
              `iteration ${task.iteration} of ${task.id} already has its checkpoint`,
              `Continue with the work, then: ${commandLine('submit-for-review', task.id)}`,
            ),
    },
    {
      name: 'checkpoint',
      rule: 'intent and risks in words, validation (what is run, and its expected result), files_to_modify; assumptions may be empty',
      needs: 'facts',
      check: checkpointComplete,
    },
    {
      name: 'files',
      rule: 'paths, folders and patterns of the repository, none of which means all of it; not too many of them',
      check: ({ command, commandLine, task }) => {
        const files = command.checkpoint.files_to_modify.filter((file) => !blank(file));
        const many = tooMany(files, '--file');
        if (many !== undefined) return many;
        const wide = files.find(coversAll);
        if (wide === undefined) return notAPath(files, '--file');
        return refuse(
          `${wide.slice(0, 80)} means every file: then nothing could be beyond the plan`,
          `Name the files that you will change, or their folders and patterns: --file src/a.c --file 'test/**'; one that you find later: ${commandLine('declare', task.id)}`,
        );
      },
    },
    {
      name: 'in-scope',
      rule: 'none of them is declared OUT, and for a test task none is code other than tests',
      check: (s) => outsidePlan(s, s.command.checkpoint.files_to_modify),
    },
    {
      name: 'before-code',
      rule: 'HEAD is the iteration’s start commit and the tree is clean, unless an answer or an amendment changes the plan under way',
      needs: 'facts',
      check: beforeCode,
    },
  ],
  effects: 'history pre_execution_checkpoint; more assumptions than assumption_budget → BLOCKED',
  change: (s) => {
    const { task, command, settings } = s;
    const { checkpoint } = command;
    const because = answersSincePlan(s.state, task);
    const told = event(s, 'pre_execution_checkpoint', {
      checkpoint,
      head: command.facts?.head,
      iteration: task.iteration,
      known_attempts: command.facts?.attempts,
      because: because.length === 0 ? undefined : because.map(({ id }) => id),
    });
    const { assumptions } = checkpoint;
    if (assumptions.length <= settings.assumption_budget) {
      const state = withTask(s.state, evolve(task, {}, told));
      const notes = beyondNote(s, checkpoint.files_to_modify);
      return {
        state,
        detail: `${s.actor.id} began ${task.id}: ${firstLine(checkpoint.intent)}`,
        ...(notes.length === 0 ? {} : { notes }),
      };
    }
    const reason = `assumption budget exceeded: ${counted(assumptions.length, 'assumption')}, ${settings.assumption_budget} allowed`;
    return {
      state: blockTask(s, s.state, task, { reason, questions: QUESTIONS.assumptions, earlier: [told] }),
      detail: `${task.id} BLOCKED: ${reason}`,
      notes: ['The planner answers.'],
      stop: 'Stop now: liza exit 42 --reason "blocked"',
    };
  },
};

function checkpointComplete(s: Situation<'begin'>): Refusal | undefined {
  const { task, command, settings, commandLine } = s;
  const { intent, risks, validation, files_to_modify } = command.checkpoint;
  const lacks = blank(validation) || isOpen(validation) ? undefined : lacksInValidation(settings, task, validation);
  const missing = [
    ...(blank(intent) ? ['intent'] : []),
    ...(blank(risks) ? ['risks'] : []),
    ...(blank(validation) || isOpen(validation) ? ['validation (command and expected result)'] : []),
    ...(files_to_modify.every(blank) ? ['files_to_modify'] : []),
    ...(lacks === undefined
      ? []
      : [`${lacks.startsWith('it names') ? 'the command and ' : ''}the expected result of the validation (${lacks})`]),
    ...thinFields(command.checkpoint),
  ];
  if (missing.length === 0) return undefined;
  const line = commandLine('begin', task.id).replace(
    '--validation "…"',
    () => `--validation ${exampleValidation(settings, task)}`,
  );
  const isLate = command.facts !== undefined && isBeforePlan(task, command.facts);
  const aside = command.set_aside === true || (isLate && mayPutAside(task)) ? ' --set-aside' : '';
  // What would be refused next is told in the same round.
  const out = outsidePlan(s, files_to_modify);
  const rest = out === undefined ? 'the rest as it was' : 'the rest as it was but for those files';
  return refuse(
    `the checkpoint lacks ${missing.join(missing.some((one) => one.includes(' ')) ? '; ' : ', ')}${out === undefined ? '' : `; and ${out.message}`}`,
    `${out === undefined ? '' : `${out.hint}. Otherwise: `}Give ${missing.length === 1 ? `it, and ${rest}` : 'them all'}: ${line}${aside}`,
  );
}

const setAside = (what: string): string =>
  `The same command with --set-aside keeps ${what}, resets the worktree, begins, and says how to bring it back`;

/** A merge that is laid out in the folder cannot be set aside. */
const mayPutAside = ({ integration_fix: fixes }: Task): boolean => fixes !== true;

/** Something came before the first checkpoint. */
const isBeforePlan = (task: Task, { head, dirty }: WorktreeFacts): boolean =>
  checkpointEvent(task) === undefined && (head !== startCommit(task) || dirty.length > 0);

/** What would follow is told before the command is typed again. */
function beforeCode(s: Situation<'begin'>): Refusal | undefined {
  const refused = codeBeforePlan(s);
  const { assumptions } = s.command.checkpoint;
  const { assumption_budget: most } = s.settings;
  if (refused === undefined || assumptions.length <= most) return refused;
  return {
    ...refused,
    hint: `${refused.hint}. But its ${counted(assumptions.length, 'assumption')} (${most} allowed) would block the task until the planner answers: leave out what DONE WHEN or an answer says already`,
  };
}

function codeBeforePlan({ task, command }: Situation<'begin'>): Refusal | undefined {
  const { facts } = command;
  if (facts === undefined) {
    return refuse(
      `the worktree of ${task.id} is not there`,
      'Stop, so that it is created again: liza exit 42 --reason "no worktree"',
    );
  }
  // The first one came before the code; this one follows an answer.
  if (checkpointEvent(task) !== undefined) return undefined;
  const start = startCommit(task);
  if (facts.head !== start && facts.integrated === facts.head) {
    return refuse(
      `HEAD is ${facts.head}, a commit of the integration branch, but this iteration starts at ${start}: a rebase comes after the checkpoint`,
      `The same command with --set-aside puts the folder back to ${start?.slice(0, 12)}, begins, and says how to rebase then${facts.dirty.length === 0 ? '' : '; files that you changed are kept'}`,
    );
  }
  if (facts.head !== start) {
    return refuse(
      `HEAD is ${facts.head}, but this iteration starts at ${start}: the code came before the checkpoint`,
      setAside('what was committed and changed since'),
    );
  }
  if (facts.dirty.length === 0) return undefined;
  return refuse(`these files are changed already: ${list(facts.dirty)}`, setAside('these changes'));
}

export const block: Row<'block'> = {
  name: 'block',
  syntax: 'block {task} --reason "…" --question "…"',
  summary: 'Say what blocks the work and which answer would unblock it.',
  who: ['coder', 'planner'],
  from: ['CLAIMED', 'INTEGRATION_FAILED'],
  fromOf: { coder: ['CLAIMED'], planner: ['INTEGRATION_FAILED'] },
  to: ['BLOCKED'],
  whileHalted: true,
  already: ({ task, actor, command }) => {
    const last = historyOf(task).at(-1);
    return (
      task.status === 'BLOCKED' &&
      last?.event === 'blocked' &&
      last.agent === actorName(actor) &&
      task.blocked_reason === command.reason &&
      JSON.stringify(task.blocked_questions) === JSON.stringify(command.questions)
    );
  },
  guards: [
    {
      name: 'holds-task',
      rule: 'a coder holds the task and its lease is live',
      check: (s) => (s.part === 'coder' ? holdsTask<'block'>().check(s) : undefined),
    },
    {
      name: 'reason-and-questions',
      rule: 'a reason and one to three questions',
      check: ({ task, command, commandLine }) => {
        const asked = command.questions.filter((question) => !blank(question)).length;
        if (!blank(command.reason) && asked === command.questions.length && asked >= 1 && asked <= 3) return undefined;
        const fact = blank(command.reason)
          ? 'no reason is given'
          : `${counted(asked, 'question')} ${asked === 1 ? 'is' : 'are'} asked`;
        return refuse(
          `${fact}; a block needs the specific reason and one to three questions whose answers would unblock it`,
          commandLine('block', task.id),
        );
      },
    },
  ],
  effects:
    'blocked_reason, blocked_questions and their records; a coder’s own block counts in failed_by and failures_current',
  change: (s) => {
    const { task, command, part, actor } = s;
    const asked = { asked_by: actorName(actor), task: task.id, created: iso(s.now) };
    const before = command.questions.reduce((so, text) => withQuestion(so, { ...asked, text }).state, s.state);
    const state = blockTask(s, before, task, {
      reason: command.reason,
      questions: command.questions,
      attempted: command.attempted,
      failed: part === 'coder' ? actor.id : undefined,
    });
    return { state, detail: `${task.id} BLOCKED by ${actorName(actor)}: ${firstLine(command.reason)}` };
  },
};

export const limit: Row<'limit'> = {
  name: 'limit',
  syntax: 'agent coder {task}',
  summary: 'A limit was reached: the supervisor blocks the task for the coder.',
  who: ['supervisor'],
  from: ['CLAIMED'],
  to: ['BLOCKED'],
  inner: true,
  guards: [
    {
      name: 'own-task',
      rule: 'a supervisor blocks only its own agent’s task',
      check: ({ actor, task }) =>
        actor.id !== undefined && actor.id !== task.assigned_to
          ? refuse(`${task.assigned_to} holds ${task.id}, not ${actor.id}`, `See who works: liza show ${task.id}`)
          : undefined,
    },
    {
      name: 'limit-reached',
      rule: 'max_iterations: the iteration is at the limit; budget: the task’s is used up',
      check: ({ state, task, settings, command }) => {
        if (command.limit === 'budget' && taskUsedUp(state, task, task.assigned_to).length === 0) {
          return refuse(`${task.id} has some of its budget left`, 'Let the coder continue');
        }
        const max = task.max_iterations ?? settings.max_coder_iterations;
        if (command.limit !== 'max_iterations' || (task.iteration ?? 0) >= max) return undefined;
        return refuse(`${task.id} is at iteration ${task.iteration} of ${max}`, 'Let the coder continue');
      },
    },
  ],
  effects: 'blocked_reason, default questions; counts in failed_by and failures_current, except for a budget',
  change: (s) => {
    const { task, command, settings } = s;
    const over = taskUsedUp(s.state, task, task.assigned_to);
    const worth = `Is it worth more? Then a person runs: ${raiseTaskCommands(over, task.id)}`;
    const said = {
      max_iterations: `Max iterations (${task.max_iterations ?? settings.max_coder_iterations}) reached without approval`,
      spin: 'spin: session after session ended without any change',
      budget: `budget: ${over.map(spentText).join(', ')} used`,
      silence: `silence: no output and no progress for ${duration(settings.progress_timeout * 1000)}`,
    }[command.limit];
    const label = command.limit === 'spin' ? 'spin' : said;
    const reason = blank(command.detail) ? said : `${label}: ${command.detail}`;
    const state = blockTask(s, s.state, task, {
      reason: reason.slice(0, 4000),
      questions: command.limit === 'budget' ? [worth, ...QUESTIONS.budget] : QUESTIONS[command.limit],
      // A used-up budget is no failure of the coder.
      failed: command.limit === 'budget' ? undefined : task.assigned_to,
      event: 'limit',
      extra: { limit: command.limit, detail: blank(command.detail) ? undefined : command.detail?.slice(0, 1000) },
    });
    return { state, detail: `${task.id} BLOCKED by a limit: ${firstLine(said)}` };
  },
};
