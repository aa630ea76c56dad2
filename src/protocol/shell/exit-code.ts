// What the exit code of a shell line depends on: every way through lists, pipes, conditions, loops, functions, traps and
// the line of a `sh -c` is followed without running it. The one model behind two questions: may the line end red at
// all, and which of its commands must have run green where it ends green. Where a shell may differ or code is not
// read, there are more ways rather than fewer.

import { assigned, codesIn, ended, optioned, setModes, setTrap, unread, waited } from './builtins.ts';
import { compared } from './compared-values.ts';
import { condition, endsWith, list, loop, pipe } from './compounds.ts';
import { asScript, SHELLS } from './fed-shell.ts';
import { knownOf, runsTests, unwrapped } from './known-commands.ts';
import { type Files, readShellLine, type ShellLine } from './shell-line.ts';
import type { Word } from './shell-tokens.ts';
import { allOf, type Context, DEEPEST, type Reading, remembered, shellOf, subshell, substituted } from './subshells.ts';
import { as, either, going, isGreen, isRed, merged, type Outcome, START, type Way, type Ways } from './ways.ts';

export interface ExitCode {
  readonly mayBeGreen: boolean;
  readonly mayBeRed: boolean;
  /** Why it is always green, where it is. */
  readonly why?: string | undefined;
  /** Commands that ran, and ran green each time, wherever the line is green. */
  readonly deciding: ReadonlySet<string>;
  /** Commands that run tests, and may all have been red where the line is green. */
  readonly hidden: ReadonlySet<string>;
  /** Commands that run tests, and are red wherever the line is green: who writes `! npm test` wants it red. */
  readonly negated: ReadonlySet<string>;
}

/** Undefined: the line is not understood. */
export function exitCode(command: string, { trusting, lacksPipefail = false }: Reading): ExitCode | undefined {
  const line = readShellLine(command);
  if (line === undefined) return undefined;
  const context: Context = {
    trusting,
    lacksPipefail,
    exempt: false,
    isInFunction: false,
    depth: 0,
    budget: { left: MOST_STEPS },
    follow,
  };
  const isEmpty = line.kind === 'list' && line.steps.length === 0;
  const outcome = shellOf(line, [START], context);
  if (context.budget.left < 0) return undefined;
  const green = outcome.next.filter(isGreen);
  const [first, ...others] = green;
  const every = (of: (way: Way) => ReadonlySet<string>): readonly string[] =>
    [...(first === undefined ? [] : of(first))].filter((one) => others.every((way) => of(way).has(one)));
  const passed = new Set(every((way) => way.passed));
  const everPassed = new Set(green.flatMap((way) => [...way.passed]));
  const failed = new Set(green.flatMap((way) => [...way.failed]));
  const tests = new Set(green.flatMap((way) => [...way.failedTests]));
  const refuted = new Set(every((way) => way.refuted));
  const isNegated = (one: string): boolean => passed.has(`! ${one}`) || (refuted.has(one) && !everPassed.has(one));
  return {
    mayBeGreen: green.length > 0,
    mayBeRed: outcome.next.some(isRed),
    why: isEmpty ? 'it runs nothing' : outcome.why,
    deciding: new Set(green.some(({ unsure }) => unsure) ? [] : [...passed].filter((one) => !failed.has(one))),
    hidden: new Set([...tests].filter((one) => !passed.has(one) && !isNegated(one))),
    negated: new Set([...tests].filter((one) => !passed.has(one) && isNegated(one))),
  };
}

/** Of all steps together, each counted once for every way that leads to it, and for every way by which it ends the shell. */
const MOST_STEPS = 3000;

/** What that comes to, and what its commands were: of each it is kept how it ended. */
function follow(line: ShellLine, ways: Ways, context: Context): Outcome {
  const { budget } = context;
  budget.left -= ways.length;
  // The line is not understood any more: what is still followed of it shall cost nothing.
  if (budget.left < 0) return going([START]);
  const outcome = step(line, ways, context);
  budget.left -= outcome.back.length + outcome.exit.length;
  const isCall = line.kind === 'simple' && ways.some(({ functions }) => isOwn(functions, line.words[0]?.text ?? ''));
  const kept = isCall ? outcome : { ...outcome, next: outcome.next.map((way) => remembered(line, way)) };
  return MAY_END.has(line.kind) ? underErrexit(kept, context) : kept;
}

const isOwn = (functions: Way['functions'], name: string): boolean => Object.hasOwn(functions, name);

/** Of the others, `set -e` has ended the shell within them, or does not apply. */
const MAY_END: ReadonlySet<ShellLine['kind']> = new Set(['simple', 'pipe', 'subshell', 'redirected']);

