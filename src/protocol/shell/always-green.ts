// Which command lines prove nothing: they succeed whatever the code does, can never succeed, or are green where the tests
// that they run are red. A line that is not understood counts as a real command.

import { exitCode } from './exit-code.ts';
import { isForReaders } from './idle-programs.ts';
import { knownOf, nameOf, runsTests, unwrapped } from './known-commands.ts';
import { looksAway } from './looks-away.ts';
import { readShellLine, type ShellLine } from './shell-line.ts';
import type { Word } from './shell-tokens.ts';

/** Why it is green whatever the code does; undefined: it may fail. */
export function alwaysGreen(command: string): string | undefined {
  const code = exitCode(command, { trusting: true });
  return code === undefined || code.mayBeRed ? undefined : (code.why ?? WHATEVER);
}

const WHATEVER = 'it always succeeds, whatever the code does';

/**
 * Why its exit code says nothing about the code; undefined: it says something. `beside`: what else is run; a line that
 * wants tests red says something only where the same runner is seen green, too: it is also red where it cannot start.
 */
export function provesNothing(command: string, beside?: readonly string[]): string | undefined {
  const green = alwaysGreen(command);
  if (green !== undefined) return green;
  const code = exitCode(command, { trusting: false });
  if (code === undefined) return undefined;
  if (!code.mayBeGreen) return 'it can never succeed, whatever the code does';
  const away = looksAway(command);
  if (away !== undefined) return away;
  const [hidden] = code.hidden;
  if (hidden === undefined)
    return (
      hiddenRound(command) ?? (beside === undefined ? undefined : unprovedNegation(code.negated, [command, ...beside]))
    );
  return `it can be green where \`${hidden}\` is red${MEND}`;
}

/** A loop at the end of a line: only its last round decides, unless a red one leaves the shell. */
function hiddenRound(command: string): string | undefined {
  const last = lastOf(readShellLine(command));
  if (last?.kind !== 'loop' || !goesOver(last.when) || (last.rounds ?? 2) < 2 || ERREXIT.test(command))
    return undefined;
  const body = last.body.text;
  const [alone, followed] = [body, `${body}\ntrue`].map((one) => exitCode(one, { trusting: false })?.mayBeRed);
  return alone === true && followed === false
    ? `only the last round of its loop decides: \`${body}\` may be red in any other; let a red one end it: \`${body} || exit 1\``
    : undefined;
}

/** What decides at the end of a list, of a pipe, before what it reads from. */
function lastOf(line: ShellLine | undefined): ShellLine | undefined {
  if (line?.kind === 'list') return lastOf(line.steps.at(-1)?.of);
  if (line?.kind === 'pipe') return lastOf(line.parts.at(-1));
  return line?.kind === 'redirected' ? lastOf(line.of) : line;
}

/** One round for each word, or for each line: `while read -r f`. */
const goesOver = (when: ShellLine | undefined): boolean =>
  when === undefined || (when.kind === 'simple' && unwrapped(when.words)[0]?.text === 'read');

const ERREXIT = /\bset\s+(?:-\w*e|-o\s+errexit)|\b(?:ba|da|z|k)?sh\s+-\w*e/;

const MEND =
  "; run that by itself or with `&&` (each --validate is a line of its own), behind a pipe with `bash -c 'set -o pipefail; …'`";

function unprovedNegation(negated: ReadonlySet<string>, beside: readonly string[]): string | undefined {
  const seen = new Set(beside.flatMap((other) => [other, ...decidingIn(other)]).flatMap((one) => testTool(one) ?? []));
  const isSeen = (tool = ''): boolean => seen.has(tool) || [...seen].some((one) => SCRIPTS.test(one));
  const alone = [...negated].find((one) => !isSeen(testTool(one)));
  if (alone === undefined) return undefined;
  return `it is green where \`${alone}\` is red, also where that cannot run at all; such a check needs another validation, or a test_command, that runs \`${testTool(alone) ?? alone}\` plainly`;
}

/** Which program they run is not in the line. */
const SCRIPTS = /^(?:npm|pnpm|yarn|bun|make|gmake|just|task)$/;

const wordsOf = (command: string): readonly Word[] => {
  const line = readShellLine(command);
  return line?.kind === 'simple' ? unwrapped(line.words) : [];
};

/** Whether it is one command that prints what somebody may read. */
export function printsForReaders(command: string): boolean {
  const [first, ...rest] = wordsOf(command);
  return first !== undefined && isForReaders(nameOf(first.text), rest);
}

/** Whether it is one command that only prepares, prints or lists. */
export const checksNothing = (command: string): boolean => {
  const words = wordsOf(command);
  return /^(?:cd|pushd|popd|set|\.|source)$/.test(words[0]?.text ?? 'cd') || knownOf(words) !== undefined;
};

/** The program that runs tests by this line; undefined: it is no plain run of tests. */
function testTool(command: string): string | undefined {
  const line = readShellLine(command);
  return line?.kind === 'simple' && runsTests(line.words) ? unwrapped(line.words)[0]?.text : undefined;
}

/** Whether tests of the line are red wherever it is green: what their runner counts are no green tests. */
export const wantsRed = (command: string): boolean => (exitCode(command, { trusting: false })?.negated.size ?? 0) > 0;

/** Commands of the line that ran green, each time, wherever the line is green; itself among them. */
export const decidingIn = (command: string): ReadonlySet<string> =>
  exitCode(command, { trusting: false })?.deciding ?? new Set();
