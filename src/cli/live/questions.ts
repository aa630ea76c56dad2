// The open questions on the live board: first below the header, each whole, as many as fit; the page that has all of
// them, and the page on which one is answered. What does not fit is counted, and is one key away.
// No text of a question is ever cut: a word that is wider than the screen is broken.

import { findTask } from '../../protocol/find.ts';
import type { State } from '../../protocol/state.ts';
import type { QuestionView, StatusView } from '../../report/status-view.ts';
import { counted } from '../../text/format.ts';
import type { Line, Page } from '../render/layout.ts';
import { questionLines } from '../render/status.ts';
import { heading, typedLines } from './lines.ts';
import type { Ground, Screen } from './screen.ts';
import { draftOf } from './typing.ts';

/** The questions that fit into the room; a person needs all of a question or none. */
export function questionRows(status: StatusView, room: number, p: Page): readonly Line[] {
  const { questions } = status;
  if (questions.length === 0) return [];
  const rows: Line[] = [];
  let told = 0;
  for (const question of questions) {
    const lines = question.text.length > room * p.width ? undefined : shortLines(question, p);
    if (lines === undefined || rows.length + lines.length > room) break;
    rows.push(...lines);
    told += 1;
  }
  const left = questions.length - told;
  const which = told === 0 ? counted(left, 'question') : `${left} more`;
  const more: readonly Line[] =
    left === 0 ? [] : [[{ text: `  ${p.more} ${which}: o shows ${left === 1 ? 'it' : 'them'}`, tone: 'faint' }]];
  const keys = questions.length === 1 ? ['a answers'] : [`${questions.length} open`, 'a answers', 'o shows all'];
  return [heading('Questions', [{ text: `  ${keys.join(p.dot)}`, tone: 'faint' }], p), ...rows, ...more];
}

function shortLines({ id, askedBy, task, text, assume, blocks }: QuestionView, p: Page): readonly Line[] {
  const who = `${id} ${askedBy}${task === undefined ? '' : `, ${task}${blocks ? ' is BLOCKED' : ''}`}: `;
  const said = `${who}${text}${assume === undefined ? '' : ` (continues with: ${assume})`}`;
  return p
    .lines(said.replace(/\s+/g, ' '), p.width - 4)
    .map((line, at): Line => [{ text: at === 0 ? '  ' : '    ' }, { text: line, tone: blocks ? 'warn' : undefined }]);
}

export interface QuestionPage {
  readonly lines: readonly Line[];
  /** How far it can be scrolled: the last question, too, comes to the top, where it is marked. */
  readonly most: number;
  /** The question that the keys answer. */
  readonly marked?: string | undefined;
}

/** Every open question whole, from the line that it is scrolled to; the one at the top is marked. */
export function questionPage(
  { state, status }: Asked,
  { scroll, room }: { readonly scroll: number; readonly room: number },
  p: Page,
): QuestionPage {
  const all = answerable(state, status).map(({ about }) => ({ about, lines: askedLines({ state, status }, about, p) }));
  const starts = all.map((_, at) => all.slice(0, at).reduce((sum, { lines }) => sum + lines.length, 0));
  const total = all.reduce((sum, { lines }) => sum + lines.length, 0);
  const most = Math.max(0, starts.at(-1) ?? 0, total - (room - 1));
  const from = Math.min(scroll, most);
  const at = starts.findLastIndex((start) => start <= from);
  const below = starts.filter((start) => start >= from + room - 1).length;
  const title = [counted(all.length, 'question'), ...(below === 0 ? [] : [`${below} more below`])].join(p.dot);
  const body = all.flatMap(({ lines }, nth) =>
    nth === at ? marked(lines, Math.max(0, from - (starts[nth] ?? 0)), p) : lines,
  );
  return {
    lines: [
      heading('Open', [{ text: `  ${title}`, tone: 'faint' }], p),
      ...(all.length === 0 ? [[{ text: '  none left', tone: 'faint' } as const]] : body.slice(from, from + room - 1)),
    ],
    most,
    marked: all[at]?.about,
  };
}

/** `nth`: the first of its lines that is seen. */
const marked = (lines: readonly Line[], nth: number, p: Page): readonly Line[] =>
  lines.map((line, at) => {
    const [first, ...rest] = line;
    return at !== nth || first === undefined
      ? line
      : [{ ...first, text: `${p.mark}${first.text.slice(p.mark.length)}` }, ...rest];
  });

interface Asked {
  readonly state: State;
  readonly status: StatusView;
}

/** One question, and what is typed so far. */
export function answerPage(asked: Asked, screen: Screen, p: Page): readonly Line[] {
  const about = screen.pane.kind === 'answer' ? screen.pane.about : '';
  return [heading('Answer', [], p), ...askedLines(asked, about, p), [], ...typedLines(draftOf(screen), p)];
}

/** What is asked, by the id of a question or of a BLOCKED task. */
function askedLines({ state, status }: Asked, about: string, page: Page): readonly Line[] {
  const p: Page = { ...page, whole: page.lines };
  const question = status.questions.find(({ id }) => id === about);
  const task = findTask(state, about);
  return question !== undefined
    ? questionLines(question, p).slice(0, -1)
    : task?.status === 'BLOCKED'
      ? [
          [{ text: `  ${p.say(about)}  BLOCKED`, tone: 'strong' }],
          ...[task.blocked_reason ?? '', ...(task.blocked_questions ?? []).map((text) => `? ${text}`)].flatMap((text) =>
            p.lines(text, p.width - 6).map((line): Line => [{ text: '      ' }, { text: line, tone: 'warn' }]),
          ),
        ]
      : [[{ text: `  ${p.say(about)} is no longer open`, tone: 'faint' }]];
}

/** What can be answered: open questions, and blocked tasks whose questions are Liza's own. */
export function answerable({ tasks }: State, { questions }: StatusView): Ground['questions'] {
  const asked = questions.map(({ id, task }) => ({ about: id, ...(task === undefined ? {} : { task }) }));
  const held = new Set(questions.filter(({ blocks }) => blocks).map(({ task }) => task));
  const others = tasks.filter(({ status, id }) => status === 'BLOCKED' && !held.has(id));
  return [...asked, ...others.map(({ id }) => ({ about: id, task: id }))];
}
