// The mailbox from both ends, with a `liza` that tells what it was given: whatever is laid into it, only whole
// requests are run, each once, as the session that the mailbox belongs to.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, answerIn } from '../../../src/sandbox/answer-text.ts';
import { type Broker, openBroker, type ServeCommand } from '../../../src/sandbox/mailbox-broker.ts';
import { forward } from '../../../src/sandbox/mailbox-client.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let base: string;
let mail: string;
let broker: Broker;
let asked: () => void | Promise<void>;
const FAKE = `let input = '';
process.stdin.on('data', (d) => { input += d; }).on('end', () => {
  const argv = process.argv.slice(2);
  require('node:fs').appendFileSync(process.env.RAN, argv.join(' ') + '\\n');
  if (argv[0] === 'sleep' || argv[0] === 'try') return setTimeout(() => {}, 60_000);
  if (argv[0] === 'leaves') {
    require('node:child_process').spawn('sh', ['-c', 'echo left >> "$RAN"; sleep 30'], { stdio: 'inherit' });
    return;
  }
  if (argv[0] === 'slow') require('node:child_process').spawnSync('sleep', ['1']);
  process.stderr.write('beside');
  process.stdout.write(JSON.stringify({ argv, input, id: process.env.LIZA_AGENT_ID, cwd: process.cwd(), brokered: process.env.LIZA_BROKERED, more: process.env.MORE }));
  process.exitCode = argv[0] === 'starved' ? 3 : 7;
});`;

let failures: string[];
let serve: ServeCommand | undefined;

beforeEach(() => {
  failures = [];
  serve = undefined;
  asked = () => {};
  base = temporaryFolder();
  mail = path.join(base, 'mail');
  fs.writeFileSync(path.join(base, 'liza.cjs'), FAKE);
  broker = openBroker(hostAt(), {
    folder: mail,
    program: [process.execPath, path.join(base, 'liza.cjs')],
    root: base,
    env: { PATH: process.env['PATH'], LIZA_AGENT_ID: 'coder-1', RAN: path.join(base, 'ran') },
    serve: (...asking) => serve?.(...asking),
    onRequest: () => asked(),
    onFailure: (said) => failures.push(said),
  });
});
afterEach(async () => {
  await broker.close(0);
});

const lay = (id: string, request: object): void => {
  fs.writeFileSync(path.join(mail, `${id}.tmp`), JSON.stringify(request));
  fs.renameSync(path.join(mail, `${id}.tmp`), path.join(mail, `${id}.ask`));
};
async function answer(id: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const file = path.join(mail, `${id}.answer`);
  const until = performance.now() + 20_000;
  while (!fs.existsSync(file)) {
    if (performance.now() > until) throw new Error(`no answer to ${id}`);
    await new Promise((done) => setTimeout(done, 10));
  }
  return answerIn(fs.readFileSync(file, 'utf8')) as Answer;
}
test('what fails for a reason outside the board is also told outside', async () => {
  lay('aaaaaaaa', { argv: ['starved'] });
  lay('bbbbbbbb', { argv: ['refused'] });
  expect([(await answer('aaaaaaaa')).code, (await answer('bbbbbbbb')).code]).toEqual([3, 7]);
  expect(failures).toEqual(['beside']);
});

const ran = (): string[] =>
  fs.existsSync(path.join(base, 'ran')) ? fs.readFileSync(path.join(base, 'ran'), 'utf8').trimEnd().split('\n') : [];

test('arguments, stdin, both outputs and the exit code; identity and folder are the session’s, whatever is asked', async () => {
  lay('aaaaaaaa', {
    argv: ['show', '$(x)', "a'b"],
    stdin: 'in',
    env: { LIZA_AGENT_ID: 'planner-1', MORE: 'x' },
    cwd: '/',
  });
  const { code, stdout, stderr } = await answer('aaaaaaaa');
  expect({ code, stderr }).toEqual({ code: 7, stderr: 'beside' });
  expect(JSON.parse(stdout)).toEqual({
    argv: ['show', '$(x)', "a'b"],
    input: 'in',
    id: 'coder-1',
    cwd: base,
    brokered: '1',
  });
});

