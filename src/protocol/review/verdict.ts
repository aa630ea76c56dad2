// A rejection as text: its structure, what is missing from it, and whether two say the same.
// Everything here is linear in the text (at most 16 KB) and blockers are capped, so that no
// verdict, however hostile, can hold the lock.

export interface Blocker {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

interface Rejection {
  readonly blockers: readonly Blocker[];
  /** What is missing or wrong, each as one clause; empty: well-formed. */
  readonly problems: readonly string[];
}

export const MAX_BLOCKERS = 100;
const SAME_TEXT = 0.8;

export const REJECTION_FORMAT =
  'Blockers: 1\n- [blocker] path/file:12 — what is wrong\n  Why it matters: …\n  Suggestion: …\nConcerns: 0\nOverall: …';

/** `withPrior`: from iteration 2 on, the status of the prior feedback must be there. */
export function parseRejection(text: string, withPrior: boolean): Rejection {
  const lines = text.split('\n').map(plain);
  const problems: string[] = [];
  const { blockers, faults, count } = readBlockers(lines);
  const stated = heading(lines, 'blockers');
  if (stated === undefined) problems.push('a line `Blockers: <count>` is missing');
  if (count === 0) problems.push('no `[blocker] file:line — …` is named');
  else if (stated !== undefined && Number.parseInt(stated, 10) !== count) {
    problems.push(`\`Blockers: ${stated.slice(0, 20)}\` is stated, and ${count} ${count === 1 ? 'is' : 'are'} listed`);
  }
  problems.push(...faults.slice(0, MOST_FAULTS));
  if (faults.length > MOST_FAULTS) problems.push(`and ${faults.length - MOST_FAULTS} more about its blockers`);
  if (blockers.length > MAX_BLOCKERS)
    problems.push(`more than ${MAX_BLOCKERS} blockers: name the ones that matter most`);
  if (heading(lines, 'concerns') === undefined) problems.push('a line `Concerns: <count>` is missing (0 is fine)');
  if ((heading(lines, 'overall') ?? '') === '' && !hasBodyAfter(lines, 'overall')) {
    problems.push('a line `Overall: <one or two sentences>` is missing');
  }
  if (withPrior && !hasPrior(lines)) {
    problems.push(
      '`Prior Feedback Status:` with RESOLVED, STILL PRESENT or PARTIAL lines is missing (iteration 2 or later)',
    );
  }
  return { blockers: blockers.slice(0, MAX_BLOCKERS), problems };
}

/** A rejection in a line: its first blocker, or its first line where it names none. */
export function mainBlocker(reason: string): string {
  const [blocker] = parseRejection(reason, false).blockers;
  return blocker === undefined ? (reason.split('\n', 1)[0] ?? '') : `${blocker.file}:${blocker.line} ${blocker.text}`;
}

/** Every blocker of the second matches one of the first: same file, similar text. */
export function sameRejection(first: readonly Blocker[], second: readonly Blocker[]): boolean {
  if (second.length === 0) return false;
  const known = first.map((blocker) => ({ file: blocker.file, pairs: bigrams(blocker.text) }));
  return second.every((blocker) => {
    const mine = bigrams(blocker.text);
    return known.some((other) => other.file === blocker.file && overlap(mine, other.pairs) >= SAME_TEXT);
  });
}

/** 0 … 1: how many letter pairs two texts share, once case, punctuation and spacing are set aside. */
export const similarity = (a: string, b: string): number => overlap(bigrams(a), bigrams(b));

/** What one refusal says of its blockers; the rest is counted. */
const MOST_FAULTS = 12;

/** Blockers that can be found, complete or not; what is wrong with each; how many there are. */
function readBlockers(lines: readonly string[]): { blockers: Blocker[]; faults: string[]; count: number } {
  const blockers: Blocker[] = [];
  const faults: string[] = [];
  const starts = lines.flatMap((line, at) => (line.toLowerCase().startsWith('[blocker]') ? [at] : []));
  starts.forEach((start, nth) => {
    const body = lines.slice(start + 1, starts[nth + 1] ?? lines.length);
    const label = `blocker ${nth + 1}`;
    const read = readPlace((lines[start] ?? '').slice('[blocker]'.length).trim());
    if (read === undefined) {
      faults.push(`${label} does not read \`[blocker] file:line — text\``);
      return;
    }
    blockers.push(read);
    const lacks = [
      ...(hasField(body, 'why') ? [] : ['`Why it matters: …`']),
      ...(hasField(body, 'suggestion') ? [] : ['`Suggestion: …`']),
    ];
    if (lacks.length > 0) faults.push(`${label} has no ${lacks.join(' and no ')} line`);
  });
  return { blockers, faults, count: starts.length };
}

/** A path and a line as people and models write them: `12-20`, `12:3`, `L12`, `#L12`, in quotes, as a link. */
const PLACE = /^(.+?)(?::L?|#L)(\d{1,9})(?!\d)(?=[\s`"',:;)\]\u2014\u2013-])((?:[:,\u2013-]L?\d+)*)/;

/** `src/a.ts:12 — text`; also a plain or double dash. */
function readPlace(line: string): Blocker | undefined {
  const place = placeIn(line);
  return place === undefined || place.text === '' ? undefined : place;
}

/** The place at the beginning of a line, and what is said of it, if anything. */
export function placeIn(line: string): Blocker | undefined {
  const [whole, path = '', number] = PLACE.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const after = line.slice(whole.length);
  const link = /^\]\([^)]*\)/.exec(after)?.[0] ?? '';
  const file = (link === '' ? path : path.replace(/^\[/, '')).replace(/^[`"']/, '').replace(/[`"']$/, '');
  const text = after
    .slice(link.length)
    .replace(/^[`"']?[\s:]*(?:[\u2014\u2013]+|-{1,2}(?=\s))?[\s:]*/, '')
    .trim();
  return file === '' ? undefined : { file: file.replace(/^\.\//, ''), line: Number(number), text };
}

/** The last line of a range: 20 of `src/a.ts:10-20`. */
export function rangeEnd(line: string): number | undefined {
  const ends = [...(PLACE.exec(line)?.[3] ?? '').matchAll(/[,\u2013-]L?(\d+)/g)];
  const last = ends.at(-1)?.[1];
  return last === undefined ? undefined : Number(last);
}

/** What a rejection says under `Concerns:`, each as one text; a line without a bullet belongs to the one before. */
export function rejectionConcerns(text: string): readonly string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => follows(plain(line), 'concerns') !== undefined);
  if (from === -1) return [];
  const below = lines.slice(from + 1);
  const end = below.findIndex(
    (line) =>
      ['overall', 'prior feedback status'].some((name) => follows(plain(line), name) !== undefined) ||
      /^\W*\[blocker\]/i.test(line),
  );
  const found: string[] = [];
  for (const line of end === -1 ? below : below.slice(0, end)) {
    if (/^\s*(?:[-*+\u2022]\s|\d{1,3}[.)]\s|\[concern\])/i.test(line) || found.length === 0) found.push('');
    found.push(
      `${found.pop()} ${plain(line)
        .replace(/^\**\[concern\]\**/i, '')
        .trim()}`.trim(),
    );
  }
  const inline = (follows(plain(lines[from] ?? ''), 'concerns') ?? '').replace(/^\d+\s*[\u2014\u2013:-]?\s*/, '');
  return [inline, ...found]
    .filter((one) => one !== '' && !/^(?:none|n\/a|[.\u2026-]+)\.?$/i.test(one))
    .slice(0, MAX_BLOCKERS);
}

/** Whether a later verdict says RESOLVED of it: of its place, or in most of the words that it uses. */
export function isSettled(concern: string, verdict: string): boolean {
  const place = placeIn(`${concern} `);
  const known = stems(concern);
  return verdict
    .split('\n')
    .map((line) => /^resolved\b:?(.*)$/i.exec(plain(line))?.[1]?.trim() ?? '')
    .filter((said) => said !== '')
    .some((said) => {
      if (place !== undefined && said.includes(`${place.file}:${place.line}`)) return true;
      const words = [...stems(said)];
      return words.length >= 2 && words.filter((word) => known.has(word)).length * 3 >= words.length * 2;
    });
}

/** Of words that mean something, the beginnings: "lists" and "list" are one. */
const stems = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.slice(0, 4)));

const plain = (line: string): string =>
  line
    .trim()
    .replace(/^(?:[#>*\s-]|\d{1,3}[.)]\s)+/, '')
    .replace(/\*+/g, '')
    .trim();

/** What follows `Name:`, `Name (` or a heading `Name` on the first line that has it. */
function heading(lines: readonly string[], name: string): string | undefined {
  return lines.flatMap((line) => follows(line, name) ?? [])[0];
}

function follows(line: string, name: string): string | undefined {
  if (!line.toLowerCase().startsWith(name)) return undefined;
  const rest = line.slice(name.length).trim();
  return rest === '' ? rest : /^[:(]/.test(rest) ? rest.slice(1).trim() : undefined;
}

function hasBodyAfter(lines: readonly string[], name: string): boolean {
  const at = lines.findIndex((line) => follows(line, name) !== undefined);
  const body = at === -1 ? '' : (lines.slice(at + 1).find((line) => line !== '') ?? '');
  return body !== '' && !/^[a-z ]{1,30}:/i.test(body);
}

function hasField(lines: readonly string[], name: string): boolean {
  return lines.some((line) => {
    const colon = line.indexOf(':');
    return line.toLowerCase().startsWith(name) && colon !== -1 && line.slice(colon + 1).trim() !== '';
  });
}

function hasPrior(lines: readonly string[]): boolean {
  const at = lines.findIndex((line) => line.toLowerCase().startsWith('prior feedback status'));
  return (
    at !== -1 &&
    lines.slice(at).some((line) => /^(prior feedback status:? *)?(resolved|still present|partial)\b/i.test(line))
  );
}

/** The letter pairs of a text; made once where one text is compared with many. */
export interface Pairs {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

export function bigrams(text: string): Pairs {
  const letters = ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
  const counts = new Map<string, number>();
  for (let at = 0; at + 1 < letters.length; at++) {
    const pair = letters.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: letters.length - 1 };
}

export function overlap(a: Pairs, b: Pairs): number {
  const [few, many] = a.counts.size <= b.counts.size ? [a, b] : [b, a];
  let shared = 0;
  for (const [pair, count] of few.counts) shared += Math.min(count, many.counts.get(pair) ?? 0);
  return (2 * shared) / (a.total + b.total);
}
