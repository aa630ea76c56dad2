// The merge queue by its rules alone: what lands, who is blamed, and what it costs, over thousands of queues.

import { describe, expect, test } from 'vitest';
import {
  batchStep,
  begun,
  interrupted,
  landed,
  left,
  ran,
  ranAlone,
  ranBeneath,
  released,
} from '../../../../src/protocol/queue/batch.ts';
import { begunAhead, ranAhead } from '../../../../src/protocol/queue/lanes.ts';
import { flakesIn } from '../../../../src/protocol/queue/search.ts';
import { judgeLeft } from '../../../../src/protocol/queue/settle.ts';
import type { Queue } from '../../../../src/protocol/queue/shape.ts';
import { begunBeside, ranBeside, turned } from '../../../../src/protocol/queue/suspect.ts';
import type { State } from '../../../../src/protocol/state.ts';
import { defined } from '../../../../src/protocol/values.ts';
import { runs as share } from '../../../runs.ts';
import { type Cost, cost, SIZES, TABLE } from './costs.ts';
import { planning } from './planning.ts';
import { simulate, stormOf, trialOf } from './simulated.ts';
import { timesAsMany, waiting } from './waiting.ts';

test('queues, ten thousand in test:all, with culprits, flakes, outages, conflicts, kills and moved heads', () => {
  let [good, wronged, outages, holds] = [0, 0, 0, 0];
  for (let seed = 1; seed <= share(10_000); seed++) {
    const trial = trialOf(seed);
    const outcome = simulate(trial);
    expect(outcome.untested).toBe(0);
    const there = new Set(outcome.landed);
    expect(outcome.bad.filter((n) => there.has(n))).toEqual([]);
    // Whatever is good is there, unless it was red twice by chance, does not merge, or is red with the one before.
    const excused = new Set([...outcome.conflicting, ...outcome.later]);
    const missing = Array.from({ length: trial.tasks }, (_, n) => n).filter(
      (n) => !there.has(n) && !outcome.bad.includes(n) && !excused.has(n),
    );
    if (trial.flake === 0) expect({ seed, missing }).toEqual({ seed, missing: [] });
    expect(missing.filter((n) => !outcome.blamed.includes(n))).toEqual([]);
    if (trial.flake > 0) {
      good += trial.tasks;
      wronged += missing.length;
    }
    outages += outcome.outages;
    holds += trial.outages > 0 ? outcome.holds : 0;
  }
  expect(outages).toBeGreaterThan(share(10_000) / 20);
  expect(holds).toBeGreaterThan(share(10_000) / 100);
  // Blamed by chance: the same commit red by chance twice, at one of the steps of a search.
  expect(wronged / good).toBeLessThan(0.05 ** 2 * (1 + Math.log2(16)));
});

test('with flakes, outages, holds and kills at once: blamed only by three runs since it was last green', () => {
  let blamed = 0;
  for (let seed = 1; seed <= share(6000); seed++) {
    const trial = stormOf(seed);
    const outcome = simulate(trial);
    const there = new Set(outcome.landed);
    const lost = [...Array(trial.tasks).keys()].filter((n) => !there.has(n) && !outcome.blamed.includes(n));
    const badThere = outcome.bad.filter((n) => there.has(n));
    const { unproven, untested, twice } = outcome;
    expect({ seed, unproven, untested, twice, lost, badThere }).toEqual({
      ...{ seed, unproven: [], untested: 0, twice: 0, lost: [], badThere: [] },
    });
    blamed += outcome.blamed.length;
  }
  expect(blamed).toBeGreaterThan(share(6000) / 10);
});

