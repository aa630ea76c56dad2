// One test per rule about the text of a task's spec: kept at finalize, and its changes recorded by the machine.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addDraft,
  addReady,
  block,
  CODER,
  claim,
  definition,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  SUPERVISOR,
  type World,
  world,
} from './world.ts';

const [FIRST, SECOND, THIRD] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
const facts = (hash: string) => ({ spec_exists: true, spec_hash: hash });
const changed = (hash: string, more: object = {}): Command =>
  ({ name: 'spec-changed', task: 'a', spec_hash: hash, added: 2, removed: 1, ...more }) as Command;

function finalized(): World {
  const w = world();
  w.run(PLANNER, { name: 'add-task', definition: definition('a'), ready: true, facts: facts(FIRST) });
  return w;
}

describe('the text of the spec', () => {
  it('is known from finalize on, and from add-task --ready', () => {
    expect(finalized().task('a')).toMatchObject({ spec_hash: FIRST });
    const w = world();
    w.run(PLANNER, addDraft('a'));
    expect(w.task('a')).not.toHaveProperty('spec_hash');
    w.run(PLANNER, { name: 'finalize', task: 'a', facts: facts(SECOND) });
    expect(w.task('a')).toMatchObject({ spec_hash: SECOND });
  });

  it('is another one when the task follows another spec, and stays when anything else is amended', () => {
    const w = finalized();
    w.run(SUPERVISOR, changed(SECOND));
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { done_when: 'the other test passes' }, facts: facts(SECOND) });
    expect(w.task('a')).toMatchObject({ spec_hash: FIRST, spec_seen: SECOND });
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { spec_ref: 'specs/other.md' }, facts: facts(THIRD) });
    expect(w.task('a')).toMatchObject({ spec_hash: THIRD });
    expect(w.task('a')).not.toHaveProperty('spec_seen');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, block('a'));
    const changes = { spec_ref: 'specs/third.md' };
    w.run(PLANNER, { name: 'unblock', task: 'a', changes, facts: facts(FIRST) });
    expect(w.task('a')).toMatchObject({ spec_hash: FIRST });
  });
});

describe('spec-changed', () => {
  it('is recorded in the task’s history and in spec_changes, once for each text', () => {
    const w = finalized();
    w.run(SUPERVISOR, changed(SECOND));
    expect(w.task('a')).toMatchObject({ spec_hash: FIRST, spec_seen: SECOND });
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'spec_changed', before: FIRST, hash: SECOND });
    expect(w.state.spec_changes).toEqual([
      expect.objectContaining({ hash: SECOND, change: 'noticed by Liza: 2 lines added, 1 removed' }),
    ]);
    expect(w.run(SUPERVISOR, changed(SECOND)).already).toBe(true);
    expect(w.state.spec_changes).toHaveLength(1);
  });

  it('has one entry for two tasks of the same section', () => {
    const w = finalized();
    w.run(PLANNER, { name: 'add-task', definition: definition('b'), ready: true, facts: facts(FIRST) });
    w.run(SUPERVISOR, changed(SECOND));
    w.run(SUPERVISOR, changed(SECOND, { task: 'b' }));
    expect(w.state.spec_changes).toHaveLength(1);
    expect(w.task('b').history?.at(-1)).toMatchObject({ event: 'spec_changed' });
  });

  it('says when the heading is gone', () => {
    const w = finalized();
    w.run(SUPERVISOR, changed(SECOND, { heading_gone: true }));
    expect(w.state.spec_changes[0]?.change).toBe('noticed by Liza: the heading that the anchor names is gone');
  });

  it('back to the first text: recorded, and nothing differs any more', () => {
    const w = finalized();
    w.run(SUPERVISOR, changed(SECOND));
    w.run(SUPERVISOR, changed(FIRST));
    expect(w.task('a')).not.toHaveProperty('spec_seen');
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'spec_changed', before: SECOND, hash: FIRST });
  });

  it('is refused where nobody knows how the spec read before, and for what is no hash', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    expect(w.refused(SUPERVISOR, changed(SECOND))).toMatchObject(refusedBy('spec-known'));
    expect(finalized().refused(SUPERVISOR, changed('specs/a.md'))).toMatchObject(refusedBy('value'));
  });
});