function underErrexit(outcome: Outcome, { exempt }: Context): Outcome {
  if (exempt) return outcome;
  const ends = (way: Way): boolean => way.red && way.errexit;
  if (!outcome.next.some(ends)) return outcome;
  return {
    ...outcome,
    next: outcome.next.filter((way) => !ends(way)),
    exit: merged([...outcome.exit, ...outcome.next.filter(ends)]),
  };
}

function step(line: ShellLine, ways: Ways, context: Context): Outcome {
  const exempt: Context = { ...context, exempt: true };
  switch (line.kind) {
    case 'simple':
      return simple(line.words, line.files, ways, context);
    case 'group':
      return follow(line.of, ways, context);
    case 'redirected':
      return redirected(
        follow(line.of, substituted(line.files.runs, ways, context), context),
        line.files,
        ways,
        context,
      );
    case 'not': {
      const { next, ...rest } = follow(line.of, ways, exempt);
      return { ...rest, next: next.map((way) => ({ ...way, red: !way.red })), why: undefined };
    }
    case 'subshell':
      return subshell(line.of, ways, context);
    case 'and':
    case 'or': {
      if (line.kind === 'and' && isContrary(line.left, line.right)) return going(as(ways, true));
      const left = follow(line.left, ways, exempt);
      const goesOn = line.kind === 'and' ? isGreen : isRed;
      const on = left.next.filter(goesOn);
      if (on.length === 0) return left;
      const right = follow(line.right, on, context);
      const next = merged([...left.next.filter((way) => !goesOn(way)), ...right.next]);
      const why = line.kind === 'and' ? right.why : endsWith(line.right);
      return { next, back: merged([...left.back, ...right.back]), exit: merged([...left.exit, ...right.exit]), why };
    }
    case 'pipe':
      return pipe(line.parts, ways, context);
    case 'list':
      return list(line.steps, ways, context);
    case 'if':
      return condition(line, ways, context);
    case 'case': {
      const arms = line.arms.map((arm) => follow(arm, as(ways, false), context));
      return { ...allOf([going(as(ways, false)), ...arms]), why: 'every branch of its `case` succeeds' };
    }
    case 'loop':
      return loop(line, ways, context);
    case 'function':
      return going(
        ways.map((way) => ({ ...way, red: false, functions: { ...way.functions, [line.name]: line.body } })),
      );
    default:
      return line satisfies never;
  }
}

/** `! npm test && npm test`: what was just red is not green. */
function isContrary(left: ShellLine, right: ShellLine): boolean {
  if (left.kind === 'and') return isContrary(left.right, right);
  return left.kind === 'not' && right.kind === 'simple' && left.of.text === right.text && runsTests(right.words);
}

function simple(given: readonly Word[], files: Files, ways: Ways, context: Context): Outcome {
  const all = asScript(given, files.document);
  const runs = [...all.flatMap((word) => word.runs), ...files.runs];
  const ready = substituted(runs, ways, context);
  const isAssigned = all.every(({ text }) => /^\w+\+?=/.test(text));
  const outcome = isAssigned
    ? assigned(all, runs.length > 0, ways, ready)
    : ran(all, withStatus(ready, ways, runs), context);
  return redirected(outcome, files, ways, context);
}

/** `$?` is that of the command before, not of a substitution; which way it came is lost. */
function withStatus(ready: Ways, before: Ways, runs: readonly string[]): Ways {
  if (runs.length === 0) return ready;
  const statuses = [...new Set(before.map(({ red }) => red))];
  return merged(statuses.flatMap((red) => as(ready, red)));
}

/** A file that cannot be opened is red, and nothing runs; of what is green anyway that is not the question. */
function redirected(outcome: Outcome, { reads, writes }: Files, ways: Ways, { trusting }: Context): Outcome {
  if (trusting ? !reads || outcome.why !== undefined : !reads && !writes) return outcome;
  return { ...outcome, next: merged([...outcome.next, ...as(ways, true)]) };
}

function ran(all: readonly Word[], ways: Ways, context: Context): Outcome {
  const words = unwrapped(all);
  const own = all.findIndex(({ text }) => !/^\w+\+?=/.test(text));
  const called = all[own]?.text ?? '';
  const isReplaced = called === 'exec' && words.length > 0 && words[0] !== all[own];
  const byFunction = ways.filter(({ functions }) => isOwn(functions, called));
  if (byFunction.length > 0) {
    const others = ways.filter(({ functions }) => !isOwn(functions, called));
    const calls = byFunction.map((way) => call(way.functions[called], way, context));
    return allOf([...calls, ...(others.length === 0 ? [] : [program(words, others, context)])]);
  }
  const outcome = program(words, ways, context);
  return isReplaced ? { ...outcome, next: [], exit: merged([...outcome.exit, ...outcome.next]) } : outcome;
}

