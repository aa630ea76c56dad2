// A merge queue without git, processes and clocks: the rules of src/protocol/queue on a record, a branch that is the name
// of a commit, and tests whose outcome is known. The runner keeps nothing in memory but the record: it can be killed
// before and after everything it does.

import {
  batchStep,
  begun,
  ended,
  headOfBatch,
  interrupted,
  isTest,
  landed,
  left,
  ran,
  ranAlone,
  ranBeneath,
  ranGreen,
  released,
} from '../../../../src/protocol/queue/batch.ts';
import { aheadAt, begunAhead, inLanes, ranAhead, tipOf } from '../../../../src/protocol/queue/lanes.ts';
import { nextBatch, queueOf, withoutSome } from '../../../../src/protocol/queue/order.ts';
import type { Entry } from '../../../../src/protocol/queue/records.ts';
import type { Batch, Queue } from '../../../../src/protocol/queue/shape.ts';
import { begunBeside, ranBeside, turned } from '../../../../src/protocol/queue/suspect.ts';
import type { Settings, State, Task } from '../../../../src/protocol/state.ts';

export function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export interface Trial {
  readonly seed: number;
  readonly tasks: number;
  /** How often one is bad, or which ones are, counted from 0. */
  readonly bad: number | readonly number[];
  readonly size: number | 'auto';
  /** Batches that are tested at the same time. */
  readonly lanes?: number;
  /** How often a good commit is red. */
  readonly flake?: number;
  /** How often a good one has a test that is red the first time it sees a commit. */
  readonly shy?: number;
  /** How often what all tests need breaks down, at any run; then all are red, for some runs or until somebody looks. */
  readonly outages?: number;
  /** How often, at any run, something goes for good that all tests need, but for those with one task that waits. */
  readonly goes?: number;
  /** Of neighbours in the queue: they do not merge, or are red together. */
  readonly conflicts?: number;
  readonly pairs?: number;
  /** How often the runner is killed, or a person moves the branch, at each thing it does. */
  readonly kill?: number;
  readonly moves?: number;
  /** How often a person holds the queue while a test runs: what it shows is recorded, and nothing of it lands until later. */
  readonly held?: number;
  /** How often it is held and released while a test runs, and goes on. */
  readonly between?: number;
  /** It is killed at exactly this thing that it does. */
  readonly killAt?: number;
}

/**
 * Of each seed another kind of queue: every third with flakes, every third with outages, every second with kills, every
 * fifth with moved heads.
 */
export function trialOf(seed: number): Trial & { readonly flake: number; readonly outages: number } {
  const size = ([1, 2, 4, 8, 16, 'auto'] as const)[seed % 6] ?? 'auto';
  return {
    ...{ seed, tasks: 4 + (seed % 17), size, bad: 0.1, conflicts: 0.05, pairs: 0.05 },
    ...{ flake: seed % 3 === 0 ? 0.05 : 0, outages: seed % 3 === 1 ? 0.1 : 0 },
    ...{ kill: seed % 2 === 0 ? 0.05 : 0, moves: seed % 5 === 0 ? 0.02 : 0 },
  };
}

/** All at once: what a flake began an outage may end, with holds and kills between any two runs. */
export function stormOf(seed: number): Trial {
  const size = ([1, 2, 4, 8] as const)[seed % 4] ?? 4;
  const known = { seed, tasks: 3 + (seed % 6), size, bad: 0.1, lanes: 1 + (seed % 2) };
  return { ...known, flake: 0.2, outages: 0.15, held: 0.15, between: 0.1, kill: seed % 3 === 0 ? 0.1 : 0 };
}