test('what is done at each command is done before it is answered: commits made until then are seen', async () => {
  let seen = false;
  asked = async () => {
    await new Promise((done) => setTimeout(done, 800));
    seen = true;
  };
  lay('aaaaaaaa', { argv: ['show'] });
  await answer('aaaaaaaa');
  expect(seen).toBe(true);
});

test('links, pipes, folders, giants, halves and odd names are harmless, and what is asked beside them is answered', async () => {
  const secret = path.join(base, 'secret');
  fs.writeFileSync(secret, JSON.stringify({ argv: ['through-a-link'] }));
  const at = (name: string): string => path.join(mail, name);
  fs.symlinkSync(secret, at('linklink.ask'));
  spawnSync('mkfifo', [at('pipepipe.ask')]);
  fs.mkdirSync(at('foldered.ask'));
  fs.writeFileSync(at('giganticc.ask'), Buffer.alloc(5 * 1024 * 1024, 'x'));
  fs.writeFileSync(at('halfhalf.ask'), '{"argv": ["half"');
  fs.writeFileSync(at('..ask'), '{"argv": ["odd"]}');
  fs.writeFileSync(at('UPPER-CASE.ask'), '{"argv": ["odd"]}');
  // The answer would go through a link to a file outside, or onto a folder.
  fs.symlinkSync(secret, at('bbbbbbbb.answer'));
  fs.mkdirSync(at('cccccccc.answer'));
  lay('cccccccc', { argv: ['onto-a-folder'] });
  lay('bbbbbbbb', { argv: ['over-a-link'] });
  lay('dddddddd', { argv: ['honest'] });
  expect((await answer('dddddddd')).code).toBe(7);
  const until = performance.now() + 10_000;
  while (fs.lstatSync(at('bbbbbbbb.answer')).isSymbolicLink() && performance.now() < until)
    await new Promise((done) => setTimeout(done, 10));
  expect(fs.readFileSync(secret, 'utf8')).toContain('through-a-link');
  expect(fs.lstatSync(at('bbbbbbbb.answer')).isFile()).toBe(true);
  await expect.poll(() => ran().sort(), { timeout: 30_000 }).toEqual(['honest', 'onto-a-folder', 'over-a-link']);
});

test('what the system or we cannot take is answered as that, and the one who answers lives on', async () => {
  lay('longlong', { argv: ['note', 'x'.repeat(300_000)] });
  expect(await answer('longlong')).toMatchObject({ code: 1, stderr: expect.stringContaining('too long') });
  lay('giganticc', { argv: ['note', '-'], stdin: 'x'.repeat(5 * 1024 * 1024) });
  expect(await answer('giganticc')).toMatchObject({ code: 1, stderr: expect.stringContaining('too long') });
  lay('oddoddodd', { argv: 'status' });
  expect((await answer('oddoddodd')).code).toBe(1);
  lay('afterwards', { argv: ['honest'] });
  expect((await answer('afterwards')).code).toBe(7);
  expect(ran()).toEqual(['honest']);
});

test('a flood is answered in turn, four at once, each request once', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => `flood${String(n).padStart(4, '0')}`);
  for (const id of ids) lay(id, { argv: [id] });
  for (const id of ids) await answer(id);
  expect(ran().sort()).toEqual([...ids].sort());
});

test('a mailbox that its owner made read-only runs nothing twice', async () => {
  lay('eeeeeeee', { argv: ['once'] });
  await answer('eeeeeeee');
  if (process.getuid?.() !== 0) {
    fs.writeFileSync(path.join(mail, 'ffffffff.ask'), '{"argv": ["never"]}');
    fs.chmodSync(mail, 0o500);
  }
  await new Promise((done) => setTimeout(done, 400));
  fs.chmodSync(mail, 0o700);
  expect(ran().filter((one) => one === 'once')).toEqual(['once']);
});

