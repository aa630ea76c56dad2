// A machine without bubblewrap: every command that a newcomer sees says what that means, and the way out without root.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { provenanceOf, renderMerged } from '../../../src/cli/render/blame.ts';
import type { TaskSession } from '../../../src/protocol/state.ts';
import { sandboxModeText, sandboxStartText } from '../../../src/sandbox/mode.ts';
import { hostAt } from '../../host.ts';
import { task as aTask } from '../boards/empty-board.ts';
import { aState, NOW, project } from './fixtures.ts';

const MEANS = 'agents run as you: they can read and write everything you can';
const WITHOUT_ROOT = /without root: .*container.*another user.*liza config set isolation clone.*liza help sandbox/;

/** Linux, and no file is called bwrap. */
function withoutBubblewrap(): Partial<Io> {
  const host = hostAt(() => NOW);
  const accessSync: typeof host.disk.accessSync = (path, mode) => {
    if (String(path).endsWith('/bwrap')) throw new Error('ENOENT');
    host.disk.accessSync(path, mode);
  };
  return {
    confines: true,
    host: { ...host, disk: { ...host.disk, accessSync }, processes: { ...host.processes, platform: 'linux' } },
  };
}

/** As one line, whatever was wrapped. */
const flat = (text: string): string => text.replace(/\s+/g, ' ');

test.each([['doctor'], ['run', '--check']])('%s %s says what it means that the sandbox is off', async (...argv) => {
  const { liza } = project();
  const ran = await liza(argv, { io: withoutBubblewrap() });
  const said = flat(ran.stdout + ran.stderr);
  expect(said).toContain('off, bubblewrap is not installed');
  expect(said).toContain(MEANS);
});

test('all that helps is told once, by doctor; run --check names the topic in one short line', async () => {
  const { liza } = project();
  const said = async (...argv: string[]): Promise<string> => {
    const { stdout, stderr } = await liza(argv, { io: withoutBubblewrap() });
    return flat(stdout + stderr);
  };
  expect(await said('doctor')).toMatch(WITHOUT_ROOT);
  expect(await said('run', '--check')).not.toMatch(WITHOUT_ROOT);
  expect(await said('run', '--check')).toContain('how to turn it on: liza help sandbox');
});

test('who has agents work in clones is not told to do it', async () => {
  const { liza } = project();
  const argv = ['doctor'];
  await liza(['config', 'set', 'isolation', 'clone']);
  const again = await liza(argv, { io: withoutBubblewrap() });
  expect(flat(again.stdout + again.stderr)).toMatch(/another user; see: liza help sandbox/);
});

test('status says in one short line that it is off, and who tells what that means', async () => {
  const { liza } = project();
  const status = async () => flat((await liza(['status'], { io: withoutBubblewrap() })).stdout);
  expect(await status()).toContain('sandbox: off; what that means, and how to turn it on: liza help sandbox');
  expect(await status()).not.toMatch(WITHOUT_ROOT);
  await liza(['config', 'set', 'sandbox', 'off']);
  expect(await status()).toContain('sandbox: off, config.sandbox is off; what that means: liza help sandbox');
  expect(await status()).not.toContain(MEANS);
});

test('run --check warns of it and does not stop; also of what a person turned off', async () => {
  const { liza } = project();
  type Checks = readonly { readonly check: string; readonly level: string; readonly message: string }[];
  const found = async (): Promise<unknown> => {
    const { json } = await liza(['run', '--check', '--json'], { io: withoutBubblewrap() });
    return (json['checks'] as Checks).find(({ check }) => check === 'sandbox');
  };
  expect(await found()).toMatchObject({ level: 'warning', message: expect.stringContaining(MEANS) });
  await liza(['config', 'set', 'sandbox', 'off']);
  const off = { check: 'sandbox', level: 'warning', message: `off, config.sandbox is off; ${MEANS}` };
  const mend = 'more about it: liza help sandbox';
  expect(await found()).toMatchObject({ ...off, mend });
  const { json } = await liza(['doctor', '--json'], { io: withoutBubblewrap() });
  expect(json['findings']).toContainEqual(expect.objectContaining({ ...off, remedy: mend }));
  await liza(['config', 'set', 'sandbox', 'require']);
  expect(await found()).toMatchObject({ level: 'stop' });
});

test('required and missing: run and run --check end with 5, and name the way out without root', async () => {
  const { liza } = project({ config: { integration_branch: 'integration', sandbox: 'require' } });
  for (const argv of [['run'], ['run', '--check']]) {
    const ran = await liza(argv, { io: withoutBubblewrap() });
    expect(ran.code).toBe(5);
    expect(flat(ran.stdout + ran.stderr)).toMatch(
      /without root: use a container or another user; see: liza help sandbox/,
    );
  }
});

