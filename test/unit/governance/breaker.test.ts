// The circuit breaker: each of the six patterns fires at its count with similar wording, not one below it and not with
// unrelated wording; history speaks where it fits; what is resolved does not count again.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPatterns, type PatternName, triggerOf } from '../../../src/governance/rules/breaker.ts';
import { breakerReport } from '../../../src/governance/rules/breaker-report.ts';
import { SIMILAR, similarity, wording } from '../../../src/governance/rules/similarity.ts';
import type { Command } from '../../../src/protocol/command.ts';
import type { AnomalyType } from '../../../src/protocol/records/anomaly-types.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import type { Anomaly } from '../../../src/protocol/state.ts';
import { refusedBy } from '../../refused-by.ts';
import { runs } from '../../runs.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import {
  addReady,
  begin,
  block,
  CODER,
  claim,
  claimReview,
  commit,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  REVIEWER,
  ready,
  reject,
  rejection,
  reserveMerge,
  SPEC,
  SUPERVISOR,
  submit,
  supervisorOf,
  toApproved,
  toClaimed,
  toMerged,
  toReady,
  type World,
  world,
} from '../protocol/world.ts';

type Told = readonly [type: AnomalyType, details: Anomaly['details'], task?: string | undefined];

/** A board on which agents reported these, one after the other. */
function reporting(...told: readonly Told[]): World {
  const w = ready('a', 'b', 'c');
  w.pass(60);
  w.edit((state) => ({
    ...state,
    anomalies: told.map(([type, details, task = 'a'], at) => ({
      id: `anomaly-${at + 1}`,
      type,
      task,
      reporter: 'coder-1',
      timestamp: '2026-03-01T09:01:00Z',
      details,
    })),
  }));
  return w;
}

const fired = (w: World): readonly PatternName[] => findPatterns(w.state).map(({ pattern }) => pattern);

interface Case {
  readonly pattern: PatternName;
  readonly similar: readonly Told[];
  readonly unrelated: readonly Told[];
  /** What the evidence says it matched on. */
  readonly matched: RegExp;
}

const retry = (error_pattern: string, task?: string): Told => ['retry_loop', { count: 3, error_pattern }, task];
const debt = (what: string, debt_created: unknown): Told => ['trade_off', { what, why: 'time', debt_created }];
const assumed = (assumption: string): Told => ['assumption_violated', { assumption, reality: 'it is not so' }];
const around = (root_cause: string): Told => ['workaround', { root_cause }];
const gap = (spec_ref: string, question: string, task?: string, type: AnomalyType = 'spec_gap'): Told => [
  type,
  { spec_ref, question },
  task,
];
const outage = (blocker_service: string, task?: string): Told => ['external_blocker', { blocker_service }, task];

const CASES: readonly Case[] = [
  {
    pattern: 'retry_cluster',
    similar: [
      retry('connect ECONNREFUSED 127.0.0.1:5432'),
      retry('ECONNREFUSED 127.0.0.1:5433 (connect)', 'b'),
      retry('Connect: econnrefused', 'c'),
    ],
    unrelated: [
      retry('connect ECONNREFUSED 127.0.0.1:5432'),
      retry('snapshot of the header is out of date', 'b'),
      retry('type error in the parser', 'c'),
    ],
    matched: /ECONNREFUSED/i,
  },
  {
    pattern: 'debt_accumulation',
    similar: [debt('no index', 'slow list'), debt('copied the parser', true), debt('no paging', 'yes')],
    unrelated: [debt('no index', 'slow list'), debt('chose a map', false), debt('chose a list', 'none'), debt('x', '')],
    matched: /debt/,
  },
  {
    pattern: 'assumption_cascade',
    similar: [assumed('user ids are unique across tenants'), assumed('User IDs are unique over all tenants!')],
    unrelated: [assumed('user ids are unique across tenants'), assumed('the clock only goes forward')],
    matched: /unique/i,
  },
  {
    pattern: 'workaround_pattern',
    similar: [
      around('the config object is a global singleton'),
      around('config is a global singleton, tests share it'),
    ],
    unrelated: [around('the config object is a global singleton'), around('the driver pads its strings')],
    matched: /singleton/,
  },
  {
    pattern: 'external_service_outage',
    similar: [outage('Stripe'), outage('the Stripe API', 'b')],
    unrelated: [outage('payment API'), outage('search API', 'b'), outage('DNS server'), outage('SSH server', 'c')],
    matched: /Stripe/,
  },
];

describe.each(CASES)('$pattern', ({ pattern, similar, unrelated, matched }) => {
  it('fires at its count with similar wording, and names its evidence', () => {
    const found = findPatterns(reporting(...similar).state);
    expect(found.map((one) => one.pattern)).toEqual([pattern]);
    expect(found[0]?.evidence.map(({ key }) => key)).toEqual(similar.map((_, at) => `anomaly-${at + 1}`));
    expect(found[0]?.matched).toMatch(matched);
  });

  it('does not fire one below its count', () => {
    expect(fired(reporting(...similar.slice(1)))).toEqual([]);
  });

  it('does not fire with unrelated wording', () => {
    expect(fired(reporting(...unrelated))).toEqual([]);
  });

  it('does not count what an earlier sprint saw', () => {
    const w = reporting(...similar);
    w.edit((state) => ({
      ...state,
      sprint: { ...state.sprint, timeline: { ...state.sprint.timeline, started: '2026-03-01T09:01:01Z' } },
    }));
    expect(fired(w)).toEqual([]);
  });
});

