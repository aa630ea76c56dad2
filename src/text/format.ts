// Long text in one line: alarms, reasons and lists that people read at a glance.

const GIST_LIMIT = 200;

/** The text in one line of at most `limit` characters. */
export function gist(text: string, limit: number = GIST_LIMIT): string {
  const start = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const line = (/[^\S ]| {2}/.test(start) ? start.replace(/\s+/g, ' ') : start).trim();
  if (line.length <= limit) return line;
  return `${beginning(line, limit - 1).trimEnd()}…`;
}

/** At most so much of it; no character is cut in two. */
export const beginning = (text: string, limit: number): string =>
  text.length <= limit ? text : text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');

export const ending = (text: string, limit: number): string =>
  text.length <= limit ? text : text.slice(-limit).replace(/^[\udc00-\udfff]/, '');

/** All of the text in one line. */
export const whole = (text: string): string => gist(text, Number.POSITIVE_INFINITY);

/** The same with the blanks within its lines as they are stored: what is compared to the letter. */
export const asStored = (text: string): string => text.trim().replace(/(?<!\s)\s*[\n\r]\s*/g, ' ');

/** `a, b, c and 4 more`. */
export function listed(items: readonly string[], most = 3): string {
  const shown = items.slice(0, most).join(', ');
  return items.length <= most ? shown : `${shown} and ${items.length - most} more`;
}

/** `1 task`, `3 tasks`, `2 TIMES`. */
export const counted = (count: number, noun: string): string => {
  const plural = noun === noun.toUpperCase() ? 'S' : 's';
  return `${count} ${/[^aeiou]y$/i.test(noun) && count !== 1 ? `${noun.slice(0, -1)}ie${plural}` : `${noun}${count === 1 ? '' : plural}`}`;
};

/** A path in a list of paths: in quotes where a reader could take it for something else than one path. */
export const pathWord = (path: string): string =>
  /^[^\s\p{C}\p{Z}"'`\\,;|]+$/u.test(path)
    ? path
    : JSON.stringify(path).replace(/\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|(?<= ) /gu, escaped);

const escaped = (one: string): string => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`;

/** A name with line breaks or the like must not look like text of Liza's: it is quoted, with what it has made visible. */
export const nameText = (path: string): string => (/[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path);

/** One word of a line that is pasted into a shell. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
