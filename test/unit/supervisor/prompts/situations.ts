// Boards as agents meet them, each reached by real commands, and what the agent is then told.

import type { Role } from '../../../../src/protocol/state.ts';
import { coderPrompt } from '../../../../src/supervisor/prompts/coder.ts';
import { plannerPrompt } from '../../../../src/supervisor/prompts/planner.ts';
import type {
  CoderWork,
  Places,
  PlanningWork,
  PromptContext,
  ReviewWork,
} from '../../../../src/supervisor/prompts/prompt.ts';
import { reviewerPrompt } from '../../../../src/supervisor/prompts/reviewer.ts';
import { plannerWakes } from '../../../../src/supervisor/rules/wakes.ts';
import {
  addDraft,
  addReady,
  BASE,
  begin,
  block,
  CODER,
  claim,
  claimReview,
  commit,
  declare,
  HUMAN,
  MERGE,
  mergeFailed,
  OTHER_CODER,
  PLANNER,
  proved,
  REVIEWER,
  reject,
  reserveMerge,
  SPEC,
  SUPERVISOR,
  submit,
  supervisorOf,
  toApproved,
  toMerged,
  toReady,
  toRejected,
  type World,
  world,
} from '../../protocol/world.ts';

export const PLACES: Places = {
  project: '/home/ada/shop',
  blackboard: '/home/ada/shop/.liza/state.yaml',
  specs: '/home/ada/shop/specs',
  repositoryGuide: '/home/ada/shop/REPOSITORY.md',
  scripts: '/home/ada/.liza/scripts',
};

export const contextOf = (w: World, role: Role, agent = `${role.replace('_', '-')}-1`): PromptContext => ({
  board: w.board,
  now: w.now,
  agent,
  role,
  places: PLACES,
});

export const toCoder = (w: World, id: string, more: Partial<CoderWork> = {}, agent = 'coder-1'): string =>
  coderPrompt(contextOf(w, 'coder', agent), {
    task: w.task(id),
    worktree: `/home/ada/shop/.worktrees/${id}`,
    ...more,
  });

export const toReviewer = (w: World, id: string, more: Partial<ReviewWork> = {}): string =>
  reviewerPrompt(contextOf(w, 'code_reviewer'), {
    task: w.task(id),
    worktree: `/home/ada/shop/.worktrees/${id}`,
    base: w.task(id).base_commit ?? BASE,
    commit: w.task(id).review_commit ?? '',
    ...more,
  });

export const toPlanner = (w: World, more: Partial<PlanningWork> = {}): string =>
  plannerPrompt(contextOf(w, 'planner'), { wakes: plannerWakes(w.board, w.now), ...more });

const login = {
  description: 'Retry the login call when the service is briefly away.',
  spec_ref: 'specs/auth.md#retry',
  done_when: 'three 503s in a row still log in\na 401 is not retried',
  scope: 'IN: src/, test/\nOUT: the UI',
  validation: ['npm test -- auth'],
};

function plan(...more: readonly string[]): World {
  const w = world();
  w.run(PLANNER, addReady('retry-login', login));
  for (const id of more) w.run(PLANNER, addReady(id));
  w.run(PLANNER, { name: 'plan done' });
  return w;
}

function coding(): World {
  const w = plan();
  w.run(SUPERVISOR, claim('retry-login'));
  return w;
}

function rejected(): World {
  const w = plan();
  toRejected(w, 'retry-login');
  w.run(SUPERVISOR, claim('retry-login', 'coder-1', { start_commit: commit(0x1003) }));
  return w;
}

function handedOff(): World {
  const w = coding();
  w.run(CODER, begin('retry-login'));
  w.run(CODER, {
    name: 'handoff',
    task: 'retry-login',
    summary: 'retry works, backoff is missing',
    next_action: 'add exponential backoff for 429',
    approach: 'a wrapper around fetch',
    files_modified: ['src/auth/retry.ts'],
    next_steps: ['backoff', 'Retry-After header'],
  });
  return w;
}

/** Its budget is used up half way. */
function spentOut(): World {
  const w = coding();
  w.run(HUMAN, { name: 'config set', key: 'budgets.task.usd', value: 1 });
  w.run(CODER, begin('retry-login'));
  const used = { seconds: 60, input_tokens: 10, output_tokens: 5, cost_usd: 1.25 };
  const about = { task: 'retry-login', provider: 'p', how: 'exit 0' };
  w.run(supervisorOf('coder-1'), { name: 'session-end', agent: 'coder-1', used, ...about });
  w.run(supervisorOf('coder-1'), { name: 'limit', task: 'retry-login', limit: 'budget' });
  return w;
}