describe('a coder that blocks has not failed', () => {
  const coding = (): World => {
    const w = finalized();
    w.run(SUPERVISOR, claim('a'));
    return w;
  };

  it('when the spec changed under way', () => {
    const w = coding();
    w.run(SUPERVISOR, changed(SECOND));
    w.run(CODER, block('a'));
    expect(w.task('a')).not.toHaveProperty('failed_by');
    expect(w.task('a')).not.toHaveProperty('failures_current');
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'blocked', excused: 'its spec changed under way' });
  });

  it('but has when it had changed before the iteration', () => {
    const w = finalized();
    w.run(SUPERVISOR, changed(SECOND));
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, block('a'));
    expect(w.task('a')).toMatchObject({ failed_by: ['coder-1'], failures_current: ['coder-1'] });
  });

  it('nor is it excused from doing nothing at all', () => {
    const w = coding();
    w.run(SUPERVISOR, changed(SECOND));
    w.run(SUPERVISOR, { name: 'limit', task: 'a', limit: 'spin' });
    expect(w.task('a')).toMatchObject({ failed_by: ['coder-1'] });
  });

  it('when its definition changed while the iteration went on', () => {
    const w = coding();
    w.run(HUMAN, { name: 'config set', key: 'budgets.task.usd', value: 1 });
    const used = { seconds: 60, input_tokens: 10, output_tokens: 5, cost_usd: 1.25 };
    w.run(SUPERVISOR, { name: 'session-end', agent: 'coder-1', task: 'a', provider: 'p', how: 'exit 0', used });
    w.run(SUPERVISOR, { name: 'limit', task: 'a', limit: 'budget' });
    w.run(HUMAN, { name: 'config set', key: 'budgets.tasks.a.usd', value: 9 });
    const changes = { done_when: 'nobody can do this' };
    w.run(HUMAN, { name: 'unblock', task: 'a', changes, facts: facts(FIRST) });
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, block('a'));
    expect(w.task('a').history?.at(-1)).toMatchObject({ excused: 'its definition changed under way' });
    expect(w.task('a')).not.toHaveProperty('failed_by');
  });

  it.each([
    [{ cannot_run: true }, 'its validation could not be run'],
    [{ hangs_on_base: true }, 'its validation does not end on the base either'],
  ] as const)('when Liza found %j', (found, excused) => {
    const w = coding();
    const commit = '1'.repeat(40);
    const disproof = { guard: 'validation', reason: 'it is red', hint: 'mend it', ...found } as const;
    const proof = { commit, commands: ['npm test'], runs: [], seconds: 1, disproof };
    w.run(CODER, { name: 'record-validation', task: 'a', proof });
    w.run(CODER, block('a'));
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'blocked', excused });
    expect(w.task('a')).not.toHaveProperty('failed_by');
  });
});

describe('after two coders failed', () => {
  const exhausted = (): World => {
    const w = finalized();
    for (const actor of [CODER, OTHER_CODER]) {
      w.run(SUPERVISOR, claim('a', actor.id));
      w.run(actor, block('a'));
      if (actor === CODER)
        w.run(PLANNER, { name: 'unblock', task: 'a', withdraw: 'the spec says it now', facts: facts(FIRST) });
    }
    return w;
  };
  const unblock = (hash: string): Command => ({
    name: 'unblock',
    task: 'a',
    withdraw: 'the spec says it now',
    facts: facts(hash),
  });

  it('another text of the spec is a change of the definition; the same one is none', () => {
    const w = exhausted();
    expect(w.refused(PLANNER, unblock(FIRST))).toMatchObject(refusedBy('definition-changed'));
    w.run(PLANNER, unblock(SECOND));
    expect(w.task('a').failures_current).toEqual([]);
  });

  it('also when the machine has noticed it already; a change from before they failed counts no more', () => {
    const noticed = exhausted();
    noticed.run(SUPERVISOR, changed(SECOND));
    noticed.run(PLANNER, unblock(SECOND));
    const before = finalized();
    before.run(SUPERVISOR, changed(SECOND));
    for (const actor of [CODER, OTHER_CODER]) {
      before.run(SUPERVISOR, claim('a', actor.id));
      before.run(actor, block('a'));
      if (actor === CODER) before.run(PLANNER, unblock(SECOND));
    }
    expect(before.refused(PLANNER, unblock(SECOND))).toMatchObject(refusedBy('definition-changed'));
  });
});

describe('spec-file-changed', () => {
  const seen = (hash: string): Command => ({
    name: 'spec-file-changed',
    spec: 'specs/a.md',
    hash,
    added: 1,
    removed: 0,
  });

  it('the first text is only remembered; each later one is an entry with what it was before', () => {
    const w = finalized();
    w.run(SUPERVISOR, seen(FIRST));
    expect(w.state.spec_changes).toEqual([]);
    w.run(SUPERVISOR, seen(SECOND));
    expect(w.run(SUPERVISOR, seen(SECOND)).already).toBe(true);
    expect(w.state.spec_changes).toMatchObject([{ spec: 'specs/a.md', hash: SECOND, before: FIRST }]);
    expect(w.state.goal.specs_seen).toEqual([{ spec: 'specs/a.md', hash: SECOND }]);
  });

  it('names a SHA-256', () => expect(finalized().refused(SUPERVISOR, seen('abc')).guard).toBe('value'));

  it('finalize remembers the file of a task once, as its planner read it', () => {
    const w = world();
    const facts = (hash: string) => ({ spec_exists: true, file: { spec: 'specs/retry.md', hash } });
    w.run(PLANNER, { name: 'add-task', definition: definition('a'), ready: true, facts: facts(FIRST) });
    w.run(PLANNER, { name: 'add-task', definition: definition('b'), ready: true, facts: facts(SECOND) });
    expect(w.state.goal.specs_seen).toEqual([{ spec: 'specs/retry.md', hash: FIRST }]);
  });
});
