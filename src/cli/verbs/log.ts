// `liza log` shows the activity log and follows it; `liza log verify` checks the journal behind it.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import { noTask } from '../../protocol/unknown-id.ts';
import { isBrokered } from '../../sandbox/mailbox-commands.ts';
import { counted } from '../../text/format.ts';
import type { Io } from '../io.ts';
import { type LogEntry, readSince, readTail } from '../log-tail.ts';
import { openCurrentBoard } from '../open-board.ts';
import { listsAll } from '../render/look.ts';
import { printOut } from '../render/print.ts';
import { oneLine } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

const POLL = 250;
const ALL = '999999';

const log: Verb = {
  positionals: [{ name: 'task', kind: 'task', optional: true, description: 'Only what concerns this task.' }],
  options: {
    follow: { short: 'f', description: 'Print new entries as they come; Ctrl-C ends it.', aka: ['watch', 'live'] },
    lines: {
      short: 'n',
      value: 'n',
      description: 'How many entries; default 20, in a pipe all of them.',
      aka: ['tail', 'number', 'limit', 'last'],
    },
  },
  examples: ['liza log', 'liza log -n 100 retry-login', 'liza log -f'],
  run: async (args, io) => {
    const usual = listsAll(io) && !args.flag('follow') ? ALL : '20';
    const lines = args.text('lines') ?? usual;
    if (!/^\d{1,6}$/.test(lines))
      return refuse(`-n is "${lines}", must be a number`, 'for example: liza log -n 50', 1, 'usage');
    if (args.flag('follow') && isBrokered(io.env)) {
      return refuse('liza log -f would never end outside the sandbox', 'ask again later: liza log', 1, 'sandbox');
    }
    const context = await openCurrentBoard(io);
    if (isRefusal(context)) return context;
    const path = context.paths.log;
    const task = args.text('task');
    const mine = (entry: LogEntry): boolean => task === undefined || entry.task === task;
    const count = Number(lines);
    // Entries of one task may be anywhere, so all are looked through.
    const tail = await readTail(path, task === undefined ? count : Number.MAX_SAFE_INTEGER);
    const all = tail.entries.filter(mine);
    const entries = count === 0 ? [] : all.slice(-count);
    if (all.length === 0 && task !== undefined && (await context.store.readTask(task)) === undefined) {
      return noTask((await context.store.read()).board, task);
    }
    if (!args.flag('follow')) {
      const about = task === undefined ? '' : ` about ${task}`;
      const message = entries.length === 0 ? { message: `No entries${about} yet.` } : {};
      // Entries count up from 1, so that the first one shown says how many came before it.
      const older = task === undefined ? Math.max(0, (entries[0]?.entry ?? 1) - 1) : all.length - entries.length;
      const more = `(${counted(older, 'older entry')}: liza log${task === undefined ? '' : ` ${task}`} -n ${count + older})`;
      const lines = [...(older === 0 || entries.length === 0 ? [] : [more]), ...entries.map(line)];
      return { ok: true, ...message, lines, data: { entries, older } };
    }
    print(entries, io, args.json);
    // The log of a board in a database is brought up to date while somebody watches.
    const stop = context.shared === undefined ? undefined : context.store.watch(() => {});
    await follow(path, tail.end, io, (found) => print(found.filter(mine), io, args.json));
    stop?.();
    return { ok: true, silent: true };
  },
};

async function follow(
  path: string,
  from: number,
  io: Io,
  found: (entries: readonly LogEntry[]) => void,
): Promise<void> {
  for (let at = from; !io.stop.aborted; ) {
    const next = await readSince(path, at);
    at = next.end;
    found(next.entries);
    await io.host.clock.sleep(POLL, io.stop);
  }
}

/** A stream has no end to wait for, so each entry is printed at once: a line of text, or of JSON. */
function print(entries: readonly LogEntry[], io: Io, json: boolean): void {
  for (const entry of entries) {
    if (json) io.stdout(`${JSON.stringify(entry)}\n`);
    else printOut(io, `${line(entry)}\n`);
  }
}

function line({ entry, timestamp, agent, action, task, detail }: LogEntry): string {
  const what = task === undefined ? action : `${action} ${task}`;
  const number = entry === undefined ? [] : [`#${entry}`.padStart(5)];
  return [...number, oneLine(timestamp), oneLine(agent), oneLine(`${what}: ${detail}`)].join('  ');
}

const logVerify: Verb = {
  options: { full: { description: 'Compare the state with its hash after every entry: takes long on a large board.' } },
  examples: ['liza log verify'],
  details: [
    'Checks that every line follows from the one before, and that every change fits the state and leads to the state it names.',
    'The hash of the state is compared now and then and at the end, so that the check takes no longer on a large board.',
  ],
  run: async (args, io) => {
    const context = await openCurrentBoard(io);
    if (isRefusal(context)) return context;
    const { verifyJournal } = await import('../../store/verify.ts');
    const { entries, voids, head, problems, remarks } = verifyJournal(context, { every: args.flag('full') });
    const data = { entries, voids, head, problems, remarks };
    const [first] = problems;
    if (first !== undefined) {
      const hint = 'the copy in the git directory may be intact: liza doctor compares them';
      return { ...refuse(`the journal is broken: ${first}`, hint, 4, 'journal'), data, lines: [...problems.slice(1)] };
    }
    const lost = voids === 0 ? '' : `, ${counted(voids, 'void line')} of lost races`;
    return {
      ok: true,
      message: `the journal is intact: ${counted(entries, 'entry')}${lost}, head ${head.slice(0, 12)}`,
      lines: remarks,
      data,
    };
  },
};

export const verbs = { log: log, 'log verify': logVerify };
