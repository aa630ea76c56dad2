// Whatever is broken in .liza, a person's pause, abort, checkpoint and stop act: the switch is a file that needs no board,
// and a crew that cannot be asked is sent a signal.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import type { Files } from '../../../src/ports/files.ts';
import { formatProcess, identify } from '../../../src/process/process-identity.ts';
import { boardContext } from '../../support/board-context.ts';
import { until } from '../../support/program.ts';
import { type Project, project } from '../../support/project.ts';

/** Every write that needs a block fails; an empty file needs none. */
const full = ({ files }: { readonly files: Files }): Files => ({
  ...files,
  write: () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  },
});

const onFullDisk = (p: Project): Partial<Io> => ({
  context: (root) => {
    const context = boardContext(root, { host: p.context });
    return { ...context, files: full(context) };
  },
});

const replaced = (p: Project, name: string, make: (file: string) => unknown): void => {
  const file = p.file('.liza', name);
  fs.rmSync(file, { force: true, recursive: true });
  make(file);
};
const pipe = (file: string) => spawnSync('mkfifo', [file]);
const folder = (file: string) => fs.mkdirSync(`${file}/within`, { recursive: true });
const link = (file: string) => fs.symlinkSync('/dev/zero', file);

/** What is wrong, and with what disk a command meets it. */
interface Broken {
  readonly what: string;
  readonly spoil?: (p: Project) => unknown;
  readonly ioOf?: (p: Project) => Partial<Io>;
}

const BROKEN: readonly Broken[] = [
  {
    what: 'state.yaml has a line that nobody can read',
    spoil: (p) => fs.appendFileSync(p.file('.liza/state.yaml'), '\nx: &a [1\n'),
  },
  {
    what: 'state.yaml is not UTF-8',
    spoil: (p) => fs.appendFileSync(p.file('.liza/state.yaml'), Buffer.from([0xff, 0xfe])),
  },
  { what: 'state.yaml is endless', spoil: (p) => fs.truncateSync(p.file('.liza/state.yaml'), 70_000_000) },
  { what: 'state.yaml is of a newer version', spoil: (p) => p.write({ '.liza/state.yaml': 'version: 99\n' }) },
  {
    what: 'a line of the journal was changed',
    spoil: (p) => fs.appendFileSync(p.file('.liza/journal.jsonl'), '{"seq":9}\n{}\n'),
  },
  ...['state.yaml', 'journal.jsonl', 'state.yaml.lock', 'log.yaml', 'cache', 'agents', 'archive', 'locks'].flatMap(
    (name) =>
      Object.entries({ pipe, folder, link }).map(
        ([kind, make]): Broken => ({ what: `${name} is a ${kind}`, spoil: (p) => replaced(p, name, make) }),
      ),
  ),
  { what: 'the disk is full', ioOf: onFullDisk },
];

test.each(BROKEN)('$what: the switches are on at once, and no agent sets one', async ({ spoil, ioOf }) => {
  const p = project();
  await p.ok(['note', 'the board has a journal']);
  spoil?.(p);
  const io = ioOf?.(p) ?? {};
  for (const [verb, name] of [
    ['pause', 'PAUSE'],
    ['checkpoint', 'CHECKPOINT'],
    ['abort', 'ABORT'],
  ] as const) {
    // A supervisor's part in it, under an agent's id from outside its session, is told by an alarm.
    const refused = verb === 'checkpoint' ? undefined : await p.liza([verb], { io, as: 'coder-1' });
    if (refused !== undefined) expect([refused.code > 0, fs.existsSync(p.file('.liza', name))]).toEqual([true, false]);
    const began = Date.now();
    const ran = await p.liza([verb], { io });
    expect([ran.code, ran.stderr, fs.existsSync(p.file('.liza', name))]).toEqual([0, expect.any(String), true]);
    expect(Date.now() - began).toBeLessThan(10_000);
  }
});

test('what is set without a record is told, and recorded by the same command later', async () => {
  const p = project();
  await p.ok(['note', 'the board has a journal']);
  const ran = await p.liza(['abort'], { io: onFullDisk(p) });
  expect(ran.stdout).toContain('ABORT is on; the board does not record it: the disk is full');
  expect((await p.state()).goal.status).toBe('IN_PROGRESS');
  expect((await p.ok(['abort'])).stdout).toContain('goal aborted');
  expect((await p.state()).goal.status).toBe('ABORTED');
});

test('what the board refuses is refused on a full disk, too', async () => {
  const p = project();
  await p.approved('t');
  await p.merge('t');
  await p.ok(['goal', 'complete']);
  const ran = await p.liza(['abort'], { io: onFullDisk(p) });
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('the goal is COMPLETED')]);
  expect(fs.existsSync(p.file('.liza/ABORT'))).toBe(false);
});

/** A process that says what it was sent and ends at the n-th signal, named by a crew's record as the crew. */
async function recordedCrew(p: Project, times: number): Promise<{ readonly name: string; told(): string }> {
  const log = p.file('signals');
  const trap = `trap 'n=$((n+1)); echo TERM >> "${log}"; [ $n -lt ${times} ] || exit' TERM`;
  const child = spawn('bash', ['-c', `n=0; ${trap}; : > "${log}"; while :; do sleep 0.05; done`]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await until(() => fs.existsSync(log));
  const identity = identify(p.context, child.pid ?? 0);
  if (identity === undefined) throw new Error('it did not start');
  const name = formatProcess(identity);
  p.write({ '.liza/cache/crew/status.json': JSON.stringify({ process: name, members: [] }) });
  return { name, told: () => fs.readFileSync(log, 'utf8') };
}

const registered = (p: Project, name: string) =>
  p.run('coder-3', {
    name: 'register',
    agent: 'coder-3',
    role: 'coder',
    provider: 'codex',
    process: name,
    terminal: '',
  });

test.each([
  [['stop'], 1],
  [['stop', '--now'], 2],
] as const)('on a full disk liza %j sends the crew its signals', async (argv, times) => {
  const p = project();
  const { name, told } = await recordedCrew(p, times);
  p.pass(3600);
  await registered(p, name);
  const ran = await p.liza(argv, { io: onFullDisk(p) });
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('the crew has ended')]);
  expect(told()).toBe('TERM\n'.repeat(times));
});

test('a process that a forged record alone calls the crew is sent nothing', async () => {
  const p = project();
  await p.ok(['note', 'the board has a journal']);
  const { told } = await recordedCrew(p, 1);
  const ran = await p.liza(['stop'], { io: onFullDisk(p) });
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('the disk is full')]);
  expect(told()).toBe('');
});
