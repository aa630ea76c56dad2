// `liza init --join`: this clone becomes a further host of a board that is in a database. Nothing is made of the board: the
// project gets what `liza init` gives one (hook, excluded folder), and views of the board.

import { openPrivateGitDir } from '../git/private-git-dir.ts';
import type { Repository } from '../git/repository.ts';
import { git } from '../git/run.ts';
import type { Connection } from '../ports/database.ts';
import { replaceFile, syncDirectory } from '../ports/files.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { addressToKeep, keepAddress } from '../store/postgres/address.ts';
import { newerSchema, olderSchema } from '../store/postgres/failures.ts';
import { SCHEMA_VERSION } from '../store/postgres/schema.ts';
import { storeFile, storeText } from '../store/shared-board.ts';
import { asOwner } from './init-place.ts';
import { makeProject, siteOf } from './project-manifest.ts';
import { newHost, withConnection } from './store-connection.ts';

export interface Joined {
  readonly ok: true;
  readonly message: string;
  readonly lines: readonly string[];
  readonly already?: true;
}

/** `wanted`: the id of the board, where the database has several of this repository. */
export async function joinBoard(
  context: BoardContext,
  repository: Repository,
  wanted: string | undefined,
): Promise<Joined | Refusal> {
  const { files, paths } = context;
  if (context.shared !== undefined)
    return {
      ok: true,
      message: `already done: this clone is on the board ${context.shared.board}, as host ${context.shared.name}`,
      lines: [],
      already: true,
    };
  if (files.stat(paths.state) !== undefined || files.stat(paths.journal) !== undefined)
    return refuse(
      'this project has a board of its own in state.yaml',
      'take that one away first, as it is kept: liza deinit; or move it: liza store move postgres',
      1,
      'second-board',
    );
  const url = addressToKeep(context);
  if (typeof url !== 'string') return url;
  const gitDir = await openPrivateGitDir(context, repository.root);
  if ('ok' in gitDir) return gitDir;
  const found = await withConnection(context, url, (connection) => choose(context, connection, repository, wanted));
  if ('ok' in found) return found;
  return asOwner(context, gitDir.common, async (): Promise<Joined> => {
    const host = newHost(context, found.names);
    context.disk.mkdirSync(paths.liza, { recursive: true });
    const made = await makeProject({ ...siteOf(context, gitDir.common), files, branch: found.branch });
    keepAddress(context, url);
    replaceFile(files, storeFile(paths), Buffer.from(storeText({ board: found.board, ...host })), true);
    syncDirectory(files, paths.liza);
    return { ok: true, message: `this clone is on the board ${found.board} now, as host ${host.name}`, lines: made };
  });
}

interface Found {
  readonly board: string;
  readonly branch: string;
  /** What its hosts are called. */
  readonly names: readonly string[];
}

async function choose(
  context: BoardContext,
  connection: Connection,
  { root }: Repository,
  wanted: string | undefined,
): Promise<Found | Refusal> {
  const [schema] = await connection.query('select max(version) as version from liza.version');
  const version = Number(schema?.['version'] ?? 0);
  if (version > SCHEMA_VERSION) return newerSchema(version);
  if (version < SCHEMA_VERSION) return olderSchema(version);
  const rows = await connection.query("select id, repository from liza.board where stage = 'open' order by created");
  const boards: string[] = [];
  for (const { id, repository } of rows) {
    if (repository === null || (await hasCommit(context, root, String(repository)))) boards.push(String(id));
  }
  const board = wanted === undefined && boards.length === 1 ? boards[0] : boards.find((one) => one === wanted);
  if (board !== undefined) {
    const hosts = await connection.run('select name from liza.host where board = $1', [board]);
    const names = hosts.map(({ name }) => String(name));
    return { board, branch: await branchOf(connection, board), names };
  }
  if (boards.length > 1)
    return refuse(
      `the database has ${boards.length} boards of this repository: ${boards.join(', ')}`,
      'name one: liza init --join --board <id>',
      1,
      'store-moved',
    );
  return refuse(
    rows.length === 0
      ? 'the database has no board'
      : 'no board of the database is of this repository: it lacks their first commit',
    'clone the repository that the board is of, and join there; where the board is: liza store move postgres',
    1,
    'store-moved',
  );
}

async function hasCommit(context: BoardContext, root: string, commit: string): Promise<boolean> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return false;
  const { status } = await git(context, root, ['cat-file', '-e', `${commit}^{commit}`]);
  return status === 0;
}

async function branchOf(connection: Connection, board: string): Promise<string> {
  const [row] = await connection.run(
    "select value->>'integration_branch' as branch from liza.record where board = $1 and section = 'config' and key = ''",
    [board],
  );
  return String(row?.['branch'] ?? 'integration');
}

/** By which a clone of the same repository is known: its first commit. */
export async function firstCommit(context: BoardContext): Promise<string | undefined> {
  const { status, stdout } = await git(context, context.paths.root, ['rev-list', '--max-parents=0', 'HEAD']);
  return status === 0 ? stdout.trim().split('\n').sort()[0] : undefined;
}
