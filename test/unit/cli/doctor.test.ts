// What `liza doctor` says about agent CLIs, with tiny programs in their place.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
  here.liza(['doctor', ...more], { env: { PATH: `${bin}:/usr/bin:/bin`, HOME: bin, npm_config_prefix: bin } });

async function findings(): Promise<readonly AgentFinding[]> {
  const all = (await doctor('--json')).json['findings'] as readonly AgentFinding[];
  return all.filter(({ check }) => check === 'agents');
}

const of = (all: readonly AgentFinding[], provider: string) => all.find((one) => one.provider === provider);

test('installed agent CLIs come first, with their version and how to log in; missing ones are information', async () => {
  program('codex', 'echo "a deprecation" >&2', 'echo codex-cli 0.9.1', 'echo "goodbye" >&2');
  const all = await findings();
  expect(all.map(({ provider, level }) => [provider, level])).toEqual([
    ['codex', 'warning'],
    ['claude', 'ok'],
    ['gemini', 'ok'],
    ['opencode', 'ok'],
    [undefined, 'ok'],
  ]);
  expect(all.at(-1)).toMatchObject({ message: 'liza run uses Codex' });
  expect(of(all, 'codex')).toMatchObject({
    installed: true,
    version: 'codex-cli 0.9.1',
    login: 'missing',
    level: 'warning',
    message: 'Codex (codex) starts: codex-cli 0.9.1; not logged in',
    remedy: expect.stringContaining('codex login'),
  });
  expect(of(all, 'claude')).toMatchObject({
    installed: false,
    message: 'Claude Code (claude) is not installed',
    remedy: 'to install it: npm install -g @anthropic-ai/claude-code',
  });
  expect((await doctor()).stdout).toMatch(
    /^WARN agents {5}Codex \(codex\) starts[\s\S]*^- {4}agents {5}Claude Code \(claude\) is not/m,
  );
});

test('a login is named where there is one, and its absence is a warning only for the CLI that liza run uses', async () => {
  for (const name of ['claude', 'codex']) program(name, 'echo 1.0.0');
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: bin, ANTHROPIC_API_KEY: 'sk-secret' };
  const lines = (await here.liza(['doctor'], { env })).stdout.split('\n').filter((line) => line.includes('agents'));
  expect(lines).toContain('ok   agents     Claude Code (claude) starts: 1.0.0; a login is there');
  expect(lines).toContain('ok   agents     Codex (codex) starts: 1.0.0; not logged in');
  expect(lines).toContain('ok   agents     liza run uses Claude Code');
});

test('a configured provider is named as the configuration names it', async () => {
  program('claude', 'echo 1.0.0');
  await here.liza(['config', 'set', 'providers', '{"fast": {"kind": "claude", "model": "small"}}']);
  expect(of(await findings(), 'fast')).toMatchObject({ message: expect.stringContaining('Claude Code (fast) starts') });
});

test('root is told once what Liza does for Claude Code, and others are not', async () => {
  program('claude', 'echo 1.0.0');
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: bin };
  const told = async (isRoot: boolean): Promise<number> =>
    (await here.liza(['doctor'], { env, isRoot })).stdout.split('IS_SANDBOX=1 for Claude Code').length - 1;
  expect(await told(true)).toBe(1);
  expect(await told(false)).toBe(0);
});

test('no installed agent CLI is a warning', async () => {
  expect((await findings()).at(-1)).toMatchObject({
    level: 'warning',
    message: 'no agent CLI is installed',
    remedy: expect.stringContaining('liza demo works without'),
  });
});

test('a crew that plays a script misses no agent CLI', async () => {
  await here.liza(['config', 'set', 'providers', '{"rehearsal": {"script": "rehearsal.json"}}']);
  const all = await findings();
  expect(all).toContainEqual(expect.objectContaining({ message: expect.stringContaining('uses a rehearsal') }));
  expect(all.filter(({ level }) => level === 'warning')).toEqual([]);
});

test('an agent CLI that does not start is a warning with its own output', async () => {
  program('claude', 'echo "Cannot find module x" >&2', 'exit 7');
  expect(of(await findings(), 'claude')).toMatchObject({
    level: 'warning',
    message: 'Claude Code (claude) does not start: `claude --version`: exit 7, Cannot find module x',
    remedy: expect.stringContaining('npm install -g @anthropic-ai/claude-code'),
  });
});

test('credentials are not handed to a trial start', async () => {
  program('claude', 'echo "1.0 $ANTHROPIC_API_KEY"');
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: bin, ANTHROPIC_API_KEY: 'sk-secret' };
  const ran = await here.liza(['doctor'], { env });
  expect(ran.stdout).toContain('Claude Code (claude) starts: 1.0; a login is there\n');
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
  expect(ran.stdout).toContain('Codex (codex) starts: codex-cli 0.9.1');
});

test('before init nothing is said against .liza, which is not there', async () => {
  rmSync(join(here.root, '.liza'), { recursive: true, force: true });
  const exclude = async () =>
    ((await doctor('--json')).json['findings'] as readonly AgentFinding[]).find(({ check }) => check === 'exclude');
  const found = { level: 'ok', message: 'liza init keeps .liza out of git' };
  expect(await exclude()).toMatchObject(found);
  // Whoever ignores it beforehand has no board yet, either.
  here.write({ '.gitignore': '.liza/\n' });
  expect(await exclude()).toMatchObject(found);
});

test('Liza in ~/.local/bin that is not on PATH is said, with the line', async () => {
  mkdirSync(join(bin, '.local/bin'), { recursive: true });
  writeFileSync(join(bin, '.local/bin/liza'), '');
  expect((await doctor()).stdout).toContain('export PATH="$HOME/.local/bin:$PATH"');
});
