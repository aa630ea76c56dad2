// What each CLI keeps in the user's home. Everything else of it (sessions, caches, histories) is the agent's own, in
// the home that it keeps from session to session.

import type { HomeFolder } from './provider.ts';

const GCLOUD: HomeFolder = {
  folder: '.config/gcloud',
  env: 'CLOUDSDK_CONFIG',
  settings: ['application_default_credentials.json'],
};

export const CLAUDE_HOME: readonly HomeFolder[] = [
  {
    folder: '.claude',
    env: 'CLAUDE_CONFIG_DIR',
    login: ['.credentials.json'],
    settings: [
      'settings.json',
      '.claude.json',
      'CLAUDE.md',
      'agents',
      'commands',
      'skills',
      'plugins',
      'output-styles',
    ],
  },
  { folder: '', settings: ['.claude.json'] },
  { folder: '.aws', when: 'CLAUDE_CODE_USE_BEDROCK', settings: ['config', 'credentials', 'sso', 'cli'] },
  { ...GCLOUD, when: 'CLAUDE_CODE_USE_VERTEX' },
];

export const CODEX_HOME: readonly HomeFolder[] = [
  {
    folder: '.codex',
    env: 'CODEX_HOME',
    login: ['auth.json'],
    settings: ['config.toml', 'AGENTS.md', 'prompts', 'skills', 'rules'],
  },
];

export const GEMINI_HOME: readonly HomeFolder[] = [
  {
    folder: '.gemini',
    login: ['oauth_creds.json', 'google_accounts.json', 'gemini-credentials.json'],
    settings: [
      'settings.json',
      '.env',
      'installation_id',
      'user_id',
      'GEMINI.md',
      'extensions',
      'commands',
      'policies',
    ],
  },
  GCLOUD,
];

export const OPENCODE_HOME: readonly HomeFolder[] = [
  { folder: '.local/share/opencode', login: ['auth.json', 'mcp-auth.json'] },
  {
    folder: '.config/opencode',
    settings: [
      'opencode.json',
      'opencode.jsonc',
      'AGENTS.md',
      'agent',
      'agents',
      'command',
      'commands',
      'plugin',
      'plugins',
    ],
  },
];

/** A program that only speaks a protocol may be any of them. */
export const ANY_HOME: readonly HomeFolder[] = [...CLAUDE_HOME, ...CODEX_HOME, ...GEMINI_HOME, ...OPENCODE_HOME];
