// Which characters a board may hold at all, decided before anything is parsed and without the `yaml` package.
// Promises the exact place of the first offender. Must never let through a character that two readers take differently.

export interface Refusal {
  readonly ok: false;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint: string;
}

export const MAX_LENGTH = 64 * 1024 * 1024;

/** Whether the simple reader may look at `text`: no controls, no carriage returns, no exotic line breaks. */
export function isOrdinary(text: string): boolean {
  return !EXTRAORDINARY.test(text);
}

/** The refusal of the first character or size that no board may have; undefined when there is none. */
export function refuseCharacters(text: string): Refusal | undefined {
  if (text.length > MAX_LENGTH) {
    return refusal(
      text,
      0,
      'the file is larger than 64 MB',
      'archive finished tasks, or move transcripts out of the board',
    );
  }
  if (text.charCodeAt(0) === 0xfeff) {
    return refusal(text, 0, 'the file starts with a byte-order mark', 'save it as UTF-8 without a byte-order mark');
  }
  const at = text.search(FORBIDDEN);
  if (at === -1) return undefined;
  if (text.charAt(at) === '\r') {
    return refusal(text, at, 'the file has Windows line endings', 'save it with Unix line endings (LF)');
  }
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return refusal(
    text,
    at,
    `the file contains the control character U+${code}`,
    'delete it, or write it as an escape in double quotes',
  );
}

/** A refusal at a character offset of `text`. */
export function refusal(text: string, offset: number, message: string, hint: string): Refusal {
  let line = 1;
  let start = 0;
  for (let nl = text.indexOf('\n'); nl !== -1 && nl < offset; nl = text.indexOf('\n', start)) {
    line++;
    start = nl + 1;
  }
  return { ok: false, line, column: offset - start + 1, message, hint };
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.source;
const FORBIDDEN = new RegExp(`[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x84\\x86-\\x9f\\ufffe\\uffff]|${LONE_SURROGATE}`);
const EXTRAORDINARY = new RegExp(
  `[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]|${LONE_SURROGATE}`,
);
