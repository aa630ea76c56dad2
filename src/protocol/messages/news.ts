// What a running session has not been told yet: notes, answers and spec changes that came after its prompt, that the
// integration branch moved, and to a planner what others asked and found. Told once each; what a prompt says counts as told. Pure: git's part of it is the caller's.

import { findTask } from '../find.ts';
import { namedIn, type Reported, reportedOn } from '../review/reported.ts';
import type { Question, State, Task } from '../state.ts';
import { defined } from '../values.ts';
import { isOwnNote, openNotes, type Reader } from './notes.ts';
import { type PlannerNews, type PlannerTold, plannerNews, plannerToldWith } from './planner-news.ts';
import {
  answersBeside,
  answersSincePlan,
  builtOnAssumption,
  concernsAmong,
  differs,
  isTied,
  sameSpec,
  withAssumed,
} from './question-scope.ts';
import {
  amendmentKey,
  amendmentNews,
  amendments,
  blockNews,
  blocks,
  retractions,
  type TaskNews,
  taskOf,
  trialKey,
  trialNews,
  trials,
} from './task-news.ts';

export type News =
  | {
      readonly kind: 'note';
      readonly id: string;
      readonly for?: string;
      readonly time: string;
      readonly text: string;
      /** The reader is the one who says when it is dealt with. */
      readonly own?: true;
    }
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly question: string;
      readonly by: string;
      readonly time: string;
      /** The answer, or the assumption that was accepted. */
      readonly text: string;
      /** It is what the asker assumed. */
      readonly asAssumed?: true;
      /** The coder's own task, where its plan was recorded before this answer. */
      readonly replan?: string;
      /** For the planner: tasks that were defined or built on something else. */
      readonly built?: readonly string[];
    }
  | {
      /** The answer that the reader knows was taken back. */
      readonly kind: 'reopened';
      readonly id: string;
      readonly time: string;
      /** The question. */
      readonly text: string;
      readonly assume?: string;
    }
  | {
      readonly kind: 'spec';
      readonly spec: string;
      readonly time: string;
      /** What a person said of it, or in numbers what Liza noticed. */
      readonly text: string;
      /** The reader's task, where the section that it comes from reads differently now. */
      readonly task?: string;
      /** Hash of the section as the session knows it. */
      readonly known?: string;
      /** The file has no such heading any more: nothing in it is known to be this section. */
      readonly headingGone?: true;
      /** For the planner: the hash of the whole file before. */
      readonly before?: string;
      /** What became of it, section by section. */
      readonly sections?: readonly SectionNews[];
      /** What became of that text; `more`: how many lines of it are left out. */
      readonly diff?: { readonly text: string; readonly more: number };
    }
  | {
      readonly kind: 'report';
      readonly id: string;
      readonly about: string;
      readonly by: string;
      readonly time: string;
      readonly text: string;
    }
  | TaskNews
  | PlannerNews
  | { readonly kind: 'integration'; readonly from: string; readonly to: string; readonly files: readonly string[] };

export interface SectionNews {
  readonly spec: string;
  readonly kind: 'changed' | 'new' | 'gone';
  readonly text: string;
  /** Those that come from it, with their status. */
  readonly tasks: readonly string[];
}

/** What a session was told so far. */
export interface Told extends PlannerTold {
  /** Ids of notes. */
  readonly notes: readonly string[];
  /** Keys of answers. */
  readonly answers: readonly string[];
  /** Keys of spec changes. */
  readonly specs: readonly string[];
  /** Hash of the section that the task comes from, as the prompt has it or its difference. */
  readonly section?: string;
  /** Ids of anomalies and discoveries. */
  readonly reports: readonly string[];
  /** When its task was amended under its claim; a record of an earlier version has none. */
  readonly amended?: readonly string[];
  /** When submissions under its review were retracted; a record of an earlier version has none. */
  readonly retracted?: readonly string[];
  /** When its task was blocked by others; a record of an earlier version has none. */
  readonly blocked?: readonly string[];
  /** Task and time of trials of a validation; a record of an earlier version has none. */
  readonly trials?: readonly string[];
  readonly integration?: string;
}

