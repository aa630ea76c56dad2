// What becomes of an agent after its session: exit, facts and past → go on, wait, start again later, give the task
// up, or stop. A declared code counts before the process's own; what the blackboard and
// git show counts before what anybody said. Every repetition here has a limit, and every limit a next owner.

import type { Role, Trouble } from '../../protocol/state.ts';
import { counted } from '../../text/format.ts';
import { duration, type Instant } from '../../text/time.ts';

/** How a session ended, as far as it can be known. */
export interface SessionEnd {
  readonly role: Role;
  readonly how: /** `cut`: its turn was not over by the protocol. */
    | { readonly kind: 'exited'; readonly code: number; readonly cut?: true }
    | { readonly kind: 'signalled'; readonly signal: string }
    /** The provider's program is not there or may not be run. */
    | { readonly kind: 'not-started'; readonly reason: string }
    /** A kill switch, or the task's pause, came on just before its process would have started. */
    | { readonly kind: 'held'; readonly by: string }
    /** Ended by us: no output and no progress for too long. */
    | { readonly kind: 'silent' }
    /** Ended by us: its provider does not serve, and it would go on asking. */
    | { readonly kind: 'not-served' }
    | { readonly kind: 'lease-lost' }
    /** Ended by us: it should have ended by itself, and did not. */
    | { readonly kind: 'overdue'; readonly why: string; readonly contextUsed?: true }
    /** Ended by us: it made its sandbox report an end, and went on. */
    | { readonly kind: 'lived-on' }
    /** Ended by us: it used more of the machine than it may. */
    | { readonly kind: 'over-limit'; readonly why: string }
    /** Ended by us: a kill switch, the operator or, `spent`, a budget. */
    | { readonly kind: 'stopped'; readonly why: string; readonly spent?: true };
  readonly declared?: { readonly code: number; readonly reason?: string };
  /** What its provider complained of. */
  readonly failure?: {
    readonly kind: 'quota' | 'login' | 'network' | 'model' | 'other';
    readonly text: string;
    readonly until?: Instant;
  };
  /** The session that it should have gone on with is gone at its provider. */
  readonly resumeFailed?: true;
  /** What it was refused, where nothing of its own came after that. */
  readonly refused?: string;
  /** The session changed the blackboard or git. */
  readonly progressed: boolean;
  /** It still holds a task or a review. */
  readonly holds: boolean;
  /** A kill switch, or the task's pause, was on when it ended: it may have been refused what it needed. */
  readonly halted?: true;
  /** Sessions that one piece of work may take: `max_coder_iterations`. */
  readonly most: number;
}

/** What is remembered of the sessions before. */
export interface Past {
  readonly spins: number;
  readonly silences: number;
  readonly crashes: readonly Instant[];
  /** Tries in a row that the provider turned away. */
  readonly refusals: number;
  /** Sessions in a row that changed something and finished nothing. */
  readonly unfinished: number;
}

export const NO_PAST: Past = { spins: 0, silences: 0, crashes: [], refusals: 0, unfinished: 0 };

export type Next =
  /** Look at the blackboard at once. */
  | { readonly kind: 'go-on' }
  | { readonly kind: 'again'; readonly afterMs: number; readonly cause: RestartCause; readonly why: string }
  /** The provider does not serve: wait, show it, try again. */
  | { readonly kind: 'later'; readonly until: Instant; readonly trouble: Trouble; readonly why: string }
  /** The coder's task is blocked in its place; the agent itself goes on. */
  | { readonly kind: 'block'; readonly limit: 'spin' | 'silence'; readonly why: string }
  /** This supervisor stops; what it held is free for others. */
  | { readonly kind: 'stop'; readonly trouble: Trouble; readonly why: string };

/** Why a session is started again: how the last one ended. */
export type RestartCause =
  /** With a code other than 0, its process's or a declared one. */
  | 'failed'
  | 'signalled'
  | 'over-limit'
  | 'silent'
  /** It left its work unfinished, or changed nothing. */
  | 'nothing-done'
  | 'asked-for';

export interface Judgement {
  readonly next: Next;
  readonly past: Past;
}

const RESTART_MS = 2000;
const SPINS = 3;
const CRASHES = 3;
const CRASH_WINDOW_MS = 5 * 60_000;
const FIRST_BACKOFF_MS = 5000;
const LONGEST_BACKOFF_MS = 5 * 60_000;
const QUOTA_PAUSE_MS = 15 * 60_000;
const NETWORK_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

export function judge(end: SessionEnd, past: Past, now: Instant): Judgement {
  const { how, failure } = end;
  if (how.kind === 'stopped' || how.kind === 'lease-lost' || how.kind === 'held')
    return { next: { kind: 'go-on' }, past };
  // Nothing was tried yet: a fresh one starts at once.
  if (end.resumeFailed === true) return { next: { kind: 'go-on' }, past };
  if (how.kind === 'not-started') return stop('provider', how.reason, past);
  if (failure !== undefined && !isDone(end)) {
    if (failure.kind === 'login') return stop('login', failure.text, past);
    if (failure.kind === 'quota' || failure.kind === 'network') {
      return turnedAway({ trouble: failure.kind, why: failure.text, stated: failure.until }, past, now);
    }
  }
  if (how.kind === 'overdue' && end.declared === undefined) return overdue(end, past);
  if (how.kind === 'silent' || how.kind === 'not-served') return silence(end, past);
  if (how.kind === 'over-limit') return crash('over-limit', how.why, past, now);
  if (how.kind === 'lived-on') return crash('failed', 'it made its sandbox report an end, and went on', past, now);
  if (how.kind === 'signalled') return crash('signalled', `it was ended by ${how.signal}`, past, now);
  const code = end.declared?.code ?? (how.kind === 'exited' ? how.code : 0);
  const isOrderly = code === 0 || (code === 42 && end.declared !== undefined);
  // What a switch kept it from doing is not counted; the loop waits until the switch is off.
  if (isOrderly && end.halted === true && (end.holds || !end.progressed)) return { next: { kind: 'go-on' }, past };
  if (code === 0) return ended(end, past);
  if (isOrderly) return restart(end, past);
  const said = failure === undefined ? '' : `: ${failure.text}`;
  const verb = end.declared === undefined ? 'it exited with' : 'it declared';
  return crash('failed', `${verb} ${code}${said}`, past, now);
}

