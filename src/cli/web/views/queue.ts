// The merge queue: who lands together, what was tested of them and came out how, and who waits for what.

import { figuresText, holdText, queueView as queueOf } from '../../../protocol/queue/tell.ts';
import { settings } from '../../../protocol/state.ts';
import type { Action } from '../../live/actions.ts';
import { actionForm } from './forms.ts';
import { html, type Markup, sentence } from './markup.ts';
import { taskLink } from './now.ts';
import { part, type Seen, type View } from './view.ts';

const WHOLE = { kind: 'board', id: '' } as const;

const actsOf = (seen: Seen, actions: readonly Action[]): Markup | undefined =>
  actions.length === 0
    ? undefined
    : html`<div class="acts">${actions.map((action) => actionForm(seen, WHOLE, action))}</div>`;

type Run = NonNullable<ReturnType<typeof queueOf>['batch']>['runs'][number];

const runRow = ({ text, log, output }: Run, at: number): Markup =>
  html`<li><span class="tag ${text.endsWith('red') ? 'no' : 'yes'}">${text}</span>${log === undefined ? undefined : html` <code>${log}</code>`}${
    output === undefined
      ? undefined
      : html`<details id="run-${String(at)}"><summary>How it ended</summary><pre class="out">${output}</pre></details>`
  }</li>`;

export function queueView(seen: Seen): View {
  const { board, now } = seen;
  const { held, batch, ahead, waiting, size, figures } = queueOf(board, settings(board.state), now);
  const own = seen.actionsFor(WHOLE).filter(({ name }) => name.startsWith('queue '));
  const told = figuresText(figures);
  return {
    title: 'Merge queue',
    menu: 'queue',
    parts: [
      ...(held === undefined
        ? []
        : [
            part(
              'held',
              html`<h2>Nothing lands</h2><p>Held by ${held.by}${holdText(held) === undefined ? undefined : html`: <span class="said">${holdText(held)}</span>`}</p>${actsOf(
                seen,
                own.filter(({ name }) => name === 'queue release'),
              )}`,
              'card need',
            ),
          ]),
      ...(batch === undefined
        ? [part('batch', html`<h2>Nothing is being tested</h2>`)]
        : [
            part(
              'batch',
              html`<h2>${sentence(batch.text)}</h2><ol class="batch">${batch.entries.map(({ task, candidate, state }) => html`<li>${taskLink(seen, task)} <code>${candidate.slice(0, 12)}</code> <span class="tag ${state === 'landed' ? 'yes' : ''}">${state}</span></li>`)}</ol>${
                batch.runs.length === 0
                  ? undefined
                  : html`<h3>What was tested of it</h3><ol class="runs">${batch.runs.map(runRow)}</ol>`
              }`,
            ),
          ]),
      ...ahead.map(({ text, entries }, at) =>
        part(
          `ahead-${at}`,
          html`<h2>${sentence(text)}</h2><ol>${entries.map(({ task, candidate }) => html`<li>${taskLink(seen, task)} <code>${candidate.slice(0, 12)}</code></li>`)}</ol>`,
        ),
      ),
      part(
        'waiting',
        waiting.length === 0
          ? html`<h2>Nothing waits to be merged</h2>`
          : html`<h2>To come</h2><ol>${waiting.map(({ task, priority, why }) => {
              const first = seen.actionsFor({ kind: 'task', id: task }).find(({ name }) => name === 'queue first');
              return html`<li>${taskLink(seen, task)} P${String(priority)}${why === undefined ? undefined : html` <span class="said">${why}</span>`}${first === undefined ? undefined : actionForm(seen, { kind: 'task', id: task }, first)}</li>`;
            })}</ol>`,
      ),
      part(
        'figures',
        html`<h2>So far</h2><p>${sentence(size)}</p><ul>${told.map((line) => html`<li>${line}</li>`)}</ul>${actsOf(
          seen,
          own.filter(({ name }) => held === undefined || name !== 'queue release'),
        )}`,
      ),
    ],
  };
}
