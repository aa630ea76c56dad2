// Every state × command × part, held against a matrix written down by hand.
// The code's own table is not looked at: where the two differ, one of them is wrong.

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import type { Command, CommandName } from '../../../src/protocol/command.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { TASK_STATUSES, type Task, type TaskStatus } from '../../../src/protocol/state.ts';
import {
  addDraft,
  addReady,
  approve,
  begin,
  block,
  CODER,
  claim,
  claimReview,
  commit,
  declare,
  definition,
  finalize,
  HUMAN,
  merged,
  mergeFailed,
  OTHER_CODER,
  OTHER_REVIEWER,
  PLANNER,
  REVIEWER,
  reject,
  reserveMerge,
  SPEC,
  SUPERVISOR,
  submit,
  toApproved,
  toClaimed,
  toMerged,
  toReady,
  toRejected,
  unblock,
  type World,
  world,
} from './world.ts';

/** One letter per part: who may. c and r hold the task or review, C and R do not. */
const PARTS: Readonly<Record<string, Actor>> = {
  h: HUMAN,
  s: SUPERVISOR,
  p: PLANNER,
  c: CODER,
  C: OTHER_CODER,
  r: REVIEWER,
  R: OTHER_REVIEWER,
};

const STATES =
  'DRAFT UNCLAIMED CLAIMED READY_FOR_REVIEW REJECTED APPROVED BLOCKED INTEGRATION_FAILED MERGED SUPERSEDED ABANDONED';

// Commands on a task. A dot: nobody. claim-task on CLAIMED: with its lease past. What is released or dropped
// is there in every state, so that only state and part decide.
const MATRIX = `
                   DRAFT UNCL CLAI READ REJE APPR BLOC INTE MERG SUPE ABAN
amend              hp    hp   .    .    .    .    hp   .    .    .    .
finalize           hp    .    .    .    .    .    .    .    .    .    .
reserve-claim      .     s    s    .    s    .    .    s    .    .    .
claim-task         .     s    s    .    s    .    .    s    .    .    .
release-reservation .    hs   hs   .    hs   .    .    hs   .    .    .
begin              .     .    c    .    .    .    .    .    .    .    .
declare            .     .    c    .    .    .    .    .    .    .    .
submit-for-review  .     .    c    .    .    .    .    .    .    .    .
retract            .     .    .    c    c    c    .    c    c    .    .
block              .     .    c    .    .    .    .    p    .    .    .
limit              .     .    s    .    .    .    .    .    .    .    .
handoff            .     .    c    r    .    .    .    .    .    .    .
release-claim      .     .    hs   .    .    .    .    .    .    .    .
renew-worktree     .     .    hs   .    .    .    .    .    .    .    .
drop-worktree      .     hsp  .    .    hsp  .    hsp  hsp  .    .    .
claim-review       .     .    .    s    .    .    .    .    .    .    .
submit-verdict     .     .    .    r    .    .    .    .    .    .    .
reserve-merge      .     .    .    .    .    hs   .    .    .    .    .
merge              .     .    .    .    .    hs   .    .    .    .    .
merge-failed       .     .    .    .    .    hs   .    .    .    .    .
release-merge      .     .    .    .    .    hs   .    .    .    .    .
hold-merge         .     .    .    .    .    hs   .    .    .    .    .
unblock            .     .    .    .    .    .    hp   .    .    .    .
supersede          .     .    .    .    .    .    hp   hp   .    .    .
abandon            hp    hp   .    .    hp   .    hp   .    .    .    .
replan             .     h    h    h    h    h    h    h    .    .    .
spec-changed       .     hs   hs   hs   hs   hs   hs   hs   .    .    .
record-trial       .     s    s    s    s    s    .    .    .    .    .
`;

