// Texts that leave the board (logs, notifications, webhooks) without the secrets somebody wrote into them: known
// shapes of credentials, and the values of the environment's own. Best effort: a secret without a shape stays.

const HIDDEN = '[redacted]';

/** Whole matches are hidden, but for a first group, which says what it was. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g,
  /\b(?:gh[oprsu]_|github_pat_|glpat-|npm_|hf_|dop_v1_|shpat_)[A-Za-z0-9_-]{16,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}/g,
  /(\bhooks\.slack\.com\/services\/)[^\s"']+/g,
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@]{1,200}:[^\s/@]{1,200}@/gi,
  /(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/-]{12,}=*/gi,
  /(\b[\w-]{0,40}(?:passw(?:or)?d|secret|token|api[_-]?key|access[_-]?key)["']?\s*[=:]\s*["']?)[^\s"',;]{6,}/gi,
];

export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, HIDDEN);
  for (const shape of SHAPES) {
    clean = clean.replace(shape, (_match, kept: unknown) => `${typeof kept === 'string' ? kept : ''}${HIDDEN}`);
  }
  return clean;
}

/** Values of variables whose names say that they are secret, the longest first. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name));
  const values = named.flatMap(([, value]) => (value !== undefined && value.length >= 8 ? [value] : []));
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/**
 * One line that is safe to show: agents write most of it, and a log is read with `cat`. Control characters and
 * those that reorder or hide what a person reads are taken out; emoji stay whole.
 */
export function safeLine(text: string, secrets: readonly string[] = []): string {
  return redact(text, secrets).replace(/\s+/g, ' ').replace(UNSEEN, '').trim();
}

/** The same for a text of several lines, which stay. What hides in a secret goes first, or it would hide the secret. */
export function safeText(text: string, secrets: readonly string[] = []): string {
  const lines = text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll('\t', '  ')
    .split('\n');
  return redact(lines.map((line) => line.replace(UNSEEN, '')).join('\n'), secrets);
}

const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