function call(body: ShellLine | undefined, way: Way, context: Context): Outcome {
  if (body === undefined || context.depth > DEEPEST) return going(either([{ ...way, unsure: true }]));
  const { next, back, exit, why } = follow(body, [way], { ...context, isInFunction: true, depth: context.depth + 1 });
  return { next: merged([...next, ...back]), back: [], exit, why };
}

function program(words: readonly Word[], ways: Ways, context: Context): Outcome {
  const [first, ...rest] = words;
  if (first === undefined) return going(as(ways, false));
  // It may be `exit`.
  if (first.varies) return going(unread(ways));
  const name = first.text.replace(/^\/(?:usr\/)?bin\//, '');
  switch (name) {
    case 'exit':
      return { next: [], back: [], exit: merged(ended(rest, ways)) };
    case 'return':
      return { next: context.isInFunction ? [] : unread(ways), back: merged(ended(rest, ways)), exit: [] };
    case 'break':
    case 'continue':
      return { next: [], back: as(ways, false), exit: [] };
    case 'set':
      return optioned(setModes(rest, ways), ways, context);
    case 'trap':
      return going(setTrap(rest, ways));
    case 'eval':
      return evaluated(rest, ways, context);
    case '.':
    case 'source':
      return { next: merged(unread(ways)), back: [], exit: merged(unread(ways)) };
    case 'alias':
    case 'shopt':
    case 'enable':
    case 'kill':
      return going(unread(ways));
    case 'test':
    case '[':
    case '[[':
      return going(
        ways.flatMap((way) => compared(rest, (variable) => codesIn(way, variable)).flatMap((is) => as([way], !is))),
        'it compares values that never change',
      );
    case 'wait':
      if (rest.length === 1 && rest[0]?.text === '$!') return going(waited(ways));
      break;
    default:
      if (SHELLS.has(name)) return shellCode(name, rest, ways, context) ?? going(either(ways));
  }
  const known = knownOf(words);
  if (known === undefined) return going(either(ways));
  if (known.is === 'red') return going(as(ways, true));
  return known.is === 'green' || context.trusting
    ? going(as(ways, false), known.is === 'hollow' ? known.why : undefined)
    : going(either(ways));
}

/** It runs in the same shell. */
function evaluated(rest: readonly Word[], ways: Ways, context: Context): Outcome {
  const isOpen = rest.some(({ varies }) => varies) || context.depth > DEEPEST;
  const line = isOpen ? undefined : readShellLine(rest.map(({ text }) => text).join(' '));
  if (line === undefined) return { next: merged(unread(ways)), back: [], exit: merged(unread(ways)) };
  return follow(line, ways, { ...context, depth: context.depth + 1 });
}

/** The line of a `sh -c`; undefined: it runs a file. */
function shellCode(name: string, rest: readonly Word[], ways: Ways, context: Context): Outcome | undefined {
  const at = rest.findIndex(({ text }) => /^-[a-zA-Z]*c$/.test(text));
  const code = rest[at + 1];
  if (at === -1 || code === undefined) return undefined;
  const line = context.depth > DEEPEST ? undefined : readShellLine(code.text);
  if (line === undefined) return going(either(ways));
  const options = rest.slice(0, at + 1).map((word) => ({ ...word, text: word.text.replace(/c$/, '') }));
  const [modes] = setModes(options, [START]);
  const isOff = options.some(({ text }) => /^-[a-zA-Z]*n/.test(text));
  if (isOff) return going(as(ways, false), 'with -n it runs nothing');
  const outcomes = ways.map((way) => {
    const entered: Way = {
      ...START,
      errexit: modes?.errexit === true,
      pipefail: modes?.pipefail === true,
      passed: way.passed,
      refuted: way.refuted,
      failed: way.failed,
      failedTests: way.failedTests,
      unsure: way.unsure || code.varies,
    };
    const { next, why } = shellOf(line, [entered], {
      ...context,
      // Another shell is another's matter.
      lacksPipefail: context.lacksPipefail === true && name === 'sh',
      exempt: false,
      isInFunction: false,
      depth: context.depth + 1,
    });
    const back = next.map(
      ({ red, passed, refuted, failed, failedTests, unsure }): Way => ({
        ...way,
        ...{ red, passed, refuted, failed, failedTests, unsure },
      }),
    );
    return going(back, why);
  });
  return { ...allOf(outcomes), why: outcomes[0]?.why };
}
