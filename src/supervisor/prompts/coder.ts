// What a coder's session is told: its task, what was said against the last attempt, what an earlier session
// left, and the way from checkpoint to submit. A resumed session is told only what changed.

import { amendmentsSincePlan } from '../../protocol/definition/amendment.ts';
import { checkpointEvent, historyOf, iterationEvents } from '../../protocol/leases.ts';
import { answersSincePlan } from '../../protocol/messages/question-scope.ts';
import { namedIn, reportedDuring } from '../../protocol/review/reported.ts';
import { type HistoryEvent, type State, settings, type Task } from '../../protocol/state.ts';
import { blockBefore, isGivenBack } from '../../protocol/work/block-before.ts';
import { counted, gist } from '../../text/format.ts';
import { blockedBefore, replaced } from './blocked-before.ts';
import { begin, commandLines, handoff } from './commands.ts';
import { concernsBefore } from './concerns.ts';
import { formerWork, outdatedCheckpoint, REDEFINES } from './former-work.ts';
import { handedOff } from './handoff.ts';
import { lastOnTask } from './last-session.ts';
import { lastVerdict, ownAnswers, ownDiscoveries, quotedVerdict } from './last-verdict.ts';
import type { CoderWork, PromptContext } from './prompt.ts';
import { field, inline, pathList, quoteList } from './quote.ts';
import { assemble, bootstrap, humanNotes, notesFor, rejectionOf, type Section, section } from './sections.ts';
import {
  amendedFields,
  answerFields,
  checkpointFields,
  definitionFields,
  firstPlan,
  iterationLine,
  retractedFields,
  showTask,
  specNews,
} from './task-fields.ts';
import { trialLines } from './trial.ts';

export function coderPrompt(context: PromptContext, work: CoderWork): string {
  const { task } = work;
  const fresh = work.resumed !== true;
  const incomplete = `\`liza block ${task.id} --reason "bootstrap incomplete" --question "what is missing"\`, then \`liza exit 42 --reason "blocked"\`.`;
  return assemble([
    ...(fresh ? [bootstrap(context, incomplete, work.named ? task.id : undefined)] : []),
    ...lastVerdict(context, task),
    assignedTask(context, work, fresh),
    lastOnTask(context, task, !fresh),
    ...(fresh ? [handedOff(context, task)] : []),
    humanNotes(context, notesFor(context, task), task),
  ]);
}

function assignedTask(context: PromptContext, work: CoderWork, fresh: boolean): Section {
  const { board, places } = context;
  const { task } = work;
  const { state } = board;
  const checkpoint = checkpointFields(task);
  return section('ASSIGNED TASK', [
    `TASK ID: ${task.id}`,
    `WORKTREE: ${inline(work.worktree)} (branch task/${task.id}; change nothing outside it)`,
    ...(work.begun === undefined || work.without === undefined
      ? []
      : [`WORKTREE LACKS THE REJECTED COMMIT ${work.without}: this iteration began at ${work.begun}.`]),
    iterationLine(state, task),
    ...(fresh
      ? [
          `TYPE: ${task.type ?? 'code'}`,
          ...definitionFields(state, task, places),
          ...earlier(task, context.agent),
          ...blockedBefore(task),
          ...replaced(state, work),
          ...formerWork(work),
        ]
      : wasRedefined(task)
        ? [REDEFINED, ...definitionFields(state, task, places)]
        : answerFields(state, task)),
    ...(!fresh && isGivenBack(task) ? [...blockedBefore(task), ...formerWork(work)] : []),
    ...amendedFields(task),
    ...trialLines(state, task, onBase(task), { listed: fresh || wasRedefined(task) }),
    ...specNews(task, work.spec),
    ...(checkpoint === undefined ? outdatedCheckpoint(task) : fresh ? checkpoint : []),
    ...(fresh ? firstPlan(task) : []),
    ...answeredSince(state, task),
    ...foundElsewhere(context, task),
    ...(fresh ? concernsBefore(state, task, quotedVerdict(context, task)?.task.id) : []),
    ...(fresh ? reportedBefore(state, task) : []),
    ...ownAnswers(context, task),
    ...ownDiscoveries(context, task, fresh),
    ...madeAgain(task),
    ...lastSubmit(task),
    ...retractedFields(task),
    ...integrationFix(work),
    ...drift(work),
    'INSTRUCTIONS:',
    ...(work.handOff === undefined || fresh
      ? instructions(state, work, checkpoint !== undefined)
      : handOffNow(task, work.handOff)),
    ...(fresh ? commandLines('coder', task.id, state, stands(state, task)) : []),
  ]);
}

