// Whether a test has a body, and whether anything stands in it. A call with a name alone (`it('…')`) is a test that
// somebody means to write: runners count it as postponed, some as passed. Comments are blanks here. Linear in the text.

export type Body = 'there' | 'empty' | 'none';

/** Further than this nobody puts the end of an empty body. */
const NEAR = 1000;

/** `at`: where its declaration begins; `end`: where its name ends. */
export function bodyAt(text: string, at: number, end: number): Body {
  const head = text.slice(at, end);
  const rest = text.slice(end, end + NEAR);
  const isNamedByText = /["'`]$/.test(head);
  if (isNamedByText && (head.includes('(') ? NO_CALLBACK : NO_BLOCK).test(rest)) return 'none';
  if (/^(?:async\s+)?def\b/.test(head)) return EMPTY_DEF.test(text.slice(end, end + NEAR)) ? 'empty' : 'there';
  return (isNamedByText ? EMPTY_CALLBACK : EMPTY_BLOCK).test(rest) ? 'empty' : 'there';
}

/** Nothing behind the name but options; a block behind the brackets is a body. */
const NO_CALLBACK = /^\s*(?:,\s*(?:\{[^{}=]*\}\s*,?\s*)?)?\)(?!\s*(?:\{|do\b|=|->|:|\.))/;
/** `it "…"` of Ruby, alone on its line. */
const NO_BLOCK = /^[ \t]*(?:\n|$)(?!\s*\{)/;

const EMPTY_CALLBACK =
  /^\s*,?\s*(?:\{[^{}]*\}\s*,\s*)?(?:\)\s*)?(?:async\s*)?(?:function\b\s*\w*\s*)?(?:\([^()]{0,200}\)|\w+)?\s*(?:=>)?\s*(?:\{\s*\}|(?<==>\s*)(?:undefined|null|true|void 0)\s*,?\s*\)|\bdo\s+end\b)/;
const EMPTY_BLOCK = /^[^{};=]{0,300}\{\s*\}/;
/** `pass`, `...` or a text alone, and then something further out; what it takes as parameters may be set up elsewhere. */
const EMPTY_DEF =
  /^\(\s*(?:self)?\s*\)[^\n]*:[ \t]*(?:(?:pass|\.\.\.|return(?: None)?)[ \t]*(?:\n|$)|\n(?:[ \t]*\n)*([ \t]+)(?:["'][^\n]*["'][ \t]*\n(?:[ \t]*\n)*\1)?(?:pass|\.\.\.|return(?: None)?)[ \t]*(?:$|\n(?:[ \t]*\n)*(?!\1)))/;

/** Whether nothing else checks where the body does not: what runs before and after, or a class above. */
export const isAlone = (text: string, path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|py|go|rs)$/.test(path) &&
  !/\b(?:before|after)(?:Each|All)?\s*\(|set_?up|tear_?down|fixture|TestMain|should_panic/i.test(text);