describe('history speaks for those who report nothing', () => {
  const rejectedFor = (w: World, id: string, coder: string, issue: string): void => {
    w.run(SUPERVISOR, claim(id, coder));
    const actor = { id: coder, parts: ['coder' as const] };
    w.run(actor, begin(id));
    w.run(actor, submit(id, commit(0x100 + id.charCodeAt(0))));
    w.run(SUPERVISOR, claimReview(id));
    w.run(REVIEWER, reject(id, issue));
  };

  it('rejections: the same objection in three tasks is a retry_cluster', () => {
    const w = ready('a', 'b', 'c');
    rejectedFor(w, 'a', 'coder-1', 'src/a.ts:1 — retries forever on a 401');
    rejectedFor(w, 'b', 'coder-2', 'src/b.ts:9 — it retries forever on 401');
    expect(fired(w)).toEqual([]);
    rejectedFor(w, 'c', 'coder-3', 'src/c.ts:3 — 401 is retried forever');
    const [found] = findPatterns(w.state);
    expect(found).toMatchObject({ pattern: 'retry_cluster', tasks: ['a', 'b', 'c'], specs: ['specs/retry.md'] });
    expect(found?.evidence.map(({ source }) => source)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('rejections of an earlier sprint are past', () => {
    const w = ready('a', 'b', 'c');
    for (const [at, id] of ['a', 'b', 'c'].entries()) {
      rejectedFor(w, id, `coder-${at + 1}`, 'src/a.ts:1 — retries forever on a 401');
    }
    expect(fired(w)).toEqual(['retry_cluster']);
    w.edit((state) => ({
      ...state,
      sprint: { ...state.sprint, timeline: { ...state.sprint.timeline, started: '2026-03-01T09:00:01Z' } },
    }));
    expect(fired(w)).toEqual([]);
  });

  it('rejections: other objections are not', () => {
    const w = ready('a', 'b', 'c');
    rejectedFor(w, 'a', 'coder-1', 'src/a.ts:1 — retries forever on a 401');
    rejectedFor(w, 'b', 'coder-2', 'src/b.ts:9 — a handle leaks');
    rejectedFor(w, 'c', 'coder-3', 'src/c.ts:3 — errors are swallowed');
    expect(fired(w)).toEqual([]);
  });

  it('one troubled task is bounded by its own limits and counts once', () => {
    const w = reporting(retry('the port 8080 is taken', 'b'));
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) =>
        task.id === 'a'
          ? {
              ...task,
              history: [1, 2, 3].map((n) => ({
                time: `2026-03-01T09:0${n}:00Z`,
                event: 'limit',
                detail: 'port 8080 taken',
              })),
            }
          : task,
      ),
    }));
    expect(fired(w)).toEqual([]);
  });

  it('limits: what agents were stuck on counts, our own name for the limit does not', () => {
    const stuck = (detail?: string): World => {
      const w = ready('a', 'b', 'c');
      for (const [id, coder] of [
        ['a', 'coder-1'],
        ['b', 'coder-2'],
        ['c', 'coder-3'],
      ] as const) {
        toClaimed(w, id, coder);
        const said = detail === undefined ? {} : { detail };
        w.run(supervisorOf(coder), { name: 'limit', task: id, limit: 'silence', ...said });
      }
      return w;
    };
    expect(fired(stuck())).toEqual([]);
    expect(fired(stuck('npm test waits for the shared database lock'))).toEqual(['retry_cluster']);
  });

  it('blocks: coders that stop over similar questions about one spec are a spec_gap_cluster', () => {
    const stop = (w: World, id: string, coder: string, reason: string, question: string): void => {
      toClaimed(w, id, coder);
      w.run({ id: coder, parts: ['coder'] }, { name: 'block', task: id, reason, questions: [question] });
    };
    const w = ready('a', 'b');
    stop(w, 'a', 'coder-1', 'the retry limit is not specified', 'What is the retry limit?');
    stop(w, 'b', 'coder-2', 'retry limit not specified', 'Which retry limit is right?');
    expect(fired(w)).toEqual(['spec_gap_cluster']);
    const other = ready('a', 'b');
    stop(other, 'a', 'coder-1', 'the retry limit is not specified', 'What is the retry limit?');
    stop(other, 'b', 'coder-2', 'no account for the sandbox', 'Who has a key?');
    expect(fired(other)).toEqual([]);
  });

  it('blocks: a second task that stops and names the service is an external_service_outage; the reporter’s own is not', () => {
    const w = reporting(outage('Stripe', 'a'));
    toClaimed(w, 'a', 'coder-1');
    w.run({ id: 'coder-1', parts: ['coder'] }, block('a', 'Stripe is down'));
    expect(fired(w)).toEqual([]);
    toClaimed(w, 'b', 'coder-2');
    const questions = ['When is it back?'];
    const reason = 'the stripe sandbox answers 503';
    w.run({ id: 'coder-2', parts: ['coder'] }, { name: 'block', task: 'b', reason, questions });
    expect(fired(w)).toEqual(['external_service_outage']);
  });
});

