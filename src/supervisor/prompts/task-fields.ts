// The fields of a task as its coder and its reviewer read them.

import { amendmentLines, amendmentsUnderClaim, occasionOf } from '../../protocol/definition/amendment.ts';
import { checkpointEvent, historyOf, iterationEvents, opensIteration } from '../../protocol/leases.ts';
import { answersBeside, contradictedBy, isTied, outcomeOf } from '../../protocol/messages/question-scope.ts';
import { isOpen, questionsFor } from '../../protocol/messages/questions.ts';
import { proofCommands } from '../../protocol/review/proof.ts';
import { type Question, type State, settings, type Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import { counted, gist, listed, whole } from '../../text/format.ts';
import type { Places, SpecNews } from './prompt.ts';
import { field, inline, quote, quoteList } from './quote.ts';

export const showTask = (task: Task): string => `liza show ${task.id} --json`;

/** What is to be built, and by what it is judged. */
export function definitionFields(state: State, task: Task, places: Places): readonly string[] {
  const rest = showTask(task);
  return [
    ...field('DESCRIPTION', task.description, rest),
    ...doneWhen(task),
    ...answerFields(state, task),
    ...field('SCOPE', task.scope, rest),
    specLine(task, places),
    ...validationFields(state, task),
  ];
}

/** The whole path: a copy in the reader's own folder may be older. */
function specLine({ spec_ref: ref }: Task, { project }: Places): string {
  if (ref === undefined) return 'SPEC: none';
  const path = inline(`${project}/${ref.replace(/^\.\//, '')}`);
  return `SPEC: ${path} (read it there: its current text counts; a copy in your folder may be older)`;
}

/** Its criteria with their numbers, as approvals and refusals name them. */
function doneWhen(task: Task): readonly string[] {
  let n = 0;
  const numbered = task.done_when?.replace(/^- (?=[ \t]*\S)/gm, () => `${++n}. `);
  return field(n === 0 ? 'DONE WHEN' : 'DONE WHEN (criteria by number)', numbered, showTask(task));
}

/** The change itself: an agent that read the section before, or a plan made from it, may not notice it. */
export function specNews(task: Task, news: SpecNews | undefined): readonly string[] {
  if (news === undefined) return [];
  const { diff, headingGone, was } = news;
  if (headingGone === true)
    return [
      'SPEC CHANGED: its heading is gone from the file; find where its text went, or ask.',
      ...(was === undefined
        ? []
        : ['IT READ, when the task was created:', ...quote(was.trim(), `liza show ${task.id} --spec`)]),
    ];
  if (diff === undefined) return ['SPEC CHANGED since the task was created: read it as it is now.'];
  return specDiffLines(task, 'SPEC CHANGED since the task was created', diff);
}

export function specDiffLines(task: Task, what: string, diff: NonNullable<SpecNews['diff']>): readonly string[] {
  const lines = diff.text.split('\n');
  const shown = lines.slice(0, MOST_DIFF);
  const more = lines.length - shown.length;
  return [
    `${what} (${counted(diff.added, 'line')} added, ${diff.removed} removed); the new text counts:`,
    ...quote(shown.join('\n'), showTask(task)),
    ...(more === 0 ? [] : [`(${more} more lines of this difference: read SPEC itself)`]),
  ];
}

const MOST_DIFF = 60;

/** What was asked about the task or its spec: answers count like DONE WHEN, assumptions until somebody answers. */
export function answerFields(state: State, task: Task): readonly string[] {
  return [...ownAnswers(state, task), ...answersBesideIt(state, task)];
}

const MOST_BESIDE = 10;
const LONGEST_BESIDE = 160;
/** A question that is cut is another question. */
const LONGEST_QUESTION = 600;

/** What the tasks before it were built by, a line each. */
function answersBesideIt(state: State, task: Task): readonly string[] {
  const all = answersBeside(state, task);
  if (all.length === 0) return [];
  const more = all.length - MOST_BESIDE;
  const line = ({ id, task: about, text, answer, assume }: Question): string => {
    const assumed =
      answer === undefined || assume === undefined ? '' : ` (assumed until then: ${gist(assume, LONGEST_BESIDE)})`;
    return `${id}${about === undefined ? '' : ` on ${about}`}: ${gist(text, LONGEST_QUESTION)} A ${gist(answer ?? assume ?? '', LONGEST_BESIDE)}${assumed}`;
  };
  const shown = all.slice(-MOST_BESIDE);
  const isCut = (text = '', most = LONGEST_BESIDE): boolean => whole(text).length > most;
  const cut = shown.filter(({ text, answer, assume }) => isCut(text, LONGEST_QUESTION) || isCut(answer ?? assume));
  const rest = [
    ...(cut.length === 0 ? [] : [`whole: ${cut.map(({ id }) => `\`liza show ${id}\``).join(', ')}`]),
    ...(more > 0 ? [`${more} older: \`liza question list --all\``] : []),
  ];
  return [
    `RELATED ANSWERS, on which other work was built; do not contradict them${rest.length === 0 ? '' : ` (${rest.join('; ')})`}:`,
    ...quoteList(shown.map(line), 'liza question list --all'),
  ];
}

