// What a program run for the project is told, and what it is not.

import { expect, test } from 'vitest';
import { isWithheld, scrubbed } from '../../../src/process/environment.ts';

test.each([
  'LIZA_AGENT LIZA_SESSION GIT_DIR GIT_SSH_COMMAND GIT_ASKPASS GIT_CONFIG_COUNT',
  'ANTHROPIC_API_KEY ANTHROPIC_BASE_URL OPENAI_ORG GEMINI_MODEL CLAUDE_CODE_OAUTH_TOKEN CODEX_HOME',
  'GOOGLE_API_KEY GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_SECRET SOME_CREDENTIAL',
  'GITHUB_TOKEN GH_TOKEN NPM_TOKEN NODE_AUTH_TOKEN AWS_SESSION_TOKEN ACTIONS_ID_TOKEN_REQUEST_URL TOKEN',
  'AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY MY_ACCESS_KEYS STRIPE_APIKEY DEPLOY_PRIVATE_KEY SECRET_KEY_BASE SIGNING_KEY',
  'PGPASSWORD DB_PASSWORD MYSQL_PWD SMTP_PASS SSH_PASSPHRASE',
  'REDISCLI_AUTH DOCKER_AUTH_CONFIG AZURE_DEVOPS_EXT_PAT SENTRY_DSN SLACK_WEBHOOK_URL',
  'SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO SSH_ASKPASS VSCODE_GIT_IPC_HANDLE',
  'npm_config__auth npm_config__authToken npm_config_//packages.example.org/:_authToken NPM_CONFIG_OTP',
  'github_token Db_Password',
])('withheld: %s', (names) => {
  expect(names.split(' ').filter((name) => !isWithheld(name))).toEqual([]);
});

test.each([
  'PATH HOME USER SHELL LANG LC_ALL TZ TERM TMPDIR PWD OLDPWD CI DISPLAY',
  'NODE_OPTIONS NODE_ENV npm_config_registry npm_config_cache npm_execpath JAVA_HOME GOPATH CARGO_HOME VIRTUAL_ENV',
  'HTTP_PROXY https_proxy NO_PROXY SSL_CERT_FILE DATABASE_URL',
  'TOKENIZERS_PARALLELISM KEYBOARD_LAYOUT MONKEY PASSENGER_PORT GITHUB_ACTIONS DIGIT_COUNT AUTHOR PATTERN',
])('kept: %s', (names) => {
  expect(names.split(' ').filter(isWithheld)).toEqual([]);
});

test('what is not set stays unset', () => {
  expect(scrubbed({ PATH: '/bin', EMPTY: '', UNSET: undefined, A_TOKEN: 'x' })).toEqual({ PATH: '/bin', EMPTY: '' });
});