// Commands that concern no single task's state.
const BOARD = `
add-task                   hp
plan-done                  hp
align                      hp
discovery-convert          hp
discovery-dismiss          hp
discovery-reopen           hp
goal-complete              hp
goal-edit                  h
sprint-start               h
sprint-deadline            h
retrospective              h
register                   s
ask                        hpcCrR
withdraw                   hc
answer                     hp
discover                   cCrR
anomaly                    hpcCrR
anomaly-processed          hp
long-heartbeat             c
exit                       pcCrR
session-start              s
session-end                s
context-used               s
trouble                    s
clear-stale-review-claims  hs
setup-failed               hscC
setup-works                hscC
integration-moved          hs
accept-integration         h
reserve-sync               h
sync                       hs
reserve-finish             h
finish                     hs
release-move               hs
note                       h
note-done                  hpc
handoff-plan               p
pause                      h
resume                     h
checkpoint                 hs
checkpoint-over            hs
abort                      h
analyze                    hs
resolve                    h
spec-change                h
spec-file-changed          hs
config-set                 h
metrics                    hs
archive                    h 
`;

const T = 'task-1';

/** The command as that trial gives it: everything right but, perhaps, state and part. */
const COMMANDS: Readonly<Record<string, (status: TaskStatus) => Command>> = {
  amend: () => ({ name: 'amend', task: T, changes: { done_when: 'the other client retries too' }, facts: SPEC }),
  finalize: () => finalize(T),
  'reserve-claim': (status) => ({ name: 'reserve-claim', task: T, agent: claimer(status) }),
  'claim-task': (status) => claim(T, claimer(status), { base_commit: commit(7) }),
  'release-reservation': () => ({ name: 'release-reservation', task: T }),
  begin: () => begin(T),
  declare: () => declare(T, 'lib/other.ts'),
  'submit-for-review': () => submit(T, commit(99)),
  retract: () => ({ name: 'retract', task: T, reason: 'the test proves nothing' }),
  block: () => block(T, 'another reason'),
  limit: () => ({ name: 'limit', task: T, limit: 'spin' }),
  handoff: () => ({ name: 'handoff', task: T, summary: 'half done', next_action: 'the rest' }),
  'release-claim': () => ({ name: 'release-claim', task: T }),
  'renew-worktree': () => ({ name: 'renew-worktree', task: T, worktree: `.worktrees/${T}`, base_commit: commit(7) }),
  'drop-worktree': () => ({ name: 'drop-worktree', task: T }),
  'claim-review': () => claimReview(T, 'code-reviewer-1'),
  'submit-verdict': () => reject(T),
  'reserve-merge': () => reserveMerge(T, commit(97)),
  merge: () => merged(T, commit(98)),
  'merge-failed': () => ({ ...mergeFailed(T), reason: 'red' }) as Command,
  'hold-merge': () => ({ name: 'hold-merge', task: T, reason: 'the checkout is dirty' }),
  'release-merge': () => ({ name: 'release-merge', task: T }),
  unblock: () => unblock(T),
  supersede: () => ({
    name: 'supersede',
    task: T,
    root_cause: 'too big',
    replacements: [],
    definitions: [definition('half')],
  }),
  abandon: () => ({ name: 'abandon', task: T, rationale: 'not wanted any more' }),
  replan: () => ({ name: 'replan', task: T }),
  'spec-changed': () => ({ name: 'spec-changed', task: T, spec_hash: 'b'.repeat(64) }),
  'record-trial': () => ({
    name: 'record-trial',
    task: T,
    commit: commit(9),
    commands: [],
    under: 'u',
    runs: [{ command: 'npm test', is: 'green', how: 'ended with 0', seconds: 1 }],
  }),
};

const claimer = (status: TaskStatus): string => (status === 'REJECTED' || status === 'CLAIMED' ? 'coder-1' : 'coder-2');

