// The tests that a file declares, in the forms of the common frameworks, and whether the file itself switches them off.
// It reads text only: what a program decides when it runs (a condition, a name made by code) is not known here.
// Linear in the text.

import { helperIn } from './helper-functions.ts';
import { uncalledIn } from './never-run.ts';
import { bodyAt } from './test-body.ts';
import { withoutComments } from './without-comments.ts';

export interface Declared {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** Skipped, put off, never reached, without a body or expected to fail, whatever the machine. */
  readonly off: boolean;
  /** Nothing in its body can fail: it is green whatever the code does. */
  readonly empty: boolean;
  /** Its form declares nothing but one test: no group, no `run('…'`, no `pattern.test('…'`. */
  readonly sure: boolean;
  /** It holds tests and is none: a class, a `describe`. */
  readonly group: boolean;
}

export interface Declarations {
  readonly tests: readonly Declared[];
  /** Some names are not known: made when it runs (`test(name, …)`, `test.each(…)('%s', …)`), or beyond the most that are read. */
  readonly made: boolean;
}

interface Found {
  readonly name: string;
  readonly at: number;
  readonly end: number;
  readonly off: boolean;
  readonly sure: boolean;
  readonly group?: boolean;
}

/** `path`: what it is named tells how it writes comments. */
export function declaredTests(given: string, path?: string): Declarations {
  const text = given.replace(UNREADABLE, (line) => ' '.repeat(line.length));
  const { text: read, isString } = withoutComments(text, path);
  const uncalled = uncalledIn(read, path ?? '');
  const found = [...quoted(read), ...identified(read, text, path ?? ''), ...neverRun(read)]
    .filter(({ at }) => !isString(at) && !COMMENT.test(read.slice(lineStart(read, at), at)))
    .map((one) => (uncalled.has(one.name) ? { ...one, off: true } : one))
    .sort((a, b) => a.at - b.at)
    .slice(0, MOST);
  return {
    tests: switchedOff(found, text, read).filter(({ name }) => name !== NOBODY),
    made: MADE.test(read) || found.length === MOST || text !== given || found.some(({ name }) => hasPlaceholder(name)),
  };
}

/** Tests of one file. Each costs a look around it, and nobody else is served meanwhile. */
const MOST = 1000;
/** Whoever writes tests for readers breaks lines. */
// Looked for at the beginning of a line alone: anywhere else each character of a line would begin another look.
const UNREADABLE = /(?<![^\n])[^\n]{4000,}/g;

function firstMatches(text: string, form: RegExp): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(form)) if (found.push(match) >= MOST) break;
  return found;
}