function ownAnswers(state: State, task: Task): readonly string[] {
  const all = questionsFor(state, task);
  if (all.length === 0) return [];
  const open = all.some(isOpen) ? '; where there is no answer yet, DONE WHEN counts' : '';
  const [own, general] = [all.filter((one) => isTied(one, task)), all.filter((one) => !isTied(one, task))];
  const told = own.map((one) => `${one.id} Q ${one.text}\n${outcomeOf(one)}`);
  const head = `ANSWERS (an A counts like DONE WHEN${open}):`;
  const answers = quoteList([...told, ...general.map(inOneLine)], showTask(task));
  return [head, ...answers, ...contradicted(task, contradictedBy(state, task))];
}

/** What to do where the definition is older than an answer. */
function contradicted({ id, status }: Task, answered: readonly Question[]): readonly string[] {
  if (answered.length === 0) return [];
  const since = `${listed(
    answered.map((one) => one.id),
    5,
  )} came after DONE WHEN was written:`;
  return status === 'READY_FOR_REVIEW'
    ? [
        `${since} what contradicts the answer is a blocker that names it, also where DONE WHEN demands it; the planner amends DONE WHEN before a coder goes on.`,
      ]
    : [
        `${since} if DONE WHEN or VALIDATION contradicts the answer, do not choose: \`liza block ${id} --reason "what contradicts which answer" --question "which criterion changes, and how?"\``,
      ];
}

/** A question about a spec as a whole concerns each of its tasks a little. */
const inOneLine = (one: Question): string =>
  `${one.id}, on the whole spec (\`liza show ${one.id}\`): Q ${gist(one.text, LONGEST_QUESTION)} ${gist(outcomeOf(one), LONGEST_BESIDE)}`;

/** Why its coder took earlier submissions of this iteration back. */
export function retractedFields(task: Task): readonly string[] {
  const all = iterationEvents(task).filter(({ event, reason }) => event === 'retracted' && typeof reason === 'string');
  if (all.length === 0) return [];
  const told = all.map(({ commit, reason }) => `${String(commit).slice(0, 12)}: ${reason}`);
  const again = iterationEvents(task).flatMap(({ event, commit, unchanged }) =>
    event === 'submitted' && typeof unchanged === 'string' ? [`${String(commit).slice(0, 12)}: ${unchanged}`] : [],
  );
  const found = all.flatMap(({ findings }) => (Array.isArray(findings) ? findings.map(String) : []));
  return [
    'RETRACTED by its coder in this iteration, and why:',
    ...quoteList(told, showTask(task)),
    ...(again.length === 0
      ? []
      : ['SUBMITTED AGAIN UNCHANGED, because (does that settle it?):', ...quoteList(again, showTask(task))]),
    ...(found.length === 0
      ? []
      : ['ITS REVIEWER HAD FOUND BY THEN (does it still hold?):', ...quoteList(found, showTask(task))]),
  ];
}

