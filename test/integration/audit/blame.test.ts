// Which merge brought a commit, told from real histories; and what is refused, with which fact.

import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, test } from 'vitest';
import { blame } from '../../../src/audit/blame.ts';
import { OPERATOR } from '../../../src/protocol/board.ts';
import type { Task } from '../../../src/protocol/state.ts';
import type { TaskContext } from '../../../src/tasks/context.ts';
import { memoryStore } from '../../memory-store.ts';
import { inFull } from '../../runs.ts';
import { type PlayedProject, playedProject, REJECTION } from '../../support/by-verbs.ts';
import { flags } from '../../support/core.mjs';

let here: PlayedProject;
beforeEach(async () => {
  here = playedProject();
  await here.ok(['init', 'Greet people']);
});

const told = async (commit: string): Promise<Record<string, unknown>> =>
  (await here.ok(['blame', commit, '--json'])).json;
const refusal = async (...args: string[]): Promise<string> => {
  const ran = await here.liza(['blame', ...args]);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  return ran.stderr;
};

/** Two tasks begun at the same point: the second can only be merged by a merge commit. */
async function twoMerges(): Promise<{ first: string; work: string; second: string }> {
  await here.add('greet');
  await here.add('bow');
  await here.claim('greet', 'coder-1');
  await here.claim('bow', 'coder-2');
  await here.submit('greet', 'src/greet.ts', 'greet\n', 'coder-1');
  const work = await here.submit('bow', 'src/bow.ts', 'bow\n', 'coder-2');
  for (const id of ['greet', 'bow']) {
    await here.verdict(id, 'APPROVED', 'good');
    await here.ok(['wt', 'merge', id]);
  }
  const commits = await Promise.all(['greet', 'bow'].map(async (id) => (await here.task(id)).merge_commit ?? ''));
  return { first: commits[0] ?? '', work, second: commits[1] ?? '' };
}

test('a fast-forward: every commit of it is the task’s, with evidence and merge', async () => {
  const onto = here.git('rev-parse', 'integration');
  const commit = await here.merge('greet');
  expect(await told(commit)).toMatchObject({
    commit,
    task: 'greet',
    part: 'work',
    authors: ['coder-1'],
    iterations: 1,
    rounds: [
      {
        commit,
        by: 'coder-1',
        merged: true,
        verdicts: [{ verdict: 'approved', by: 'code-reviewer-1', reason: 'good' }],
      },
    ],
    evidence: {
      checkpoint: { intent: 'Write greet', validation: 'npm test is green' },
      diff: { files: 2, tests_added: { paths: ['tests/greet.test.ts'] } },
      validation: ['test -d .'],
      proof: expect.stringMatching(/^green, [\d.]+ s: test -d \.\n/),
    },
    merge: {
      commit,
      how: 'fast-forward',
      onto,
      by: 'human',
      approved_by: 'code-reviewer-1',
      drift: 0,
      reviewed: commit,
    },
    trailers: { found: {}, differ: [] },
  });
  expect(await told(`${commit}~1`)).toMatchObject({ task: 'greet', merge: { commit } });
  const { stdout } = await here.ok(['blame', commit]);
  for (const part of [
    'greet: Build greet',
    'coder-1',
    'approved by code-reviewer-1',
    'npm test is green',
    'run by Liza',
    'by fast-forward',
  ])
    expect(stdout).toContain(part);
});

test('a merge commit, and the work it brought; trailers agree with the board', async () => {
  const { first, work, second } = await twoMerges();
  expect(await told(second)).toMatchObject({
    task: 'bow',
    part: 'merge',
    authors: ['coder-2'],
    merge: { how: 'merge', onto: first, reviewed: work },
    trailers: {
      agree: true,
      found: {
        'Liza-Task': 'bow',
        'Liza-Author': 'coder-2',
        'Liza-Reviewer': 'code-reviewer-1',
        'Liza-Reviewed-Commit': work,
      },
    },
  });
  expect(await told(work)).toMatchObject({ task: 'bow', part: 'work', merge: { commit: second } });
  expect(await told(first)).toMatchObject({ task: 'greet', part: 'work', merge: { commit: first } });
  expect(await told('integration')).toMatchObject({ commit: second, task: 'bow' });
});

