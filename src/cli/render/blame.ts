// What the record of a merged task says of who wrote it, who judged it and on what evidence, and how
// `liza blame` lays that out. The record alone is read: every word of it may be an agent's.

import type { Blame, MergeFacts } from '../../audit/blame.ts';
import type { FileBlame } from '../../audit/blame-file.ts';
import type { BroughtTask, MergedTasks } from '../../audit/merged-tasks.ts';
import { roleOfId } from '../../protocol/board.ts';
import { checkpointEvent, codersOf, historyOf, iterationsOf } from '../../protocol/leases.ts';
import { shownText } from '../../protocol/review/shown-text.ts';
import { mainBlocker } from '../../protocol/review/verdict.ts';
import type { Task } from '../../protocol/state.ts';
import { defined, type Fields, isFields } from '../../protocol/values.ts';
import { recordedAuthors } from '../../protocol/work/merge-names.ts';
import { type Round, roundBy, roundsOf } from '../../protocol/work/task-history.ts';
import { unconfinedAgents } from '../../sandbox/rules/session-label.ts';
import { asStored, counted, whole } from '../../text/format.ts';
import { diffText, proofText } from './diff-facts.ts';
import { type Line, type Page, pageFor } from './layout.ts';
import { type Look, pad } from './terminal.ts';

interface Provenance {
  /** Who put the task into the plan; absent: a person. */
  readonly planned_by?: string;
  readonly authors: readonly string[];
  readonly iterations: number;
  /** Those among authors and reviewers who ran without a sandbox. */
  readonly unconfined: readonly string[];
  readonly rounds: readonly Round[];
  readonly evidence: {
    readonly checkpoint?: Fields;
    readonly diff?: Fields;
    readonly validation: readonly string[];
    /** What Liza ran at the reviewed commit. */
    readonly proof?: string;
  };
}

export function provenanceOf(task: Task, reviewed: string | undefined): Provenance {
  const submitted = historyOf(task).findLast(({ event, commit }) => event === 'submitted' && commit === reviewed);
  const checkpoint = checkpointEvent(task)?.checkpoint;
  const proof = proofText(task, reviewed);
  const planner = historyOf(task).find(({ event }) => event === 'created')?.agent;
  return {
    ...defined({ planned_by: planner }),
    authors: recordedAuthors(task, reviewed) ?? codersOf(task),
    iterations: iterationsOf(task),
    unconfined: unconfinedAgents(task.sessions ?? []),
    rounds: firstLines(roundsOf(task, reviewed)),
    evidence: {
      ...(isFields(checkpoint) ? { checkpoint } : {}),
      ...(isFields(submitted?.diff) ? { diff: submitted.diff } : {}),
      validation: task.validation ?? [],
      ...defined({ proof }),
    },
  };
}

/** A line of each reason: whole reasons would hide who is behind the commit. */
const firstLines = (rounds: readonly Round[]): readonly Round[] =>
  rounds.map((round) => ({
    ...round,
    verdicts: round.verdicts.map(({ reason, ...verdict }) =>
      reason === undefined ? verdict : { ...verdict, reason: mainLine(reason, verdict.verdict) },
    ),
  }));

/** Of a rejection the first blocker: its first line only counts them. */
const mainLine = (reason: string, verdict: Round['verdicts'][number]['verdict']): string =>
  verdict === 'rejected' ? mainBlocker(reason) : (reason.split('\n', 1)[0] ?? '');

const LABEL = 11;

