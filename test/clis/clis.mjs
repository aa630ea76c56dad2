// The real agent CLIs: where they come from, and how each is pointed at the scripted model. Each gets a home of
// its own, so that nothing of the user's is read or written.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const CLIS = {
  claude: {
    package: '@anthropic-ai/claude-code',
    settings: { model: 'claude-sonnet-4-5' },
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-scripted', CLAUDE_CODE_MAX_RETRIES: '1' }),
  },
  codex: {
    package: '@openai/codex',
    env: (url, home) => {
      const folder = join(home, '.codex');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.toml'), codexConfig(url));
      return { CODEX_HOME: folder, SCRIPTED_KEY: 'scripted' };
    },
  },
  gemini: {
    package: '@google/gemini-cli',
    settings: { model: 'gemini-2.5-pro' },
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'scripted' }),
  },
  opencode: {
    package: 'opencode-ai',
    settings: { model: 'scripted/scripted' },
    env: (url) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url)),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }),
  },
  // The same program, spoken to by the protocol: it offers all tools and asks before each. (0.61 does not
  // find a session of an earlier process again.)
  acp: {
    asks: true,
    forgets: true,
    package: '@google/gemini-cli',
    program: 'gemini',
    settings: { kind: 'acp', argv: ['gemini', '--acp', '--skip-trust', '-m', '{model}'], model: 'gemini-2.5-pro' },
    env: (url, home) => {
      mkdirSync(join(home, '.gemini'), { recursive: true });
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
      writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
      return { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'scripted', GEMINI_CLI_NO_RELAUNCH: 'true' };
    },
  },
};

const codexConfig = (url) => `model = "gpt-5-codex"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`;

const opencodeConfig = (url) => ({
  provider: {
    scripted: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
      models: {
        scripted: { name: 'Scripted', limit: { context: 200_000, output: 8000 }, cost: { input: 3, output: 15 } },
      },
    },
  },
  model: 'scripted/scripted',
  small_model: 'scripted/scripted',
});
