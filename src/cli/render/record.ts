// One record of the board besides tasks, whole: a question, a discovery, an anomaly or a note, with its text never cut.
// Looked up on the board first, then in the goals that ended, whose ids are not given again.

import type { GoalRecord } from '../../protocol/goal/goal-record.ts';
import { discoveryHead } from '../../protocol/messages/discoveries.ts';
import { namedNotes } from '../../protocol/messages/notes.ts';
import { questionsOf, tasksBuiltOn } from '../../protocol/messages/questions.ts';
import type { Anomaly, Discovery, Note, Question, State } from '../../protocol/state.ts';
import { plain } from './terminal.ts';

export interface FoundRecord {
  readonly lines: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** `past`: asked for only when the board has no such record. */
export async function findRecord(
  state: State,
  id: string,
  past: () => Promise<readonly GoalRecord[]>,
): Promise<FoundRecord | undefined> {
  const here = recordIn({ ...state, questions: questionsOf(state) }, id, state);
  if (here !== undefined) return here;
  for (const goal of (await past()).toReversed()) {
    const found = recordIn(goal, id, state);
    if (found === undefined) continue;
    return { lines: [...found.lines, `Of ${goal.id}, which has ended.`], data: { ...found.data, goal: goal.id } };
  }
  return undefined;
}

type Records = Partial<Pick<State, 'questions' | 'discovered' | 'anomalies' | 'human_notes'>>;

function recordIn(records: Records, id: string, state: State): FoundRecord | undefined {
  const { questions = [], discovered = [], anomalies = [], human_notes = [] } = records;
  const question = questions.find((one) => one.id === id);
  if (question !== undefined) return { lines: questionLines(question, state), data: { question } };
  const discovery = discovered.find((one) => one.id === id);
  if (discovery !== undefined) return { lines: discoveryLines(discovery), data: { discovery } };
  const anomaly = anomalies.find((one) => one.id === id);
  if (anomaly !== undefined) return { lines: anomalyLines(anomaly), data: { anomaly } };
  const note = namedNotes({ ...state, human_notes }).find((one) => one.id === id)?.note;
  return note === undefined ? undefined : { lines: noteLines(id, note), data: { note: { ...note, id } } };
}

function questionLines(question: Question, state: State): readonly string[] {
  const { id, status, asked_by, created, task, spec_ref, text, assume, answer, closed_by, closed_at } = question;
  const about = [task === undefined ? [] : `on ${task}`, spec_ref === undefined ? [] : `about ${spec_ref}`].flat();
  const tasks = tasksBuiltOn(state, question).map((one) => `${one.id} (${one.status})`);
  return [
    head(id, status, `asked by ${[asked_by, ...about].join(' ')}`, created),
    ...whole('Question', text),
    ...whole(status === 'assumed' ? 'Assumed and accepted' : 'Continues with', assume),
    ...whole('Answer', answer),
    ...(closed_by === undefined ? [] : [`${status} by ${closed_by}, ${closed_at ?? ''}`]),
    ...(tasks.length === 0 ? [] : [`Concerns ${tasks.join(', ')}`]),
  ].map(plain);
}

function discoveryLines(found: Discovery): readonly string[] {
  const { converted_to_task: task, dismissed_reason: why } = found;
  const status = task !== undefined ? `taken up by ${task}` : why !== undefined ? 'dismissed' : 'open';
  return [
    head(discoveryHead(found), status, '', found.created),
    ...whole('Found', found.description),
    ...whole('Recommends', found.recommendation),
    ...whole('Dismissed', why),
  ].map(plain);
}

export function anomalyLines({ id, type, task, reporter, timestamp, details, ...end }: Anomaly): readonly string[] {
  const status = end.processed_at === undefined ? 'open' : 'processed';
  return [
    head(
      `${id ?? ''} ${type}`.trim(),
      status,
      `by ${reporter ?? '?'}${task === undefined ? '' : ` on ${task}`}`,
      timestamp,
    ),
    ...Object.entries(details ?? {}).flatMap(([key, value]) => whole(key, textOf(value))),
    ...(end.processed_at === undefined ? [] : [`processed by ${end.processed_by ?? '?'}, ${end.processed_at}`]),
    ...whole('Why', end.why),
  ].map(plain);
}

function noteLines(id: string, { timestamp, for: reader, message, processed_at, processed_by, why }: Note) {
  return [
    head(id, processed_at === undefined ? 'open' : 'handled', `for ${reader ?? 'everyone'}`, timestamp),
    ...whole('Note', message),
    ...(processed_at === undefined ? [] : [`handled by ${processed_by ?? '?'}, ${processed_at}`]),
    ...whole('Why', why),
  ].map(plain);
}

const head = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join('  ');

const whole = (label: string, text: string | undefined): readonly string[] =>
  text === undefined || text.trim() === ''
    ? []
    : [`${label}:`, ...text.split(/\r\n?|\n/).map((line) => `  ${line}`.trimEnd())];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