/** Everything that is on the board now: what the prompt of a session that begins with it says. */
export const toldWith = (state: State, reader: Reader): Told => ({
  notes: openNotes(state, reader).map(({ id }) => id),
  answers: answers(state, reader).map(answerKey),
  specs: specChanges(state, reader).map(specChangeKey),
  ...defined({ section: sectionHash(taskOf(state, reader)) }),
  reports: reports(state, reader).map(({ id }) => id),
  amended: amendments(state, reader).map(amendmentKey),
  retracted: retractions(state, reader).map(({ time }) => time),
  blocked: blocks(state, reader).map(({ time }) => time),
  trials: trials(state, reader).map(trialKey),
  ...plannerToldWith(state, reader),
  ...defined({ integration: state.goal.integration_head }),
});

/** The integration branch comes without its files. */
export function newsSince(state: State, reader: Reader, told: Told): readonly News[] {
  const notes = openNotes(state, reader).filter(({ id }) => !told.notes.includes(id));
  const answered = answers(state, reader).filter((one) => !told.answers.includes(answerKey(one)));
  const again = reopened(state, told);
  const isAgain = ({ id }: { readonly id: string }): boolean => again.some((one) => one.id === id);
  const taken = retractions(state, reader).filter(({ time }) => !(told.retracted ?? []).includes(time));
  const to = state.goal.integration_head;
  const moved =
    reader.role === 'coder' && to !== undefined && told.integration !== undefined && to !== told.integration;
  return [
    ...notes.map(
      ({ id, note }): News => ({
        kind: 'note',
        id,
        ...defined({ for: note.for }),
        time: note.timestamp,
        text: note.message,
        ...(reader.role === 'planner' || isOwnNote(state, note, reader) ? { own: true } : {}),
      }),
    ),
    ...again.map(
      ({ id, text, assume, reopened: time = '' }): News => ({
        kind: 'reopened',
        id,
        time,
        text,
        ...defined({ assume }),
      }),
    ),
    ...answered.map((one) => answerNews(state, reader, one)),
    ...amendments(state, reader)
      .filter((one) => !(told.amended ?? []).includes(amendmentKey(one)))
      .map((one) => amendmentNews(state, reader, one)),
    ...plannerNews(state, reader, told).filter((one) => !isAgain(one)),
    ...specNews(state, reader, told),
    ...reports(state, reader)
      .filter((one) => !told.reports.includes(one.id) && one.by !== reader.agent && !isAgain(one))
      .map(({ id, kind, by, time, text }): News => ({ kind: 'report', id, about: kind, by, time, text })),
    ...taken.map(
      ({ time, agent = '', reason }): News => ({
        kind: 'retracted',
        task: reader.task ?? '',
        by: agent,
        time,
        text: String(reason),
      }),
    ),
    ...blocks(state, reader)
      .filter(({ time }) => !(told.blocked ?? []).includes(time))
      .map((one) => blockNews(state, reader, one)),
    ...trials(state, reader)
      .filter((one) => !(told.trials ?? []).includes(trialKey(one)))
      .map((one) => trialNews(state, one, reader)),
    ...(moved ? [{ kind: 'integration', from: told.integration, to, files: [] } as const] : []),
  ];
}

/** Open questions that the reader was told an end of. */
const reopened = ({ questions = [] }: State, told: Told): readonly Question[] =>
  questions.filter(({ id, status }) => status === 'open' && told.answers.some((key) => key.startsWith(`${id} `)));

function answerNews(state: State, reader: Reader, one: Question): News {
  const { id, text: question, answer, assume, closed_by: by = '', closed_at: time = '' } = one;
  const task = reader.role === 'coder' ? taskOf(state, reader) : undefined;
  const isLate = task !== undefined && answersSincePlan(state, task).includes(one);
  const built = reader.role === 'planner' && differs(one) ? builtOnAssumption({ state }, one) : [];
  return {
    kind: 'answer',
    id,
    question,
    by,
    time,
    text: answer === undefined ? (assume ?? '') : withAssumed(answer, assume),
    ...(assume !== undefined && !differs(one) ? { asAssumed: true } : {}),
    ...(isLate ? { replan: task.id } : {}),
    ...(built.length === 0 ? {} : { built }),
  };
}

