// One task, from what it must show to what it came to: what a person can do, its criteria with the evidence for each, every
// round of review with the commit it was about, what it used, and its history.

import { criteriaOf } from '../../../protocol/definition/criteria.ts';
import { historyOf } from '../../../protocol/leases.ts';
import {
  BY_HAND,
  byCriterion,
  concernsOf,
  concernText,
  isFlagged,
  shownIn,
} from '../../../protocol/review/approval-record.ts';
import { shownText } from '../../../protocol/review/shown-text.ts';
import type { HistoryEvent, Task, TaskSession } from '../../../protocol/state.ts';
import { type Round, roundBy, roundsOf } from '../../../protocol/work/task-history.ts';
import { money, number } from '../../../report/format.ts';
import { pill } from '../../../report/state-styles.ts';
import { asStored, counted } from '../../../text/format.ts';
import { duration } from '../../../text/time.ts';
import type { SessionLog } from '../../live/access.ts';
import { eventWords, whoDid } from '../../render/event-words.ts';
import { isTold, type Section, type TaskExtras, taskSections } from '../../render/task.ts';
import { eventDetails, UNDER_REVIEWS } from '../../render/timeline.ts';
import { fileOf, sessionList } from './agents.ts';
import { reasonMarkup, VERDICT } from './diff.ts';
import { actionForms } from './forms.ts';
import { html, type Markup, moment, said } from './markup.ts';
import { toRead } from './output.ts';
import { type Part, part, type Seen, type View } from './view.ts';

interface TaskShown {
  readonly task: Task;
  readonly extras: TaskExtras;
  readonly logs: readonly SessionLog[];
  /** What the session that goes on has printed. */
  /** By round: the lines that its diff has, where a verdict names one. */
  readonly lines?: ReadonlyMap<number, ReadonlySet<string>>;
  readonly printed?: { readonly log: SessionLog; readonly lines: readonly string[] };
}

const LAST_LINES = 14;

/** What has a place of its own on this page. */
const APART: ReadonlySet<string> = new Set(['Reviews', 'Blocked', 'Questions']);
const APART_FIELDS: ReadonlySet<string> = new Set([
  'done when',
  'criteria',
  'concerns',
  'rejection',
  'used',
  'sandbox',
]);

export function taskView(seen: Seen, { task, extras, logs, printed, lines }: TaskShown): View {
  const rounds = roundsOf(task, task.status === 'MERGED' ? task.review_commit : undefined);
  const sections = taskSections(task, extras);
  return {
    title: task.id,
    menu: 'board',
    prints: printed !== undefined,
    parts: [
      part('top', top(seen, task, extras), 'card'),
      ...blockedPart(seen, task, extras),
      ...(printed === undefined ? [] : [part('printed', tail(seen, printed))]),
      part('criteria', criteria(task)),
      ...(rounds.length === 0 ? [] : [part('rounds', roundsMarkup(seen, task, rounds, lines))]),
      part('sessions', sessionList(seen, logs, { of: task.id })),
      ...sections.filter(({ title }) => !APART.has(title)).flatMap((section) => sectionPart(section)),
      part('cost', cost(task)),
      part('history', history(seen, task)),
    ],
  };
}

function top(seen: Seen, task: Task, { archived, questions = [] }: TaskExtras): Markup {
  const facts = [
    `P${task.priority}`,
    task.type ?? 'code',
    ...(task.assigned_to === undefined ? [] : [task.assigned_to]),
    ...(archived ? ['archived'] : []),
    ...(task.paused ? ['paused'] : []),
  ];
  // With each question stands a field for its answer.
  const isAsked = questions.some(({ status }) => status === 'open');
  return html`<p>${pill(task.status)} <span class="meta">${facts.join(' · ')}</span></p><p class="said big">${task.description ?? ''}</p>${
    task.merge_commit === undefined
      ? undefined
      : html`<p>Merged as <code>${task.merge_commit}</code> &middot; <a href="${seen.base}/account/${task.id}">who stands behind it</a></p>`
  }${archived ? undefined : actionForms(seen, { kind: 'task', id: task.id }, { open: task.status === 'BLOCKED' ? 2 : 1, without: (name) => name === 'answer' && isAsked })}`;
}

/** Its end is in sight, however much comes. */
const tail = ({ base }: Seen, { log, lines }: NonNullable<TaskShown['printed']>): Markup =>
  html`<h2>What ${log.agent} prints <span class="meta"><a href="${base}/output/${fileOf(log)}">all of it</a></span></h2><div class="tail" tabindex="0" role="region" aria-label="The last lines of ${log.agent}"><pre class="out">${
    lines.length === 0
      ? 'Nothing yet.'
      : lines.slice(-LAST_LINES).map(
          (line): Markup => html`${toRead(line)}
