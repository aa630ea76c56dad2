// Whether a test file holds nothing that could fail: no more than comments, imports, empty classes, groups and bodies, and
// assertions about constants. One line of anything else may be a test; of a program that is written as plain statements nobody can tell. Linear in the text.

import { declaredTests } from './declared-tests.ts';
import { hasKnownForms, isAlone, isConstant } from './test-body.ts';
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
  /^\s*fn\s+\w+\(\)\s*\{\s*\}?\s*$/,
];

/** A test on one line, and what stands in it. */
const ON_ONE_LINE: readonly RegExp[] = [
  new RegExp(
    String.raw`^\s*(?:it|test)\(\s*${STRING}\s*,\s*(?:async\s*)?(?:function\s*)?(?:\(\w*\)|\w+)\s*(?:=>)?\s*\{(.*)\}\s*\)\s*;?\s*$`,
  ),
  new RegExp(String.raw`^\s*(?:it|test)\(\s*${STRING}\s*,\s*(?:async\s*)?(?:\(\w*\)|\w+)\s*=>\s*([^{].*)\)\s*;?\s*$`),
  /^\s*(?:async\s+)?def\s+test\w*\(\s*(?:self)?\s*\)[^:\n]*:(.*)$/,
  /^\s*(?:#\[test\]\s*)?fn\s+\w+\(\)\s*\{(.*)\}\s*$/,
  /^\s*func\s+Test\w*\(\w+\s+\*testing\.T\)\s*\{(.*)\}\s*$/,
];

export function isHollowTest(text: string, path: string): boolean {
  const { text: bare } = withoutComments(text, path);
  return bare.split('\n').every((line) => isInert(line, path));
}

/** Whether a change to a file of tests brings tests, and none of them can fail: an old one may check what it moved. */
export function gainsHollowTests(before: string, after: string, path: string): boolean {
  if (!isAlone(after, path)) return false;
  const known = new Set(declaredTests(before, path).tests.map(({ name }) => name));
  const added = declaredTests(after, path).tests.filter(({ name, sure }) => sure && !known.has(name));
  if (added.length === 0 || !added.every(({ empty }) => empty)) return false;
  const left = new Map<string, number>();
  for (const line of before.split('\n')) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1);
  const isOld = (line: string): boolean => {
    const many = left.get(line.trim()) ?? 0;
    left.set(line.trim(), many - 1);
    return many > 0;
  };
  const { text: bare } = withoutComments(after, path);
  const kept = after.split('\n').map(isOld);
  return bare.split('\n').every((line, at) => kept[at] === true || isInert(line, path));
}

function isInert(line: string, path: string): boolean {
  if (line.length >= LONG) return false;
  if (INERT.some((form) => form.test(line))) return true;
  if (!hasKnownForms(path)) return false;
  const within = ON_ONE_LINE.flatMap((form) => form.exec(line)?.[1] ?? [])[0] ?? line;
  return within.split(';').every((one) => isConstant(one.trim()));
}

/** Nobody writes an import of that length. */
const LONG = 1000;
