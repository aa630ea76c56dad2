// Racing writers: both effects are there afterwards. Workers that live long, commands of one
// transaction each, and shells that edit state.yaml under flock(1), all at once; then the lock itself:
// held elsewhere, freed by the kernel, deleted under its holder.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtProject, type Ran, type Running, until, untilStopped } from '../support/program.ts';

const WORKERS = 16;
const BY_STORE = inFull ? 45 : 9;
const BY_COMMAND = inFull ? 5 : 2;
const SHELLS = 4;
const EDITS = inFull ? 15 : 9;

/** Under the lock: two replace the file (sed -i), two write into it. */
const shellLoop = (name: string): string => {
  const replaces = Number(name.slice(-1)) % 2 === 0;
  const save = replaces ? `mv ${name}.tmp state.yaml` : `cat ${name}.tmp > state.yaml; rm ${name}.tmp`;
  const own = `/^  - id: ${name}$/,/^    history:/`;
  return `
    set -eu
    cd .liza
    for n in $(seq ${EDITS}); do
      (
        flock -x 9
        sed -e "${own}s/^    description: .*/    description: ${name} edit $n/" \\
            -e "/^human_notes:/a\\\\  - message: ${name} note $n" state.yaml > ${name}.tmp
        ${save}
      ) 9>>state.yaml.lock
    done
  `;
};

describe('writers at the same time', () => {
  test.runIf(inFull)(
    '16 workers, 16 series of commands and 4 shells under flock: nothing is lost (in test:all)',
    {
      timeout: 300_000,
    },
    async () => {
      const board = builtProject();
      board.ok(['note', 'the first']);
      for (let shell = 0; shell < SHELLS; shell += 1)
        board.ok(['add-task', '--id', `shell-${shell}`, '--desc', 'mine']);
      const workers = Array.from({ length: WORKERS }, (_, n) => board.worker('notes', `worker-${n}`, String(BY_STORE)));
      await Promise.all(workers.map((worker) => worker.line('ready')));
      const started = performance.now();
      for (const worker of workers) worker.say('go');
      const commands = Array.from({ length: WORKERS }, (_, n) => series(board, `command-${n}`, BY_COMMAND));
      const shells = Array.from({ length: SHELLS }, (_, n) => board.shell(shellLoop(`shell-${n}`)));
      const reports = await Promise.all(workers.map(async (worker) => report(await worker.line('done'))));
      expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
      expect((await Promise.all(commands)).flat().filter(({ code }) => code !== 0)).toEqual([]);
      for (const shell of shells) expect((await shell.ended).code).toBe(0);
      const seconds = (performance.now() - started) / 1000;
      await Promise.all(workers.map((worker) => worker.ended));
      board.ok(['note', 'the last']); // whatever a shell wrote last is absorbed by this
      const expected = [
        'the first',
        ...numbered('worker', WORKERS, BY_STORE, ''),
        ...numbered('command', WORKERS, BY_COMMAND, ''),
        ...numbered('shell', SHELLS, EDITS, 'note '),
        'the last',
      ];
      expect(
        board
          .board()
          .human_notes.map(({ message }) => message)
          .sort(),
      ).toEqual(expected.sort());
      for (let shell = 0; shell < SHELLS; shell += 1) {
        expect(board.task(`shell-${shell}`)['description']).toBe(`shell-${shell} edit ${EDITS}`);
      }
      expectWhole(board);
      const entries = board.journal();
      expect(entries.filter(({ command }) => command === 'note')).toHaveLength(2 + WORKERS * (BY_STORE + BY_COMMAND));
      expect(entries.some(({ command }) => command === 'external_edit')).toBe(true);
      expect(fs.readdirSync(board.file('.liza/rejected'))).toEqual([]);
      console.log(`mixed: ${entries.length} entries in ${seconds.toFixed(1)} s`);
    },
  );

  test.runIf(inFull)('8 writers that live long (in test:all; npm test has them in its bench)', async () => {
    const board = builtProject();
    const workers = Array.from({ length: 8 }, (_, n) => board.worker('notes', `worker-${n}`, '50'));
    await Promise.all(workers.map((worker) => worker.line('ready')));
    const started = performance.now();
    for (const worker of workers) worker.say('go');
    const reports = await Promise.all(workers.map(async (worker) => report(await worker.line('done'))));
    const rate = 400 / ((performance.now() - started) / 1000);
    await Promise.all(workers.map((worker) => worker.ended));
    expect(reports.flatMap(({ failed }) => failed)).toEqual([]);
    expect(board.board().human_notes).toHaveLength(400);
    console.log(`8 long-lived writers: ${rate.toFixed(0)} durable transactions/s (wanted: 100)`);
    expect(rate).toBeGreaterThan(20); // a machine may be busy with other things
  });

  test.runIf(inFull)('8 writers of one process per command (in test:all; npm test has them in its bench)', async () => {
    const board = builtProject();
    const started = performance.now();
    const ran = (await Promise.all(Array.from({ length: 8 }, (_, n) => series(board, `command-${n}`, 8)))).flat();
    const rate = 64 / ((performance.now() - started) / 1000);
    expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
    expect(board.board().human_notes).toHaveLength(64);
    console.log(`8 process-per-command writers: ${rate.toFixed(1)} commands/s (wanted: 20)`);
    expect(rate).toBeGreaterThan(4);
  });
});