describe('spec_gap_cluster counts gaps that stopped or undid work', () => {
  const SPEC_FILE = 'specs/retry.md';
  const stop = (w: World, id: string, coder: string, reason: string): void => {
    toClaimed(w, id, coder);
    w.run({ id: coder, parts: ['coder'] }, block(id, reason));
  };
  const sendBack = (w: World, id: string, coder: string, issue: string): void => {
    toReady(w, id, coder);
    w.run(SUPERVISOR, claimReview(id));
    w.run(REVIEWER, reject(id, issue));
  };

  it('gaps that were only reported never trip it, however many they are', () => {
    const told = ['how often?', 'which codes?', 'how long?', 'who pays?'].map((one) => gap(SPEC_FILE, one));
    expect(fired(reporting(...told, gap(SPEC_FILE, 'what now?', 'b', 'spec_ambiguity')))).toEqual([]);
  });

  it('questions asked with an assumption never trip it', () => {
    const w = ready('a', 'b');
    for (const text of ['How often?', 'How often is it tried?', 'How often at most?']) {
      w.run(PLANNER, { name: 'ask', text, spec_ref: SPEC_FILE, assume: 'three times' });
    }
    toClaimed(w, 'a');
    w.run(CODER, { name: 'ask', text: 'How often?', assume: 'three times' });
    expect(fired(w)).toEqual([]);
  });

  it('two tasks that stop over gaps which they reported trip it, whatever they ask', () => {
    const w = reporting(gap(SPEC_FILE, 'which codes?', 'a'), gap(SPEC_FILE, 'how long?', 'b', 'spec_ambiguity'));
    stop(w, 'a', 'coder-1', 'nobody says which codes are meant');
    expect(fired(w)).toEqual([]);
    stop(w, 'b', 'coder-2', 'no time is named');
    const [found] = findPatterns(w.state);
    expect(found).toMatchObject({ pattern: 'spec_gap_cluster', matched: SPEC_FILE, tasks: ['a', 'b'] });
    expect(found?.evidence.map(({ source }) => source)).toEqual(['blocked', 'blocked']);
  });

  it('a block about something else is no gap', () => {
    const w = reporting(gap(SPEC_FILE, 'which codes?', 'a'));
    stop(w, 'a', 'coder-1', 'nobody says which codes are meant');
    toClaimed(w, 'b', 'coder-2');
    w.run(OTHER_CODER, { name: 'block', task: 'b', reason: 'the disk is full', questions: ['May logs be deleted?'] });
    expect(fired(w)).toEqual([]);
  });

  it('two rejections with a blocker in the spec’s file trip it; blockers elsewhere do not', () => {
    const w = ready('a', 'b', 'c');
    sendBack(w, 'a', 'coder-1', `${SPEC_FILE}:4 — says nothing about a 401`);
    sendBack(w, 'b', 'coder-2', 'src/b.ts:9 — a handle leaks');
    expect(fired(w)).toEqual([]);
    sendBack(w, 'c', 'coder-3', `${SPEC_FILE}:9 — two limits are named`);
    expect(findPatterns(w.state)).toMatchObject([{ pattern: 'spec_gap_cluster', tasks: ['a', 'c'] }]);
  });

  it('where the spec is the work, an objection to it is no gap', () => {
    const w = world();
    for (const id of ['a', 'b']) w.run(PLANNER, addReady(id, { type: 'spec' }));
    sendBack(w, 'a', 'coder-1', `${SPEC_FILE}:4 — says nothing about a 401`);
    sendBack(w, 'b', 'coder-2', `${SPEC_FILE}:9 — two limits are named`);
    expect(fired(w)).toEqual([]);
  });

  it('two tasks made because an answer undid merged work trip it; made in time they do not', () => {
    const undone = (merges: boolean): World => {
      const w = ready('a');
      w.run(PLANNER, { name: 'ask', text: 'How often?', spec_ref: SPEC_FILE, assume: 'three times' });
      if (merges) toMerged(w, 'a');
      w.run(HUMAN, { name: 'answer', about: 'q-1', text: 'never', facts: SPEC });
      for (const id of ['b', 'c']) w.run(PLANNER, { ...addReady(id), because: 'q-1' } as Command);
      return w;
    };
    expect(findPatterns(undone(true).state)).toMatchObject([{ pattern: 'spec_gap_cluster', tasks: ['b', 'c'] }]);
    expect(fired(undone(false))).toEqual([]);
  });

  it('one task counts once', () => {
    const w = ready('a');
    sendBack(w, 'a', 'coder-1', `${SPEC_FILE}:4 — says nothing about a 401`);
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(0x1003) }));
    w.run(CODER, block('a', 'the spec says nothing about a 401'));
    expect(fired(w)).toEqual([]);
  });
});

