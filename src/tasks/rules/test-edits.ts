// A diff, read for what a reviewer should look at: lines that existing tests lost, lines that switch tests off, and
// new lines that put work off or silence a check. What is kept is bounded.

import type { LineList } from '../../protocol/facts/file-change.ts';
import { bendsAssertion } from './bent-assertions.ts';
import type { DiffLine, Hunk } from './diff-lines.ts';
import { splitLine } from './line-comments.ts';
import { isConstant } from './test-body.ts';
import { hasUnseen, named, UNSEEN } from './unseen.ts';

const MOST_LINES = 80;
const MOST_TEXT = 6000;
const LINE = 160;
/** Read at a time: longer lines are no one's writing, and a form may look far ahead. */
const READ = 2000;
/** No form is longer. */
const OVERLAP = 100;
/** Of one line. A longer one is told. */
const MOST_READ = 100_000;

/** The line in parts, so that whatever form it has stands in one of them. */
function partsOf(text: string): readonly string[] {
  const parts = [text.slice(0, READ)];
  for (let at = READ - OVERLAP; at + OVERLAP < Math.min(text.length, MOST_READ); at += READ - OVERLAP)
    parts.push(text.slice(at, at + READ));
  return parts;
}

/** Switches a test off, lets it fail, or all others with it, in the words of common test runners. */
const SWITCHED_OFF =
  /\b(it|test|describe|context|suite)\.(skip|only|todo|fails|failing)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\s*\(|\bskip:\s*(true|['"`])|\btodo:\s*true|\b(it|test|describe|suite)\(.*\btodo:\s*['"`]|@(unittest\.)?(skip|expectedFailure)|pytest\.(mark\.)?(skip|xfail)|#\[ignore|#!?\[cfg\(\s*(any\(\s*\)|not\(\s*all\(\s*\)\s*\)|false|FALSE|never)\s*\)\]|@(Disabled|Ignore)\b|\bt\.Skip(Now|f)?\(|\bmarkTest(Skipped|Incomplete)\(|\bself\.skipTest\(|\braise (unittest\.)?SkipTest\b|\bGTEST_SKIP\b|\bXCTSkip|@(module|describe)?tag (:skip\b|skip:)|\[\w+\([^)\n]*\bSkip\s*=|^\s*\/\/[/!]\s*```.*\bignore\b/;

/** The same in words that mean something else in code. */
const OFF_IN_TESTS =
  /\b(t|ctx|context|this)\.(skip|todo)\(|^\s*[xf](it|describe|context|specify|example|scenario|feature)\s+["']|^\s*(skip|pending)\s*($|\(|["']|if\b|unless\b)|,\s*:skip\b|\bDISABLED_\w|^\s*\[Ignore\b|\bAssert\.(Ignore|Inconclusive)\(|\bskip_all\b|^\s*#\s*if\s+(0|false)\s*($|\/[/*])|^\s*(\}\s*else\s+)?if\s*\(?\s*(false|False|0|!1|!true)\b\s*(\)|[{:;]|then\b|&&|and\b|$)/;

/** Decides how a test ends other than by what it asserts: it ends the runner or repeats until green. */
const RIGGED =
  /\bprocess\.(?:reallyExit|exit\(\s*0?\s*\)|exitCode\s*=\s*0\b|(?:on|once)\(\s*['"`](?:exit|beforeExit|uncaughtException|unhandledRejection)\b)|\b(?:sys|os)\._?exit\(\s*0?\s*\)|\bos\.Exit\(0\)|\bSystem\.exit\(0\)|\bprocess::exit\(0\)|\batexit\.register\b|\b(?:retry|retries|reruns)\s*[:=]\s*\{?\s*[1-9]|\.(?:retries|retryTimes)\(\s*[1-9]|\bmark\.flaky\b|@(?:Flaky|RetryingTest|RepeatedIfExceptions)/;

/** Asks whether it is Liza who runs it. */
const ASKS_WHERE = /\bLIZA_\w|['"`/]\.worktrees\b|\.(?:proof|trial|merge|review)-|\bIS_SANDBOX\b/;
const isRigged = (line: string): boolean => RIGGED.test(line) || ASKS_WHERE.test(line);

const ASSERTS =
  /\b(assert|expect|should|verify|require|refute|raises)\w*\b|\bself\.(assert|fail)\w*|\bt\.(is|not|true|false|like|regex|same|equal|deepEqual|ok|throws|notThrows|Error|Fatal)\w*\(/i;

/** Work put off: in a comment, in a line of prose that begins with it, or as a macro; and what silences a check. */
const PUT_OFF = /\b(?:TODO|FIXME|XXX)\b/;
const PUT_OFF_PROSE = /^\s*(?:[-*]\s+)?(?:TODO|FIXME|XXX)(?:\([^)]*\))?(?::?\s*$|:?\s+(?:-\s+)?[A-Za-z]+\s+[A-Za-z])/;
const PUT_OFF_MACRO = /\b(?:todo|unimplemented)!\(/;
const SILENCED =
  /eslint-disable|oxlint-disable|tslint:disable|biome-ignore|@ts-(?:ignore|nocheck|expect-error)|(?:istanbul|c8|v8) ignore|#\s*noqa|#\s*type:\s*ignore|pyright:\s*ignore|pylint:\s*disable|pragma:\s*no cover|#\s*nosec|\/\/\s*nolint|\bNOLINT|#!?\[allow\(|@SuppressWarnings|rubocop:disable|@phpstan-ignore|@psalm-suppress|shellcheck disable|\bnoinspection\b/;

const isLost = ({ text, moved }: DiffLine): boolean => !moved && text.trim() !== '';
/** Of a line of a test. */
const isOff =
  (path: string) =>
  ({ text, moved }: DiffLine, at: number, all: readonly DiffLine[]): boolean => {
    if (moved) return false;
    return partsOf(text).some((line) => {
      const { code, comment } = splitLine(line, path);
      if ([SWITCHED_OFF, OFF_IN_TESTS].some((form) => form.test(code + comment))) return true;
      return isRigged(line) || bendsAssertion(line, path, all[at + 1]?.text.slice(0, READ));
    });
  };
/**
 * One about constants, or that a length is no less than 0, is green whatever the code does. `helpers`: what they are called
 * that assert for others.
 */
const asserts = (lines: readonly DiffLine[], path: string, helpers: ReadonlySet<string> = new Set()): number =>
  outsideImports(lines).filter(({ text, moved }) => {
    const line = text.slice(0, READ);
    return !moved && (isAssertion(line, path) || calls(line, helpers));
  }).length;

const calls = (line: string, helpers: ReadonlySet<string>): boolean =>
  !DEFINES.test(line) && [...line.matchAll(/\b(\w+)\s*\(/g)].some(([, name = '']) => helpers.has(name));

/** Functions, and names that are given one. */
const DEFINES =
  /^\s*(?:export\s+)?(?:async\s+)?(?:function\s*\*?|def|func|fn|sub)\s+(\w+)|^\s*(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|\(|\w+\s*=>)/;
/** The lines of a helper in which it asserts. */
const HELPER_LINES = 12;

/** New functions that assert, by file. */
function newHelpers(hunks: readonly Hunk[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, came } of hunks)
    for (const [at, { text }] of came.entries()) {
      const [, one, other] = DEFINES.exec(text.slice(0, READ)) ?? [];
      const name = one ?? other;
      if (name === undefined || asserts(came.slice(at, at + HELPER_LINES), path) === 0) continue;
      const names = found.get(path) ?? new Set();
      found.set(path, names.add(name));
    }
  return found;
}

/** What a comment says, a name of an import that stands in a line of its own, and a test's title assert nothing. */
const isAssertion = (line: string, path: string): boolean =>
  ASSERTS.test(splitLine(line, path).code.replace(TITLE, '$1')) && !NAME_ALONE.test(line) && !isAlwaysTrue(line);

const NAME_ALONE = /^\s*(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?,?\s*$/;
const TITLE = /^(\s*(?:it|test|describe|context|specify)(?:\.\w+){0,3}\(\s*)(['"`])(?:\\.|(?!\2).)*\2/;

const isAlwaysTrue = (text: string): boolean => {
  const line = text.slice(0, LONGEST_CONSTANT).trim().replace(/;$/, '');
  return line.length < LONGEST_CONSTANT && (isConstant(line) || NO_LESS_THAN_NONE.test(line));
};
const LONGEST_CONSTANT = 300;
const NO_LESS_THAN_NONE =
  /(?:\.(?:length|size|count)|\blen\([^()]{1,100}\))\s*(?:>=\s*0\b|>\s*-1\b)|\bassertGreaterEqual\(\s*len\([^()]{1,100}\)\s*,\s*0\s*\)|\.(?:length|size)\s*\)\.(?:to\.be\.(?:at\.least|gte)|toBeGreaterThanOrEqual)\(\s*0\s*\)/;

/** By its name a runner takes it for a test. */
const TEST_NAME = /(?:[._-](?:test|spec)|Tests?|Spec)\.\w+$|(?:^|\/)test_(?!\w*(?:util|helper|support|common))\w*\.py$/;
const ASSERTS_AT_ONCE = /^(?:await\s+)?(?:assert|expect|refute)\w*(?!\s*=)[\s.(]/;

/**
 * A test without any form of a framework: a program that asserts while it is loaded, or whatever asserts under a test's
 * name. A helper asserts in functions that others call, and has another name.
 */
export function assertsByItself(text: string, path: string): boolean {
  const lines = text.split('\n').map((line) => line.slice(0, READ));
  const isOne = (line: string): boolean =>
    ASSERTS_AT_ONCE.test(line) || (TEST_NAME.test(path) && ASSERTS.test(splitLine(line, path).code));
  return lines.some((line) => !IMPORTS.test(line) && isOne(line));
}

/** What brings names of other files in, in the words of common languages. */
const IMPORTS =
  /^\s*(?:import\b(?!\s*\()|from\s+\S+\s+import\b|(?:const|let|var)\s[^=]*=\s*(?:await\s+import|require)\s*\(|export\s.*\bfrom\s*['"]|require(?:_relative)?[\s(]+['"]|#\s*include\b|(?:pub\s+)?use\s+[\w:\\]|using\s+[\w.]+\s*;|\}\s*from\s*['"])/;
const IMPORT_BEGINS = /^\s*(?:import|export)\b[^'";]*\{[^}]*$|^\s*(?:from\s+\S+\s+)?import\s*\([^)]*$/;
const IMPORT_ENDS = /\}\s*from\b|^\s*\)/;
/** A stand-in in place of what was tested is worth a look. */
const STAND_IN = /mock|fake|stub|dummy/i;

/** Without the lines of imports, unless they bring a stand-in in. */
const withoutImports = ({ gone, came }: Hunk): readonly DiffLine[] =>
  came.some(({ text }) => IMPORTS.test(text.slice(0, READ)) && STAND_IN.test(text)) ? gone : outsideImports(gone);

function outsideImports(lines: readonly DiffLine[]): readonly DiffLine[] {
  let isOpen = false;
  return lines.filter(({ text }) => {
    const line = text.slice(0, READ);
    const isImport = isOpen || IMPORTS.test(line) || IMPORT_BEGINS.test(line);
    isOpen = (isOpen || IMPORT_BEGINS.test(line)) && !IMPORT_ENDS.test(line);
    return !isImport;
  });
}

/** Every line that was taken from a test that was there before, and every new line that switches a test off or rigs it. */
export function testEdits(hunks: readonly Hunk[]): LineList {
  return bounded(
    hunks.flatMap((hunk) => {
      const now = hunk.isNew ? new Map<DiffLine, string>() : insteadOf(hunk);
      return [
        ...withoutImports(hunk)
          .filter((line) => !hunk.isNew && isLost(line) && /\w/.test(line.text))
          .map((line) => `${hunk.path}:${line.at} - ${told(line)}${now.get(line) ?? ''}`),
        ...hunk.came.filter(isOff(hunk.path)).map((line) => `${hunk.path}:${line.at} + ${told(line)}`),
      ];
    }),
  );
}

/** What stands there now, where that is plain: as many lines came as went, or one for the last of them. */
function insteadOf(hunk: Hunk): ReadonlyMap<DiffLine, string> {
  const was = withoutImports(hunk).filter(isLost);
  const isImport = ({ text }: DiffLine): boolean => IMPORTS.test(text.slice(0, READ)) && !STAND_IN.test(text);
  const is = hunk.came.filter((line) => isLost(line) && !isImport(line));
  const [only, last] = [is[0], was.at(-1)];
  if (was.length === is.length) return new Map(was.map((line, at) => [line, ` → ${told(is[at] ?? line)}`]));
  return is.length === 1 && only && last ? new Map([[last, ` → ${told(only)}`]]) : new Map();
}

/** Test files from which something was taken. */
export const losing = (hunks: readonly Hunk[]): ReadonlySet<string> =>
  new Set(hunks.filter(({ gone }) => gone.some(isLost)).map(({ path }) => path));

/** Test files in which a place asserts less than before, or a test is switched off or rigged. */
export function weakened(hunks: readonly Hunk[]): ReadonlySet<string> {
  const helpers = newHelpers(hunks);
  const isWeaker = ({ path, isNew, gone, came }: Hunk): boolean =>
    came.some(isOff(path)) || (!isNew && asserts(gone, path) > asserts(came, path, helpers.get(path)));
  return new Set(hunks.filter(isWeaker).map(({ path }) => path));
}

/** New lines that put work off or silence a check; in code, also those that switch a test off or ask who runs it. */
export function marks(hunks: readonly Hunk[], isTest: (path: string) => boolean): LineList {
  const isMark = (line: DiffLine, path: string, isText: boolean): boolean => {
    if (line.moved) return false;
    const test = isTest(path);
    if (line.text.length > MOST_READ || hasUnseen(line.text, { at: line.at, isTest: test })) return true;
    return partsOf(line.text).some((text, part) => {
      const { code, comment } = splitLine(text, path);
      // Where a part begins within a string or a comment is not known.
      const isPutOff = part === 0 && (PUT_OFF.test(comment) || PUT_OFF_PROSE.test(code) || PUT_OFF_MACRO.test(code));
      if ((isPutOff && !isText) || SILENCED.test(code + comment)) return true;
      return !test && (SWITCHED_OFF.test(code + comment) || ASKS_WHERE.test(text));
    });
  };
  return bounded(
    hunks.flatMap((hunk) => {
      const { path, came } = hunk;
      const texts = withinTexts(came, path);
      return [
        ...came.filter((line) => isMark(line, path, texts.has(line))).map((line) => `${path}:${line.at} ${told(line)}`),
        ...reworded(hunk),
      ];
    }),
  );
}

/** Put-off work that is called so no more, where nothing but comments changed: nobody did it there. */
function reworded({ path, gone, came }: Hunk): readonly string[] {
  const parts = (line: DiffLine) => splitLine(line.text.slice(0, READ), path);
  const isRemark = (line: DiffLine): boolean => parts(line).code.trim() === '' && /\w/.test(parts(line).comment);
  const [was] = gone.filter((line) => !line.moved && PUT_OFF.test(parts(line).comment));
  const [now] = came.filter((line) => !line.moved);
  if (was === undefined || now === undefined || ![...gone, ...came].every(isRemark)) return [];
  if (came.some((line) => PUT_OFF.test(parts(line).comment))) return [];
  return [`${path}:${now.at} ${told(now)} (it said: ${told(was).trim()})`];
}

/** Where a text of several lines stands in backticks. */
const TEMPLATES = /\.(?:[cm]?[jt]sx?|vue|svelte|go)$/i;

/** Lines within a text that the same lines open and close; where only one of both is new, nothing is known. */
function withinTexts(came: readonly DiffLine[], path: string): ReadonlySet<DiffLine> {
  const found = new Set<DiffLine>();
  if (!TEMPLATES.test(path)) return found;
  let open: DiffLine[] | undefined;
  for (const line of came) {
    const text = line.text.slice(0, READ);
    const read = open === undefined ? splitLine(text, path).code.replace(CLOSED, '') : text.replace(/\\./g, '');
    // One behind a slash is a pattern's.
    const isEdge = (read.match(/(?<![\\/[\]^])`/g) ?? []).length % 2 === 1;
    if (open === undefined) open = isEdge ? [] : undefined;
    else if (isEdge) {
      for (const one of open) found.add(one);
      open = undefined;
    } else if (!text.includes('${')) open.push(line);
  }
  return found;
}

/** Strings that are blanked. */
const CLOSED = /"\s*"|'\s*'|`\s*`/g;

/** The block of vitest, or a test of it. */
const IN_SOURCE = /^\s*if\s*\(import\.meta\.vitest\b|^\s+(?:it|test)(?:\.\w+)*\(\s*["'`].*["'`],/;

/** What a test within a file of code begins with, by the file's ending. */
const WITHIN: Readonly<Record<string, RegExp>> = {
  rs: /^\s*(?:#\[(?:[\w:]+::)?(?:test|rstest|test_case|bench|quickcheck)\b|#\[cfg\(test\)\])/,
  zig: /^\s*test\s*["{]/,
  d: /^\s*unittest\b/,
  py: /^\s*>>> \S/,
  ex: /^\s*iex(?:\(\d+\))?> \S/,
  ...Object.fromEntries('js jsx mjs cjs ts tsx mts cts'.split(' ').map((ending) => [ending, IN_SOURCE])),
};

/** Files of code to which a test was added that stands within them. */
export const testedWithin = (hunks: readonly Hunk[]): ReadonlySet<string> =>
  new Set(
    hunks
      .filter(({ path, came }) => {
        const begins = WITHIN[path.slice(path.lastIndexOf('.') + 1)];
        return begins !== undefined && came.some(({ text, moved }) => !moved && begins.test(text.slice(0, READ)));
      })
      .map(({ path }) => path),
  );

/** The line, or of a long one what the forms found in it. */
function told({ text }: DiffLine): string {
  const line = text.trim();
  if (line.length <= LINE) return named(line);
  const at = FORMS.map((form) => line.slice(0, MOST_READ).search(form)).find((found) => found >= LINE) ?? 0;
  const long = line.length > MOST_READ ? `(a line of ${line.length} characters, not read to its end) ` : '';
  return named(`${long}${at === 0 ? '' : `(at column ${at + 1}) `}${line.slice(at, at + LINE)}`).slice(0, 2 * LINE);
}
/** What is looked for anywhere in a line. */
const FORMS = [ASKS_WHERE, RIGGED, SILENCED, ...UNSEEN];

function bounded(found: readonly string[]): LineList {
  const lines: string[] = [];
  let length = 0;
  for (const line of found) {
    length += line.length;
    if (lines.length === MOST_LINES || length > MOST_TEXT) break;
    lines.push(line);
  }
  const more = found.length - lines.length;
  return { lines, ...(more === 0 ? {} : { more }) };
}
