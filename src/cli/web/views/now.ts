// What needs a person, each with what they can do about it, and nothing else; below it what the crew does meanwhile.

import type { Alarm } from '../../../alarms/rules/alarm.ts';
import { decisionsToTake } from '../../../governance/rules/open-decisions.ts';
import { OPERATOR } from '../../../protocol/board.ts';
import { findTask } from '../../../protocol/find.ts';
import { discoveryHead } from '../../../protocol/messages/discoveries.ts';
import { findQuestion, questionsOf } from '../../../protocol/messages/questions.ts';
import { isGoalOver, isTerminal } from '../../../protocol/state.ts';
import { stateWord } from '../../../report/format.ts';
import { inlineMarkdown } from '../../../report/markup.ts';
import { pill } from '../../../report/state-styles.ts';
import type { QuestionView, TaskView } from '../../../report/status-view.ts';
import type { JournalEntry } from '../../../store/store.ts';
import { iso } from '../../../text/time.ts';
import { SIGN } from '../../live/events.ts';
import type { Subject } from '../offers.ts';
import { doing } from './agents.ts';
import { actionForm, actionForms } from './forms.ts';
import { html, type Markup, moment, sentence } from './markup.ts';
import { needsOf, type Remedy, remedyOf } from './needs.ts';
import { versionOf } from './version.ts';
import { type Part, part, type Seen, type View } from './view.ts';

export function nowView(seen: Seen, journal: readonly JournalEntry[]): View {
  const { board } = seen;
  const { switches, questions, blocked, alarms, found } = needsOf(seen);
  // A form stands once on a page: what a blocked task offers is not repeated below its alarms.
  const offered = new Set(blocked.map(({ id }) => `task ${id}`));
  const needs = [
    ...switchParts(seen, switches),
    ...few(questions, (question) => questionPart(seen, question)),
    ...few(blocked, (task) => blockedPart(seen, task)),
    ...few(alarms, (alarm) => alarmPart(seen, alarm, offered)),
    ...few(found, (one) =>
      part(
        `found-${one.id}`,
        html`<h2><span class="tag warning">Found</span> ${discoveryHead(one)}</h2><p class="said">${one.description}</p>${actionForms(seen, { kind: 'discovery', id: one.id })}`,
        'card need found',
      ),
    ),
  ];
  const decisions = decisionsToTake(board.state, seen.now);
  return {
    title: 'Now',
    menu: 'now',
    parts: [
      ...(needs.length === 0 ? [calm(seen)] : [...noCrew(seen), ...needs]),
      part('doing', html`<h2>Agents</h2>${doing(seen)}`),
      ...(decisions.length === 0 || needs.length > 0
        ? []
        : [
            part(
              'decisions',
              html`<h2>To decide sometime</h2><ul>${decisions.map((line) => html`<li class="said">${inlineMarkdown(line)}</li>`)}</ul>`,
            ),
          ]),
      ...boardActions(seen, offered),
    ],
    journal,
  };
}

/** Not counted: a person may want it so. */
function noCrew({ hasCrew, status, board }: Seen): readonly Part[] {
  if (hasCrew || isGoalOver(board.state) || status.agents.some(({ gone }) => !gone)) return [];
  return [
    part(
      'no-crew',
      html`<p>No crew runs: nothing goes on until somebody starts one. In a terminal: <code>liza run</code></p>`,
    ),
  ];
}

function calm({ hasCrew, crew, why: whyNothingMoves }: Seen): Part {
  const why = crew.waitsFor ?? whyNothingMoves();
  const next =
    hasCrew || why !== undefined ? undefined : html`<p>No crew runs here. In a terminal: <code>liza run</code></p>`;
  return part(
    'calm',
    html`<h2>Nothing needs you</h2>${why === undefined ? undefined : html`<p class="said">${sentence(why)}</p>`}${next}`,
    'card calm',
  );
}

/** With thousands of a kind nobody reads on: what they have in common is the matter then. */
const MOST = 60;

function few<T>(all: readonly T[], made: (one: T) => Part): readonly Part[] {
  const parts = all.slice(0, MOST).map(made);
  const last = parts.at(-1);
  if (all.length <= MOST || last === undefined) return parts;
  return [...parts, part(`more-${last.id}`, html`<p>And ${String(all.length - MOST)} more like these.</p>`)];
}

function switchParts(seen: Seen, switches: Seen['status']['switches']): readonly Part[] {
  const resume = seen.actionsFor(BOARD).find(({ name }) => name === 'resume');
  return switches.map(({ name }, at) =>
    part(
      `switch-${name.toLowerCase()}`,
      html`<h2>${name} is on</h2><p>${SWITCH_TEXT[name]}${since(seen, name)}</p>${at > 0 || resume === undefined ? undefined : html`<div class="acts">${actionForm(seen, BOARD, resume, { isSecond: true })}</div>`}`,
      'card need alarm',
    ),
  );
}

const since = ({ board }: Seen, name: keyof typeof SWITCH_TEXT): Markup | undefined => {
  const from = board.switches[name];
  return from === undefined ? undefined : html` On since ${moment(iso(from))}.`;
};

const SWITCH_TEXT = {
  ABORT: 'The goal is stopped: every agent ends; tasks and their folders stay.',
  CHECKPOINT: 'Everything is halted until a person decides.',
  PAUSE: 'No new work starts; sessions finish or hand off.',
} as const;