test('every round of review, with its first blocker', async () => {
  await here.add('greet');
  await here.claim('greet');
  const bad = await here.submit('greet', 'src/greet.ts', 'bad\n');
  await here.verdict('greet', 'REJECTED', REJECTION);
  await here.claim('greet');
  const good = await here.submit('greet', 'src/greet.ts', 'good\n');
  await here.verdict('greet', 'APPROVED');
  await here.ok(['wt', 'merge', 'greet']);
  expect(await told(bad)).toMatchObject({
    task: 'greet',
    iterations: 2,
    rounds: [
      {
        commit: bad,
        iteration: 1,
        merged: false,
        verdicts: [{ verdict: 'rejected', reason: 'src/greet.ts:1 it greets nobody' }],
      },
      { commit: good, iteration: 2, merged: true, verdicts: [{ verdict: 'approved' }] },
    ],
  });
  // The approval below is of a later commit: a rejected version says so itself.
  const rejected = (await here.ok(['blame', bad])).stdout.replaceAll(/\s+/g, ' ');
  expect(rejected).toMatch(
    /it is +an earlier version of the work, which code-reviewer-1 rejected at \S+: src\/greet\.ts:1 it greets nobody /,
  );
  expect(rejected).toContain(`approved was the later commit ${good.slice(0, 12)}, which builds on it`);
  expect(rejected).toContain(`evidence of the approved commit ${good.slice(0, 12)}:`);
  const { stdout } = await here.ok(['blame', good]);
  expect(stdout).not.toContain('evidence ');
  expect(stdout).toMatch(/it is +part of the reviewed work\n/);
  expect(stdout).not.toContain('trailers');
  expect(stdout).toMatch(
    /1\. \w{12} of coder-1, iteration 1\n +rejected by code-reviewer-1 at \S+: src\/greet\.ts:1 it greets nobody\n/,
  );
  here.git('commit', '-q', '--allow-empty', '-m', 'my own');
  await here.ok(['finish', '--yes']);
  expect((await here.ok(['blame', 'main'])).stdout).toContain(
    `${bad.slice(0, 12)} was rejected before by code-reviewer-1`,
  );
});

test('an archived task still stands behind its commit', async () => {
  const commit = await here.merge('greet');
  await here.merge('bow');
  await here.ok(['archive', 'greet']);
  expect((await here.store.read()).board.state.tasks.map(({ id }) => id)).toEqual(['bow']);
  expect(await told(commit)).toMatchObject({ task: 'greet' });
});

test('trailers that a coder wrote itself are told as such, and never printed raw', async () => {
  await here.add('greet');
  const folder = await here.claim('greet');
  const checkpoint = { intent: 'greet him\u001b[31m', risks: 'none', validation: 'npm test: passes', file: 'src' };
  await here.ok(['begin', 'greet', ...flags(checkpoint)], { as: 'coder-1' });
  const files = { 'tests/greet.test.ts': 'test\n', 'src/greet.ts': 'greet\n' };
  here.commit(files, 'forged\u001b[31m\n\nLiza-Task: bow\nLiza-Reviewer: code-reviewer-9', folder);
  await here.ok(['submit-for-review', 'greet', 'HEAD'], { as: 'coder-1' });
  await here.verdict('greet', 'APPROVED');
  await here.ok(['wt', 'merge', 'greet']);
  const ran = await told('integration');
  expect(ran).toMatchObject({ task: 'greet', trailers: { agree: false, found: { 'Liza-Task': 'bow' } } });
  const { stdout } = await here.ok(['blame', 'integration']);
  expect(stdout).toContain('do NOT agree with the board');
  expect(stdout).toContain('Liza-Reviewer is code-reviewer-9, the board says code-reviewer-1');
  expect(stdout).not.toContain('\u001b');
});

