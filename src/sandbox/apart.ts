// Whether a folder in which confined programs worked can be used again: only where none of them can have handed it, open,
// to somebody else. A descriptor that is on its way in a socket is in no process, so that nobody can look for it. Sandboxes
// meet by abstract sockets, where they share a network and the kernel knows no scope for these (socket-scope.ts), and by
// sockets in a folder that `sandbox_write` shows to all of them.

import type { ApartSettings } from '../git/integration.ts';
import type { KeepsApart } from '../git/private-git-dir.ts';
import { type Detected, isTool } from './detect.ts';

type Kind = Parameters<KeepsApart>[0];

/** Whose programs work in such folders. */
const PARTS = { task: ['coder', 'setup', 'tests'], proof: ['setup', 'tests'], setup: ['setup'] } as const;

export function isApart(found: Detected, { sandbox_network, sandbox_write = [] }: ApartSettings, kind: Kind): boolean {
  // Without a sandbox an agent can write everywhere anyway.
  if (!isTool(found)) return !('short' in found);
  if (sandbox_write.length > 0) return false;
  return found.perl !== undefined || PARTS[kind].every((part) => sandbox_network?.[part] === 'off');
}
