// Buttons. A form names what it is about, what to do, and what was seen when it was written; the server asks the table
// again. It works without script, which then asks on a page of its own what the script asks in place.

import type { Action } from '../../live/actions.ts';
import type { Subject } from '../offers.ts';
import { html, type Markup } from './markup.ts';
import { versionOf } from './version.ts';
import type { Seen } from './view.ts';

/** Where the server puts the session's own word: a page is written once for all who look. Nothing that an agent wrote has it. */
export const FORM_WORD = `@form-${crypto.randomUUID()}@`;
/** Where the number of the board goes when a page is sent: what nothing happened to stays the same text. */
const SEQ_WORD = `@seq-${crypto.randomUUID()}@`;

/** The words put in. */
export const filledIn = (page: string, form: string, seq: number): string =>
  page.replaceAll(FORM_WORD, form).replaceAll(SEQ_WORD, String(seq));

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
  /** Those that stand elsewhere on the page. */
  readonly without?: (name: string) => boolean;
  /** The name of the one that stands before the others. */
  readonly first?: string;
  /** Those that take a text stand open, too. */
  readonly isOpen?: boolean;
}

/** All that can be done with it. */
export function actionForms(
  seen: Seen,
  subject: Subject,
  { open = 1, without, isOpen = false, first }: Shown = {},
): Markup | undefined {
  const actions = seen
    .actionsFor(subject)
    .filter(({ name }) => without?.(name) !== true)
    .toSorted((a, b) => Number(b.name === first) - Number(a.name === first));
  if (actions.length === 0) return undefined;
  const forms = actions.map((action) => actionForm(seen, subject, action, { isOpen }));
  const more = forms.slice(open);
  const what = subject.kind === 'board' ? 'the whole board' : subject.id;
  return html`<div class="acts">${forms.slice(0, open)}${
    more.length === 0
      ? undefined
      : html`<details class="more" id="more-${subject.kind}-${subject.id}"><summary><span class="press">${open === 0 ? 'What you can do' : 'More'}<span class="sr"> for ${what}</span></span></summary><div class="acts">${more}</div></details>`
  }</div>`;
}

interface Filled {
  /** What stands in its field already. */
  readonly text?: string;
  readonly isOpen?: boolean;
  /** It stands on the page once more. */
  readonly isSecond?: boolean;
}

export function actionForm(
  seen: Seen,
  subject: Subject,
  { name, says, asks, confirm }: Action,
  { text = '', isOpen = text !== '', isSecond = false }: Filled = {},
): Markup {
  const id = `f-${versionOf(`${subject.kind} ${subject.id} ${name}${isSecond ? ' 2' : ''}`)}`;
  const sends = html`<button${confirm === undefined ? undefined : html` class="careful"`}>${title(name)}${asks === undefined && confirm !== undefined ? html`&hellip;` : undefined}</button>`;
  const hidden = hiddenFields({ subject, action: name, seen: seen.fingerprint(subject), seq: SEQ_WORD });
  const form = (inner: Markup): Markup =>
    html`<form method="post" action="${seen.base}/act" class="act" id="${id}">${hidden}${inner}</form>`;
  if (asks === undefined) return form(html`${sends}<span class="hint">${says}</span>`);
  const box = html`<label for="${id}-t">${asks.label}${asks.optional ? ' (may be left out)' : ''}</label><textarea id="${id}-t" name="text" rows="2" maxlength="16000"${asks.optional ? undefined : html` required`}>${text}</textarea>`;
  return html`<details class="asks" id="${id}-d"${isOpen ? html` open` : undefined}><summary><span class="press${confirm === undefined ? '' : ' careful'}">${title(name)}&hellip;</span> <span class="hint">${says}</span></summary>${form(html`${box}${sends}`)}</details>`;
}

/** Which form it is, about what, and as it was seen. */
const hiddenFields = ({
  subject: { kind, id },
  action,
  seen,
  seq,
}: Omit<Wanted, 'text' | 'seq'> & { readonly seq: number | string }): Markup =>
  html`<input type="hidden" name="form" value="${FORM_WORD}"><input type="hidden" name="kind" value="${kind}"><input type="hidden" name="id" value="${id}"><input type="hidden" name="action" value="${action}"><input type="hidden" name="seen" value="${seen}"><input type="hidden" name="seq" value="${seq}">`;

/** Commands whose names are no words for a button. */
const TITLES: Readonly<Record<string, string>> = {
  'analyze --resolve': 'Resolve',
  'anomaly processed': 'Mark as dealt with',
  'discovery dismiss': 'Dismiss',
  'queue first': 'Merge first',
  'queue hold': 'Hold merges',
  'queue release': 'Release merges',
};

/** `release-claim` → `Release claim`. */
const title = (name: string): string => {
  const own = Object.hasOwn(TITLES, name) ? TITLES[name] : undefined;
  if (own !== undefined) return own;
  const words = name.replaceAll('-', ' ').replace(/ +/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Asked before what spends or destroys. */
export const confirmForm = (seen: Seen, wanted: Wanted, question: string, back: string): Markup =>
  html`<section class="card ask"><h2>${question}</h2>
<form method="post" action="${seen.base}/act" class="act">${hiddenFields(wanted)}<input type="hidden" name="text" value="${wanted.text}"><input type="hidden" name="sure" value="yes"><input type="hidden" name="back" value="${back}"><button class="careful">Yes, do it</button> <a href="${seen.base}/${back}">No, go back</a></form></section>`;