test.runIf(inFull)(
  'the merge commit of liza finish names every task that it brought, before and after a sync (in test:all)',
  async () => {
    const { first, second } = await twoMerges();
    here.git('commit', '-q', '--allow-empty', '-m', 'my own');
    expect((await here.ok(['finish', '--yes'])).stdout).toContain('liza blame main');
    const commit = here.git('rev-parse', 'main');
    const expected = {
      commit,
      branch: 'main',
      brought: [
        { task: 'greet', author: 'coder-1', approved_by: 'code-reviewer-1', merge_commit: first, rejected: [] },
        { task: 'bow', author: 'coder-2', merge_commit: second },
      ],
    };
    expect(await told('main')).toMatchObject(expected);
    const { stdout } = await here.ok(['blame', 'main']);
    expect(stdout).toContain('written by coder-1, approved by code-reviewer-1');
    expect(stdout).toContain(`more: liza blame ${first.slice(0, 12)}`);
    expect((await here.liza(['blame', 'mian'])).stderr).toContain('did you mean main?');
    await here.ok(['sync']);
    expect(await told('main')).toMatchObject(expected);
  },
);

test.runIf(inFull)(
  'a merge that a person made by hand names what it brought, before and after a sync; of another, no task (in test:all)',
  async () => {
    const { first } = await twoMerges();
    here.git('commit', '-q', '--allow-empty', '-m', 'my own');
    here.git('merge', '-q', '--no-edit', 'integration');
    const expected = { made: 'by hand', brought: [{ task: 'greet', merge_commit: first }, { task: 'bow' }] };
    expect(await told('main')).toMatchObject(expected);
    const { stdout } = await here.ok(['blame', 'main']);
    expect(stdout).toContain("a merge commit that Liza did not make: Merge branch 'integration'");
    expect(stdout).toContain('what it has beyond them, Liza did not see reviewed');
    expect(stdout).toContain('written by coder-1, approved by code-reviewer-1');
    const merged = here.git('rev-parse', 'main');
    await here.ok(['sync']);
    expect(await told(merged)).toMatchObject(expected);
    here.git('checkout', '-q', '-b', 'side');
    here.git('commit', '-q', '--allow-empty', '-m', 'beside');
    here.git('checkout', '-q', 'main');
    here.git('merge', '-q', '--no-ff', '--no-edit', 'side');
    expect((await here.liza(['blame', 'main'])).stderr).toContain('no task has it: it is on main alone');
  },
);

test('a file: who wrote and who approved each line, and what came from no task', async () => {
  const commit = await here.merge('greet');
  const text = (await here.ok(['blame', 'src/greet.ts'])).stdout;
  expect(text).toContain('src/greet.ts on integration');
  expect(text.replace(/\s+/g, ' ')).toContain(
    `line 1 greet: written by coder-1, approved by code-reviewer-1: liza blame ${commit.slice(0, 12)}`,
  );
  const { json } = await here.ok(['blame', 'src/greet.ts', '--json']);
  expect(json).toMatchObject({
    file: 'src/greet.ts',
    parts: [{ lines: '1', commit, task: 'greet', authors: ['coder-1'] }],
  });
  const own = here.git('ls-tree', '-r', '--name-only', 'main').split('\n')[0] ?? '';
  const before = (await here.ok(['blame', own, '--json'])).json as { parts: readonly object[] };
  expect(before.parts[0]).not.toHaveProperty('task');
  expect((await here.ok(['blame', own])).stdout).toContain("no task of Liza's");
  expect(await refusal('src')).toContain('src is a folder');
  here.write({ 'mine.txt': 'mine\n' });
  expect(await refusal('mine.txt')).toContain('mine.txt is not on integration');
});