describe('the lock', () => {
  test('held by a shell for good: waits 10 s, then exit 2 naming the holder; reads go on', async () => {
    const board = builtProject();
    const shell = board.shell('flock -x .liza/state.yaml.lock sh -c "echo locked; exec sleep 60"');
    await shell.line('locked');
    const writer = board.start(['note', 'too late']);
    expect(board.liza(['status']).code).toBe(0);
    expect(board.liza(['validate']).stdout).toBe('VALID\n');
    const started = performance.now();
    const { code, stderr } = await writer.ended;
    expect(performance.now() - started).toBeGreaterThan(8_000);
    expect(code).toBe(2);
    expect(stderr).toMatch(/locked by another process; waited 10 s/);
    expect(stderr).toMatch(/pid \d+ \(sleep 60\)/);
    shell.child.kill('SIGKILL');
    execFileSync('kill', [/pid (\d+) \(sleep 60\)/.exec(stderr)?.[1] ?? '']);
    await shell.ended;
    expect(board.read('.liza/journal.jsonl')).not.toContain('too late');
    board.ok(['note', 'in time']);
  });

  test('held for a while: waits and goes on', async () => {
    const board = builtProject();
    const holder = board.worker('hold');
    await holder.line('held');
    const writer = board.start(['note', 'patient']);
    await until(() => waitsForLock(writer.pid));
    expect(writer.child.exitCode).toBeNull();
    holder.say('free');
    expect((await writer.ended).code).toBe(0);
    await holder.ended;
    expect(board.board().human_notes).toHaveLength(1);
  });

  test('a holder killed with -9 leaves it free', async () => {
    const board = builtProject();
    const holder = board.worker('hold');
    await holder.line('held');
    holder.child.kill('SIGKILL');
    await holder.ended;
    board.ok(['note', 'at once']);
  });

  test('is not inherited by what a command leaves running', () => {
    const board = builtProject();
    board.ok(['lock', 'modify', 'sleep 60 >/dev/null 2>&1 & echo $! > .liza/cache/left.pid']);
    const left = board.read('.liza/cache/left.pid').trim();
    try {
      expect(fs.readFileSync(`/proc/${left}/cmdline`, 'utf8')).toContain('sleep');
      board.ok(['note', 'at once']);
    } finally {
      execFileSync('kill', [left]);
    }
  });

  describe.each(['decide', 'append', 'rename', 'mirror'])('deleted while its holder is stopped at %s', (point) => {
    test('no lost update among liza processes', async () => {
      const board = builtProject();
      const stopped = await stoppedAt(board, point, 'stopped one');
      fs.unlinkSync(board.file('.liza/state.yaml.lock'));
      for (const message of ['meanwhile 1', 'meanwhile 2', 'meanwhile 3']) board.ok(['note', message]);
      expect(await goesOn(stopped)).toMatchObject({ ok: true });
      board.ok(['note', 'afterwards']);
      const wanted = ['afterwards', 'meanwhile 1', 'meanwhile 2', 'meanwhile 3', 'stopped one'];
      expect(
        board
          .board()
          .human_notes.map(({ message }) => message)
          .sort(),
      ).toEqual(wanted);
      expectWhole(board);
      expect(fs.readdirSync(board.file('.liza')).filter((name) => name.endsWith('.new'))).toEqual([]);
    });

    test('a shell’s overwrite meanwhile is merged as an external edit', async () => {
      const board = builtProject();
      board.ok(['note', 'the first']);
      const stopped = await stoppedAt(board, point, 'stopped one');
      fs.unlinkSync(board.file('.liza/state.yaml.lock'));
      const shell = await board.shell(
        `cd .liza && flock -x state.yaml.lock sh -c 'awk "{print} /^human_notes:/ {print \\"  - message: by the shell\\"}" state.yaml > t && cat t > state.yaml && rm t'`,
      ).ended;
      expect(shell).toMatchObject({ code: 0, stderr: '' });
      expect(await goesOn(stopped)).toMatchObject({ ok: true });
      board.ok(['note', 'afterwards']);
      const wanted = ['afterwards', 'by the shell', 'stopped one', 'the first'];
      expect(
        board
          .board()
          .human_notes.map(({ message }) => message)
          .sort(),
      ).toEqual(wanted);
      expect(board.journal().map(({ command }) => command)).toContain('external_edit');
      expect(fs.readdirSync(board.file('.liza/rejected'))).toEqual([]);
      expectWhole(board);
    });
  });
});

