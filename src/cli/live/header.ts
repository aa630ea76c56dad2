// The board's first lines: what it is all for, how far it is, what it has cost, and what holds it up.

import { spentOnGoal } from '../../budget/rules/ledger.ts';
import { scopeText } from '../../budget/rules/limits.ts';
import { REPORT } from '../../governance/rules/breaker.ts';
import type { State } from '../../protocol/state.ts';
import { isTriedAgain } from '../../protocol/work/setup-runs.ts';
import { doneText, isSprintTold, type StatusView } from '../../report/status-view.ts';
import type { CrewMember, SessionCount } from '../../supervisor/crew-view.ts';
import { nothingMovesText } from '../../supervisor/rules/why-idle.ts';
import type { Line, Page, Span } from '../render/layout.ts';
import { setupLines } from '../render/status.ts';
import { clock, coarse, dollars, tokens } from './format.ts';
import type { Scene } from './frame.ts';
import type { OnQuit } from './screen.ts';

export function header({ view, status, screen, look, p, onQuit }: Scene): readonly Line[] {
  const { goal, sprint } = status;
  const progress = sprint.planned === 0 ? 'nothing planned yet' : doneText(sprint);
  const left = sprint.deadlineLeft;
  const facts = [
    progress,
    ...(isSprintTold(status) ? [sprint.text] : []),
    ...(left === undefined ? [] : [left < 0 ? `deadline ${coarse(-left)} ago` : `${coarse(left)} left`]),
    ...used(view.board.state, view.members),
    ...tightest(status),
  ];
  const tripped = view.board.state.circuit_breaker.status === 'TRIGGERED';
  const time = clock(view.now, look.zone).slice(0, 5);
  return [
    p.spread(
      [{ text: p.say(goal.description), tone: 'strong' }],
      [...(view.unconfined ? [UNCONFINED] : []), { text: `${goal.status}  ${time}` }],
    ),
    [
      { text: `${p.say(sprint.id)}  ` },
      { text: p.bar(sprint.done, sprint.planned, p.width >= 120 ? 30 : 12), tone: 'good' },
      { text: `  ${facts.map((fact) => p.say(fact)).join(p.dot)}` },
    ],
    ...status.switches.map(({ name, age }): Line => {
      const next = name === 'ABORT' ? 'everything ends' : tripped ? 'see below' : 'r resumes';
      return [{ text: `${name} is on since ${clock(view.now - age, look.zone).slice(0, 5)}: ${next}`, tone: 'bad' }];
    }),
    ...(tripped ? p.lines(TRIPPED, p.width).map((text): Line => [{ text, tone: 'bad' }]) : []),
    ...stopping(stopsOf(screen.stops, view.members), view.members, onQuit).flatMap((text) =>
      p.lines(text, p.width).map((line): Line => [{ text: line, tone: 'warn' }]),
    ),
    ...(view.lag === undefined ? [] : p.lines(p.say(view.lag), p.width).map((text): Line => [{ text, tone: 'warn' }])),
    ...(view.setUp ?? []).slice(0, MOST_SETUPS).flatMap((run) => setupLines(run, view.now, p, coarse)),
    ...merging(view, status).flatMap((line) => p.lines(p.say(line), p.width).map((text): Line => [{ text }])),
    // The line of the switch says it already, with the key that helps here.
    ...(view.waitsFor === undefined ||
    /^(?:ABORT|CHECKPOINT|PAUSE) is on\b/.test(view.waitsFor) ||
    isTriedAgain(view.setUp, view.waitsFor)
      ? []
      : waits(view.waitsFor, goesOn(view), p)),
  ];
}

/** What Liza merges, and for how long; or how the queue stands. */
function merging({ board, members, now }: Scene['view'], { queue }: StatusView): readonly string[] {
  const by = members.find(({ state }) => state === 'merging');
  if (by === undefined) return queue === undefined ? [] : [queue];
  const isHeld = board.state.goal.queue?.held !== undefined;
  const since = coarse(now - by.since);
  const told = `${(isHeld ? undefined : queue) ?? by.why}${since === '0s' ? '' : `, for ${since}`}`;
  return isHeld && queue !== undefined ? [queue, told] : [told];
}

