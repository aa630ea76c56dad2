// `liza try <command …>`: runs what the commit brings, apart from the session that asks.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import { settings } from '../../protocol/state.ts';
import { onTasks } from '../open-project.ts';
import { printOut } from '../render/print.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'command', rest: true, description: 'Program and arguments; a single argument runs through sh -c.' },
  ],
  passthrough: true,
  examples: ['liza try npm test', 'liza try "cd web && node --test"'],
  details: [
    'Runs in the folder of TRY IT IN (a coder: in its own), with what you changed there, as Liza runs proofs: without the session’s home, credentials and liza, so that code of the commit cannot speak for you. It has no stdin, and in a sandbox a .git of its own, which is gone afterwards. The limit is validation_timeout.',
    'The exit code is the command’s; 124: the limit was passed. Nothing is recorded.',
  ],
  run: onTasks(async (context, args, io) => {
    const { tryOut } = await import('../../tasks/try-out.ts');
    const words = args.all('command');
    const { board } = await context.store.read();
    if (!args.json) context.say(`try: at most ${settings(board.state).validation_timeout} s …`);
    const printed = boundedPrinter((line) => (args.json ? undefined : printOut(io, `${line}\n`)));
    const [program = '', ...rest] = words;
    if (rest.includes('-')) return NO_STDIN;
    const argv: readonly [string, ...string[]] = rest.length === 0 ? ['sh', '-c', program] : [program, ...rest];
    const tried = await tryOut(context, { argv, onLine: printed.line });
    if (isRefusal(tried)) return tried;
    const { code, how, seconds, tail } = tried;
    if (args.json) return { ok: true, code, message: how, data: { seconds, output: tail, confined: tried.confined } };
    const left = printed.leftOut();
    if (left > 0) printOut(io, `[liza: ${left} lines left out; the end:]\n${tail}\n`);
    context.say(`${how}, ${seconds} s`);
    return { ok: true, silent: true, code };
  }),
};

const NO_STDIN = refuse(
  'liza try passes no stdin on: a program that reads it would end green at once',
  'write it into a file of the folder and run that; or give it as an argument: liza try node -e "…"',
  1,
  'input',
);

const MOST_PRINTED = 200_000;

/** As it comes, within a limit: an agent reads it all. */
function boundedPrinter(print: (line: string) => void) {
  let room = MOST_PRINTED;
  let left = 0;
  return {
    line: (line: string): void => {
      room -= line.length + 1;
      if (room < 0) left += 1;
      else print(line);
    },
    leftOut: (): number => left,
  };
}
