// The writers' lock for a process that takes it many times a second. Starting flock(1) each time makes a large process
// wait 5 ms; here a small one stays, which has our open file and locks and unlocks it when told. The lock belongs to the
// open file, so it stays ours if the small process dies; if we die, that one reads the end of its input and ends, too.
// Within this process one open file cannot exclude anybody: those who want it wait here for their turn.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { openRegular } from './disk.ts';
import { errorCode } from './files.ts';
import { closeInherited } from './inherited.ts';
import type { Lock } from './locks.ts';

/** Part of every system whose git is complete, and the one small program there that can call flock itself. */
const PERL = '/usr/bin/perl';

/** `l 2.5`: lock, and wait so many seconds at most; answers 1 or 0. `u`: unlock. 2: LOCK_EX, 4: LOCK_NB, 8: LOCK_UN. */
const PROGRAM = `$| = 1; $SIG{ALRM} = sub {};
open(F, '>>&=', 3) or exit 1;
while (<STDIN>) {
  if (/^u/) { flock(F, 8); next; }
  my $got = flock(F, 6);
  if (!$got && /^l (\\d+)/ && $1 > 0) { alarm($1); $got = flock(F, 2); alarm(0); }
  print $got ? "1\\n" : "0\\n";
}`;

/** It locks for somebody else, who has the file open, too. */
export const isHelper = (commandLine: string): boolean => commandLine.includes(PROGRAM);

/** `unable`: it has to be asked for in another way. `gone`: there is no folder for it. */
type Asked = Lock | 'busy' | 'unable' | 'gone';

export interface ResidentLock {
  acquire(timeoutMs: number): Promise<Asked>;
  /** The small process ends, once nobody has the lock any more. */
  close(): void;
}

interface Helper {
  readonly fd: number;
  lock(seconds: number): Promise<boolean | 'dead'>;
  unlock(): void;
  isDead(): boolean;
  /** The open file is closed, and with it the lock is given back. */
  end(): void;
}

export function residentLock(path: string): ResidentLock {
  const line: (() => void)[] = [];
  let isTaken = false;
  let isClosed = false;
  let isHeld = false;
  let helper: Helper | undefined;

  const turnOver = (): void => {
    const next = line.shift();
    if (next !== undefined) return next();
    isTaken = false;
    if (isClosed) dispose();
  };
  const dispose = (): void => {
    helper?.end();
    helper = undefined;
  };
  /** Of the file that is there now: one that was replaced excludes nobody. */
  const current = (): Helper | undefined => {
    if (helper !== undefined && !isAt(helper.fd, path)) dispose();
    if (helper !== undefined) return helper;
    const started = start(path, () => {
      // It may not have read that it was to unlock.
      if (!isHeld && helper === started) dispose();
    });
    helper = started;
    return started;
  };
  const ask = async (deadline: number): Promise<Asked> => {
    for (;;) {
      const one = current();
      if (one === undefined) return 'unable';
      const left = deadline - performance.now();
      isHeld = true;
      const got = await one.lock(left <= 0 ? 0 : Math.ceil(left / 1000));
      if (got !== true) isHeld = false;
      if (got === false) return 'busy';
      if (got === 'dead') {
        dispose();
        return 'unable';
      }
      if (isAt(one.fd, path)) return heldBy(one);
      isHeld = false;
    }
  };
  const heldBy = (one: Helper): Lock => {
    let isOpen = true;
    return {
      descriptor: one.fd,
      stillOurs: () => isAt(one.fd, path),
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        isHeld = false;
        // A dead one leaves the lock with the open file.
        if (one.isDead()) dispose();
        else one.unlock();
        turnOver();
      },
    };
  };
  const turn = (deadline: number): Promise<boolean> => {
    if (!isTaken) {
      isTaken = true;
      return Promise.resolve(true);
    }
    return new Promise((done) => {
      const take = (): void => {
        clearTimeout(timer);
        done(true);
      };
      const timer = setTimeout(
        () => {
          line.splice(line.indexOf(take), 1);
          done(false);
        },
        Math.max(0, deadline - performance.now()),
      );
      line.push(take);
    });
  };

  return {
    acquire: async (timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      if (isClosed || !(await turn(deadline))) return isClosed ? 'unable' : 'busy';
      let asked: Asked = 'unable';
      try {
        asked = await ask(deadline);
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
        asked = 'gone';
      } finally {
        if (typeof asked === 'string') turnOver();
      }
      return asked;
    },
    close: () => {
      isClosed = true;
      if (!isTaken) dispose();
    },
  };
}

function isAt(fd: number, path: string): boolean {
  const ours = fstatSync(fd, { bigint: true });
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  return there !== undefined && there.ino === ours.ino && there.dev === ours.dev;
}

/** It was told how long it may take; one that does not answer even then was stopped by somebody. */
const SILENT_MS = 2000;

/** undefined: this system has none. */
function start(path: string, onDeath: () => void): Helper | undefined {
  if (!existsSync(PERL)) return undefined;
  const fd = openRegular(path, 'a', 0o644);
  closeInherited();
  // Of its own group: Ctrl-C at the terminal is for us, and we still write then.
  const stdio = ['pipe', 'pipe', 'ignore', fd] as const;
  const child = spawn(PERL, ['-e', PROGRAM], { cwd: '/', env: {}, detached: true, stdio: [...stdio] });
  let waiting: ((got: boolean | 'dead') => void) | undefined;
  let isDead = false;
  const answer = (got: boolean | 'dead'): void => {
    const told = waiting;
    waiting = undefined;
    referenced(child, false);
    told?.(got);
  };
  const died = (): void => {
    if (isDead) return;
    isDead = true;
    if (waiting === undefined) onDeath();
    else answer('dead');
  };
  child.on('error', died).on('exit', died);
  child.stdin?.on('error', died);
  child.stdout?.on('data', (said: Buffer) => answer(said.toString().startsWith('1')));
  referenced(child, false);
  return {
    fd,
    isDead: () => isDead,
    lock: (seconds) =>
      new Promise((done) => {
        if (isDead) return done('dead');
        const late = setTimeout(
          () => {
            child.kill('SIGKILL');
            died();
          },
          seconds * 1000 + SILENT_MS,
        );
        waiting = (got) => {
          clearTimeout(late);
          done(got);
        };
        referenced(child, true);
        child.stdin?.write(`l ${seconds}\n`);
      }),
    unlock: () => {
      child.stdin?.write('u\n');
    },
    end: () => {
      closeSync(fd);
      if (!isDead) child.stdin?.end();
    },
  };
}

/** Only while somebody waits for it does it keep this process from ending. */
function referenced(child: ChildProcess, isWaitedFor: boolean): void {
  for (const one of [child, child.stdin as Socket | null, child.stdout as Socket | null])
    if (isWaitedFor) one?.ref();
    else one?.unref();
}
