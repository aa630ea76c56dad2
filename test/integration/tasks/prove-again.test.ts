// A commit that was refused is not proved over and over, what an agent must know of it is in the refusal itself,
// and a command that hangs whatever the coder does is not the coder's to mend.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Config, Task } from '../../../src/protocol/state.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import { type Project, project, succeeded, WORK } from '../../support/project.ts';

let p: Project;

/** Outside of every checkout: what ran, and what it shall do. */
const RAN = 'echo ran >> ../../../runs;';
const runs = (): number =>
  fs.existsSync(path.join(p.base, 'runs'))
    ? fs.readFileSync(path.join(p.base, 'runs'), 'utf8').split('\n').length - 1
    : 0;

async function begun(validation: string, config: Partial<Config> = {}, task: Partial<Task> = {}): Promise<string> {
  p = project({ tasks: [{ id: 't', validation: [validation], ...task }], config });
  await p.begun('t');
  return p.work('t', WORK);
}

interface Refused {
  readonly message: string;
  readonly hint: string;
  readonly guard: string;
  readonly lines: readonly string[];
  readonly data?: { readonly output?: readonly string[] };
}
const refused = async (): Promise<Refused> => {
  const no = await p.submit('t');
  if (!('message' in no) || no.ok !== false) throw new Error('it was not refused');
  return no as never;
};
const failures = async (): Promise<readonly Record<string, unknown>[]> =>
  ((await p.task('t')).history ?? []).filter(({ event }) => event === 'validation_failed') as never;

describe('a refused agent', () => {
  test('sees the end of the output itself, redacted and bounded, and no path that its sandbox hides', async () => {
    await begun('seq 500; echo token "gh"p_0123456789abcdefghijklmnopqrstuvwxyzAB; echo the reason; exit 1');
    const { message, hint, lines, data } = await refused();
    expect(lines.length).toBeGreaterThan(40);
    expect(lines.at(-1)).toBe('  the reason');
    expect(lines.join('\n').length).toBeLessThan(6000);
    expect(JSON.stringify([message, hint, lines])).not.toMatch(/\.liza\/|ghp_0123/);
    // With --json the lines are not printed: the output is a field there.
    expect(data?.output?.at(-1)).toBe('the reason');
    // People find the whole of it.
    expect((await failures())[0]).toMatchObject({ log: '.liza/evidence/t/1-1.log' });
  });
});

describe('the same files under another commit', () => {
  const emptyCommit = (): string => {
    p.gitIn(p.folder('t'), 'commit', '--allow-empty', '-m', 'again');
    return p.gitIn(p.folder('t'), 'rev-parse', 'HEAD').trim();
  };

  test('green: after a retraction nothing is run again, and the proof says where it was run', async () => {
    const first = await begun(`${RAN} true`, { tdd: 'off' });
    succeeded(await p.submit('t'));
    await p.ok(['retract', 't', '--reason', 'the message was wrong'], { as: 'coder-1' });
    const second = emptyCommit();
    expect(await p.submit('t')).toMatchObject(refusedBy('not-retracted-before'));
    const again = ['submit-for-review', 't', 'HEAD', '--unchanged', 'only the message was wrong'];
    await p.ok(again, { as: 'coder-1' });
    expect(runs()).toBe(1);
    expect(await p.last('t', 'submitted')).toMatchObject({
      commit: second,
      unchanged: 'only the message was wrong',
      proof: { commit: second, same_tree_as: first, runs: [{ ok: true }] },
    });
  });

  test('red: it is run twice at most, whatever the commits are called', async () => {
    await begun(`${RAN} false`, { tdd: 'off' });
    for (let n = 0; n < 4; n += 1) {
      const { guard } = await refused();
      expect(guard).toBe('validation');
      emptyCommit();
    }
    expect(runs()).toBe(2);
  });

  test('other files are run', async () => {
    await begun(`${RAN} true`, { tdd: 'off' });
    succeeded(await p.submit('t'));
    await p.ok(['retract', 't', '--reason', 'it says three'], { as: 'coder-1' });
    p.work('t', { 'src/app.ts': 'export const app = 4;\n' });
    succeeded(await p.submit('t'));
    expect(runs()).toBe(2);
  });
});

test('what was found is not written through a link in the evidence’s place', async () => {
  await begun('true');
  const elsewhere = path.join(p.base, 'elsewhere');
  fs.mkdirSync(elsewhere);
  fs.mkdirSync(p.file('.liza', 'evidence'));
  fs.symlinkSync(elsewhere, p.file('.liza', 'evidence', 't'));
  succeeded(await p.submit('t'));
  expect(fs.readdirSync(elsewhere)).toEqual([]);
  expect(fs.existsSync(p.file('.liza', 'evidence', 't', '1.json'))).toBe(true);
});

