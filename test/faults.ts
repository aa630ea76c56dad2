// Ports that stop, tear or fail at the n-th mutating call of src/ports/files.ts: a process that is
// killed there, a disk that is full or broken there, a machine that loses power there. A killed port
// stays dead: whatever a finally block tries afterwards throws as well and reaches no disk (only
// closing works, since the kernel does that for a dying process too).

import fs from 'node:fs';
import path from 'node:path';
import { type Files, realFiles } from '../src/ports/files.ts';

/**
 * kill, kill-after: dies before or after the call. torn, cut: dies having written the first half, or
 * all but the last byte. ENOSPC, EIO: that call fails (a write after its first half), later ones work.
 * disk-full: from that call on nothing can grow. power-cut: dies, and what was not synced is gone.
 */
export const FAULTS = ['kill', 'kill-after', 'torn', 'cut', 'ENOSPC', 'EIO', 'disk-full', 'power-cut'] as const;
export type Fault = (typeof FAULTS)[number];

export class Killed extends Error {
  override name = 'Killed';
}

export interface Faulty {
  readonly files: Files;
  /** The mutating calls made so far, as `write journal.jsonl`. */
  readonly calls: readonly string[];
  readonly dead: boolean;
  /** Loses what was not synced; by itself `power-cut` does it at its call. */
  cutPower(): void;
}

/** Strikes at the `at`-th mutating call, counted from 1; without a fault it only counts. */
export function faultyFiles(fault?: Fault, at = 0): Faulty {
  const calls: string[] = [];
  const names = new Map<number, string>();
  const durable = new Map<string, number>();
  let dead = false;

  const die = (): never => {
    dead = true;
    if (fault === 'power-cut') cutPower();
    throw new Killed(`killed at call ${calls.length}: ${calls.at(-1)}`);
  };
  const alive = (): void => {
    if (dead) throw new Killed('a dead process does nothing');
  };
  const cutPower = (): void => {
    dead = true;
    for (const [file, size] of durable) {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      if (stat !== undefined && stat.size > size) fs.truncateSync(file, size);
    }
  };
  const fails = (code: string): never => {
    throw Object.assign(new Error(`${code}: injected at ${calls.at(-1)}`), { code });
  };

  /** `part` does some of a write; `grows`: needs room on the disk. */
  const mutate = <T>(label: string, grows: boolean, act: () => T, part?: (share: 'half' | 'but-one') => void): T => {
    alive();
    calls.push(label);
    const now = calls.length === at;
    if (fault === 'disk-full' && calls.length >= at && grows) {
      if (now) part?.('half');
      return fails('ENOSPC');
    }
    if (!now || fault === undefined || fault === 'disk-full') return act();
    switch (fault) {
      case 'kill':
      case 'power-cut':
        return die();
      case 'kill-after':
        act();
        return die();
      case 'torn':
      case 'cut':
        part?.(fault === 'torn' ? 'half' : 'but-one');
        return die();
      case 'ENOSPC':
      case 'EIO':
        part?.('half');
        return fails(fault);
      default:
        return fault satisfies never;
    }
  };
  const look =
    <A extends unknown[], T>(act: (...args: A) => T) =>
    (...args: A): T => {
      alive();
      return act(...args);
    };
  const name = (file: string): string => path.basename(file).replace(`.${process.pid}.`, '.PID.');
  const fileOf = (fd: number): string => names.get(fd) ?? '?';

  const files: Files = {
    read: look(realFiles.read),
    readRange: look(realFiles.readRange),
    readInto: look(realFiles.readInto),
    stat: look(realFiles.stat),
    lstat: look(realFiles.lstat),
    fstat: look(realFiles.fstat),
    list: look(realFiles.list),
    temporaryFor: realFiles.temporaryFor,
    open: (file, flags) => {
      const open = (): number => {
        const fd = realFiles.open(file, flags);
        names.set(fd, file);
        if (flags === 'w' || flags === 'wx') durable.set(file, 0);
        else if (flags !== 'r' && !durable.has(file)) durable.set(file, fs.fstatSync(fd).size);
        return fd;
      };
      return flags === 'r' ? look(open)() : mutate(`open ${name(file)}`, true, open);
    },
    write: (fd, data) =>
      mutate(
        `write ${name(fileOf(fd))}`,
        true,
        () => realFiles.write(fd, data),
        (share) => realFiles.write(fd, data.subarray(0, share === 'half' ? data.length >> 1 : data.length - 1)),
      ),
    sync: (fd) =>
      mutate(`sync ${name(fileOf(fd))}`, false, () => {
        realFiles.sync(fd);
        if (durable.has(fileOf(fd))) durable.set(fileOf(fd), fs.fstatSync(fd).size);
      }),
    truncate: (fd, size) => mutate(`truncate ${name(fileOf(fd))}`, false, () => realFiles.truncate(fd, size)),
    close: (fd) => realFiles.close(fd),
    rename: (from, to) =>
      mutate(`rename ${name(to)}`, false, () => {
        realFiles.rename(from, to);
        const size = durable.get(from);
        durable.delete(from);
        if (size === undefined) durable.delete(to);
        else durable.set(to, size);
      }),
    link: (from, to) => mutate(`link ${name(to)}`, true, () => realFiles.link(from, to)),
    remove: (file) =>
      mutate(`remove ${name(file)}`, false, () => {
        realFiles.remove(file);
        durable.delete(file);
      }),
    setTime: (file, seconds) => mutate(`setTime ${name(file)}`, false, () => realFiles.setTime(file, seconds)),
    makeDirectory: (folder) => mutate(`makeDirectory ${name(folder)}`, true, () => realFiles.makeDirectory(folder)),
  };
  return {
    files,
    calls,
    get dead() {
      return dead;
    },
    cutPower,
  };
}
