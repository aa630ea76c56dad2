// Texts without the secrets somebody wrote into them: known shapes of credentials, and the values of the
// environment's own. Best effort: a secret without a shape that the environment does not hold stays. What is no
// secret stays too: ids, hashes, paths and code. A shape is only looked for where a telling piece of it is there,
// so that a text without any costs next to nothing.

import { invisible } from './invisible.ts';

export const HIDDEN = '[redacted]';

interface Shape {
  /** One of these must be in the text, as written here. */
  readonly needles: readonly string[];
  /** A first group is kept, it says what it was; of a second one it must be worth hiding. */
  readonly pattern: RegExp;
}

const OTHERS = 'cio SG. whsec_ pypi-AgE AGE-SECRET-KEY-1 lin_api_ xai- pplx- ATATT3 tskey- sbp_ glsa_ dapi'.split(' ');

/**
 * What may stand before a credential: no letter or digit, unless it ends a colour (`ESC[31m`), an escape of JSON or C (`\\n`,
 * `\\u001b`) or a byte of a URL (`%20`).
 */
const BORDER =
  '(?:(?<![A-Za-z0-9])|(?<=\\[[0-9;:?]{0,20}[A-Za-z])|(?<=\\\\[abefnrtv])|(?<=\\\\u[0-9a-fA-F]{4})|(?<=(?:\\\\x|%)[0-9a-fA-F]{2}))';
const marked = (pattern: RegExp): RegExp => new RegExp(BORDER + pattern.source, 'g');