describe('the same commit again', () => {
  test('is run once more, at once, for tests that do not always pass; then the answer is the known one', async () => {
    await begun(`${RAN} echo the reason; exit 1`);
    const first = await refused();
    expect(first.message).not.toContain('not run again');
    expect(runs()).toBe(2);
    await refused();
    const third = await refused();
    expect(runs()).toBe(2);
    expect(third).toMatchObject(refusedBy('validation', { lines: first.lines }));
    expect(third.message).toContain('not run again');
    expect(third.hint).toContain('Fix it');
    // Each refusal counts towards the limit; only what was run counts as red.
    expect(await failures()).toMatchObject([{ again: 'red' }, { remembered: true }, { remembered: true }]);
    expect((await failures())[2]).not.toHaveProperty('output');
  });

  test('one that is green when it runs again is told as a flake, with its way on, and by its command', async () => {
    const command = `${RAN} test "$(wc -l < ../../../runs)" -gt 1`;
    await begun(command);
    const no = await refused();
    expect(runs()).toBe(2);
    expect(no.message).toContain('ended with 1; run once more on the same files, it was green: a flake');
    expect(no.hint).toContain('If it is the command, a timing say, submit the same commit again');
    expect(await failures()).toMatchObject([{ again: 'green' }]);
    const done = await p.submit('t');
    succeeded(done);
    expect(JSON.stringify(done)).toContain(
      'was red and green on the same files, a flake of that command; the reviewer is told',
    );
    expect(await p.last('t', 'submitted')).toMatchObject({ red_before: 1, red_by: [command] });
    const shown = (await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ');
    expect(shown).toContain('the same commit was red 1 time; “echo ran');
    expect(shown).not.toMatch(/tests (?:of the base fail|do not always pass)/);
  });

  test('a flake that comes a second time: the planner is asked for a steady command', async () => {
    await begun(`${RAN} test "$(($(wc -l < ../../../runs) % 2))" -eq 0`);
    await refused();
    const again = await refused();
    expect(again.message).toContain('a flake');
    expect(again.hint).toContain('ask for a steady one: liza block t --reason');
    expect(runs()).toBe(4);
  });

  test('nearly the same commit that was red before: the person is told how often, and by how much it differs', async () => {
    const [file = ''] = Object.keys(WORK);
    const red = await begun(`${RAN} test "$(wc -l < ../../../runs)" -gt 4`);
    await refused();
    p.work('t', { [file]: `\n${WORK[file as keyof typeof WORK]}\n\n` });
    await refused();
    p.work('t', { [file]: `${WORK[file as keyof typeof WORK]}more\n`, 'test/other.test.ts': 'x\n'.repeat(3) });
    succeeded(await p.submit('t'));
    expect(await p.last('t', 'submitted')).toMatchObject({
      since_red: {
        red: 2,
        at: [{ times: 1 }, { times: 1, command: expect.any(String) }],
        lines: 4,
        files: { paths: [file, 'test/other.test.ts'] },
      },
    });
    expect(await p.last('t', 'submitted')).not.toHaveProperty('red_before');
    expect(red).not.toBe('');
    const shown = (await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ');
    expect(shown).toMatch(
      /before: red at [0-9a-f]{12}, at [0-9a-f]{12}, by echo ran .*, then green; the nearest red commit, [0-9a-f]{12}, differs by 4 lines \(blanks not counted\), in \S+, \S+ \(do its tests always pass\?\)/,
    );
  });

  test('asked by other commands, under other settings or in a new iteration it is run again', async () => {
    await begun(`${RAN} exit 1`);
    await refused();
    await refused();
    await refused();
    expect(runs()).toBe(2);
    await p.config({ test_command: 'test -d .' });
    await refused();
    expect(runs()).toBe(4);
    await p.config({ test_command: null, post_worktree_cmd: 'true' });
    await refused();
    expect(runs()).toBe(6);
    await p.config({ post_worktree_cmd: null });
    await refused();
    expect(runs()).toBe(6);
    await p.run('coder-1', { name: 'block', task: 't', reason: 'red', questions: ['why?'] });
    await p.run(undefined, {
      name: 'unblock',
      task: 't',
      withdraw: 'the spec says it now',
      keep_worktree: true,
      facts: { spec_exists: true },
    });
    await p.begun('t');
    await refused();
    expect(runs()).toBe(8);
  });

  test('as many as the limit block the task, run or not', async () => {
    await begun(`${RAN} exit 1`, { max_coder_iterations: 4 });
    for (const _ of [1, 2, 3]) await refused();
    expect((await refused()).hint).toContain('BLOCKED');
    expect(runs()).toBe(2);
  });
});

describe('a command that does not end', () => {
  test.runIf(inFull)(
    'also on the base: said so, not run again, and the second time blocked as the operator’s to mend (in test:all)',
    async () => {
      await begun(`${RAN} sleep 60`, { validation_timeout: 1 });
      const no = await refused();
      expect(no.message).toContain('did not end within 1 s');
      expect(no.message).toContain('config validation_timeout');
      expect(no.message).toMatch(/on the base [0-9a-f]{12} it does not end either/);
      expect(no.hint).not.toContain('Fix it');
      expect(no.hint).toContain('liza block t');
      expect(runs()).toBe(2);
      expect((await p.task('t')).status).toBe('CLAIMED');
      expect((await refused()).hint).toContain('BLOCKED');
      expect(runs()).toBe(2);
      const task = await p.task('t');
      expect(task).toMatchObject({ status: 'BLOCKED', blocked_reason: expect.stringContaining('operator') });
      // It is not the coder who failed.
      expect(task.failed_by ?? []).toEqual([]);
    },
  );

  test.runIf(inFull)('a raised limit is tried (in test:all)', async () => {
    await begun(`${RAN} sleep 1.6`, { validation_timeout: 1 });
    await refused();
    expect(runs()).toBe(2);
    await p.config({ validation_timeout: 30 });
    succeeded(await p.submit('t'));
    expect(runs()).toBe(3);
  });

  test.runIf(inFull)(
    'only at the commit: it is the coder’s, and how it ends on the base is told (in test:all)',
    async () => {
      await begun('grep -q "app = 1" src/app.ts && exit 3; sleep 60', { validation_timeout: 1 });
      const no = await refused();
      expect(no.message).toMatch(/on the base [0-9a-f]{12} it ended with 3/);
      expect(no.hint).toContain('Fix it');
      expect((await refused()).hint).not.toContain('BLOCKED');
    },
  );
});
