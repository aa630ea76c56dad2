// Text that agents and people wrote, as data inside a prompt. Every quoted line begins with `| `, so that
// nothing in it can pose as a section or a field; control and invisible characters are shown as U+FFFD.
// A text that is cut says so outside the quotation, with the command that shows all of it.

import { isFields } from '../../protocol/values.ts';
import { beginning } from '../../text/format.ts';
import { invisible } from '../../text/invisible.ts';

/** Longer texts are cut; TEXT_LIMIT allows twice as much on the board. */
export const QUOTE_LIMIT = 8192;

/** `NAME:` and the text below it; `rest` is the command that shows the whole text. */
export function field(name: string, text: string | undefined, rest: string): readonly string[] {
  if (text === undefined || text.trim() === '') return [`${name}: none`];
  return [`${name}:`, ...quote(text, rest)];
}

export function quote(text: string, rest: string): readonly string[] {
  const whole = withoutLastBreaks(visible(text));
  const shown = beginning(whole, QUOTE_LIMIT);
  const lines = shown.split('\n').map((line) => `| ${line}`.trimEnd());
  if (shown === whole) return lines;
  return [...lines, `(cut after ${QUOTE_LIMIT} of ${whole.length} characters; all of it: \`${rest}\`)`];
}

function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

/** Several texts as one quotation, each with a dash. */
export function quoteList(texts: readonly string[], rest: string): readonly string[] {
  return texts.flatMap((text) => quote(`- ${text.replace(/\n/g, '\n  ')}`, rest));
}

/** For values that stay on the line of their label: ids, paths, commits. */
export const inline = (text: string): string => visible(text).replace(/\s+/g, ' ').trim();

/** Paths on one line, at most `most` of them. */
export function pathList(paths: readonly string[], further = 0, most = 20): string {
  const shown = paths.slice(0, most).map((path) => shortened(inline(path)));
  const more = paths.length - shown.length + further;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

const shortened = (path: string): string => (path.length > 300 ? `${path.slice(0, 299)}…` : path);

/** Line breaks of every kind become `\n`; what a reader could not see becomes a mark it can. */
const visible = (text: string): string =>
  text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/\r\n?|[\u000b\u000c\u0085\u2028\u2029]/g, '\n')
    .replace(/\t/g, '  ')
    .replace(UNSEEN, '\ufffd');

const UNSEEN = invisible(String.raw`\u0000-\u0009\u000e-\u001f\u007f-\u009f`);

/** A list of paths as the record has it. */
export function paths(list: unknown): string {
  if (!isFields(list) || !Array.isArray(list['paths'])) return 'none';
  return pathList(list['paths'].map(String), typeof list['more'] === 'number' ? list['more'] : 0);
}
