// Secrets of the settings: people see them as they are, agents that they are set, whatever they ask.

import { beforeEach, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import { hideSettings, settingsSecrets } from '../../../src/protocol/records/hidden-settings.ts';
import { aClaim, agents, NOW, type Project, project, sessionsAt } from './fixtures.ts';

const WEBHOOK = 'https://chat.example.invalid/hook/9f8e7d6c5b4a-very-secret-path';
const KEY = 'zq81-77hh-key-of-the-"reviewer"-provider';
const PROVIDERS = { mine: { kind: 'command', argv: ['sh', '-c', 'true'], env: { OTHER_API_KEY: KEY, MODE: 'high' } } };

let here: Project;
beforeEach(async () => {
  here = project({ agents: agents({ coder: 'live' }), tasks: [aClaim('live')] });
  for (const [key, value] of [
    ['escalation_webhook', WEBHOOK],
    ['providers', JSON.stringify(PROVIDERS)],
  ] as const)
    expect((await here.liza(['config', 'set', key, value])).code).toBe(0);
});

const asAgent = () => {
  const opening = { agent: 'coder-1', role: 'coder' as const, pid: process.pid };
  const { credential } = openSession(sessionsAt(here.root), opening, NOW);
  return { as: 'coder-1', env: { LIZA_SESSION: credential } };
};

test.each([
  [['config', 'get']],
  [['config', 'get', 'escalation_webhook']],
  [['config', 'get', 'providers']],
  [['config', 'get', 'providers.mine.env.OTHER_API_KEY']],
  [['config', 'get', '--json']],
  [['log']],
  [['log', '--json']],
])('%j', async (argv) => {
  const { stdout, stderr } = await here.liza(argv, asAgent());
  const said = stdout + stderr;
  expect(said).not.toContain('9f8e7d6c5b4a');
  expect(said).not.toContain('zq81-77hh');
  if (argv[0] !== 'log') expect(said).toContain('(set, hidden)');
});

test('a person sees them', async () => {
  expect((await here.liza(['config', 'get', 'escalation_webhook'])).stdout).toBe(`${WEBHOOK}\n`);
  expect((await here.liza(['config', 'get', 'providers.mine.env.OTHER_API_KEY'])).stdout).toBe(`${KEY}\n`);
});

test('every variable of a provider counts, and whatever else is in the file stays', () => {
  const config = { providers: { ...PROVIDERS, odd: 'text' }, poll_interval: 2 };
  const env = { OTHER_API_KEY: '(set, hidden)', MODE: '(set, hidden)' };
  expect(hideSettings(config)).toEqual({
    providers: { mine: { ...PROVIDERS.mine, env }, odd: 'text' },
    poll_interval: 2,
  });
  expect(hideSettings({ escalation_webhook: null })).toEqual({ escalation_webhook: null });
  expect(hideSettings(undefined)).toBeUndefined();
  expect(Object.values(settingsSecrets(config))).toEqual([KEY, 'high']);
});
