// The table of providers, as the configuration changes it; what is installed.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { BUILT_IN, providersOf } from '../../../src/providers/configured.ts';
import { inspect, programOf, type Run } from '../../../src/providers/installed.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { provider } from './recordings.ts';

const refusal = (config: Record<string, unknown>): string => {
  const table = providersOf(config);
  if (!('ok' in table)) throw new Error('not refused');
  expect(table.hint).not.toBe('');
  return table.message;
};

describe('config.providers', () => {
  test('nothing configured: the built-in ones', () => {
    const table = providersOf(undefined);
    expect('ok' in table ? [] : [...table.keys()]).toEqual([...BUILT_IN]);
  });

  test('one’s own besides, and two of a kind', () => {
    const table = providersOf({
      mine: { kind: 'command', argv: ['my-agent', '{prompt}'] },
      'claude-big': { kind: 'claude', model: 'opus' },
      rehearsal: { script: 'x.json' },
    });
    if ('ok' in table) throw new Error(table.message);
    expect([...table.keys()]).toEqual([...BUILT_IN, 'mine', 'claude-big']);
    expect(table.get('claude-big')).toMatchObject({
      model: 'opus',
      provider: { name: 'claude-big', program: 'claude' },
    });
  });

  test.each([
    [{ mine: { argv: ['x'] } }, 'config.providers.mine needs a kind: claude, codex, gemini, opencode, acp, command'],
    [
      { mine: { kind: 'magic' } },
      'config.providers.mine.kind is magic, must be one of claude, codex, gemini, opencode, acp, command',
    ],
    [
      { claude: { modle: 'x' } },
      'config.providers.claude.modle is unknown; known keys: kind, program, model, args, env, argv, resumes, context_window',
    ],
    [{ claude: 'opus' }, 'config.providers.claude must be a map, for example { model: … }'],
    [
      { claude: { context_window: 9000 } },
      'config.providers.claude.context_window is only for kind opencode, gemini, acp, command',
    ],
    [{ opencode: { context_window: 'big' } }, 'config.providers.opencode.context_window must be a number of tokens'],
    [{ claude: { model: 7 } }, 'config.providers.claude.model must be text'],
    [{ claude: { args: 'x' } }, 'config.providers.claude.args must be a list of texts'],
    [{ claude: { env: { A: 1 } } }, 'config.providers.claude.env must be a map of texts'],
    [
      { claude: { argv: ['x'] } },
      'config.providers.claude.argv is only for kind command and acp; use program and args',
    ],
    [
      { mine: { kind: 'command', argv: [] } },
      'config.providers.mine.argv is missing: the program and its arguments, for example ["my-agent", "{prompt_file}"]',
    ],
    [
      { mine: { kind: 'acp' } },
      'config.providers.mine.argv is missing: the program and its arguments, for example ["my-agent", "{prompt_file}"]',
    ],
    [{ mine: { kind: 'command', argv: ['x'], resumes: 'yes' } }, 'config.providers.mine.resumes must be true or false'],
  ])('%j is refused', (config, message) => {
    expect(refusal(config)).toBe(message);
  });
});

describe('what is installed', () => {
  let folder = '';
  beforeAll(() => {
    folder = temporaryFolder();
    mkdirSync(join(folder, 'claude')); // a folder is no program
    writeFileSync(join(folder, 'codex'), '');
    chmodSync(join(folder, 'codex'), 0o755);
    writeFileSync(join(folder, 'gemini'), '', { mode: 0o644 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const answering =
    (status: number | null, stdout: string, stderr = ''): Run =>
    async () => ({ status, stdout, stderr });

  test('found on PATH: files that may be run, in order, no relative folders', () => {
    const env = { PATH: `.:relative:/nowhere:${folder}` };
    expect(programOf(realDisk, 'codex', env)).toBe(join(folder, 'codex'));
    expect(programOf(realDisk, 'claude', env)).toBeUndefined();
    expect(programOf(realDisk, 'gemini', env)).toBeUndefined();
    expect(programOf(realDisk, join(folder, 'codex'), {})).toBe(join(folder, 'codex'));
    expect(programOf(realDisk, 'codex', {})).toBeUndefined();
  });

  test('its version, or why it does not start', async () => {
    const env = { PATH: folder };
    const codex = provider('codex');
    const path = join(folder, 'codex');
    expect(await inspect(realDisk, codex, env, answering(0, 'WARNING: old\ncodex-cli 0.166.0\n'))).toEqual({
      provider: codex,
      path,
      version: 'codex-cli 0.166.0',
    });
    expect(await inspect(realDisk, codex, env, answering(1, '', 'a\nno node'))).toMatchObject({
      trouble: '`codex --version`: exit 1, no node',
    });
    expect(await inspect(realDisk, codex, env, answering(null, ''))).toMatchObject({
      trouble: '`codex --version`: no answer within 20 s',
    });
    const failing: Run = () => Promise.reject(new Error('EACCES'));
    expect(await inspect(realDisk, codex, env, failing)).toMatchObject({ trouble: 'EACCES' });
    expect(await inspect(realDisk, provider('claude'), env, failing)).toEqual({ provider: expect.anything() });
  });

  test('a command of one’s own is looked for and not tried', async () => {
    const mine = provider('mine', { mine: { kind: 'command', argv: [join(folder, 'codex')] } });
    const never: Run = () => Promise.reject(new Error('started'));
    expect(await inspect(realDisk, mine, {}, never)).toEqual({ provider: mine, path: join(folder, 'codex') });
  });
});