test('required and missing: tests that were not started are not called red', async () => {
  const { liza } = project((repo) => {
    repo.git('init', '-q', '-b', 'main');
    repo.git('config', 'user.name', 'Ada');
    repo.git('config', 'user.email', 'ada@example.com');
    const integration_head = repo.commit({ 'README.md': 'hello\n' });
    repo.git('branch', 'integration');
    const config = { integration_branch: 'integration', sandbox: 'require', test_command: 'true' } as const;
    return { config, goal: { ...aState().goal, integration_head } };
  });
  const { stdout } = await liza(['run', '--check'], { io: withoutBubblewrap() });
  expect(flat(stdout)).toContain('WARN tests not tried: see sandbox');
  expect(stdout).not.toContain('every submission will fail');
});

test('limits that only the sandbox enforces: set, doctor and run --check say that they hold nobody', async () => {
  const { liza } = project();
  const said = async (...argv: string[]): Promise<string> => {
    const { stdout, stderr } = await liza(argv, { io: withoutBubblewrap() });
    return flat(stdout + stderr);
  };
  const network = 'sandbox_network has no effect without the sandbox: the network is open, also for tests, coder';
  const files = 'setup_read has no effect without the sandbox: agents and tests can read these files, too';
  expect(await said('config', 'set', 'sandbox_network', '{"tests": "on"}')).not.toContain('no effect');
  expect(await said('config', 'set', 'sandbox_network', '{"tests": "off", "coder": "off"}')).toContain(network);
  expect(await said('config', 'set', 'setup_read', '["~/.npmrc"]')).toContain(files);
  for (const argv of [['doctor'], ['run', '--check']]) {
    expect(await said(...argv)).toContain(network);
    expect(await said(...argv)).toContain(files);
  }
  expect(await said('config', 'set', 'sandbox', 'off')).toContain(network);
  // Nothing starts without it: nobody has more than the setting gives.
  expect(await said('config', 'set', 'sandbox', 'require')).not.toContain('no effect');
});

test('isolation is shown as it is in force: worktree without a sandbox, and what is set', async () => {
  const { liza } = project();
  const get = async (): Promise<string> =>
    (await liza(['config', 'get', 'isolation'], { io: withoutBubblewrap() })).stdout.trim();
  expect(await get()).toBe('worktree');
  await liza(['config', 'set', 'isolation', 'clone']);
  expect(await get()).toBe('clone');
});

test('help has the sandbox and security as topics, and LIZA_SANDBOX among the variables', async () => {
  const { liza } = project();
  const help = async (topic: string): Promise<string> => (await liza(['help', topic])).stdout;
  expect(await help('sandbox')).toContain(MEANS);
  // A page of the package, which the reader can open; their project has none of the name.
  const page = join(import.meta.dirname, '../../..', 'docs/security.md');
  expect(await help('sandbox')).toContain(`More: ${page}`);
  expect(await help('security')).toContain(page);
  expect(await help('security')).toMatch(/^Commands: .*as another agent \(\*\).*\n(.*\n)*\(\*\) Without the sandbox/m);
  expect(await help('environment')).toContain('LIZA_SANDBOX=off');
});

test('blame names each author and reviewer that ran without a sandbox once', () => {
  const session = (agent: string, sandbox: TaskSession['sandbox']): TaskSession =>
    ({ id: `${agent}-s`, agent, sandbox, provider: 'claude' }) as TaskSession;
  const task = {
    ...aTask('a'),
    sessions: [session('coder-1', 'off'), session('coder-1', 'off'), session('code-reviewer-1', 'bubblewrap')],
  };
  expect(provenanceOf(task, undefined).unconfined).toEqual(['coder-1']);
});

test('blame of a merge that brought tasks says it of each', () => {
  const one = { task: 't', description: 'x', author: 'coder-1', approved_by: 'code-reviewer-1', rejected: [] };
  const merged = {
    commit: 'c'.repeat(40),
    by: 'human',
    time: '2026-03-01T09:00:00Z',
    made: 'by hand',
    subject: 'Merge',
    brought: [{ ...one, merge_commit: 'm'.repeat(40), unconfined: ['coder-1'] }],
  } as const;
  expect(flat(renderMerged(merged, { color: false, unicode: true, width: 200 }))).toContain(
    'coder-1 ran without a sandbox: it could read and write everything',
  );
});

test('where it is on, the program that confines is named', () => {
  expect(sandboxModeText({ tool: { kind: 'bubblewrap', program: '/usr/bin/bwrap', extra: [] } })).toBe(
    'sandbox: on (bubblewrap, /usr/bin/bwrap)',
  );
});

test('the start of agents says it on one line of 80 columns, with the command that says all of it', () => {
  const line = sandboxStartText({ off: 'bubblewrap is not installed', remedy: 'install it' });
  expect(line).toBe('sandbox: off, agents run as you; all of it: liza help sandbox');
});
