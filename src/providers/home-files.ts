// What each CLI keeps in the user's home, and by which files it goes on with a session: those alone last in an agent's
// home from session to session. No file that is read at the start of another session may be among them: memories,
// instructions, settings, permissions, histories, programs.

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
    keeps: ['projects/*/*.jsonl'],
  },
  { folder: '', settings: ['.claude.json'] },
  { folder: '.aws', when: ['CLAUDE_CODE_USE_BEDROCK'], settings: ['config', 'credentials', 'sso', 'cli'] },
  { ...GCLOUD, when: ['CLAUDE_CODE_USE_VERTEX'] },
];

export const CODEX_HOME: readonly HomeFolder[] = [
  {
    folder: '.codex',
    env: 'CODEX_HOME',
    login: ['auth.json'],
    settings: ['config.toml', 'AGENTS.md', 'prompts', 'skills', 'rules'],
    keeps: ['sessions/**'],
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
    // The second tells it which of these folders is the project's.
    keeps: ['tmp/*/chats/**', 'tmp/*/.project_root'],
  },
  // Vertex AI needs one of them; whoever logs in otherwise has no use for the cloud's own login.
  { ...GCLOUD, when: ['GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_CLOUD_LOCATION'] },
];

export const OPENCODE_HOME: readonly HomeFolder[] = [
  {
    folder: '.local/share/opencode',
    login: ['auth.json', 'mcp-auth.json'],
    keeps: [
      // Of older versions; newer ones have a database.
      ...['session', 'message', 'part', 'project', 'session_diff'].map((name) => `storage/${name}/**`),
      'storage/migration',
      'opencode*.db*',
    ],
  },
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

const HOMES = { claude: CLAUDE_HOME, codex: CODEX_HOME, gemini: GEMINI_HOME, opencode: OPENCODE_HOME } as const;

/** A program that gets no login of theirs: it may be a script around one of them, so their sessions last. */
export const ANY_SESSIONS: readonly HomeFolder[] = Object.values(HOMES)
  .flat()
  .flatMap(({ folder, env, keeps }) =>
    keeps === undefined ? [] : [{ folder, keeps, ...(env === undefined ? {} : { env }) }],
  );

/** A program that speaks a protocol, by its command line: `npx some/claude-adapter` is Claude's. Unknown: no login. */
export function homeOf(argv: readonly string[]): readonly HomeFolder[] {
  const words = argv.filter((word) => !word.startsWith('-')).map((word) => word.slice(word.lastIndexOf('/') + 1));
  const named = Object.entries(HOMES).find(([name]) => words.some((word) => word.toLowerCase().includes(name)));
  return named?.[1] ?? ANY_SESSIONS;
}