export interface Outcome {
  readonly landed: readonly number[];
  readonly blamed: readonly number[];
  readonly conflicting: readonly number[];
  readonly bad: readonly number[];
  /** Those that are red together with one that landed before. */
  readonly later: readonly number[];
  readonly runs: number;
  readonly redBatches: number;
  /** Where the branch was, each time: whether it was tested green itself, or a person's. */
  readonly untested: number;
  readonly acts: number;
  /** What the record counts, of all batches that ended. */
  readonly counted: number;
  readonly inVain: number;
  /** Told to be red only together with others. */
  readonly together: readonly number[];
  /** How often all tests broke down, and how often the queue was held since the branch itself was red. */
  readonly outages: number;
  readonly holds: number;
  /** Blamed without a red run, a green one without it and a red one again, all since it was last green. */
  readonly unproven: readonly number[];
  /** Tested again though the record has a green run of that very commit. */
  readonly twice: number;
}

class Killed extends Error {}

const APART = 8;

const commitOf = (n: number): string => n.toString(16).padStart(40, '0');

export function simulate(trial: Trial): Outcome {
  return new Simulation(trial).run();
}

class Simulation {
  private readonly chance: () => number;
  private readonly bad: readonly boolean[];
  /** With the task before it: does not merge, or is red. */
  private readonly relation: readonly ('none' | 'conflict' | 'pair')[];
  private readonly shy: ReadonlySet<number>;
  private readonly seen = new Set<string>();
  private state: State;
  private head = commitOf(0);
  private commits = 0;
  /** What each commit has, and what was green. */
  private readonly content = new Map<string, ReadonlySet<number>>([[commitOf(0), new Set()]]);
  private readonly green = new Set([commitOf(0)]);
  private acts = 0;
  private runs = 0;
  private redBatches = 0;
  private untested = 0;
  private readonly conflicting: number[] = [];
  private readonly blamed: number[] = [];
  private readonly together: number[] = [];
  /** The batch on the record is somebody's. */
  private announced = false;
  private outages = 0;
  private holds = 0;
  /** What the record was told, in order; `''`: a green one on the branch, of others than the suspect. */
  private readonly told: { readonly commit: string; readonly red: boolean }[] = [];
  private readonly unproven: number[] = [];
  /** Who runs it: another one after each kill. */
  private process = 0;
  /** How much had been told when the last one was interrupted. */
  private sitting = 0;
  private twice = 0;
  /** Tests that were run since the last outage began or ended. */
  private since = APART;
  /** In an outage: how many more tests it is there for. */
  private outage = 0;
  private readonly settings: Settings;
  /** What tests need has gone: only what has this task does without. */
  private repair: number | undefined;
  /** Tests that this runner began ahead: whether they are red, once they are over. */
  private ahead = new Map<string, boolean | undefined>();

  constructor(private readonly trial: Trial) {
    const { seed, tasks, bad, size, lanes = 1, conflicts = 0, pairs = 0 } = trial;
    this.chance = random(seed);
    this.bad = Array.from({ length: tasks }, (_, n) =>
      typeof bad === 'number' ? this.chance() < bad : bad.includes(n),
    );
    this.relation = Array.from({ length: tasks }, (_, n) => {
      const drawn = n === 0 ? 1 : this.chance();
      return drawn < conflicts ? 'conflict' : drawn < conflicts + pairs ? 'pair' : 'none';
    });
    const { shy = 0 } = trial;
    this.shy = new Set(this.bad.flatMap((isBad, n) => (shy > 0 && !isBad && this.chance() < shy ? [n] : [])));
    this.settings = { merge_batch: size, merge_lanes: lanes } as Settings;
    const approved = (n: number) =>
      ({ id: `t${n}`, status: 'APPROVED', priority: 3, review_commit: commitOf(1000 + n) }) as unknown as Task;
    this.state = { goal: {}, tasks: Array.from({ length: tasks }, (_, n) => approved(n)) } as unknown as State;
  }

  run(): Outcome {
    for (let rounds = 0; rounds < 50 * (this.trial.tasks + 1); rounds++) {
      if (!this.state.tasks.some(({ status }) => status === 'APPROVED')) return this.outcome();
      try {
        this.settle();
        this.batch();
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        this.ahead = new Map();
        this.process += 1;
        this.sitting = this.told.length;
      }
    }
    throw new Error('it does not end');
  }

