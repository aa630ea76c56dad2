// What is recorded of a validation that Liza tried on the base, when a trial is due, and what follows from one whose
// command cannot be run: the planner is asked first, as long as there is one.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { newsSince, toldWith } from '../../../src/protocol/messages/news.ts';
import { dueTrials } from '../../../src/protocol/review/due-trials.ts';
import { greenAt } from '../../../src/protocol/review/proof.ts';
import { type TrialResult, trialOf } from '../../../src/protocol/review/trial.ts';
import { nextDuty } from '../../../src/supervisor/rules/next-duty.ts';
import { openWakes, toldWakes } from '../../../src/supervisor/rules/wakes.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addDraft,
  addReady,
  CODER,
  claim,
  commit,
  HUMAN,
  PLANNER,
  SPEC,
  SUPERVISOR,
  toMerged,
  type World,
  world,
} from './world.ts';

const VALIDATION = ['npm run lint', 'npm test'];
const BASE = commit(0xba5e);
const RULES = { under: 'u', head: BASE };

const trial = (results: readonly TrialResult[], more: object = {}): Command =>
  ({
    name: 'record-trial',
    task: 'a',
    commit: BASE,
    commands: VALIDATION,
    under: 'u',
    runs: results.map((is, at) => ({ command: VALIDATION[at], is, how: 'ended', seconds: 1, output: `of ${is}` })),
    ...more,
  }) as Command;

function ready(): World {
  const w = world();
  w.run(PLANNER, addReady('a', { validation: VALIDATION }));
  return w;
}

const events = (w: World) => (w.task('a').history ?? []).filter(({ event }) => event === 'validation_tried');
const due = (w: World, rules: object = {}) =>
  dueTrials(w.board, { ...RULES, ...rules }).map(({ task, base }) => [task.id, base]);

describe('record-trial', () => {
  it('records each command with its outcome, once for the same outcome', () => {
    const w = ready();
    w.run(SUPERVISOR, trial(['green', 'red']));
    expect(events(w)).toMatchObject([{ commit: BASE, runs: [{ is: 'green' }, { is: 'red', output: 'of red' }] }]);
    w.run(SUPERVISOR, trial(['green', 'red'], { commit: commit(2) }));
    expect(events(w)).toHaveLength(1);
    w.run(SUPERVISOR, trial(['green', 'green'], { commit: commit(2) }));
    expect(events(w)).toHaveLength(2);
  });

  it('refuses nothing: a task that is green on the base, or cannot run there, is claimed as ever', () => {
    for (const is of ['green', 'cannot_run'] as const) {
      const w = ready();
      w.run(SUPERVISOR, trial([is, is]));
      w.run(SUPERVISOR, claim('a'));
      expect(w.task('a').status).toBe('CLAIMED');
    }
  });

  it('is refused without a whole commit', () =>
    expect(ready().refused(SUPERVISOR, trial(['green', 'green'], { commit: 'abc' }))).toMatchObject(
      refusedBy('commit'),
    ));

  it('is refused for commands that the task has no more', () => {
    const w = ready();
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { validation: ['make check'] }, facts: SPEC });
    expect(w.refused(SUPERVISOR, trial(['green', 'red']))).toMatchObject(refusedBy('what-changed'));
  });

  it('counts as a run at that commit, so that the proof of a submission does not repeat what was green', () => {
    const w = ready();
    w.run(SUPERVISOR, trial(['green', 'red']));
    expect([...greenAt(w.board.state, BASE)]).toEqual(['npm run lint']);
    expect([...greenAt(w.board.state, commit(1))]).toEqual([]);
  });
});

describe('a trial is due', () => {
  it('once the dependencies are merged, on the head of integration', () => {
    const w = world();
    w.run(PLANNER, addReady('first'));
    w.run(PLANNER, addReady('a', { validation: VALIDATION, depends_on: ['first'] }));
    expect(due(w)).toEqual([]);
    toMerged(w, 'first');
    expect(due(w)).toEqual([['a', BASE]]);
  });

  it('for a claimed task on its own base, before those that nobody has begun', () => {
    const w = world();
    w.run(PLANNER, addReady('urgent', { validation: ['make'], priority: 1 }));
    w.run(PLANNER, addReady('a', { validation: VALIDATION, priority: 5 }));
    w.run(SUPERVISOR, claim('a'));
    expect(due(w)).toEqual([
      ['a', w.task('a').base_commit],
      ['urgent', BASE],
    ]);
  });

  it('not for a draft, a task without commands of its own, a paused one, or while a switch is on', () => {
    const w = world();
    w.run(PLANNER, addDraft('draft', { validation: VALIDATION }));
    w.run(PLANNER, addReady('plain'));
    expect(due(w)).toEqual([]);
    w.run(PLANNER, addReady('a', { validation: VALIDATION }));
    expect(due(w)).toHaveLength(1);
    expect(dueTrials({ ...w.board, switches: { PAUSE: 1 } }, RULES)).toEqual([]);
    expect(dueTrials({ ...w.board, freeMb: 0 }, RULES)).toEqual([]);
    w.run(HUMAN, { name: 'pause', task: 'a' });
    expect(due(w)).toEqual([]);
  });

  it('once; again for amended commands and for other settings, and when integration moved for one that cannot run', () => {
    const w = ready();
    w.run(SUPERVISOR, trial(['green', 'red']));
    expect(due(w)).toEqual([]);
    expect(due(w, { head: commit(7) })).toEqual([]);
    expect(due(w, { under: 'other' })).toHaveLength(1);
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { validation: ['make check'] }, facts: SPEC });
    expect(trialOf(w.task('a'))).toBeUndefined();
    expect(due(w)).toHaveLength(1);
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { validation: VALIDATION }, facts: SPEC });
    w.run(SUPERVISOR, trial(['green', 'cannot_run']));
    expect(due(w)).toEqual([]);
    expect(due(w, { head: commit(7) })).toEqual([['a', commit(7)]]);
  });
});

