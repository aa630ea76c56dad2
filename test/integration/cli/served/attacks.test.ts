// Whoever asks the server for what is not theirs gets nothing from it: their command runs by itself, as a program of their
// own, which refuses it and has it recorded as ever. And nobody holds the crew up.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { siteOf } from '../../../../src/git/directory.ts';
import { programMark } from '../../../../src/process/rlimit-mark.ts';
import { agentTag, PROGRAM, repositoryMark, TAG } from '../../../../src/process/tags.ts';
import { type Project, project, START } from '../../../support/project.ts';
import { type Heard, itself, type PlayedAgent, type Server, serverOf } from './support.ts';

let p: Project;
let server: Server;
let coder: PlayedAgent;

beforeEach(async () => {
  p = project({ tasks: [{ id: 't', validation: ['sleep 61.5'] }] });
  await p.claim('t');
  server = serverOf(p, { hurry: 10 });
  coder = server.agent('coder-1', 'coder');
});

/** However long the path is. */
const within = <T>(folder: string, use: (at: string) => T): T => {
  const fd = fs.openSync(folder, 'r');
  onTestFinished(() => fs.closeSync(fd));
  return use(`/proc/self/fd/${fd}`);
};

interface Connection {
  readonly socket: net.Socket;
  /** The name that it was told. */
  readonly name: Promise<string>;
  /** All that came after it, once it is closed. */
  readonly rest: Promise<string>;
}

function connected(): Connection {
  const socket = net.connect(within(server.folder, (at) => `${at}/s`)).on('error', () => {});
  let all = '';
  let told = (_: string): void => {};
  const name = new Promise<string>((done) => {
    told = done;
  });
  socket.on('data', (part) => {
    all += part.toString();
    if (all.includes('\n')) told(all.slice(0, all.indexOf('\n')));
  });
  const rest = new Promise<string>((done) => socket.once('close', () => done(all.slice(all.indexOf('\n') + 1))));
  return { socket, name, rest };
}

