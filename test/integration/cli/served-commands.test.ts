// Commands of confined agents in the supervisor's process: the same answers, records and refusals as a program of their own
// gives, and nothing of the process itself is touched.

import { beforeEach, expect, test } from 'vitest';
import { serveCommands } from '../../../src/cli/serve-commands.ts';
import { openYamlStore } from '../../../src/store/open.ts';
import { boardContext } from '../../support/board-context.ts';
import { type PlayedProject, playedProject } from '../../support/by-verbs.ts';
import { ioOf } from '../../support/in-process.ts';

let here: PlayedProject;

beforeEach(async () => {
  here = playedProject();
  await here.ok(['init', 'Greet people']);
});

const NEVER = new AbortController().signal;

function server() {
  const io = ioOf(here.root, process.env);
  const context = boardContext(here.root);
  return serveCommands(io, { ...context, store: openYamlStore(context) });
}
const asOperator = { PATH: process.env['PATH'], LIZA_BROKERED: '1' };

test('what is long to read is left to a program of its own', () => {
  for (const argv of [['audit'], ['log', 'verify'], ['validate'], ['try', 'true'], [], ['--json', 'show']])
    expect(server()({ argv }, asOperator, NEVER)).toBeUndefined();
});

test('it answers as the program does, from stdin too, and the board has it', async () => {
  const add = [
    'add-task',
    '--id',
    'greet',
    '--desc',
    '-',
    '--spec',
    'specs/vision.md',
    '--done',
    'prints a greeting',
    '--scope',
    'IN: src/',
  ];
  const added = await server()({ argv: add, stdin: 'A greeting' }, asOperator, NEVER);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(here.read('.liza', 'state.yaml')).toContain('A greeting');
  const shown = await server()({ argv: ['show', 'greet', '--json'] }, asOperator, NEVER);
  expect(JSON.parse(shown?.stdout ?? '')).toMatchObject({ task: { id: 'greet', status: 'DRAFT' } });
});

test('a request that claims to be an agent without its session is refused, and takes no signal of the process', async () => {
  const listeners = process.listenerCount('SIGTERM');
  const asked = await server()(
    { argv: ['exit', '0'] },
    { ...asOperator, LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: 'made-up' },
    NEVER,
  );
  expect(asked?.code).toBe(1);
  expect(asked?.stderr).toContain('coder-1');
  expect(process.listenerCount('SIGTERM')).toBe(listeners);
});

test('what a mailbox may not ask for is refused here, too', async () => {
  const refused = await server()({ argv: ['show', '--help'] }, asOperator, NEVER);
  expect(refused?.code).toBe(0);
  const file = await server()(
    { argv: ['submit-verdict', 'greet', 'APPROVED', '--file', '/etc/passwd'] },
    asOperator,
    NEVER,
  );
  expect(file?.code).not.toBe(0);
});
