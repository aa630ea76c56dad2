// The lines of a scope text that stand under IN and under OUT, however the headings are written: `out:`, `Out of scope:`,
// `## Not in scope`, or both on one line. It hides what a heading is. Each expression is linear in the text.

export interface SectionLine {
  readonly section: 'in' | 'out';
  readonly line: string;
}

export function sectionLines(text: string): readonly SectionLine[] {
  const found: SectionLine[] = [];
  let section: SectionLine['section'] | undefined;
  for (const line of text.split('\n').flatMap(splitAtHeadings)) {
    const [heading = '', name] = HEADING.exec(line) ?? [];
    if (name !== undefined) section = /^in/i.test(name) ? 'in' : 'out';
    if (section !== undefined) found.push({ section, line: line.slice(heading.length) });
  }
  return found;
}

/** Without a colon only where it is all of the line. */
const HEADING =
  /^[\s>*#_-]{0,20}(in|out|not[ -]in[ -]scope|not|excluded?|off[ -]limits|do not touch|don't touch)(?:[ -]of)?(?:[ -]scope)?[*_]{0,3}\s{0,5}(?::|$)/i;
const WITHIN = /(?:^|\s)(?:(?:not[ -]in|out[ -]of|in)[ -]scope|in|out|not|excluded?):/gi;

function splitAtHeadings(line: string): readonly string[] {
  const cuts = [...line.matchAll(WITHIN)]
    .filter((match) => isHeadingAt(line, match.index, match[0]))
    .map((m) => m.index);
  return [0, ...cuts].map((from, at) => line.slice(from, cuts[at]));
}

/** `the button to log out: …` has none: a single word counts in capitals, behind a path or behind a stop. */
function isHeadingAt(line: string, at: number, found: string): boolean {
  if (at === 0 || /\bnot$/i.test(line.slice(Math.max(0, at - 4), at))) return false;
  if (/scope/i.test(found) || /IN|OUT|NOT|EXCLUDE/.test(found)) return true;
  const before = line.slice(Math.max(0, at - 200), at).trimEnd();
  return /[/*.,;`)]/.test(before.slice(before.lastIndexOf(' ') + 1));
}
