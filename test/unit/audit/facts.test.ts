// Each fact of an audit, with a witness made by hand: what bears it out, and what contradicts it.

import { describe, expect, it } from 'vitest';
import type { Fact, Told, Witness } from '../../../src/audit/rules/facts.ts';
import { auditGoal } from '../../../src/audit/rules/goal.ts';
import { unconfined, unsupervised } from '../../../src/audit/rules/sessions.ts';
import { auditTask } from '../../../src/audit/rules/task.ts';
import type { Goal, HistoryEvent, Task } from '../../../src/protocol/state.ts';
import { commit, world } from '../protocol/world.ts';

const [BASE, WORK, MERGED, OTHER] = [1, 2, 3, 4].map((n) => commit(n)) as [string, string, string, string];
const TREE = 'f'.repeat(40);
const at = (second: number) => `2026-03-01T09:00:0${second}Z`;

const HISTORY: readonly HistoryEvent[] = [
  { time: at(0), event: 'created', agent: 'planner-1' },
  { time: at(1), event: 'claimed', agent: 'coder-1', epoch: 1, iteration: 1, base_commit: BASE, start_commit: BASE },
  { time: at(2), event: 'pre_execution_checkpoint', agent: 'coder-1', head: BASE, iteration: 1 },
  { time: at(3), event: 'submitted', agent: 'coder-1', commit: WORK, pin: 1 },
  { time: at(4), event: 'approved', agent: 'code-reviewer-1', commit: WORK },
  { time: at(5), event: 'merged', agent: 'code-reviewer-1', merge_commit: MERGED, onto: OTHER, commit: WORK },
];
const COMMANDS = ['add-task', 'claim-task', 'begin', 'submit-for-review', 'submit-verdict', 'merge'];

const TASK = {
  ...{ id: 'a', status: 'MERGED', priority: 3, base_commit: BASE, merge_commit: MERGED, history: HISTORY },
  usage: { sessions: 0, seconds: 1, input_tokens: 5, output_tokens: 6 },
} as unknown as Task;

const entries: readonly Told[] = HISTORY.map(({ time, event, agent }, n) => ({
  ...{ seq: n + 1, time, actor: agent ?? 'human', command: COMMANDS[n] ?? '', task: 'a', detail: event },
  ...{ records: ['tasks/a'], added: `${time} ${event}` },
}));

const WITNESS: Witness = {
  state: world().state,
  tasks: [TASK],
  entries,
  broken: [],
  copy: 'equal',
  evidence: new Map(),
  namedFrom: 1,
  imported: false,
  differing: new Map(),
  commits: new Map([
    [BASE, { parents: [], tree: TREE }],
    [WORK, { parents: [BASE], tree: TREE }],
    [OTHER, { parents: [BASE], tree: TREE }],
    [MERGED, { parents: [OTHER, WORK], tree: TREE }],
  ]),
  refs: new Map([['refs/liza/review/a/1', WORK]]),
  line: [MERGED, OTHER, BASE],
  builds: new Set([`${BASE}..${WORK}`]),
  names: new Map(),
  mergedTrees: new Map([[`${OTHER} ${WORK}`, TREE]]),
};

const against = (facts: readonly Fact[]) =>
  facts.filter(({ mark }) => mark === 'contradicted').map(({ what, why }) => `${what}: ${why}`);
const audited = (witness: Partial<Witness> = {}, task: Partial<Task> = {}) =>
  against(auditTask({ ...TASK, ...task }, { ...WITNESS, ...witness }));
/** One event of the history changed, and the journal with it: a forger who is thorough. */
const changed = (event: string, change: object): Partial<Task> => ({
  history: HISTORY.map((one) => (one.event === event ? { ...one, ...change } : one)) as Task['history'],
});

