// Boards for the tests of reports: a large one, and one on which every text is an attack.

import type { State, Task } from '../../../src/protocol/state.ts';
import { iso } from '../../../src/text/time.ts';
import { board, event, MINUTE, NOW, task } from '../boards/empty-board.ts';

export const commitOf = (n: number): string => n.toString(16).padStart(40, '0');

/** A finished task: rejected `rounds - 1` times, then merged. */
export function lived(n: number, rounds: number, start: number): Task {
  const history = [event('created', start, 'planner-1'), event('finalized', start + MINUTE, 'planner-1')];
  let at = start + (5 + (n % 7)) * MINUTE;
  for (let round = 1; round <= rounds; round += 1) {
    const commit = commitOf(n * 10 + round);
    history.push(event('claimed', at, `coder-${1 + (n % 4)}`, { iteration: round }));
    history.push(
      event('submitted', at + 20 * MINUTE, `coder-${1 + (n % 4)}`, { commit, iteration: round, diff: { files: 3 } }),
    );
    history.push(event('review_claimed', at + 22 * MINUTE, 'code-reviewer-1'));
    const rejected = round < rounds;
    const reason = `Blockers: 1\n- [blocker] src/part-${n}.ts:${round} — ${'it does not do what the spec says. '.repeat(8)}\n  Why it matters: x\n  Suggestion: y\nConcerns: 0\nOverall: no`;
    history.push(
      event(rejected ? 'rejected' : 'approved', at + 31 * MINUTE, 'code-reviewer-1', {
        commit,
        reason: rejected ? reason : 'It does what it says.',
      }),
    );
    at += 40 * MINUTE;
  }
  history.push(
    event('merged', at, 'code-reviewer-1', {
      by: 'code-reviewer-1',
      commit: commitOf(n * 10 + rounds),
      merge_commit: commitOf(n),
      drift: n % 5,
    }),
  );
  return task(`part-${n}`, {
    status: 'MERGED',
    description: `Part ${n} of the work, described in a sentence of the usual length`,
    review_cycles_total: rounds - 1,
    history,
    usage: {
      sessions: rounds * 2,
      seconds: 900,
      input_tokens: 40_000 + n * 100,
      output_tokens: 3000,
      ...(n % 3 === 0 ? {} : { cost_usd: 0.2 }),
    },
  });
}

export function large(count: number): State {
  const tasks = Array.from({ length: count }, (_, n) =>
    lived(n, 1 + (n % 3), NOW - (count - n) * 12 * MINUTE - 5 * 60 * MINUTE),
  );
  return board({ tasks }).state;
}

export const SECRET = 'correct-horse-battery';
/** Markup, scripts, closings of what surrounds it, controls, bidi, broken Unicode, secrets. */
export const EVIL =
  '</title></style></script></svg><script>alert(1)</script><img src=x onerror=alert(1)>" onload="alert(1)\' x=\'y --> ]]> ' +
  `\u202egnp.exe\u2066\u001b[2J\u0000\u0007\ud800 \u200b&#60;b> \`code\` | [a](javascript:alert(1)) token=abcdef1234567 s\u200bk-abcdefghijk4mnopqrstu ${SECRET}`;

export function hostile(): State {
  const evil = (name: string, at: number, extra: object = {}) =>
    event(name, at, EVIL, { reason: EVIL, rationale: EVIL, commit: EVIL, by: EVIL, ...extra });
  const rejection = `Blockers: 1\n- [blocker] ${EVIL.replaceAll(' ', '')}:3 — ${EVIL}\n  Why it matters: ${EVIL}\n  Suggestion: ${EVIL}\nConcerns: 0\nOverall: ${EVIL}`;
  const at = (minutes: number) => NOW - minutes * MINUTE;
  const tasks: readonly Task[] = [
    task('a', {
      status: 'BLOCKED',
      description: EVIL,
      blocked_reason: EVIL,
      blocked_questions: [EVIL],
      superseded_by: [EVIL],
      history: [
        evil('created', at(60)),
        evil('finalized', at(59)),
        evil('claimed', at(50)),
        evil('submitted', at(40), { diff: { files: 1, undeclared: { paths: [EVIL] } } }),
        evil('rejected', at(30), { reason: rejection }),
        evil('amended', at(25), { changed: true, fields: [EVIL] }),
        evil('blocked', at(20)),
      ],
    }),
    task('b', { status: 'ABANDONED', description: EVIL, history: [evil('created', at(9)), evil('abandoned', at(8))] }),
    task('c', {
      status: 'SUPERSEDED',
      rescope_reason: EVIL,
      history: [evil('created', at(9)), evil('superseded', at(8))],
    }),
  ];
  return board({
    tasks,
    agents: {
      'coder-1': {
        role: 'coder',
        status: 'IDLE',
        provider: EVIL,
        trouble: { kind: 'login', detail: EVIL, since: iso(NOW) },
      },
    },
    state: {
      goal: {
        id: 'goal-1',
        description: EVIL,
        spec_ref: EVIL,
        status: 'IN_PROGRESS',
        alignment_history: [{ timestamp: iso(at(5)), event: EVIL, summary: EVIL, by: EVIL }],
      },
      spec_changes: [{ timestamp: iso(at(5)), spec: EVIL, change: EVIL, triggered_by: EVIL }],
      anomalies: [
        {
          id: EVIL,
          type: 'trade_off',
          task: 'a',
          reporter: EVIL,
          timestamp: iso(at(4)),
          details: { [EVIL]: EVIL, n: [EVIL] },
          processed_by: EVIL,
        },
      ],
      discovered: [
        { id: 'disc-1', by: EVIL, description: EVIL, severity: 'low', urgency: 'immediate', created: iso(at(3)) },
      ],
    },
  }).state;
}
