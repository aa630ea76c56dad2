// `liza store move` there and back: nothing is lost or changed, and wherever it is killed, one store is in charge, never two
// and never none, and the same command finishes it.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Connection } from '../../../../src/ports/database.ts';
import type { Disk } from '../../../../src/ports/disk.ts';
import { filesOn } from '../../../../src/ports/files.ts';
import { moveToPostgres, moveToYaml } from '../../../../src/project/move-store.ts';
import { OPERATOR } from '../../../../src/protocol/board.ts';
import { freshState } from '../../../../src/protocol/records/new-board.ts';
import type { Task } from '../../../../src/protocol/state.ts';
import type { BoardContext } from '../../../../src/store/context.ts';
import { sha256 } from '../../../../src/store/hash.ts';
import { start } from '../../../../src/store/import.ts';
import type { Entry } from '../../../../src/store/journal.ts';
import { openStore } from '../../../../src/store/open.ts';
import { sessionOf } from '../../../../src/store/postgres/session.ts';
import { beginOnShared } from '../../../../src/store/postgres/view-keeper.ts';
import { verifyJournal } from '../../../../src/store/verify.ts';
import { iso } from '../../../../src/text/time.ts';
import { hostAt } from '../../../host.ts';
import { inFull, ways } from '../../../runs.ts';
import { boardContext } from '../../../support/board-context.ts';
import { asOwner, emptyDatabase, type Server, startPostgres } from '../../../support/postgres.mjs';
import { stateText } from '../../../support/project.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const START = Date.UTC(2026, 2, 1, 12);

interface Place {
  readonly server: Server;
  readonly database: string;
  readonly url: string;
  readonly root: string;
  open(faults?: Faults): BoardContext;
}

/** Effects on the disk and in the database are counted together; from the chosen one on nothing is done any more. */
class Faults {
  readonly #at: number;
  readonly #when: 'before' | 'after';
  count = 0;
  dead = false;

  constructor(at = Number.POSITIVE_INFINITY, when: 'before' | 'after' = 'before') {
    this.#at = at;
    this.#when = when;
  }

  #check(): void {
    if (this.dead) throw new Killed('a dead process does nothing');
  }

  #strikes(when: 'before' | 'after'): void {
    if (this.count !== this.#at || this.#when !== when) return;
    this.dead = true;
    throw new Killed(`killed ${when} effect ${this.count}`);
  }

  disk(disk: Disk): Disk {
    const effects = new Set([
      'renameSync',
      'rmSync',
      'unlinkSync',
      'writeFileSync',
      'writeSync',
      'mkdirSync',
      'openSync',
    ]);
    return new Proxy(disk, {
      get: (target, name, receiver) => {
        const value = Reflect.get(target, name, receiver) as unknown;
        if (typeof value !== 'function' || !effects.has(String(name))) return value;
        return (...args: unknown[]) => {
          this.#check();
          this.count += 1;
          this.#strikes('before');
          try {
            return (value as (...all: unknown[]) => unknown).apply(target, args);
          } finally {
            this.#strikes('after');
          }
        };
      },
    });
  }

  connection(connection: Connection): Connection {
    const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
      this.#check();
      this.count += 1;
      this.#strikes('before');
      const answer = await ask();
      this.#strikes('after');
      return answer;
    };
    return {
      ...connection,
      get isOpen() {
        return connection.isOpen;
      },
      query: (...call) => asked(() => connection.query(...call)),
      run: (...call) => asked(() => connection.run(...call)),
    };
  }
}

class Killed extends Error {
  override name = 'Killed';
}

/** `like`: a copy of that place, files and database, which nobody uses now. */
async function place(like?: Place): Promise<Place> {
  const server = await startPostgres();
  const { name, url } = await emptyDatabase(server, like?.database);
  const root = temporaryFolder();
  if (like === undefined) for (const folder of ['.liza', '.git']) fs.mkdirSync(path.join(root, folder));
  else fs.cpSync(like.root, root, { recursive: true });
  const open = (faults?: Faults): BoardContext => {
    const real = hostAt();
    const host =
      faults === undefined
        ? real
        : {
            ...real,
            disk: faults.disk(real.disk),
            database: {
              connect: async (...call: Parameters<typeof real.database.connect>) =>
                faults.connection(await real.database.connect(...call)),
            },
          };
    const context = boardContext(root, { gitDirectory: path.join(root, '.git'), host });
    return { ...context, files: filesOn(host.disk, process.pid), env: { LIZA_STORE_URL: url } };
  };
  return { server, database: name, url, root, open };
}

const task = (n: number): Task => ({
  id: `task-${n}`,
  status: 'DRAFT',
  priority: 3,
  description: `Part ${n}: “quoted”, \\back\\slashed, 100 % and 'single'`,
});

