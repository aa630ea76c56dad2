// Whether a line of a test puts something else in the place of an assertion: `assert.equal = …`, `assert = () => {}`.
// Bringing a library in (`const assert = require('assert')`) and data that is called so (`const expect = 5`) do not.

/** In other languages nothing that is called so can be replaced: `let expect = vec![1];` of Rust is data. */
const REPLACEABLE = /\.(?:[cm]?[jt]sx?|coffee|ls|lua|vue|svelte)$/i;

const ON_A_MEMBER =
  /\b(?:assert|expect)(?:\.\w+)+\s*=(?![=>])|\.assert(?!ion)\w+\s*=(?![=>])|\bObject\.(?:assign|definePropert(?:y|ies))\(\s*(?:assert|expect)\b|\bmethod\(\s*assert\b|\b(?:mock|doMock|(?<!QUnit\.)module)\(\s*['"`](?:node:)?assert(?:\/strict)?['"`]/;

/** `assert = …`, with a type or without. */
const WHOLE = /\b(assert|expect)(?:\s*=(?![=>])|(?<=\b(?:const|let|var)\s+\w+)\s*:[^=;]{1,80}=(?!>))/g;

const STAND_IN = /mock|fake|stub|dummy|noop|no-op/i;
const BROUGHT_IN = /^\(?\s*(?:await\s+)?(?:require|import|_+(?:import|interop)\w*)\b/i;
const LITERAL = /^(?:[rubf]?['"`]|[[\d/-]|(?:true|false|null|undefined|nil|NaN)\b)/;
const PATH = /^[\w$]+(?:[!?]*\.[\w$]+)*/;
const OF_A_LIBRARY = /assert|expect|chai|should|strict|tap\b/i;

/** `next`: the line below, for a value that begins there. */
export function bendsAssertion(line: string, path: string, next = ''): boolean {
  if (ON_A_MEMBER.test(line)) return true;
  if (!REPLACEABLE.test(path)) return false;
  return [...line.matchAll(WHOLE)].some(({ 0: all, 1: name, index }) => {
    const value = line.slice(index + all.length).trim();
    return replaces(name === 'expect', value === '' ? next.trim() : value);
  });
}

/** Whether an assertion that is now `value` asserts something else; what is called `expect` may be data. */
function replaces(mayBeData: boolean, value: string): boolean {
  if (STAND_IN.test(value)) return true;
  if (BROUGHT_IN.test(value) || LITERAL.test(value)) return false;
  const name = PATH.exec(value)?.[0] ?? '';
  const rest = value.slice(name.length).trim();
  if (/^=(?![=>])/.test(rest)) return replaces(mayBeData, rest.slice(1).trim());
  if (name === '' || rest.startsWith('=>') || /^(?:async|function|class|lambda|new)$/.test(name)) {
    return !(mayBeData && (value.startsWith('{') || /^new\s+(?!Proxy\b)/.test(value)));
  }
  if (!rest.startsWith('(')) return !OF_A_LIBRARY.test(name);
  if (/\.(?:New|create)$/.test(name)) return !OF_A_LIBRARY.test(name);
  return !mayBeData || /^\(.*\b(?:assert|expect)\b/.test(rest) || /\b(?:fn|spy|spyOn)$/.test(name);
}
