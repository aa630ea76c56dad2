// Kill -9 at any instant loses no acknowledged write and invents none; disk full or an I/O error leaves
// the old state and a non-zero exit. Every operation is stopped at every mutating call
// in every way of test/faults.ts; then a reader looks, then another command writes. `npm test` tries a fifth of the calls
// for each way, another fifth for the next way, and always the first and the last.

import fs from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { errorCode, realFiles } from '../../../src/ports/files.ts';
import { OPERATOR } from '../../../src/protocol/board.ts';
import { Refused } from '../../../src/protocol/decision.ts';
import { RECORD_SECTIONS, type State } from '../../../src/protocol/state.ts';
import { same } from '../../../src/protocol/values.ts';
import { normalise } from '../../../src/store/file-values.ts';
import { mirrorJournal, rebuild } from '../../../src/store/git-dir-copy.ts';
import { verifyJournal } from '../../../src/store/verify.ts';
import { parseDocument } from '../../../src/store/yaml/document.ts';
import { parseStrict } from '../../../src/store/yaml/strict.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { FAULTS, type Fault, faultyFiles, Killed } from '../../faults.ts';
import { inFull } from '../../runs.ts';
import {
  command,
  contextIn,
  disownLeftovers,
  leftovers,
  makeYard,
  note,
  OPERATIONS,
  type Operation,
  replay,
  type Yard,
} from './fault-project.ts';

let yard: Yard;
beforeAll(async () => {
  yard = await makeYard();
});

describe.each(OPERATIONS)('$name', (operation) => {
  it.each(operation.faults ?? FAULTS)('is whole before or after: %s', async (fault) => {
    const { calls, chains } = await rehearse(operation);
    const failures: string[] = [];
    const ends = new Set<number>();
    for (const at of points(fault, calls)) {
      const root = yard.copy(operation.board);
      const answer = await attempt(operation.run, root, fault, at);
      const { end, problems } = await examine(root, operation, chains, lockFor(fault, at));
      ends.add(end);
      if (answer === 'done' && end < (operation.promises ?? chains.length - 1))
        problems.push('an acknowledged write is lost');
      if (answer === 'failed' && end !== 0) problems.push(`it failed, yet ${end} of its entries stand`);
      failures.push(...problems.map((problem) => `${fault} at ${at} (${calls[at - 1] ?? 'the end'}): ${problem}`));
    }
    expect(failures, failures.slice(0, 40).join('\n')).toEqual([]);
    // Both sides of the commit point were reached, or this would prove nothing.
    expect(ends).toContain(0);
    expect(ends).toContain(chains.length - 1);
  });
});

describe('a command that finds a stopped one', () => {
  const stops: readonly [Fault, string][] = [
    ['torn', 'write journal.jsonl'],
    ['kill', 'rename state.yaml'],
    ['torn', 'write log.yaml'],
  ];
  it.each(stops)('may itself be stopped anywhere: after %s at %s', async (fault, label) => {
    const operation = OPERATIONS.find(({ name }) => name === 'add-task') as Operation;
    const second = command(OPERATOR, note('second'));
    const { calls, chains } = await rehearse(operation);
    const begun = async (): Promise<string> => {
      const root = yard.copy(operation.board);
      expect(await attempt(operation.run, root, fault, calls.indexOf(label) + 1)).toBe('killed');
      return root;
    };
    const counted = faultyFiles();
    const whole = contextIn(await begun(), counted.files);
    expect(await second(whole)).toMatchObject({ ok: true });
    const after = replay(whole);
    const before = chains.at(label === 'write journal.jsonl' ? 0 : -1) ?? [];
    const failures: string[] = [];
    for (const how of ['kill', 'EIO'] as const) {
      for (const at of points(how, counted.calls)) {
        const root = await begun();
        const answer = await attempt(second, root, how, at);
        const { end, problems } = await examine(root, operation, [before, after], 'none');
        if (answer === 'done' && end !== 1) problems.push('an acknowledged write is lost');
        if (answer === 'failed' && end !== 0) problems.push('it failed, yet its entry stands');
        failures.push(...problems.map((problem) => `${how} at ${at} (${counted.calls[at - 1]}): ${problem}`));
      }
    }
    expect(failures, failures.slice(0, 40).join('\n')).toEqual([]);
  });
});

interface Rehearsal {
  readonly calls: readonly string[];
  /** The journal before the operation, after its first entry, and so on. */
  readonly chains: readonly Chain[];
}
type Chain = ReturnType<typeof replay>;

const rehearsals = new Map<Operation, Promise<Rehearsal>>();

