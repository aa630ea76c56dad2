// Reads the output of a session: every line goes through its provider's parser, and what was reported so far is kept for
// the live board, for the record, and for the guard, which decides whether the session is still alive.

import { lineRedactor } from '../process/redacting-stream.ts';
import { defined } from '../protocol/values.ts';
import type { AgentEvent, Usage } from '../providers/provider.ts';
import { atLeast } from '../providers/token-counts.ts';
import { gist } from '../text/format.ts';
import { redact, secretsOf } from '../text/redact.ts';
import type { Instant } from '../text/time.ts';
import type { SupervisorContext } from './context.ts';
import type { ContextEstimate } from './rules/context-estimate.ts';
import type { SessionEnd } from './rules/restarts.ts';
import type { SessionRun } from './session.ts';

/** What a session has reported so far. */
export interface SessionReport {
  readonly usage: Usage;
  /** Its provider reported tokens at least once. */
  readonly counted?: boolean;
  readonly contextPercent?: number;
  /** Its model said or did something: before that there may be nothing to resume. */
  readonly answered?: boolean;
  /** The provider's id of the session. */
  readonly session?: string;
  /** Its last lines, for a person who looks into a failure. */
  readonly said?: string;
  readonly failure?: NonNullable<SessionEnd['failure']>;
}

export interface SessionOutput {
  line(stream: 'stdout' | 'stderr', line: string): void;
  add(events: readonly AgentEvent[]): void;
  /** Adds what was not in its output: no sign of life. */
  addMeasured(events: readonly AgentEvent[]): void;
  report(): SessionReport;
  /** By the clock that nobody sets. */
  lastSign(): number;
  alive(): void;
  /** So many bytes, whatever they say. */
  printed(bytes: number): void;
  /** Since when its provider has not served it, as it reports itself. */
  unservedSince(): number | undefined;
}

export interface OutputOptions {
  readonly log: string;
  readonly started: Instant;
  /** Of a provider that does not tell how full its context is. */
  readonly estimate?: ContextEstimate | undefined;
}

export function readOutput(
  { clock: { now, steady }, changeSignal, env }: SupervisorContext,
  { work: { agent, chosen, task, usedBefore }, member, begun }: Pick<SessionRun, 'work' | 'member' | 'begun'>,
  { log, started, estimate }: OutputOptions,
): SessionOutput {
  const parser = chosen.provider.parser({ before: usedBefore, model: chosen.model });
  let report: SessionReport = { usage: { input: 0, output: 0 } };
  const nth = (begun.agents[agent]?.usage?.sessions ?? 0) + 1;
  let activity: string | undefined;
  const lastLines: string[] = [];
  let lastSign = steady();
  let unserved: { readonly since: number; readonly output: number } | undefined;
  const show = (): void => {
    const { usage, contextPercent } = report;
    member.update({
      ...defined({ activity }),
      session: {
        started,
        log,
        nth,
        input: usage.input,
        output: usage.output,
        ...defined({ cost_usd: usage.cost_usd, context_percent: contextPercent }),
      },
    });
  };
  const mayShow = atMost(MOST_UPDATES, steady);
  const secrets = secretsOf(env);
  // Before a line is cut short: half a secret would not be recognised.
  const clean = { stdout: lineRedactor(secrets), stderr: lineRedactor(secrets) };
  const addMeasured = (events: readonly AgentEvent[]): void => {
    for (const raw of events) {
      const event = 'text' in raw && raw.text !== undefined ? { ...raw, text: redact(raw.text, secrets) } : raw;
      if (event.kind === 'activity') {
        activity = event.text;
        if (lastLines.push(event.text) > LAST_LINES) lastLines.shift();
      }
      report = withEvent(report, event);
      const { failure, usage } = report;
      if (failure === undefined || usage.output > (unserved?.output ?? usage.output)) unserved = undefined;
      else if (event.kind === 'failure' && WAITS.has(failure.kind))
        unserved ??= { since: lastSign, output: usage.output };
      // The guard has to record it.
      if (event.kind === 'context') changeSignal.notify();
    }
    if (events.length > 0 && mayShow()) show();
  };
  const add = (events: readonly AgentEvent[]): void => {
    lastSign = steady();
    addMeasured(events);
  };
  const count = (bytes: number): void => {
    if (estimate === undefined) return;
    estimate.add(bytes);
    const percent = estimate.percent();
    if (percent !== report.contextPercent) addMeasured([{ kind: 'context', percent }]);
  };
  member.set('working', task === undefined ? {} : { task });
  show();
  return {
    add,
    addMeasured,
    line: (stream, line) => add(parser[stream](clean[stream](line), now())),
    report: () =>
      lastLines.length === 0 ? report : { ...report, said: lastLines.map((text) => gist(text)).join('\n') },
    lastSign: () => lastSign,
    alive: () => {
      lastSign = steady();
    },
    printed: (bytes) => {
      lastSign = steady();
      count(bytes);
    },
    unservedSince: () => unserved?.since,
  };
}

const LAST_LINES = 3;
const MOST_UPDATES = 100;

/** Allows that many updates a second: nobody reads more than a few, and drawing them costs more than reading them did. */
function atMost(count: number, now: () => number): () => boolean {
  let shown = { second: 0, count: 0 };
  return () => {
    const second = Math.floor(now() / 1000);
    shown = { second, count: shown.second === second ? shown.count + 1 : 1 };
    return shown.count <= count;
  };
}

/** What some CLIs wait out by themselves, for hours if need be. */
const WAITS: ReadonlySet<string> = new Set(['quota', 'network']);

function withEvent(report: SessionReport, event: AgentEvent): SessionReport {
  switch (event.kind) {
    case 'session':
      return { ...report, session: event.id };
    case 'usage':
      return { ...report, usage: atLeast(report.usage, event.usage), counted: true, answered: true };
    case 'context':
      return { ...report, contextPercent: Math.round(event.percent) };
    case 'failure': {
      const { failure: kind, text, until } = event;
      return { ...report, failure: { kind, text, ...defined({ until }) } };
    }
    case 'result': {
      // What it complained of on the way did not stop it.
      const { failure: _, ...rest } = report;
      return event.ok ? rest : report;
    }
    case 'activity':
      return report.answered === true ? report : { ...report, answered: true };
    default:
      return event satisfies never;
  }
}
