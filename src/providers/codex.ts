// Codex CLI. Prompt on stdin, contract as developer instructions on the command line, one JSON object a line.
// It counts tokens over the whole thread, former processes included, and tells them only when a turn ends.
// Its own sandbox stays off: it makes .git read-only, and commits in a linked worktree would fail.

import { rolloutFigures } from './codex-rollout.ts';
import { codexParser } from './codex-stream.ts';
import { CODEX_HOME } from './home-files.ts';
import type { Launch, Provider, SessionRequest } from './provider.ts';
import { edits } from './role-access.ts';
import type { ProviderSettings } from './settings.ts';

/** It has no switch that takes its editing tool away: telling it must do. */
const READ_ONLY =
  '\n\nIn this session you do not edit files: no apply_patch, no redirection into the project. You read, you run git, tests and `liza`.\n';

export const codex = (settings: ProviderSettings): Provider => ({
  name: settings.name,
  title: 'Codex',
  program: settings.program ?? 'codex',
  resumes: true,
  resumesElsewhere: true,
  hints: { install: { npm: '@openai/codex' }, login: 'codex login, or set OPENAI_API_KEY' },
  home: CODEX_HOME,
  loginSigns: {
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL'],
    // Another provider has a login of its own, and a keyring is not looked into.
    mentions: /model_provider|env_key|keyring/,
    env: settings.env,
  },
  launch: (request) => launch(settings, request),
  parser: (counting) => codexParser(counting),
  measure: ({ disk, env }, session, counting) =>
    rolloutFigures({ disk, env: { ...env, ...settings.env } }, session, counting),
});

function launch(settings: ProviderSettings, request: SessionRequest): Launch {
  const model = request.model ?? settings.model;
  const contract = edits(request.role) ? request.contract : `${request.contract}${READ_ONLY}`;
  return {
    argv: [
      settings.program ?? 'codex',
      'exec',
      ...(request.resume === undefined ? [] : ['resume']),
      '--json',
      '--dangerously-bypass-approvals-and-sandbox',
      '--skip-git-repo-check',
      ...['-c', 'check_for_update_on_startup=false'],
      ...['-c', 'analytics.enabled=false'],
      // A login shell would set PATH again, and `liza` would be gone from it.
      ...['-c', 'allow_login_shell=false'],
      ...['-c', `developer_instructions=${toml(contract)}`],
      ...(model === undefined ? [] : ['-m', model]),
      ...settings.args,
      ...(request.resume === undefined ? [] : [request.resume]),
      '-',
    ],
    stdin: request.prompt,
    env: { ...settings.env },
  };
}

/** A basic string of TOML: JSON's escapes and DEL; half a surrogate pair is no text in TOML. */
const toml = (text: string): string => JSON.stringify(text.replace(HALVES, '\ufffd')).replaceAll('\x7f', '\\u007f');
const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
