// Whether the words of a scope forbid tests, outside of OUT, too: `no test changes`, `without touching tests`, `tests stay
// as they are`. Words that forbid only some of them (`existing tests`) or that are about their result (`no failing tests`)
// leave the others. Linear in the text.

const TESTS = String.raw`(?:unit\s+|automated\s+)?tests?(?:\s+(?:files?|code|cases|suites?|folders?))?`;
const ALL = String.raw`(?:(?:any|the|all|new|its|of|more|further)\s+){0,3}`;
const CHANGING = `(?:touch|chang|edit|modify|alter|add|writ|updat|creat)(?:e|ing)?`;
const CHANGES = `(?:changes?|edits?|modifications?|additions?|updates?)`;
/** Nothing that would say which tests, or what of them. */
const END = String.raw`(?=\s*(?:$|[.,;:!()\n\u2014\u2013]|(?:and|or|but|in|here|please|at\s+all)\b))`;

const FORBIDS: readonly RegExp[] = [
  String.raw`\b(?:no|without|zero)\s+${ALL}(?:${CHANGING}\s+(?:to\s+)?|${CHANGES}\s+(?:to|in|of)\s+)?${ALL}${TESTS}(?:\s+${CHANGES})?${END}`,
  String.raw`\b(?:do\s+not|don['\u2019]t|never|(?:must|may|should|shall)\s+not)\s+${CHANGING}\s+${ALL}${TESTS}${END}`,
  String.raw`\bnot\s+(?:the\s+)?tests${END}`,
  String.raw`\b(?:leave|keep)\s+${ALL}${TESTS}\s+(?:alone|unchanged|untouched|out|as\s+(?:they\s+are|is|it\s+is))\b`,
  String.raw`\b${TESTS}\s+(?:stay|remain|are|is|must\s+be|must\s+stay)\s+(?:left\s+)?(?:unchanged|untouched|alone|off[-\s]limits|out\s+of\s+scope|not\s+(?:part|in\s+scope)|forbidden|excluded)\b`,
  String.raw`\b${TESTS}\s+(?:must|may|should|shall|are)\s+not\s+(?:to\s+)?be\s+(?:touched|changed|edited|modified|added|written)\b`,
].map((source) => new RegExp(source, 'giu'));

/** The text without the words that forbid tests; undefined: it has none. */
export function withoutForbiddenTests(text: string): string | undefined {
  const left = FORBIDS.reduce((so, form) => so.replace(form, ' '), text);
  return left === text ? undefined : left;
}
