// Guards that no longer story meets: one refusal each, by the guard that must say it (`node planted/run.mjs` takes
// every guard away in turn and wants a test to notice).

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import {
  addDraft,
  addReady,
  approve,
  block,
  CODER,
  claimed,
  claimReview,
  commit,
  finalize,
  HUMAN,
  PLANNER,
  proof,
  REVIEWER,
  ready,
  SPEC,
  SUPERVISOR,
  supervisorOf,
  toMerged,
  toReady,
  unblock,
  type World,
  world,
} from './world.ts';

const STRANGER: Actor = { id: 'coder-9', parts: ['coder'] };
const USED = { seconds: 1, input_tokens: 1, output_tokens: 1 };

function refuses(guard: RefusalName, w: World, actor: Actor, command: Command): void {
  expect(w.refused(actor, command).guard).toBe(guard);
}

describe('words that say nothing', () => {
  it('amend without a field', () =>
    refuses('something-changes', ready('a'), PLANNER, { name: 'amend', task: 'a', changes: {}, facts: SPEC }));
  it('a note', () => refuses('message', world(), HUMAN, { name: 'note', message: '  ' }));
  it.each(['t99', 'coder-77', 'nosuch', 'coders', 'toString'])('a note to %s, who is not there', (reader) =>
    refuses('addressee', ready('a'), HUMAN, { name: 'note', message: 'x', for: reader }),
  );
  it('a note says who is there', () => {
    const { hint } = ready('a').refused(HUMAN, { name: 'note', message: 'x', for: 'coder-77' });
    expect(hint).toContain('--for coder. ');
    expect(hint).toContain('tasks: a');
    expect(hint).toMatch(/agents: .*coder-1/);
  });
  it.each(['a', 'coder-1', 'coder', 'code-reviewer', 'planner', 'all'])('but one to %s is left', (reader) => {
    expect(ready('a').run(HUMAN, { name: 'note', message: 'x', for: reader }).detail).toBe(`note-1 left for ${reader}`);
  });
  it('what was learned', () => refuses('learned', world(), HUMAN, { name: 'retrospective', learned: ' ' }));
  it('a spec change that does not say what', () =>
    refuses('what-changed', world(), HUMAN, { name: 'spec-change', spec: 'specs/retry.md', change: ' ' }));
  it('a long heartbeat without a reason', () =>
    refuses('reason', claimed(), CODER, { name: 'long-heartbeat', task: 'a', reason: ' ' }));
  it('a discovery dismissed without a reason', () => {
    const w = discovered();
    refuses('reason', w, PLANNER, { name: 'discovery dismiss', discovery: 'd-1', reason: ' ' });
  });
});

function discovered(): World {
  const w = claimed();
  w.run(CODER, {
    name: 'discover',
    id: 'd-1',
    description: 'the client has no tests at all',
    severity: 'low',
  });
  return w;
}

describe('what is not there', () => {
  it('an anomaly about a task nobody knows', () =>
    refuses('task-exists', claimed(), CODER, {
      name: 'anomaly',
      type: 'retry_loop',
      task: 'nowhere',
      details: { count: 3, error_pattern: 'timeout' },
    }));
  it('a discovery that was dismissed already', () => {
    const w = discovered();
    w.run(PLANNER, { name: 'discovery dismiss', discovery: 'd-1', reason: 'out of scope' });
    refuses('open-discovery', w, PLANNER, { name: 'discovery convert', discovery: 'd-1', to_task: 'a' });
  });
  it('a CHECKPOINT file that is gone again', () =>
    refuses('file-there', world(), SUPERVISOR, { name: 'checkpoint', touched: true }));
  it('the exit of an agent that is not registered', () =>
    refuses('registered', world(), STRANGER, { name: 'exit', code: 0 }));
  it('its heartbeat', () =>
    refuses('registered', world(), STRANGER, { name: 'long-heartbeat', reason: 'a long build' }));
});

it('a validation that names no commit proves nothing', () =>
  refuses('commit', claimed(), CODER, { name: 'record-validation', task: 'a', proof: proof('abc') }));

describe('whose it is', () => {
  const OTHER = supervisorOf('coder-2');
  it('a supervisor reserves for its own agent', () =>
    refuses('own-agent', ready('a'), OTHER, { name: 'reserve-claim', task: 'a', agent: 'coder-1' }));
  it('begins the sessions of its own', () =>
    refuses('own-agent', world(), OTHER, { name: 'session-start', agent: 'coder-1' }));
  it('ends the sessions of its own', () =>
    refuses('own-agent', world(), OTHER, {
      name: 'session-end',
      agent: 'coder-1',
      provider: 'tiny',
      how: 'exited with 0',
      used: USED,
    }));
  it('measures its own', () =>
    refuses('own-agent', world(), OTHER, { name: 'context-used', agent: 'coder-1', percent: 95 }));
  it('tells of the trouble of its own', () =>
    refuses('own-agent', world(), OTHER, { name: 'trouble', agent: 'coder-1', kind: 'crash-loop', detail: 'again' }));
  it('gives up the reviews of its own', () => {
    const w = ready('a');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    refuses('own-agent', w, supervisorOf('code-reviewer-2'), {
      name: 'clear-stale-review-claims',
      agent: 'code-reviewer-1',
    });
  });
  it('an agent that coded a task does not judge it, even if it holds the review', () => {
    const w = ready('a');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        history: task.history?.map((one) => (one.event === 'claimed' ? { ...one, agent: 'code-reviewer-1' } : one)),
      })),
    }));
    refuses('never-its-coder', w, REVIEWER, approve('a'));
  });
});

