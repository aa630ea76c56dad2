// A task that somebody works on is amended only after an answer that came since its claim, or where its validation cannot
// be run or its heading is gone; the coder may plan again, and nothing of it counts against the coder.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { amendmentLines, occasionOf } from '../../../src/protocol/definition/amendment.ts';
import type { DefinitionChange } from '../../../src/protocol/definition/payloads.ts';
import { newsSince, toldWith } from '../../../src/protocol/messages/news.ts';
import {
  addDraft,
  addReady,
  BASE,
  begin,
  block,
  CHECKPOINT,
  CODER,
  claim,
  commit,
  finalize,
  HUMAN,
  PLANNER,
  proof,
  SPEC,
  SUPERVISOR,
  toReady,
  type World,
  world,
} from './world.ts';

const amend = (changes: DefinitionChange, task = 'a'): Command => ({ name: 'amend', task, changes, facts: SPEC });
const answer = (about: string, text: string): Command => ({ name: 'answer', about, text, facts: SPEC });
const OLD = '- each call is retried at most three times\n- the log names each retry';
const NEW = '- each call is retried five times\n- the log names each retry';
const READER = { agent: 'coder-1', role: 'coder', task: 'a' } as const;

/** Task a says what q-1 assumes; coder-1 has begun it. */
function underWay(done_when = OLD): World {
  const w = world();
  w.run(PLANNER, { name: 'ask', text: 'How often?', spec_ref: 'specs/retry.md', assume: 'at most three times' });
  w.run(PLANNER, { ...addReady('a', { done_when }), facts: { ...SPEC, spec_hash: 'a'.repeat(64) } } as Command);
  w.pass(1);
  w.run(SUPERVISOR, claim('a'));
  w.run(CODER, begin('a'));
  w.pass(1);
  return w;
}

function answered(): World {
  const w = underWay();
  w.run(HUMAN, answer('q-1', 'five times'));
  w.pass(1);
  return w;
}