/** A world with task-1 in the state, as the command's trial needs it. */
function inState(status: TaskStatus, name: string): World {
  const w = world();
  w.run(HUMAN, status === 'DRAFT' ? addDraft(T) : addReady(T));
  switch (status) {
    case 'DRAFT':
    case 'UNCLAIMED':
      break;
    case 'CLAIMED':
      toClaimed(w, T);
      if (name !== 'begin') w.run(CODER, begin(T));
      if (name === 'claim-task' || name === 'reserve-claim') w.pass(301);
      break;
    case 'READY_FOR_REVIEW':
      toReady(w, T);
      if (name !== 'claim-review') w.run(SUPERVISOR, claimReview(T));
      break;
    case 'REJECTED':
      toRejected(w, T);
      break;
    case 'APPROVED':
      toApproved(w, T);
      if (name === 'merge') w.run(SUPERVISOR, reserveMerge(T, commit(98)));
      break;
    case 'BLOCKED':
      toClaimed(w, T);
      w.run(CODER, block(T));
      break;
    case 'INTEGRATION_FAILED':
      toApproved(w, T);
      w.run(SUPERVISOR, mergeFailed(T));
      break;
    case 'MERGED':
      toMerged(w, T);
      break;
    case 'SUPERSEDED':
      toClaimed(w, T);
      w.run(CODER, block(T));
      w.run(PLANNER, {
        name: 'supersede',
        task: T,
        root_cause: 'wrong',
        replacements: [],
        definitions: [definition('new')],
      });
      break;
    case 'ABANDONED':
      w.run(HUMAN, { name: 'abandon', task: T, rationale: 'no' });
      break;
    default:
      throw new Error(status satisfies never);
  }
  expect(w.task(T).status).toBe(status);
  const left = LEFT_OVER[name];
  if (left !== undefined) {
    w.edit((state) => ({ ...state, tasks: state.tasks.map((task) => (task.id === T ? { ...task, ...left } : task)) }));
  }
  // A rejected task's worktree waits for its coder as long as that one lives.
  if (name === 'drop-worktree') w.pass(301);
  return w;
}

const PAST = '2026-03-01T08:00:00Z';
const LEFT_OVER: Readonly<Record<string, Partial<Task>>> = {
  'release-reservation': { claiming: { by: 'coder-1', epoch: 1, expires: PAST } },
  'release-merge': { merging: { by: 'supervisor', candidate: commit(98), onto: commit(97), since: PAST } },
  'drop-worktree': { worktree: `.worktrees/${T}` },
  'spec-changed': { spec_hash: 'a'.repeat(64) },
};

const rows = MATRIX.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.trim().split(/\s+/));

describe('every state × command × part is allowed exactly as the matrix says', () => {
  it('the matrix names every status once and every command with a task', () => {
    expect(STATES.split(' ')).toEqual([...TASK_STATUSES]);
    expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
    for (const row of rows) expect(row).toHaveLength(12);
  });

  for (const [name = '', ...cells] of rows) {
    STATES.split(' ').forEach((text, column) => {
      const status = text as TaskStatus;
      it(`${name} on ${status}: ${cells[column]}`, () => {
        const w = inState(status, name);
        const allowed = Object.entries(PARTS).flatMap(([letter, actor]) => {
          const before = w.board;
          const make = COMMANDS[name];
          if (make === undefined) throw new Error(name);
          const decision = w.tell(actor, make(status));
          w.board = before;
          if (decision.ok) return decision.already === true ? [] : [letter];
          expect(decision.message).toMatch(/refused: /);
          expect(decision.hint.length).toBeGreaterThan(5);
          if (decision.guard === 'state') expect(decision.message).toContain(status);
          return [];
        });
        expect(allowed.join('')).toBe(cells[column] === '.' ? '' : cells[column]);
      });
    });
  }
});