/** `liza` by a process of the tests, which no agent is above. */
function outside(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Heard> {
  const child = spawn(path.join(server.client.folder, 'liza'), argv, {
    cwd: p.root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (part) => (said.stdout += part));
  child.stderr.on('data', (part) => (said.stderr += part));
  return new Promise((done) => child.once('close', (code) => done({ code: code ?? -1, ...said })));
}

const served = async (agent = coder): Promise<void> => {
  expect((await agent.sh('liza show t')).stdout).toContain('coder-1');
};

describe('is not served', () => {
  test('a person, who is below no agent', async () => {
    itself(await outside(['show', 't'], { PATH: coder.env['PATH'] ?? '', LIZA_SERVED: server.folder }));
  });

  test('whoever has an agent’s credential and is not below its process', async () => {
    itself(await outside(['discover', 'x', '--severity', 'low'], coder.env));
    expect((await p.state()).discovered ?? []).toEqual([]);
  });

  test('an agent with the name and the credential of another', async () => {
    const reviewer = server.agent('code-reviewer-1', 'code_reviewer', {
      LIZA_AGENT_ID: 'coder-1',
      LIZA_SESSION: coder.session.credential,
    });
    itself(await reviewer.sh('liza discover x --severity low'));
  });

  test('a program of the project, without the tag that it was started with', async () => {
    const mark = programMark(repositoryMark(siteOf(p.context.disk, p.root).repository));
    itself(await coder.sh(`prlimit --locks=${mark}:${mark} -- env -u ${TAG} liza discover x --severity low`));
    expect((await p.state()).discovered ?? []).toEqual([]);
  });

  test('whoever says that it was started with more words than are looked at', async () => {
    itself(await coder.sh('liza discover x --severity low $(seq 1 120000)'));
    await served();
  });

  test('an agent that pretends to be a person', async () => {
    itself(await coder.sh('unset LIZA_AGENT_ID LIZA_SESSION; liza show t'));
    itself(await coder.sh('unset LIZA_SESSION; liza show t'));
    itself(await coder.sh('env -i PATH="$PATH" LIZA_SERVED="$LIZA_SERVED" liza show t'));
  });

  test('an agent with a credential of its own making, or one that is over', async () => {
    itself(await coder.sh('LIZA_SESSION=made-up liza show t'));
    coder.session.ending(START);
    itself(await coder.sh('liza show t'));
  });

  test('a program that Liza runs for the project, whoever is above it', async () => {
    const tag = agentTag(siteOf(p.context.disk, p.root), PROGRAM);
    itself(await coder.sh(`${TAG}=${tag} sh -c 'liza show t; :'`));
  });

  test('a process that has left the agent’s tree', async () => {
    const at = path.join(p.root, '..', 'left');
    await coder.sh(`(setsid sh -c 'sleep 0.3; liza show t >"${at}.tmp"; mv "${at}.tmp" "${at}"' &)`);
    await expect.poll(() => fs.existsSync(at), { timeout: 10_000 }).toBe(true);
    expect(fs.readFileSync(at, 'utf8')).toMatch(/^itself /);
  });
});

describe('hears no from the server', () => {
  test('who names a process that does not hold the file of this connection', async () => {
    // A client of the agent's that waits for a server of somebody's making, and so holds another file.
    const folder = fs.mkdtempSync(path.join(p.root, '..', 'other-'));
    fs.writeFileSync(path.join(folder, 'abcd'), '');
    let client = '';
    const other = net.createServer((socket) => {
      socket.on('error', () => {}).on('data', (part) => (client += part.toString()));
      socket.write('abcd\n');
    });
    other.listen(within(folder, (at) => `${at}/s`));
    onTestFinished(() => void other.close());
    coder.begin(`LIZA_SERVED='${folder}' liza discover x --severity low &`);
    await expect.poll(() => client, { timeout: 10_000 }).toMatch(/^\d+ \d+ 0\n$/);
    const [pid = '', fd = ''] = client.split(' ');
    expect(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('discover');
    const mine = connected();
    await mine.name;
    mine.socket.write(`${pid} ${fd} 0\n`);
    expect(await mine.rest).toBe('no\n');
    expect((await p.state()).discovered ?? []).toEqual([]);
    process.kill(Number(pid), 'SIGKILL');
  });

  test('who was handed the file by a process of the agent’s that is no client', async () => {
    const mine = connected();
    const file = path.join(server.folder, await mine.name);
    const at = path.join(p.root, '..', 'pid');
    coder.begin(`sh -c 'exec 9<"${file}"; echo $$ >"${at}.tmp"; mv "${at}.tmp" "${at}"; sleep 20' &`);
    await expect.poll(() => fs.existsSync(at), { timeout: 10_000 }).toBe(true);
    mine.socket.write(`${fs.readFileSync(at, 'utf8').trim()} 9 0\n`);
    expect(await mine.rest).toBe('no\n');
  });

  test('who names a process that has ended', async () => {
    const ended = spawnSync('true').pid;
    const mine = connected();
    await mine.name;
    mine.socket.write(`${ended} 3 0\n`);
    expect(await mine.rest).toBe('no\n');
  });

  test('who names itself, or another user’s', async () => {
    for (const pid of [process.pid, 1]) {
      const mine = connected();
      const fd = fs.openSync(path.join(server.folder, await mine.name), 'r');
      mine.socket.write(`${pid} ${fd} 0\n`);
      expect(await mine.rest).toBe('no\n');
      fs.closeSync(fd);
    }
  });
});

test('what is no request is closed without an answer, and the next one is served', async () => {
  const all = [
    'GET / HTTP/1.1\r\n\r\n',
    '1 2 3 4\n',
    '0 1 0\n',
    '-1 1 0\n',
    '1 1 9999999\n',
    '9'.repeat(5000),
    '1 1 1\nab',
  ];
  const connections = all.map((text) => {
    const one = connected();
    void one.name.then(() => one.socket.write(text));
    return one;
  });
  expect(await Promise.all(connections.map(({ rest }) => rest))).toEqual(all.map(() => ''));
  await served();
});

test('a request that never ends is closed after a while', async () => {
  const [nothing, half] = [connected(), connected()];
  await half.name;
  half.socket.write('12 3 100\nhalf');
  expect(await Promise.all([nothing.rest, half.rest])).toEqual(['', '']);
  await served();
});

test('as many connections as anybody likes: those who find no room run by themselves, and the next are served', async () => {
  const flood = Array.from({ length: 500 }, connected);
  itself(await coder.sh('liza show t'));
  await Promise.all(flood.map(({ rest }) => rest));
  await served();
  expect(fs.readdirSync(server.folder)).toEqual(['s']);
});

describe('where there is something else in the place of the server, the command runs by itself', () => {
  test.each([
    ['a pipe', (at: string) => void spawnSync('mkfifo', [path.join(at, 's')])],
    ['a file', (at: string) => fs.writeFileSync(path.join(at, 's'), 'abcd\n')],
    ['a folder', (at: string) => fs.mkdirSync(path.join(at, 's'))],
    ['nothing', () => {}],
    [
      'a server that says nothing',
      (at: string) => {
        const silent = net.createServer(() => {}).listen(within(at, (folder) => `${folder}/s`));
        onTestFinished(() => void silent.close());
      },
    ],
    [
      'a server that leads elsewhere',
      (at: string) => {
        const odd = net.createServer((socket) => socket.on('error', () => {}).write('../../etc/passwd\n'));
        odd.listen(within(at, (folder) => `${folder}/s`));
        onTestFinished(() => void odd.close());
      },
    ],
  ])('%s', async (_name, put) => {
    const folder = fs.mkdtempSync(path.join(p.root, '..', 'other-'));
    put(folder);
    itself(await coder.sh(`LIZA_SERVED='${folder}' liza show t`));
  });

  test('a pipe in the place of its folder', async () => {
    const at = path.join(p.root, '..', 'pipe');
    spawnSync('mkfifo', [at]);
    itself(await coder.sh(`LIZA_SERVED='${at}' liza show t`));
  });
});

test.each(['', '0 abcdef\nhalf of the ans'])(
  'a server that ends in the middle (%j): what became of it is not known',
  async (said) => {
    const folder = fs.mkdtempSync(path.join(p.root, '..', 'other-'));
    fs.writeFileSync(path.join(folder, 'abcd'), '');
    const dying = net.createServer((socket) => {
      socket.on('error', () => {}).on('data', () => socket.end(said));
      socket.write('abcd\n');
    });
    dying.listen(within(folder, (at) => `${at}/s`));
    onTestFinished(() => void dying.close());
    const heard = await coder.sh(`LIZA_SERVED='${folder}' liza discover x --severity low`);
    expect(heard).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('not known') });
    // What changes nothing is asked again.
    itself(await coder.sh(`LIZA_SERVED='${folder}' liza status`));
  },
);

test('a client that is killed ends what runs for it, and nothing is submitted', async () => {
  await p.begun('t');
  p.work('t');
  const at = path.join(p.root, '..', 'client');
  coder.begin(
    `cd '${p.folder('t')}'; sh -c 'echo $$ >"${at}.tmp"; mv "${at}.tmp" "${at}"; exec liza submit-for-review t HEAD' &`,
  );
  const sleeping = (): boolean =>
    fs.readdirSync('/proc').some((pid) => {
      try {
        return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sleep\0' + '61.5');
      } catch {
        return false;
      }
    });
  await expect.poll(sleeping, { timeout: 20_000 }).toBe(true);
  process.kill(Number(fs.readFileSync(at, 'utf8')), 'SIGKILL');
  await expect.poll(sleeping, { timeout: 20_000 }).toBe(false);
  await server.settled('coder-1');
  expect((await p.task('t')).status).toBe('CLAIMED');
});
