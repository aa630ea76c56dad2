// Programs that behave and programs that do not, as real processes.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Ended, type Program, runProgram } from '../../../src/process/run.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

const run = (argv: Program['argv'], more: Partial<Program> = {}): Promise<Ended> =>
  runProgram(hostAt(), {
    argv,
    cwd: folder,
    env: { PATH: process.env.PATH, TMPDIR: folder },
    timeoutMs: 15_000,
    ...more,
  });
const sh = (script: string, more: Partial<Program> = {}): Promise<Ended> => run(['sh', '-c', script], more);
const perl = (script: string, more: Partial<Program> = {}): Promise<Ended> => run(['perl', '-e', script], more);

/** Each process that a test starts leaves its pid in a file of this name. */
const pidOf = (name: string): number => Number(readFileSync(join(folder, name), 'utf8'));
const isThere = (name: string): boolean => statSync(join(folder, name), { throwIfNoEntry: false })?.size !== undefined;
function isAlive(name: string): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pidOf(name))], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}
async function until(what: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !what(); await wait(5)) {
    if (Date.now() > deadline) throw new Error('it never came');
  }
}

describe('how it ended', () => {
  test.each([0, 1, 3, 42, 255])('exit code %i', async (code) => {
    expect(await sh(`exit ${code}`)).toMatchObject({ how: 'exited', code, survivors: 0 });
  });

  test('a signal', async () => {
    expect(await sh('kill -KILL $$')).toMatchObject({ how: 'signalled', signal: 'SIGKILL' });
  });

  test('a program that is not there, or not one', async () => {
    writeFileSync(join(folder, 'text'), 'echo no\n');
    writeFileSync(join(folder, 'lost'), '#!/no/such/interpreter\n');
    chmodSync(join(folder, 'lost'), 0o755);
    const reasons = async (...runs: readonly Promise<Ended>[]) =>
      (await Promise.all(runs)).map((ended) => (ended.how === 'not-started' ? ended.reason : ended.how));
    expect(
      await reasons(
        run(['no-such-program']),
        run(['./text']),
        run(['./lost']),
        run(['true'], { cwd: join(folder, 'nowhere') }),
      ),
    ).toEqual([
      'no-such-program or its interpreter was not found',
      './text may not be executed',
      './lost or its interpreter was not found',
      `the folder ${join(folder, 'nowhere')} is not there`,
    ]);
    const [zero, big] = await reasons(run(['echo', 'a\0b']), run(['echo', 'x'.repeat(4_000_000)]));
    expect(zero).toMatch(/null bytes/);
    expect(big).toMatch(/E2BIG/);
  });

  test('a log that cannot be written keeps it from starting', async () => {
    mkdirSync(join(folder, 'taken'));
    const ended = await sh('touch ran', { logFile: join(folder, 'taken') });
    expect(ended).toMatchObject({ how: 'not-started', reason: expect.stringContaining('taken') });
    expect(isThere('ran')).toBe(false);
  });

  test.runIf(process.platform === 'linux')('no pipe, log or folder is left', async () => {
    const link = (fd: string): string => {
      try {
        return readlinkSync(join('/proc/self/fd', fd));
      } catch {
        return ''; // another test's, closed meanwhile
      }
    };
    const logFile = join(folder, 'run.log');
    await Promise.all([sh('echo x', { logFile }), run(['no-such-program'], { logFile }), sh('exit 1')]);
    await sh('exit 1', { logFile: folder });
    expect(readdirSync(folder)).toEqual(['run.log']);
    expect(
      readdirSync('/proc/self/fd')
        .map(link)
        .filter((path) => path.startsWith(folder)),
    ).toEqual([]);
  });
});

describe('what it is given', () => {
  test('arguments as they are, nothing to read, a session of its own', async () => {
    const script = 'print join("|", @ARGV), "\\n", <STDIN> // "nothing", "\\n", getpgrp == $$ ? "own" : "ours"';
    const ended = await run(['perl', '-e', script, '--', 'a b', '$HOME', '`id`', '*']);
    expect(ended.tail).toBe('a b|$HOME|`id`|*\nnothing\nown');
  });

  test('no credential, and a tag that nests', async () => {
    const env = {
      PATH: process.env.PATH,
      TMPDIR: folder,
      KEPT: 'kept',
      GITHUB_TOKEN: 'sesame',
      ANTHROPIC_API_KEY: 'sesame',
      LIZA_SESSION: 'sesame',
      GIT_DIR: 'sesame',
      npm_config__authToken: 'sesame',
    };
    const seen = (await sh('env', { env })).tail;
    expect(seen).toContain('KEPT=kept\n');
    expect(seen).not.toContain('sesame');
    const tag = /^LIZA_PROGRAM=([0-9a-f]{32})$/m.exec(seen)?.[1];
    expect(tag).toBeDefined();
    const inner = (await sh('env', { env: { ...env, LIZA_PROGRAM: tag } })).tail;
    expect(inner).toMatch(new RegExp(`^LIZA_PROGRAM=${tag}/[0-9a-f]{32}$`, 'm'));
    expect((await sh('env', { env: { ...env, LIZA_PROGRAM: 'x y' } })).tail).toMatch(/^LIZA_PROGRAM=[0-9a-f]{32}$/m);
  });
});