describe('lanes', () => {
  const base = { tasks: 20, size: 4, pairs: 0.05, conflicts: 0.05 } as const;

  test('nothing lands before what it was tested on; what comes to nothing is counted', () => {
    let inVain = 0;
    for (let seed = 1; seed <= share(4000); seed++) {
      const trial = { ...base, seed, bad: 0.1, lanes: 2 + (seed % 3), flake: seed % 3 === 0 ? 0.05 : 0 };
      const outcome = simulate({ ...trial, kill: seed % 2 === 0 ? 0.05 : 0, moves: seed % 5 === 0 ? 0.02 : 0 });
      expect({ seed, untested: outcome.untested }).toEqual({ seed, untested: 0 });
      const there = new Set(outcome.landed);
      expect(outcome.bad.filter((n) => there.has(n))).toEqual([]);
      const lost = [...Array(base.tasks).keys()].filter(
        (n) => !there.has(n) && ![outcome.bad, outcome.conflicting, outcome.later, outcome.blamed].flat().includes(n),
      );
      expect({ seed, lost }).toEqual({ seed, lost: [] });
      if (seed % 2 === 1 && seed % 5 !== 0)
        expect({ seed, runs: outcome.counted }).toEqual({ seed, runs: outcome.runs });
      inVain += outcome.inVain;
    }
    expect(inVain).toBeGreaterThan(0);
  });

  test('the same lands as with one, where nothing is by chance', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const { landed: one } = simulate({ ...base, conflicts: 0, seed, bad: 0.1 });
      const { landed: three } = simulate({ ...base, conflicts: 0, seed, bad: 0.1, lanes: 3 });
      expect({ seed, landed: three }).toEqual({ seed, landed: one });
    }
  });

  test('without red ones no run is in vain', () => {
    const { runs, inVain, landed: all } = simulate({ seed: 1, tasks: 20, bad: 0, size: 4, lanes: 3 });
    expect({ runs, inVain, all: all.length }).toEqual({ runs: 5, inVain: 0, all: 20 });
  });

  test('killed at every single thing that it does: the same ends on the branch', () => {
    const trial = { seed: 12, tasks: 16, bad: 0.1, size: 4, lanes: 3, pairs: 0.1 } as const;
    const whole = simulate(trial);
    for (let killAt = 1; killAt <= whole.acts; killAt++) {
      const { landed: there, untested } = simulate({ ...trial, killAt });
      expect({ killAt, there, untested }).toEqual({ killAt, there: whole.landed, untested: 0 });
    }
  });
});

test('killed at every single thing that it does: the same ends on the branch', () => {
  const trial = { seed: 12, tasks: 16, bad: 0.15, size: 16, pairs: 0.1 } as const;
  const whole = simulate(trial);
  expect(whole.blamed.length).toBeGreaterThan(1);
  for (let killAt = 1; killAt <= whole.acts; killAt++) {
    const { landed, blamed, runs, untested } = simulate({ ...trial, killAt });
    expect({ killAt, landed, blamed, untested }).toEqual({
      killAt,
      landed: whole.landed,
      blamed: whole.blamed,
      untested: 0,
    });
    // A test that was under way is run again, or what would convict: red, green without it, and red again in one sitting.
    expect(runs).toBeLessThanOrEqual(whole.runs + 4);
  }
});

describe('what it costs', () => {
  /** bench/queue.mjs takes more. */
  const CHANGES = 6000;
  const fixed = new Map<string, Cost>();
  const ofFixed = (bad: number, size: number): Cost => {
    const key = `${bad} ${size}`;
    const known = fixed.get(key) ?? cost(bad, size, CHANGES);
    fixed.set(key, known);
    return known;
  };
  const bads = Object.keys(TABLE).map(Number);

  test('fixed sizes: the table and one run for each red batch', () => {
    for (const bad of bads) {
      for (const [at, size] of SIZES.entries()) {
        const { runs, red } = ofFixed(bad, size);
        const told = { bad, size, runs: runs <= ((TABLE[bad]?.[at] ?? 0) + red) * 1.1 };
        expect(told).toEqual({ bad, size, runs: true });
      }
    }
  });

  test('the size that adapts is never much worse than the best fixed one', () => {
    for (const bad of bads.filter((share) => share >= 0.05)) {
      const best = Math.min(...SIZES.map((size) => ofFixed(bad, size).runs));
      expect({ bad, fits: cost(bad, 'auto', CHANGES).runs <= best * 1.15 }).toEqual({ bad, fits: true });
    }
  });

  describe('16 that wait, each bad with a chance of one in twenty', () => {
    const rows = waiting(16, 0.05, 3);

    test('at least two and a half times the landings of one at a time, over all queues', () => {
      expect(timesAsMany(16, rows)).toBeGreaterThan(2.5);
      const allBad = simulate({ seed: 1, tasks: 16, bad: [...Array(16).keys()], size: 'auto' });
      expect({ blamed: allBad.blamed.length, few: allBad.runs < 5 * 16 }).toEqual({ blamed: 16, few: true });
    });

    test('one bad: found, proven and all others landed in about seven runs, wherever it stands', () => {
      expect(rows[0]).toMatchObject({ one: 16, batches: 1 });
      expect(rows[1]?.batches).toBeLessThan(7.2);
      expect(rows[1]?.most).toBe(8);
    });
  });
});

