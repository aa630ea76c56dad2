// `liza` as an agent in the sandbox finds it: the small program says, over the mailbox, exactly what the whole one says.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Broker, openBroker, type ServeCommand } from '../../../src/sandbox/mailbox-broker.ts';
import { writeAgentClient } from '../../../src/supervisor/agent-client.ts';
import { hostAt } from '../../host.ts';
import { boardContext } from '../../support/board-context.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let base: string;
let mail: string;
let liza: string;
let broker: Broker;
let serve: ServeCommand;

beforeEach(() => {
  base = temporaryFolder();
  mail = path.join(base, 'mail');
  serve = async (request) => ({ code: 0, stdout: JSON.stringify(request), stderr: '' });
  broker = openBroker(hostAt(), {
    folder: mail,
    program: ['/bin/false'],
    root: base,
    env: { LIZA_AGENT_ID: 'coder-1' },
    serve: (...asking) => serve(...asking),
  });
  const program = path.join(base, "it's itself.cjs");
  fs.writeFileSync(program, `process.stdout.write('itself ' + JSON.stringify(process.argv.slice(2)))`);
  const client = writeAgentClient(boardContext(base), [process.execPath, program]);
  expect(client.shows).toBeDefined();
  liza = path.join(client.folder, 'liza');
});
afterEach(() => broker.close(0));

interface Typed {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
}

async function typed(argv: readonly string[], { env = {}, stdin }: Typed = {}) {
  const all = { PATH: process.env['PATH'], LIZA_MAILBOX: mail, LIZA_AGENT_ID: 'coder-1', ...env };
  const child = spawn(liza, argv, { env: all, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}).end(stdin ?? '');
  const said: [string, string][] = [];
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (part) => said.push([name, part]));
  const code = await new Promise((done) => child.once('close', (code, signal) => done(code ?? signal)));
  const of = (name: string): string => said.flatMap(([at, part]) => (at === name ? [part] : [])).join('');
  return { code, stdout: of('stdout'), stderr: of('stderr') };
}

test.each([
  [['show', 't'], undefined],
  [['ask', '$(id) `id` \'"\\ \\u0041\n\t\u0001\u007f → ü 😀', ''], undefined],
  [['ask', '-'], 'typed\r\n"in" \\ \0 ü'],
  [['anomaly', '--detail', 'what=-'], ''],
] as const)('what is typed arrives: %j', async (argv, stdin) => {
  const heard = await typed(argv, stdin === undefined ? {} : { stdin });
  const request = { argv, ...(stdin === undefined ? {} : { stdin }), claims: 'coder-1' };
  expect(heard).toEqual({ code: 0, stdout: JSON.stringify(request), stderr: '' });
});

test('what is no UTF-8 arrives as the whole program would send it', async () => {
  const { stdout } = await typed(['ask', '-'], { stdin: Buffer.from([0x61, 0xff, 0x62]) });
  expect(JSON.parse(stdout)).toMatchObject({ stdin: 'a\ufffdb' });
});

test('an answer is passed on whole: code, both streams, however long', async () => {
  const stdout = 'line "x" \\ ü\n'.repeat(400_000);
  serve = async () => ({ code: 42, stdout, stderr: 'liza: note: n\nliza: news: q-1\n' });
  const heard = await typed(['exit', '42']);
  expect(heard.code).toBe(42);
  expect(heard.stdout === stdout).toBe(true);
  expect(heard.stderr).toBe('liza: note: n\nliza: news: q-1\n');
});

test('a reader that goes away changes nothing of its code', async () => {
  serve = async () => ({ code: 7, stdout: 'x'.repeat(1_000_000), stderr: '' });
  const env = { PATH: process.env['PATH'], LIZA_MAILBOX: mail };
  const child = spawn('/bin/sh', ['-c', `{ '${liza}' show t; echo $? >&2; } | head -c 1`], { env });
  let err = '';
  child.stderr.on('data', (part) => (err += part));
  await new Promise((done) => child.once('close', done));
  expect(err.trim()).toBe('7');
});

test.each([[[]], [['help']], [['--version']], [['try', 'npm', 'test']], [['begin', 't', '--set-aside']]] as const)(
  '%j is left to the whole program',
  async (argv) => {
    expect((await typed(argv)).stdout).toBe(`itself ${JSON.stringify(argv)}`);
  },
);

test('variables that tell perl what to do reach the whole program alone', async () => {
  const heard = await typed(['show', 't'], { env: { PERL5OPT: '-Mno_such_module' } });
  expect(heard).toEqual({ code: 0, stdout: 'itself ["show","t"]', stderr: '' });
});

test('a language that the machine does not have is no complaint of its', async () => {
  expect((await typed(['show', 't'], { env: { LC_ALL: 'xx_YY.UTF-8' } })).stderr).toBe('');
});

test('without a mailbox, and where it is gone or closed, it says what the whole program says', async () => {
  expect((await typed(['show', 't'], { env: { LIZA_MAILBOX: '' } })).stdout).toBe('itself ["show","t"]');
  // The whole program finds it gone.
  expect((await typed(['show', 't'], { env: { LIZA_MAILBOX: path.join(base, 'gone') } })).stdout).toBe(
    'itself ["show","t"]',
  );
  await broker.close(0);
  expect(await typed(['show', 't'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('this session has ended'),
  });
});