/** Problems that others found and that name this task, and what the reader itself found where this task takes it up. */
function foundElsewhere({ board, agent }: PromptContext, task: Task): readonly string[] {
  const all = namedIn(board.state, task);
  const list = (title: string, found: typeof all): readonly string[] => {
    const lines = found.slice(-5).map(({ id, kind, by, text }) => `${id} (${kind}) by ${by}: ${gist(text, 1000)}`);
    return lines.length === 0 ? [] : [title, ...quoteList(lines, 'liza status')];
  };
  return [
    ...list(
      'FOUND BY OTHERS, NAMING THIS TASK (mind them where they affect your change):',
      all.filter(({ by }) => by !== agent),
    ),
    ...list(
      'FOUND BY YOU, AND THIS TASK TAKES IT UP:',
      all.filter(({ by, taken }) => by === agent && taken),
    ),
  ];
}

/** Earlier sessions of this task wrote it down, whoever had it then. Questions are under ANSWERS. */
function reportedBefore(state: State, task: Task): readonly string[] {
  const told = reportedDuring(state, task).slice(-MOST_REPORTS);
  if (told.length === 0) return [];
  const lines = told.map((text) => gist(text, 1000));
  return [
    'REPORTED DURING THIS TASK (already on the board: report only what is new):',
    ...quoteList(lines, 'liza status'),
  ];
}

const MOST_REPORTS = 5;

const onBase = ({ id }: Task) => ({
  title: 'VALIDATION ON THE BASE, before your change',
  green: () => 'GREEN there: it proves nothing about your change, unless nothing should change.',
  changes:
    'What CHANGED TRACKED FILES does so in your worktree, too: commit first, and after it `git restore` those files; never commit what it left.',
  missing: `If your task does not create what CANNOT RUN: the planner is told and may replace it; if nothing comes before you submit: \`liza block ${id} --reason "the validation cannot run" --question "which command proves it?"\``,
});

/** An answer that the plan of this iteration cannot know. */
function answeredSince(state: State, task: Task): readonly string[] {
  const late = answersSincePlan(state, task).map(({ id }) => id);
  const isAmended = amendmentsSincePlan(task).length > 0;
  if (late.length === 0 && !isAmended) return [];
  const than = [
    ...(late.length === 0 ? [] : [`the answer to ${late.join(', ')} (see ANSWERS)`]),
    ...(isAmended ? ['the amendment (see AMENDED)'] : []),
  ];
  return [
    `THE PLAN IS OLDER than ${than.join(' and ')}. If it changes, record it again now: \`${begin(task.id, state)}\``,
  ];
}

/** The checkpoint counts, and no answer came since that would let the coder record another. */
const stands = (state: State, task: Task): boolean =>
  checkpointEvent(task) !== undefined && answersSincePlan(state, task).length === 0;

const REDEFINED = 'The task was redefined since your last session. What counts now:';

/** Whether the definition changed since the last claim but one, when the resumed session read it. */
function wasRedefined(task: Task): boolean {
  const history = historyOf(task);
  const claims = history.flatMap(({ event }, at) => (event === 'claimed' ? [at] : []));
  return history.slice(claims.at(-2) ?? 0).some(({ event, changed }) => REDEFINES.has(event) && changed === true);
}

