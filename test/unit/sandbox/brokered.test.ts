// What an agent in the sandbox may have run outside: known commands, none that starts programs or reads named files.

import { describe, expect, test } from 'vitest';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { requestIn } from '../../../src/sandbox/mailbox-broker.ts';
import { isForwarded } from '../../../src/sandbox/mailbox-client.ts';
import { refuseBrokered } from '../../../src/sandbox/mailbox-commands.ts';
import { refusedBy } from '../../refused-by.ts';

const names = Object.keys(REGISTRY);
const allowed = names.filter((name) => refuseBrokered(name) === undefined);

test('every command of planner, coder and reviewer goes through; what runs programs does not', () => {
  const agents = names.filter((name) =>
    REGISTRY[name]?.groups.some((group) => ['Planner', 'Coder', 'Reviewer'].includes(group)),
  );
  expect(agents.filter((name) => !allowed.includes(name))).toEqual([]);
  const never = [
    'lock modify',
    'lock write',
    'run',
    'agent',
    'demo',
    'init',
    'setup',
    'deinit',
    'edit',
    'rehearse',
    'watch',
    'doctor',
  ];
  expect(never.filter((name) => allowed.includes(name))).toEqual([]);
  expect(refuseBrokered('a command of the future')).toMatchObject(refusedBy('sandbox', { ok: false }));
});

test('only what needs no board is answered inside', () => {
  expect(['rehearse', 'help', 'version', 'completion', '__complete'].filter((name) => isForwarded([name]))).toEqual([]);
  expect(isForwarded([])).toBe(false);
  expect(isForwarded(['status'])).toBe(true);
});

describe('a request', () => {
  test.each([
    ['nothing', ''],
    ['half of one', '{"argv": ["sta'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no arguments', '{}'],
    ['arguments that are no texts', '{"argv": [1]}'],
    ['an argument with a NUL', JSON.stringify({ argv: ['a\0b'] })],
    ['too many arguments', JSON.stringify({ argv: Array(501).fill('x') })],
    ['a stdin that is no text', '{"argv": ["x"], "stdin": {}}'],
  ])('that is %s is none', (_name, text) => expect(requestIn(text)).toBeUndefined());

  test('has arguments and stdin; nothing else of it is kept', () => {
    const text = JSON.stringify({ argv: ['show', 'a'], stdin: 'x', env: { LIZA_AGENT_ID: 'planner-1' }, cwd: '/' });
    expect(requestIn(text)).toEqual({ argv: ['show', 'a'], stdin: 'x' });
    const claiming = (claims: unknown) => requestIn(JSON.stringify({ argv: ['show'], claims }))?.claims;
    expect([claiming('coder-1'), claiming(3), claiming('x\ny'), claiming('')]).toEqual([
      'coder-1',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
