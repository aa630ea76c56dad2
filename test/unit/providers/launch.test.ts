// How each CLI is started: what must be on its command line, in its environment and on its stdin.

import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../src/providers/provider.ts';
import { provider, request } from './recordings.ts';

const NAMES = ['claude', 'codex', 'gemini', 'opencode'];
const after = ({ argv }: Launch, flag: string): string | undefined => argv[argv.indexOf(flag) + 1];
const everything = (launch: Launch): string => JSON.stringify(launch);

describe.each(NAMES)('%s', (name) => {
  const { launch } = provider(name);

  test('the prompt goes to stdin, however long', () => {
    const made = launch(request({ prompt: 'x'.repeat(500_000) }));
    expect(made.stdin).toContain('x'.repeat(500_000));
    expect(made.argv.every((part) => part.length < 100_000)).toBe(true);
  });

  test('the contract is given, and only below the scratch folder', () => {
    const made = launch(request());
    expect(everything(made)).toContain('CONTRACT: be honest.');
    expect((made.files ?? []).every(({ path }) => path.startsWith('/home/dev/scratch/coder-1/'))).toBe(true);
  });

  test('a resumed session is named; a new one is not resumed', () => {
    const resumed = launch(request({ resume: 'former-session' }));
    expect(resumed.argv).toContain('former-session');
    expect(launch(request()).argv.join(' ')).not.toMatch(/resume|-s /);
  });

  test('the model asked for counts before the configured one', () => {
    const configured = provider(name, { [name]: { model: 'configured' } });
    expect(configured.launch(request()).argv).toContain('configured');
    const { argv } = configured.launch(request({ model: 'asked' }));
    expect(argv).toContain('asked');
    expect(argv).not.toContain('configured');
  });

  test('program, further arguments and environment can be configured', () => {
    const made = provider(name, { [name]: { program: '/opt/it', args: ['--more'], env: { KEY: 'value' } } }).launch(
      request(),
    );
    expect(made.argv[0]).toBe('/opt/it');
    expect(made.argv).toContain('--more');
    expect(made.env).toMatchObject({ KEY: 'value' });
  });

  test.each(['code_reviewer', 'planner'] as const)('a %s is kept from editing, a coder is not', (role) => {
    expect(everything(launch(request({ role })))).not.toBe(everything(launch(request())));
  });
});

test('claude: session id of ours, editing tools taken away, no word of an outer session', () => {
  const { launch } = provider('claude');
  const made = launch(request({ role: 'code_reviewer', root: true }));
  expect(after(made, '--session-id')).toBe(request().sessionId);
  expect(made.session).toBe(request().sessionId);
  expect(after(made, '--disallowedTools')?.split(',')).toEqual(
    expect.arrayContaining(['Edit', 'Write', 'NotebookEdit']),
  );
  expect(after(made, '--disallowedTools')).not.toContain('MultiEdit');
  expect(made.env).toMatchObject({ IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1', CLAUDECODE: undefined });
  expect(after(launch(request()), '--disallowedTools')?.split(',')).not.toContain('Edit');
  expect(launch(request()).env).not.toHaveProperty('IS_SANDBOX');
  expect(after(launch(request({ resume: 'before' })), '--resume')).toBe('before');
});

test('codex: the contract as a TOML string, resume before the flags, stdin last', () => {
  const made = provider('codex').launch(request({ contract: 'a "quoted"\n\ttext \x7f \ud800', resume: 'thread' }));
  expect(made.argv.slice(0, 3)).toEqual(['codex', 'exec', 'resume']);
  expect(made.argv.slice(-2)).toEqual(['thread', '-']);
  expect(made.argv).toContain('developer_instructions="a \\"quoted\\"\\n\\ttext \\u007f \ufffd"');
  expect(made.argv).toContain('allow_login_shell=false');
});

test('gemini: the contract goes in front of the first prompt, a policy denies a reader its tools', () => {
  const { launch } = provider('gemini');
  expect(launch(request()).stdin).toBe('CONTRACT: be honest.\n\nPROMPT: greet the world.\n');
  expect(launch(request({ resume: 'before' })).stdin).toBe('PROMPT: greet the world.\n');
  const reader = launch(request({ role: 'planner' }));
  expect(after(reader, '--policy')).toBe('/home/dev/scratch/coder-1/read-only.toml');
  expect(reader.files?.find(({ path }) => path.endsWith('.toml'))?.text).toContain('write_file');
  expect(launch(request()).argv).not.toContain('--policy');
});

test('gemini: the user’s own defaults are left alone', () => {
  const made = provider('gemini').launch(request({ env: { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '/etc/mine.json' } }));
  expect(made.env).not.toHaveProperty('GEMINI_CLI_SYSTEM_DEFAULTS_PATH');
  expect(made.files).toEqual([]);
});

test('opencode: its configuration is merged over the user’s', () => {
  const own = { model: 'a/b', instructions: ['mine.md'], permission: { bash: 'allow' } };
  const made = provider('opencode').launch(
    request({ role: 'code_reviewer', env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) } }),
  );
  expect(JSON.parse(made.env?.['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
    model: 'a/b',
    autoupdate: false,
    instructions: ['mine.md', '/home/dev/scratch/coder-1/contract.md'],
    permission: { bash: 'allow', edit: 'deny' },
  });
});

describe('a command of the project’s own', () => {
  const mine = (argv: readonly string[], more = {}) => provider('mine', { mine: { kind: 'command', argv, ...more } });

  test('placeholders are filled in, and only known ones', () => {
    const made = mine(['my-agent', '-m', '{model}', '--session={session}', '{prompt_file}', '{other}'], {
      model: 'm1',
    }).launch(request());
    const { scratch, sessionId } = request();
    expect(made.argv).toEqual(['my-agent', '-m', 'm1', `--session=${sessionId}`, `${scratch}/prompt.md`, '{other}']);
    expect(made.stdin).toBeUndefined();
    expect(made.session).toBe(sessionId);
    expect(made.files?.map(({ text }) => text).join()).toContain('CONTRACT: be honest.\n\nPROMPT');
  });

  test('without a placeholder the prompt goes to stdin, the contract with it unless it has its own file', () => {
    expect(mine(['my-agent']).launch(request()).stdin).toBe('CONTRACT: be honest.\n\nPROMPT: greet the world.\n');
    expect(mine(['my-agent', '--rules', '{contract_file}']).launch(request()).stdin).toBe('PROMPT: greet the world.\n');
  });

  test('a prompt too long for an argument is left in its file', () => {
    const { argv } = mine(['my-agent', '{prompt}']).launch(request({ prompt: 'x'.repeat(200_000) }));
    expect(argv[1]).toBe('Read and follow /home/dev/scratch/coder-1/prompt.md');
  });

  test('what a prompt says is never a placeholder', () => {
    expect(mine(['my-agent', '{prompt}']).launch(request({ prompt: 'say {model} and $&' })).argv[1]).toContain(
      'say {model} and $&',
    );
  });
});
