// A sprint in which something of everything happened, for the papers that people read.

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
  reject,
  SUPERVISOR,
  submit,
  supervisorOf,
  toApproved,
  toMerged,
  type World,
  world,
} from '../protocol/world.ts';

/** Ten minutes apart. */
export function busySprint(): World {
  const w = world({ lease_duration: 36_000, review_lease_duration: 36_000 });
  const step = (act: () => unknown): void => {
    w.pass(600);
    act();
  };
  for (const id of ['login', 'export', 'search', 'later']) w.run(PLANNER, addReady(id, { description: `Build ${id}` }));
  w.run(PLANNER, { name: 'plan done' });
  step(() => toApproved(w, 'login'));
  step(() => toMerged(w, 'login'));
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) =>
      task.id === 'login'
        ? {
            ...task,
            history: task.history?.map((e) => (e.event === 'merged' ? { ...e, drift: 2 } : e)) ?? [],
            usage: { sessions: 2, seconds: 300, input_tokens: 90_000, output_tokens: 4000, cost_usd: 0.41 },
          }
        : task,
    ),
  }));
  step(() => w.run(SUPERVISOR, claim('export', 'coder-2')));
  step(() => w.run(OTHER_CODER, begin('export')));
  step(() => w.run(OTHER_CODER, submit('export', commit(0xe1))));
  step(() => w.run(SUPERVISOR, claimReview('export')));
  step(() => w.run(REVIEWER, reject('export', 'src/export.ts:3 — writes <b>HTML</b> | unescaped')));
  step(() => w.run(HUMAN, { name: 'checkpoint', reason: 'a first look' }));
  step(() => w.run(HUMAN, { name: 'resume', decision: 'continue' }));
  step(() => w.run(SUPERVISOR, claim('search')));
  step(() => w.run(CODER, block('search', 'no index\nin the spec `here`')));
  step(() =>
    w.run(CODER, {
      name: 'anomaly',
      type: 'retry_loop',
      task: 'search',
      details: { count: 3, error_pattern: 'EPIPE' },
    }),
  );
  step(() =>
    w.run(OTHER_CODER, {
      name: 'discover',
      description: 'keys in the log',
      severity: 'critical',
      urgency: 'immediate',
    }),
  );
  w.run(supervisorOf('coder-3'), { name: 'trouble', agent: 'coder-3', kind: 'login', detail: 'not signed in' });
  step(() => w.run(HUMAN, { name: 'spec-change', spec: 'specs/retry.md', change: 'three tries' }));
  step(() => w.run(HUMAN, { name: 'checkpoint', reason: 'the second' }));
  return w;
}