const MARKED: readonly Shape[] = [
  { needles: ['sk-ant-'], pattern: marked(/sk-ant-[A-Za-z0-9_-]{8,}/) },
  // A name in kebab-case may begin the same way: a key has a long run of letters and digits, mixed.
  {
    needles: ['sk-'],
    pattern: marked(
      /sk-(?:proj-|svcacct-|or-v1-)?(?=[A-Za-z_-]{0,40}\d)(?=(?:[A-Za-z0-9]{0,40}[_-]){0,8}[A-Za-z0-9]{16})[A-Za-z0-9_-]{20,300}/,
    ),
  },
  { needles: ['k_live_', 'k_test_'], pattern: marked(/[spr]k_(?:live|test)_[A-Za-z0-9]{16,}/) },
  {
    needles: 'ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- npm_ hf_ dop_v1_ shpat_ gsk_'.split(' '),
    pattern: marked(
      /(?:(?:gh[oprsu]_|github_pat_|glpat-|dop_v1_|shpat_)[A-Za-z0-9_-]{16,}|(?:npm_|hf_|gsk_)(?=[A-Za-z0-9]{0,300}\d)[A-Za-z0-9]{30,})/,
    ),
  },
  { needles: ['xox'], pattern: marked(/xox[a-z]-[A-Za-z0-9-]{10,}/) },
  { needles: ['xapp-'], pattern: marked(/xapp-\d-[A-Za-z0-9-]{20,}/) },
  { needles: ['AKIA', 'ASIA'], pattern: marked(/(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])/) },
  { needles: ['AIza'], pattern: marked(/AIza[0-9A-Za-z_-]{30,}/) },
  { needles: ['ya29.'], pattern: marked(/ya29\.[0-9A-Za-z_-]{20,}/) },
  { needles: ['GOCSPX-'], pattern: marked(/GOCSPX-[0-9A-Za-z_-]{20,}/) },
  // Each run of its characters is read twice at most, by looking ahead from where it begins: a text of nothing but beginnings
  // would be read on and on from each of them.
  {
    needles: ['eyJ'],
    pattern: new RegExp(
      `(?<![\\w-])(?=[\\w-]{11,20000}\\.[\\w-]{8,8000}\\.[\\w-]{4})([\\w-]*?${BORDER})eyJ[\\w-]{8,}\\.[\\w-]{8,8000}\\.[\\w-]{4,}`,
      'g',
    ),
  },
  {
    needles: OTHERS,
    pattern: marked(
      /(?:cio(?=[A-Za-z0-9]{0,31}\d)[A-Za-z0-9]{32}(?![A-Za-z0-9])|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|whsec_[A-Za-z0-9+/=]{20,}|pypi-AgE[A-Za-z0-9_-]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{40,}|lin_api_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{32,}|ATATT3[A-Za-z0-9_=-]{20,}|tskey-[a-z]{2,20}-[A-Za-z0-9]{6,}-[A-Za-z0-9]{10,}|sbp_[0-9a-f]{40}|glsa_[A-Za-z0-9]{30,}_[0-9a-f]{8}|dapi[0-9a-f]{32})/,
    ),
  },
  { needles: ['hooks.slack.com/services/'], pattern: /(\bhooks\.slack\.com\/services\/)[^\s"'\\]+/g },
  { needles: ['discord'], pattern: /(\bdiscord(?:app)?\.com\/api\/webhooks\/)[^\s"'\\]+/g },
  { needles: ['://'], pattern: /(:\/\/)[^\s/@:"'\\]{0,200}:([^\s/@"'\\]{1,200})@/g },
  // A token in the place of the name: no name is that long and has digits.
  { needles: ['://'], pattern: /(:\/\/)(?=[^\s/@:"'\\]{0,200}\d)[^\s/@:"'\\]{20,400}@/g },
  // Package managers: `//host/:_authToken=…`, and on a line of its own without the host.
  {
    needles: ['/:_auth', '/:_password'],
    pattern: /(\/:_(?:authToken|auth|password)\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?)(?!\$\{)[^\s"'\\]{4,800}/g,
  },
  {
    needles: ['_auth', '_password'],
    pattern:
      /((?:^|[\s"'`]|\\n|npm_config_)_(?:authToken|auth|password)\s{0,2}=\s{0,2}\\?["']?)(?=[^\s"'\\]{0,400}[\d=])[^\s"'\\$({[]{6,800}(?=["'\s\\]|$)/gm,
  },
  {
    needles: ['npmAuth'],
    pattern: /(npmAuth(?:Token|Ident)\\?["']?\s{0,3}:\s{0,3}\\?["']?)(?!\$\{)[^\s"'\\]{4,800}/g,
  },
  {
    needles: ['uthorization', 'UTHORIZATION'],
    pattern:
      /((?:[Aa]uthorization|AUTHORIZATION)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:[A-Za-z]{3,10} )?)[A-Za-z0-9._~+/=-]{12,}/g,
  },
  {
    needles: ['earer ', 'asic ', 'EARER ', 'ASIC '],
    pattern: /(\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s{1,3})(?=[A-Za-z._~+/-]{0,200}[\d=])[A-Za-z0-9._~+/-]{12,}=*/g,
  },
];

const ASSIGNED: readonly Shape[] = [
  // An address of a proxy needs no scheme.
  {
    needles: ['_PROXY=', '_proxy='],
    pattern:
      /((?:HTTPS?|ALL|FTP|https?|all|ftp)_(?:PROXY|proxy)=\\?["']?)[^\s/@:"'\\]{0,200}:([^\s/@"'\\]{1,200})(?=@)/g,
  },
  // As a shell or an .env file writes it.
  {
    needles: ['PASSW', 'PASSPHRASE=', 'SECRET=', 'TOKEN=', 'KEY='],
    pattern:
      /((?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY)=\\?["']?)([^\s"'$<{([`;&|\\]{6,})/g,
  },
  // On a command line, and between quotes, where any character may be part of it.
  {
    needles: ['--pass', '--token', '--api', '--secret'],
    pattern:
      /(--(?:password|passwd|passphrase|token|api-?key|secret)[ =]\\?["']?)(?=[^\s"'\\]{0,100}\d)([^\s"'\\$<{(-][^\s"'\\]{7,200})/g,
  },
  {
    needles: ['assword', 'assphrase', 'asswd'],
    pattern:
      /((?:[Pp]assw(?:or)?d|[Pp]assphrase)\\?["']?\s{0,3}[=:]\s{0,3}\\?["'])(?=[^"'\s\\]{0,100}\d)([^"'\s\\$<{(]{8,200})(?=\\?["'])/g,
  },
  // In code a word behind `token:` is a type or a call: only what mixes letters and digits is taken for a secret.
  {
    needles: ['passw', 'Passw', 'assphrase', 'ecret', 'oken', 'ey'],
    pattern:
      /((?:[Pp]assw(?:or)?d|[Pp]assphrase|[Ss]ecret|[Tt]oken|(?:[Aa]pi|[Aa]ccess|[Aa]ccount|[Ss]ecret)[_-]?[Kk]ey)\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?)(?=[A-Za-z_+/=~-]{0,100}\d)(?=[\d_+/=~-]{0,100}[A-Za-z])([A-Za-z0-9_+/=~-]{8,400})(?=["'\s,;&)}[\]<|\\]|$)/g,
  },
  {
    needles: ['PASSW', 'SECRET', 'TOKEN', 'KEY'],
    pattern:
      /((?:PASSWORD|PASSWD|SECRET|TOKEN|(?:API|ACCESS|ACCOUNT|SECRET)[_-]?KEY)\\?["']?\s{0,3}:\s{0,3}\\?["']?)(?=[A-Za-z_+/=~-]{0,100}\d)(?=[\d_+/=~-]{0,100}[A-Za-z])([A-Za-z0-9_+/=~-]{8,400})(?=["'\s,;&)}[\]<|\\]|$)/g,
  },
];

/** One look that tells whether any of them can be there: most texts hold none, and this is what those cost. */
const GATES: readonly { readonly gate: RegExp; readonly shapes: readonly Shape[] }[] = [
  {
    gate: /sk-|k_live_|k_test_|gh[oprsu]_|github_pat_|glpat-|npm_|hf_|dop_v1_|shpat_|gsk_|xox|xapp-|AKIA|ASIA|AIza|ya29\.|GOCSPX-|eyJ|hooks\.slack|discord|SG\.|whsec_|pypi-AgE|AGE-SECRET|lin_api_|xai-|pplx-|ATATT3|tskey-|sbp_|glsa_|dapi|_auth|_password|npmAuth|cio[A-Za-z0-9]{32}|uthori|UTHORI|earer |asic |EARER |ASIC |:\/\//,
    shapes: MARKED,
  },
  {
    gate: /--(?:pass|token|api|secret)|_(?:PROXY|proxy)=|(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|KEY|assw(?:or)?d|assphrase|ecret|oken|[Kk]ey)\\?["']?\s{0,3}[=:]/,
    shapes: ASSIGNED,
  },
];

/** What stands for a secret in examples, tests and databases on the own machine. */
const COMMON =
  /^(?:(?:tests?|testing|dummy|fake|mock|example|sample|placeholder|change-?me|your|my|x{3,}|\*{3,}|postgres(?:ql)?|mysql|password|passwd|secret|token|root|admin|administrator|user|guest|dev|develop|development|production|staging|local|localhost|foo|bar|none|null|true|false|undefined|disabled|enabled|required|optional|default|anonymous|string|number|boolean|process)(?:[\W_]|$)|[\W_\d]{0,11}$)/i;

export function redact(text: string, secrets: readonly string[] = []): string {
  const clean = withoutSecrets(text, secrets);
  if (clean.search(MASK) === -1) return clean;
  // A colour or a character that nobody sees may part a secret: where one does, the text loses all of them.
  const plain = clean.replace(MASK, '');
  const cleaner = withoutSecrets(plain, secrets);
  return cleaner === plain ? clean : cleaner;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, HIDDEN);
  if (clean.includes('PRIVATE KEY')) clean = withoutKeys(clean);
  for (const { gate, shapes } of GATES) {
    if (!gate.test(clean)) continue;
    for (const { needles, pattern } of shapes) {
      if (needles.some((needle) => clean.includes(needle))) clean = clean.replace(pattern, hidden);
    }
  }
  return clean;
}

export const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
export const KEY_END = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const LONGEST_KEY = 16_000;
/** A line of one, whatever a program prints before and behind it; its headers; an empty one. */
export const KEY_LINE = /[A-Za-z0-9+/=]{30}|^\W*(?:Proc-Type|DEK-Info|Version|Comment)\b|^\W*$/;

/**
 * From its beginning to its end, with all that a program may print between: line numbers, colours, the signs of a
 * diff. One that does not end is hidden for as long as its lines look like it.
 */
function withoutKeys(text: string): string {
  const ends = [...text.matchAll(KEY_END)].map(({ index, 0: { length } }) => ({ index, after: index + length }));
  let next = 0;
  let from = 0;
  let clean = '';
  for (const { index, 0: begin } of text.matchAll(KEY_BEGIN)) {
    if (index < from) continue;
    while ((ends[next]?.index ?? Number.POSITIVE_INFINITY) < index) next += 1;
    const end = ends[next];
    const ended = end !== undefined && end.index - index <= LONGEST_KEY;
    clean += `${text.slice(from, index)}${HIDDEN}`;
    from = ended ? end.after : unendedKey(text, index + begin.length);
  }
  return clean + text.slice(from);
}

/** Where it ceases to look like one. */
function unendedKey(text: string, from: number): number {
  const rest = text.slice(from, from + LONGEST_KEY);
  const other = rest.indexOf('-----BEGIN ');
  const lines = (other < 0 ? rest : rest.slice(0, other)).split(/(\r?\n|(?<!\\)\\+[rn])/);
  let at = from;
  let held = from;
  for (const [n, line] of lines.entries()) {
    at += line.length;
    if (n % 2 === 1 || n === 0) continue;
    if (!KEY_LINE.test(line)) break;
    // Empty lines alone are no part of it.
    if (/\w/.test(line)) held = at;
  }
  // On the same line, without any break.
  const same = /^[A-Za-z0-9+/=\s\\]*/.exec(lines[0] ?? '')?.[0].length ?? 0;
  return Math.max(held, from + same);
}

function hidden(match: string, kept?: unknown, value?: unknown): string {
  // Without a group the second argument is the place of the match.
  if (typeof kept !== 'string') return HIDDEN;
  if (typeof value === 'string' && COMMON.test(value)) return match;
  return `${kept}${HIDDEN}`;
}

const SECRET_NAME =
  /(?:^|_)(?:TOKENS?|SECRETS?|CREDENTIALS?|DSN|PAT|OTP)(?:_|$)|PASSWORD|PASSWD|PASSPHRASE|_PWD$|_PASS$|(?:API|ACCESS|PRIVATE|SECRET)_?KEY|_KEYS?$|_AUTH$|WEBHOOK|^DOCKER_AUTH_CONFIG$|^npm_config_.*(?:auth|otp)/i;

/** `http://ann:password@host`, also without a scheme, as addresses of proxies and databases have it. */
const passwordIn = (value: string): readonly string[] => {
  const [, password] =
    /^(?:[a-zA-Z][a-zA-Z0-9+.-]{0,30}:\/\/)?[^\s/@:]{0,200}:([^\s/@]{1,200})@[^\s/@]/.exec(value) ?? [];
  return password === undefined ? [] : [password];
};

/** Values of variables whose names say that they are secret, and passwords in addresses, the longest first, as they are written. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = remembered.get(env);
  if (known !== undefined) return known;
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name));
  const values = [
    ...named.flatMap(([, value]) => (value === undefined ? [] : [value, ...linesOf(value)])),
    ...Object.values(env).flatMap((value) => (value?.includes('@') ? passwordIn(value) : [])),
  ];
  const all = values.filter(isWorthHiding).flatMap(asWritten);
  const found = [...new Set(all)].sort((a, b) => b.length - a.length);
  remembered.set(env, found);
  return found;
}

/** All forms in which a value is written: plain, in JSON, in JSON that is text in JSON, in URLs, HTML and base64. */
function asWritten(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = uri(value);
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [
    ...[value, json, JSON.stringify(json).slice(1, -1), json.replaceAll('/', '\\/')],
    ...[url, url.replace(/%../g, (byte) => byte.toLowerCase())],
    ...[html, html.replaceAll('"', '&quot;'), html.replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    base64(value),
    ...[0, 1, 2].map((before) => base64Within(value, before)),
  ];
}

/** As it stands within a longer text in base64, behind so many bytes of a group of three: the signs that hold all of it. */
function base64Within(value: string, before: number): string {
  const whole = base64(`${'x'.repeat(before)}${value}`);
  const isEven = (before + new TextEncoder().encode(value).length) % 3 === 0;
  return whole.slice(before === 0 ? 0 : before + 1, isEven ? undefined : -1);
}

/** Without the signs that only fill it up. */
const base64 = (value: string): string =>
  btoa(Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '');

/** An environment is the same object for as long as a process runs. */
const remembered = new WeakMap<object, readonly string[]>();

const SHORTEST = 8;

/** A path, a plain number or a word would be hidden wherever it is meant as itself. */
const isWorthHiding = (value: string): boolean =>
  value.length >= SHORTEST &&
  !/^(?:[~.]?\/|[\d.,:-]{0,14}$|[A-Z]?[a-z]{7,11}$)/.test(value) &&
  !COMMON.test(value) &&
  value.trim() !== '';

/** Each line of a value that has several: output is looked at line by line. */
const linesOf = (value: string): readonly string[] =>
  value.includes('\n') ? value.split('\n').filter((line) => line.length >= 2 * SHORTEST) : [];

function uri(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}

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

/** What may part a word for a program and not for a reader: colours, also as JSON and C write them, and what is not seen. */
const MASK =
  /(?:\u001b|\\(?:u001b|x1b|033|e))\[[0-9;:?]{0,20}[A-Za-z]|[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gi;

const UNSEEN = invisible(String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`);