describe('amend of a CLAIMED task', () => {
  it('is possible after an answer to a question whose assumption it repeats, by the planner and by a person', () => {
    for (const who of [PLANNER, HUMAN]) {
      const w = answered();
      const done = w.run(who, amend({ done_when: NEW, validation: ['npm test -- five'], scope: 'IN: src/, test/' }));
      expect(done.notes).toEqual(['coder-1 works on it and is told with its next command']);
      expect(w.task('a')).toMatchObject({ status: 'CLAIMED', done_when: NEW, validation: ['npm test -- five'] });
      expect(w.task('a').history?.at(-1)).toMatchObject({
        event: 'amended',
        because: ['q-1'],
        changed: true,
        was: { done_when: OLD },
      });
    }
  });

  it('is possible after an answer to a question of the task, or one it cites, and again to correct it', () => {
    const own = underWay('each call is retried a few times');
    own.run(CODER, { name: 'ask', text: 'And POST?', assume: 'yes', task: 'a' });
    own.run(PLANNER, answer('q-2', 'no, never a POST'));
    own.run(PLANNER, amend({ add_done: ['a POST is sent only once'] }));
    own.run(PLANNER, amend({ done_when: 'a POST is never sent twice' }));
    const cited = underWay('each call is retried, see q-1');
    cited.run(HUMAN, answer('q-1', 'five times'));
    cited.run(PLANNER, amend({ done_when: 'each call is retried five times' }));
    cited.run(PLANNER, amend({ done_when: 'each call is retried five times at most' }));
    expect(cited.task('a').history?.at(-1)).toMatchObject({ because: ['q-1'] });
  });

  it('is refused without an answer since the claim, naming what this reader can do', () => {
    const w = underWay();
    const planner = w.refused(PLANNER, amend({ done_when: NEW }));
    expect(planner.guard).toBe('answered-since-claim');
    expect(planner.message).toContain('coder-1 works on a as it is defined, and it got no answer since');
    expect(planner.hint).toContain('liza add-task --id <id> --depends a');
    expect(planner.hint).toContain('liza ask "…" --task a --assume "…"');
    const person = w.refused(HUMAN, amend({ done_when: NEW }));
    expect(person.hint).toBe('Tell its coder: liza note "…" --for a; or take it back to the planner: liza replan a');
    w.run(HUMAN, { name: 'answer', about: 'q-1', accept: true, facts: SPEC });
    expect(w.refused(PLANNER, amend({ done_when: NEW })).guard).toBe('answered-since-claim');
  });

  it('is refused after an answer that came before the claim, or to a question of others', () => {
    const before = world();
    before.run(PLANNER, { name: 'ask', text: 'How often?', assume: 'at most three times' });
    before.run(PLANNER, addReady('a', { done_when: OLD }));
    before.run(HUMAN, answer('q-1', 'five times'));
    before.pass(1);
    before.run(SUPERVISOR, claim('a'));
    expect(before.refused(PLANNER, amend({ done_when: NEW })).guard).toBe('answered-since-claim');
    const others = underWay('the log names each call');
    others.run(HUMAN, answer('q-1', 'five times'));
    expect(others.refused(PLANNER, amend({ done_when: NEW })).guard).toBe('answered-since-claim');
  });

  it('changes done_when, scope, type and validation, and no other field', () => {
    const w = answered();
    w.run(PLANNER, amend({ type: 'docs', scope: 'IN: docs/' }));
    expect(w.task('a')).toMatchObject({ status: 'CLAIMED', type: 'docs', scope: 'IN: docs/' });
    expect(amendmentLines(w.task('a'), w.task('a').history?.at(-1) as never).join('\n')).toContain('type + docs');
    const refusal = w.refused(PLANNER, amend({ done_when: NEW, priority: 1, description: 'other' }));
    expect(refusal.guard).toBe('answered-since-claim');
    expect(refusal.message).toContain('not description, priority');
  });

  describe('where the file has lost the heading that the task names', () => {
    const lost = () => {
      const w = underWay();
      w.run(SUPERVISOR, { name: 'spec-changed', task: 'a', spec_hash: 'b'.repeat(64), heading_gone: true });
      return w;
    };
    const elsewhere = amend({ spec_ref: 'specs/auth.md#again' });

    it('planner and person name another section at once, which is told as such', () => {
      for (const by of [PLANNER, HUMAN]) {
        const w = lost();
        w.run(by, elsewhere);
        expect(w.task('a')).toMatchObject({ status: 'CLAIMED', spec_ref: 'specs/auth.md#again' });
        expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'amended', fields: ['spec_ref'], because: [] });
      }
    });
    it('no other field changes without an answer', () => {
      const refusal = lost().refused(PLANNER, amend({ done_when: NEW }));
      expect(refusal.guard).toBe('answered-since-claim');
      expect(refusal.message).toContain('that the heading of its spec is gone changes spec_ref, not done_when');
    });
    it('an answer opens the others too, and is named only for those', () => {
      const w = lost();
      w.run(HUMAN, answer('q-1', 'five times'));
      w.run(PLANNER, elsewhere);
      expect(w.task('a').history?.at(-1)).toMatchObject({ because: [] });
      w.run(PLANNER, amend({ done_when: NEW }));
      expect(w.task('a').history?.at(-1)).toMatchObject({ because: ['q-1'] });
    });
    it('once another is named, or the heading is back, or where it never went, the section stays', () => {
      const named = lost();
      named.run(PLANNER, elsewhere);
      const back = lost();
      back.run(SUPERVISOR, { name: 'spec-changed', task: 'a', spec_hash: 'c'.repeat(64), added: 1, removed: 1 });
      for (const w of [named, back, underWay()])
        expect(w.refused(PLANNER, amend({ spec_ref: 'specs/auth.md#third' })).guard).toBe('answered-since-claim');
    });
  });

  describe('whose validation cannot be run on the base', () => {
    const stuck = (is: 'cannot_run' | 'red' = 'cannot_run') => {
      const w = underWay();
      const commands = ['npm run tset:retry'];
      w.edit((state) => ({ ...state, tasks: state.tasks.map((task) => ({ ...task, validation: commands })) }));
      const runs = commands.map((command) => ({ command, is, how: 'ended with 127', seconds: 1 }));
      w.run(SUPERVISOR, { name: 'record-trial', task: 'a', commit: commit(0xba5e), commands, under: 'u', runs });
      w.pass(1);
      return w;
    };
    const mend = amend({ validation: ['npm run test:retry'] });

    it('the planner replaces it at once, and the coder is told why', () => {
      const w = stuck();
      const before = toldWith(w.state, READER);
      w.run(PLANNER, mend);
      expect(w.task('a')).toMatchObject({ status: 'CLAIMED', validation: ['npm run test:retry'] });
      const [news] = newsSince(w.state, READER, before);
      expect(news).toMatchObject({ kind: 'amended', because: [], fields: ['validation'], replan: true });
      expect(occasionOf(w.task('a').history?.at(-1) as never)).toBe('because its validation could not be run');
    });

    it('nothing else changes with it, and nothing any more once it is replaced', () => {
      const w = stuck();
      const refusal = w.refused(PLANNER, amend({ done_when: NEW, validation: ['npm run test:retry'] }));
      expect(refusal.message).toContain('that its validation cannot be run changes validation, not done_when');
      w.run(PLANNER, mend);
      expect(w.refused(PLANNER, amend({ validation: ['npm run other'] })).guard).toBe('answered-since-claim');
    });

    it('a red one stays: the change may turn it green', () => {
      expect(stuck('red').refused(PLANNER, mend).guard).toBe('answered-since-claim');
    });
  });

  it('still passes the gates of substance', () => {
    expect(answered().refused(PLANNER, amend({ done_when: 'works well' })).guard).toBe('criteria');
  });

  it('a task in review is not amended: the planner is told what it can do', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toReady(w, 'a');
    const refusal = w.refused(PLANNER, amend({ done_when: NEW }));
    expect(refusal.guard).toBe('state');
    expect(refusal.hint).toContain('--depends a');
  });

  it('an answer that came while it was reviewed is taken in once it is claimed again', () => {
    const w = world();
    w.run(PLANNER, { name: 'ask', text: 'How often?', assume: 'at most three times' });
    w.run(PLANNER, addReady('a', { done_when: OLD }));
    w.run(SUPERVISOR, claim('a'));
    w.pass(1);
    w.run(HUMAN, answer('q-1', 'five times'));
    w.pass(1);
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        history: [...(task.history ?? []), { time: '2026-03-01T09:01:00Z', event: 'claimed', agent: 'coder-1' }],
      })),
    }));
    w.run(PLANNER, amend({ done_when: NEW }));
  });
});

