// A test command that cannot be right is told when it is set, and one that was red at the last check stands in status.

import { beforeEach, expect, test } from 'vitest';
import { saveResult } from '../../../src/preflight/saved-result.ts';
import { hostAt } from '../../host.ts';
import { boardContext } from '../../support/board-context.ts';
import { type Project, project } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({ tasks: [] });
});

test('set, it is told at once what cannot be right, and how to try it', async () => {
  const { code, stdout } = await here.liza(['config', 'set', 'test_command', 'npm tset']);
  expect(code).toBe(0);
  expect(stdout).toContain('did you mean: npm test');
  expect(stdout).toContain('liza run --check');
  expect((await here.liza(['config', 'set', 'test_command', 'npm test'])).stdout).not.toContain('warning');
});

test('status tells what the last check found, until the command or the branch is another', async () => {
  await here.liza(['config', 'set', 'test_command', 'npm tset']);
  const head = (await here.liza(['status', '--json'])).json as { goal: { integration_head?: string } };
  const red = { check: 'tests', level: 'warning', message: 'npm tset is red on 8be65e331d9a (ended with 1)' } as const;
  const result = { time: '2026-01-01T00:00:00Z', checks: [red], ...commitOf(head.goal.integration_head) };
  saveResult(boardContext(here.root, { host: hostAt() }), result);
  expect((await here.liza(['status'])).stdout).toContain('tests: npm tset is red on 8be65e331d9a');
  await here.liza(['config', 'set', 'test_command', 'npm test']);
  expect((await here.liza(['status'])).stdout).not.toContain('is red on');
});

const commitOf = (commit: string | undefined): { commit?: string } => (commit === undefined ? {} : { commit });