describe('a task', () => {
  it('with everything in order contradicts nothing', () => expect(audited()).toEqual([]));

  it('tells which files a verdict names that the change does not touch', () => {
    const told = (event: object): readonly string[] =>
      auditTask({ ...TASK, ...changed('approved', event) }, WITNESS)
        .filter(({ mark, what }) => mark === 'unverifiable' && what.startsWith('flagged'))
        .map(({ what }) => what);
    expect(told({})).toEqual([]);
    expect(told({ event: 'rejected', outside_diff: ['a b.md'] })).toEqual([
      'flagged: the change does not touch "a b.md", which blockers name',
    ]);
    expect(told({ concerns: [{ file: 'x.ts', line: 1, text: 'odd', outside: true }, { text: 'fine' }] })).toEqual([
      'flagged: the change does not touch x.ts, which a concern names',
    ]);
  });

  it('lists each criterion with what shows it; what nothing can check is unverifiable, a run that was not is contradicted', () => {
    const shown = [
      { n: 1, criterion: 'it retries', by: 'test', what: 'test/a.ts › retries' },
      { n: 2, criterion: 'it is red', by: 'seen', what: 'the page is red' },
      { n: 3, criterion: 'it is fast', by: 'nothing' },
      { n: 4, criterion: 'all pass', by: 'ran', what: 'npm test' },
    ];
    const facts = auditTask({ ...TASK, ...changed('approved', { shown }) }, WITNESS).filter(({ what }) =>
      what.startsWith('criterion'),
    );
    expect(facts.map(({ what, mark }) => [what, mark])).toEqual([
      ['criterion 1 (it retries) → test test/a.ts › retries', 'verified'],
      ['criterion 2 (it is red) → FLAGGED, only seen: the page is red', 'unverifiable'],
      ['criterion 3 (it is fast) → NOT SHOWN: the approval names no evidence for it', 'unverifiable'],
      ['criterion 4 (all pass) → ran npm test', 'contradicted'],
    ]);
  });

  it.each<[string, Partial<Witness>, Partial<Task>, string]>([
    [
      'the reviewer coded it',
      {},
      changed('claimed', { agent: 'code-reviewer-1' }),
      'never coded the task: code-reviewer-1 did',
    ],
    [
      'the verdict is on another commit',
      {},
      changed('approved', { commit: OTHER }),
      'the verdict is on what was submitted: it names',
    ],
    [
      'another commit was merged',
      {},
      changed('merged', { commit: OTHER }),
      'what was merged is what was approved: merged was',
    ],
    ['nobody approved', {}, changed('approved', { event: 'noted' }), 'no approval is recorded before the merge'],
    [
      'the checkpoint came late',
      {},
      changed('pre_execution_checkpoint', { head: WORK }),
      'the checkpoint came before the code: HEAD was',
    ],
    ['the work is not from the base', { builds: new Set() }, {}, 'builds on the base: it does not descend'],
    [
      'a commit is gone',
      { commits: new Map([...WITNESS.commits].filter(([id]) => id !== WORK)) },
      {},
      'git has no such commit',
    ],
    ['the pin is gone', { refs: new Map() }, {}, 'refs/liza/review/a/1: the ref is gone'],
    [
      'other parents',
      { commits: new Map(WITNESS.commits).set(MERGED, { parents: [BASE, WORK], tree: TREE }) },
      {},
      'its parents are',
    ],
    ['other files', { mergedTrees: new Map([[`${OTHER} ${WORK}`, BASE]]) }, {}, 'merging again gives tree'],
    ['not on the branch', { line: [OTHER, BASE] }, {}, 'is on the integration branch: it is not on its line'],
    ['no entry', { entries: entries.slice(0, 4) }, {}, 'the journal has no entry that made it'],
    [
      'somebody else’s entry',
      { entries: entries.map((one) => ({ ...one, actor: 'coder-9' })) },
      {},
      'says it was coder-9',
    ],
    [
      'the record differs',
      { differing: new Map([['tasks/a', 'edited: status']]) },
      {},
      'the record of a (MERGED): edited',
    ],
    [
      'more sessions than entries',
      {},
      { usage: { sessions: 3, seconds: 1, input_tokens: 1, output_tokens: 1 } },
      '3 sessions on it: the journal has 0',
    ],
    ['two merge commits', {}, { merge_commit: OTHER }, 'the merge commit of the record'],
  ])('%s', (_name, witness, task, said) => {
    expect(audited(witness, task).join('\n')).toContain(said);
  });

  it('tells what Liza ran itself, from the submission', () => {
    const run = { command: 'npm test', ok: true, how: '', seconds: 3, log: '' };
    const proof = { commit: WORK, commands: ['npm test'], runs: [run], seconds: 3 };
    const told = (given: object) =>
      auditTask({ ...TASK, ...changed('submitted', { proof: given }) }, WITNESS).filter(({ what }) =>
        what.startsWith('Liza ran'),
      );
    expect(told(proof)).toMatchObject([{ mark: 'verified', why: expect.stringContaining('npm test') }]);
    expect(told({ ...proof, runs: [{ ...run, ok: false }] })).toMatchObject([{ mark: 'contradicted' }]);
    expect(told({ ...proof, commit: OTHER })).toMatchObject([{ mark: 'unverifiable' }]);
  });

  it('doubts a step under an agent’s id that no supervisor is behind', () => {
    const submitted = (change: Partial<Told>, witness: Partial<Witness> = {}) =>
      auditTask(TASK, {
        ...WITNESS,
        entries: entries.map((one) => ({ ...one, session: 'supervisor', ...(one.seq === 4 ? change : {}) })),
        ...witness,
      }).find(({ what }) => what.startsWith('submitted'));
    expect(submitted({ session: 'a1b2c3d4e5f6' })).toMatchObject({
      mark: 'verified',
      why: expect.stringContaining('session a1b2c3d4e5f6'),
    });
    const by = auditTask(TASK, WITNESS).find(({ what }) => what.startsWith('submitted'));
    expect(by).toMatchObject({
      mark: 'unverifiable',
      why: expect.stringMatching(/entry 4: .*; no session of a supervisor is recorded for this step$/),
    });
    expect(unsupervised(auditTask(TASK, WITNESS))).toBe(6);
    expect(submitted({ session: 'shell' })).toMatchObject({ mark: 'unverifiable', why: by?.why });
    // Of what an older edition wrote nobody can tell.
    const older = auditTask(TASK, { ...WITNESS, namedFrom: 6 });
    const told = older.find(({ what }) => what.startsWith('submitted'));
    expect(told).toMatchObject({ mark: 'unverifiable', why: expect.stringContaining('it was recorded before') });
    expect(unsupervised(older)).toBe(1);
    expect(unsupervised(auditTask(TASK, { ...WITNESS, namedFrom: Number.POSITIVE_INFINITY }))).toBe(0);
  });

  it('tells of a planner’s sessions as of a coder’s: one without a sandbox counts', () => {
    const session = { id: 'a1b2c3d4e5f6', agent: 'planner-1', provider: 'claude', since: at(1), ended: at(3) };
    const end: Told = {
      ...{ seq: 7, time: at(3), actor: 'planner-1', command: 'session-end', detail: '', records: [] },
      added: `${session.id} ${at(3)} off`,
    };
    const goal = { ...WITNESS.state.goal, sessions: [{ ...session, sandbox: 'off' }] } as Goal;
    const facts = auditGoal({ ...WITNESS, state: { ...WITNESS.state, goal }, entries: [...entries, end] });
    expect(unconfined(facts)).toBe(1);
    expect(facts.find((fact) => fact.unconfined)).toMatchObject({ what: expect.stringContaining('of planner-1') });
  });

  it('tells of each session who, by which CLI, and whether it was confined', () => {
    const session = { id: 'a1b2c3d4e5f6', agent: 'coder-1', provider: 'claude', since: at(1), ended: at(3) };
    const end = (seq: number, added: string, change: Partial<Told> = {}): Told => ({
      ...{ seq, time: at(3), actor: 'coder-1', command: 'session-end', task: 'a', detail: '', records: [], added },
      ...change,
    });
    const told = (sandbox: string, entry: readonly Told[]) =>
      auditTask(
        { ...TASK, usage: { ...TASK.usage, sessions: entry.length }, sessions: [{ ...session, sandbox }] } as Task,
        { ...WITNESS, entries: [...entries, ...entry] },
      ).filter(({ what }) => /^(a )?session /.test(what));
    const mine = (sandbox: string) => end(7, `${session.id} ${at(3)} ${sandbox}`);
    expect(told('bubblewrap', [mine('bubblewrap')])).toEqual([
      {
        mark: 'verified',
        what: `session a1b2c3d4e5f6 of coder-1 (claude) since ${at(1)}, confined (bubblewrap)`,
        ...{ why: 'journal entry 7', time: at(3) },
      },
    ]);
    expect(told('off', [mine('off')])).toMatchObject([
      { mark: 'verified', what: expect.stringMatching(/, not confined$/), unconfined: true },
    ]);
    // Its supervisor was killed, and another one has recorded it.
    const left = (agent: string): Told => ({
      ...{ ...mine('off'), actor: 'supervisor', session: 'supervisor' },
      records: ['tasks/a', 'agents', `agents/${agent}`],
    });
    expect(told('off', [left('coder-1')])).toMatchObject([{ mark: 'verified' }]);
    expect(told('off', [left('coder-2')])).toMatchObject([{ mark: 'contradicted' }]);
    // The record was made nicer than what the journal has.
    expect(told('bubblewrap', [mine('off')])).toMatchObject([{ mark: 'contradicted' }]);
    expect(told('off', [mine('off'), end(8, 'usage')])).toMatchObject([
      { mark: 'verified' },
      { mark: 'unverifiable', why: 'journal entry 8; whether it was confined is unknown' },
    ]);
  });

  it('of an imported board, or under a broken journal, claims what it cannot know for unverifiable', () => {
    const marks = (witness: Partial<Witness>) =>
      auditTask(TASK, { ...WITNESS, entries: [], ...witness })
        .filter(({ what }) => what.startsWith('created'))
        .map(({ mark }) => mark);
    expect(marks({ imported: true })).toEqual(['unverifiable']);
    expect(marks({ broken: ['line 3'] })).toEqual(['unverifiable']);
  });
});