describe('a command that cannot be run', () => {
  const coder = { agent: 'coder-1', role: 'coder', postponed: new Set<string>() } as const;
  const duty = (w: World, more: object = {}) => nextDuty(w.board, { ...coder, ...more }, w.now);
  const stuck = (): World => {
    const w = ready();
    w.run(PLANNER, { name: 'plan done' });
    w.run(SUPERVISOR, trial(['green', 'cannot_run']));
    return w;
  };
  const handled = (w: World): void =>
    w.edit((state) => ({
      ...state,
      agents: {
        ...state.agents,
        'planner-1': {
          ...state.agents['planner-1'],
          handled: openWakes(w.board, w.now).map(({ key }) => key),
        } as never,
      },
    }));

  it('wakes the planner, and the task goes to nobody before it has looked', () => {
    const w = stuck();
    expect(openWakes(w.board, w.now)).toMatchObject([{ trigger: 'VALIDATION_CANNOT_RUN', record: 'a' }]);
    expect(duty(w)).toMatchObject({ kind: 'nothing' });
    handled(w);
    expect(openWakes(w.board, w.now)).toEqual([]);
    expect(duty(w)).toMatchObject({ kind: 'code', task: { id: 'a' } });
  });

  it('goes to a coder at once where no planner lives, or the person named the task', () => {
    const w = stuck();
    expect(duty(w, { only: 'a' })).toMatchObject({ kind: 'code' });
    w.edit((state) => {
      const { 'planner-1': _gone, ...agents } = state.agents;
      return { ...state, agents };
    });
    expect(duty(w)).toMatchObject({ kind: 'code' });
  });

  it('a red or green one keeps nobody', () => {
    const w = ready();
    w.run(PLANNER, { name: 'plan done' });
    w.run(SUPERVISOR, trial(['green', 'red']));
    expect(openWakes(w.board, w.now)).toEqual([]);
    expect(duty(w)).toMatchObject({ kind: 'code' });
  });

  it('is told to a running planner as news, which counts as looked at', () => {
    const w = ready();
    w.run(PLANNER, { name: 'plan done' });
    const reader = { agent: 'planner-1', role: 'planner' } as const;
    const before = toldWith(w.board.state, reader);
    w.run(SUPERVISOR, trial(['green', 'cannot_run']));
    expect(newsSince(w.board.state, reader, before)).toMatchObject([
      { kind: 'trial', task: 'a', cannotRun: true, amends: true, text: expect.stringContaining('of cannot_run') },
    ]);
    const after = toldWith(w.board.state, reader);
    expect(newsSince(w.board.state, reader, after)).toEqual([]);
    expect(toldWakes(w.board, before, w.now)).toEqual([]);
    expect(toldWakes(w.board, after, w.now)).toMatchObject([{ record: 'a' }]);
  });

  it('of a task under way is told to its coder, once, and to the planner, running or not', () => {
    const w = ready();
    w.run(PLANNER, { name: 'plan done' });
    w.run(SUPERVISOR, claim('a'));
    const reader = { agent: CODER.id ?? '', role: 'coder', task: 'a' } as const;
    const before = toldWith(w.board.state, reader);
    w.run(SUPERVISOR, trial(['green', 'cannot_run']));
    expect(newsSince(w.board.state, reader, before)).toMatchObject([{ kind: 'trial', cannotRun: true }]);
    expect(newsSince(w.board.state, reader, before)[0]).not.toHaveProperty('amends');
    expect(newsSince(w.board.state, reader, before)).toMatchObject([{ text: expect.stringMatching(/^#1 green: /) }]);
    w.edit((state) => ({ ...state, config: { ...state.config, test_command: 'make check' } }));
    expect(newsSince(w.board.state, reader, before)).toMatchObject([
      { text: expect.stringMatching(/\n#3 not tried, the project’s own: make check$/) },
    ]);
    const told = toldWith(w.board.state, reader);
    expect(newsSince(w.board.state, reader, told)).toEqual([]);
    w.pass(60);
    w.run(SUPERVISOR, trial(['green', 'cannot_run'], { under: 'other settings' }));
    expect(newsSince(w.board.state, reader, told)).toEqual([]);
    expect(openWakes(w.board, w.now)).toMatchObject([{ trigger: 'VALIDATION_CANNOT_RUN', record: 'a' }]);
    const planner = { agent: 'planner-1', role: 'planner' } as const;
    expect(newsSince(w.board.state, planner, before)).toMatchObject([
      { kind: 'trial', task: 'a', amends: true, coder: CODER.id },
    ]);
    handled(w);
    expect(openWakes(w.board, w.now)).toEqual([]);
  });

  it('wakes nobody any more once the task was submitted, because there it was green', () => {
    const w = stuck();
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({ ...task, status: 'READY_FOR_REVIEW' as const })),
    }));
    expect(openWakes(w.board, w.now)).toEqual([]);
  });
});