const PLACEHOLDER = /%[#$]?[a-z]|\$\{[^}]*\}|\$[a-z]\w*|#\{[^}]*\}/gi;

const hasPlaceholder = (name: string): boolean => name.search(PLACEHOLDER) !== -1;

/** What is fixed of a name, in order. */
export const fixedParts = (name: string): readonly string[] => name.split(PLACEHOLDER);

const COMMENT = /^\s*(?:\/\/|#(?!\[)|\*|\/\*|--|;|<!--)/;

/** Longer lines are nobody's writing. */
const LINE = 1000;

const before = (text: string, at: number): string => text.slice(Math.max(0, at - LINE), at);
/** Of the line on which it stands. */
const lineStart = (text: string, at: number): number =>
  at - (before(text, at).length - before(text, at).lastIndexOf('\n') - 1);
function lineEnd(text: string, at: number): number {
  const end = text.slice(at, at + LINE).indexOf('\n');
  return end === -1 ? Math.min(text.length, at + LINE) : at + end;
}

const BARE = 'x?f?(?:it|test|describe|context|suite|specify|scenario|feature)|subtest|test_?[a-z]{1,20}';
const CALLED = 'group|bench|benchmark|step|property|prop|section|example|module|run|should|DisplayName|xgroup';

/** `test('…'`, `it "…" do`, `t.Run("…"`, `TEST_CASE("…"`. */
const BY_STRING = new RegExp(
  `(?<![\\w$])(?:(${BARE})((?:\\.[a-z]{1,20}){0,4})\\s?\\(?|(${CALLED})((?:\\.[a-z]{1,20}){0,4})\\()\\s{0,200}(?=["'\`])`,
  'gi',
);
/** The end of a table of cases: `])('…'`, `.each(cases)('…'`. */
const AFTER_TABLE = /(?:[\]`]\s{0,40}\)?|(?:\.skip)?\.(?:each|for)\([^()\n]{0,200}\))\(\s{0,200}(?=["'`])/g;
/** What a class or a function is called is no call: `class SubTest(unittest.TestCase)`. */
const MADE =
  /(?<![\w$])(?<!\b(?:class|def|function|func|fun|fn|void)[ \t]{1,4})(?:it|test|describe|context|subtest|run)\(\s{0,200}(?!async\b|function\b|func\b|fn\b)[a-z_$]/i;

const OFF_WORD = /^x/i;
const OFF_PART = /\.(?:skip|todo|fixme|fails|failing)\b/i;
const OFF_OPTION = /(?<![\w$])(?:skip|todo|fixme)(?::|\s=>)\s*(?:true\b|["'`])|,\s*:skip\b/;

const SURE = /^x?f?(?:it|test|specify|scenario)$|^TEST_CASE$/;
const GROUPS = /^x?f?(?:describe|context|suite|feature)$|^x?(?:group|section|module)$/i;
/** `t.Run("…"`, `t.test('…'`. */
const OF_RUNNER = /(?<![\w$.])(?:t|s|b|tap|suite)\.(?:Run|test|subtest|step)\(\s*$/;

function quoted(text: string): readonly Found[] {
  const called = firstMatches(text, BY_STRING).flatMap((match): readonly Found[] => {
    const [all, bare, barePart, called, part] = match;
    const from = match.index + all.length;
    const string = stringAt(text, from);
    if (string === undefined) return [];
    const parens = all.includes('(');
    const off = OFF_WORD.test(bare ?? '') || OFF_PART.test(barePart ?? part ?? '');
    const sure = SURE.test(bare ?? '') ? !/\.$/.test(before(text, match.index)) : false;
    return [
      {
        ...string,
        at: match.index,
        off: off || OFF_OPTION.test(optionsAfter(text, string.end, parens)),
        sure: sure || OF_RUNNER.test(before(text, match.index) + all),
        group: GROUPS.test(bare ?? called ?? ''),
      },
    ];
  });
  const tabled = firstMatches(text, AFTER_TABLE).flatMap((match): readonly Found[] => {
    const string = stringAt(text, match.index + match[0].length);
    return string === undefined ? [] : [{ ...string, at: match.index, off: OFF_PART.test(match[0]), sure: false }];
  });
  return [...called, ...tabled];
}

/** What stands between the name and the body. */
function optionsAfter(text: string, end: number, parens: boolean): string {
  const near = text.slice(end, parens ? end + 300 : lineEnd(text, end));
  return near.slice(0, near.search(/=>\s*[^\s'"`t]|\bfunction\b|\bfunc\b|\bdo\b|\);|$/));
}

const LONGEST = 500;

/** The string that begins there. One that goes on behind a plus has a part that is not known. */
function stringAt(text: string, from: number): { readonly name: string; readonly end: number } | undefined {
  const quote = text[from];
  const most = Math.min(text.length, from + LONGEST);
  for (let at = from + 1; at < most; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) {
      const name = text.slice(from + 1, at).replace(/\\(.)/g, '$1');
      return { name: /^\s{0,20}\+/.test(text.slice(at + 1, at + 25)) ? `${name}%s` : name, end: at + 1 };
    }
  }
  return undefined;
}

/** Names that are identifiers; `marked`: only below an attribute that says so, unless the name does. */
const BY_NAME: readonly { readonly form: RegExp; readonly marked?: true; readonly group?: true }[] = [
  { form: /^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*|\w+_test|it_\w+|should_\w+)\b/gm },
  { form: /^[ \t]*(?:[a-z]+[ \t]+){0,4}class[ \t]+(\w*Tests?\w*|\w*Spec)\b/gm, group: true },
  { form: /^func[ \t]+(?:\([^)\n]{1,80}\)[ \t]*)?((?:Test|Fuzz|Example)\w*)/gm },
  { form: /^[ \t]*(?:#\[[^\n]{1,200}\][ \t]*)?(?:pub[ \t]+)?(?:async[ \t]+)?fn[ \t]+(\w+)/gm, marked: true },
  {
    form: /^[ \t]*(?:(?:[\w<>[\]@.]{1,60}|[@[][\w.]{1,60}\([^()\n]{0,200}\)\]?)[ \t]+){0,6}(?:void|fun|func|function|Task|Unit)[ \t]+(`[^`\n]+`|\w+)[ \t]*[(<]/gm,
    marked: true,
  },
  { form: /^[ \t]*\w{0,30}TEST(?:_\w{1,20})?\(\s{0,40}(\w+(?:\s{0,40},\s{0,40}\w+)?)\s{0,40}\)/gm },
  { form: /\(deftest[ \t]+([^\s()]+)/g },
  { form: /^[ \t]*(?:function[ \t]+)?(test\w*)[ \t]*\(\)[ \t]*\{/gm },
  { form: /^[ \t]*(?:Scenario(?: Outline)?|Example|Rule):[ \t]*(\S[^\n]*)$/gm },
];
/** A mark of PHPUnit. */
const IN_COMMENT = /^\s*\/?\*{1,2}\s*@test\b/m;
const MARK =
  /@\w*(?:Test|Property)\w*|@test\b|\[(?:\w+\.)?(?:Test\w*|Fact|Theory)\b|#\[(?:\w+::){0,3}\w*(?:test|bench|quickcheck)\w*/;

/** `raw`: with its comments, in which PHPUnit has its marks. */
function identified(text: string, raw: string, path: string): readonly Found[] {
  const isHelper = helperIn(text, path);
  const isScript = /\.[cm]?[jt]sx?$/.test(path);
  return BY_NAME.flatMap(({ form, marked, group }) =>
    firstMatches(text, form).flatMap((match): readonly Found[] => {
      const [all, given = ''] = match;
      const at = match.index + (/\S/.exec(all)?.index ?? 0);
      const end = match.index + all.length;
      const name = given.replace(/^`|`$/g, '');
      const isMarked = (): boolean =>
        MARK.test(above(text, at) + all) || IN_COMMENT.test(above(raw, at) + raw.slice(lineStart(raw, at), end));
      if (marked && !/^test/i.test(name) && !isMarked()) return [];
      if (isScript && /^[ \t]*(?:export[ \t]+)?(?:async[ \t]+)?function\b/.test(all) && takesValues(text, end))
        return [];
      const off = /\bDISABLED_/.test(name) || OFF_ABOVE.test(all);
      const [suite = '', second] = name.split(/\s*,\s*/);
      const sure = group !== true && !isHelper(name, at);
      if (second === undefined) return [{ name, at, end, off, sure, group: group === true }];
      return [second, `${suite}.${second}`].map((one) => ({
        name: one.replace('DISABLED_', ''),
        at,
        end,
        off,
        sure: true,
      }));
    }),
  );
}

/** Right behind the bracket that opens: a function of a script that is given something is a helper of tests. */
const takesValues = (text: string, end: number): boolean => /^\s{0,40}[^\s)]/.test(text.slice(end, end + 42));

/** No test has that name. */
const NOBODY = '\0';
/** Around what never runs; what stands further in is off. */
const NEVER_RUN =
  /^[ \t]*(?:\}[ \t]*else[ \t]+)?if[ \t]*\(?[ \t]*(?:false|False|0|!1|!true)\b[ \t]*(?:\)|[{:;]|then\b|&&|and\b|$)/gm;

const NEVER_BUILT = /^[ \t]*#\[cfg\(\s*(?:any\(\s*\)|not\(\s*all\(\s*\)\s*\)|false|FALSE|never)\s*\)\]/gm;

const neverRun = (text: string): readonly Found[] =>
  [...firstMatches(text, NEVER_RUN), ...firstMatches(text, NEVER_BUILT)].map(({ 0: all, index }) => ({
    name: NOBODY,
    at: index + (/\S/.exec(all)?.index ?? 0),
    end: index + all.length,
    off: true,
    sure: false,
  }));

const MOST_ABOVE = 12;

/** Attributes, decorators and comments right above. */
function above(text: string, at: number): string {
  const lines = text
    .slice(Math.max(0, at - 2000), lineStart(text, at))
    .split('\n')
    .slice(0, -1)
    .reverse();
  const stop = lines.findIndex(
    (line, n) => n === MOST_ABOVE || !/^\s*(?:@|#|\[|\/\/|\/\*|\*|\)|\])/.test(line) || declaresOther(line),
  );
  return (stop === -1 ? lines : lines.slice(0, stop)).join('\n');
}

/** An attribute with the whole test behind it, on one line: it marks that one. */
const declaresOther = (line: string): boolean =>
  /^\s*(?:@|\[|\/\*)/.test(line) &&
  /[})\w]\s*(?:\{.*\}|=>.*;|;)\s*$/.test(line) &&
  /\)[^()]{0,80}(?:\{|=>|;)/.test(line);

const OFF_ABOVE =
  /#!?\[cfg\(\s*(?:any\(\s*\)|not\(\s*all\(\s*\)\s*\)|false|FALSE|never)\s*\)\]|@(?:\w+\.)?skip\b|mark\.(?:skip|xfail)\b|@(?:\w+\.)?expectedFailure|#\[ignore|@(?:Disabled|Ignore)\b|\[(?:Ignore|Explicit)\b|\bSkip\s*=|@tag :skip/;
/** The first statement of a body; one below a condition is not known to run. */
const OFF_FIRST =
  /^\s*raise\s+(?:\w+\.)*SkipTest\b|^\s*(?:return\s+|await\s+|throw\s+)?(?:(?:t|ctx|context)\.todo\b|(?:(?:t|b|f|tb|this|ctx|context|self|pytest|\$this)(?:\.|->))?(?:skip(?:Test|Now|f)?|Skip(?:Now|f)?|markTestSkipped|markTestIncomplete|GTEST_SKIP|XCTSkip|pending)\b)(?!\s*[=.:])/;
const OFF_INLINE_FIRST =
  /^[^{]{0,300}\{\s*(?:(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)\(|skip\s*(?:;|["']))/;
const OFF_INLINE = /(?:=>|[{(])\s*\{?\s*(?:t|this|ctx|context)\.(?:[sS]kip(?:Now|f)?|todo)\(/;

/** What an outer block switches off is off for all that stand further in. */
function switchedOff(found: readonly Found[], text: string, bare: string): readonly Declared[] {
  const all = /^pytestmark\s*=.*\bmark\.skip\b|^#!\[cfg\(\s*(?:any\(\s*\)|false|never)\s*\)\]/m.test(text);
  let outer = Number.POSITIVE_INFINITY;
  /** On its own line, what an outer block that is off ends before. */
  let inline = 0;
  let line = 1;
  let read = 0;
  return found.map(({ name, at, end, off, sure, group = false }) => {
    line += text.slice(read, at).split('\n').length - 1;
    read = at;
    const start = lineStart(text, at);
    const indent = indentOf(text.slice(start, at));
    if (indent <= outer) outer = Number.POSITIVE_INFINITY;
    const body = sure ? bodyAt(bare, at, end) : 'there';
    const own =
      off || body === 'none' || OFF_ABOVE.test(above(text, at) + text.slice(start, at)) || bodyOff(text, at, end);
    const isOff = all || own || indent > outer || at < inline;
    if (own) inline = Math.max(inline, name === NOBODY ? lineEnd(text, at) : closedOnLine(text, at));
    if (own && outer === Number.POSITIVE_INFINITY) outer = indent;
    return { name, line, off: isOff, empty: body === 'empty', sure, group };
  });
}

/** Where the bracket closes that opens there, if that is on the same line. */
function closedOnLine(text: string, at: number): number {
  const line = text.slice(at, lineEnd(text, at));
  let depth = 0;
  for (const { 0: sign, index } of line.matchAll(/[()]/g)) {
    depth += sign === '(' ? 1 : -1;
    if (depth <= 0) return at + index;
  }
  return 0;
}

function bodyOff(text: string, at: number, end: number): boolean {
  const headEnd = lineEnd(text, end);
  const head = text.slice(end, headEnd);
  if (OFF_INLINE.test(head) || OFF_INLINE_FIRST.test(head) || /#\[ignore/.test(text.slice(at, end))) return true;
  const lines = text.slice(headEnd, headEnd + LINE).split('\n');
  const first = lines.find((line) => /[^\s{]/.test(line)) ?? '';
  return indentOf(first) > indentOf(text.slice(lineStart(text, at), at)) && OFF_FIRST.test(first);
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