describe('the goal', () => {
  const { state } = WITNESS;
  const goal = (witness: Partial<Witness>) =>
    against(
      auditGoal({ ...WITNESS, state: { ...state, goal: { ...state.goal, integration_head: MERGED } }, ...witness }),
    );

  it('with everything in order contradicts nothing', () => expect(goal({})).toEqual([]));

  it.each<[string, Partial<Witness>, string]>([
    ['a broken chain', { broken: ['line 3 does not follow'] }, 'the journal’s chain: line 3'],
    ['entries cut off', { copy: 'longer' }, 'entries were cut off from the journal'],
    ['an edited log', { log: { entry: 4, behind: false } }, 'does not show entry 4 as the journal has it'],
    [
      'a record of nobody’s',
      { log: { foreign: 'line 9: - x' } },
      'it has entries that the journal does not, line 9: - x',
    ],
    ['an edited board', { differing: new Map([['config', 'edited: sandbox']]) }, 'the board: config: edited'],
    ['a stranger on top', { line: [WORK, MERGED, OTHER, BASE] }, 'no task accounts for it'],
    [
      'a stranger in between',
      { tasks: [TASK, second()], line: [commit(7), commit(6), MERGED, OTHER, BASE] },
      `${commit(6).slice(0, 12)} on the integration branch: no task`,
    ],
    ['a lost merge', { line: [OTHER, BASE] }, 'the merge of a'],
    ['no branch', { line: [] }, 'it is gone'],
  ])('%s', (_name, witness, said) => expect(goal(witness).join('\n')).toContain(said));

  it('a stranger whom an agent calls accepted is held against the board', () => {
    const told = { timestamp: at(6), event: 'integration_accepted', summary: `now at ${WORK}`, by: 'planner-1' };
    const forged = { ...state, goal: { ...state.goal, alignment_history: [told] } };
    const facts = auditGoal({ ...WITNESS, state: forged, line: [WORK, MERGED, OTHER, BASE] });
    expect(against(facts).join()).toContain('no task accounts for it');
  });

  it('a stranger whom a person accepted is told, and not held against anybody', () => {
    const alignment_history = [
      { timestamp: at(6), event: 'integration_accepted', summary: `now at ${WORK}`, by: 'human' },
    ];
    const accepted = { ...state, goal: { ...state.goal, integration_head: WORK, alignment_history } };
    const facts = auditGoal({ ...WITNESS, state: accepted, line: [WORK, MERGED, OTHER, BASE] });
    expect(against(facts)).toEqual([]);
    expect(facts.filter(({ mark }) => mark === 'unverifiable')).toHaveLength(1);
  });
});

/** Merged from where it says, past a commit that is nobody's. */
function second(): Task {
  const merged = { time: at(7), event: 'merged', merge_commit: commit(7), onto: commit(6), commit: commit(7) };
  return { ...TASK, id: 'b', merge_commit: commit(7), history: [merged] } as unknown as Task;
}
