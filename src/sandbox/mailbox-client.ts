// `liza` in the sandbox, where there is no blackboard: lays what was typed into the mailbox, waits for the answer and
// passes it on. All that is decided is decided outside. Small and alone: an agent starts it all the time.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, unlinkSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../protocol/values.ts';

/** Played by the agent itself, or in need of no board. */
const HERE = new Set(['rehearse', 'help', 'version', 'completion', '__complete', '--version', '-V', '--help', '-h']);
const POLL_MS = 20;

export const isAsked = (argv: readonly string[]): boolean => !HERE.has(argv[0] ?? 'help');

export async function ask(mailbox: string, argv: readonly string[], readStdin: () => string): Promise<number> {
  const stdin = argv.some((word) => word === '-' || word.endsWith('=-')) ? readStdin() : undefined;
  const id = randomBytes(12).toString('hex');
  const file = (kind: string): string => join(mailbox, `${id}.${kind}`);
  try {
    writeFileSync(file('tmp'), JSON.stringify({ argv, ...defined({ stdin }) }));
    renameSync(file('tmp'), file('ask'));
  } catch (error) {
    process.stderr.write(`liza: the supervisor cannot be asked: ${(error as Error).message}\n`);
    process.stderr.write('→ this session has lost it: stop here\n');
    return 2;
  }
  const text = await answer(mailbox, file('answer'));
  const { code, stdout, stderr } = JSON.parse(text) as { code: number; stdout: string; stderr: string };
  process.stderr.write(stderr);
  process.stdout.write(stdout);
  return code;
}

/** Complete as soon as it is there: it comes by a rename. */
function answer(mailbox: string, file: string): Promise<string> {
  return new Promise((done) => {
    const look = (): void => {
      if (!existsSync(file)) return;
      clearInterval(timer);
      watcher?.close();
      const text = readFileSync(file, 'utf8');
      unlinkSync(file);
      done(text);
    };
    const timer = setInterval(look, POLL_MS);
    let watcher: ReturnType<typeof watch> | undefined;
    try {
      watcher = watch(mailbox, look).on('error', () => {});
    } catch {
      // the timer sees it, too
    }
    look();
  });
}