describe('what Liza found out by itself', () => {
  const byLiza = (...tasks: readonly string[]): World => {
    const w = reporting(...tasks.map((id) => retry('queue lock timeout', id)));
    w.edit((state) => ({ ...state, anomalies: state.anomalies.map((one) => ({ ...one, reporter: 'liza' })) }));
    return w;
  };

  it('counts once for each task and pattern', () => {
    expect(fired(byLiza('a', 'a', 'a', 'a'))).toEqual([]);
    expect(fired(byLiza('a', 'b', 'a', 'b'))).toEqual([]);
    expect(fired(byLiza('a', 'b', 'c'))).toEqual(['retry_cluster']);
  });

  it('a branch that moved after the submit is recorded as branch_moved, and counts for nothing', () => {
    const w = ready('a', 'b', 'c');
    for (const [n, id] of ['a', 'b', 'c'].entries()) {
      toApproved(w, id, `coder-${n + 1}`);
      w.run(SUPERVISOR, reserveMerge(id, commit(0x70 + n), w.state.goal.integration_head));
      w.run(SUPERVISOR, { name: 'merge', task: id, merge_commit: commit(0x70 + n), head_moved: commit(0x90 + n) });
    }
    expect(w.state.anomalies).toMatchObject(
      ['a', 'b', 'c'].map((id, n) => ({
        type: 'branch_moved',
        task: id,
        reporter: 'liza',
        details: { agent: `coder-${n + 1}`, branch: `task/${id}`, commit: commit(0x90 + n) },
      })),
    );
    expect(fired(w)).toEqual([]);
  });

  it('what earlier versions logged of such branches counts for nothing either', () => {
    const own = assumed('the task branch stays at the submitted commit');
    expect(fired(reporting(own, own, own))).toEqual([]);
  });
});

describe('words for no debt', () => {
  const owing = (word: unknown): readonly PatternName[] =>
    fired(reporting(debt('a', word), debt('b', word), debt('c', word)));

  it.each([false, 0, null, '', 'no', 'No.', 'None', 'N/A', 'na', '-', '—', '0', 'false', 'nothing', 'none at all'])(
    '%j',
    (word) => expect(owing(word)).toEqual([]),
  );
  it.each(['None, so far.', 'no new debt', 'no debt created', 'none that I know of', 'not applicable', 'nil'])(
    '%j',
    (word) => expect(owing(word)).toEqual([]),
  );
  it.each([true, 1, 'yes', 'no tests yet', 'none of the errors are handled', 'not indexed', 'nothing is cached'])(
    'but not %j',
    (word) => expect(owing(word)).toEqual(['debt_accumulation']),
  );
});