function raised(): World {
  const w = spentOut();
  w.run(HUMAN, { name: 'config set', key: 'budgets.tasks.retry-login.usd', value: 2 });
  return w;
}

function conflicting(red = false): World {
  const w = plan();
  toApproved(w, 'retry-login');
  if (red) {
    const about = { name: 'merge-run', task: 'retry-login', log: 'FAIL checkout.test' } as const;
    w.run(SUPERVISOR, reserveMerge('retry-login'));
    for (const [isRed, candidate] of [
      [true, MERGE],
      [false, BASE],
      [true, MERGE],
    ] as const)
      w.run(SUPERVISOR, { ...about, candidate, red: isRed, ...(isRed ? {} : { beneath: true }) });
  }
  w.run(
    SUPERVISOR,
    red
      ? { name: 'merge-failed', task: 'retry-login', reason: 'the integration test failed', log: 'FAIL checkout.test' }
      : {
          name: 'merge-failed',
          task: 'retry-login',
          reason: 'merge conflict in src/client.ts',
          paths: ['src/client.ts'],
          with: ['timeouts'],
        },
  );
  w.run(SUPERVISOR, claim('retry-login', 'coder-2'));
  return w;
}

function noted(w: World): World {
  w.run(HUMAN, { name: 'note', message: 'Use the helper in src/http/retry.ts', for: 'retry-login' });
  w.run(HUMAN, { name: 'note', message: 'No new dependencies, please.' });
  w.run(HUMAN, { name: 'note', message: 'only for coder-2', for: 'coder-2' });
  return w;
}

function reviewing(second = false): World {
  const w = second ? rejected() : coding();
  const start = second ? commit(0x1003) : BASE;
  w.run(CODER, begin('retry-login', start));
  w.run(CODER, declare('retry-login', 'AGENTS.md', 'package.json'));
  w.run(
    CODER,
    submit('retry-login', commit(0x2000), {
      changes: [
        { path: 'src/client.ts', kind: 'changed' },
        { path: 'src/other.ts', kind: 'added', ...(second ? {} : { form: 'link' as const }) },
        { path: 'test/client.test.ts', kind: 'changed', weakened: true },
        { path: 'test/retry.test.ts', kind: 'added' },
        { path: 'AGENTS.md', kind: 'changed' },
        { path: 'package.json', kind: 'changed' },
      ],
      lines: { added: 120, removed: 14 },
      test_edits: {
        lines: ['test/client.test.ts:12 - expect(calls).toBe(3);', 'test/client.test.ts:30 + test.skip("401")'],
      },
      marks: { lines: ['src/client.ts:40 // TODO: back off'] },
      test_setup: ['package.json'],
      proof: proved(w, 'retry-login', commit(0x2000), {
        tests: second
          ? {
              mode: 'evidence',
              base: BASE,
              base_alone: 'green',
              on_base: 'red',
              base_tests: 'green',
              by: 'npm test',
              failed: ['test/retry.test.ts > three 503s'],
            }
          : {
              mode: 'evidence',
              base: BASE,
              base_alone: 'green',
              on_base: 'green',
              base_tests: 'red',
              because: { base_tests: 'with the base\'s tests "npm test" ended with 1' },
              why: 'with the base\'s tests "npm test" ended with 1',
            },
      }),
    }),
  );
  w.run(SUPERVISOR, claimReview('retry-login'));
  return w;
}

function deadlocked(): World {
  const w = plan();
  w.edit((state) => ({ ...state, config: { ...state.config, max_review_cycles: 2 } }));
  toRejected(w, 'retry-login');
  w.run(SUPERVISOR, claim('retry-login', 'coder-1', { start_commit: commit(0x1003) }));
  toReady(w, 'retry-login', 'coder-1', commit(0x3000));
  w.run(SUPERVISOR, claimReview('retry-login'));
  w.run(REVIEWER, reject('retry-login', 'src/client.ts:40 — the delay is not awaited'));
  return w;
}

function blocked(): World {
  const w = coding();
  w.run(CODER, block('retry-login'));
  return w;
}

/** A planner planned on an assumption, and a coder asks while it works. */
function asking(): World {
  const w = plan('timeouts');
  const spec_ref = 'specs/retry.md';
  w.run(PLANNER, { name: 'ask', text: 'Are background calls retried?', spec_ref, assume: 'yes, like all others' });
  w.run(SUPERVISOR, claim('retry-login'));
  w.run(CODER, { name: 'ask', text: 'Is a 429 retried, too?', assume: 'yes, after Retry-After' });
  return w;
}

