// Whether a test file holds nothing that could run: no more than comments, imports, empty classes, groups and bodies. One
// line of anything else may be a test; of a program that is written as plain statements nobody can tell. Linear in the text.

import { withoutComments } from './without-comments.ts';

const BODY = String.raw`(?:\{\s*\}|\{|=>\s*\{\s*\}|:\s*(?:pass|\.\.\.)?)?`;
const STRING = String.raw`(?:"[^"\n]*"|'[^'\n]*'|${'`[^`\\n]*`'})`;
const INERT: readonly RegExp[] = [
  /^[\s{}()[\];,]*$|^\s*(?:\w+\s+)?"[\w./-]+"\s*$/,
  /^\s*(?:pass|\.\.\.|end|return;?|<\?php|(?:'use strict'|"use strict");?|export\s*\{\s*\};?)\s*$/,
  /^\s*(?:from|using|use|package|namespace|#\s*include|#!|import)(?!\s*['"][./#~@]|\s*\(.)[^\n;]*;?\s*$/,
  /^\s*require\s+['"](?:minitest|rspec|test\/unit|(?:spec|test)_helper)[\w/]*['"]\s*$/,
  /^\s*(?:const|let|var)\s[^=\n]*=\s*(?:await\s+import|require)\s*\([^()\n]*\)[^()\n]*$/,
  /^\s*(?:@\w[\w.]*|#\[\w[^\n]*\]|\[\w+\])\s*$/,
  /^\s*#\s*(?:if\s+(?:0|false)|endif|pragma)\b[^\n]*$/,
  /^\s*if\s+__name__\s*==[^\n]*$|^\s*unittest\.main\([^()\n]*\)\s*$/,
  new RegExp(
    String.raw`^\s*(?:[a-z]+\s+){0,4}(?:class|module|mod|describe|context|suite)\s+[\w:.<>, \\]+(?:\([\w., ]*\))?\s*${BODY}\s*$`,
  ),
  new RegExp(
    String.raw`^\s*(?:describe|context|suite|it|test)\(\s*${STRING}\s*,\s*(?:async\s*)?(?:function\s*)?\(\w*\)\s*(?:=>)?\s*\{\s*(?:\}\s*\)\s*;?)?\s*$`,
  ),
  new RegExp(String.raw`^\s*(?:async\s+)?def\s+test\w*\(\s*(?:self)?\s*\)[^:\n]*${BODY}\s*$`),
  /^\s*func\s+Test\w*\(\w+\s+\*testing\.T\)\s*\{\s*\}?\s*$/,
];

export function isHollowTest(text: string, path: string): boolean {
  const { text: bare } = withoutComments(text, path);
  return bare.split('\n').every((line) => line.length < LONG && INERT.some((form) => form.test(line)));
}

/** Nobody writes an import of that length. */
const LONG = 1000;