  private outcome(): Outcome {
    const numbers = (keep: (n: number) => boolean) => this.bad.flatMap((_, n) => (keep(n) ? [n] : []));
    const there = this.content.get(this.head) ?? new Set();
    return {
      landed: numbers((n) => there.has(n)),
      blamed: this.blamed,
      conflicting: this.conflicting,
      bad: numbers((n) => this.bad[n] === true),
      later: numbers((n) => {
        const isPair = (one: number, other: number) => this.relation[one] === 'pair' && there.has(other);
        return !there.has(n) && (isPair(n, n - 1) || isPair(n + 1, n + 1));
      }),
      runs: this.runs,
      redBatches: this.redBatches,
      untested: this.untested,
      acts: this.acts,
      counted: this.total(({ runs }) => runs),
      inVain: this.total(({ in_vain = 0 }) => in_vain),
      together: this.together,
      outages: this.outages,
      holds: this.holds,
      unproven: this.unproven,
      twice: this.twice,
    };
  }

  private total(of: (batch: NonNullable<Queue['batches']>[number]) => number): number {
    return (queueOf(this.state).batches ?? []).reduce((sum, batch) => sum + of(batch), 0);
  }

  /** Something that changes the world or the record; the runner may die before it, and a person may come in between. */
  private act(): void {
    this.acts += 1;
    const { kill = 0, killAt, moves = 0 } = this.trial;
    if (moves > 0 && this.chance() < moves) this.moveByHand();
    if (this.acts === killAt || (kill > 0 && this.chance() < kill)) throw new Killed();
  }

  private record(change: (queue: Queue) => Queue): void {
    this.act();
    this.state = { ...this.state, goal: { ...this.state.goal, queue: change(queueOf(this.state)) } };
  }

  private moveByHand(): void {
    const moved = this.make(this.content.get(this.head) ?? new Set());
    this.green.add(moved); // a person's, and accepted
    this.head = moved;
  }

  private make(content: ReadonlySet<number>): string {
    const commit = commitOf(++this.commits);
    this.content.set(commit, content);
    return commit;
  }

  /** What finish-merge.ts does for one that was killed. */
  private settle(): void {
    const { batch } = queueOf(this.state);
    if (batch === undefined) return;
    const isThere = ({ candidate }: Entry) => {
      const has = this.content.get(this.head);
      const needs = this.content.get(candidate);
      return needs !== undefined && [...needs].every((n) => has?.has(n));
    };
    const judged = Math.max(0, ...batch.runs.filter(({ red }) => !red).map(({ upto }) => upto));
    const there = batch.entries.slice(batch.landed, judged).filter(isThere);
    const last = there.at(-1);
    if (last !== undefined) this.recordLanded(last.task);
    // One that was tested on top of it or beside it is not announced, and stays.
    if (this.announced && queueOf(this.state).batch?.base === batch.base) this.release();
  }

  private release(): void {
    this.record(released);
    // What was seen before convicts nobody.
    this.sitting = this.told.length;
    this.announced = false;
  }

  private recordLanded(task: string): void {
    const { batch } = queueOf(this.state);
    const upto = (batch?.entries.findIndex((entry) => entry.task === task) ?? -1) + 1;
    const tasks = new Set(batch?.entries.slice(batch.landed, upto).map((entry) => entry.task));
    this.record((queue) => landed(queue, task, ''));
    this.mark(tasks, 'MERGED');
  }

  private mark(ids: ReadonlySet<string>, status: Task['status']): void {
    const tasks = this.state.tasks.map((task) => (ids.has(task.id) ? { ...task, status } : task));
    this.state = { ...this.state, tasks };
  }