describe('a reviewer’s copy', () => {
  const FOLDER = '.worktrees/.review-a-00000000';
  const copy = (tree: string): Command => ({ name: 'review-copy', task: 'a', folder: FOLDER, tree });
  function inReview(): World {
    const w = ready('a');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    return w;
  }
  it('is made by the supervisor of the reviewer that holds the review', () =>
    refuses('own-review', inReview(), supervisorOf('code-reviewer-2'), copy(commit(7))));
  it('has a tree, or nothing could be held against it', () =>
    refuses('tree', inReview(), supervisorOf('code-reviewer-1'), copy('7')));
  it('is as it was handed over when the verdict comes', () => {
    const w = inReview();
    w.run(supervisorOf('code-reviewer-1'), copy(commit(7)));
    const facts = { unknown_places: [], outside_diff: [], false_evidence: [], changed_files: ['src/a.ts'] };
    const changed: Command = { name: 'submit-verdict', task: 'a', verdict: 'APPROVED', facts };
    refuses('copy-as-submitted', w, REVIEWER, changed);
  });
});

describe('a full disk', () => {
  const full = (w: World): World => {
    w.board = { ...w.board, freeMb: 120 };
    return w;
  };
  it('lets nobody reserve a task', () =>
    refuses('room-on-disk', full(ready('a')), SUPERVISOR, { name: 'reserve-claim', task: 'a', agent: 'coder-1' }));
  it('nor take a review', () => {
    const w = ready('a');
    toReady(w, 'a');
    refuses('room-on-disk', full(w), SUPERVISOR, claimReview('a'));
  });
});

describe('a board of several hosts', () => {
  const on = (w: World, drained: boolean): World => {
    const here = { id: 'h', name: 'h', version: '1', silent: 0, drained, tags: [] };
    w.board = { ...w.board, hosts: [here], here: 'h' };
    return w;
  };
  const needing = (w: World): World => {
    const tasks = w.board.state.tasks.map((task) => ({ ...task, needs: ['gpu'] }));
    w.board = { ...w.board, state: { ...w.board.state, tasks } };
    return w;
  };
  const reserve: Command = { name: 'reserve-claim', task: 'a', agent: 'coder-1' };
  const underReview = (): World => {
    const w = ready('a');
    toReady(w, 'a');
    return w;
  };
  const reserved = (): World => {
    const w = ready('a');
    w.run(SUPERVISOR, reserve);
    return w;
  };
  const claim: Command = { name: 'claim-task', task: 'a', agent: 'coder-1', worktree: 'w', base_commit: commit(1) };
  it('begins nothing on a drained one', () => {
    refuses('not-drained', on(ready('a'), true), SUPERVISOR, reserve);
    refuses('not-drained', on(reserved(), true), SUPERVISOR, claim);
    refuses('not-drained', on(underReview(), true), SUPERVISOR, claimReview('a'));
  });
  it('begins nothing where something is missing that the task needs', () => {
    refuses('has-needs', on(needing(ready('a')), false), SUPERVISOR, reserve);
    refuses('has-needs', on(needing(reserved()), false), SUPERVISOR, claim);
    refuses('has-needs', on(needing(underReview()), false), SUPERVISOR, claimReview('a'));
  });
});

describe('when it is over', () => {
  function over(): World {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addDraft('b'));
    toMerged(w, 'a');
    w.edit((state) => ({ ...state, goal: { ...state.goal, status: 'COMPLETED' } }));
    return w;
  }
  it('a completed goal takes no task on', () => refuses('goal-open', over(), PLANNER, finalize('b')));
  it('nor another sprint', () => refuses('goal-open', over(), HUMAN, { name: 'sprint start' }));
  it('an aborted goal is not completed, be everything merged', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toMerged(w, 'a');
    w.edit((state) => ({ ...state, goal: { ...state.goal, status: 'ABORTED' } }));
    refuses('not-aborted', w, PLANNER, { name: 'goal complete' });
  });
  it('what nobody knows is not resumed', () =>
    refuses('live-task', over(), HUMAN, { name: 'resume', task: 'nowhere' }));
});

describe('resume', () => {
  const halted = (): World => {
    const w = world();
    w.run(HUMAN, { name: 'checkpoint', reason: 'look' });
    return w;
  };
  it('knows four decisions', () => refuses('decision', halted(), HUMAN, { name: 'resume', decision: 'maybe' }));
  it('decides about the board, not a task', () => {
    const w = ready('a');
    w.run(HUMAN, { name: 'pause', task: 'a' });
    refuses('decision', w, HUMAN, { name: 'resume', task: 'a', decision: 'continue' });
  });
  it('replans for a reason', () => refuses('note', halted(), HUMAN, { name: 'resume', decision: 'replan' }));
});

it('unblock: a changed definition passes the gates of add-task', () => {
  const w = claimed();
  w.run(CODER, block('a'));
  refuses('priority', w, PLANNER, unblock('a', { changes: { priority: 9 } }));
});

describe('what a second guard would let pass', () => {
  it('a task that is to be ready at once passes the gates', () => {
    const w = world();
    const command = { ...addReady('a'), facts: { spec_exists: false } } as Command;
    expect(w.refused(PLANNER, command).message).toContain('specs/retry.md');
    expect(w.state.tasks).toEqual([]);
  });
  it('an anomaly has the details of its type', () =>
    refuses('details', claimed(), CODER, { name: 'anomaly', type: 'retry_loop', task: 'a', details: {} }));
  it('only anomalies on the board are dealt with', () =>
    refuses('anomalies', world(), PLANNER, { name: 'anomaly processed', anomalies: ['nowhere'] }));
  it('a checkpoint is not over while its file is there', () => {
    const w = world();
    w.run(HUMAN, { name: 'checkpoint', reason: 'look' });
    refuses('file-gone', w, SUPERVISOR, { name: 'checkpoint-over' });
  });
});
