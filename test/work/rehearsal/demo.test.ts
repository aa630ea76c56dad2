// The demo's script, played whole by a crew that uses nothing but the real commands.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { playCrew } from './crew.ts';
import { buildProgram, openStage, type Stage } from './stage.ts';

let program: ReturnType<typeof buildProgram>;
let stage: Stage | undefined;
beforeAll(() => {
  program = buildProgram();
});
afterEach(() => stage?.remove());
afterAll(() => program.remove());

const demo = (): Stage => {
  const folder = join(program.folder, 'demo');
  stage = openStage(program.bundle, join(folder, 'project'), join(folder, 'script.json'));
  return stage;
};

async function answer(here: Stage): Promise<void> {
  const { state } = (await here.store.read()).board;
  if (!state.tasks.some(({ id, status }) => id === 'totals' && status === 'BLOCKED')) return;
  if (state.human_notes.length > 0) return;
  await here.ok(['note', 'A refund lowers the total of its category.', '--for', 'totals']);
}

test.each(['same coder', 'another coder'] as const)(
  'it ends with a goal reached; the killed coder’s task goes to %s',
  async (afterDeath) => {
    const here = demo();
    await here.ok(['init', 'Build tally']);
    const begun = performance.now();
    const sessions = await playCrew(here, { afterDeath, human: answer });
    console.log(
      `${Math.round(performance.now() - begun)} ms`,
      sessions.map(({ agent, what }) => `${agent} ${what}`).join(', '),
    );
    const { tasks, goal } = here.state();
    expect(goal.status).toBe('COMPLETED');
    expect(tasks.map(({ id, status }) => `${id} ${status}`)).toHaveLength(6);
    expect(tasks.filter(({ status }) => status !== 'MERGED')).toEqual([]);
    here.git('worktree', 'add', '-q', join(here.root, '..', 'checkout'), 'integration');
    const tests = execFileSync(process.execPath, ['--test'], {
      cwd: join(here.root, '..', 'checkout'),
      encoding: 'utf8',
    });
    expect(tests).toContain('# pass 13');
  },
);
