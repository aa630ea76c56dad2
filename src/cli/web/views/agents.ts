// The agents: who does what, for how long, at what cost, and whose session's output can be read. What an agent does now
// comes from the crew; agents of other processes are known from the board alone.

import type { SessionLog } from '../../live/access.ts';
import { byInterest, type MemberRow, memberRows } from '../../live/agents.ts';
import { dollars, tokens } from '../../live/format.ts';
import { actionForms } from './forms.ts';
import { html, type Markup } from './markup.ts';
import { part, type Seen, type View } from './view.ts';

export function agentsView(seen: Seen, logs: readonly SessionLog[]): View {
  const rows = rowsOf(seen);
  const alone = seen.status.agents.filter(({ gone }) => gone);
  return {
    title: 'Agents',
    menu: 'agents',
    parts: [
      ...(rows.length === 0
        ? [part('none', html`<h2>Nobody is at work</h2><p>In a terminal: <code>liza run</code></p>`, 'card calm')]
        : byInterest(rows).map((row) =>
            agentPart(
              seen,
              row,
              logs.find(({ agent }) => agent === row.id),
            ),
          )),
      ...(alone.length === 0
        ? []
        : [
            part(
              'gone',
              html`<h2>Not at work</h2><ul>${alone.map(({ id, ended, why }) => html`<li><b class="id">${id}</b> ${ended === 'in-order' ? 'ended in order' : ended === 'gave-up' ? 'gave up' : 'is gone'}${why === undefined ? undefined : html`: <span class="said">${why}</span>`}</li>`)}</ul>`,
            ),
          ]),
      part('logs', sessionList(seen, logs)),
    ],
  };
}

const rowsOf = ({ crew, status }: Seen): readonly MemberRow[] =>
  memberRows({ ...crew, now: 0 }, status, { color: false, unicode: true, width: 120, height: 40, zone: 0 });

function agentPart(seen: Seen, { id, state, task, provider, now, context, session }: MemberRow, log?: SessionLog) {
  const facts = [
    ...(session === undefined ? [] : [`${tokens(session.input)} in, ${tokens(session.output)} out`]),
    ...(session?.cost_usd === undefined ? [] : [dollars(session.cost_usd)]),
    ...(context === undefined ? [] : [`context ${Math.round(context)} %`]),
    provider,
  ].filter((fact) => fact !== '');
  return part(
    `agent-${id}`,
    html`<h2><b class="id">${id}</b> <span class="tag ${state}">${state}</span></h2>
<p class="said">${now}</p><p class="meta">${task === undefined ? undefined : html`<a class="id" href="${seen.base}/task/${task}">${task}</a> &middot; `}${facts.join(' · ')}${
      log === undefined ? undefined : html` &middot; <a href="${seen.base}/output/${fileOf(log)}">its output</a>`
    }</p>${actionForms(seen, { kind: 'agent', id }, { open: 0 })}`,
  );
}

/** A line for each agent, as the page of what needs a person has it. */
export function doing(seen: Seen): Markup {
  const rows = byInterest(rowsOf(seen));
  if (rows.length === 0) return html`<p>Nobody is at work. In a terminal: <code>liza run</code></p>`;
  return html`<ul class="doing">${rows.map(
    ({ id, state, task, now }) =>
      html`<li><b class="id">${id}</b> <span class="tag ${state}">${state}</span> ${task === undefined ? undefined : html`<a class="id" href="${seen.base}/task/${task}">${task}</a> `}<span class="said">${now}</span></li>`,
  )}</ul>`;
}

const MOST_LOGS = 60;
export const fileOf = ({ path }: Pick<SessionLog, 'path'>): string => path.split('/').at(-1) ?? '';

export function sessionList({ base }: Seen, logs: readonly SessionLog[]): Markup {
  if (logs.length === 0) return html`<h2>Sessions</h2><p>No session has begun.</p>`;
  return html`<h2>Sessions</h2><p class="meta">${logs.length > MOST_LOGS ? `The last ${MOST_LOGS} of ${logs.length}.` : undefined}</p><ul class="sessions">${logs
    .slice(0, MOST_LOGS)
    .map(
      (log) =>
        html`<li><a href="${base}/output/${fileOf(log)}">${log.agent}</a> <time datetime="${began(log)}">${began(log).slice(0, 16).replace('T', ' ')}</time>${log.task === undefined ? undefined : html` <a class="id" href="${base}/task/${log.task}">${log.task}</a>`}</li>`,
    )}</ul>`;
}

/** `20260131T140211-120Z` as others write it. */
const began = ({ began: at }: SessionLog): string =>
  at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d).*$/, '$1-$2-$3T$4:$5:$6Z');
