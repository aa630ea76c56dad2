// Whether the shell that Liza runs commands with can read a line at all, asked of that shell itself: `sh -n` reads from
// stdin and runs nothing. Whether it knows `pipefail` is asked once per process.

import type { Host } from '../ports/host.ts';
import type { ShellFacts, UnreadLine } from '../protocol/facts/spec-facts.ts';
import { exitCode } from '../protocol/shell/exit-code.ts';

type Asking = Pick<Host, 'processes' | 'env'>;

/** What `sh` cannot run of these lines. */
export function shellFacts(host: Asking, lines: readonly string[]): ShellFacts {
  const asked = [...new Set(lines)].filter((line) => line.trim() !== '' && !line.includes('\0'));
  if (asked.length === 0) return {};
  const unread = asked.flatMap((line) => unreadBy(host, line) ?? []);
  return unread.length === 0 ? {} : { unread };
}

/** Undefined: the shell can run it, as far as that is seen without running it. */
export function unreadBy(host: Asking, line: string): UnreadLine | undefined {
  const read = readBy(host, 'sh', line);
  if (read.status === undefined) return undefined;
  const isPipefail = read.status === 0 && needsPipefail(line) && !knowsPipefail(host);
  if (read.status === 0 && !isPipefail) return undefined;
  const said = isPipefail ? 'it does not know `set -o pipefail` and ends there' : read.said;
  return { line, said, bash: readBy(host, 'bash', line).status === 0 };
}

/** Without that option the shell ends, so that the line is never green. */
const needsPipefail = (line: string): boolean =>
  /pipefail/.test(line) &&
  exitCode(line, { trusting: false })?.mayBeGreen === true &&
  exitCode(line, { trusting: false, lacksPipefail: true })?.mayBeGreen === false;

const TIMEOUT_MS = 5_000;

function readBy({ processes, env }: Asking, shell: 'sh' | 'bash', line: string) {
  const options = { input: `${line}\n`, env: { PATH: env['PATH'], LC_ALL: 'C' }, timeout: TIMEOUT_MS } as const;
  const { status, stderr } = processes.spawnSync(shell, ['-n'], { ...options, encoding: 'utf8' });
  const [said = ''] = String(stderr ?? '')
    .trim()
    .split('\n');
  // Not there, or it did not end: nothing is known.
  return { status: status ?? undefined, said: said.slice(0, LONGEST) };
}

const LONGEST = 200;

const known = new Map<string | undefined, boolean>();

function knowsPipefail({ processes, env }: Asking): boolean {
  const path = env['PATH'];
  const before = known.get(path);
  if (before !== undefined) return before;
  const { status } = processes.spawnSync('sh', ['-c', 'set -o pipefail'], {
    env: { PATH: path },
    stdio: 'ignore',
    timeout: TIMEOUT_MS,
  });
  const knows = status === 0 || status === null;
  known.set(path, knows);
  return knows;
}