describe('who is suspected', () => {
  const entries = ['a', 'b', 'c'].map((task) => ({ task, commit: task, candidate: `c${task}` }));
  const on = (base: string): Queue => begun({}, { base, since: '', entries });
  const run = (upto: number, red: boolean) => ({ upto, red, time: '', log: 'x' });
  const next = (queue: Queue) => batchStep(queue, { idle: false });
  const red = (queue: Queue, ...upto: readonly number[]): Queue =>
    upto.reduce((so, one) => ran(so, run(one, true)), queue);
  const landedGreen = (queue: Queue, upto: number): Queue =>
    landed(ran(queue, run(upto, false)), entries[upto - 1]?.task ?? '', '');

  test('is blamed after red, green without it, and red again', () => {
    const suspected = landedGreen(red(on('base'), 3, 2), 1);
    expect(next(suspected)).toEqual({ step: 'test', upto: 2, again: true });
    expect(next(red(suspected, 2))).toEqual({ step: 'blame', at: 2 });
    // However often before.
    expect(next(red(on('base'), 3, 2, 1, 1, 1))).toEqual({ step: 'beside', at: 1 });
  });

  test('a green that was not run now shows nothing of an outage', () => {
    const { log: _none, ...known } = run(1, false);
    const suspected = landed(ran(red(on('base'), 3, 2), known), 'a', '');
    expect(next(suspected)).toEqual({ step: 'beside', at: 2 });
  });

  describe('those behind it are tested without it', () => {
    const suspected = red(on('base'), 3, 2, 1);
    const behind = (...ids: readonly string[]) => ({
      ...{ base: 'base', since: '' },
      entries: ids.map((task) => ({ task, commit: task, candidate: `c${task}2` })),
    });
    const beside = (queue: Queue, isRed: boolean, ...ids: readonly string[]): Queue =>
      ranBeside(begunBeside(queue, behind(...ids)), run(ids.length, isRed));
    const rest = beside(suspected, false, 'b', 'c');

    test('red, too: the branch itself is tested', () => {
      expect(next(suspected)).toEqual({ step: 'beside', at: 1 });
      expect(next(beside(suspected, true, 'b', 'c'))).toEqual({ step: 'beneath', at: 1, again: false });
    });

    test('green: the whole batch is tested again, which differs from them in nothing but the suspected one', () => {
      expect(next(rest)).toEqual({ step: 'test', upto: 3, again: true });
      expect(next(red(rest, 3))).toEqual({ step: 'blame', at: 1 });
      expect(next(ran(rest, run(3, false)))).toEqual({ step: 'land', upto: 3 });
      const after = left(red(rest, 3), 'a', '');
      expect(after).toMatchObject({ batch: { entries: behind('b', 'c').entries, early: { red: false } } });
      expect(after.batches).toMatchObject([{ runs: 4 }]);
      // Taken out by a person: what they were tested as without it is kept, too.
      const out = left(rest, 'a', '', 'taken out');
      expect(out).toMatchObject({ batch: { entries: behind('b', 'c').entries, early: { red: false, old: true } } });
      expect(out.batches?.[0]).not.toHaveProperty('blamed');
    });

    test('green, and they are not all that is behind it in its batch: the branch is tested, and its own commit again', () => {
      const some = beside(suspected, false, 'b');
      expect(next(some)).toEqual({ step: 'beneath', at: 1, again: false });
      const beneath = ranBeneath(some, run(0, false));
      expect(next(beneath)).toEqual({ step: 'test', upto: 1, again: true });
      // Red with them says nothing of it alone.
      expect(next(red(some, 1))).toEqual({ step: 'beneath', at: 1, again: false });
      expect(next(red(beneath, 1))).toEqual({ step: 'blame', at: 1 });
    });

    test('green, and one of them is built on it: they are not without it', () => {
      const along = begunBeside(suspected, { ...behind('b', 'c'), brings: true });
      const green = ranBeside(along, run(2, false));
      expect(next(green)).toEqual({ step: 'beneath', at: 1, again: false });
      expect(next(red(green, 3))).toEqual({ step: 'beneath', at: 1, again: false });
      expect(turned(ranBeneath(green, run(0, true)), '').batch).toMatchObject({ entries: behind('b', 'c').entries });
    });

    test('green, and the branch is red: one of them brings what it lacks, so they land first, and it waits', () => {
      const single = begun({}, { base: 'base', since: '', entries: entries.slice(0, 1) });
      const beneath = ranBeneath(red(single, 1), run(0, true));
      expect(next(red(single, 1))).toEqual({ step: 'beneath', at: 1, again: false });
      expect(next(beneath)).toEqual({ step: 'beside', at: 1 });
      const green = beside(beneath, false, 'b');
      expect(next(green)).toEqual({ step: 'turn', at: 1 });
      const after = turned(green, '');
      expect(after.batch).toMatchObject({ base: 'base', entries: behind('b').entries, early: { red: false } });
      expect(after.batches).toEqual([expect.objectContaining({ runs: 2, landed: 0 })]);
      // Nothing of it was in vain, and nobody is blamed.
      expect(after.batches?.[0]).not.toHaveProperty('in_vain');
      expect(after.batches?.[0]).not.toHaveProperty('blamed');
      expect(turned(rest, '')).toBe(rest);
      expect(next(beside(beneath, true, 'b'))).toEqual({ step: 'beneath', at: 1, again: true });
    });

    test('of the last of its batch the branch itself is tested first', () => {
      const landedTwo = red(landedGreen(red(on('base'), 3), 2), 3);
      const last = { ...landedTwo, batch: { ...landedTwo.batch, runs: [run(3, true)] } } as Queue;
      expect(next(last)).toEqual({ step: 'beneath', at: 3, again: false });
      expect(next(ranBeneath(last, run(2, false)))).toEqual({ step: 'test', upto: 3, again: true });
      expect(next(ranBeneath(last, run(2, true)))).toEqual({ step: 'beside', at: 3 });
    });

    test('of a batch of one, where many are bad, those behind it are enough if the branch was green just now', () => {
      const bad = { time: '', entries: 4, landed: 2, blamed: 'x', runs: 3, flakes: 0 };
      const one = (batches: Queue['batches'] = [bad, bad, bad]): Queue => {
        const before = begun(
          { ...(batches === undefined ? {} : { batches }) },
          { base: 'o', since: '', entries: entries.slice(0, 1) },
        );
        const there = landed(ran(before, run(1, false)), 'a', '');
        return red(begun(there, { base: 'ca', since: '', entries: entries.slice(1, 2) }), 1);
      };
      expect(next(one())).toEqual({ step: 'beside', at: 1 });
      const green = beside(one(), false, 'c');
      expect(next(green)).toEqual({ step: 'test', upto: 1, again: true });
      expect(next(red(green, 1))).toEqual({ step: 'blame', at: 1 });
      expect(next(one([]))).toEqual({ step: 'beneath', at: 1, again: false });
      // Not just now, by another judge, or somewhere else.
      expect(next(red(interrupted(one()), 1, 1))).toEqual({ step: 'beneath', at: 1, again: false });
      const { batch, ...others } = one();
      expect(next({ ...others, batch: { ...batch, by: 'other' } } as Queue)).toMatchObject({ step: 'beneath' });
      expect(next({ ...others, batch: { ...batch, base: 'other' } } as Queue)).toMatchObject({ step: 'beneath' });
    });

    test('just now is the last batch, and no earlier one', () => {
      const bad = { time: '', entries: 1, landed: 0, blamed: 'x', runs: 3, flakes: 0 };
      const first = begun({ batches: [bad, bad, bad] }, { base: 'o', since: '', entries: entries.slice(0, 1) });
      const there = landed(ran(first, run(1, false)), 'a', '');
      const suspect = red(begun(there, { base: 'ca', since: '', entries: entries.slice(1, 2) }), 1);
      expect(there.sound).toEqual({ at: 'ca' });
      const before = { ...first, batch: { ...first.batch, early: { ...run(1, false), old: true } } } as Queue;
      expect(landed(ran(before, run(1, false)), 'a', '').sound).toBeUndefined();
      expect(left(red(beside(suspect, false, 'c'), 1), 'b', '').sound).toBeUndefined();
      const beneath = red(ranBeneath(beside(suspect, true, 'c'), run(0, false)), 1);
      expect(next(beneath)).toEqual({ step: 'blame', at: 1 });
      expect(left(beneath, 'b', '').sound).toEqual({ at: 'ca' });
    });

    test('what was seen before somebody came in between convicts nobody and holds nothing', () => {
      const begins = { step: 'test', upto: 1, again: true };
      for (const queue of [
        suspected,
        rest,
        red(rest, 3),
        ranBeneath(suspected, run(0, false)),
        red(ranBeneath(suspected, run(0, false)), 1),
        ranBeneath(ranBeneath(beside(suspected, true, 'b', 'c'), run(0, true)), run(0, true)),
      ]) {
        expect(next(released(queue))).toEqual(begins);
        expect(next(interrupted(queue))).toEqual(begins);
        expect(released(queue).batch).not.toHaveProperty('beside');
      }
      const again = red(released(rest), 1);
      expect(next(again)).toEqual({ step: 'beside', at: 1 });
      expect(next(ranBeneath(ranBeneath(again, run(0, true)), run(0, true)))).toEqual({ step: 'hold' });
      // A green one still lands by itself.
      expect(next(released(ran(on('base'), run(2, false))))).toEqual({ step: 'land', upto: 2 });
    });

    test('another process, or a minute after the last batch: those behind a culprit are judged anew', () => {
      const at = (second: number): string => new Date(second * 1000).toISOString();
      const mine = { ...behind('b', 'c'), process: 'one' };
      const seen = ranBeside(begunBeside(suspected, mine), run(2, true));
      const waits = left(red(ranBeneath(seen, run(0, false)), 1), 'a', at(0));
      const goesOn = (process: string, second: number): Queue => begun(waits, { ...mine, process, since: at(second) });
      expect(goesOn('one', 59).batch?.early).toEqual(run(2, true));
      for (const other of [goesOn('two', 1), goesOn('one', 61)])
        expect(other.batch).toMatchObject({ entries: mine.entries, early: { red: true, old: true }, runs: [] });
      // And so is whether the branch was green.
      const bad = { time: at(0), entries: 1, landed: 0, blamed: 'x', runs: 3, flakes: 0 };
      const sound = { batches: [bad, bad, bad], sound: { at: 'base', process: 'one' } };
      const sounds = (process: string, second: number) => begun(sound, { ...mine, process, since: at(second) }).sound;
      expect([sounds('one', 59), sounds('two', 1), sounds('one', 61)]).toEqual([sound.sound, undefined, undefined]);
    });

    test('somebody comes in between: nothing that ran beside or alone is used, and what is run afterwards counts', () => {
      const single = begun({}, { base: 'base', since: '', entries: entries.slice(0, 1) });
      const proven = red(ranBeneath(red(single, 1), run(0, false)), 1);
      const alone = { candidate: 'x', red: true, log: 'x' };
      const after = interrupted(ranAlone(proven, alone));
      expect(after.batch).toMatchObject({ in_vain: 1 });
      expect(after.batch).not.toHaveProperty('alone');
      // Its test was under way.
      expect(ranAlone(interrupted(proven), alone).batch).not.toHaveProperty('alone');
      const none = interrupted(interrupted(begunBeside(suspected, behind('b', 'c'))), false);
      expect(red(none, 1).batch?.runs.at(-1)).toEqual(run(1, true));
      expect(red(interrupted(suspected), 1).batch?.runs.at(-1)).toEqual({ ...run(1, true), old: true });
    });

    test('somebody comes in between: of what is tested on top only what was green stays', () => {
      const lane = (task: string, base: string) => ({ ...behind(task), base, process: 'one' });
      const first = begun({}, { base: 'base', since: '', entries: entries.slice(0, 1), process: 'one' });
      const two = begunAhead(begunAhead(first, lane('b', 'ca')), lane('c', 'cb2'));
      const green = ranAhead(two, 'cb2', run(1, false));
      expect(interrupted(two)).not.toHaveProperty('ahead');
      expect(interrupted(ranAhead(two, 'cb2', run(1, true)))).not.toHaveProperty('ahead');
      expect(interrupted(green)).toMatchObject({ ahead: [{ run: { red: false, old: true } }], batch: { in_vain: 1 } });
      // Killed when the first had landed: nobody tests the second any more.
      const there = landed(ran(two, run(1, false)), 'a', '');
      expect(begun(there, { ...lane('b', 'ca'), process: 'two' })).not.toHaveProperty('ahead');
      expect(begun(there, lane('b', 'ca'))).toMatchObject({ ahead: [lane('c', 'cb2')] });
    });

    test('what a board of an earlier version has of such a search is no proof', () => {
      const old = red(suspected, 1) as { batch: object };
      const atop = { ...begunBeside(suspected, behind('b')).batch?.beside, atop: 'ca2', run: run(1, false) };
      const queue = { ...old, batch: { ...old.batch, beside: atop } } as unknown as Queue;
      expect(next(released(queue))).toEqual({ step: 'test', upto: 1, again: true });
    });
  });

  test('the branch that is red twice holds the queue; once is by chance', () => {
    const once = ranBeneath(red(on('base'), 3, 2, 1), run(0, true));
    expect(next(ranBeneath(once, run(0, true)))).toEqual({ step: 'hold' });
    expect(next(ranBeneath(once, run(0, false)))).toEqual({ step: 'test', upto: 1, again: true });
  });
});

