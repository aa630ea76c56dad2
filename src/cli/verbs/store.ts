// `liza store`: where the board is kept, and how it moves: state.yaml on one machine, or PostgreSQL for several hosts.

import { realDisk } from '../../ports/disk.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { addressOf, keepAddress, parseAddress } from '../../store/postgres/address.ts';
import { openBoard, openCurrentBoard } from '../open-board.ts';
import { onProject, openProject } from '../open-project.ts';
import type { Verb } from '../verb.ts';

const WHERE =
  'Set LIZA_STORE_URL or PGSERVICE, or give the address once: liza store address < file. It is never an argument, and never printed.';

const store: Verb = {
  operatorOnly: true,
  examples: ['liza store', 'liza store --json'],
  details: ['The address of the database is not shown.'],
  run: onProject(async (context) => {
    const { shared } = context;
    const { seq, notices } = await context.store.read();
    if (shared === undefined)
      return {
        ok: true,
        lines: [`the board is in .liza/state.yaml, at entry ${seq}`],
        data: { kind: 'yaml', seq },
        notices,
      };
    const address = addressOf(context);
    const tls = 'ok' in address ? 'unknown' : address.tls;
    const how = tls === 'verify-full' ? tls : `${tls}; sslmode=verify-full is safer`;
    return {
      ok: true,
      lines: [
        `the board is on PostgreSQL, at entry ${seq}: board ${shared.board}, here host ${shared.host} (${shared.name})`,
        `encryption: ${how}`,
      ],
      data: { kind: 'postgres', seq, board: shared.board, host: shared.host, tls },
      notices,
    };
  }),
};

const move: Verb = {
  operatorOnly: true,
  positionals: [{ name: 'kind', choices: ['postgres', 'yaml'], description: 'Where it goes.' }],
  examples: ['liza store move postgres', 'liza store move yaml'],
  details: [
    'Takes the whole board along: journal, archive, numbers. Nothing may run meanwhile. A move that was interrupted is finished, or begun anew, by the same command; one of the two is in charge at every moment.',
    WHERE,
    'The first move makes the tables, for which the role must own the database or a schema named liza; what the other hosts need afterwards: liza store role.',
  ],
  run: async (args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const { moveToPostgres, moveToYaml } = await import('../../project/move-store.ts');
    if (args.must('kind') === 'yaml') return moveToYaml(context);
    if (context.shared !== undefined)
      return { ok: true, message: 'already done: the board is on PostgreSQL', data: { already: true } };
    const { firstCommit } = await import('../../project/join-store.ts');
    const moved = await moveToPostgres(context, await firstCommit(context));
    if (!moved.ok) return moved;
    // state.yaml says at once that it is a view, and the others see this host.
    const here = await openCurrentBoard(io);
    if (isRefusal(here) || here.shared === undefined) return moved;
    const { arrive } = await import('../../tasks/exchange/arrive.ts');
    const lines = await arrive(here, here.shared);
    return { ...moved, lines: [...lines, 'next, in a clone on each further host: liza init --join'] };
  },
};

const address: Verb = {
  operatorOnly: true,
  examples: ['printf "%s" "$ADDRESS" | liza store address'],
  details: [
    'Reads postgres://user:password@host:port/database?sslmode=verify-full from stdin, and keeps it in a file that only you can read and no sandbox shows.',
  ],
  run: async (_args, io) => {
    const context = openBoard(io);
    if (isRefusal(context)) return context;
    const text = (await io.readStdin()).trim();
    if (text === '') return refuse('stdin has no address', 'liza store address < file', 1, 'store-address');
    const parsed = parseAddress(text, context.disk);
    if (isRefusal(parsed)) return parsed;
    keepAddress(context, text);
    return { ok: true, message: 'the address is kept for this project' };
  },
};

const accept: Verb = {
  operatorOnly: true,
  examples: ['liza store accept'],
  details: [
    'For a database that was set back to an earlier state, after you made sure that no newer one exists: this host forgets what it has seen after that, and goes on from there. Its copy of the journal is kept in .liza/rejected.',
  ],
  run: async (_args, io) => {
    const context = openBoard(io);
    if (isRefusal(context)) return context;
    if (context.shared === undefined) return { ok: true, message: 'already done: this board is in state.yaml' };
    const { acceptBoard } = await import('../../tasks/exchange/accept-board.ts');
    return acceptBoard(context, context.shared);
  },
};

const upgrade: Verb = {
  operatorOnly: true,
  examples: ['liza store upgrade'],
  details: [
    'Once after an update of Liza whose tables are newer, by the role that owns them; every host needs the new version then. What is on the board stays as it is.',
  ],
  run: async (_args, io) => {
    const context = openBoard(io);
    if (isRefusal(context)) return context;
    if (context.shared === undefined) return { ok: true, message: 'already done: this board is in state.yaml' };
    const { upgradeStore } = await import('../../project/upgrade-store.ts');
    return upgradeStore(context);
  },
};

const role: Verb = {
  positionals: [{ name: 'name', optional: true, description: 'What the role is called; default: liza_host.' }],
  examples: ['liza store role | psql "$OWNERS_ADDRESS"', 'liza store role builders > role.sql'],
  details: [
    'Prints the SQL that makes the role for the other hosts, or brings it up to date: it may read, and append to the journal, and nothing else. Whoever owns the tables runs it after the first move, and after each liza store upgrade; then the role gets a password: \\password liza_host. Where the owner may not make roles, an administrator does that first: create role liza_host login.',
  ],
  run: async (args, io) => {
    const name = args.text('name') ?? 'liza_host';
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name))
      return refuse(`${name} is no name for a role`, 'small letters, digits and _', 1, 'value');
    const sql = realDisk.readFileSync(io.asset('schema/postgres-role.sql'), 'utf8').replaceAll('liza_host', name);
    return { ok: true, lines: sql.trimEnd().split('\n'), data: { role: name, sql } };
  },
};

export const verbs = {
  store,
  'store move': move,
  'store address': address,
  'store accept': accept,
  'store role': role,
  'store upgrade': upgrade,
};
