// The entry of the program: refuses what it cannot run on, runs one command and ends the process. Everything heavy is
// imported where it is needed: `liza show` must start about as fast as node itself.

import { refuse } from '../protocol/decision.ts';
import { isBrokered } from '../sandbox/mailbox-commands.ts';
import { isStreaming, processIo } from './process-io.ts';
import { emit } from './render/result.ts';
import { run } from './run.ts';

const MINIMUM = [20, 19] as const;

/** Refused with exit 5 before anything else fails less clearly. */
function unsupported(platform: string, version: string): ReturnType<typeof refuse> | undefined {
  if (platform === 'win32') {
    return refuse(
      'Liza does not run on Windows itself',
      'run it inside WSL2; there it runs as on Linux',
      5,
      'platform',
    );
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return undefined;
  return refuse(`Liza needs Node ${MINIMUM.join('.')} or newer, this is ${version}`, 'install a newer Node', 5, 'node');
}

let held = false;

function optimiser(is: 'on' | 'off'): void {
  held = is === 'off';
  process.getBuiltinModule('node:v8').setFlagsFromString(held ? '--no-opt' : '--opt');
}

/** A command that runs for an agent in the sandbox must not outlive the supervisor that watches both. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, 500).unref();
}

/** `onSuccess`: what is left to do before the process ends, after a command that was not refused. */
export async function main(onSuccess: () => void): Promise<void> {
  // Not held from the start: with other flags node's own modules cannot come out of its built-in code cache.
  const io = processIo(() => optimiser('off'));
  if (isBrokered(process.env)) endWithParent();
  const bad = unsupported(process.platform, process.versions.node);
  const code = bad === undefined ? await run(process.argv.slice(2), io) : emit(bad, io, false);
  process.exitCode = code;
  // A code cache counts only under the flags it was made with.
  if (held) optimiser('on');
  if (code === 0) onSuccess();
  // Left to itself node waits here for V8's optimiser, which works on code that will not run again: 5 to 15 ms.
  if (!isStreaming()) process.exit();
}
