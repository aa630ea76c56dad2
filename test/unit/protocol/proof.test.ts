// What proves a commit: the gate before a task may be claimed, the guard of the submission, the record of red runs.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { isInstruction, steersAgents } from '../../../src/protocol/facts/instruction-files.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import {
  greenAt,
  knownProof,
  type Proof,
  proofCommands,
  skipsAt,
  testsAt,
} from '../../../src/protocol/review/proof.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addDraft,
  addReady,
  BASE,
  begin,
  CODER,
  claimed,
  commit,
  finalize,
  HUMAN,
  PLANNER,
  proof,
  proved,
  SUPERVISOR,
  submit,
  toClaimed,
  type World,
  world,
} from './world.ts';

const at = commit(0x77);

function begun(config = {}): World {
  const w = claimed();
  w.edit((state) => ({ ...state, config: { ...state.config, ...config } }));
  w.run(CODER, begin('a'));
  return w;
}

const red = (more: Partial<Proof> = {}): Proof =>
  proof(at, { disproof: { guard: 'validation', reason: '"npm test" ended with 1', hint: 'Mend it' }, ...more });
const record = (given: Proof): Command => ({ name: 'record-validation', task: 'a', proof: given });

describe('a code task needs a command that proves it', () => {
  it('finalize refuses one with neither validation nor test_command, and says the ways out that its reader has', () => {
    for (const test_command of [null, undefined, '  '] as const) {
      const w = world({ test_command });
      w.run(PLANNER, addDraft('a'));
      const refusal = w.refused(PLANNER, finalize('a'));
      expect(refusal.guard).toBe<RefusalName>('proof');
      expect(refusal.hint).toContain('liza amend a --validate');
      expect(refusal.hint).not.toContain('liza config set');
      expect(w.refused(HUMAN, finalize('a')).hint).toMatch(/liza amend a --validate.*liza config set test_command/);
      expect(w.refused(PLANNER, addReady('b')).guard).toBe<RefusalName>('proof');
      expect(w.refused(PLANNER, addReady('b', { validation: ['', ' '] })).guard).toBe<RefusalName>('input');
      w.run(PLANNER, addReady('b', { validation: ['make check'] }));
    }
  });

  it('a docs task needs none; a claimed one cannot lose it', () => {
    const w = world({ test_command: null });
    w.run(PLANNER, addReady('a', { type: 'docs', scope: 'IN: docs/' }));
    w.run(PLANNER, addReady('b', { validation: ['make check'] }));
    const emptied: Command = { name: 'amend', task: 'b', changes: { validation: [] }, facts: { spec_exists: true } };
    expect(w.refused(PLANNER, emptied).guard).toBe<RefusalName>('proof');
  });

  it('the task’s own commands first, each once, none that is blank', () => {
    const task = { validation: [' npm test', 'lint', 'lint', ' '] } as unknown as Parameters<typeof proofCommands>[1];
    expect(proofCommands({ test_command: 'npm test' }, task)).toEqual(['npm test', 'lint']);
    expect(proofCommands({ test_command: null }, task)).toEqual(['npm test', 'lint']);
  });
});

describe('a submission needs the proof', () => {
  it.each<[string, Proof | undefined]>([
    ['none', undefined],
    ['of another commit', proof(commit(0x78))],
    ['of other commands', proof(at, { commands: ['true'] })],
    ['with a command that was not run', proof(at, { runs: [] })],
    ['with a red run', proof(at, { runs: proof(at).runs.map((run) => ({ ...run, ok: false })) })],
  ])('%s is refused', (_what, given) => {
    const w = begun();
    const { proof: _default, ...facts } = (submit('a', at) as { facts: { proof: Proof } }).facts;
    const command = { ...submit('a', at), facts: { ...facts, ...(given && { proof: given }) } } as Command;
    expect(w.refused(CODER, command)).toMatchObject(refusedBy('proof', { code: 1 }));
  });

  it('a disproof is told with its own reason', () => {
    const w = begun();
    const refusal = w.refused(CODER, submit('a', at, { proof: red() }));
    expect(refusal).toMatchObject(refusedBy('validation', { hint: 'Mend it' }));
    expect(refusal.message).toContain('"npm test" ended with 1');
  });

  it('under tdd: strict what was found as mere evidence is not enough', () => {
    const w = begun({ tdd: 'strict' });
    const tests = { mode: 'evidence', base: BASE, base_alone: 'green', on_base: 'red', base_tests: 'same' } as const;
    expect(w.refused(CODER, submit('a', at, { proof: proof(at, { tests }) })).guard).toBe<RefusalName>('proof');
    // Run while tdd was off: nothing was looked at, although the commit has tests.
    expect(w.refused(CODER, submit('a', at, { proof: proof(at) })).guard).toBe<RefusalName>('proof');
    w.run(CODER, submit('a', at, { proof: proof(at, { tests: { ...tests, mode: 'strict' } }) }));
  });

  it('it is in history, with how often the same commit was red before', () => {
    const w = begun();
    w.run(CODER, record(red()));
    w.run(CODER, submit('a', at));
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'submitted', red_before: 1, proof: { commit: at } });
  });

  it('where nothing proves it, nothing is asked for', () => {
    const w = begun({ test_command: null });
    const { proof: _none, ...facts } = (submit('a', at) as { facts: { proof: Proof } }).facts;
    w.run(CODER, { ...submit('a', at), facts } as Command);
  });
});