function instructions(state: State, work: CoderWork, begun: boolean): readonly string[] {
  const { task, resumed } = work;
  const { assumption_budget: assumptions } = settings(state);
  const isOlder = answersSincePlan(state, task).length + amendmentsSincePlan(task).length > 0;
  const rejection = rejectionOf(task);
  const checkpoint = resumed === true ? `\`${begin(task.id, state)}\`` : 'the first line of COMMANDS';
  const start = begun
    ? `${whoseCheckpoint(task)} for this iteration counts (no second \`begin\`${isOlder ? ' unless it changes' : ''}). See how far it got: \`git status\`, \`git log\`. Continue from there.${resumed === true ? '' : BEYOND}`
    : `Before the first change record your checkpoint, with at most ${counted(assumptions, 'assumption')}: ${checkpoint}.`;
  const steps = [
    // A fresh session has all its context: it continues instead of handing off.
    ...(work.handOff === undefined
      ? []
      : ['The session before you ran out of context; what it left is in WORKTREE: `git status`, `git log`.']),
    ...(resumed === true ? [] : ['Read SPEC, then the code you will touch.']),
    ...(rejection === undefined ? [] : [rejection.former === true ? LEARN : ANSWER]),
    start,
    howTo(work),
    'Run VALIDATION, read the output, and commit everything in WORKTREE.',
    `\`liza submit-for-review ${task.id} HEAD\`: Liza runs VALIDATION at your commit itself, so give it time; red is refused; then fix it and submit again. Then \`liza exit 42 --reason "submitted"\`, and stop.`,
  ];
  return steps.map((step, at) => `${at + 1}. ${step}`);
}

/** A plan that stands takes no second `begin`; what its successor thinks has a place all the same. */
const BEYOND = ' What else you assume: `ask … --assume`; one more file: `begin --also`.';
const ANSWER = 'Answer every blocker of PRIOR REJECTION FEEDBACK; unchanged work is refused.';
const LEARN = 'PRIOR REJECTION FEEDBACK says what the earlier work lacked: yours must not lack it.';

/** Tells a coder that its worktree was lost or spoilt in this iteration, so that it does not look for missing files. */
function madeAgain(task: Task): readonly string[] {
  const made = iterationEvents(task).findLast(({ tip }) => typeof tip === 'string');
  if (made === undefined) return [];
  const tip = String(made.tip).slice(0, 12);
  const kept =
    typeof made.kept === 'string'
      ? ` The files of the old one are kept as a commit; look at it with \`git diff ${tip} ${made.kept}\`, and take what you need with \`git checkout ${made.kept} -- <path>\`.`
      : '';
  return [
    `WORKTREE WAS CREATED AGAIN at ${tip}, the last commit that Liza saw, because it was not usable; later commits in it are gone.${kept} Leave .git to git.`,
  ];
}

/** Whose checkpoint stands: after a budget stopped the task, another coder may continue the iteration. */
function whoseCheckpoint(task: Task): string {
  const by = checkpointEvent(task)?.agent;
  return by === undefined || by === task.assigned_to ? 'Your checkpoint' : `The checkpoint of ${inline(by)}`;
}

/** How the last submit ended: what it was refused for, or that it was accepted and retracted, and what was told of it. */
function lastSubmit(task: Task): readonly string[] {
  const red = iterationEvents(task).findLast(
    ({ event, remembered }) => event === 'submitted' || (event === 'validation_failed' && remembered !== true),
  );
  if (red?.event === 'submitted') return acceptedSubmit(task, red);
  if (typeof red?.reason !== 'string') return [];
  const output = typeof red.output === 'string' ? `\n${red.output}` : '';
  return field(
    `LAST SUBMIT, of ${String(red.commit).slice(0, 12)}, was refused`,
    `${red.reason}${output}`,
    showTask(task),
  );
}