describe('refused, with the fact', () => {
  test('no name of a commit, and never an option', async () => {
    for (const name of ['nope', 'integration..main', 'HEAD:a.txt', '', '0'.repeat(40)])
      expect(await refusal(name)).toContain('does not name exactly one commit of this repository');
    for (const name of ['-n', '--all', '--help'])
      expect(await refusal('--', name)).toContain('does not name exactly one commit');
  });

  test('there before Liza’s first merge', async () => {
    const start = here.git('rev-parse', 'main');
    expect(await refusal('main')).toContain(`${start} existed before Liza's first merge`);
    await here.merge('greet');
    expect(await refusal('main')).toContain(`${start} existed before Liza's first merge`);
  });

  test('not on the branch: under review, an attempt, unfinished, or nobody’s', async () => {
    await here.add('greet');
    await here.claim('greet');
    const seen = here.work('greet', { 'src/first.ts': 'first\n' });
    expect(await refusal(seen)).toContain('it is unfinished work on greet (greet is CLAIMED)');
    await here.ok(['release-claim', 'greet']);
    expect(await refusal(seen)).toContain('it is an attempt of greet that was discarded (greet is UNCLAIMED)');
    await here.claim('greet');
    const commit = await here.submit('greet', 'src/greet.ts', 'greet\n');
    expect(await refusal(commit)).toContain(
      `${commit} is not on integration: it is the commit under review of greet (greet is READY_FOR_REVIEW)`,
    );
    expect(await refusal(`${commit}~1`)).toContain('it is part of what was submitted for greet');
    here.git('commit', '-q', '--allow-empty', '-m', 'mine');
    expect(await refusal('main')).toContain('is not on integration, and no task has it: it is on main alone');
  });

  test('brought by no merge: the branch was moved outside Liza', async () => {
    await here.merge('greet');
    const tree = here.git('rev-parse', 'integration^{tree}');
    const foreign = here.git('commit-tree', tree, '-p', 'integration', '-m', 'a person’s');
    here.git('update-ref', 'refs/heads/integration', foreign);
    expect(await refusal(foreign)).toMatch(/did not come with a merge by Liza: .* nobody has accepted that yet/);
    // A search with a pattern is no name: git would take as long, and as much, as the pattern asks for.
    expect(await refusal(':/a person')).toContain('does not name exactly one commit');
    await here.ok(['doctor', '--accept-integration']);
    expect(await refusal(foreign)).toMatch(/did not come with a merge by Liza: .* accepted by human at 2026-/);
    const next = await here.merge('bow');
    expect(await refusal(foreign)).toContain('did not come with a merge by Liza');
    expect(await told(next)).toMatchObject({ task: 'bow' });
    expect(await told(`${foreign}~1`)).toMatchObject({ task: 'greet' });
  });
});

