// `liza` in the sandbox, where there is no blackboard: puts what was typed into the mailbox, waits for the answer and
// passes it on. All that is decided is decided outside. Small, with no imports that need a machine: an agent starts it
// all the time, and cli/entry.ts hands it the few calls it needs.

import type { Disk } from '../ports/disk.ts';
import { defined } from '../protocol/values.ts';

export interface ClientHost {
  readonly disk: Pick<Disk, 'existsSync' | 'readFileSync' | 'renameSync' | 'unlinkSync' | 'watch' | 'writeFileSync'>;
  /** A name that no other request has: digits and small letters. */
  newId(): string;
  /** Calls again and again; returns how to stop it. */
  every(ms: number, call: () => void): () => void;
  readStdin(): string;
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Played by the agent itself, or in need of no board. */
const HERE = new Set(['rehearse', 'help', 'version', 'completion', '__complete', '--version', '-V', '--help', '-h']);
const POLL_MS = 20;

/** Whether the command is run outside. */
export const isForwarded = (argv: readonly string[]): boolean => !HERE.has(argv[0] ?? 'help');

/** Answers the exit code. */
export async function forward(host: ClientHost, mailbox: string, argv: readonly string[]): Promise<number> {
  const { disk } = host;
  const stdin = argv.some((word) => word === '-' || word.endsWith('=-')) ? host.readStdin() : undefined;
  const id = host.newId();
  const file = (kind: string): string => `${mailbox}/${id}.${kind}`;
  try {
    disk.writeFileSync(file('tmp'), JSON.stringify({ argv, ...defined({ stdin }) }));
    disk.renameSync(file('tmp'), file('ask'));
  } catch (error) {
    host.stderr(`liza: the supervisor cannot be asked: ${(error as Error).message}\n`);
    host.stderr('→ this session has lost it: stop here\n');
    return 2;
  }
  const answer = await answerIn(host, mailbox, file('answer'));
  const { code, stdout, stderr } = JSON.parse(answer) as { code: number; stdout: string; stderr: string };
  host.stderr(stderr);
  host.stdout(stdout);
  return code;
}

/** The file is complete as soon as it is there: it comes by a rename. */
function answerIn({ disk, every }: ClientHost, mailbox: string, file: string): Promise<string> {
  return new Promise((done) => {
    const look = (): void => {
      if (!disk.existsSync(file)) return;
      stop();
      watcher?.close();
      const text = disk.readFileSync(file, 'utf8');
      disk.unlinkSync(file);
      done(text);
    };
    const stop = every(POLL_MS, look);
    let watcher: ReturnType<Disk['watch']> | undefined;
    try {
      watcher = disk.watch(mailbox, look).on('error', () => {});
    } catch {
      // the timer sees it, too
    }
    look();
  });
}
