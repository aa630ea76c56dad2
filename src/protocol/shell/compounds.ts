// How lists, pipes, conditions and loops go on and end, by what their commands do.

import { withPrinted } from './fed-shell.ts';
import { passesOn } from './known-commands.ts';
import type { ShellLine } from './shell-line.ts';
import type { Word } from './shell-tokens.ts';
import { allOf, type Context, mayHaveFailed, remembered, subshell } from './subshells.ts';
import { as, either, going, inTurn, isGreen, isRed, merged, type Outcome, union, type Way, type Ways } from './ways.ts';

export const endsWith = (line: ShellLine): string =>
  line.kind === 'simple'
    ? `it ends with ${line.text}, so it succeeds whatever comes before`
    : 'its last command succeeds whatever comes before';

export function list(steps: (ShellLine & { kind: 'list' })['steps'], ways: Ways, context: Context): Outcome {
  let so: Outcome = going(as(ways, false));
  let isMasked = false;
  for (const { of, background } of steps) {
    isMasked = so.next.some(isRed) || (isMasked && so.next.length > 0);
    if (so.next.length === 0) break;
    so = inTurn(so, (reached) => (background ? started(of, reached, context) : context.follow(of, reached, context)));
  }
  const end = steps.at(-1);
  return { ...so, why: isMasked && end?.background === false ? endsWith(end.of) : so.why };
}

/** Nobody waits for it: what it may do wrong is not seen. */
function started(of: ShellLine, ways: Ways, context: Context): Outcome {
  const next = ways.map((way): Way => {
    const ends = subshell(of, [way], { ...context, exempt: true }).next.map((end) => remembered(of, end));
    return { ...way, red: false, job: of.text, ...mayHaveFailed([way, ...ends]) };
  });
  return going(next, 'it does not wait for what it starts');
}

export function pipe(given: readonly ShellLine[], ways: Ways, context: Context): Outcome {
  const parts = withPrinted(given);
  const last = parts.at(-1);
  const outcomes = ways.map((way): Outcome => {
    const ends = parts.map((part) => subshell(part, [way], context).next.map((end) => remembered(part, end)));
    const why = last?.kind === 'simple' ? passesOn(firstWords(parts), last.words) : undefined;
    const decides =
      context.trusting && why !== undefined ? as(ends.at(-1)?.slice(0, 1) ?? [], false) : (ends.at(-1) ?? []);
    const risk = mayHaveFailed(ends.flat());
    const before = ends.slice(0, -1).flat();
    const statusOf = (end: Way): Way => ({
      ...way,
      red: end.red,
      passed: end.passed,
      ...mayHaveFailed([...before, end]),
    });
    if (!way.pipefail) return going(decides.map(statusOf), why);
    const isAllGreen = ends.every((each) => each.some(isGreen)) && decides.some(isGreen);
    const green = ends.flatMap((each) => merged(each.filter(isGreen)));
    const next: Way[] = ends.some((each) => each.some(isRed)) ? [{ ...way, red: true, ...risk }] : [];
    const passed = green.reduce((so, end) => union(so, end.passed), way.passed);
    if (isAllGreen) next.push({ ...way, red: false, passed, ...mayHaveFailed(green) });
    return going(next, why);
  });
  const [first] = outcomes;
  const why =
    (parts === given
      ? first?.why
      : 'what is at its end is given a script that succeeds whatever the code does, or none') ??
    (ways.every(({ pipefail }) => !pipefail) && last?.kind === 'simple' ? endsWith(last) : undefined);
  return { ...allOf(outcomes), why };
}

/** Of what prints, where it is one command. */
const firstWords = ([first]: readonly ShellLine[]): readonly Word[] | undefined =>
  first?.kind === 'simple' ? first.words : undefined;

export function condition({ arms, otherwise }: ShellLine & { kind: 'if' }, ways: Ways, context: Context): Outcome {
  const taken: Outcome[] = [];
  let open = ways;
  for (const { when, then: body } of arms) {
    if (open.length === 0) break;
    const asked = context.follow(when, open, { ...context, exempt: true });
    taken.push({ ...asked, next: [] });
    const entered = asked.next.filter(isGreen);
    if (entered.length > 0) taken.push(context.follow(body, entered, context));
    open = asked.next.filter(isRed);
  }
  if (open.length > 0)
    taken.push(otherwise === undefined ? going(as(open, false)) : context.follow(otherwise, open, context));
  const why =
    otherwise === undefined
      ? 'an `if` without `else` succeeds when its condition fails; run the condition itself'
      : 'every branch of its `if` succeeds';
  return { ...allOf(taken), why };
}

/** Rounds after which nothing new is met, as far as modes and variables go. */
const MOST_ROUNDS = 4;

export function loop({ when, body, rounds }: ShellLine & { kind: 'loop' }, ways: Ways, context: Context): Outcome {
  const ends: Outcome[] = [];
  const isCounted = when === undefined && rounds !== undefined && rounds <= MOST_ROUNDS;
  let reached = as(ways, false);
  let hasRun = false;
  for (let round = 0; round <= (isCounted ? rounds : MOST_ROUNDS) && reached.length > 0; round += 1) {
    const asked = when === undefined ? going(reached) : context.follow(when, reached, { ...context, exempt: true });
    const done = when === undefined ? asked.next : asked.next.filter(isRed);
    const isLast = isCounted && round === rounds;
    // How its last round ended is not kept: either.
    if (when !== undefined) ends.push({ ...asked, next: round === 0 ? as(done, false) : either(done) });
    else if (!isCounted || isLast) ends.push(asked);
    const entered = when === undefined ? asked.next : asked.next.filter(isGreen);
    if (isLast || entered.length === 0) break;
    hasRun = true;
    const ran = context.follow(body, entered, context);
    // `break` and `continue`; a `return` leaves the function around it, too.
    ends.push({ ...ran, next: as(ran.back, false) });
    reached = merged([...ran.next, ...as(ran.back, false)]);
  }
  if (!hasRun) return { ...allOf(ends), why: 'its loop never runs' };
  // A loop that waits for something may never end, and that is red.
  const never = when === undefined ? [] : [going(as(reached, true))];
  return { ...allOf([...ends, ...never]), why: 'whatever its loop runs succeeds' };
}