/** Tasks, notes, archived tasks, a goal that ended and a switch. */
async function aBoard(context: BoardContext, tasks: number): Promise<void> {
  const fresh = freshState({ goal: 'Move it', spec_ref: 'specs/vision.md', now: START });
  const ended = { ...task(9999), status: 'MERGED' as const, merge_commit: 'a'.repeat(40) };
  const state = { ...fresh, tasks: [...Array.from({ length: tasks }, (_, n) => task(n)), ended] };
  const text = `# kept as it is\n${stateText(state)}\n# the end, without a line break`;
  start(context, text, { actor: OPERATOR, command: 'init', detail: 'a board to move' });
  const store = openStore(context);
  const operation = (command: string) => ({ actor: OPERATOR, command });
  for (const message of ['one', 'two: [“x”]']) {
    const done = await store.transact(operation('note'), (board, now) => ({
      ok: true,
      state: { ...board.state, human_notes: [...board.state.human_notes, { timestamp: iso(now), message }] },
      detail: `note: ${message}`,
    }));
    expect(done.ok).toBe(true);
  }
  const archived = await store.transact(operation('archive'), ({ state: { tasks: all, ...rest } }) => ({
    ok: true,
    state: { ...rest, tasks: all.filter(({ id }) => id !== 'task-9999') },
    detail: 'task-9999 archived',
    archive: all.filter(({ id }) => id === 'task-9999'),
  }));
  expect(archived.ok).toBe(true);
  const paused = await store.transact(operation('pause'), (board) => ({
    ok: true,
    state: board.state,
    detail: 'paused',
    switches: { PAUSE: true },
  }));
  expect(paused.ok).toBe(true);
}

/** All that the move may not change. */
function exported(root: string): Readonly<Record<string, string>> {
  const files = ['state.yaml', 'journal.jsonl', 'log.yaml', 'archive/tasks.yaml', 'archive/index.jsonl'];
  const text = (file: string) => fs.readFileSync(path.join(root, '.liza', file), 'utf8');
  const switches = ['PAUSE', 'ABORT', 'CHECKPOINT'].filter((name) => fs.existsSync(path.join(root, '.liza', name)));
  return { ...Object.fromEntries(files.map((file) => [file, text(file)])), switches: switches.join() };
}

async function closed(context: BoardContext): Promise<void> {
  if (context.shared !== undefined) await sessionOf(context, context.shared).link.close();
}

const stageOf = async ({ server, database }: Place): Promise<string | undefined> =>
  asOwner(server, database, async (client) => {
    const [there] = (await client.query("select to_regclass('liza.board') as there")).rows;
    if (there.there === null) return undefined;
    return (await client.query('select stage from liza.board')).rows[0]?.stage;
  });

/** Which store is in charge, by the rules that the stores themselves go by. */
async function inCharge(here: Place): Promise<'yaml' | 'postgres'> {
  const stage = await stageOf(here);
  const isNamed = fs.existsSync(path.join(here.root, '.liza', 'store'));
  if (!isNamed) {
    expect(stage, 'two stores in charge').not.toBe('open');
    return 'yaml';
  }
  if (stage === 'moved') return 'yaml';
  expect(['ready', 'open'], 'no store in charge').toContain(stage);
  return 'postgres';
}

/** As the next command does it. */
async function reopened(here: Place): Promise<BoardContext> {
  const context = here.open();
  if (context.shared === undefined || !(await beginOnShared(context, context.shared))) return context;
  await closed(context);
  return here.open();
}

async function seqNow(here: Place): Promise<number> {
  const context = await reopened(here);
  try {
    return (await openStore(context).read()).seq;
  } finally {
    await closed(context);
  }
}

async function there(here: Place, faults?: Faults) {
  const context = here.open(faults);
  return moveToPostgres(context, undefined);
}

async function back(here: Place, faults?: Faults) {
  const context = here.open(faults);
  try {
    return await moveToYaml(context);
  } finally {
    await closed(context).catch(() => {});
  }
}

test('there and back: every byte of state, journal, log and archive is as it was', async () => {
  const here = await place();
  await aBoard(here.open(), 20);
  const before = exported(here.root);
  expect(await there(here)).toMatchObject({ ok: true, entries: 5 });
  expect(await inCharge(here)).toBe('postgres');
  expect(await seqNow(here)).toBe(5);
  expect(await back(here)).toMatchObject({ ok: true, entries: 5 });
  expect(await inCharge(here)).toBe('yaml');
  expect(exported(here.root)).toEqual(before);
  expect(await seqNow(here)).toBe(5);
});