describe('what it printed', () => {
  test('both streams in the order they were written, also through /dev/stderr', async () => {
    const lines: string[] = [];
    const logFile = join(folder, 'logs', 'run.log');
    const script = 'for n in 1 2 3; do echo out $n; echo err $n >&2; echo dev $n > /dev/stderr; done';
    const ended = await sh(script, { logFile, onLine: (line) => lines.push(line) });
    const expected = [1, 2, 3].flatMap((n) => [`out ${n}`, `err ${n}`, `dev ${n}`]);
    expect(readFileSync(logFile, 'utf8')).toBe(`${expected.join('\n')}\n`);
    expect(lines).toEqual(expected);
    expect(ended).toMatchObject({ tail: `${expected.join('\n')}\n`, outputBytes: 54 });
  });

  test('what a helper passes on after its shell is gone', async () => {
    expect((await sh('(sleep 0.1; echo late) & exit 0')).tail).toBe('late\n');
  });

  test('64 MB: quick, bounded, beginning and end kept, memory flat', async () => {
    const logFile = join(folder, 'run.log');
    const before = process.memoryUsage();
    const ended = await perl('print "begin\\n"; print "x" x 1048575, "\\n" for 1..64; print "end\\n"', { logFile });
    const after = process.memoryUsage();
    expect(ended).toMatchObject({ how: 'exited', code: 0, outputBytes: 64 * 1024 * 1024 + 10 });
    expect(ended.durationMs).toBeLessThan(8000);
    expect(ended.tail.length).toBe(8192);
    const log = readFileSync(logFile, 'utf8');
    expect(log.length).toBeLessThan(2 * 1024 * 1024 + 100);
    expect(log.startsWith('begin\nxxx')).toBe(true);
    expect(log.endsWith('xxx\nend\n')).toBe(true);
    expect(log).toContain(`\n[liza: ${62 * 1024 * 1024 + 10} bytes left out]\n`);
    expect(after.heapUsed - before.heapUsed).toBeLessThan(32 * 1024 * 1024);
  });

  test('a watcher that fails ends the program, and its mistake is not hidden', async () => {
    const onLine = (): void => {
      throw new Error('watcher broke');
    };
    const logFile = join(folder, 'run.log');
    await expect(sh('echo $$ > main; echo x; exec sleep 1000', { onLine, logFile })).rejects.toThrow('watcher broke');
    expect(isAlive('main')).toBe(false);
    expect(readFileSync(logFile, 'utf8')).toBe('x\n');
  });
});

const SETSID = 'use POSIX; sub note { open(my $f, ">", $_[0]); print $f $$; close $f } ';
/** A daemon by the book: forks twice, leaves the session, lets go of its descriptors. */
const DAEMON = `${SETSID} if (!fork) { POSIX::setsid(); exit if fork; open(STDOUT, ">/dev/null"); open(STDERR, ">/dev/null"); note("daemon"); sleep 1000 } wait; `;
const DAEMON_IS_UP = 'select(undef, undef, undef, 0.005) until -s "daemon"; ';