describe('tripping and resolving', () => {
  const three = [
    retry('lock timeout in the queue'),
    retry('queue: lock timeout', 'b'),
    retry('queue lock timeout', 'c'),
  ];

  it('trips once, halts the sprint, and says why', () => {
    const w = reporting(...three);
    const tripped = w.run(SUPERVISOR, { name: 'analyze' });
    expect(tripped.detail).toBe('circuit breaker TRIGGERED: retry_cluster');
    expect(w.state.circuit_breaker.status).toBe('TRIGGERED');
    expect(triggerOf(w.state.circuit_breaker.current_trigger)).toMatchObject({
      time: '2026-03-01T09:01:00Z',
      by: 'supervisor',
      findings: [{ pattern: 'retry_cluster', flaw: 'ARCHITECTURE_FLAW', tasks: ['a', 'b', 'c'] }],
    });
    expect(w.state.sprint).toMatchObject({ status: 'CHECKPOINT', timeline: { checkpoint_at: '2026-03-01T09:01:00Z' } });
    expect(w.board.switches).toHaveProperty('CHECKPOINT');
    expect(w.state.tasks).toEqual(reporting(...three).state.tasks);
    expect(w.run(SUPERVISOR, { name: 'analyze' }).already).toBe(true);
  });

  it('a second pattern joins the trigger', () => {
    const w = reporting(...three, ...(CASES[2]?.similar ?? []));
    const both = w.board.state.anomalies;
    w.edit((state) => ({ ...state, anomalies: both.slice(0, 3) }));
    w.run(SUPERVISOR, { name: 'analyze' });
    w.edit((state) => ({ ...state, anomalies: both }));
    w.run(SUPERVISOR, { name: 'analyze' });
    expect(triggerOf(w.state.circuit_breaker.current_trigger)?.findings.map(({ pattern }) => pattern)).toEqual([
      'retry_cluster',
      'assumption_cascade',
    ]);
  });

  it('what somebody else wrote as the trigger stays', () => {
    const w = reporting(...three);
    w.edit((state) => ({
      ...state,
      circuit_breaker: { status: 'TRIGGERED', current_trigger: { pattern: 'by hand' } },
    }));
    w.run(SUPERVISOR, { name: 'analyze' });
    expect(w.state.circuit_breaker.current_trigger).toMatchObject({
      pattern: 'by hand',
      findings: [{ tasks: ['a', 'b', 'c'] }],
    });
    w.edit((state) => ({ ...state, circuit_breaker: { status: 'TRIGGERED', current_trigger: 'free text' } }));
    w.run(HUMAN, { name: 'resolve', resolution: 'seen' });
    expect(w.state.circuit_breaker.history).toMatchObject([{ resolution: 'seen' }]);
  });

  it('a look without a finding is recorded for a person, and costs no entry for the watcher', () => {
    const w = world();
    expect(w.run(SUPERVISOR, { name: 'analyze' }).already).toBe(true);
    expect(w.run(HUMAN, { name: 'analyze' })).toMatchObject({ detail: 'no systemic pattern found' });
    expect(w.state.circuit_breaker).toMatchObject({ status: 'OK', last_check: '2026-03-01T09:00:00Z' });
    expect(w.board.switches).toEqual({});
  });

  it('resume waits for the resolution, except to stop', () => {
    const w = reporting(...three);
    w.run(SUPERVISOR, { name: 'analyze' });
    const refused = w.refused(HUMAN, { name: 'resume', decision: 'continue' });
    expect(refused).toMatchObject(refusedBy('breaker-resolved'));
    expect(refused.hint).toContain('liza analyze --resolve');
    w.run(HUMAN, { name: 'resolve', resolution: 'the queue has its own lock now' });
    expect(w.board.switches).toHaveProperty('CHECKPOINT');
    w.run(HUMAN, { name: 'resume', decision: 'continue' });
    expect(w.board.switches).toEqual({});

    const stopped = reporting(...three);
    stopped.run(SUPERVISOR, { name: 'analyze' });
    stopped.run(HUMAN, { name: 'resume', decision: 'stop', note: 'the wrong queue' });
    expect(stopped.state.goal.status).toBe('ABORTED');
    expect(Object.keys(stopped.board.switches)).toEqual(['ABORT']);
  });

  it('resume waits for the resolution whatever became of the switches', () => {
    const stopped = reporting(...three);
    stopped.run(SUPERVISOR, { name: 'analyze' });
    stopped.run(HUMAN, { name: 'resume', decision: 'stop' });
    expect(stopped.refused(HUMAN, { name: 'resume', decision: 'continue' }).guard).toBe<RefusalName>(
      'breaker-resolved',
    );
    stopped.run(HUMAN, { name: 'resolve', resolution: 'one lock per worker' });
    stopped.run(HUMAN, { name: 'resume', decision: 'continue' });
    expect(stopped.state.goal.status).not.toBe('ABORTED');

    const removed = reporting(...three);
    removed.run(SUPERVISOR, { name: 'analyze' });
    removed.board = { ...removed.board, switches: {} };
    expect(removed.refused(HUMAN, { name: 'resume' }).guard).toBe<RefusalName>('breaker-resolved');
    // The person's hand counts all the same, and is told what is left.
    expect(removed.run(SUPERVISOR, { name: 'checkpoint-over' }).detail).toContain('still TRIGGERED');
    expect(removed.refused(HUMAN, { name: 'resume' }).guard).toBe<RefusalName>('breaker-resolved');
    expect(removed.state.sprint.status).toBe('IN_PROGRESS');
  });

  it('resolving records and clears; the same evidence does not trip again, new evidence does', () => {
    const w = reporting(...three);
    expect(w.refused(HUMAN, { name: 'resolve', resolution: 'x' }).guard).toBe<RefusalName>('triggered');
    w.run(SUPERVISOR, { name: 'analyze' });
    expect(w.refused(HUMAN, { name: 'resolve', resolution: ' ' }).guard).toBe<RefusalName>('resolution');
    w.run(HUMAN, { name: 'resolve', resolution: 'one lock per worker' });
    expect(w.state.circuit_breaker).toMatchObject({
      status: 'OK',
      history: [{ resolution: 'one lock per worker', resolved_by: 'human', findings: [{ pattern: 'retry_cluster' }] }],
    });
    expect(w.state.circuit_breaker).not.toHaveProperty('current_trigger');
    expect(w.run(HUMAN, { name: 'resolve', resolution: 'one lock per worker' }).already).toBe(true);
    expect(fired(w)).toEqual([]);
    const more = (n: number): void => {
      for (let at = 0; at < n; at++) {
        w.edit((state) => ({
          ...state,
          anomalies: [
            ...state.anomalies,
            {
              id: `anomaly-${state.anomalies.length + 1}`,
              type: 'retry_loop',
              task: 'a',
              details: { count: 1, error_pattern: 'queue lock timeout' },
            },
          ],
        }));
      }
    };
    more(2);
    expect(fired(w)).toEqual([]);
    more(1);
    expect(fired(w)).toEqual(['retry_cluster']);
  });

  it('two services that are down are named and resolved together', () => {
    const w = reporting(outage('GitHub'), outage('GitHub', 'b'), outage('Stripe'), outage('Stripe', 'b'));
    w.run(SUPERVISOR, { name: 'analyze' });
    const named = triggerOf(w.state.circuit_breaker.current_trigger)?.findings.map(({ matched }) => matched);
    expect(named).toEqual(['GitHub', 'Stripe']);
    expect(breakerReport(w.state)).toMatch(/^# Circuit breaker: external_service_outage$/m);
    expect(breakerReport(w.state)).toContain('What matched: Stripe');
    w.run(HUMAN, { name: 'resolve', resolution: 'both are back' });
    expect(fired(w)).toEqual([]);
    expect(w.run(SUPERVISOR, { name: 'analyze' }).already).toBe(true);
  });

  /** Three tasks that were sent back five times each for the same five things. */
  const BLOCKERS = [
    'alpha index missing',
    'beta route open',
    'gamma cache stale',
    'delta log noisy',
    'epsilon date off',
  ];
  const sentBack = (times: number): World => {
    const w = ready('a', 'b', 'c');
    const reason = rejection(BLOCKERS.map((one) => `src/a.ts:1 — ${one}`));
    const rejected = Array.from({ length: times }, (_, at) => ({
      time: `2026-03-01T09:0${at + 1}:00Z`,
      event: 'rejected',
      agent: 'code-reviewer-1',
      reason,
    }));
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({ ...task, history: [...(task.history ?? []), ...rejected] })),
    }));
    return w;
  };

  it('everything that reviewers sent three tasks back for is named and resolved at once', () => {
    const w = sentBack(5);
    w.run(SUPERVISOR, { name: 'analyze' });
    const found = triggerOf(w.state.circuit_breaker.current_trigger)?.findings ?? [];
    expect(found.map(({ matched }) => matched)).toEqual(BLOCKERS);
    expect(found.map(({ tasks }) => tasks)).toEqual(BLOCKERS.map(() => ['a', 'b', 'c']));
    for (const one of BLOCKERS) expect(breakerReport(w.state)).toContain(one);
    w.run(HUMAN, { name: 'resolve', resolution: 'the spec says it now' });
    expect(fired(w)).toEqual([]);
    const again = (id: string): void =>
      w.edit((state) => ({
        ...state,
        tasks: state.tasks.map((task) =>
          task.id === id ? { ...task, history: [...(task.history ?? []), ...(task.history?.slice(-1) ?? [])] } : task,
        ),
      }));
    // What was left over of each task at the resolve is no start for the next time.
    again('a');
    again('b');
    expect(fired(w)).toEqual([]);
    again('c');
    expect(new Set(fired(w))).toEqual(new Set(['retry_cluster']));
  });

  it('what is older than what was looked at does not come up once that is resolved', () => {
    const w = reporting(...Array.from({ length: 400 }, () => retry('queue lock timeout')));
    w.run(SUPERVISOR, { name: 'analyze' });
    w.run(HUMAN, { name: 'resolve', resolution: 'one lock per worker' });
    expect(fired(w)).toEqual([]);
    // Rejections that say a lot each: more than is looked at.
    const many = ready('a', 'b', 'c');
    const say = (round: number): string =>
      rejection(Array.from({ length: 20 }, (_, at) => `src/a.ts:1 — ${BLOCKERS[(round + at) % 5]} ${'xyz'[at % 3]}`));
    many.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        history: Array.from({ length: 30 }, (_, round) => ({
          time: `2026-03-01T09:${String(round + 10)}:00Z`,
          event: 'rejected',
          reason: say(round),
        })),
      })),
    }));
    many.run(SUPERVISOR, { name: 'analyze' });
    many.run(HUMAN, { name: 'resolve', resolution: 'one lock per worker' });
    expect(fired(many)).toEqual([]);
  });

  it('whatever was there, nothing trips after the resolve without a new event', () => {
    const word = fc.constantFrom(
      'lock',
      'queue',
      'timeout',
      'GitHub',
      'Stripe',
      'route',
      'cache',
      'stale',
      '429',
      'API',
    );
    const words = fc.array(word, { minLength: 1, maxLength: 2 }).map((some) => some.join(' '));
    const task = fc.constantFrom('a', 'b', 'c');
    const anomaly = fc.record({
      type: fc.constantFrom<AnomalyType>('retry_loop', 'workaround', 'external_blocker', 'spec_gap', 'trade_off'),
      task,
      said: words,
    });
    const event = fc.record({ task, rejected: fc.boolean(), said: fc.array(words, { minLength: 1, maxLength: 3 }) });
    const boards = fc.tuple(
      fc.array(anomaly, { maxLength: 40, size: 'max' }),
      fc.array(event, { maxLength: 30, size: 'max' }),
    );
    fc.assert(
      fc.property(boards, ([anomalies, events]) => {
        const w = reporting(
          ...anomalies.map(({ type, said, task: id }): Told => {
            const details = { error_pattern: said, root_cause: said, blocker_service: said, question: said };
            return [type, { ...details, debt_created: said }, id];
          }),
        );
        const time = '2026-03-01T09:00:30Z';
        const happened = (id: string) =>
          events
            .filter((one) => one.task === id)
            .map(({ rejected, said }) =>
              rejected
                ? { time, event: 'rejected', reason: rejection(said.map((one) => `src/a.ts:1 — ${one}`)) }
                : { time, event: 'blocked', reason: said.join(' '), failed: 'coder-1' },
            );
        w.edit((state) => ({
          ...state,
          tasks: state.tasks.map((one) => ({ ...one, history: [...(one.history ?? []), ...happened(one.id)] })),
        }));
        if (w.run(SUPERVISOR, { name: 'analyze' }).already === true) return;
        w.run(HUMAN, { name: 'resolve', resolution: 'seen' });
        expect(fired(w)).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  it('another case of a pattern joins the trigger, or is resolved with it', () => {
    const both = reporting(outage('GitHub'), outage('GitHub', 'b'), outage('Stripe'), outage('Stripe', 'b'));
    const all = both.state.anomalies;
    const tripped = (): World => {
      const w = reporting(outage('GitHub'), outage('GitHub', 'b'));
      w.run(SUPERVISOR, { name: 'analyze' });
      w.edit((state) => ({ ...state, anomalies: all }));
      return w;
    };
    const looked = tripped();
    looked.run(SUPERVISOR, { name: 'analyze' });
    expect(triggerOf(looked.state.circuit_breaker.current_trigger)?.findings).toHaveLength(2);
    const unseen = tripped();
    const { notes } = unseen.run(HUMAN, { name: 'resolve', resolution: 'the proxy' });
    expect(notes?.[0]).toContain('found since then: external_service_outage (EXTERNAL_DEPENDENCY): 2 × Stripe');
    expect(fired(unseen)).toEqual([]);
  });

  it('what is too little to be a pattern yet is not resolved with another', () => {
    const w = reporting(outage('GitHub'), outage('GitHub', 'b'), outage('Stripe'));
    w.run(SUPERVISOR, { name: 'analyze' });
    w.run(HUMAN, { name: 'resolve', resolution: 'it is back' });
    w.edit((state) => ({
      ...state,
      anomalies: [
        ...state.anomalies,
        { id: 'x', type: 'external_blocker', task: 'c', details: { blocker_service: 'Stripe' } },
      ],
    }));
    expect(findPatterns(w.state).map(({ matched }) => matched)).toEqual(['Stripe']);
  });

  it('what an event also said, and was too little then, counts later', () => {
    const w = ready('a', 'b', 'c');
    const sent = (id: string, minute: number, ...issues: readonly string[]): void =>
      w.edit((state) => ({
        ...state,
        tasks: state.tasks.map((task) => {
          const reason = rejection(issues.map((one) => `src/a.ts:1 — ${one}`));
          const entry = { time: `2026-03-01T09:${minute}:00Z`, event: 'rejected', reason };
          return task.id === id ? { ...task, history: [...(task.history ?? []), entry] } : task;
        }),
      }));
    sent('a', 10, 'alpha index missing', 'gamma cache stale');
    sent('b', 11, 'alpha index missing', 'gamma cache stale');
    sent('c', 12, 'alpha index missing');
    w.run(SUPERVISOR, { name: 'analyze' });
    w.run(HUMAN, { name: 'resolve', resolution: 'there is an index now' });
    expect(fired(w)).toEqual([]);
    sent('c', 13, 'gamma cache stale');
    expect(findPatterns(w.state)).toMatchObject([{ matched: 'gamma cache stale', tasks: ['a', 'b', 'c'] }]);
  });

  it('evidence that an earlier version resolved by its key stays resolved', () => {
    const w = reporting(...three);
    w.run(SUPERVISOR, { name: 'analyze' });
    w.run(HUMAN, { name: 'resolve', resolution: 'one lock per worker' });
    const keys = w.state.anomalies.map(({ id }) => id);
    w.edit((state) => ({
      ...state,
      circuit_breaker: {
        status: 'OK',
        history: [{ resolved_at: '2026-03-01T09:02:00Z', settled: { retry_cluster: keys } }],
      },
    }));
    expect(fired(w)).toEqual([]);
  });

  it('what an earlier sprint resolved is no word about the evidence of this one', () => {
    const w = reporting(...three);
    w.run(SUPERVISOR, { name: 'analyze' });
    w.run(HUMAN, { name: 'resolve', resolution: 'one lock per worker' });
    const started = '2026-03-01T09:05:00Z';
    w.edit((state) => ({
      ...state,
      anomalies: state.anomalies.map((one) => ({ ...one, timestamp: started })),
      sprint: { ...state.sprint, timeline: { ...state.sprint.timeline, started } },
    }));
    expect(fired(w)).toEqual(['retry_cluster']);
  });

  it('a goal that is over is not halted', () => {
    const w = reporting(...three);
    w.run(HUMAN, { name: 'abort' });
    expect(w.run(SUPERVISOR, { name: 'analyze' }).already).toBe(true);
    expect(w.state.circuit_breaker.status).toBe('OK');
    expect(w.run(HUMAN, { name: 'analyze' }).notes).toHaveLength(1);
  });
});

describe('the report', () => {
  it('names evidence, tasks, specs and a checklist, and proposes nothing', () => {
    const w = reporting(...(CASES[0]?.similar ?? []));
    w.run(SUPERVISOR, { name: 'analyze' });
    const report = breakerReport(w.state) ?? '';
    expect(report).toMatchInlineSnapshot(`
      "# Circuit breaker: retry_cluster

      - Status: TRIGGERED, work is halted
      - Tripped: 2026-03-01T09:01:00Z by supervisor, in sprint-1

      ## retry_cluster: ARCHITECTURE_FLAW

      In this sprint the same error stops one attempt after another: 3 times, and 3 trip it. What matched: connect ECONNREFUSED 127.0.0.1:5432

      - retry_loop anomaly-1 (a, coder-1, 2026-03-01T09:01:00Z): connect ECONNREFUSED 127.0.0.1:5432 (same)
      - retry_loop anomaly-2 (b, coder-1, 2026-03-01T09:01:00Z): ECONNREFUSED 127.0.0.1:5433 (connect) (same)
      - retry_loop anomaly-3 (c, coder-1, 2026-03-01T09:01:00Z): Connect: econnrefused (same)

      ## Affected tasks

      - a: UNCLAIMED (\`liza show a\`)
      - b: UNCLAIMED (\`liza show b\`)
      - c: UNCLAIMED (\`liza show c\`)

      ## Affected specs

      - specs/retry.md

      ## For you to check

      - [ ] I read the evidence above and looked at the tasks it names.
      - [ ] Do these attempts fail for one reason, or do they only sound alike?
      - [ ] Is that reason within the scope of any of these tasks?
      - [ ] What is already merged on integration and depends on this?
      - [ ] I recorded what I decided: \`liza analyze --resolve "…"\`
      - [ ] I let the work continue, or ended it: \`liza resume --decision continue|adjust-specs|replan|stop\`
      "
    `);
    w.run(HUMAN, { name: 'resolve', resolution: 'the port is now configurable' });
    expect(breakerReport(w.state)).toContain('Resolved: 2026-03-01T09:01:00Z by human: the port is now configurable');
  });

  it('there is none before the first trip', () => {
    expect(breakerReport(world().state)).toBeUndefined();
  });
});

describe('similar is normalised and fuzzy', () => {
  it.each([
    ['Timeout connecting to the database', 'database connection timed out'],
    ['TypeError: cannot read properties of undefined (reading "id")', 'Cannot read property id of undefined'],
    ['migration lock is never released', 'the migrations lock was not released'],
    ['tests hang on the shared port 8080', 'test hangs: port 3000 is shared'],
    ['module cycle between auth and session', 'auth and session import each other (module cycle)'],
    ['checkout of 3f2a9c1d failed', 'checkout of 77ab12ff has failed'],
  ])('%s = %s', (a, b) => {
    expect(similarity(wording(a), wording(b))).toBeGreaterThanOrEqual(SIMILAR);
    expect(similarity(wording(b), wording(a))).toBe(similarity(wording(a), wording(b)));
  });

  it.each([
    ['connection timeout', 'connection refused'],
    ['TypeError: cannot read properties of undefined', 'TypeError: x is not a function'],
    ['user ids are unique', 'user names are lower case'],
    ['migration lock is never released', 'the file lock of npm is missing'],
    ['ENOENT: no such file or directory, open a.json', 'EACCES: permission denied, open b.json'],
    ['12345', '12345'],
    ['', ''],
  ])('%s ≠ %s', (a, b) => {
    expect(similarity(wording(a), wording(b))).toBeLessThan(SIMILAR);
  });

  // What decision 0014 says of it. Whoever changes the measure sees here what it does to the pairs.
  it.each([
    ['the same trouble in related words', 0.92, 'Timeout connecting to the database', 'database connection timed out'],
    ['the same trouble in related words', 0.9, 'rate limit exceeded', 'API rate limit was exceeded (429)'],
    ['the same trouble in related words', 0.84, 'cannot find module foo', 'Module not found: foo'],
    ['the same trouble in related words', 0.7, 'database is locked', 'SQLITE_BUSY: database is locked'],
    ['the same trouble in related words', 0.65, 'the lock is never freed', 'migration lock is never released'],
    [
      'the same trouble in related words',
      0.6,
      'build runs out of memory',
      'JavaScript heap out of memory during build',
    ],
    ['a bare word', 0.76, 'timeout', 'lock timeout'],
    ['a bare word', 0.67, 'timeout', 'connection timeout'],
    [
      'other trouble in a common phrase',
      0.82,
      'assertion failed: expected 3 got 4',
      'assertion failed: expected true got false',
    ],
    ['other trouble in a common phrase', 0.74, 'type error in the parser', 'type error in the lexer'],
    ['the same trouble in other words', 0.57, 'port already in use', 'EADDRINUSE: address already in use'],
    [
      'the same trouble in other words',
      0.44,
      'the cache returns stale entries',
      'stale data comes back from the cache',
    ],
    ['the same trouble in other words', 0.43, 'login redirects in a loop', 'endless redirect after sign-in'],
    ['other trouble', 0.53, 'connection timeout', 'connection refused'],
    ['other trouble', 0.49, 'TypeError: cannot read properties of undefined', 'TypeError: x is not a function'],
    ['other trouble', 0.48, 'tests fail', 'build fails'],
  ])('%s: %f', (_kind, measured, a, b) => {
    expect(similarity(wording(a), wording(b))).toBeCloseTo(measured, 2);
  });

  it('stays quick however much there is', () => {
    const w = ready('a');
    w.edit((state) => ({
      ...state,
      anomalies: Array.from({ length: 5000 }, (_, at) => ({
        id: `anomaly-${at}`,
        type: 'retry_loop' as const,
        details: { count: 1, error_pattern: `error ${'of some kind '.repeat(1000)} number ${at}` },
      })),
    }));
    const spent = cpuTimer();
    expect(fired(w)).toEqual(['retry_cluster']);
    expect(spent()).toBeLessThan(1500);
  });
});

it('an added task is no evidence', () => {
  const w = world();
  w.run(HUMAN, addReady('a'));
  expect(fired(w)).toEqual([]);
});