/** Why it was retracted follows. */
function acceptedSubmit(task: Task, { commit, told, time }: HistoryEvent): readonly string[] {
  const isRetracted = iterationEvents(task).some(
    (one) => one.event === 'retracted' && one.commit === commit && one.time >= time,
  );
  if (!isRetracted) return [];
  return [
    `SUBMITTED AND RETRACTED in this iteration: ${String(commit).slice(0, 12)} (the same files again only with \`--unchanged "why"\`).`,
    ...(Array.isArray(told) && told.length > 0
      ? ['LIZA HAD TOLD OF IT (does it still hold?):', ...quoteList(told.map(String), showTask(task))]
      : []),
  ];
}

function howTo({ task, conflicts = [] }: CoderWork): string {
  if (task.integration_fix === true) return conflicts.length > 0 ? FIX.conflict : FIX.red;
  const again = rejectionOf(task);
  return (task.type ?? 'code') === 'code'
    ? again !== undefined && again.former !== true
      ? 'For a blocker that a test can show, write the test first. Then change the code where needed: if the code was right and only its test was missing, the test may be green at once.'
      : 'Tests first: they fail without the change and prove DONE WHEN. Then the code.'
    : task.type === 'test'
      ? 'Write only tests: other code is refused. If the code is wrong or cannot be tested as it is: `liza block`.'
      : `Write it; a ${task.type} task that touches code needs a test too.`;
}

const FIX = {
  conflict:
    'Only reconcile: keep what both sides meant, add nothing new. The merge is in WORKTREE; conclude it with `git add` and `git commit`.',
  red: 'Only make the merged work pass the tests that failed on it, without weakening any test; add nothing new.',
} as const;

function handOffNow(task: Task, percent: number): readonly string[] {
  return [
    `Your context is ${Math.round(percent)} % used. Hand off NOW; begin nothing new:`,
    '1. Commit what you have, at a point that makes sense.',
    `2. \`${handoff(task.id)}\``,
    '3. `liza exit 42 --reason "handed off"`, and stop.',
  ];
}

/** Why an approved commit did not merge, and what has to be reconciled. */
function integrationFix({ task, conflicts = [] }: CoderWork): readonly string[] {
  if (task.integration_fix !== true) return [];
  const failed = historyOf(task).findLast(({ event }) => event === 'integration_failed');
  const text = (key: string): string | undefined => (typeof failed?.[key] === 'string' ? failed[key] : undefined);
  const printed = text('output') ?? text('log');
  const others = Array.isArray(failed?.with) ? failed.with.map(String) : [];
  return [
    ...field('INTEGRATION FIX, because the approved commit did not merge', text('reason'), showTask(task)),
    ...(conflicts.length === 0 ? [] : [`CONFLICTS: ${pathList(conflicts)}`]),
    ...(others.length === 0
      ? []
      : [`OTHER SIDE: ${pathList(others)} (read them: \`liza show ${inline(others[0] ?? task.id)}\`)`]),
    ...(printed === undefined ? [] : field('TEST LOG', printed, showTask(task))),
  ];
}

const drift = ({ drift: gained }: CoderWork): readonly string[] =>
  gained === undefined || gained.commits === 0
    ? []
    : [
        `INTEGRATION MOVED: ${counted(gained.commits, 'commit')} since this work began, touching ${pathList(gained.files)}. Rebase only if you need them, and after \`begin\`${gained.head === undefined ? '' : `: \`git rebase ${gained.head}\``}.`,
      ];

/** That somebody failed here; why is told with the block, where the work is, with the folder. */
function earlier(task: Task, reader: string): readonly string[] {
  const isTold = blockBefore(task) !== undefined;
  // Its own block is told below, as its own.
  const failed = (task.failed_by ?? []).filter((one) => !(isTold && one === reader));
  if (failed.length === 0) return [];
  const reason = !isTold
    ? historyOf(task).findLast(({ event, reason: why }) => event === 'blocked' && typeof why === 'string')?.reason
    : undefined;
  const why = typeof reason === 'string' ? `, the last for: ${inline(gist(reason, 600))}` : '';
  return [
    `EARLIER ATTEMPTS: ${failed.map((one) => (one === reader ? 'you' : one)).join(', ')} could not finish it${why} (see \`liza show ${task.id}\`).`,
  ];
}