const MOST_AMENDMENTS = 3;

/** What an answer, or a heading that is gone, changed in the definition while a coder worked by it. */
export function amendedFields(task: Task): readonly string[] {
  const all = amendmentsUnderClaim(task);
  if (all.length === 0) return [];
  const told = all.slice(-MOST_AMENDMENTS).map((entry) => {
    const lines = amendmentLines(task, entry);
    return [`${entry.time} by ${entry.agent}, ${occasionOf(entry)}`, ...lines].join('\n');
  });
  return [
    'AMENDED while its coder worked (- removed, + added; the fields above include it; not a failure of the coder):',
    ...quoteList(told, showTask(task)),
  ];
}

function validationFields(state: State, task: Task): readonly string[] {
  const commands = proofCommands(settings(state), task);
  if (commands.length === 0) return ['VALIDATION: none is configured; choose commands that prove DONE WHEN'];
  return [
    'VALIDATION (all of it must pass):',
    ...commands.flatMap((command, at) => quote(`#${at + 1} ${command.replace(/\n/g, '\n  ')}`, showTask(task))),
  ];
}

const LONGEST_FIRST = 600;

/** The plans before the one of this iteration: it speaks of the rework alone, and the diff holds all of it. */
export function firstPlan(task: Task): readonly string[] {
  const history = historyOf(task);
  const begun = history.findLastIndex((entry) => opensIteration(entry) && entry.fresh === true);
  const now = checkpointEvent(task);
  const plans = history.slice(begun + 1).filter((one) => one.event === 'pre_execution_checkpoint' && one !== now);
  const told = plans.flatMap(({ checkpoint, iteration }, at) =>
    isFields(checkpoint) ? planLines(checkpoint, at === 0 ? '' : `iteration ${Number(iteration)}, `) : [],
  );
  if (told.length === 0) return [];
  return [
    plans.length === 1 ? 'FIRST PLAN of this work:' : 'FIRST PLAN of this work, and those after it:',
    ...quoteList(
      [...new Set(told)].map((line) => gist(line, LONGEST_FIRST)),
      showTask(task),
    ),
  ];
}

function planLines(checkpoint: Readonly<Record<string, unknown>>, of: string): readonly string[] {
  const { text, texts } = readPlan(checkpoint);
  return [
    `${of}intent: ${text('intent')}`,
    ...texts('assumptions').map((assumption) => `${of}assumes: ${assumption}`),
    `${of}risks: ${text('risks')}`,
    `${of}files: ${texts('files_to_modify').join(', ')}`,
  ];
}

function readPlan(checkpoint: Readonly<Record<string, unknown>>) {
  return {
    text: (key: string): string => (typeof checkpoint[key] === 'string' ? checkpoint[key] : ''),
    texts: (key: string): readonly string[] =>
      Array.isArray(checkpoint[key]) ? checkpoint[key].filter((item): item is string => typeof item === 'string') : [],
  };
}

/** What the coder said before it began this iteration; undefined: it has not said it yet. */
export function checkpointFields(task: Task): readonly string[] | undefined {
  const checkpoint = checkpointEvent(task)?.checkpoint;
  if (!isFields(checkpoint)) return undefined;
  const { text, texts } = readPlan(checkpoint);
  const told = [
    `intent: ${text('intent')}`,
    ...texts('assumptions').map((assumption) => `assumes: ${assumption}`),
    `risks: ${text('risks')}`,
    `validation: ${text('validation')}`,
    `files: ${texts('files_to_modify').join(', ')}`,
  ];
  return ['PLAN (the coder’s checkpoint):', ...quoteList(told, showTask(task))];
}

export const iterationLine = (state: State, task: Task): string =>
  `ITERATION: ${task.iteration ?? 1} of ${task.max_iterations ?? settings(state).max_coder_iterations}`;
