// OpenCode. Its configuration can be given in the environment and is merged over the user's: the contract is
// an instructions file there, and a reader's edits are denied. Prompt on stdin, one JSON object a line.

import { join } from 'node:path';
import { OPENCODE_HOME } from './home-files.ts';
import { record } from './json-lines.ts';
import { opencodeParser } from './opencode-stream.ts';
import type { Launch, Provider, SessionRequest } from './provider.ts';
import { edits } from './role-access.ts';
import type { ProviderSettings } from './settings.ts';

export const opencode = (settings: ProviderSettings): Provider => ({
  name: settings.name,
  title: 'OpenCode',
  program: settings.program ?? 'opencode',
  resumes: true,
  hints: { install: { npm: 'opencode-ai' }, login: 'opencode auth login' },
  home: OPENCODE_HOME,
  launch: (request) => launch(settings, request),
  parser: (counting) => opencodeParser(counting, settings.contextWindow),
});

function launch(settings: ProviderSettings, request: SessionRequest): Launch {
  const contract = join(request.scratch, 'contract.md');
  const model = request.model ?? settings.model;
  const own = record(settings.env['OPENCODE_CONFIG_CONTENT'] ?? request.env['OPENCODE_CONFIG_CONTENT'] ?? '') ?? {};
  const instructions = Array.isArray(own['instructions']) ? own['instructions'] : [];
  const config = {
    ...own,
    autoupdate: false,
    share: 'disabled',
    instructions: [...instructions, contract],
    permission: { ...permissions(own['permission']), ...(edits(request.role) ? {} : { edit: 'deny' }) },
  };
  return {
    argv: [
      settings.program ?? 'opencode',
      'run',
      ...['--format', 'json'],
      '--auto',
      // What it waits for (a limit, a broken network) is told nowhere else.
      ...['--print-logs', '--log-level', 'WARN'],
      // A title of its own would cost a request.
      ...(request.resume === undefined ? ['--title', `liza ${request.agent}`] : ['-s', request.resume]),
      ...(model === undefined ? [] : ['-m', model]),
      ...settings.args,
    ],
    stdin: request.prompt,
    files: [{ path: contract, text: request.contract }],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      ...settings.env,
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    },
  };
}

const permissions = (own: unknown): object =>
  typeof own === 'string' ? { '*': own } : typeof own === 'object' && own !== null ? own : {};
