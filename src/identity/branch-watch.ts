// The recorded heads as the check behind the hook: what an agent moved although it is not its own is noticed, kept below
// refs/liza/strays, and told. The integration branch has a recorded head; of other branches git's own log says who moved
// them, and the commit itself who made it. People are free on their branches, and merging agents' work is their right.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, updateRefs } from '../git/refs.ts';
import { git } from '../git/run.ts';
import { type Board, roleOfId } from '../protocol/board.ts';
import type { Refusal } from '../protocol/decision.ts';
import { isRefusal } from '../protocol/decision.ts';
import { transact } from '../store/transact.ts';
import { integrationRef, openGitDir, type TaskContext } from '../tasks/context.ts';

export const strayOf = (commit: string): string => `refs/liza/strays/${commit}`;

export interface Stray {
  readonly branch: string;
  readonly commit: string;
  readonly agent: string;
}

/** Every look costs one git; only what has moved since the last one is examined. */
export interface HeadsWatch {
  look(): Promise<readonly string[]>;
}

export function watchHeads(context: TaskContext): HeadsWatch {
  let known: ReadonlyMap<string, Head> = new Map();
  return {
    look: async () => {
      const heads = await readHeads(context);
      const moved = [...heads].filter(([ref, { commit }]) => known.get(ref)?.commit !== commit);
      if (moved.length === 0) return [];
      const { board } = await context.store.read();
      const told = await examine(context, board, new Map(moved));
      if ('ok' in told) return []; // looked at again next time
      known = heads;
      return told;
    },
  };
}

interface Head {
  readonly commit: string;
  /** Of the commit. */
  readonly committer: string;
}

async function readHeads({ env, paths }: TaskContext): Promise<ReadonlyMap<string, Head>> {
  const format = '--format=%(refname) %(objectname) %(committeremail)';
  const asked = await git(env, paths.root, ['for-each-ref', format, '--', 'refs/heads']);
  return new Map(
    asked.stdout.split('\n').flatMap((line): [string, Head][] => {
      const [ref, commit, committer = ''] = line.split(' ');
      return ref === undefined || commit === undefined ? [] : [[ref, { commit, committer }]];
    }),
  );
}

async function examine(
  context: TaskContext,
  board: Board,
  heads: ReadonlyMap<string, Head>,
): Promise<readonly string[] | Refusal> {
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const told: string[] = [];
  for (const stray of await strays(gitDir, board, heads)) {
    await updateRefs(gitDir, [{ ref: strayOf(stray.commit), to: stray.commit }]);
    const done = await transact(context, { name: 'branch-moved', ...stray });
    if (!done.ok) return done;
    if (done.already !== true) told.push(`${stray.branch} was moved by ${stray.agent} to ${stray.commit}`);
  }
  const moved = heads.has(integrationRef(board)) ? await integrationMoved(context, gitDir) : undefined;
  if (typeof moved === 'object') return moved;
  return moved === undefined ? told : [...told, moved];
}

/** Branches, neither Liza's nor a task's, that an agent moved to where they are. */
export async function strays(
  gitDir: PrivateGitDir,
  board: Board,
  heads: ReadonlyMap<string, Head>,
): Promise<readonly Stray[]> {
  const found: Stray[] = [];
  for (const [ref, { commit, committer }] of heads) {
    if (ref === integrationRef(board) || ref.startsWith('refs/heads/task/')) continue;
    const branch = ref.slice('refs/heads/'.length);
    const mover = agentOf(lastMover(gitDir.common, ref, commit) ?? '');
    const maker = agentOf(committer);
    if (mover !== undefined) found.push({ branch, commit, agent: mover });
    else if (maker !== undefined && (await isUnknown(gitDir, board, commit)))
      found.push({ branch, commit, agent: maker });
  }
  return found;
}

export async function findStrays(context: TaskContext, gitDir: PrivateGitDir, board: Board): Promise<readonly Stray[]> {
  return strays(gitDir, board, await readHeads(context));
}

const agentOf = (email: string): string | undefined => {
  const id = /^<?([a-z-]+-\d+)@liza\.invalid>?$/.exec(email)?.[1];
  return id === undefined || roleOfId(id) === undefined ? undefined : id;
};

const TAIL = 4096;

/** The e-mail address in the last line of git's log of that branch, if that line led to this commit. */
function lastMover(common: string, ref: string, commit: string): string | undefined {
  try {
    const fd = openSync(join(common, 'logs', ref), 'r');
    try {
      const { size } = fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(size, TAIL));
      readSync(fd, buffer, 0, buffer.length, size - buffer.length);
      const line = buffer.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
      const [, to, email] = /^[0-9a-f]+ ([0-9a-f]+) [^<]*<([^>]*)>/.exec(line) ?? [];
      return to === commit ? email : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined; // the branch has no log
  }
}

/** Made by an agent, and part of no work that Liza has seen. */
async function isUnknown(gitDir: PrivateGitDir, { state }: Board, commit: string): Promise<boolean> {
  const seen = [
    '--glob=refs/heads/task/*',
    '--glob=refs/liza/seen',
    '--glob=refs/liza/review',
    '--glob=refs/liza/attempts',
  ];
  const { integration_head: head } = state.goal;
  const asked = await gitDir.project([
    'rev-list',
    '--max-count=1',
    commit,
    '--not',
    ...(head === undefined ? [] : [head]),
    ...seen,
  ]);
  return asked.status === 0 && asked.stdout.trim() !== '';
}

/** Nothing is merged upon it until a person has looked; what it holds is kept. */
async function integrationMoved(context: TaskContext, gitDir: PrivateGitDir): Promise<string | Refusal | undefined> {
  const before = (await context.store.read()).board.state;
  const found = await commitOf(gitDir, integrationRef({ state: before }));
  const { state } = (await context.store.read()).board;
  const left = state.goal.integration_head;
  // A merge of Liza's own moves the branch first and records it then: in between nothing can be said.
  const merging = [...before.tasks, ...state.tasks].some((task) => task.merging?.candidate === found);
  if (found === undefined || left === undefined || found === left) return undefined;
  if (merging || before.goal.integration_head !== left) return undefined;
  await updateRefs(gitDir, [{ ref: strayOf(found), to: found }]);
  const done = await transact(context, { name: 'integration-moved', found });
  if (!done.ok) return done;
  return done.already === true ? undefined : `the integration branch was moved to ${found}; Liza left it at ${left}`;
}
