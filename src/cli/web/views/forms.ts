// Buttons. A form names what it is about, what to do, and what was seen when it was written; the server asks the table
// again. It works without script, which then asks on a page of its own what the script asks in place.

import type { Action } from '../../live/actions.ts';
import type { Subject } from '../offers.ts';
import { html, type Markup } from './markup.ts';
import { versionOf } from './version.ts';
import type { Seen } from './view.ts';

/** Where the server puts the session's own word: a page is written once for all who look. */
export const FORM_WORD = '@form-word@';

export interface Wanted {
  readonly subject: Subject;
  readonly action: string;
  readonly seen: string;
  readonly seq: number;
  readonly text: string;
}

interface Shown {
  /** How many of them stand open. */
  readonly open?: number;
  /** One that stands elsewhere on the page. */
  readonly without?: string | undefined;
}

/** All that can be done with it. */
export function actionForms(seen: Seen, subject: Subject, { open = 1, without }: Shown = {}): Markup | undefined {
  const actions = seen.actionsFor(subject).filter(({ name }) => name !== without);
  if (actions.length === 0) return undefined;
  const forms = actions.map((action) => actionForm(seen, subject, action));
  const more = forms.slice(open);
  const what = subject.kind === 'board' ? 'the whole board' : subject.id;
  return html`<div class="acts">${forms.slice(0, open)}${
    more.length === 0
      ? undefined
      : html`<details class="more" id="more-${subject.kind}-${subject.id}"><summary>${open === 0 ? 'What you can do' : 'More'}<span class="sr"> for ${what}</span></summary><div class="acts">${more}</div></details>`
  }</div>`;
}

interface Filled {
  /** What stands in its field already. */
  readonly text?: string;
  readonly isOpen?: boolean;
}

export function actionForm(
  seen: Seen,
  subject: Subject,
  { name, says, asks, confirm }: Action,
  { text = '', isOpen = text !== '' }: Filled = {},
): Markup {
  const id = `f-${versionOf(`${subject.kind} ${subject.id} ${name}`)}`;
  const sends = html`<button${confirm === undefined ? undefined : html` class="careful"`}>${title(name)}</button>`;
  const hidden = html`<input type="hidden" name="form" value="${FORM_WORD}"><input type="hidden" name="kind" value="${subject.kind}"><input type="hidden" name="id" value="${subject.id}"><input type="hidden" name="action" value="${name}"><input type="hidden" name="seen" value="${seen.fingerprint(subject)}"><input type="hidden" name="seq" value="${seen.seq}">`;
  const form = (inner: Markup): Markup =>
    html`<form method="post" action="${seen.base}/act" class="act" id="${id}">${hidden}${inner}</form>`;
  if (asks === undefined) return form(html`${sends}<span class="hint">${says}</span>`);
  const box = html`<label for="${id}-t">${asks.label}${asks.optional ? ' (may be left out)' : ''}</label><textarea id="${id}-t" name="text" rows="2" maxlength="16000"${asks.optional ? undefined : html` required`}>${text}</textarea>`;
  return html`<details class="asks" id="${id}-d"${isOpen ? html` open` : undefined}><summary>${title(name)}&hellip;<span class="hint"> ${says}</span></summary>${form(html`${box}${sends}`)}</details>`;
}

/** `release-claim` → `Release claim`. */
const title = (name: string): string => {
  const words = name.replaceAll('-', ' ').replace(/ +/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Asked before what spends or destroys. */
export const confirmForm = (seen: Seen, wanted: Wanted, question: string, back: string): Markup =>
  html`<section class="card ask"><h2>${question}</h2>
<form method="post" action="${seen.base}/act" class="act"><input type="hidden" name="form" value="${FORM_WORD}"><input type="hidden" name="kind" value="${wanted.subject.kind}"><input type="hidden" name="id" value="${wanted.subject.id}"><input type="hidden" name="action" value="${wanted.action}"><input type="hidden" name="seen" value="${wanted.seen}"><input type="hidden" name="seq" value="${wanted.seq}"><input type="hidden" name="text" value="${wanted.text}"><input type="hidden" name="sure" value="yes"><input type="hidden" name="back" value="${back}"><button class="careful">Yes, do it</button> <a href="${seen.base}/${back}">No, go back</a></form></section>`;