/** One question was answered, one is assumed meanwhile, and one is not its business. */
function answered(): World {
  const w = coding();
  w.run(CODER, { name: 'ask', text: 'Is a 429 retried, too?', assume: 'yes, after Retry-After' });
  w.run(PLANNER, { name: 'ask', text: 'Which languages?', spec_ref: 'specs/ui.md', assume: 'English' });
  w.run(CODER, block('retry-login'));
  w.run(HUMAN, { name: 'answer', about: 'q-3', text: 'The account of the staging shop.', facts: SPEC });
  w.run(SUPERVISOR, claim('retry-login'));
  return w;
}

function exhausted(): World {
  const w = blocked();
  w.run(PLANNER, {
    name: 'unblock',
    task: 'retry-login',
    withdraw: 'the spec says it now',
    facts: { spec_exists: true },
  });
  w.run(SUPERVISOR, claim('retry-login', 'coder-2'));
  w.run(OTHER_CODER, block('retry-login', 'the sandbox account is locked'));
  return w;
}

function discovered(w: World): World {
  w.run(CODER, {
    name: 'discover',
    description: 'The API client has no timeout at all.',
    severity: 'critical',
    urgency: 'immediate',
    during: 'retry-login',
    recommendation: 'add one before anything retries',
  });
  return w;
}

function finished(): World {
  const w = plan('timeouts');
  toMerged(w, 'retry-login');
  w.run(PLANNER, { name: 'abandon', task: 'timeouts', rationale: 'the service has its own' });
  return w;
}

/** A second goal, all of whose tasks have ended, with what the first one left and what was found since. */
function leftOpen(): World {
  const w = finished();
  w.edit((state) => ({
    ...state,
    discovered: [
      {
        id: 'disc-1',
        by: 'coder-2',
        description: 'The log grows without end.',
        severity: 'low',
        carried_from: 'goal-0',
      },
      {
        id: 'disc-2',
        by: 'coder-1',
        during: 'retry-login',
        description: 'Passwords are in the log.',
        severity: 'high',
        recommendation: 'redact them',
      },
    ],
  }));
  return w;
}

function failedMerge(): World {
  const w = plan('timeouts');
  toApproved(w, 'retry-login');
  w.run(SUPERVISOR, mergeFailed('retry-login'));
  return w;
}

function everything(): World {
  const w = deadlocked();
  for (const id of ['search', 'export', 'import']) w.run(PLANNER, addReady(id));
  w.run(SUPERVISOR, claim('search'));
  w.run(CODER, block('search'));
  w.run(PLANNER, { name: 'unblock', task: 'search', withdraw: 'the spec says it now', facts: { spec_exists: true } });
  w.run(SUPERVISOR, claim('search', 'coder-2'));
  w.run(OTHER_CODER, block('search', 'still no sandbox'));
  toApproved(w, 'export');
  w.run(SUPERVISOR, mergeFailed('export'));
  w.run(PLANNER, addDraft('left-over', { depends_on: ['import'] }));
  return noted(discovered(w));
}

function drafts(): World {
  const w = world();
  w.run(PLANNER, addDraft('retry-login', login));
  return w;
}

const FORMER = 'refs/liza/attempts/retry-login/1';

/** The first coder handed off and is gone; the second has the task. */
function takenOver(): World {
  const w = handedOff();
  w.pass(301);
  w.run(SUPERVISOR, claim('retry-login', 'coder-2'));
  return w;
}

/** Rejected once; its coder is gone, and the second starts fresh. */
function startedFresh(): World {
  const w = plan();
  toRejected(w, 'retry-login');
  w.pass(301);
  w.run(SUPERVISOR, claim('retry-login', 'coder-2', { former: FORMER }));
  return w;
}

/** Handed off, blocked, and unblocked without its folder. */
function unblockedSince(): World {
  const w = handedOff();
  w.run(CODER, block('retry-login'));
  w.run(PLANNER, {
    name: 'unblock',
    task: 'retry-login',
    withdraw: 'the spec says it now',
    facts: { spec_exists: true },
  });
  w.run(SUPERVISOR, claim('retry-login', 'coder-2', { former: FORMER }));
  return w;
}

const SPEC_DIFF = { text: '@@ line 3 @@\n Retry.\n-Three tries.\n+Five tries.', added: 1, removed: 1 };

const TRIED = ['npm run lint', 'npm test -- test/retry.test.ts', 'pytset -q'] as const;

