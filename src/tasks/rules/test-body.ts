// Whether a test has a body, and whether that checks anything at all. A call with a name alone (`it('…')`) is a test that
// somebody means to write: runners count it as postponed, some as passed. A body in which nothing stands, or which only
// asserts that constants are what they are, is green whatever the code does. Comments are blanks here. Linear in the text.

export type Body = 'there' | 'empty' | 'none';

/** Further than this nobody puts the end of an empty body. */
const NEAR = 1000;

/** `at`: where its declaration begins; `end`: where its name ends. */
export function bodyAt(text: string, at: number, end: number): Body {
  const head = text.slice(at, end);
  const rest = text.slice(end, end + NEAR);
  const isNamedByText = /["'`]$/.test(head);
  if (isNamedByText && (head.includes('(') ? NO_CALLBACK : NO_BLOCK).test(rest)) return 'none';
  const indent = at - (text.lastIndexOf('\n', at - 1) + 1);
  const statements = /^(?:async\s+)?def\b/.test(head) ? linesOfDef(rest, indent) : inBraces(rest, isNamedByText);
  return statements?.every(isConstant) ? 'empty' : 'there';
}

/** No more than one statement, and nothing that any code could make fail. */
export const isConstant = (statement: string): boolean => statement === '' || CONSTANT.test(statement);

/** Nothing behind the name but options; a block behind the brackets is a body. */
const NO_CALLBACK = /^\s*(?:,\s*(?:\{[^{}=]*\}\s*,?\s*)?)?\)(?!\s*(?:\{|do\b|=|->|:|\.))/;
/** `it "…"` of Ruby, alone on its line. */
const NO_BLOCK = /^[ \t]*(?:\n|$)(?!\s*\{)/;

const CALLBACK =
  /^\s*,?\s*(?:\{[^{}]*\}\s*,\s*)?(?:\)\s*)?(?:async\s*)?(?:function\b\s*\w*\s*)?(?:\([^()]{0,200}\)|\w+)?\s*(?:=>)?\s*(?:\{([^{}]*)\}|\bdo\s+end\b)/;
const EXPRESSION =
  /^\s*,\s*(?:\{[^{}]*\}\s*,\s*)?(?:async\s*)?(?:\([^()]{0,200}\)|\w+)\s*=>\s*([^{}\n]{1,200}?)\s*,?\s*\)\s*;?[ \t]*(?:\n|$)/;
const BLOCK = /^[^{};=]{0,300}\{([^{}]*)\}/;

/** Undefined: there is more than can be read at a glance. */
function inBraces(rest: string, isCall: boolean): readonly string[] | undefined {
  const [found, body] = (isCall ? (CALLBACK.exec(rest) ?? EXPRESSION.exec(rest)) : BLOCK.exec(rest)) ?? [];
  return found === undefined ? undefined : (body ?? '').split(/[;\n]/).map((one) => one.trim());
}

/** Of Python. What it takes as parameters may be set up elsewhere, and check something there. */
function linesOfDef(rest: string, indent: number): readonly string[] | undefined {
  const [head, same = ''] = /^\(\s*(?:self)?\s*\)[^\n:]*:[ \t]*([^\n]*)(?:\n|$)/.exec(rest) ?? [];
  if (head === undefined) return undefined;
  const below = rest.slice(head.length).split('\n');
  // A docstring is blank here: the next method may be the first line that is not.
  const end = below.findIndex((line) => line.trim() !== '' && line.length - line.trimStart().length <= indent);
  if (end === -1 && rest.length === NEAR) return undefined;
  return [same, ...(same.trim() === '' ? below.slice(0, end === -1 ? undefined : end) : [])].map((line) => line.trim());
}

const LITERAL = String.raw`(?:-?\d[\d._]*|true|false|True|False|null|None|nil|undefined|'[^'\n]*'|"[^"\n]*")`;
/** Signs between literals change nothing: `1 + 1 == 2`, `not False`. */
const VALUE = String.raw`(?:not\s+|!{1,2})?${LITERAL}(?:\s*(?:[-+*/%]|[=!]==?|[<>]=?|&&|\|\||and\b|or\b|is\b|in\b)\s*${LITERAL}){0,8}`;
const LITERALS = String.raw`\(\s*(?:${VALUE}(?:\s*,\s*${VALUE}){0,8})?\s*,?\s*\)`;
/** One statement that no code can make fail: only names that frameworks have, for a helper may check. */
const CONSTANT = new RegExp(
  String.raw`^(?:pass|\.\.\.|return(?:\s+${LITERAL})?|${LITERAL}|void 0|assert\s+${VALUE}(?:\s*,\s*${LITERAL})?|` +
    String.raw`(?:await\s+|return\s+)?(?:` +
    String.raw`(?:assert|self\.assert\w{2,30}|assert(?:True|False|Equals|Null)|assert(?:_eq|_ne)?!|assert\.\w+(?:\.\w+)?)${LITERALS}|` +
    String.raw`expect${LITERALS}(?:\.\w+)+(?:${LITERALS})?|` +
    String.raw`(?:t|test)\.(?:pass|ok|is|true|truthy|equal|diagnostic|comment|plan|log|Logf?)${LITERALS}|console\.\w+${LITERALS}|print${LITERALS}))$`,
);

/** Whether nothing else checks where the body does not: what runs before and after, or a class above. */
export const isAlone = (text: string, path: string): boolean =>
  hasKnownForms(path) &&
  !/\b(?:before|after)(?:Each|All)?\s*\(|set_?up|tear_?down|fixture|TestMain|should_panic/i.test(text);

/** The languages whose assertions are known here; in others a bare word may be a program. */
export const hasKnownForms = (path: string): boolean => /\.(?:[cm]?[jt]sx?|py|go|rs)$/.test(path);