/** Those that run longest; the rest are tasks' own, which wait for them. */
const MOST_SETUPS = 2;

/** Stays as long as it is so: its line among the events is soon gone. */
const UNCONFINED: Span = { text: 'sandbox off  ', tone: 'warn' };

/** While the circuit breaker is on, `r` is refused: what it found comes first. */
const TRIPPED = `The circuit breaker is on. Read ${REPORT}, then in another terminal: liza analyze --resolve "…"; then r resumes`;

/** Sessions that ended are on the board, those that run are not yet. */
function used(state: State, members: readonly CrewMember[]): readonly string[] {
  const ended = spentOnGoal(state);
  const running = members.flatMap((member) => unrecorded(state, member));
  const all =
    ended.input_tokens +
    ended.output_tokens +
    running.reduce((sum, session) => sum + session.input + session.output, 0);
  const cost = running.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), ended.cost_usd ?? 0);
  const isPart = (ended.unpriced_sessions ?? 0) + (ended.uncounted_sessions ?? 0) > 0;
  return [
    ...(all === 0 ? [] : [`${tokens(all)} tokens`]),
    ...(cost > 0 ? [`${isPart ? 'at least ' : ''}${dollars(cost)}`] : isPart ? ['cost unknown'] : []),
  ];
}

/** A session is counted here until its end is on the board, and from then on there: never twice, never not at all. */
function unrecorded({ agents }: State, { agent, recent = [] }: CrewMember): readonly SessionCount[] {
  // An agent signs off after its last session was recorded.
  const recorded = agents[agent] === undefined ? Number.POSITIVE_INFINITY : (agents[agent].usage?.sessions ?? 0);
  return recent.filter(({ nth }) => nth > recorded);
}

/** The budget that is nearest to its end. */
function tightest({ spending }: StatusView): readonly string[] {
  const all = spending.flatMap((one) => Object.values(one.limits).map((limit) => ({ one, limit })));
  const [first] = all.sort((a, b) => b.limit.percent - a.limit.percent);
  return first === undefined ? [] : [`${budgetName(first.one)} ${first.limit.percent} %`];
}

/** Short: the line has 80 columns. */
const budgetName = (one: Parameters<typeof scopeText>[0]): string =>
  one.scope === 'task' ? `budget of ${scopeText(one)}` : `${one.scope} budget`;

/** Another terminal may have asked for it, too. */
const stopsOf = (stops: number, members: readonly CrewMember[]): number =>
  Math.max(stops, members.some(({ state }) => state === 'stopping') ? 1 : 0);

/** Says at once what is happening, and how far it is. */
function stopping(stops: number, members: readonly CrewMember[], onQuit: OnQuit): readonly string[] {
  if (stops === 0) return [];
  const ended = members.filter(({ state }) => state === 'stopped').length;
  const so = `${ended} of ${members.length} have ended`;
  if (onQuit === 'stop') return [`Stopping: agents are ended (${so}), then the demo’s repository is removed`];
  if (stops === 1) return [`Stopping: agents save their work; ${so}. q again: at once`];
  return [`Ending at once: ${so}`];
}

/** A crew that is there takes up its work as soon as the reason is gone: nobody has to start it again. */
const goesOn = ({ board, members }: Scene['view']): boolean =>
  OPEN.has(board.state.goal.status) && members.some(({ state }) => state !== 'stopping' && state !== 'stopped');
const OPEN: ReadonlySet<string> = new Set(['PLANNING', 'IN_PROGRESS']);

function waits(whom: string, goesOn: boolean, p: Page): readonly Line[] {
  // The decision on a goal whose tasks have ended may end the run.
  const goes = goesOn && !whom.includes('by itself') && !whom.startsWith('every task has ended');
  const then = goes ? '; then the run goes on by itself' : '';
  return p
    .lines(p.say(nothingMovesText(`${then === '' ? whom : whom.replace(/\.$/, '')}${then}`)), p.width)
    .map((text) => [{ text, tone: 'strong' }]);
}