function rehearse(operation: Operation): Promise<Rehearsal> {
  const known = rehearsals.get(operation) ?? rehearsed(operation);
  rehearsals.set(operation, known);
  return known;
}

async function rehearsed(operation: Operation): Promise<Rehearsal> {
  const counted = faultyFiles();
  const context = contextIn(yard.copy(operation.board), counted.files);
  const had = operation.board === 'repository' ? 0 : Math.max(1, replay(context).length);
  const answer = await operation.run(context);
  expect(answer, JSON.stringify(answer)).toMatchObject({ ok: true });
  const all = replay(context);
  // The edit is the person's, not the command's: it stands however the command ends.
  const first = operation.board === 'edited' ? had + 1 : had;
  const chains = all.slice(first - 1).map((_, index) => all.slice(0, first + index));
  return { calls: counted.calls, chains: first === 0 ? [[], all] : chains };
}

/**
 * All calls, but: `kill-after` n leaves what `kill` n + 1 leaves, so that only the last one is new; of many
 * folders made or many parts of one file written in a row the first and the last are tried.
 */
function points(fault: Fault, calls: readonly string[]): readonly number[] {
  const all = allPoints(fault, calls);
  if (inFull) return all;
  const turn = FAULTS.indexOf(fault) % 5;
  return all.filter((_, n) => n % 5 === turn || n === 0 || n === all.length - 1);
}

function allPoints(fault: Fault, calls: readonly string[]): readonly number[] {
  if (fault === 'kill-after') return [1, calls.length];
  const kinds = calls.map((call) => (call.startsWith('makeDirectory ') ? 'makeDirectory' : call));
  const inner = (at: number) => kinds[at - 2] === kinds[at - 1] && kinds[at - 1] === kinds[at];
  const every = calls.map((_, index) => index + 1).filter((at) => !inner(at));
  if (fault === 'power-cut') return [...every, calls.length + 1];
  if (fault === 'torn' || fault === 'cut') return every.filter((at) => calls[at - 1]?.startsWith('write ') === true);
  return every;
}

/** The real lock costs a process each time: some tries of every kind show that it is free afterwards. */
const lockFor = (fault: Fault, at: number): 'real' | 'none' =>
  at % 5 === 0 || fault === 'torn' || fault === 'kill-after' ? 'real' : 'none';

async function attempt(
  run: Operation['run'],
  root: string,
  fault: Fault,
  at: number,
): Promise<'done' | 'failed' | 'killed'> {
  const faulty = faultyFiles(fault, at);
  try {
    const { ok } = await run(contextIn(root, faulty.files, lockFor(fault, at)));
    if (faulty.dead) return 'killed';
    if (fault === 'power-cut') faulty.cutPower();
    return ok ? 'done' : 'failed';
  } catch (error) {
    if (faulty.dead && error instanceof Killed) return 'killed';
    if (!faulty.dead && (errorCode(error) === 'ENOSPC' || errorCode(error) === 'EIO')) return 'failed';
    throw error;
  } finally {
    disownLeftovers(root);
  }
}

interface Examined {
  /** Which of the chains the board turned out to have. */
  readonly end: number;
  readonly problems: string[];
}

/** A reader looks first, then another command writes; both must find one of the chains, whole. */
async function examine(
  root: string,
  operation: Operation,
  chains: readonly Chain[],
  lock: 'real' | 'none',
): Promise<Examined> {
  const problems: string[] = [];
  const context = contextIn(root, realFiles, lock);
  const seen = await look(root, chains, problems);
  const none = seen === undefined && chains[0]?.length === 0;
  if (none) {
    // Without .liza the command line finds no project at all.
    const early = fs.existsSync(context.paths.liza) && (await command(OPERATOR, note('too early'))(context)).ok;
    if (early) problems.push('a note was taken on a board that is not there');
    if (!(await operation.run(context)).ok) problems.push('it cannot be done again');
  }
  const next = await command(OPERATOR, note('next'))(context);
  if (!next.ok) return { end: -1, problems: [...problems, `the next command is refused: ${JSON.stringify(next)}`] };
  const all = replay(context);
  const at = all.findIndex(({ text }) => text.includes('message: next'));
  const left = all.slice(0, at);
  const found = chains.findIndex((chain) => same(chain, left));
  if (found === -1) problems.push(`neither before nor after: ${left.map((entry) => entry.command).join(', ')}`);
  if (seen !== undefined && seen !== left.at(-1)?.text) problems.push('the reader saw another state than the writer');
  const end = none ? 0 : found;
  if (fs.readFileSync(context.paths.state, 'utf8') !== all.at(-1)?.text) problems.push('state.yaml is behind');
  problems.push(...(await audit(root)));
  const effect = operation.effect?.(context, end === chains.length - 1);
  if (effect !== undefined) problems.push(effect);
  if (operation.archives !== undefined) problems.push(...(await archived(root, operation, chains[0] ?? [])));
  return { end, problems };
}

