// `liza try <command …>`: runs what the commit brings, apart from the session that asks.

import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { settings } from '../../protocol/state.ts';
import type { TryRequest } from '../../tasks/try-out.ts';
import type { Io } from '../io.ts';
import { onTasks } from '../open-project.ts';
import { printOut } from '../render/print.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    {
      name: 'command',
      rest: true,
      description: 'Program and arguments; a single argument runs through sh -c; -: a script from stdin does.',
    },
  ],
  passthrough: true,
  examples: ['liza try npm test', 'liza try "cd web && node --test"', "echo 'cd web; node --test' | liza try -"],
  details: [
    'Runs in the folder of TRY IT IN (a coder: in its own), with what you changed there, as Liza runs proofs: without the session’s home, credentials and liza, so that code of the commit cannot speak for you. It has no stdin itself, and in a sandbox a .git of its own, which is gone afterwards. The limit is validation_timeout.',
    'It does not see the $TMPDIR of your session: a scratch file for it goes into that folder (a coder removes it before the commit), or the script comes from stdin.',
    'The exit code is the command’s; 124: the limit was passed. Nothing is recorded.',
  ],
  run: onTasks(async (context, args, io) => {
    const { tryOut } = await import('../../tasks/try-out.ts');
    const argv = await argvOf(args.all('command'), io);
    if (isRefusal(argv)) return argv;
    const { board } = await context.store.read();
    if (!args.json) context.say(`try: at most ${settings(board.state).validation_timeout} s …`);
    const printed = boundedPrinter((line) => (args.json ? undefined : printOut(io, `${line}\n`)));
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

async function argvOf(words: readonly string[], io: Io): Promise<TryRequest['argv'] | Refusal> {
  const [program = '', ...rest] = words;
  if (rest.includes('-') || waitsForInput(program, rest)) return NO_STDIN;
  if (rest.length > 0) return [program, ...rest];
  const script = program === '-' ? await io.readStdin() : program;
  return script.trim() === '' ? NO_SCRIPT : ['sh', '-c', script];
}

/** A shell or an interpreter that is given nothing to run. */
function waitsForInput(program: string, rest: readonly string[]): boolean {
  const name = program.split('/').at(-1) ?? '';
  if (/^(?:ba|da|k|z|fi)?sh$/.test(name)) return rest.every((word) => /^-[abd-z]*$/i.test(word));
  return rest.length === 0 && /^(?:node|deno|bun|python[\d.]*|pypy3?|ruby|perl|php|lua|Rscript)$/.test(name);
}

const NO_STDIN = refuse(
  'liza try passes no stdin on: a program that reads it would end green at once',
  'let sh run a script from stdin: liza try - <<\'END\'; or give it as an argument: liza try node -e "…"',
  1,
  'input',
);

const NO_SCRIPT = refuse('there is nothing to run', "send the script: liza try - <<'END'", 1, 'input');

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