describe('with a board from elsewhere', () => {
  const handsWith = async (tasks: readonly Task[]): Promise<TaskContext> => {
    const { board } = await here.store.read();
    const store = memoryStore({ ...board.state, tasks }, { now: () => 0 });
    return { ...here.context, env: process.env, actor: OPERATOR, store, say: () => {} };
  };
  const merged = (id: string, commit: string, event: Record<string, unknown> = {}): Task => ({
    id,
    status: 'MERGED',
    priority: 3,
    merge_commit: commit,
    history: [{ time: '2026-03-01T09:00:00Z', event: 'merged', ...{ merge_commit: commit, ...event } }],
  });
  const owner = async (hands: TaskContext, commit: string): Promise<string> => {
    const found = await blame(hands, commit);
    return 'task' in found ? found.task.id : 'message' in found ? found.message : found.commit;
  };

  test.runIf(inFull)('merges without `onto`: the base tells what existed before (in test:all)', async () => {
    const { first, work, second } = await twoMerges();
    const base = here.git('rev-parse', 'main');
    const hands = await handsWith([
      { ...merged('bow', second), base_commit: base },
      { ...merged('greet', first), base_commit: base },
    ]);
    expect(await owner(hands, work)).toBe('bow');
    expect(await owner(hands, first)).toBe('greet');
    expect(await owner(hands, base)).toContain('existed before');
  });

  test('a commit the branch had already: whoever had it reviewed stands behind it', async () => {
    const base = here.git('rev-parse', 'main');
    const tree = here.git('rev-parse', 'main^{tree}');
    const commit = here.git('commit-tree', tree, '-p', base, '-m', 'brought by a person');
    here.git('update-ref', 'refs/heads/integration', commit);
    const task = { ...merged('greet', commit, { onto: commit, commit }), base_commit: base };
    const found = await blame(await handsWith([task]), commit);
    expect(found).toMatchObject({ task: { id: 'greet' }, merge: { how: 'contained' }, trailers: { differ: [] } });
  });

  test('a thousand merges in the same second are told apart, and quickly', async () => {
    const base = here.git('rev-parse', 'main');
    const tasks = importMerges(1000, base);
    const hands = await handsWith(tasks.map(({ task }) => task).reverse());
    const before = performance.now();
    expect(await owner(hands, tasks[0]?.work ?? '')).toBe('task-0');
    expect(await owner(hands, tasks[500]?.work ?? '')).toBe('task-500');
    expect(await owner(hands, tasks[999]?.task.merge_commit ?? '')).toBe('task-999');
    expect(await owner(hands, base)).toContain('existed before');
    expect(performance.now() - before).toBeLessThan(5000);
  });

  /** Merge commits one on the other, each with a commit of work beside it. */
  function importMerges(count: number, base: string): readonly { readonly work: string; readonly task: Task }[] {
    const who = 'committer t <t@t> 1700000000 +0000\ndata 1\nx\n';
    const lines = Array.from({ length: count }, (_, n) => {
      const onto = n === 0 ? base : `:${n * 2}`;
      return `commit refs/heads/made\nmark :${n * 2 + 1}\n${who}from ${base}\nM 100644 inline f${n}\ndata 1\n${n % 10}\ncommit refs/heads/integration\nmark :${n * 2 + 2}\n${who}from ${onto}\nmerge :${n * 2 + 1}\n\n`;
    });
    const marks = here.file('.git', 'marks');
    execFileSync('git', ['-C', here.root, 'fast-import', '--quiet', '--force', `--export-marks=${marks}`], {
      input: lines.join(''),
      env: { ...process.env, LIZA_INTEGRATION: 'mine' },
    });
    const ids = new Map(
      execFileSync('cat', [marks], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    );
    const at = (mark: number): string => ids.get(`:${mark}`) ?? '';
    return Array.from({ length: count }, (_, n) => {
      const work = at(n * 2 + 1);
      const onto = n === 0 ? base : at(n * 2);
      return { work, task: merged(`task-${n}`, at(n * 2 + 2), { onto, commit: work }) };
    });
  }
});

test('what an agent wrote into its commit is told without secrets', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  await here.add('greet');
  await here.claim('greet', 'coder-1');
  const work = await here.submit('greet', `src/${token}.ts`, 'greet\n', 'coder-1');
  await here.verdict('greet', 'APPROVED', 'good');
  await here.ok(['wt', 'merge', 'greet']);
  expect(await told(work)).toMatchObject({ git: { subject: 'work on src/[redacted].ts' } });
});

describe('a name that something else has, too', () => {
  test('a tag does not hide the branch, and a commit that plain git shows as another is told', async () => {
    const commit = await here.merge('greet');
    const other = here.git('commit-tree', '-m', 'unreviewed', 'integration~1^{tree}');
    here.git('tag', 'integration', other);
    expect(here.git('rev-parse', 'integration')).toBe(other);
    expect(await told('integration')).toMatchObject({ commit, task: 'greet' });
    expect(await told('integration')).not.toHaveProperty('replaced');
    here.git('replace', commit, other);
    expect(await told('integration')).toMatchObject({
      commit,
      replaced: { at: `refs/replace/${commit}`, commit: other },
    });
    const { stdout } = await here.ok(['blame', 'integration']);
    expect(stdout).toContain(`warning: refs/replace/${commit} makes your git show ${other}`);
    expect(stdout).toContain(`git update-ref -d refs/replace/${commit}`);
  });
});