/** The text that a lock-free reader sees; undefined: no board. Only the cache may change meanwhile. */
async function look(root: string, chains: readonly Chain[], problems: string[]): Promise<string | undefined> {
  const counted = faultyFiles();
  const store = yamlStore(contextIn(root, counted.files));
  let text: string | undefined;
  let seq = 0;
  try {
    const { board, notices, ...snapshot } = await store.read();
    seq = snapshot.seq;
    for (const chain of chains) {
      const last = chain.at(-1)?.text;
      if (last !== undefined && same(await stateIn(last), board.state)) text ??= last;
    }
    if (text === undefined) problems.push('a reader sees neither the old nor the new state');
    const alarm = notices.find(({ level }) => level === 'alarm');
    if (alarm !== undefined) problems.push(`a reader is alarmed: ${alarm.message}`);
    for (const task of board.state.tasks) {
      if (!same((await store.readTask(task.id))?.task, task)) problems.push(`show ${task.id} differs from the board`);
    }
  } catch (error) {
    if (!(error instanceof Refused) || error.refusal.guard !== 'no-board') throw error;
  }
  const touched = counted.calls.filter((call) => !/ (cache|board\.ndjson.*)$/.test(call));
  if (touched.length > 0) problems.push(`a reader changes files: ${touched.join(', ')}`);
  if (seq > 0) problems.push(...intact(root).map((problem) => `for a reader: ${problem}`));
  return text;
}

/** What must hold at any time: the chain is whole, and the state comes back without state.yaml. */
function intact(root: string): readonly string[] {
  const context = contextIn(root);
  const { paths } = context;
  const rebuilt = rebuild(realFiles, paths.journal, paths.mirror);
  const lost = rebuilt === replay(context).at(-1)?.text ? [] : ['the journal does not rebuild the state'];
  return [...verifyJournal(context).problems, ...lost];
}

/** What must hold after any command that succeeded. */
async function audit(root: string): Promise<readonly string[]> {
  const context = contextIn(root);
  const { paths } = context;
  const all = replay(context);
  const { remarks, voids } = verifyJournal(context);
  const found = [...intact(root), ...remarks, ...leftovers(root).map((file) => `left behind: ${file}`)];
  if (voids > 0) found.push(`${voids} void lines`);
  const log = await parseStrict(fs.readFileSync(paths.log, 'utf8'));
  const logged = log.ok && Array.isArray(log.value) ? log.value : [];
  const told = logged.map((record: { entry: number; action: string }) => `${record.entry} ${record.action}`);
  const wanted = all.map((entry, index) => `${index + 1} ${entry.command}`);
  if (!same(told, wanted)) found.push(`log.yaml tells ${log.ok ? told.join(', ') : 'nothing: it is not YAML'}`);
  const mirror = paths.mirror ?? '';
  if (rebuild(realFiles, mirrorJournal(mirror), mirror) !== all.at(-1)?.text)
    found.push('the copy does not rebuild it');
  return found;
}

/** A task is on the board or in the archive, never in both or neither, and always whole. */
async function archived(root: string, { run, archives = [] }: Operation, before: Chain): Promise<readonly string[]> {
  const context = contextIn(root);
  const problems: string[] = [];
  const original = (await stateIn(before.at(-1)?.text ?? '')).tasks;
  const { board } = await yamlStore(context).read();
  for (const id of archives) {
    const live = board.state.tasks.some((task) => task.id === id);
    if (live === board.archived.has(id)) problems.push(`${id} is in ${live ? 'both places' : 'neither place'}`);
    const shown = await yamlStore(context).readTask(id);
    const was = original.find((task) => task.id === id);
    if (!same(shown?.task, was)) problems.push(`${id} is not what it was`);
  }
  if (!(await run(context)).ok) problems.push('archiving cannot be done again');
  const file = await parseStrict(fs.readFileSync(`${context.paths.archive}/tasks.yaml`, 'utf8'));
  const kept = file.ok && Array.isArray(file.value) ? file.value.map((task: { id: string }) => task.id) : ['not YAML'];
  if (!same(kept.sort(), [...archives].sort())) problems.push(`archive/tasks.yaml holds ${kept.join(', ')}`);
  return problems;
}

const states = new Map<string, State>();

async function stateIn(text: string): Promise<State> {
  const known = states.get(text);
  if (known !== undefined) return known;
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(parsed.message);
  const { state } = normalise(parsed.doc.value);
  states.set(text, state);
  return state;
}