`,
        )
  }</pre></div>`;

function blockedPart(seen: Seen, task: Task, { questions = [] }: TaskExtras): readonly Part[] {
  const open = questions.filter(({ status }) => status === 'open');
  // One that is answered while somebody looks stays where it was, below those that are still open.
  const closed = questions.filter(({ status }) => status !== 'open').toReversed();
  // Each of them stands below, with its field.
  const unasked = (task.blocked_questions ?? []).filter((text) => questions.every((one) => one.text !== text));
  const rows = [...open, ...closed].map((one) => {
    const acts =
      one.status === 'open'
        ? actionForms(seen, { kind: 'question', id: one.id }, { open: 2, isOpen: one.assume === undefined })
        : undefined;
    const closed = html`${one.closed_by === undefined ? undefined : html` by ${one.closed_by}`}${one.closed_at === undefined ? undefined : html`, ${moment(one.closed_at)}`}`;
    const assumed = html`<b>Assumed meanwhile</b>: <span class="said lines">${one.assume}</span>`;
    const outcome =
      one.answer !== undefined
        ? html`${one.assume === undefined ? undefined : html`${assumed}<br>`}<b>Answered</b>${closed}: <span class="said lines">${one.answer}</span>`
        : one.assume === undefined
          ? undefined
          : one.status === 'assumed'
            ? html`<b>Accepted</b>${closed}: <span class="said lines">${one.assume}</span>`
            : assumed;
    return html`<li id="${one.id}"><b class="id">${one.id}</b> <span class="tag${one.status === 'open' ? ' ask' : ''}">${one.status}</span> <span class="meta">${one.asked_by}${one.created === undefined ? undefined : html`, ${moment(one.created)}`}</span>${said(one.text)}${outcome === undefined ? undefined : html`<p>${outcome}</p>`}${acts}</li>`;
  });
  return [
    ...(task.status !== 'BLOCKED'
      ? []
      : [
          part(
            'blocked',
            html`<h2>Why it is blocked</h2>${said(task.blocked_reason ?? '')}${
              unasked.length === 0
                ? undefined
                : html`<ol>${unasked.map((text) => html`<li class="said lines">${text}</li>`)}</ol>`
            }${
              (task.attempted ?? []).length === 0
                ? undefined
                : html`<h3>Tried so far</h3><ul>${(task.attempted ?? []).map((text) => html`<li class="said lines">${text}</li>`)}</ul>`
            }`,
            'card need',
          ),
        ]),
    ...(rows.length === 0 ? [] : [part('questions', html`<h2>Questions</h2><ul class="plain questions">${rows}</ul>`)]),
  ];
}

/** Each criterion with what the approvals of the commit name for it. */
function criteria(task: Task): Markup {
  const all = criteriaOf(task.done_when);
  const approvals = historyOf(task).filter(
    ({ event, commit }) => event === 'approved' && commit !== undefined && commit === task.review_commit,
  );
  const byHand = approvals.filter(({ by_hand }) => by_hand === true);
  const rows = all.map((criterion, at) => {
    const found = approvals.flatMap((entry) =>
      byCriterion(shownIn(entry)).flatMap(([{ n }, shown]) => (n === at + 1 ? shown : [])),
    );
    const evidence =
      found.length === 0
        ? html`<p class="none">${approvals.length === 0 ? 'not approved yet' : byHand.length > 0 ? `${BY_HAND}: it names no evidence` : 'nothing is named for it'}</p>`
        : html`<ul>${found.map((one) => html`<li class="${isFlagged(one) ? 'flagged' : 'yes'}">${isFlagged(one) ? 'look at it: ' : undefined}<span class="said">${asStored(shownText(one))}</span></li>`)}</ul>`;
    return html`<li><p class="said lines">${criterion}</p><div class="evidence"><b class="sr">Evidence:</b> ${evidence}</div></li>`;
  });
  const concerns = approvals.flatMap((entry) =>
    concernsOf(entry).map(
      (one) => html`<li class="said">${concernText(one)} <span class="meta">${entry.agent}</span></li>`,
    ),
  );
  return html`<h2>Done when</h2>${rows.length === 0 ? html`<p>Nothing is said of it.</p>` : html`<ol class="criteria">${rows}</ol>`}${
    concerns.length === 0 ? undefined : html`<h3>Concerns of its approvers</h3><ul>${concerns}</ul>`
  }`;
}

