// `liza` in the sandbox, where there is no blackboard: puts what was typed into the mailbox, waits for the answer and
// passes it on. All that is decided is decided outside. Small, with no imports that need a machine: an agent starts it
// all the time, and cli/entry.ts hands it the few calls it needs.

import type { Disk } from '../ports/disk.ts';
import { defined } from '../protocol/values.ts';
import { type Answer, answerIn } from './answer-text.ts';

export interface ClientHost {
  readonly disk: Pick<Disk, 'existsSync' | 'readFileSync' | 'renameSync' | 'unlinkSync' | 'watch' | 'writeFileSync'>;
  /** What LIZA_AGENT_ID says here; the mailbox alone tells who it is. */
  readonly claims?: string | undefined;
  /** A name that no other request has: digits and small letters. */
  newId(): string;
  /** Calls again and again; returns how to stop it. */
  every(ms: number, call: () => void): () => void;
  /** Runs git in here, with no more rights than the agent has; answers its complaint, if it failed. */
  git(argv: readonly string[]): string | undefined;
  readStdin(): string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Ctrl-C, or the agent's CLI ends its tool: called first, then the process ends. */
  onInterrupt?(call: () => void): void;
}

/** Played by the agent itself, or in need of no board. */
export const HERE: ReadonlySet<string> = new Set([
  'rehearse',
  'help',
  'version',
  'completion',
  '__complete',
  '--version',
  '-V',
  '--help',
  '-h',
]);
/** Its words are another program's, and it ends with who waits for it. */
const TRY = 'try';
const POLL_MS = 20;

/** Whether the command is run outside. */
export const isForwarded = (argv: readonly string[]): boolean => !HERE.has(argv[0] ?? 'help');

/** Answers the exit code. */
export async function forward(host: ClientHost, mailbox: string, argv: readonly string[]): Promise<number> {
  const input = inputOf(host, argv);
  const told =
    argv[0] === 'begin' && argv.includes(SET_ASIDE) ? await keepAside(host, mailbox, { argv, ...input }) : undefined;
  if (told === undefined) return pass(host, await ask(host, mailbox, { argv, ...input }));
  for (const step of told.steps) {
    const complaint = host.git(step);
    if (complaint !== undefined) {
      host.stderr(`liza: the folder could not be restored: ${complaint.trim()}\n  → ${told.lines.join('\n    ')}\n`);
      return 3;
    }
  }
  const code = pass(host, await ask(host, mailbox, { argv: argv.filter((word) => word !== SET_ASIDE), ...input }));
  if (!argv.includes('--json') && told.lines.length > 0) host.stdout(`${told.lines.join('\n')}\n`);
  return code;
}

/** Work that came before the checkpoint is kept outside; the folder is put back in here, where the agent could do it too. */
const SET_ASIDE = '--set-aside';

/** Undefined: there is nothing of the kind to tell, and the command itself says why. */
async function keepAside(host: ClientHost, mailbox: string, asked: Asked): Promise<SetAside | undefined> {
  const kept = await ask(host, mailbox, {
    ...asked,
    argv: [...asked.argv.filter((word) => word !== '--json'), '--json'],
  });
  const told = kept.code === 0 ? (JSON.parse(kept.stdout) as Partial<SetAside>) : {};
  return told.steps === undefined ? undefined : { steps: told.steps, lines: told.lines ?? [] };
}

interface SetAside {
  readonly steps: readonly (readonly string[])[];
  readonly lines: readonly string[];
}

interface Asked {
  readonly argv: readonly string[];
  readonly stdin?: string;
}

function inputOf(host: ClientHost, argv: readonly string[]): Pick<Asked, 'stdin'> {
  return readsStdin(argv) ? { stdin: host.readStdin() } : {};
}

/** Behind `try` a dash alone is its own. */
function readsStdin(argv: readonly string[]): boolean {
  if (argv[0] === TRY) return argv.filter((word) => word !== '--json').join(' ') === `${TRY} -`;
  return argv.some((word) => word === '-' || word.endsWith('=-'));
}

function pass(host: ClientHost, { code, stdout, stderr }: Answer): number {
  // As the command itself prints them: what it noted, its answer, and then the news.
  const news = stderr.search(/^liza: news: /m);
  const before = news === -1 ? stderr : stderr.slice(0, news);
  if (before !== '') host.stderr(before);
  host.stdout(stdout);
  if (news !== -1) host.stderr(stderr.slice(news));
  return code;
}

async function ask(host: ClientHost, mailbox: string, { argv, stdin }: Asked): Promise<Answer> {
  const { disk } = host;
  const id = host.newId();
  const file = (kind: string): string => `${mailbox}/${id}.${kind}`;
  try {
    disk.writeFileSync(file('tmp'), JSON.stringify({ argv, ...defined({ stdin, claims: host.claims }) }));
    disk.renameSync(file('tmp'), file('ask'));
  } catch (error) {
    if (!disk.existsSync(mailbox)) return GONE;
    const why = `liza: the supervisor cannot be reached: ${(error as Error).message}\n`;
    return { code: 2, stdout: '', stderr: `${why}→ this session has lost it: stop here\n` };
  }
  if (argv[0] === TRY) host.onInterrupt?.(() => disk.writeFileSync(file('gone'), ''));
  const answer = await answerAt(host, mailbox, file('answer'));
  return (answer === undefined ? undefined : answerIn(answer)) ?? GONE;
}

/** The mailbox is removed with the session it belongs to. */
export const GONE: Answer = {
  code: 1,
  stdout: '',
  stderr: 'liza: this session has ended\n  → Stop now: nothing this session does counts now\n',
};

/** The file is complete as soon as it is there: it comes by a rename. Undefined: nobody will answer any more. */
function answerAt({ disk, every }: ClientHost, mailbox: string, file: string): Promise<string | undefined> {
  return new Promise((done) => {
    const look = (): void => {
      const isThere = disk.existsSync(file);
      // Its answer comes before the mark.
      if (!isThere && disk.existsSync(mailbox) && !disk.existsSync(`${mailbox}/ended`)) return;
      stop();
      watcher?.close();
      if (!disk.existsSync(file)) return done(undefined);
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