  private batch(): void {
    const known = queueOf(this.state).batch;
    const goesOn = known !== undefined && headOfBatch(known) === this.head;
    const entries = goesOn ? known.entries.slice(known.landed) : this.build();
    if (entries.length === 0) return;
    this.record((queue) => begun(queue, this.beginning(this.head, entries)));
    this.announced = true;
    if (!goesOn && this.isRed(entries.at(-1)?.candidate ?? '')) this.redBatches += 1;
    while (this.step());
  }

  private beginning(base: string, entries: readonly Entry[]) {
    return { base, since: '', entries: [...entries], process: `${this.process}` };
  }

  /** As many as there is room for are tested on top; each may be over before the batch itself, or after. */
  private fill(): void {
    for (;;) {
      const queue = queueOf(this.state);
      const base = tipOf(queue, this.settings.merge_lanes);
      if (base === undefined) return;
      const entries = this.build(base, withoutSome(this.state, inLanes(queue)));
      const last = entries.at(-1)?.candidate;
      if (last === undefined) return;
      this.record((now) => begunAhead(now, this.beginning(base, entries)));
      this.runs += 1;
      this.ahead.set(last, undefined);
    }
  }

  /** Those ahead that are over by now; what they show is recorded as long as they are ahead. */
  private endAhead(): void {
    for (const [candidate, known] of this.ahead) {
      const upto = aheadAt(queueOf(this.state), candidate)?.entries.length;
      if (known !== undefined || upto === undefined || this.chance() < 0.5) continue;
      const red = this.redNow(candidate);
      this.ahead.set(candidate, red);
      this.record((queue) => ranAhead(queue, candidate, { upto, red, time: '', log: 'x' }));
    }
  }

  private build(base = this.head, state = this.state, beside = false): readonly Entry[] {
    const entries: Entry[] = [];
    let tip = base;
    for (const task of nextBatch(state, this.settings, true)) {
      const n = Number(task.id.slice(1));
      const has = this.content.get(tip) ?? new Set();
      if (this.relation[n] === 'conflict' && has.has(n - 1)) {
        // With those before it alone: later.
        if (beside || base !== this.head || this.content.get(this.head)?.has(n - 1) !== true) continue;
        this.act();
        this.mark(new Set([task.id]), 'INTEGRATION_FAILED');
        this.conflicting.push(n);
        continue;
      }
      tip = this.make(new Set([...has, n]));
      entries.push({ task: task.id, commit: task.review_commit ?? '', candidate: tip });
    }
    return entries;
  }

  private isRed(commit: string): boolean {
    const has = this.content.get(commit) ?? new Set();
    return [...has].some((n) => this.bad[n] === true || (this.relation[n] === 'pair' && has.has(n - 1)));
  }

  private test(commit: string): boolean {
    this.act();
    this.runs += 1;
    return this.redNow(commit);
  }

  private redNow(commit: string): boolean {
    this.lose();
    const lacks = this.repair !== undefined && this.content.get(commit)?.has(this.repair) !== true;
    const red =
      this.isOut() || lacks || this.isShy(commit) || this.isRed(commit) || this.chance() < (this.trial.flake ?? 0);
    if (!red) this.green.add(commit);
    return red;
  }

  private isShy(commit: string): boolean {
    const isFirst = !this.seen.has(commit);
    this.seen.add(commit);
    return isFirst && [...(this.content.get(commit) ?? [])].some((n) => this.shy.has(n));
  }

  private lose(): void {
    const { goes = 0 } = this.trial;
    if (goes === 0 || this.repair !== undefined || this.chance() >= goes) return;
    const waits = this.state.tasks.flatMap(({ status }, n) => (status === 'APPROVED' ? [n] : []));
    this.repair = waits[Math.floor(this.chance() * waits.length)];
  }

  /** Two outages are at least as far apart as the runs of one search. */
  private isOut(): boolean {
    const { outages = 0 } = this.trial;
    if (outages === 0) return false;
    this.since += 1;
    if (this.outage === 0 && this.since > APART && this.chance() < outages) {
      this.outage = 1 + Math.floor(this.chance() ** 2 * 24);
      this.outages += 1;
    }
    if (this.outage === 0) return false;
    this.outage -= 1;
    this.since = 0;
    return true;
  }

