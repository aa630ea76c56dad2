// The merge queue: who lands together, what was tested of them and came out how, and who waits for what.

import { figuresText, queueView as queueOf } from '../../../protocol/queue/tell.ts';
import { settings } from '../../../protocol/state.ts';
import { actionForm } from './forms.ts';
import { html } from './markup.ts';
import { taskLink } from './now.ts';
import { part, type Seen, type View } from './view.ts';

export function queueView(seen: Seen): View {
  const { board, now } = seen;
  const { held, batch, ahead, waiting, size, figures } = queueOf(board, settings(board.state), now);
  const whole = { kind: 'board', id: '' } as const;
  const own = seen.actionsFor(whole).filter(({ name }) => name.startsWith('queue '));
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
              html`<h2>Nothing lands</h2><p>Held by ${held.by}${held.reason === undefined ? undefined : html`: <span class="said">${held.reason}</span>`}</p>`,
              'card need',
            ),
          ]),
      ...(batch === undefined
        ? [part('batch', html`<h2>Nothing is being tested</h2>`, 'card calm')]
        : [
            part(
              'batch',
              html`<h2>${batch.text}</h2><ol class="batch">${batch.entries.map(({ task, candidate, state }) => html`<li>${taskLink(seen, task)} <code>${candidate.slice(0, 12)}</code> <span class="tag ${state === 'landed' ? 'yes' : ''}">${state}</span></li>`)}</ol>${
                batch.runs.length === 0
                  ? undefined
                  : html`<h3>What was tested of it</h3><ol class="runs">${batch.runs.map(({ text, log }) => html`<li><span class="tag ${text.endsWith('red') ? 'no' : 'yes'}">${text}</span>${log === undefined ? undefined : html` <code>${log}</code>`}</li>`)}</ol>`
              }`,
            ),
          ]),
      ...ahead.map(({ text, entries }, at) =>
        part(
          `ahead-${at}`,
          html`<h2>${text}</h2><ol>${entries.map(({ task, candidate }) => html`<li>${taskLink(seen, task)} <code>${candidate.slice(0, 12)}</code></li>`)}</ol>`,
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
        html`<h2>So far</h2><p>${size}</p><ul>${told.map((line) => html`<li>${line}</li>`)}</ul>${own.length === 0 ? undefined : html`<div class="acts">${own.map((action) => actionForm(seen, whole, action))}</div>`}`,
      ),
    ],
  };
}
