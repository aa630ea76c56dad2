// What `liza doctor` says about agent CLIs, with tiny programs in their place.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { AgentFinding } from '../../../src/cli/agent-findings.ts';
import type { Ran } from '../../support/in-process.ts';
import { start } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Project, project } from './fixtures.ts';

let here: Project;
let bin: string;

beforeEach(() => {
  bin = temporaryFolder();
  here = project();
  start(here, 'main', {});
});

function program(name: string, ...lines: string[]): void {
  writeFileSync(join(bin, name), ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(join(bin, name), 0o755);
}

/** Only what is in `bin`, and what Liza itself needs. */
const doctor = (...more: string[]): Promise<Ran> =>
  here.liza(['doctor', ...more], { env: { PATH: `${bin}:/usr/bin:/bin`, HOME: bin } });

async function findings(): Promise<readonly AgentFinding[]> {
  const all = (await doctor('--json')).json['findings'] as readonly AgentFinding[];
  return all.filter(({ check }) => check === 'agents');
}

const of = (all: readonly AgentFinding[], provider: string) => all.find((one) => one.provider === provider);

test('installed agent CLIs come first, with their version and how to log in; missing ones are information', async () => {
  program('codex', 'echo "a deprecation" >&2', 'echo codex-cli 0.9.1', 'echo "goodbye" >&2');
  const all = await findings();
  expect(all.map(({ provider, level }) => [provider, level])).toEqual([
    ['codex', 'ok'],
    ['claude', 'ok'],
    ['gemini', 'ok'],
    ['opencode', 'ok'],
    [undefined, 'ok'],
  ]);
  expect(all.at(-1)).toMatchObject({ message: 'liza run uses Codex' });
  expect(of(all, 'codex')).toMatchObject({
    installed: true,
    version: 'codex-cli 0.9.1',
    message: 'Codex starts: codex-cli 0.9.1',
    remedy: expect.stringContaining('codex login'),
  });
  expect(of(all, 'claude')).toMatchObject({
    installed: false,
    message: 'Claude Code is not installed',
    remedy: 'to have it: npm install -g @anthropic-ai/claude-code',
  });
  expect((await doctor()).stdout).toMatch(/^ok {3}agents {5}Codex starts[\s\S]*^- {4}agents {5}Claude Code is not/m);
});

test('no installed agent CLI is a warning', async () => {
  expect((await findings()).at(-1)).toMatchObject({
    level: 'warning',
    message: 'no agent CLI is installed',
    remedy: expect.stringContaining('liza demo works without'),
  });
});

test('an agent CLI that does not start is a warning with its own output', async () => {
  program('claude', 'echo "Cannot find module x" >&2', 'exit 7');
  expect(of(await findings(), 'claude')).toMatchObject({
    level: 'warning',
    message: 'Claude Code does not start: `claude --version`: exit 7, Cannot find module x',
    remedy: expect.stringContaining('npm install -g @anthropic-ai/claude-code'),
  });
});

test('credentials are not handed to a trial start', async () => {
  program('claude', 'echo "1.0 $ANTHROPIC_API_KEY"');
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: bin, ANTHROPIC_API_KEY: 'sk-secret' };
  const ran = await here.liza(['doctor'], { env });
  expect(ran.stdout).toContain('Claude Code starts: 1.0\n');
});

test('configured providers are found, not started; a missing default is reported', async () => {
  program('my-agent', 'echo started > "$HOME/started"');
  await here.liza([
    'config',
    'set',
    'providers',
    '{"mine": {"kind": "command", "argv": ["my-agent", "{prompt_file}"]}}',
  ]);
  await here.liza(['config', 'set', 'default_provider', 'gemini']);
  const all = await findings();
  expect(of(all, 'mine')).toMatchObject({ installed: true, message: `mine: ${join(bin, 'my-agent')}, not tried` });
  expect(all.at(-1)).toMatchObject({ level: 'warning', message: 'default_provider gemini is not installed' });
});

test('a wrong configuration of a provider is reported with its own message', async () => {
  await here.liza(['config', 'set', 'providers', '{"mine": {"kind": "command"}}']);
  expect(await findings()).toMatchObject([
    { level: 'warning', message: expect.stringContaining('mine.argv is missing') },
  ]);
});

test('~/.liza of another version is reported', async () => {
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: bin };
  expect((await here.liza(['doctor'], { env })).stdout).not.toContain('setup ');
  await here.liza(['setup'], { env });
  expect((await here.liza(['doctor'], { env })).stdout).toMatch(/^ok {3}setup/m);
  writeFileSync(join(bin, '.liza', 'VERSION'), '0.0.1\n');
  expect((await here.liza(['doctor'], { env })).stdout).toMatch(/^WARN setup .*0\.0\.1/m);
});

test('outside of a repository it is refused, and still reports the agent CLIs', async () => {
  program('codex', 'echo codex-cli 0.9.1');
  const ran = await here.liza(['doctor'], { cwd: bin, env: { PATH: `${bin}:/usr/bin:/bin`, HOME: bin } });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('is not in a git repository') });
  expect(ran.stdout).toContain('Codex starts: codex-cli 0.9.1');
});
