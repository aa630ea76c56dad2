// Gemini CLI. It can replace its system prompt but not add to it, so the contract goes in front of the first
// prompt; a resumed session has it in its history. Editing tools are taken away by a policy file.
// It ends with 0 on SIGTERM and passes API statuses off as exit codes: only its events tell.

import { join } from 'node:path';
import { geminiParser } from './gemini-stream.ts';
import { GEMINI_HOME } from './home-files.ts';
import type { Launch, Provider, SessionRequest } from './provider.ts';
import { edits } from './role-access.ts';
import type { ProviderSettings } from './settings.ts';

const READ_ONLY = `[[rule]]
toolName = ["write_file", "replace"]
decision = "deny"
priority = 999
`;

/** Tokens; the project can say another number. */
const WINDOW = 1_000_000;

export const gemini = (settings: ProviderSettings): Provider => ({
  name: settings.name,
  title: 'Gemini CLI',
  program: settings.program ?? 'gemini',
  contextWindow: settings.contextWindow ?? WINDOW,
  resumes: true,
  hints: { install: { npm: '@google/gemini-cli' }, login: 'start `gemini` once, or set GEMINI_API_KEY' },
  home: GEMINI_HOME,
  loginSigns: {
    variables: [
      ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
      ...['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_GEMINI_BASE_URL', 'CLOUD_SHELL'],
    ],
    mentions: /API_KEY|vertex|cloud-shell|compute|gemini-api-key|"type"\s*:\s*"(?:service_account|authorized_user)"/i,
    env: settings.env,
  },
  launch: (request) => launch(settings, request),
  parser: (counting) => geminiParser(counting),
});

function launch(settings: ProviderSettings, request: SessionRequest): Launch {
  const { scratch, resume, sessionId, env } = request;
  const model = request.model ?? settings.model;
  const policy = join(scratch, 'read-only.toml');
  const defaults = join(scratch, 'gemini-defaults.json');
  const isReader = !edits(request.role);
  // The user's own defaults, where there are some, are left alone.
  const hasOwn = env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] !== undefined;
  return {
    argv: [
      settings.program ?? 'gemini',
      ...['-o', 'stream-json'],
      ...['--approval-mode', 'yolo', '--skip-trust'],
      ...(resume === undefined ? ['--session-id', sessionId] : ['--resume', resume]),
      ...(isReader ? ['--policy', policy] : []),
      ...(model === undefined ? [] : ['-m', model]),
      ...settings.args,
    ],
    stdin: resume === undefined ? `${request.contract.trimEnd()}\n\n${request.prompt}` : request.prompt,
    files: [
      ...(isReader ? [{ path: policy, text: READ_ONLY }] : []),
      ...(hasOwn ? [] : [{ path: defaults, text: `${JSON.stringify(quiet(request), null, 2)}\n` }]),
    ],
    session: resume ?? sessionId,
    env: {
      GEMINI_CLI_NO_RELAUNCH: 'true',
      ...(hasOwn ? {} : { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: defaults }),
      ...settings.env,
    },
  };
}

/** The lowest of its layers of settings: whatever the user has set wins. */
const quiet = ({ env }: SessionRequest): object => ({
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  // With a base URL and a key it finds no way to log in unless it is told this one.
  ...(env['GOOGLE_GEMINI_BASE_URL'] !== undefined && env['GEMINI_API_KEY'] !== undefined
    ? { security: { auth: { selectedType: 'gemini-api-key' } } }
    : {}),
});
