// Who is logged in, by files and variables alone. A login that may be there is never called missing.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { providersOf } from '../../../src/providers/configured.ts';
import { loginOf } from '../../../src/providers/login.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function look(
  name: string,
  {
    files = {},
    env = {},
    platform = 'linux',
    providers = {},
  }: {
    files?: Record<string, string>;
    env?: Record<string, string>;
    platform?: NodeJS.Platform;
    providers?: Record<string, unknown>;
  } = {},
) {
  const home = temporaryFolder();
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    fs.writeFileSync(path.join(home, file), text);
  }
  const table = providersOf(providers);
  const provider = 'ok' in table ? undefined : table.get(name)?.provider;
  if (provider === undefined) throw new Error(`no ${name}`);
  const places = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value.replace('HOME', home)]));
  return loginOf({ disk: realDisk, env: { HOME: home, ...places }, platform }, provider);
}

test.each([
  ['claude', {}, 'missing'],
  ['claude', { files: { '.claude/.credentials.json': '{}' } }, 'found'],
  ['claude', { files: { 'x/.credentials.json': '{}' }, env: { CLAUDE_CONFIG_DIR: 'HOME/x' } }, 'found'],
  ['claude', { env: { ANTHROPIC_API_KEY: '' } }, 'missing'],
  ['claude', { env: { CLAUDE_CODE_USE_BEDROCK: '1' } }, 'found'],
  ['claude', { files: { '.claude/settings.json': '{"apiKeyHelper": "x"}' } }, 'found'],
  ['claude', { files: { '.claude/settings.json': '{"theme": "dark"}' } }, 'missing'],
  ['claude', { providers: { claude: { env: { ANTHROPIC_AUTH_TOKEN: 'x' } } } }, 'found'],
  ['claude', { platform: 'darwin' as const }, 'unknown'],
  ['codex', {}, 'missing'],
  ['codex', { files: { '.codex/auth.json': '{}' } }, 'found'],
  ['codex', { files: { '.codex/config.toml': 'model_provider = "mine"\n' } }, 'found'],
  ['gemini', {}, 'missing'],
  ['gemini', { files: { '.gemini/oauth_creds.json': '{}' } }, 'found'],
  ['gemini', { files: { '.gemini/.env': 'GEMINI_API_KEY=x\n' } }, 'found'],
  // It has models that need none.
  ['opencode', {}, 'unknown'],
  ['mine', { providers: { mine: { kind: 'command', argv: ['mine'] } } }, 'unknown'],
] as const)('%s with %j: %s', (name, given, login) => expect(look(name, given)).toBe(login));