async function series(board: BuiltProject, name: string, count: number) {
  const ran = [];
  for (let number = 1; number <= count; number += 1) ran.push(await inTurn(board, `${name} ${number}`));
  return ran;
}

/** In a crowd on a busy machine one may wait for longer than a lock is waited for: it is told so, and asks again. */
async function inTurn(board: BuiltProject, message: string): Promise<Ran> {
  for (;;) {
    const ran = await board.start(['note', message]).ended;
    if (ran.code !== 2) return ran;
    expect(ran.stderr).toContain('locked by another process; waited 10 s');
  }
}

const report = (line: string) => JSON.parse(line.slice('done '.length)) as { ms: number; failed: string[] };

const numbered = (name: string, writers: number, each: number, word: string): string[] =>
  Array.from({ length: writers * each }, (_, at) => `${name}-${Math.floor(at / each)} ${word}${(at % each) + 1}`);

/** The chain holds, no number is missing, and the log has a line for every entry. */
function expectWhole(board: BuiltProject): void {
  const verified = board.liza(['log', 'verify', '--json']);
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  const { entries, problems } = JSON.parse(verified.stdout) as { entries: number; problems: string[] };
  expect(problems).toEqual([]);
  const logged = (parse(board.read('.liza/log.yaml')) as { entry: number; detail: string }[]).map(({ entry }) => entry);
  expect([...new Set(logged)].sort((a, b) => a - b)).toEqual(Array.from({ length: entries }, (_, at) => at + 1));
  expect(board.liza(['validate']).stdout).toBe('VALID\n');
}

async function stoppedAt(board: BuiltProject, point: string, message: string): Promise<Running> {
  const worker = board.worker('stopped', message, point);
  await worker.line('ready');
  worker.say('go');
  await untilStopped(worker.pid);
  return worker;
}

async function goesOn(worker: Running): Promise<unknown> {
  worker.child.kill('SIGCONT');
  const line = await worker.line('done');
  await worker.ended;
  return JSON.parse(line.slice('done '.length));
}

/** The command has its flock(1) waiting for it. */
function waitsForLock(pid: number): boolean {
  try {
    const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children.split(' ').some((child) => fs.readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('-w'));
  } catch {
    return false; // it has not come so far
  }
}