test('what tests need goes for good, and one that waits does without: nobody else is blamed, one by one hardly anybody', () => {
  let [gone, held, many, wronged] = [0, 0, 0, 0];
  for (let seed = 1; seed <= share(3000); seed++) {
    const size = ([1, 2, 4, 8, 'auto'] as const)[seed % 5] ?? 'auto';
    const known = { seed, tasks: 2 + (seed % 9), size, bad: 0.1, goes: 0.1, lanes: 1 + (seed % 3) };
    const { blamed, bad, landed: there, holds } = simulate({ ...known, kill: seed % 2 === 0 ? 0.05 : 0 });
    const good = blamed.filter((n) => !bad.includes(n));
    // There, where many are bad, those behind are taken for the branch.
    if (size !== 1) expect({ seed, wronged: good }).toEqual({ seed, wronged: [] });
    expect({ seed, lost: bad.filter((n) => there.includes(n)) }).toEqual({ seed, lost: [] });
    gone += blamed.length < known.tasks ? 1 : 0;
    held += holds;
    many += size === 1 ? known.tasks : 0;
    wronged += good.length;
  }
  expect(Math.min(gone, held)).toBeGreaterThan(10);
  expect(wronged / many).toBeLessThan(0.005);
});

test('tests that are red the first time they see a commit: nobody is blamed for that, however many are bad', () => {
  let shown = 0;
  for (let seed = 1; seed <= share(1200); seed++) {
    const size = ([1, 2, 4, 8, 'auto'] as const)[seed % 5] ?? 'auto';
    const known = { seed, tasks: 3 + (seed % 9), size, lanes: 1 + (seed % 3), shy: 0.3 };
    for (const share of [0, 0.2]) {
      const kill = seed % 2 === 0 ? 0.05 : 0;
      const { blamed, bad, runs } = simulate({ ...known, bad: share, kill });
      expect({ seed, share, wronged: blamed.filter((n) => !bad.includes(n)) }).toEqual({ seed, share, wronged: [] });
      shown += runs;
    }
  }
  expect(shown).toBeGreaterThan(share(1200) * 4);
});

