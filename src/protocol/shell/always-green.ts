// Which command lines prove nothing: they succeed whatever the code does, can never succeed, or are green where the tests
// that they run are red. A line that is not understood counts as a real command.

import { exitCode } from './exit-code.ts';

/** Why it is green whatever the code does; undefined: it may fail. */
export function alwaysGreen(command: string): string | undefined {
  const code = exitCode(command, { trusting: true });
  return code === undefined || code.mayBeRed ? undefined : (code.why ?? WHATEVER);
}

const WHATEVER = 'it always succeeds, whatever the code does';

/** Why its exit code says nothing about the code; undefined: it says something. */
export function provesNothing(command: string): string | undefined {
  const green = alwaysGreen(command);
  if (green !== undefined) return green;
  const code = exitCode(command, { trusting: false });
  if (code === undefined) return undefined;
  if (!code.mayBeGreen) return 'it can never succeed, whatever the code does';
  const [hidden] = code.hidden;
  if (hidden === undefined) return undefined;
  return `it can be green where \`${hidden}\` is red${MEND}`;
}

const MEND =
  "; run that by itself or with `&&` (each --validate is a line of its own), behind a pipe with `bash -c 'set -o pipefail; …'`";

/** Commands of the line that ran green, each time, wherever the line is green; itself among them. */
export const decidingIn = (command: string): ReadonlySet<string> =>
  exitCode(command, { trusting: false })?.deciding ?? new Set();
