// What needs a person, each with what they can do about it, and nothing else; below it what the crew does meanwhile.

import type { Alarm } from '../../../alarms/rules/alarm.ts';
import { decisionsToTake } from '../../../governance/rules/open-decisions.ts';
import { discoveryHead, isUrgent } from '../../../protocol/messages/discoveries.ts';
import { inlineMarkdown } from '../../../report/markup.ts';
import { pill } from '../../../report/state-styles.ts';
import type { QuestionView, TaskView } from '../../../report/status-view.ts';
import type { JournalEntry } from '../../../store/store.ts';
import { byUrgency, SIGN } from '../../live/events.ts';
import { doing } from './agents.ts';
import { actionForm, actionForms } from './forms.ts';
import { html, type Markup } from './markup.ts';
import { versionOf } from './version.ts';
import { type Part, part, type Seen, type View } from './view.ts';

export function nowView(seen: Seen, journal: readonly JournalEntry[]): View {
  const { status, board } = seen;
  const held = new Set(status.questions.filter(({ blocks }) => blocks).map(({ task }) => task));
  const blocked = status.groups.flatMap(({ status: name, tasks }) =>
    name === 'BLOCKED' ? tasks.filter(({ id }) => !held.has(id)) : [],
  );
  const told = new Set(['QUESTION', 'BLOCKED']);
  const alarms = byUrgency(status.alarms.filter(({ name }) => !told.has(name)));
  const found = status.discoveries.filter(isUrgent);
  const needs = [
    ...switchParts(seen),
    ...status.questions.map((question) => questionPart(seen, question)),
    ...blocked.map((task) => blockedPart(seen, task)),
    ...alarms.map((alarm) => alarmPart(seen, alarm)),
    ...found.map((one) =>
      part(
        `found-${one.id}`,
        html`<h2>${discoveryHead(one)}</h2><p class="said">${one.description}</p>${actionForms(seen, { kind: 'discovery', id: one.id })}`,
        'card need found',
      ),
    ),
  ];
  const decisions = decisionsToTake(board.state, seen.now);
  return {
    title: 'Now',
    menu: 'now',
    parts: [
      ...(needs.length === 0 ? [calm(seen)] : needs),
      part('doing', html`<h2>Agents</h2>${doing(seen)}`),
      ...(decisions.length === 0 || needs.length > 0
        ? []
        : [
            part(
              'decisions',
              html`<h2>To decide sometime</h2><ul>${decisions.map((line) => html`<li class="said">${inlineMarkdown(line)}</li>`)}</ul>`,
            ),
          ]),
      ...boardActions(seen),
    ],
    journal,
  };
}

function calm({ status, hasCrew, crew }: Seen): Part {
  const why = crew.waitsFor ?? status.why;
  const next =
    hasCrew || why !== undefined ? undefined : html`<p>No crew runs here. In a terminal: <code>liza run</code></p>`;
  return part(
    'calm',
    html`<h2>Nothing needs you</h2>${why === undefined ? undefined : html`<p class="said">${sentence(why)}</p>`}${next}`,
    'card calm',
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function switchParts(seen: Seen): readonly Part[] {
  const resume = seen.actionsFor({ kind: 'board', id: '' }).find(({ name }) => name === 'resume');
  return seen.status.switches.map(({ name }, at) =>
    part(
      `switch-${name.toLowerCase()}`,
      html`<h2>${name} is on</h2><p>${SWITCH_TEXT[name]}</p>${at > 0 || resume === undefined ? undefined : html`<div class="acts">${actionForm(seen, { kind: 'board', id: '' }, resume)}</div>`}`,
      'card need alarm',
    ),
  );
}

const SWITCH_TEXT = {
  ABORT: 'The goal is stopped: every agent ends; tasks and their folders stay.',
  CHECKPOINT: 'Everything is halted until a person decides.',
  PAUSE: 'No new work starts.',
} as const;

function questionPart(seen: Seen, { id, askedBy, task, spec, text, assume, blocks }: QuestionView): Part {
  const about = task === undefined ? undefined : html`, about ${taskLink(seen, task)}`;
  const actions = seen.actionsFor({ kind: 'question', id });
  return part(
    `q-${id}`,
    html`<h2><span class="tag ask">Question</span> ${id} <span class="meta">asked by ${askedBy}${about}${spec === undefined ? undefined : html` &middot; ${spec}`}</span></h2>
<p class="said lines big">${text}</p>${
      blocks ? html`<p class="why">${task} is blocked until somebody answers.</p>` : undefined
    }${
      assume === undefined
        ? undefined
        : html`<p class="assume">Meanwhile ${askedBy} goes on with: <span class="said">${assume}</span></p>`
    }<div class="acts">${actions.map((action) => actionForm(seen, { kind: 'question', id }, action, { isOpen: assume === undefined }))}</div>`,
    `card need${blocks ? ' alarm' : ''}`,
  );
}

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

function alarmPart(seen: Seen, { key, level, text }: Alarm): Part {
  const task = [...seen.board.state.tasks].find(({ id }) => key.endsWith(`:${id}`));
  return part(
    `alarm-${versionOf(key)}`,
    html`<h2><span class="tag ${level}">${level === 'alarm' ? 'Alarm' : 'Warning'}</span></h2><p class="said lines">${text.replace(SIGN, '')}</p>${
      task === undefined ? undefined : html`<p>${taskLink(seen, task.id)}</p>`
    }`,
    `card need ${level}`,
  );
}

/** What a switch that is on offers stands with it. */
function boardActions(seen: Seen): readonly Part[] {
  const isOn = seen.status.switches.length > 0;
  const forms = actionForms(seen, { kind: 'board', id: '' }, { open: 0, without: isOn ? 'resume' : undefined });
  return forms === undefined ? [] : [part('all', html`<h2>The whole board</h2>${forms}`)];
}

export const taskLink = ({ base }: Seen, id: string): Markup => html`<a class="id" href="${base}/task/${id}">${id}</a>`;
