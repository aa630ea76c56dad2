// What a program that Liza runs for the project gets to see of the environment: all that builds and
// tests need, and nothing that lets it act as Liza, as the user's git, or as the user on some service.
// Goes by names alone: a value is never looked at. Files below HOME are the sandbox's matter.

import type { Environment } from '../ports/host.ts';

/** Compared without case; `^` and `$` bound the whole name. */
const WITHHELD: readonly RegExp[] = [
  /^(LIZA|GIT)_/i,
  // the services that agents themselves run on
  /^(ANTHROPIC|OPENAI|GEMINI|CLAUDE|CODEX)_/i,
  // names that say what they hold
  /(^|_)(TOKENS?|SECRETS?|CREDENTIALS?)(_|$)/i,
  /PASSWORD|PASSWD|PASSPHRASE|_PWD$|_PASS$/i,
  /(API|ACCESS|PRIVATE|SECRET)_?KEY|_KEYS?$/i,
  /_AUTH$|_PAT$|_DSN$|WEBHOOK|^DOCKER_AUTH_CONFIG$/i,
  /^npm_config_.*(auth|otp|cert|key)/i,
  // sockets and helpers that hand out what is locked away elsewhere
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|SSH_CONNECTION|SSH_CLIENT)$/i,
  /ASKPASS|^VSCODE_GIT_/i,
];

export function scrubbed(env: Environment): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isWithheld(entry[0]),
  );
  return Object.fromEntries(kept);
}

export const isWithheld = (name: string): boolean => WITHHELD.some((pattern) => pattern.test(name));
