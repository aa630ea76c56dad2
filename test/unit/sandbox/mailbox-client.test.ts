// What `liza` inside the sandbox asks for, and what it does by itself: putting work aside is kept outside and undone in
// here, by git with the agent's own rights.

import { expect, test } from 'vitest';
import { type Answer, answerText } from '../../../src/sandbox/answer-text.ts';
import { type ClientHost, forward } from '../../../src/sandbox/mailbox-client.ts';

interface Played {
  readonly asked: { argv: readonly string[]; claims?: string }[];
  readonly git: (readonly string[])[];
  out: string;
  err: string;
  host: ClientHost;
}

/** Answers each request with the next answer. */
function play(answers: readonly object[], failing = false): Played {
  const files = new Map<string, string>();
  const left = [...answers];
  const played: Played = { asked: [], git: [], out: '', err: '', host: undefined as unknown as ClientHost };
  const disk = {
    existsSync: (file: string) => files.has(file),
    readFileSync: (file: string) => files.get(file) ?? '',
    renameSync: (from: string, to: string) => {
      played.asked.push(JSON.parse(files.get(from) ?? ''));
      files.set(to.replace('.ask', '.answer'), answerText(left.shift() as Answer, 'f00d'));
    },
    unlinkSync: (file: string) => files.delete(file),
    watch: () => ({ on: () => ({ close: () => {} }) }),
    writeFileSync: (file: string, text: string) => files.set(file, text),
  };
  let id = 0;
  played.host = {
    disk: disk as unknown as ClientHost['disk'],
    claims: 'coder-1',
    newId: () => `request${++id}`,
    every: () => () => {},
    git: (argv) => {
      played.git.push(argv);
      return failing ? 'fatal: no' : undefined;
    },
    readStdin: () => 'typed in',
    stdout: (text) => {
      played.out += text;
    },
    stderr: (text) => {
      played.err += text;
    },
  };
  return played;
}

const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });
const kept = JSON.stringify({
  steps: [
    ['reset', 'x'],
    ['clean', 'y'],
  ],
  lines: ['kept as abc', 'git checkout abc -- .'],
});
const BEGIN = ['begin', 't', '--intent', 'x', '--set-aside'];

test('says whom the environment names, so that a false name is noticed', async () => {
  const played = play([done('ok\n')]);
  expect(await forward(played.host, '/mail', ['show', 't'])).toBe(0);
  expect(played.asked).toEqual([{ argv: ['show', 't'], claims: 'coder-1' }]);
  expect(played.out).toBe('ok\n');
});

test('news come after the answer, and what was noted before it', async () => {
  const played = play([
    { code: 0, stdout: 'q-8 …\n', stderr: 'liza: note: x\nliza: news: q-1 is answered\n  | A: y\n' },
  ]);
  const said: string[] = [];
  const host = { ...played.host, stdout: (text: string) => said.push(text), stderr: (text: string) => said.push(text) };
  await forward(host as unknown as ClientHost, '/mail', ['show', 'q-8']);
  expect(said).toEqual(['liza: note: x\n', 'q-8 …\n', 'liza: news: q-1 is answered\n  | A: y\n']);
});

test('begin --set-aside: keeps outside, puts back in here, begins, and tells the way back', async () => {
  const played = play([done(kept), done('begun\n')]);
  expect(await forward(played.host, '/mail', BEGIN)).toBe(0);
  expect(played.asked.map(({ argv }) => argv)).toEqual([
    ['begin', 't', '--intent', 'x', '--set-aside', '--json'],
    ['begin', 't', '--intent', 'x'],
  ]);
  expect(played.git).toEqual([
    ['reset', 'x'],
    ['clean', 'y'],
  ]);
  expect(played.out).toBe('begun\nkept as abc\ngit checkout abc -- .\n');
});

test('a checkpoint that is refused is told as the command itself tells it, and nothing is moved', async () => {
  const played = play([
    { code: 1, stdout: '{"ok":false}', stderr: '' },
    { code: 1, stdout: '', stderr: 'liza: refused\n' },
  ]);
  expect(await forward(played.host, '/mail', BEGIN)).toBe(1);
  expect(played.err).toBe('liza: refused\n');
  expect(played.git).toEqual([]);
});

test('where git fails in here, the agent is told where its work is, and nothing is begun', async () => {
  const played = play([done(kept)], true);
  expect(await forward(played.host, '/mail', BEGIN)).toBe(3);
  expect(played.err).toContain('fatal: no');
  expect(played.err).toContain('kept as abc');
  expect(played.asked).toHaveLength(1);
});