function roundsMarkup({ base }: Seen, task: Task, rounds: readonly Round[], lines: TaskShown['lines']): Markup {
  const { id } = task;
  return html`<h2>Rounds of review</h2><ol class="rounds">${rounds.map((round, at) => {
    const by = roundBy(round);
    const diff = `${base}/task/${id}/diff/${at + 1}`;
    const verdicts = round.verdicts.map(
      ({ verdict, by: judge, time, reason }) =>
        html`<div class="verdict-told ${verdict === 'approved' ? 'yes' : 'no'}"><b>${VERDICT[verdict]}</b> by ${judge ?? 'somebody'}, ${moment(time)}${reason === undefined || reason === '' ? undefined : reasonMarkup(reason, diff, lines?.get(at + 1) ?? NO_LINES)}</div>`,
    );
    return html`<li id="round-${String(at + 1)}"><b>Round ${String(at + 1)}</b>${by === undefined ? undefined : html` by ${by}`}${
      round.commit === undefined
        ? undefined
        : html` &middot; <code>${round.commit}</code> &middot; <a href="${diff}">what it changes<span class="sr">, round ${String(at + 1)}</span></a>`
    }${round.merged ? html` &middot; <b class="yes">merged${task.merge_commit === undefined || task.merge_commit === round.commit ? undefined : html` as <code>${task.merge_commit.slice(0, 12)}</code>`}</b>` : undefined}${verdicts.length === 0 ? html`<p class="none">no verdict yet</p>` : verdicts}</li>`;
  })}</ol>`;
}

const NO_LINES: ReadonlySet<string> = new Set();

const MOMENT = /^\d{4}-\d\d-\d\dT[0-9:.]+Z$/;

function sectionPart({ title, fields }: Section): readonly Part[] {
  const told = fields.filter(isTold).filter(([label]) => !APART_FIELDS.has(label));
  if (told.length === 0) return [];
  const rows = told.map(
    ([label, value]) =>
      html`<dt>${label}</dt><dd class="said lines">${typeof value !== 'string' ? JSON.stringify(value) : MOMENT.test(value) ? moment(value) : value}</dd>`,
  );
  return [part(`s-${title.toLowerCase().replaceAll(' ', '-')}`, html`<h2>${title}</h2><dl>${rows}</dl>`)];
}

function cost({ usage, sessions = [] }: Task): Markup {
  if (usage === undefined) return html`<h2>What it used</h2><p>No session on it has ended yet.</p>`;
  const rows = sessions.map(sessionRow);
  const all = `${counted(usage.sessions, 'session')}, ${duration(usage.seconds * 1000)}, ${usage.input_tokens + usage.output_tokens === 0 ? 'tokens unknown' : `${number(usage.input_tokens)} tokens in, ${number(usage.output_tokens)} out`}${usage.cost_usd === undefined ? ', cost unknown' : `, ${money(usage.cost_usd)}`}`;
  return html`<h2>What it used</h2><p>${all}</p>${
    rows.length === 0
      ? undefined
      : html`<div class="scroll" tabindex="0" role="region" aria-label="Sessions on this task"><table class="cards"><caption class="sr">Sessions on this task</caption><thead><tr><th scope="col">Session of</th><th scope="col">From</th><th scope="col">Agent CLI</th><th scope="col">Sandbox</th></tr></thead><tbody>${rows}</tbody></table></div>`
  }`;
}

const sessionRow = ({ agent, since, provider, sandbox }: TaskSession): Markup =>
  html`<tr><th scope="row">${agent}</th><td data-l="From">${moment(since)}</td><td data-l="Agent CLI">${provider ?? '–'}</td><td data-l="Sandbox">${sandbox ?? 'unknown'}</td></tr>`;

/** Numbers by which Liza keeps track. */
const OF_MACHINES = /^(?:epoch|pin|drift|cycle|under|tree|remembered|known attempts): \S*$/;

/** What a verdict says stands with its round; a commit is told by its beginning. */
const detailsOf = (task: Task, entry: HistoryEvent): string =>
  eventDetails(task, entry)
    .split('; ')
    .filter((one) => one !== `reason: ${UNDER_REVIEWS}` && !OF_MACHINES.test(one))
    .join('; ')
    .replace(/\b([0-9a-f]{12})[0-9a-f]{28}\b/g, '$1');

function history({ base }: Seen, task: Task): Markup {
  const rounds = historyOf(task)
    .filter(({ event }) => event === 'submitted')
    .map(({ commit }) => commit);
  const row = (entry: HistoryEvent): Markup => {
    const details = detailsOf(task, entry);
    const who = whoDid(entry);
    const at = rounds.indexOf(entry['commit'] as string);
    const round =
      entry.event === 'submitted' && at >= 0
        ? html` <a href="${base}/task/${task.id}/diff/${String(at + 1)}">diff</a>`
        : undefined;
    return html`<li>${moment(entry.time)} <b>${eventWords(entry.event)}</b>${who === undefined ? undefined : html` by ${who}`}${round}${details === '' ? undefined : html`<div class="said detail">${details}</div>`}</li>`;
  };
  return html`<h2>History</h2><ol class="history">${historyOf(task).map(row)}</ol>`;
}
