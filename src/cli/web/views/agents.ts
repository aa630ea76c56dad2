// The agents: who does what, for how long, at what cost, and whose session's output can be read. What an agent does now
// comes from the crew; agents of other processes are known from the board alone.

import type { BoardHost } from '../../../store/postgres/hosts.ts';
import { counted } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import type { SessionLog } from '../../live/access.ts';
import { byInterest, type MemberRow, memberRows } from '../../live/agents.ts';
import { dollars, tokens } from '../../live/format.ts';
import { actionForms } from './forms.ts';
import { html, type Markup, moment } from './markup.ts';
import { part, type Seen, type View } from './view.ts';

/** The machines that work on a board in a database. */
export interface HostsSeen {
  readonly hosts: readonly BoardHost[];
  /** This one. */
  readonly here?: string;
  /** Why they are not known now. */
  readonly problem?: string;
}

export function agentsView(seen: Seen, logs: readonly SessionLog[], hosts?: HostsSeen): View {
  const rows = rowsOf(seen);
  const alone = seen.status.agents.filter(({ gone }) => gone);
  return {
    title: hosts === undefined ? 'Agents' : 'Agents and hosts',
    menu: 'agents',
    parts: [
      ...(rows.length === 0
        ? [part('none', html`<h2>Nobody is at work</h2><p>In a terminal: <code>liza run</code></p>`)]
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
              html`<h2>Not at work</h2><ul>${alone.map(({ id, ended, why }) => html`<li><b class="id">${id}</b> ${ended === 'in-order' ? 'is stopped' : ended === 'gave-up' ? 'gave up' : 'is gone'}${why === undefined ? undefined : html`: <span class="said">${why}</span>`}</li>`)}</ul>`,
            ),
          ]),
      ...(hosts === undefined ? [] : [part('hosts', hostsMarkup(hosts))]),
      part('logs', sessionList(seen, logs, { where: hosts === undefined ? '' : ' on this host' })),
    ],
  };
}

/** A host that watches the board says every quarter of a minute that it is there. */
const SILENT_MS = 60_000;

const hostsMarkup = ({ hosts, here, problem }: HostsSeen): Markup =>
  html`<h2>Hosts</h2>${
    problem === undefined
      ? hosts.length === 0
        ? html`<p>No host has been seen yet. In a terminal on each: <code>liza run</code></p>`
        : undefined
      : html`<p class="said why">${problem}</p>`
  }<ul class="hosts">${hosts.map(
    ({ id, name, version, seen, ago, lag, agents, drained, tags }) =>
      html`<li><b class="id">${name}</b>${id === name ? undefined : html` <code>${id}</code>`}${id === here ? ' (this one)' : ''} ${hostTag(ago, agents, drained)}${tags.length === 0 ? undefined : html` has ${tags.join(', ')}`} <span class="meta">${ago > SILENT_MS ? 'since ' : ''}${moment(iso(seen))} &middot; liza ${version} &middot; ${lag === 0 ? 'has read every entry' : `${counted(lag, 'entry')} behind then`}</span> &middot; <span class="said">${agents.length === 0 ? 'no agents' : agents.join(', ')}</span></li>`,
  )}</ul>`;

function hostTag(ago: number, agents: readonly string[], drained: boolean): Markup {
  if (drained) return html`<span class="tag">takes no new work</span>`;
  if (ago <= SILENT_MS) return html`<span class="tag yes">seen</span>`;
  return agents.length > 0 ? html`<span class="tag no">lost</span>` : html`<span class="tag">silent</span>`;
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

interface Listed {
  /** Each host keeps the output of its own. */
  readonly where?: string;
  /** The task whose page it is on. */
  readonly of?: string;
}

export function sessionList({ base }: Seen, logs: readonly SessionLog[], { where = '', of }: Listed = {}): Markup {
  if (logs.length === 0) return html`<h2>Output of sessions${where}</h2><p>None is kept.</p>`;
  return html`<h2>Output of sessions${where}</h2><p class="meta">${logs.length > MOST_LOGS ? `The last ${MOST_LOGS} of ${logs.length}.` : undefined}</p><ul class="sessions">${logs
    .slice(0, MOST_LOGS)
    .map(
      (log) =>
        html`<li><a href="${base}/output/${fileOf(log)}">output of ${log.agent}&rsquo;s session, <time datetime="${began(log)}">${began(log).slice(0, 19).replace('T', ' ')}</time></a>${log.task === undefined || log.task === of ? undefined : html` <a class="id" href="${base}/task/${log.task}">${log.task}</a>`}</li>`,
    )}</ul>`;
}

/** `20260131T140211-120Z` as others write it. */
const began = ({ began: at }: SessionLog): string =>
  at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d).*$/, '$1-$2-$3T$4:$5:$6Z');