/** A world in which each board command has something to do. */
function busy(name: string): World {
  const w = world({ archive_after: 0 });
  if (name === 'goal-complete' || name === 'archive') {
    w.run(HUMAN, addReady(T));
    toMerged(w, T);
  } else {
    w.run(HUMAN, addReady('other'));
    toClaimed(w, 'other');
  }
  if (name === 'sprint-start') w.edit((state) => ({ ...state, sprint: { ...state.sprint, status: 'COMPLETED' } }));
  if (name === 'setup-works')
    w.run(SUPERVISOR, { name: 'setup-failed', ...SETUP, reason: 'npm ci ended with 1', remedy: 'mend it' });
  if (name === 'resume') w.run(HUMAN, { name: 'pause' });
  if (name === 'resume') w.board = { ...w.board, switches: { PAUSE: w.now } };
  if (name === 'clear-stale-review-claims') {
    w.run(HUMAN, addReady('seen'));
    toReady(w, 'seen', 'coder-2');
    w.run(SUPERVISOR, claimReview('seen'));
    w.pass(601);
  }
  if (name === 'checkpoint-over') w.edit((state) => ({ ...state, sprint: { ...state.sprint, status: 'CHECKPOINT' } }));
  if (name === 'resolve') w.edit((state) => ({ ...state, circuit_breaker: { status: 'TRIGGERED' } }));
  w.edit((state) => ({
    ...state,
    anomalies: ['anomaly-8', 'anomaly-9'].map((id) => ({
      id,
      type: 'assumption_violated',
      details: { assumption: 'ids are unique', reality: 'they are not' },
    })),
    goal: { ...state.goal, integration_head: commit(98) },
    questions: [
      { id: 'q-8', asked_by: 'coder-1', text: 'How far?', assume: 'a mile', status: 'open' },
      { id: 'q-9', asked_by: 'coder-3', text: 'How long?', assume: 'a minute', status: 'open' },
    ],
    discovered: [
      { id: 'disc-9', by: 'coder-1', description: 'no timeout', severity: 'high' },
      { id: 'disc-8', by: 'coder-1', description: 'a typo', severity: 'low', dismissed_reason: 'known' },
    ],
    human_notes: [{ id: 'note-1', timestamp: '2026-03-01T09:00:00Z', message: 'mind the ids', for: 'other' }],
  }));
  if (name === 'sync' || name === 'release-move') w.run(HUMAN, { name: 'reserve-sync', ...MOVE });
  if (name === 'finish') w.run(HUMAN, { name: 'reserve-finish', ...MOVE });
  return w;
}

const SETUP = { part: 'proof', task: T, commit: commit(98), tree: commit(99) } as const;
const MOVE = { branch: 'main', commit: commit(98), candidate: commit(99), onto: commit(98) };

