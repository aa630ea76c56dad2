// The report's templates for a page that is always there: whatever is put in is escaped, and what agents and people wrote
// is made safe to read first: no control characters, none that reorder a line, no known shape of a secret.

import { html as escaped, type Markup } from '../../../report/markup.ts';
import { safeText } from '../../../text/redact.ts';

export { asMarkup, type Markup } from '../../../report/markup.ts';

type Part = string | number | Markup | readonly Markup[] | undefined;

export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  escaped(strings, ...parts.map((part) => (typeof part === 'string' ? shown(part) : part)));

/** Most texts are ids, times and states, in which nothing can hide. */
const PLAIN = /^[A-Za-z0-9./ :_-]{0,24}$/;
export const shown = (text: string): string => (PLAIN.test(text) ? text : safeText(text.replace(COLOURS, '')));

/** Whole, or what is left of them would be read: `[31m`. */
const COLOURS = /\u001b(?:\[[0-9;:?]{0,40}[A-Za-z]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\))/g;

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const NOTHING: Markup = { markup: '' };

/** A moment as every reader can read it; the page's script says how long ago it is. */
export const moment = (timestamp: string): Markup =>
  html`<time datetime="${timestamp}">${timestamp.replace('T', ' ').replace(/Z$/, '')}</time>`;

/** Paragraphs and lists keep their lines. */
export const said = (text: string): Markup => html`<div class="said lines">${text}</div>`;

export const joined = (parts: readonly Markup[]): Markup => ({ markup: parts.map(({ markup }) => markup).join('') });