/** Runs until somebody is blamed, the queue is held, or all have landed; `isRed`: of the commit with so many entries. */
function play(
  size: number,
  isRed: (upto: number, runs: number) => boolean,
  bad = 0,
): { runs: number; inTurn: boolean } {
  const batches = Array.from({ length: bad }, () => ({
    time: '',
    entries: 2,
    landed: 1,
    blamed: 'x',
    runs: 3,
    flakes: 0,
  }));
  const entries = [...Array(size).keys()].map((n) => ({ task: `t${n}`, commit: '', candidate: `c${n}` }));
  let queue = begun({ batches }, { base: 'base', since: '', entries });
  for (let runs = 0; ; ) {
    const step = batchStep(queue, { idle: true });
    const told = { time: '', log: 'x' };
    if (step.step === 'test') queue = ran(queue, { ...told, upto: step.upto, red: isRed(step.upto, runs++) });
    else if (step.step === 'beneath') queue = ranBeneath(queue, { ...told, red: isRed(step.at - 1, runs++) });
    else if (step.step === 'land') queue = landed(queue, entries[step.upto - 1]?.task ?? '', '');
    else return { runs, inTurn: step.step === 'hold' && step.inTurn === true };
    if (runs > 100) throw new Error('it does not end');
  }
}

test('a test whose outcome depends on the runs before: the search ends', () => {
  let inTurn = 0;
  for (const size of [1, 2, 3, 4]) {
    for (let length = 1; length <= 6; length++)
      for (let pattern = 0; pattern < 1 << length; pattern++)
        inTurn += play(size, (_, runs) => ((pattern >> (runs % length)) & 1) === 1).inTurn ? 1 : 0;
    let last = -1;
    const slot = (upto: number): boolean => {
      const red = upto !== last;
      last = upto;
      return red;
    };
    expect(() => play(size, slot)).not.toThrow();
  }
  expect(inTurn).toBeGreaterThan(0);
});