  private step(): boolean {
    const queue = queueOf(this.state);
    const { batch } = queue;
    if (batch === undefined) return false;
    const idle = this.state.tasks.filter(({ status }) => status === 'APPROVED').length === 1;
    const step = batchStep(queue, { idle });
    if (step.step === 'done') return false;
    if (step.step === 'land') return this.land(batch.entries[step.upto - 1] as Entry);
    if (step.step === 'hold') return step.inTurn ? this.giveUp() : this.hold();
    if (step.step === 'beside') return this.beside(batch, batch.entries[step.at - 1] as Entry);
    if (step.step === 'turn') throw new Error('it has turned already');
    if (step.step === 'beneath') return this.beneath(batch);
    if (step.step === 'test') {
      const entry = batch.entries[step.upto - 1] as Entry;
      const isFirst = step.upto === batch.entries.length && !batch.runs.some(({ upto }) => upto === step.upto);
      // One that was tested on top of the last is the end of its row.
      if (isFirst && !this.ahead.has(entry.candidate)) this.fill();
      this.endAhead();
      if (this.told.some(({ commit, red }) => commit === entry.candidate && !red)) this.twice += 1;
      const red = (isFirst ? this.early(entry.candidate) : undefined) ?? this.test(entry.candidate);
      const entries = batch.entries.slice(batch.landed, step.upto);
      if (headOfBatch(batch) !== this.head) return this.giveUp();
      const isBetween = this.comesBetween();
      const isHeld = this.chance() < (this.trial.held ?? 0);
      if (isHeld && !red) {
        this.record((now) => ran(now, { upto: step.upto, red, time: '', log: 'x' }));
        this.tell(entry.candidate, red);
        return this.giveUp();
      }
      this.record((now) =>
        red
          ? ran(now, { upto: step.upto, red, time: '', log: 'x' })
          : ranGreen(now, this.beginning(headOfBatch(batch), entries), { log: 'x' }),
      );
      this.tell(entry.candidate, red);
      if (isBetween) this.sitting = this.told.length;
      if (red) this.ahead = new Map();
      return isHeld ? this.giveUp() : true;
    }
    const culprit = batch.entries[step.at - 1] as Entry;
    const n = Number(culprit.task.slice(1));
    // All were written before anything landed.
    const without = step.at > 1 ? this.content.get(batch.base) : this.content.get(commitOf(0));
    const learns = step.at > 1 || (this.content.get(batch.base)?.size ?? 0) > 0;
    if (step.step === 'alone' && learns) {
      const candidate = this.make(new Set([...(without ?? []), n]));
      const red = this.test(candidate);
      this.record((now) => ranAlone(now, { candidate, red, log: 'x' }));
      return true;
    }
    this.record((now) => left(now, culprit.task, ''));
    this.announced = false;
    this.mark(new Set([culprit.task]), 'INTEGRATION_FAILED');
    this.blamed.push(n);
    if (!this.isProven(n, culprit, batch)) this.unproven.push(n);
    if (batch.alone?.red === false) this.together.push(n);
    if (!batch.runs.every(isTest)) throw new Error('a run without a log');
    return false;
  }

  /** A person holds the queue and lets it go on while a test runs. */
  private comesBetween(): boolean {
    const { between = 0 } = this.trial;
    if (between === 0 || this.chance() >= between) return false;
    this.record((queue) => interrupted(interrupted(queue), false));
    return true;
  }

  private tell(commit: string, red: boolean): void {
    this.told.push({ commit, red });
  }