export function renderBlame(blame: Blame, behind: Provenance, look: Look): string {
  const p = pageFor(look);
  const { commit, git, task, merge } = blame;
  return p.print([
    [{ text: commit, tone: 'strong' }],
    ...field(p, '', `${git.subject} (${git.author}, ${git.time})`),
    ...field(p, 'task', `${task.id}: ${task.description ?? ''}`),
    ...field(p, 'it is', aboutText(blame, behind.rounds)),
    ...field(p, 'planned by', behind.planned_by ?? 'a person'),
    ...field(p, 'author', behind.authors.join(', ') || 'not recorded'),
    ...field(p, 'iterations', String(behind.iterations)),
    ...(behind.unconfined.length === 0 ? [] : field(p, 'no sandbox', unconfinedText(behind.unconfined))),
    ...behind.rounds.flatMap((round, at) => field(p, at === 0 ? 'review' : '', roundText(round, at + 1))),
    ...laterLines(p, blame),
    ...evidenceLines(p, behind.evidence),
    ...field(p, 'merged', mergeText(merge)),
    ...trailerLines(p, blame),
    ...field(p, 'more', `liza show ${task.id}`),
  ]);
}

/** A version that was rejected says so first: the approval below is of a later commit. */
function aboutText({ commit, part, submitted, merge }: Blame, rounds: readonly Round[]): string {
  if (part === 'merge') return 'the merge commit';
  const round = rounds.find((one) => one.commit !== undefined && one.commit === submitted);
  const no = round?.merged === true ? undefined : round?.verdicts.findLast(({ verdict }) => verdict === 'rejected');
  if (no === undefined) return 'part of the reviewed work';
  const what = submitted === commit ? 'an earlier version of the work' : 'part of an earlier version of the work';
  const later = merge.reviewed === undefined ? 'a later commit' : `the later commit ${merge.reviewed.slice(0, 12)}`;
  return [
    `${what}, which ${no.by ?? 'a reviewer'} rejected at ${no.time}${no.reason === undefined ? '' : `: ${no.reason}`}`,
    `approved was ${later}, which builds on it: liza blame ${merge.reviewed?.slice(0, 12) ?? merge.commit.slice(0, 12)}`,
  ].join('\n');
}

/** What follows was said and run of the version that was approved. */
const laterLines = (p: Page, { part, submitted, merge: { reviewed } }: Blame): readonly Line[] =>
  part === 'merge' || submitted === undefined || reviewed === undefined || submitted === reviewed
    ? []
    : field(p, 'evidence', `of the approved commit ${reviewed.slice(0, 12)}:`);

export function renderMerged(merged: MergedTasks, look: Look): string {
  const p = pageFor(look);
  const { commit, by, time, brought } = merged;
  const what =
    merged.made === 'by hand'
      ? `a merge commit that Liza did not make: ${merged.subject}`
      : `the merge commit of liza finish: ${merged.integration.slice(0, 12)} came into ${merged.branch}`;
  return p.print([
    [{ text: commit, tone: 'strong' }],
    ...field(p, 'it is', what),
    ...field(p, 'merged', `at ${time} by ${by}${merged.made === 'by hand' ? ', as git says' : ''}`),
    ...brought.flatMap((one, at) => field(p, at === 0 ? 'brought' : '', broughtText(one))),
    ...(brought.length === 0 ? field(p, 'brought', 'no task') : []),
    ...(merged.made === 'by hand' ? field(p, '', 'what it has beyond them, Liza did not see reviewed') : []),
  ]);
}

export function renderFile({ file, branch, parts }: FileBlame, look: Look): string {
  const p = pageFor(look);
  const told = parts.flatMap(({ lines, commit, task, authors = [], approved_by, approved, git }) => [
    ...field(p, `${lines.includes(',') || lines.includes('-') ? 'lines' : 'line'}`, lines),
    ...field(
      p,
      '',
      task === undefined
        ? `no task of Liza's: ${commit.slice(0, 12)} ${git.subject} (${git.author})`
        : `${task}: written by ${authors.join(', ') || 'somebody'}, approved by ${approved_by ?? 'somebody'}: liza blame ${(approved ?? commit).slice(0, 12)}`,
    ),
  ]);
  const title: Line = [{ text: `${file} on ${branch}`, tone: 'strong' }];
  return p.print([title, ...(parts.length === 0 ? field(p, '', 'it is empty') : told)]);
}