/** Settled since somebody asked: to the asker, to who works on a task it is about or that follows it, and to the planner; not to who settled it. */
function answers(state: State, reader: Reader): readonly Question[] {
  const { agent, role } = reader;
  const task = taskOf(state, reader);
  const mine = (one: Question): boolean =>
    role === 'planner' || one.asked_by === agent || (task !== undefined && concernsAmong(one, task, state.tasks));
  const beside = new Set(task === undefined || role === 'planner' ? [] : answersBeside(state, task));
  return (state.questions ?? []).filter(
    (one) =>
      (one.status === 'answered' || one.status === 'assumed') &&
      one.closed_by !== agent &&
      (mine(one) || beside.has(one)),
  );
}

/**
 * What is reported on the task under review: its reviewer judges it. To a coder: what others found and its task runs
 * into. To both, what others ask about the task.
 */
function reports(state: State, { role, task: id }: Reader): readonly Omit<Reported, 'late'>[] {
  const task = id === undefined ? undefined : findTask(state, id);
  if (task === undefined || role === 'planner') return [];
  const asked = (state.questions ?? []).filter((one) => one.status === 'open' && isTied(one, task));
  return [
    ...(role === 'code_reviewer' ? reportedOn(state, task) : namedIn(state, task)),
    ...asked.map(({ id: question, asked_by: by, created: time = '', text, assume }) => ({
      id: question,
      kind: 'question',
      by,
      time,
      text: assume === undefined ? text : `${text}\n${by} continues with: ${assume}`,
    })),
  ];
}

/** An answer may replace an earlier one. */
export const answerKey = ({ id, status, closed_at }: Question): string => `${id} ${status} ${closed_at}`;

type SpecChange = State['spec_changes'][number];

export const specChangeKey = ({ timestamp, spec, change, hash }: SpecChange): string =>
  `${timestamp} ${spec} ${hash ?? change.slice(0, 80)}`;
/** Older ones are behind every session that runs. */
const MOST_SPECS = 50;

/**
 * What a person said of the spec that the reader's task comes from; a planner reads all. What Liza noticed of the task's
 * own section is told by its hash, once, whatever other tasks it was noticed for.
 */
function specChanges(state: State, reader: Reader): readonly SpecChange[] {
  const task = taskOf(state, reader);
  const watched = new Set((state.goal.specs_seen ?? []).map(({ spec }) => spec));
  // A planner hears of the file, which has all its sections.
  const mine = ({ spec, hash, before }: SpecChange): boolean =>
    reader.role === 'planner'
      ? hash === undefined || before !== undefined || !watched.has(fileOf(spec) ?? '')
      : task !== undefined && hash === undefined && sameSpec(task.spec_ref, spec);
  return state.spec_changes.filter(mine).slice(-MOST_SPECS);
}

function specNews(state: State, reader: Reader, told: Told): readonly News[] {
  const said = specChanges(state, reader).filter((one) => !told.specs.includes(specChangeKey(one)));
  const others = said.map(
    ({ spec, timestamp, change, before }): News => ({
      kind: 'spec',
      spec,
      time: timestamp,
      text: change,
      ...defined({ before }),
    }),
  );
  const task = reader.role === 'planner' ? undefined : taskOf(state, reader);
  const now = sectionHash(task);
  const { section: known } = told;
  if (task?.spec_ref === undefined || known === undefined || now === known) return others;
  const { spec_ref: spec } = task;
  const noticed = state.spec_changes.findLast((one) => one.spec === spec && one.hash === now);
  const time = noticed?.timestamp ?? task.history?.at(-1)?.time ?? '';
  return [...others, { kind: 'spec', spec, time, text: noticed?.change ?? '', task: task.id, known }];
}

const sectionHash = (task: Task | undefined): string | undefined => task?.spec_seen ?? task?.spec_hash;

/** The files of specs that the reader builds on: a planner's are the goal's. */
export function specFiles(state: State, reader: Reader): readonly string[] {
  const { specs_seen: seen = [], spec_ref } = state.goal;
  const all =
    reader.role === 'planner'
      ? [...seen.map(({ spec }) => spec), fileOf(spec_ref)]
      : [fileOf(taskOf(state, reader)?.spec_ref)];
  return [...new Set(all.filter((file) => file !== undefined && file !== ''))] as readonly string[];
}

/** The file of a reference, whatever section it names. */
export const fileOf = (reference: string | undefined): string | undefined =>
  reference?.split('#', 1)[0]?.replace(/^\.\//, '');