describe('record-validation', () => {
  it('red: the end of the output, bounded tries, then BLOCKED against the coder', () => {
    const w = begun({ max_coder_iterations: 3 });
    w.run(CODER, record(red()));
    w.run(CODER, record(red()));
    expect(w.task('a').status).toBe('CLAIMED');
    w.run(CODER, record(red()));
    expect(w.task('a')).toMatchObject({ status: 'BLOCKED', failures_current: ['coder-1'] });
    expect(w.task('a').history?.filter(({ event }) => event === 'validation_failed')).toHaveLength(3);
  });

  it('starts counting again in the next iteration', () => {
    const w = begun({ max_coder_iterations: 3 });
    w.run(CODER, record(red()));
    w.run(CODER, record(red()));
    w.run(CODER, submit('a', at));
    w.run(SUPERVISOR, { name: 'claim-review', task: 'a', agent: 'code-reviewer-1' });
    w.run(
      { id: 'code-reviewer-1', parts: ['code_reviewer'] },
      {
        name: 'submit-verdict',
        task: 'a',
        verdict: 'REJECTED',
        reason:
          'Blockers: 1\n- [blocker] src/a.ts:1 — no\n  Why it matters: x\n  Suggestion: y\nConcerns: 0\nOverall: no.',
        facts: { unknown_places: [], outside_diff: [], false_evidence: [], changed_files: [] },
      },
    );
    toClaimed(w, 'a');
    w.run(CODER, record(red()));
    expect(w.task('a').status).toBe('CLAIMED');
  });

  it('green is kept while paused, once, and found again', () => {
    const w = begun();
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    w.run(CODER, record(proof(at)));
    expect(w.run(CODER, record(proof(at))).already).toBe(true);
    expect(knownProof(w.task('a'), at, ['npm test'], 'evidence')).toMatchObject({ commit: at });
    expect(knownProof(w.task('a'), at, ['npm test'], 'strict')).toBeUndefined();
    expect(knownProof(w.task('a'), at, ['other'], 'off')).toBeUndefined();
    expect(knownProof(w.task('a'), commit(1), ['npm test'], 'off')).toBeUndefined();
  });

  it('only by the coder that holds the task', () => {
    const w = begun();
    expect(w.refused({ id: 'coder-2', parts: ['coder'] }, record(proof(at))).guard).toBe<RefusalName>('holds-task');
    expect(w.refused(PLANNER, record(proof(at))).guard).toBe<RefusalName>('role');
  });

  it('a base is known to be green by its own proof, or by that of a task that began there', () => {
    const w = begun();
    const tests = { mode: 'evidence', base: BASE, base_alone: 'green', on_base: 'red', base_tests: 'same' } as const;
    expect([...greenAt(w.state, BASE)]).toEqual([]);
    w.run(CODER, submit('a', at, { proof: proved(w, 'a', at, { tests }) }));
    expect([...greenAt(w.state, BASE)]).toEqual(['npm test']);
    // Where others are red there, those that were green are told by name.
    const partly = begun();
    const some = { ...tests, base_alone: 'partly', base_green: ['make lint'] } as const;
    partly.run(CODER, submit('a', at, { proof: proved(partly, 'a', at, { tests: some }) }));
    expect([...greenAt(partly.state, BASE)]).toEqual(['make lint']);
    // Command by command: another task may have asked for more.
    expect([...greenAt(w.state, at)]).toEqual(['npm test']);
  });

  it('what a proof counted on its base is known of that base, so that the next one need not count it again', () => {
    const w = begun();
    const tests = { mode: 'evidence', base: BASE, base_alone: 'green', on_base: 'red', base_tests: 'same' } as const;
    const [run] = proved(w, 'a', at).runs;
    if (run === undefined) throw new Error('no run');
    const runs = [{ ...run, tests: 41, skipped: '41 passed, 41 skipped', tests_on_base: 40, skips_on_base: 39 }];
    w.run(CODER, submit('a', at, { proof: proved(w, 'a', at, { tests, runs }) }));
    expect([...testsAt(w.state, BASE)]).toEqual([['npm test', 40]]);
    expect([...skipsAt(w.state, BASE)]).toEqual([['npm test', 39]]);
    expect([...skipsAt(w.state, at)]).toEqual([['npm test', 41]]);
  });
});

describe('what steers whom', () => {
  it.each(['CLAUDE.md', 'docs/claude.md', 'a/AGENTS.md', '.claude/x/y.json', '.codex/config.toml', '.cursorrules'])(
    '%s steers agents',
    (path) => expect(steersAgents(path) && isInstruction(path)).toBe(true),
  );
  it.each([
    ...['.cursor/rules/a.mdc', 'opencode.jsonc', '.opencode/a', '.mcp.json', '.github/copilot-instructions.md'],
    ...['sub/.gemini/settings.json', '.gitattributes', 'GEMINI.md'],
  ])('%s steers agents, too', (path) => expect(steersAgents(path)).toBe(true));
  it.each(['scripts/integration-test.sh', '.github/workflows/ci.yml', '.husky/pre-commit'])(
    '%s is an instruction, but no agent’s',
    (path) => expect([isInstruction(path), steersAgents(path)]).toEqual([true, false]),
  );
  it.each(['src/agents.ts', 'docs/claude.txt', 'cursor.ts', 'src/codex/x.ts'])('%s is neither', (path) =>
    expect(isInstruction(path)).toBe(false),
  );
});
