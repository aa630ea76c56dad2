// Which agent CLI plays: what was asked for, else the project's default, else the first one installed.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Asked, castRoles, knownProvider, knownProviders } from '../../../src/cli/choose-provider.ts';
import type { Io } from '../../../src/cli/io.ts';
import type { Config } from '../../../src/protocol/state.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let bin: string;

beforeAll(() => {
  bin = temporaryFolder();
  for (const name of ['claude', 'codex']) {
    writeFileSync(join(bin, name), '#!/bin/sh\n');
    chmodSync(join(bin, name), 0o755);
  }
});

/** Only what is looked at here. */
const io = (): Io =>
  ({ host: hostAt(), self: { argv: ['node', 'liza'] }, env: { PATH: bin }, root: () => bin }) as unknown as Io;

function cast(config: Config, asked: Asked = {}): unknown {
  const found = castRoles(io(), config, asked);
  if ('ok' in found) return found.message;
  const { planner, coder, code_reviewer } = found.chosen;
  return [planner, coder, code_reviewer].map(({ provider }) => provider.name).join(' ');
}

test.each<[string, Config, Asked, string]>([
  ['nothing said: the first installed', {}, {}, 'claude claude claude'],
  ['the default', { default_provider: 'codex' }, {}, 'codex codex codex'],
  ['none as default', { default_provider: null }, {}, 'claude claude claude'],
  ['asked for goes before it', { default_provider: 'codex' }, { agent: 'claude' }, 'claude claude claude'],
  ['by role before all', { default_provider: 'codex' }, { coder: 'claude' }, 'codex claude codex'],
  ['not installed', { default_provider: 'gemini' }, {}, 'Gemini CLI is not installed: gemini is not on PATH'],
  ['unknown', { default_provider: 'nobody' }, {}, 'there is no provider "nobody"'],
])('%s', (_, config, asked, expected) => {
  expect(cast(config, asked)).toBe(expected);
});

test('knows all providers, installed or not, with the project’s own', () => {
  const known = knownProviders(io(), { providers: { mine: { kind: 'command', argv: ['codex'] } } });
  if ('ok' in known) throw new Error(known.message);
  expect(known.map(({ provider, installed }) => `${provider.name} ${installed}`)).toEqual([
    'claude true',
    'codex true',
    'gemini false',
    'opencode false',
    'mine true',
  ]);
});

test('what Liza plays itself is known by name where it is configured', () => {
  const name = (config: Config, asked: string): unknown => {
    const found = knownProvider(io(), config, asked);
    return found === undefined || 'ok' in found ? found : [found.provider.name, found.installed];
  };
  expect(name({ providers: { rehearsal: { script: 'rehearsal.json' } } }, 'rehearsal')).toEqual(['rehearsal', true]);
  expect(name({}, 'rehearsal')).toBeUndefined();
  expect(name({ providers: { rehearsal: {} } }, 'rehearsal')).toMatchObject({ ok: false });
  expect(name({}, 'player')).toEqual(['player', true]);
  expect(name({}, 'gemini')).toEqual(['gemini', false]);
  expect(name({}, 'nobody')).toBeUndefined();
});