function questionPart(seen: Seen, { id, askedBy, task, spec, text, assume, blocks }: QuestionView): Part {
  const about = task === undefined ? undefined : findTask(seen.board.state, task);
  const isOver = about !== undefined && isTerminal(about.status);
  const link = task === undefined ? undefined : html`, about ${taskLink(seen, task)}`;
  const created = findQuestion(seen.board.state, id)?.created;
  const actions = seen.actionsFor({ kind: 'question', id });
  const assumed = html`<p class="assume">${blocks ? undefined : 'Nothing waits for it: '}${askedBy} assumed: <span class="said">${assume}</span></p>`;
  return part(
    `q-${id}`,
    html`<h2><span class="tag ask">Question</span> ${id} <span class="meta">asked by ${askedBy}${link}${created === undefined ? undefined : html`, ${moment(created)}`}${spec === undefined ? undefined : html` &middot; ${spec}`}</span></h2>
<p class="said lines big">${text}</p>${
      blocks ? html`<p class="why">${task} is blocked until somebody answers.</p>` : undefined
    }${
      assume === undefined
        ? undefined
        : isOver
          ? html`${assumed}<p class="why">${task} is ${stateWord(about.status)} by now. Another answer goes to the planner, who plans what follows, if anything.</p>`
          : assumed
    }${again(seen, id)}<div class="acts">${actions.map((action) => actionForm(seen, { kind: 'question', id }, action, { isOpen: assume === undefined }))}</div>`,
    `card need${blocks ? ' alarm' : ''}`,
  );
}

/** Who answers the same once more should know what did not help. */
function again({ board: { state } }: Seen, id: string): Markup | undefined {
  const own = findQuestion(state, id);
  if (own === undefined) return undefined;
  const same = questionsOf(state).filter(({ text, task }) => text === own.text && task === own.task);
  const before = same.slice(0, same.indexOf(own));
  const last = before.findLast(({ status }) => status === 'answered' || status === 'assumed');
  if (last === undefined) return undefined;
  const who = last.closed_by === OPERATOR.parts[0] ? 'you' : (last.closed_by ?? 'somebody');
  return html`<p class="why">Asked again, ${nth(before.length + 1)} time; ${who} answered ${last.id}: <span class="said lines">${last.answer ?? last.assume ?? ''}</span></p>`;
}

const nth = (n: number): string =>
  `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;

function blockedPart(seen: Seen, task: TaskView): Part {
  return part(
    `blocked-${task.id}`,
    html`<h2>${pill('BLOCKED')} ${taskLink(seen, task.id)}</h2>
<p class="said">${task.description}</p>${task.blockedReason === undefined ? undefined : html`<p class="said lines why">${task.blockedReason}</p>`}${
      task.questions.length === 0
        ? undefined
        : html`<ul>${task.questions.map((question) => html`<li class="said lines">${question}</li>`)}</ul>`
    }${actionForms(seen, { kind: 'task', id: task.id }, { open: 2 })}`,
    'card need',
  );
}

function alarmPart(seen: Seen, alarm: Alarm, offered: Set<string>): Part {
  const remedy = remedyOf(seen, alarm);
  const task = remedy?.subject.kind === 'task' ? remedy.subject.id : undefined;
  return part(
    `alarm-${versionOf(alarm.key)}`,
    html`${alarmText(alarm, task === undefined ? undefined : taskLink(seen, task))}${remedy === undefined ? undefined : remedyForms(seen, remedy, offered)}`,
    `card need ${alarm.level}`,
  );
}

/** Its name, and below it what it is about. */
export function alarmText({ name, level, text }: Alarm, link?: Markup): Markup {
  const words = text.replace(SIGN, '');
  const about = words.startsWith(`${name}: `) ? words.slice(name.length + 2) : words;
  return html`<h2><span class="tag ${level}">${level === 'alarm' ? 'Alarm' : 'Warning'}</span> ${name}${link === undefined ? undefined : html` ${link}`}</h2><p class="said lines">${about}</p>`;
}

function remedyForms(seen: Seen, { subject, only }: Remedy, offered: Set<string>): Markup | undefined {
  if (only === undefined) {
    const all = `${subject.kind} ${subject.id}`;
    if (offered.has(all)) return undefined;
    offered.add(all);
    return actionForms(seen, subject, { open: subject.kind === 'task' ? 0 : 1 });
  }
  const forms = seen
    .actionsFor(subject)
    .filter(({ name }) => only.includes(name) && !offered.has(`board  ${name}`))
    .map((action) => actionForm(seen, subject, action));
  for (const name of only) offered.add(`board  ${name}`);
  return forms.length === 0 ? undefined : html`<div class="acts">${forms}</div>`;
}

/** Without what stands with a switch or an alarm. */
function boardActions(seen: Seen, offered: ReadonlySet<string>): readonly Part[] {
  const { switches } = seen.status;
  const forms = actionForms(seen, BOARD, {
    open: 1,
    first: switches.length === 0 ? 'pause' : 'resume',
    without: (name) => offered.has(`board  ${name}`),
  });
  return forms === undefined ? [] : [part('all', html`<h2>The whole board</h2>${forms}`)];
}

const BOARD: Subject = { kind: 'board', id: '' };

export const taskLink = ({ base }: Seen, id: string): Markup => html`<a class="id" href="${base}/task/${id}">${id}</a>`;
