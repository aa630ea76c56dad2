// Bubblewrap (Linux): the policy as its argument list. Processes, shared memory and the host's name are its own; so
// are /proc, /dev and, when it is off, the network. All rights of root are dropped: without that, root could mount
// everything writable again. Its filter of system calls comes by descriptor 3. Nothing here touches the disk.

import type { Environment } from '../ports/host.ts';
import { TELLS, WAITS } from '../process/first-inside.ts';
import type { Tool } from './detect.ts';
import { type Entry, entriesOf, type Policy } from './policy.ts';
import { scoped } from './socket-scope.ts';

/** Facts about the disk that the list depends on. */
export interface Facts {
  /** Undefined: there is nothing at that path. */
  kindOf(path: string): 'file' | 'folder' | undefined;
  /** What the program is started with. */
  readonly env: Environment;
  /** It has the descriptors to tell of its first process, and to wait (process/first-inside.ts). */
  readonly held?: boolean | undefined;
}

const APART = [
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  // Its end is the end of all that it started; and no terminal whose input it could type into.
  ...['--die-with-parent', '--new-session'],
  ...['--cap-drop', 'ALL'],
];

/** Root without rights still owns these, and some of them change the whole machine. bwrap itself closes irq and bus. */
const OF_THE_KERNEL = ['sys', 'sysrq-trigger', 'fs', 'acpi', 'scsi', 'mtrr'].flatMap((name) => [
  '--ro-bind-try',
  `/proc/${name}`,
  `/proc/${name}`,
]);

export function bwrapArgv(
  { program, extra, filter, perl }: Omit<Tool, 'kind'>,
  policy: Policy,
  argv: readonly [string, ...string[]],
  facts: Facts,
): readonly [string, ...string[]] {
  const entries = entriesOf(policy);
  const inside = perl === undefined ? { options: [], argv } : scoped(perl, argv, facts.env);
  const hidden = entries.filter(({ kind, at }) => kind === 'hide' && facts.kindOf(at) === 'folder');
  return [
    program,
    ...extra,
    ...APART,
    ...(filter === undefined ? [] : ['--seccomp', '3']),
    ...(facts.held ? ['--info-fd', String(TELLS), '--block-fd', String(WAITS)] : []),
    ...(policy.network ? [] : ['--unshare-net']),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...OF_THE_KERNEL,
    ...entries.flatMap((entry) => mount(entry, facts)),
    // Last: until now places for what is shown below them had to be made in there.
    ...hidden.flatMap(({ at }) => ['--remount-ro', at]),
    ...inside.options,
    ...['--chdir', policy.cwd, '--'],
    ...inside.argv,
  ];
}

function mount({ kind, at, from }: Entry, { kindOf }: Facts): readonly string[] {
  if (kind !== 'hide') return [kind === 'read' ? '--ro-bind-try' : '--bind-try', from, at];
  switch (kindOf(at)) {
    case 'folder':
      return ['--tmpfs', at];
    case 'file':
      return ['--ro-bind', '/dev/null', at];
    default:
      return [];
  }
}