test('the test that is gone is in force for those behind, also on a board of an earlier version', () => {
  const open = ['b', 'c'].map((task) => ({ task, commit: task, candidate: `c${task}` }));
  const judge = (queue: Queue, commit: string): string | undefined =>
    judgeLeft({ goal: { queue }, tasks: [{ id: 'c', status: 'APPROVED', review_commit: commit }] } as unknown as State);
  const gone = { task: 'a', since: '' };
  expect(judge({ test_gone: { ...gone, judge: 'base', open } }, 'c')).toBe('base');
  expect(judge({ test_gone: { ...gone, judge: 'base', open } }, 'mended')).toBeUndefined();
  expect(judge({ test_gone: gone, rest: ['c'], rest_judge: 'base' }, 'c')).toBe('base');
  expect(judge({ test_gone: gone }, 'c')).toBeUndefined();
});

test('however large a batch is and however many are bad, a search that no chance leads astray is no such one', () => {
  for (const size of [24, 44, 100])
    for (const bad of [0, 10, 24])
      for (let first = 1; first <= size; first += size === 100 ? 7 : 1)
        expect({ size, bad, first, ...play(size, (upto) => upto >= first, bad) }).toMatchObject({ inTurn: false });
});

test('red, mended by a person, and then green: not by chance', () => {
  const seen = (old?: true) => ({ upto: 1, ...defined({ old }) });
  expect(
    flakesIn([
      { ...seen(), red: true },
      { ...seen(), red: false },
    ]),
  ).toBe(1);
  expect(
    flakesIn([
      { ...seen(true), red: true },
      { ...seen(true), red: false },
    ]),
  ).toBe(1);
  expect(
    flakesIn([
      { ...seen(true), red: true },
      { ...seen(), red: false },
    ]),
  ).toBe(0);
});

test('a hundred that wait are planned anew within 50 ms', () => {
  expect(planning(100)).toBeLessThan(50);
});

test('red only together: the later one leaves, and it is told with whom, where nothing else waits', () => {
  let told = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const outcome = simulate({ seed, tasks: 2, bad: 0, size: 4, pairs: 0.5 });
    expect(outcome.blamed).toEqual(outcome.later);
    expect(outcome.together).toEqual(outcome.later);
    told += outcome.together.length;
  }
  expect(told).toBeGreaterThan(100);
});