test('what was done in between comes back too, and the chain goes on', async () => {
  const here = await place();
  await aBoard(here.open(), 3);
  await there(here);
  const context = here.open();
  const operation = { actor: OPERATOR, command: 'note' };
  for (let n = 0; n < 3; n++)
    await openStore(context).transact(operation, ({ state }, now) => ({
      ok: true,
      state: { ...state, human_notes: [...state.human_notes, { timestamp: iso(now), message: `later ${n}` }] },
      detail: `later ${n}`,
    }));
  await closed(context);
  expect(await back(here)).toMatchObject({ ok: true });
  const own = here.open();
  expect((await openStore(own).read()).board.state.human_notes.map(({ message }) => message)).toEqual([
    ...['one', 'two: [“x”]', 'later 0', 'later 1', 'later 2'],
  ]);
  expect(verifyJournal(own).problems).toEqual([]);
  // And once more: a board that was there before is filled anew.
  expect(await there(here)).toMatchObject({ ok: true });
  expect(await seqNow(here)).toBeGreaterThanOrEqual(8);
});

const DIRECTIONS = [
  ['there', there, 'yaml', 'postgres'],
  ['back', back, 'postgres', 'yaml'],
] as const;

test.each(ways(DIRECTIONS))(
  'killed at every effect on the way %s: one store is in charge, and the move is finished',
  async (way, move, _from, to) => {
    const first = await place();
    const board = first.open();
    await aBoard(board, 3);
    // It is known by its inode: a copy of it would count as an edit by hand.
    fs.rmSync(board.paths.superseded, { force: true });
    if (way === 'back') expect(await there(first)).toMatchObject({ ok: true });
    const ready = (): Promise<Place> => place(first);
    const counted = new Faults();
    expect(await move(await ready(), counted)).toMatchObject({ ok: true });
    expect(counted.count).toBeGreaterThan(20);
    for (const when of ['before', 'after'] as const) {
      // `npm run test:all` takes every one.
      for (let at = 1; at <= counted.count; at += inFull ? 1 : 3) {
        const here = await ready();
        const faults = new Faults(at, when);
        await expect(
          move(here, faults).then(
            (done) => done,
            () => 'killed',
          ),
        ).resolves.toBeDefined();
        expect(faults.dead, `${when} effect ${at}`).toBe(true);
        fs.rmSync(path.join(here.root, '.liza', 'state.yaml.lock'), { force: true });
        await inCharge(here);
        expect(await seqNow(here), `${when} effect ${at}`).toBe(5);
        const charge = await inCharge(here);
        if (charge !== to) expect(await move(here), `${when} effect ${at}`).toMatchObject({ ok: true });
        expect(await inCharge(here)).toBe(to);
        expect(await seqNow(here)).toBe(5);
        await asOwner(here.server, 'postgres', (client) => client.query(`drop database ${here.database} with (force)`));
      }
    }
  },
  900_000,
);

const [TASKS, LINES] = inFull ? [2000, 20_000] : [300, 2000];

test(`a board of ${TASKS} tasks and ${LINES} journal lines goes there and back byte for byte`, {
  timeout: 300_000,
}, async () => {
  const here = await place();
  const context = here.open();
  await aBoard(context, TASKS);
  lengthen(context, LINES);
  expect(verifyJournal(context).problems).toEqual([]);
  const before = exported(here.root);
  expect(await there(here)).toMatchObject({ ok: true, entries: LINES });
  expect(await back(here)).toMatchObject({ ok: true, entries: LINES });
  const after = exported(here.root);
  for (const [name, text] of Object.entries(before)) expect(after[name] === text, name).toBe(true);
});

/** As many entries as a long life brings: each changes one line of the state and back. */
function lengthen({ paths }: BoardContext, lines: number): void {
  const texts = fs.readFileSync(paths.journal, 'utf8').trimEnd().split('\n');
  const state = fs.readFileSync(paths.state, 'utf8');
  const at = state.split('\n').indexOf('# kept as it is');
  let prev = sha256(texts.at(-1) ?? '');
  let seq = texts.length;
  const more: string[] = [];
  const logged: string[] = [];
  const sayings = ['# kept as it is', '# kept for now'] as const;
  while (seq < lines) {
    seq += 1;
    const odd = (lines - seq) % 2 === 0;
    const [del, ins] = odd ? [sayings[1], sayings[0]] : [sayings[0], sayings[1]];
    const isFirst = more.length === 0 && odd;
    const entry: Entry = {
      ...{ seq, time: iso(START), actor: 'human', command: 'lock modify', detail: `change ${seq}` },
      change: isFirst ? [] : [{ at, del: [del], ins: [ins] }],
      records: [],
      prev,
      state: seq === lines ? sha256(state) : '',
    };
    const line = JSON.stringify(entry);
    more.push(line);
    logged.push(
      `- timestamp: "${entry.time}"\n  agent: human\n  action: lock modify\n  detail: change ${seq}\n  entry: ${seq}\n`,
    );
    prev = sha256(line);
  }
  fs.appendFileSync(paths.journal, `${more.join('\n')}\n`);
  fs.appendFileSync(paths.log, logged.join(''));
  fs.rmSync(path.join(paths.mirror ?? '', 'journal.jsonl'), { force: true });
  for (const file of [paths.cache, paths.superseded]) fs.rmSync(file, { force: true });
}