const broughtText = ({
  task,
  description,
  author,
  approved_by,
  rejected,
  unconfined,
  merge_commit,
}: BroughtTask): string =>
  [
    `${task}: ${description}`,
    `written by ${author}, approved by ${approved_by}`,
    ...rejected.map(
      ({ commit, by }) => `${commit?.slice(0, 12) ?? 'a version'} was rejected before by ${by ?? 'somebody'}`,
    ),
    ...(unconfined.length === 0 ? [] : [unconfinedText(unconfined)]),
    `more: liza blame ${merge_commit.slice(0, 12)}`,
  ].join('\n');

const unconfinedText = (agents: readonly string[]): string =>
  `${agents.join(', ')} ran without a sandbox: ${agents.length === 1 ? 'it' : 'they'} could read and write everything that the user can`;

function field(p: Page, label: string, text: string): readonly Line[] {
  return p
    .lines(text, p.width - LABEL - 2)
    .map((part, at) => [{ text: `${pad(at === 0 ? label : '', LABEL)}  `, tone: 'faint' }, { text: part }]);
}

const SAID = { approved: 'approved by', rejected: 'rejected by', integration_failed: 'not merged, told by' } as const;

function roundText(round: Round, n: number): string {
  const { commit, iteration, verdicts, merged } = round;
  const by = roundBy(round);
  const what = `${n}. ${commit?.slice(0, 12) ?? 'a commit'}${by === undefined ? '' : ` of ${by}`}`;
  const turn = iteration === undefined ? '' : `, iteration ${iteration}`;
  const said = verdicts.map(
    ({ verdict, by: judge, time, reason, shown = [] }) =>
      `   ${SAID[verdict]} ${judge ?? 'somebody'} at ${time}${reason === undefined ? '' : `: ${reason}`}${shown.map((one) => `\n     ${one.n}. ${asStored(one.criterion)} → ${whole(shownText(one))}`).join('')}`,
  );
  return [`${what}${turn}${merged ? ' (this was merged)' : ''}`, ...said].join('\n');
}

function evidenceLines(p: Page, { checkpoint, diff, validation, proof }: Provenance['evidence']): readonly Line[] {
  const said = (name: string): readonly Line[] =>
    typeof checkpoint?.[name] === 'string' ? field(p, name, checkpoint[name]) : [];
  return [
    ...said('intent'),
    ...said('validation'),
    ...(proof === undefined && validation.length > 0 ? field(p, 'proven by', validation.join('\n')) : []),
    ...(proof === undefined ? [] : field(p, 'run by Liza', proof)),
    ...(diff === undefined ? [] : field(p, 'diff', diffText(diff))),
  ];
}

const HOW = {
  'fast-forward': 'by fast-forward',
  merge: 'by a merge commit',
  contained: 'the branch had it already',
} as const;

function mergeText({ commit, how, time, by, onto, approved_by, drift }: MergeFacts): string {
  const told = [
    `as ${commit}, ${HOW[how]}`,
    `at ${time} by ${mergerText(by)}; approved by ${approved_by ?? 'somebody'}`,
    ...(onto === undefined ? [] : [`onto ${onto}`]),
    ...(drift === undefined ? [] : [`drift: ${counted(Number(drift), 'commit')} added since the work began`]),
  ];
  return told.join('\n');
}

/** An agent merges nothing: its supervisor does, by the rules. */
export function mergerText(by: string | undefined): string {
  if (by === undefined) return 'somebody';
  return roleOfId(by) === undefined ? by : `Liza (the supervisor of ${by}, not the agent)`;
}

/** None where none are expected: nothing is said. */
function trailerLines(p: Page, { trailers: { found, differ } }: Blame): readonly Line[] {
  if (differ.length > 0) return field(p, 'trailers', ['do NOT agree with the board:', ...differ].join('\n'));
  const pairs = Object.entries(found).map(([key, value]) => `${key}: ${value}`);
  return pairs.length === 0 ? [] : field(p, 'trailers', `${pairs.join('\n')}\nthey agree with the board`);
}
