// The first process inside a sandbox of bubblewrap's. The kernel ends all others of that sandbox with it, so whoever knows
// it can end them, whatever they did to hide: to their environment, their limits, their session, or to that process
// itself, which they may trace. So bubblewrap is started with two descriptors more: by one it tells that process, at the
// other it waits, before it runs the program, until we have noted it. Linux only.

import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../ports/host.ts';
import { type ProcessHost, statOf, textOf } from './proc-files.ts';
import { bootId, type ProcessIdentity } from './process-identity.ts';

/** Behind the one of the filter (Startable.descriptor3). */
export const TELLS = 4;
export const WAITS = 5;

export interface Held {
  /** Settles only if the first process could not be noted: then nothing ran, and nothing may. */
  readonly failed: Promise<string>;
  /** Undefined until it is noted. */
  inside(): ProcessIdentity | undefined;
  /** When its processes are gone: one that still waits there would go on. */
  close(): void;
}

/** Lets the program run once `note` has returned. One that does not even get so far tells why by its own end. */
export function holdUntilNoted(
  host: ProcessHost & { readonly clock: Clock },
  child: ChildProcess,
  note: (inside: ProcessIdentity) => void,
): Held {
  const { tells, waits } = endsOf(child);
  let inside: ProcessIdentity | undefined;
  let told = '';
  let late = (): void => {};
  const cancel = host.clock.after(LONGEST_MS, () => late(), 'background');
  const failed = new Promise<string>((fail) => {
    late = () => fail(UNKNOWN);
    const isNoted = (): boolean => {
      const pid = Number(FIRST.exec(told)?.[1]);
      const found = Number.isNaN(pid) ? undefined : firstOf(host, pid, child.pid);
      if (found === undefined) return false;
      cancel();
      note(found);
      inside = found;
      return true;
    };
    const look = (isAll: boolean): void => {
      if (inside !== undefined) return;
      try {
        if (isNoted()) waits?.end('.');
        else if (isAll) host.clock.after(OWN_WORDS_MS, () => fail(UNKNOWN), 'background');
      } catch (error) {
        fail(`its sandbox could not be noted: ${(error as Error).message}`);
      }
    };
    for (const stream of [tells, waits]) stream?.on('error', () => {});
    tells?.setEncoding('utf8').on('data', (text: string) => {
      told = `${told}${text}`.slice(0, MOST_TOLD);
      look(false);
    });
    tells?.once('close', () => look(true));
    if (tells === undefined || tells === null || waits === undefined || waits === null) fail(UNKNOWN);
  });
  return {
    failed,
    inside: () => inside,
    close: () => {
      cancel();
      tells?.destroy();
      waits?.destroy();
    },
  };
}

/** One that is only tried is let run at once. Answers whether it told of its first process. */
export function letRun(child: ChildProcess): () => boolean {
  const { tells, waits } = endsOf(child);
  let told = '';
  for (const stream of [tells, waits]) stream?.on('error', () => {});
  tells?.on('data', (text: Buffer) => {
    told += text.toString();
  });
  waits?.end('.');
  return () => FIRST.test(told);
}

const FIRST = /"child-pid": *(\d+)\D/;

/** Of one that did not start there may be none at all. */
function endsOf(child: ChildProcess): { readonly tells?: Readable | null; readonly waits?: Writable | null } {
  const stdio = child.stdio as readonly unknown[] | undefined;
  return { tells: stdio?.[TELLS] as Readable | null, waits: stdio?.[WAITS] as Writable | null };
}

export const UNKNOWN = 'its sandbox did not tell which process is the first in it';
const MOST_TOLD = 4096;
/** For a sandbox that cannot be made: it says why, and ends. */
const OWN_WORDS_MS = 2000;
/** Even on a machine that has much to do. */
const LONGEST_MS = 60_000;

/** It waits, so nobody else can have its pid: looked at all the same, for it is going to be ended by that. */
function firstOf(host: ProcessHost, pid: number, parent: number | undefined): ProcessIdentity | undefined {
  const stat = statOf(host, pid);
  if (stat === undefined || stat.isOver) return undefined;
  const isFirst = stat.parent === parent || /^NSpid:.*\t1$/m.test(textOf(host, `/proc/${pid}/status`));
  return isFirst ? { boot: bootId(host), pid, started: stat.started } : undefined;
}

const LOOKS = 25;
const PAUSE_MS = 20;

/**
 * Whether it goes on although bubblewrap outside has ended. The kernel sends it SIGKILL before anybody hears of that end;
 * so one that is not about to end was made to forget its parent, and what bubblewrap passed on was not the program's end.
 */
export async function livesOn(
  host: ProcessHost & { readonly clock: Clock },
  inside: ProcessIdentity | undefined,
): Promise<boolean> {
  if (inside === undefined) return false;
  for (let look = 0; look < LOOKS; look++) {
    // In the kernel, between the signal and the end of it, neither can be seen.
    if (look > 0) await host.clock.sleep(PAUSE_MS);
    if (isEnding(host, inside)) return false;
  }
  return true;
}

const EXITING = 0x4;
const SIGKILL_BIT = 1n << 8n;

function isEnding(host: ProcessHost, { pid, started }: ProcessIdentity): boolean {
  const stat = statOf(host, pid);
  if (stat === undefined || stat.isOver || stat.started !== started) return true;
  if (stat.threads === 1 && (stat.flags & EXITING) !== 0) return true;
  const pending = textOf(host, `/proc/${pid}/status`).matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm);
  return [...pending].some(([, bits]) => (BigInt(`0x${bits}`) & SIGKILL_BIT) !== 0n);
}