  /**
   * Red, green without it, and red again: in one sitting, since the last time that it was green itself. The last two differ
   * in nothing but it, and the last one had been tested before; where many are bad, `''` is enough.
   */
  private isProven(n: number, { task, candidate }: Entry, { entries, landed: there, base }: Batch): boolean {
    const beneath = entries[there - 1]?.candidate ?? base;
    const all = this.told.slice(this.told.findLastIndex(({ commit, red }) => commit === candidate && !red) + 1);
    const since = all.slice(-Math.max(0, this.told.length - this.sitting) || all.length);
    const whole = entries.at(-1)?.candidate ?? '';
    const first = since.findIndex(({ commit, red }) => red && commit === candidate);
    const isPair = (without: string, withIt: string): boolean => {
      const green = since.findIndex(({ commit, red }, at) => at > first && !red && commit === without);
      return green !== -1 && since.slice(green).some(({ commit, red }) => red && commit === withIt);
    };
    if (first === -1 || this.content.get(candidate)?.has(n) !== true) return false;
    if (isPair(beneath, candidate) || isPair(`beside ${task}`, whole)) return true;
    return entries.length - there === 1 && isPair('', candidate);
  }

  /** Those behind the one that is suspected, as they would be chosen if it had left. */
  private beside(batch: Batch, { task }: Entry): boolean {
    const { beside: _none, ...bare } = batch;
    const queue = left({ ...queueOf(this.state), batch: bare }, task, '');
    const without = { ...withoutSome(this.state, new Set([task])), goal: { ...this.state.goal, queue } } as State;
    const base = headOfBatch(batch);
    const entries = this.build(base, without, true);
    if (entries.length === 0) return this.beneath(batch);
    this.record((now) => begunBeside(now, this.beginning(base, entries)));
    const red = this.test(entries.at(-1)?.candidate ?? '');
    this.record((now) => turned(ranBeside(now, { upto: entries.length, red, time: '', log: 'x' }), ''));
    const rest = batch.entries.slice(batch.landed + 1);
    const isRest = rest.length === entries.length && rest.every((one, n) => one.task === entries[n]?.task);
    if (!red) this.tell(isRest ? `beside ${task}` : '', red);
    return this.goesOn(batch);
  }

  /** Those beside it are the batch by now, if the branch is red. */
  private goesOn({ entries }: Batch): boolean {
    if (queueOf(this.state).batch?.entries.at(-1)?.task === entries.at(-1)?.task) return true;
    this.announced = false;
    return false;
  }

  private beneath(batch: Batch): boolean {
    const red = this.test(headOfBatch(batch));
    if (headOfBatch(batch) !== this.head) return this.giveUp();
    this.record((now) => turned(ranBeneath(now, { red, time: '', log: 'x' }), ''));
    this.tell(headOfBatch(batch), red);
    return this.goesOn(batch);
  }

  /** A person looks after it, or lets it go on too early. */
  private hold(): false {
    this.record((now) => ended(now, ''));
    this.announced = false;
    this.holds += 1;
    if (this.chance() < 0.7) [this.outage, this.repair] = [0, undefined];
    return false;
  }

  /** A test that was begun ahead is awaited. */
  private early(candidate: string): boolean | undefined {
    const { early } = queueOf(this.state).batch ?? {};
    if (early !== undefined) return early.red && early.old === true ? undefined : early.red;
    if (!this.ahead.has(candidate)) return undefined;
    const red = this.ahead.get(candidate) ?? this.redNow(candidate);
    this.ahead.delete(candidate);
    return red;
  }

  private giveUp(): false {
    this.release();
    return false;
  }

  private land({ task, candidate }: Entry): boolean {
    this.act();
    const { batch } = queueOf(this.state);
    if (batch === undefined || headOfBatch(batch) !== this.head) return this.giveUp(); // the compare-and-swap fails
    const there = [...(this.content.get(this.head) ?? [])];
    if (!there.every((n) => this.content.get(candidate)?.has(n))) throw new Error('it lands before another');
    this.head = candidate;
    if (!this.green.has(candidate)) this.untested += 1;
    this.recordLanded(task);
    return true;
  }
}