describe('the coder whose task was amended', () => {
  it('is told once: what went and came, why, and that it may plan again', () => {
    const w = answered();
    const told = toldWith(w.state, READER);
    w.run(PLANNER, amend({ done_when: NEW }));
    const news = newsSince(w.state, READER, told);
    expect(news).toMatchObject([
      {
        kind: 'amended',
        task: 'a',
        by: 'planner-1',
        because: ['q-1'],
        text: 'done_when - each call is retried at most three times\ndone_when + each call is retried five times',
        replan: true,
      },
    ]);
    expect(newsSince(w.state, READER, toldWith(w.state, READER))).toEqual([]);
  });

  it('records its checkpoint again with work in the folder, once for each amendment', () => {
    const w = answered();
    const again = (intent: string) => begin('a', commit(7), { ...CHECKPOINT, intent });
    w.run(CODER, again('five times'));
    expect(w.refused(CODER, again('six times')).guard).toBe('once');
    w.pass(1);
    w.run(PLANNER, amend({ done_when: NEW }));
    w.run(CODER, again('five times, logged'));
    expect(w.refused(CODER, again('six times')).guard).toBe('once');
  });

  it('that blocks afterwards has not failed', () => {
    const w = answered();
    w.run(PLANNER, amend({ done_when: NEW }));
    w.run(CODER, block('a'));
    expect(w.task('a').failed_by ?? []).toEqual([]);
    expect(w.task('a').history?.at(-1)).toMatchObject({ excused: 'its definition changed under way' });
  });

  it('starts counting refused submissions anew', () => {
    const w = answered();
    const red = (n: number): Command => ({
      name: 'record-validation',
      task: 'a',
      proof: { ...proof(commit(n)), disproof: { guard: 'validation', reason: 'red', hint: 'mend it' } },
    });
    w.run(CODER, red(1));
    w.run(CODER, red(2));
    w.run(PLANNER, amend({ done_when: NEW }));
    w.run(CODER, red(3));
    expect(w.state.anomalies.map(({ type }) => type)).not.toContain('retry_loop');
    w.run(CODER, red(4));
    w.run(CODER, red(5));
    expect(w.state.anomalies.map(({ type }) => type)).toContain('retry_loop');
  });
});

it('each amendment tells its own difference, whatever followed', () => {
  const w = world();
  w.run(PLANNER, addReady('a', { done_when: OLD, validation: ['npm test'] }));
  w.run(PLANNER, amend({ done_when: NEW }));
  w.run(PLANNER, amend({ validation: ['npm test', 'npm run lint'], add_done: ['the readme says so too'] }));
  const [first, second] = (w.task('a').history ?? []).filter(({ event }) => event === 'amended');
  if (first === undefined || second === undefined) throw new Error(BASE);
  expect(amendmentLines(w.task('a'), first)).toEqual([
    'done_when - each call is retried at most three times',
    'done_when + each call is retried five times',
  ]);
  expect(amendmentLines(w.task('a'), second).toSorted()).toEqual([
    'done_when + the readme says so too',
    'validation + npm run lint',
  ]);
});

it('finalize of a task whose dependencies are open says when it can be claimed', () => {
  const w = world();
  w.run(PLANNER, addReady('a'));
  w.run(PLANNER, addDraft('b', { depends_on: ['a'] }));
  expect(w.run(PLANNER, finalize('b')).detail).toBe('task b finalized: it can be claimed once a is merged');
  w.run(PLANNER, addDraft('c'));
  expect(w.run(PLANNER, finalize('c')).detail).toBe('task c finalized: it may be claimed');
});

it('an anomaly that is processed already says by whom', () => {
  const w = world();
  w.run(HUMAN, { name: 'anomaly', type: 'system_ambiguity', details: { protocol_section: '5', question: 'who?' } });
  w.run(HUMAN, { name: 'anomaly processed', anomalies: ['anomaly-1'] });
  const again = w.run(PLANNER, { name: 'anomaly processed', anomalies: ['anomaly-1'] });
  expect(again.detail).toMatch(/anomaly-1 by (human|a person|operator).*, 2026-/);
});

it('an agent is told to stop once: with the time at which its session ends, or, without a session, how', () => {
  for (const session of [undefined, 's-1']) {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(SUPERVISOR, claim('a'));
    const coder = session === undefined ? CODER : { ...CODER, session };
    w.run(coder, begin('a'));
    const left = w.run(coder, { name: 'handoff', task: 'a', summary: 'half', next_action: 'the rest' });
    expect(left.notes?.filter((note) => /stop/i.test(note))).toHaveLength(1);
  }
});