const BOARD_COMMANDS: Readonly<Record<string, Command>> = {
  'add-task': addDraft('fresh'),
  'plan-done': { name: 'plan done' },
  align: { name: 'align', summary: 'still on course' },
  'discovery-convert': { name: 'discovery convert', discovery: 'disc-9', to_task: 'other' },
  'discovery-dismiss': { name: 'discovery dismiss', discovery: 'disc-9', reason: 'known' },
  'discovery-reopen': { name: 'discovery reopen', discovery: 'disc-8', reason: 'it came back' },
  'goal-complete': { name: 'goal complete', carry_over: true },
  'goal-edit': { name: 'goal edit', description: 'Retry reads only' },
  'sprint-start': { name: 'sprint start' },
  'sprint-deadline': { name: 'sprint deadline', deadline: '2027-01-01T00:00:00Z' },
  retrospective: { name: 'retrospective', learned: 'smaller tasks' },
  register: { name: 'register', agent: 'coder-9', role: 'coder' },
  withdraw: { name: 'withdraw', question: 'q-8', reason: 'overtaken' },
  ask: { name: 'ask', text: 'How often?', assume: 'twice' },
  answer: { name: 'answer', about: 'q-9', text: 'twice', facts: SPEC },
  discover: { name: 'discover', description: 'a leak', severity: 'low' },
  anomaly: { name: 'anomaly', type: 'system_ambiguity', details: { protocol_section: '5', question: 'who?' } },
  'anomaly-processed': { name: 'anomaly processed', anomalies: ['anomaly-9'] },
  'long-heartbeat': { name: 'long-heartbeat', reason: 'full test suite' },
  exit: { name: 'exit', code: 42 },
  'session-start': { name: 'session-start', agent: 'coder-1' },
  'session-end': {
    name: 'session-end',
    agent: 'coder-1',
    provider: 'fake',
    how: 'exit 0',
    used: { seconds: 1, input_tokens: 1, output_tokens: 1 },
  },
  'context-used': { name: 'context-used', agent: 'coder-1', percent: 91 },
  trouble: { name: 'trouble', agent: 'coder-1', kind: 'quota', detail: 'limit reached' },
  'clear-stale-review-claims': { name: 'clear-stale-review-claims' },
  'setup-failed': { name: 'setup-failed', ...SETUP, reason: 'npm ci ended with 1', remedy: 'mend it' },
  'setup-works': { name: 'setup-works', ...SETUP },
  'integration-moved': { name: 'integration-moved', found: commit(99) },
  'accept-integration': { name: 'accept-integration', head: commit(99) },
  'reserve-sync': { name: 'reserve-sync', ...MOVE },
  sync: { name: 'sync', merge_commit: commit(99) },
  'reserve-finish': { name: 'reserve-finish', ...MOVE },
  finish: { name: 'finish', merge_commit: commit(99) },
  'release-move': { name: 'release-move' },
  note: { name: 'note', message: 'look at the client' },
  'note-done': { name: 'note done', notes: ['note-1'] },
  'handoff-plan': { name: 'handoff-plan', summary: 'half', next_action: 'the rest' },
  pause: { name: 'pause' },
  resume: { name: 'resume' },
  checkpoint: { name: 'checkpoint' },
  'checkpoint-over': { name: 'checkpoint-over' },
  abort: { name: 'abort' },
  analyze: { name: 'analyze' },
  resolve: { name: 'resolve', resolution: 'the spec is clear now' },
  'spec-file-changed': { name: 'spec-file-changed', spec: 'specs/retry.md', hash: 'c'.repeat(64) },
  'spec-change': { name: 'spec-change', spec: 'specs/retry.md', change: 'three tries' },
  'config-set': { name: 'config set', key: 'pause_grace', value: 60 },
  metrics: { name: 'metrics' },
  archive: { name: 'archive' },
};

describe('every board command × part is allowed exactly as the list says', () => {
  const lines = BOARD.trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

  it('names every command there is', () => {
    const spoken = [...lines.map(([name = '']) => name), ...rows.map(([name = '']) => name)];
    const all: readonly CommandName[] = [
      ...Object.values(BOARD_COMMANDS).map((command) => command.name),
      ...Object.values(COMMANDS).map((make) => make('CLAIMED').name),
    ];
    expect(spoken.toSorted()).toEqual(all.map((name) => name.replace(' ', '-')).toSorted());
  });

  for (const [name = '', who = ''] of lines) {
    it(`${name}: ${who}`, () => {
      const w = busy(name);
      const command = BOARD_COMMANDS[name];
      if (command === undefined) throw new Error(name);
      const allowed = Object.entries(PARTS).flatMap(([letter, actor]) => {
        const before = w.board;
        const decision = w.tell(actor, command);
        w.board = before;
        if (decision.ok && decision.already !== true) return [letter];
        // While PAUSE is on, an agent is refused for that; resume is a person's either way.
        if (!decision.ok)
          expect<readonly (RefusalName | undefined)[]>(['role', 'lease-lives', 'addressee', 'own-question']).toContain(
            decision.guard,
          );
        return [];
      });
      expect(allowed.join('')).toBe(who);
    });
  }
});

describe('an approval needs its holder, too', () => {
  it('approve is for the reviewer that holds the review, and no one else', () => {
    const w = inState('READY_FOR_REVIEW', 'submit-verdict');
    const allowed = Object.entries(PARTS).flatMap(([letter, actor]) => {
      const before = w.board;
      const decision = w.tell(actor, approve(T));
      w.board = before;
      return decision.ok ? [letter] : [];
    });
    expect(allowed).toEqual(['r']);
  });
});
