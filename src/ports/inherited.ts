// Descriptors that whoever started this process left open in it: an editor's terminal, a script that holds a lock. Node
// hands those on to every program that it starts, a confined agent included, and through one of a folder everything is
// reached. They are not ours: they are closed before the first program starts. What this process opens itself is closed
// in its programs anyway. macOS hands none on.

import { realDisk } from './disk.ts';

const CLOSED_IN_PROGRAMS = 0o2000000; // O_CLOEXEC

let isDone: true | undefined;

export function closeInherited(): void {
  if (isDone === true) return;
  isDone = true;
  if (process.platform !== 'linux') return;
  for (const name of realDisk.readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2 && fd !== channel() && isHandedOn(fd)) realDisk.closeSync(fd);
  }
}

/** To the process that forked this one, which node itself reads. */
const channel = (): number | undefined => (process.channel as { readonly fd?: number } | undefined)?.fd;

function isHandedOn(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)/m.exec(realDisk.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? [];
    return flags !== '' && (Number.parseInt(flags, 8) & CLOSED_IN_PROGRAMS) === 0;
  } catch {
    return false; // closed meanwhile: the one that listed them
  }
}