/** It did what it was there for, whatever its provider complained of on the way. */
const isDone = ({ declared, progressed, holds }: SessionEnd): boolean =>
  declared !== undefined || (progressed && !holds);

/** Declared 0: nothing more for this role now. Undeclared: what it changed must speak for it. */
function ended(end: SessionEnd, past: Past): Judgement {
  if (end.declared !== undefined && end.holds)
    return spin(end, 'nothing-done', 'it said that nothing is left to do, with its work unfinished', past);
  if (end.declared === undefined && !end.progressed)
    return spin(end, 'nothing-done', 'it ended without any change', past);
  return end.holds ? (unfinished(end, past) ?? goOn(past)) : { next: { kind: 'go-on' }, past: NO_PAST };
}

const goOn = (past: Past): Judgement => ({
  next: { kind: 'go-on' },
  past: { ...NO_PAST, unfinished: past.unfinished + 1 },
});

/** Something changes every time, and nothing ever comes of it: that, too, ends somewhere. */
function unfinished(end: SessionEnd, past: Past): Judgement | undefined {
  const count = past.unfinished + 1;
  if (count < end.most) return undefined;
  const why = `${counted(count, 'session')} in a row finished nothing`;
  if (end.role === 'coder' && end.holds) return { next: { kind: 'block', limit: 'spin', why }, past: NO_PAST };
  return stop('spin', why, past);
}

/** A session that holds no work loses nothing; one whose context is full is told to hand off, but not for ever. */
function overdue(end: SessionEnd, past: Past): Judgement {
  return end.holds ? (unfinished(end, past) ?? goOn(past)) : { next: { kind: 'go-on' }, past: NO_PAST };
}

function restart(end: SessionEnd, past: Past): Judgement {
  if (!end.progressed) return spin(end, 'asked-for', 'it asked for a restart without any change', past);
  // It holds no work any more: a verdict or another task starts it when that comes.
  if (end.role !== 'planner' && !end.holds) return { next: { kind: 'go-on' }, past: NO_PAST };
  const why = end.declared?.reason ?? 'it asked for a restart';
  const again = { kind: 'again', afterMs: RESTART_MS, cause: 'asked-for', why } as const;
  return unfinished(end, past) ?? { next: again, past: goOn(past).past };
}

function silence(end: SessionEnd, past: Past): Judgement {
  const why = 'it was silent and changed nothing for too long';
  // Each time costs a whole progress_timeout: twice is enough.
  if (past.silences > 0) return giveUp(end, `${why}, and again after a restart`, past, 'silence');
  const again = { kind: 'again', afterMs: RESTART_MS, cause: 'silent', why } as const;
  return { next: again, past: { ...past, silences: past.silences + 1 } };
}

function spin(end: SessionEnd, cause: RestartCause, what: string, past: Past): Judgement {
  const why = end.refused === undefined ? what : `${what}: ${end.refused}`;
  const spins = past.spins + 1;
  if (spins < SPINS) {
    const next: Next = { kind: 'again', afterMs: RESTART_MS, cause, why: `${why} (${spins} of ${SPINS})` };
    return { next, past: { ...past, spins } };
  }
  return giveUp(end, `${SPINS} sessions in a row changed nothing; of the last one: ${why}`, past, 'spin');
}

function giveUp(end: SessionEnd, told: string, past: Past, limit: 'spin' | 'silence'): Judgement {
  if (end.role === 'coder' && end.holds) return { next: { kind: 'block', limit, why: told }, past: NO_PAST };
  return stop('spin', told, past);
}

function crash(cause: RestartCause, why: string, past: Past, now: Instant): Judgement {
  const crashes = [...past.crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
  if (crashes.length >= CRASHES) {
    return stop('crash-loop', `${CRASHES} crashes within ${duration(CRASH_WINDOW_MS)}; of the last one: ${why}`, past);
  }
  const afterMs = Math.min(FIRST_BACKOFF_MS * 2 ** (crashes.length - 1), LONGEST_BACKOFF_MS);
  return { next: { kind: 'again', afterMs, cause, why }, past: { ...past, crashes } };
}

interface TurnedAway {
  readonly trouble: 'quota' | 'network';
  readonly why: string;
  readonly stated: Instant | undefined;
}

/** Waits until the time that the provider stated, or, if that has passed, longer after each refusal. */
function turnedAway({ trouble, why, stated }: TurnedAway, past: Past, now: Instant): Judgement {
  const first = trouble === 'quota' ? QUOTA_PAUSE_MS : NETWORK_PAUSE_MS;
  const patience = Math.min(first * 2 ** past.refusals, LONGEST_PAUSE_MS);
  const until = stated !== undefined && stated > now ? stated : now + patience;
  return { next: { kind: 'later', until, trouble, why }, past: { ...past, refusals: past.refusals + 1 } };
}

const stop = (trouble: Trouble, why: string, past: Past): Judgement => ({ next: { kind: 'stop', trouble, why }, past });