test('at the end of the session what hangs is ended, and the mailbox says so', async () => {
  lay('gggggggg', { argv: ['sleep'] });
  const until = performance.now() + 10_000;
  while (!ran().includes('sleep') && performance.now() < until) await new Promise((done) => setTimeout(done, 10));
  const begun = performance.now();
  await broker.close(100);
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(fs.readdirSync(mail)).toContain('ended');
});

test('the end does not wait for what a command left behind with its pipes', async () => {
  lay('gggggggg', { argv: ['leaves'] });
  await expect.poll(ran, { timeout: 10_000 }).toContain('left');
  const begun = performance.now();
  await broker.close(100);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('the end does not wait until a flooded mailbox is empty', async () => {
  fs.mkdirSync(path.join(mail, 'd/d/d'), { recursive: true });
  for (let n = 0; n < 300; n += 1) fs.writeFileSync(path.join(mail, `flood${String(n).padStart(4, '0')}.ask`), '{}');
  await broker.close(0);
  // What is in it goes with the session's folder, for which nobody waits long.
  expect(fs.readdirSync(mail)).toEqual(expect.arrayContaining(['d', 'ended']));
  expect(ran()).toEqual([]);
});

describe('liza try is worth nothing without who asked', () => {
  const begun = () => expect.poll(ran, { timeout: 10_000 }).toContain('try npm test');

  test('it ends with the session, without its grace', async () => {
    lay('kkkkkkkk', { argv: ['try', 'npm', 'test'] });
    await begun();
    broker.end();
    expect(await answer('kkkkkkkk')).toMatchObject({ stderr: expect.stringContaining('SIGTERM') });
  });

  test('it ends with its client, whose place another takes; a withdrawn one that waits is never run', async () => {
    lay('kkkkkkkk', { argv: ['try', 'npm', 'test'] });
    await begun();
    const full = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'];
    for (const id of full) lay(id, { argv: ['sleep'] });
    await expect.poll(() => ran().length, { timeout: 10_000 }).toBe(4);
    lay('llllllll', { argv: ['never'] });
    fs.writeFileSync(path.join(mail, 'llllllll.gone'), '');
    fs.mkdirSync(path.join(mail, 'foldered.gone'));
    await expect.poll(() => fs.existsSync(path.join(mail, 'llllllll.ask')), { timeout: 10_000 }).toBe(false);
    fs.writeFileSync(path.join(mail, 'kkkkkkkk.gone'), '');
    expect(await answer('kkkkkkkk')).toMatchObject({ stderr: expect.stringContaining('SIGTERM') });
    lay('mmmmmmmm', { argv: ['honest'] });
    expect((await answer('mmmmmmmm')).code).toBe(7);
    expect(ran()).not.toContain('never');
  });

  test('its client says when it is interrupted, and reads no stdin for a word of the program', async () => {
    let interrupted = (): void => {};
    const waiting = forward(
      {
        disk: fs,
        newId: () => 'nnnnnnnn',
        every: (ms, call) => {
          const timer = setInterval(call, ms);
          return () => clearInterval(timer);
        },
        readStdin: () => {
          throw new Error('nothing is to be read');
        },
        git: () => undefined,
        stdout: () => {},
        stderr: () => {},
        onInterrupt: (call) => {
          interrupted = call;
        },
      },
      mail,
      ['try', 'cat', '-'],
    );
    await expect.poll(ran, { timeout: 10_000 }).toContain('try cat -');
    interrupted();
    expect(await waiting).toBe(1);
  });
});

test('whoever wants it to end at once does not wait for the grace', async () => {
  lay('gggggggg', { argv: ['sleep'] });
  const until = performance.now() + 10_000;
  while (!ran().includes('sleep') && performance.now() < until) await new Promise((done) => setTimeout(done, 10));
  const begun = performance.now();
  const hurry = new AbortController();
  const closed = broker.close(20_000, hurry.signal);
  hurry.abort();
  await closed;
  expect(performance.now() - begun).toBeLessThan(5000);
});

test('a session that has ended: whoever asks is told so at once, nothing is run, and what was under way is answered', async () => {
  lay('hhhhhhhh', { argv: ['slow'] });
  const until = performance.now() + 10_000;
  while (!ran().includes('slow') && performance.now() < until) await new Promise((done) => setTimeout(done, 10));
  broker.end();
  const begun = performance.now();
  lay('iiiiiiii', { argv: ['submit-for-review'] });
  expect(await answer('iiiiiiii')).toMatchObject({ code: 1, stderr: expect.stringContaining('coder-1 has ended') });
  expect(performance.now() - begun).toBeLessThan(2000);
  expect((await answer('hhhhhhhh')).code).toBe(7);
  expect(ran()).toEqual(['slow']);
});

describe('liza in the sandbox, once the session has ended', () => {
  const said: string[] = [];
  const ask = () =>
    forward(
      {
        disk: fs,
        newId: () => 'jjjjjjjj',
        every: (ms, call) => {
          const timer = setInterval(call, ms);
          return () => clearInterval(timer);
        },
        readStdin: () => '',
        git: () => undefined,
        stdout: (text) => said.push(text),
        stderr: (text) => said.push(text),
      },
      mail,
      ['submit-for-review', 't', 'HEAD'],
    );

  test('says so at once where the mailbox is gone', async () => {
    await broker.close(0);
    expect(await ask()).toBe(1);
    expect(said.join('')).toContain('this session has ended');
  });

  test.each(['the mailbox goes', 'nobody answers any more'])('and stops to wait when %s', async (what) => {
    fs.chmodSync(mail, 0o700);
    // Its requests are taken by nobody: the folder is another one.
    const other = path.join(base, 'other');
    fs.mkdirSync(other);
    const real = mail;
    mail = other;
    const waiting = ask();
    await new Promise((done) => setTimeout(done, 100));
    if (what === 'the mailbox goes') fs.rmSync(other, { recursive: true });
    else fs.writeFileSync(path.join(other, 'ended'), '');
    expect(await waiting).toBe(1);
    mail = real;
  });
});

describe('a command that is run in the supervisor’s own process', () => {
  const READY = { code: 0, stdout: 'done', stderr: '' };

  test('starts no program; it has the session’s environment, and knows that it was asked from inside', async () => {
    const seen: unknown[] = [];
    serve = async (request, env) => {
      seen.push([request, env.LIZA_AGENT_ID, env['LIZA_BROKERED'], env['LIZA_CLAIMED']]);
      return READY;
    };
    lay('aaaaaaaa', { argv: ['begin'], stdin: 'text', claims: 'planner-1' });
    expect(await answer('aaaaaaaa')).toEqual(READY);
    const request = { argv: ['begin'], stdin: 'text', claims: 'planner-1' };
    expect(seen).toEqual([[request, 'coder-1', '1', 'planner-1']]);
    expect(ran()).toEqual([]);
  });

  test('is a program after all where it cannot be served', async () => {
    serve = ({ argv }) => (argv[0] === 'begin' ? Promise.resolve(READY) : undefined);
    lay('aaaaaaaa', { argv: ['audit'] });
    expect((await answer('aaaaaaaa')).code).toBe(7);
    expect(ran()).toEqual(['audit']);
  });

  test('that fails altogether is answered, and the next one is, too', async () => {
    serve = () => Promise.reject(new Error('no such thing'));
    lay('aaaaaaaa', { argv: ['begin'] });
    expect(await answer('aaaaaaaa')).toMatchObject({ code: 1, stderr: expect.stringContaining('no such thing') });
    serve = async () => READY;
    lay('bbbbbbbb', { argv: ['begin'] });
    expect(await answer('bbbbbbbb')).toEqual(READY);
  });

  test('is asked to stop when its session’s grace is over, and not waited for beyond that', async () => {
    let stopped = false;
    serve = (_, __, stop) =>
      new Promise((done) => {
        stop.addEventListener('abort', () => {
          stopped = true;
          done({ ...READY, code: 1 });
        });
      });
    lay('aaaaaaaa', { argv: ['submit-for-review'] });
    await new Promise((done) => setTimeout(done, 300));
    await broker.close(100);
    expect(stopped).toBe(true);
  });
});