describe('nothing outlives it', () => {
  test('time limit: a tree of sleepers ends, and the log has all that was printed', async () => {
    const logFile = join(folder, 'run.log');
    const script =
      'echo $$ > top; sh -c "echo \\$\\$ > mid; sleep 1000 & echo \\$! > low; echo ready; wait" & echo started; wait';
    const ended = await sh(script, { timeoutMs: 1000, logFile });
    expect(ended).toMatchObject({ how: 'timed-out', survivors: 0 });
    expect(['top', 'mid', 'low'].map(isAlive)).toEqual([false, false, false]);
    expect(readFileSync(logFile, 'utf8').split('\n').sort()).toEqual(['', 'ready', 'started']);
    expect(ended.durationMs).toBeLessThan(3000);
  });

  test('time limit: whoever heeds SIGTERM may tidy up, and it still timed out', async () => {
    const script = '$| = 1; $SIG{TERM} = sub { print "tidied\\n"; exit 0 }; print "up\\n"; sleep 1000';
    const ended = await perl(script, { timeoutMs: 1000 });
    expect(ended).toMatchObject({ how: 'timed-out', tail: 'up\ntidied\n' });
  });

  test('time limit: whoever ignores SIGTERM is ended after the grace', async () => {
    const script = `trap '' TERM; echo $$ > main; while :; do sleep 1000; done`;
    const ended = await sh(script, { timeoutMs: 500 });
    expect(ended).toMatchObject({ how: 'timed-out', survivors: 0 });
    expect(ended.durationMs).toBeGreaterThan(2400);
    expect(isAlive('main')).toBe(false);
  });

  test('a daemon left behind by a program that exited 0', async () => {
    const ended = await perl(`${DAEMON} ${DAEMON_IS_UP} print "done"; exit 0`);
    expect(ended).toMatchObject({ how: 'exited', code: 0, tail: 'done', survivors: 0 });
    expect(isAlive('daemon')).toBe(false);
  });

  test('a daemon of a program that hangs', async () => {
    const controller = new AbortController();
    const running = perl(`${DAEMON} sleep 1000`, { signal: controller.signal });
    await until(() => isThere('daemon') && pidOf('daemon') > 0);
    controller.abort();
    expect(await running).toMatchObject({ how: 'stopped', survivors: 0 });
    expect(isAlive('daemon')).toBe(false);
  });

  test('a child without the tag that stayed in the session', async () => {
    const ended = await sh(
      'env -i PATH="$PATH" sh -c "echo \\$\\$ > bare; exec sleep 1000" & until [ -s bare ]; do :; done',
    );
    expect(ended).toMatchObject({ how: 'exited', code: 0, survivors: 0 });
    expect(isAlive('bare')).toBe(false);
  });

  test('a child that left both tag and session, while its parent lived', async () => {
    const controller = new AbortController();
    const child = `if (!fork) { %ENV = (); POSIX::setsid(); exec $^X, "-e", 'open(F, ">bare"); print F $$; close F; sleep 1000' }`;
    const running = perl(`${SETSID} ${child} sleep 1000`, { signal: controller.signal });
    await until(() => isThere('bare') && pidOf('bare') > 0);
    controller.abort();
    expect(await running).toMatchObject({ how: 'stopped', survivors: 0 });
    expect(isAlive('bare')).toBe(false);
  });

  test('two that start each other again', async () => {
    // Each waits at the other's pipe: its end is the other's end, and then a new other is started.
    const pair = `
      sub watch { my ($name) = @_; POSIX::setsid(); note($name);
        while (1) { pipe(my $r, my $w); my $pid = fork; if (!$pid) { close $r; POSIX::setsid(); note("$name-other"); sleep 1000 }
          close $w; sysread($r, my $x, 1); waitpid($pid, 0); } }`;
    const script = `${SETSID} ${pair} for my $name ("a", "b") { if (!fork) { watch($name) } }
      for my $name ("a", "b", "a-other", "b-other") { select(undef, undef, undef, 0.005) until -s $name } exit 0`;
    expect(await perl(script)).toMatchObject({ how: 'exited', code: 0, survivors: 0 });
    expect(['a', 'b', 'a-other', 'b-other'].map(isAlive)).toEqual([false, false, false, false]);
  });

  test('a bomb of forks in its group', async () => {
    // Bounded by a pipe of tokens, so that a failure of this test leaves the machine usable.
    const script = `pipe(R, W); syswrite(W, "t" x 300); my $top = $$;
      while (sysread(R, my $t, 1)) { my $pid = fork; if ($pid && $$ == $top) { open(F, ">", "top"); print F $$; close F }
        select(undef, undef, undef, 0.001) } sleep 1000`;
    const ended = await perl(script, { timeoutMs: 600 });
    expect(ended).toMatchObject({ how: 'timed-out', survivors: 0 });
    expect(isAlive('top')).toBe(false);
  });

  test('one out of reach that holds the output open does not hold us', async () => {
    // No tag, no session, no parent, and it keeps stdout: nobody can tell that it belongs here.
    const script = `${SETSID} if (!fork) { POSIX::setsid(); exit if fork; %ENV = ();
      exec $^X, "-e", 'open(F, ">lost"); print F $$; close F; sleep 60' } wait; print "done"; exit 0`;
    const ended = await perl(script);
    expect(ended).toMatchObject({ how: 'exited', code: 0, tail: 'done' });
    expect(ended.durationMs).toBeLessThan(5000);
    await until(() => isThere('lost') && pidOf('lost') > 0);
    process.kill(pidOf('lost'), 'SIGKILL');
  });
});

describe('being stopped', () => {
  test('before it began: it never begins', async () => {
    expect(await sh('touch ran', { signal: AbortSignal.abort() })).toMatchObject({ how: 'stopped', outputBytes: 0 });
    expect(isThere('ran')).toBe(false);
  });

  test('a signal after the end, and a limit beyond any timer, change nothing', async () => {
    const controller = new AbortController();
    const ended = await sh('exit 0', { signal: controller.signal, timeoutMs: Number.POSITIVE_INFINITY });
    controller.abort();
    expect(ended).toMatchObject({ how: 'exited', code: 0 });
  });
});
