// Claude Code. Prompt on stdin, contract as an appended system prompt from a file, one JSON object a line.
// An API error calls itself subtype "success": only `is_error` counts. A resumed session's `usage` is of this
// process, but its `total_cost_usd` is of all of them.

import { join } from 'node:path';
import { claudeParser } from './claude-stream.ts';
import { CLAUDE_HOME } from './home-files.ts';
import type { Launch, Provider, SessionRequest } from './provider.ts';
import { edits } from './role-access.ts';
import type { ProviderSettings } from './settings.ts';

/** Would leave the task's folder, or wait for someone who is not there. */
const NEVER = ['EnterWorktree', 'ExitWorktree', 'AskUserQuestion', 'CronCreate', 'ScheduleWakeup'];
const HALF_AN_HOUR = String(30 * 60_000);
/** Only names that Claude Code 2 knows: it warns of every other one, and a person who reads the log takes it for a mistake. */
const EDITING = ['Edit', 'Write', 'NotebookEdit'];

export const claude = (settings: ProviderSettings): Provider => ({
  name: settings.name,
  title: 'Claude Code',
  asRoot: 'you are root: Liza sets IS_SANDBOX=1 for Claude Code, which refuses to work unattended as root without it',
  program: settings.program ?? 'claude',
  resumes: true,
  hints: {
    install: { npm: '@anthropic-ai/claude-code' },
    login: 'start `claude` once and use /login, or set ANTHROPIC_API_KEY',
  },
  home: CLAUDE_HOME,
  loginSigns: {
    variables: [
      ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
      ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
    ],
    mentions: /apiKeyHelper|primaryApiKey|oauthAccount|ANTHROPIC_|CLAUDE_CODE_(?:USE|OAUTH)_/,
    env: settings.env,
  },
  launch: (request) => launch(settings, request),
  parser: (counting) => claudeParser(counting),
});

function launch(settings: ProviderSettings, request: SessionRequest): Launch {
  const contract = join(request.scratch, 'contract.md');
  const model = request.model ?? settings.model;
  const session = request.resume ?? request.sessionId;
  return {
    argv: [
      settings.program ?? 'claude',
      '-p',
      ...['--output-format', 'stream-json', '--verbose'],
      ...[request.resume === undefined ? '--session-id' : '--resume', session],
      ...['--append-system-prompt-file', contract],
      '--dangerously-skip-permissions',
      ...['--disallowedTools', [...NEVER, ...(edits(request.role) ? [] : EDITING)].join(',')],
      ...(model === undefined ? [] : ['--model', model]),
      ...settings.args,
    ],
    stdin: request.prompt,
    files: [{ path: contract, text: request.contract }],
    session,
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Its shell tool gives up after two minutes; `liza submit-for-review` takes as long as the project's tests.
      BASH_DEFAULT_TIMEOUT_MS: HALF_AN_HOUR,
      BASH_MAX_TIMEOUT_MS: HALF_AN_HOUR,
      // Set where Liza itself was started by a Claude session: ours are no part of that one.
      CLAUDECODE: undefined,
      CLAUDE_CODE_ENTRYPOINT: undefined,
      CLAUDE_CODE_SESSION_ID: undefined,
      ...(request.root ? { IS_SANDBOX: '1' } : {}),
      ...settings.env,
    },
  };
}
