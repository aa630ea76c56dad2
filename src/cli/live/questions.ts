// The open questions on the live board: first below the header, each whole, as many as fit; and the page on which one is
// answered. What does not fit is counted, and is one key away.

import { findTask } from '../../protocol/find.ts';
import type { State } from '../../protocol/state.ts';
import type { QuestionView, StatusView } from '../../report/status-view.ts';
import { counted } from '../../text/format.ts';
import type { Line, Page } from '../render/layout.ts';
import { questionLines } from '../render/status.ts';
import { heading } from './lines.ts';
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
    left === 0 ? [] : [[{ text: `  ${p.more} ${which}: a shows ${left === 1 ? 'it' : 'them'}`, tone: 'faint' }]];
  return [heading('Questions', [{ text: '  a answers', tone: 'faint' }], p), ...rows, ...more];
}

function shortLines({ id, askedBy, task, text, assume, blocks }: QuestionView, p: Page): readonly Line[] {
  const who = `${id} ${askedBy}${task === undefined ? '' : `, ${task}${blocks ? ' is BLOCKED' : ''}`}: `;
  const said = `${who}${text}${assume === undefined ? '' : ` (goes on with: ${assume})`}`;
  return p
    .lines(said.replace(/\s+/g, ' '), p.width - 4)
    .map((line, at): Line => [{ text: at === 0 ? '  ' : '    ' }, { text: line, tone: blocks ? 'warn' : undefined }]);
}

/** One question, and what is typed so far. */
export function answerPage(state: State, status: StatusView, screen: Screen, p: Page): readonly Line[] {
  const about = screen.pane.kind === 'answer' ? screen.pane.about : '';
  const question = status.questions.find(({ id }) => id === about);
  const task = findTask(state, about);
  const asked: readonly Line[] =
    question !== undefined
      ? questionLines(question, p).slice(0, -1)
      : task?.status === 'BLOCKED'
        ? [
            [{ text: `  ${p.say(about)}  BLOCKED`, tone: 'strong' }],
            ...[task.blocked_reason ?? '', ...(task.blocked_questions ?? []).map((text) => `? ${text}`)].flatMap(
              (text) =>
                p.lines(text, p.width - 6).map((line): Line => [{ text: '      ' }, { text: line, tone: 'warn' }]),
            ),
          ]
        : [[{ text: `  ${p.say(about)} is no longer open`, tone: 'faint' }]];
  const answer = p.lines(`${draftOf(screen)}_`, p.width - 4);
  return [
    heading('Answer', [], p),
    ...asked,
    [],
    ...answer.map((line, at): Line => [{ text: at === 0 ? p.mark : '  ', tone: 'strong' }, { text: line }]),
  ];
}

/** What can be answered: open questions, and blocked tasks whose questions are Liza's own. */
export function answerable({ tasks }: State, { questions }: StatusView): Ground['questions'] {
  const asked = questions.map(({ id, task }) => ({ about: id, ...(task === undefined ? {} : { task }) }));
  const held = new Set(questions.filter(({ blocks }) => blocks).map(({ task }) => task));
  const others = tasks.filter(({ status, id }) => status === 'BLOCKED' && !held.has(id));
  return [...asked, ...others.map(({ id }) => ({ about: id, task: id }))];
}