/** Liza tried the validation on the base: one is green there, one red, one cannot be run. */
function tried(w: World): World {
  const [green, red, missing] = TRIED;
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => (task.id === 'retry-login' ? { ...task, validation: [...TRIED] } : task)),
  }));
  w.run(SUPERVISOR, {
    name: 'record-trial',
    task: 'retry-login',
    commit: commit(0x1000),
    commands: [...TRIED],
    under: 'u',
    runs: [
      { command: green, is: 'green', how: 'ended with 0', seconds: 1 },
      { command: red, is: 'red', how: 'ended with 1', seconds: 2, output: 'No test files found\nexit 1' },
      { command: missing, is: 'cannot_run', how: 'ended with 127', seconds: 0.1, output: 'sh: 1: pytset: not found' },
    ],
  });
  return w;
}

/** Name → what the agent is told. The names are those of the golden files. */
export const SITUATIONS: Readonly<Record<string, () => string>> = {
  'coder-first': () => toCoder(coding(), 'retry-login'),
  'coder-named-with-notes': () => toCoder(noted(coding()), 'retry-login', { named: true }),
  'coder-rejected': () =>
    toCoder(rejected(), 'retry-login', { drift: { commits: 2, files: ['src/http.ts', 'package.json'] } }),
  'coder-rejected-resumed': () => toCoder(noted(rejected()), 'retry-login', { resumed: true }),
  'coder-handed-off': () => toCoder(handedOff(), 'retry-login'),
  'coder-after-full-context': () => toCoder(handedOff(), 'retry-login', { handOff: 91.6 }),
  'coder-hand-off-now': () => toCoder(coding(), 'retry-login', { handOff: 91.6, resumed: true }),
  'coder-integration-conflict': () =>
    toCoder(conflicting(), 'retry-login', { conflicts: ['src/client.ts'] }, 'coder-2'),
  'coder-integration-red': () => toCoder(conflicting(true), 'retry-login', {}, 'coder-2'),
  'coder-docs-task': () => {
    const w = world();
    w.run(PLANNER, addReady('explain', { type: 'docs', scope: 'IN: docs/\nOUT: src/' }));
    w.run(SUPERVISOR, claim('explain'));
    return toCoder(w, 'explain');
  },
  'coder-after-failures': () => {
    const w = blocked();
    w.run(PLANNER, {
      name: 'unblock',
      task: 'retry-login',
      withdraw: 'the spec says it now',
      facts: { spec_exists: true },
    });
    w.run(SUPERVISOR, claim('retry-login', 'coder-2'));
    return toCoder(w, 'retry-login', {}, 'coder-2');
  },
  'coder-budget-raised': () => {
    const w = raised();
    w.run(HUMAN, {
      name: 'unblock',
      task: 'retry-login',
      withdraw: 'the spec says it now',
      facts: { spec_exists: true },
    });
    w.run(SUPERVISOR, claim('retry-login', 'coder-2'));
    return toCoder(w, 'retry-login', {}, 'coder-2');
  },
  'coder-redefined-resumed': () => {
    const w = blocked();
    const changes = { done_when: 'three 503s in a row still log in\na locked account is reported' };
    w.run(PLANNER, { name: 'unblock', task: 'retry-login', changes, facts: { spec_exists: true } });
    w.run(SUPERVISOR, claim('retry-login'));
    return toCoder(w, 'retry-login', { resumed: true });
  },
  'coder-takeover': () =>
    toCoder(
      takenOver(),
      'retry-login',
      {
        continued: {
          commits: 1,
          uncommitted: ['src/auth/retry.ts', 'notes.md'],
          setAside: 'refs/liza/attempts/retry-login/1',
        },
      },
      'coder-2',
    ),
  'coder-takeover-without-checkpoint': () => {
    const w = coding();
    w.pass(301);
    w.run(SUPERVISOR, claim('retry-login', 'coder-2', { former: FORMER }));
    return toCoder(w, 'retry-login', {}, 'coder-2');
  },
  'coder-fresh-after-rejection': () => toCoder(startedFresh(), 'retry-login', {}, 'coder-2'),
  'coder-old-handoff': () => toCoder(unblockedSince(), 'retry-login', {}, 'coder-2'),
  'coder-spec-changed': () => toCoder(coding(), 'retry-login', { spec: { diff: SPEC_DIFF } }),
  'reviewer-spec-changed': () => toReviewer(reviewing(), 'retry-login', { spec: { diff: SPEC_DIFF } }),
  'reviewer-after-fresh-start': () => {
    const w = startedFresh();
    w.run(OTHER_CODER, begin('retry-login'));
    w.run(OTHER_CODER, submit('retry-login', commit(0x5000), { proof: proved(w, 'retry-login', commit(0x5000)) }));
    w.run(SUPERVISOR, claimReview('retry-login'));
    return toReviewer(w, 'retry-login');
  },
  'coder-tried-on-base': () => toCoder(tried(coding()), 'retry-login'),
  'reviewer-tried-on-base': () => toReviewer(tried(reviewing()), 'retry-login'),
  'planner-validation-cannot-run': () => toPlanner(tried(plan())),
  'coder-answered': () => toCoder(answered(), 'retry-login'),
  'coder-answered-resumed': () => toCoder(answered(), 'retry-login', { resumed: true }),
  'reviewer-answered': () => {
    const w = answered();
    w.run(CODER, begin('retry-login'));
    w.run(CODER, submit('retry-login', commit(0x2000), { proof: proved(w, 'retry-login', commit(0x2000)) }));
    w.run(SUPERVISOR, claimReview('retry-login'));
    return toReviewer(w, 'retry-login');
  },
  'reviewer-first': () => toReviewer(reviewing(), 'retry-login'),
  'reviewer-tries': () => {
    const w = reviewing();
    w.run(CODER, {
      name: 'discover',
      description: 'the client logs the token',
      severity: 'high',
      during: 'retry-login',
    });
    return toReviewer(w, 'retry-login', { tryout: '/home/ada/shop/.worktrees/.review-retry-login-2' });
  },
  'reviewer-second-round': () => toReviewer(noted(reviewing(true)), 'retry-login'),
  'reviewer-second-round-resumed': () => toReviewer(reviewing(true), 'retry-login', { resumed: true }),
  'reviewer-integration-fix': () => {
    const w = conflicting();
    w.run(OTHER_CODER, begin('retry-login'));
    w.run(OTHER_CODER, submit('retry-login', commit(0x4000), { proof: proved(w, 'retry-login', commit(0x4000)) }));
    w.run(SUPERVISOR, claimReview('retry-login'));
    return toReviewer(w, 'retry-login');
  },
  'reviewer-checkout-changed': () => {
    const w = reviewing();
    const proof = proved(w, 'retry-login', commit(0x2001), {
      setup_changed: { paths: ['package-lock.json'], more: 3 },
    });
    const runs = proof.runs.map((run) => ({ ...run, changed: { paths: ['src/client.ts'] } }));
    w.run(CODER, { name: 'retract', task: 'retry-login', reason: 'a line was wrong' });
    w.run(CODER, submit('retry-login', commit(0x2001), { proof: { ...proof, runs } }));
    w.run(SUPERVISOR, claimReview('retry-login'));
    const undone = { changed: ['CLAUDE.md', 'package-lock.json'], removed: ['.claude/settings.json'] };
    return toReviewer(w, 'retry-login', { undone });
  },
  'reviewer-lost-verdict': () =>
    toReviewer(reviewing(), 'retry-login', {
      lostVerdicts: [
        'REJECTED of 00000000000000000000000000000000000abcde\nBlockers: 1\n- [blocker] src/client.ts:3 — leaks',
      ],
    }),
  'reviewer-no-facts': () => toReviewer(reviewing(), 'retry-login', { commit: commit(0x9999) }),
  'planner-initial': () => toPlanner(world()),
  'planner-initial-drafts': () => toPlanner(drafts()),
  'planner-question-asked': () => toPlanner(asking()),
  'planner-question-answered': () => {
    const w = asking();
    w.run(HUMAN, { name: 'answer', about: 'q-1', text: 'No: only what the user started.', facts: SPEC });
    return toPlanner(w);
  },
  'planner-blocked': () => toPlanner(blocked()),
  'planner-blocked-resumed': () => toPlanner(blocked(), { resumed: true }),
  'planner-budget': () => toPlanner(spentOut()),
  'planner-budget-raised': () => toPlanner(raised()),
  'planner-deadlock': () => toPlanner(deadlocked()),
  'planner-integration-failed': () => toPlanner(failedMerge()),
  'planner-exhausted': () => toPlanner(exhausted()),
  'planner-discovery': () => toPlanner(discovered(coding())),
  'planner-open-discoveries': () => toPlanner(leftOpen()),
  'planner-note': () => toPlanner(noted(coding())),
  'planner-all-terminal': () => toPlanner(finished()),
  'planner-everything': () => toPlanner(everything()),
};
