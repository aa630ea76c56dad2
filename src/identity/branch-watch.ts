// The check behind the hook: a branch that an agent moved although it is not its own is noticed, kept below
// refs/liza/strays, and told; so is what hides a branch or replaces a commit (planted-refs.ts). The integration branch has a recorded head; of other branches git's own log says who moved
// them, and the commit itself who made it. People may do what they like on their branches, and may merge agents' work.

import { join } from 'node:path';
import { integrationRef, openGitDir, type ProjectHost } from '../git/integration.ts';
import { forgetPlanted } from '../git/own-directory.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, updateRefs } from '../git/refs.ts';
import { git, must } from '../git/run.ts';
import type { Disk } from '../ports/disk.ts';
import type { Board } from '../protocol/board.ts';
import type { Planted } from '../protocol/command.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { plantedText } from '../protocol/messages/planted.ts';
import { type CommandContext, transact } from '../store/transact.ts';
import { agentOf, committersOf, namesOf, plantedAmong, plantedFiles, plantedPatterns } from './planted-refs.ts';

export const strayOf = (commit: string): string => `refs/liza/strays/${commit}`;

export interface Stray {
  readonly branch: string;
  readonly commit: string;
  readonly agent: string;
}

/** Every look costs one git; only branches that moved since the last one are examined. */
export interface BranchWatch {
  look(): Promise<readonly string[]>;
}

export function watchBranches(context: CommandContext): BranchWatch {
  let known: ReadonlyMap<string, string> = new Map();
  let told: ReadonlySet<string> = new Set();
  return {
    look: async () => {
      const names = namesOf(context, (await context.store.read()).board);
      const refs = await readRefs(context, ['refs/heads', ...plantedPatterns(names)]);
      const moved = new Map([...refs].filter(([ref, commit]) => known.get(ref) !== commit));
      const files = plantedFiles(context, names).filter(({ at }) => !told.has(at));
      if (moved.size === 0 && files.length === 0) return [];
      const planted = [...(await plantedAmong(context, names, moved)), ...files];
      const { board } = await context.store.read();
      const lines = await examine(context, board, { heads: await headsAmong(context, moved), planted });
      if ('ok' in lines) return []; // looked at again next time
      known = refs;
      told = new Set([...told, ...files.filter(({ what }) => what !== 'own').map(({ at }) => at)]);
      return lines;
    },
  };
}

interface Head {
  readonly commit: string;
  /** The committer's e-mail address. */
  readonly committer: string;
}

/** No object is looked at: a ref that leads nowhere would end git, and nothing would be watched. */
async function readRefs(context: ProjectHost, patterns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', '--', ...patterns];
  const lines = (await must(git(context, context.paths.root, args), 'read its refs')).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [ref, commit] = line.split(' ');
      return ref === undefined || commit === undefined ? [] : [[ref, commit] as const];
    }),
  );
}

async function headsAmong(
  context: CommandContext,
  refs: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Head>> {
  const heads = [...refs].filter(([ref]) => ref.startsWith('refs/heads/'));
  const committers = await committersOf(context, [...new Set(heads.map(([, commit]) => commit))]);
  return new Map(heads.map(([ref, commit]) => [ref, { commit, committer: committers.get(commit) ?? '' }]));
}

interface Moved {
  readonly heads: ReadonlyMap<string, Head>;
  readonly planted: readonly Planted[];
}

async function examine(
  context: CommandContext,
  board: Board,
  { heads, planted }: Moved,
): Promise<readonly string[] | Refusal> {
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const told: string[] = [];
  for (const one of planted) {
    const done = await transact(context, { name: 'planted-in-git', ...one });
    if (!done.ok) return done;
    if (done.already !== true) told.push(plantedText(one));
  }
  if (planted.some(({ what }) => what === 'own')) forgetPlanted(context.disk, gitDir.common);
  for (const stray of await straysAmong(context, gitDir, board, heads)) {
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
async function straysAmong(
  { disk }: CommandContext,
  gitDir: PrivateGitDir,
  board: Board,
  heads: ReadonlyMap<string, Head>,
): Promise<readonly Stray[]> {
  const found: Stray[] = [];
  for (const [ref, { commit, committer }] of heads) {
    if (ref === integrationRef(board) || ref.startsWith('refs/heads/task/')) continue;
    const branch = ref.slice('refs/heads/'.length);
    const mover = agentOf(lastMover(disk, join(gitDir.common, 'logs', ref), commit) ?? '');
    const maker = agentOf(committer);
    if (mover !== undefined) found.push({ branch, commit, agent: mover });
    else if (maker !== undefined && (await isUnknown(gitDir, board, commit)))
      found.push({ branch, commit, agent: maker });
  }
  return found;
}

export async function findStrays(
  context: CommandContext,
  gitDir: PrivateGitDir,
  board: Board,
): Promise<readonly Stray[]> {
  const heads = await headsAmong(context, await readRefs(context, ['refs/heads']));
  return straysAmong(context, gitDir, board, heads);
}

/** What is there now, for doctor. */
export async function findPlanted(context: ProjectHost, board: Pick<Board, 'state'>): Promise<readonly Planted[]> {
  const names = namesOf(context, board);
  const refs = await readRefs(context, ['refs/heads', ...plantedPatterns(names)]);
  return [...(await plantedAmong(context, names, refs)), ...plantedFiles(context, names)];
}

const TAIL = 4096;

/** The e-mail address in the last line of git's log of a branch, if that line led to this commit. */
function lastMover(disk: Disk, log: string, commit: string): string | undefined {
  try {
    const fd = disk.openSync(log, 'r');
    try {
      const { size } = disk.fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(size, TAIL));
      disk.readSync(fd, buffer, 0, buffer.length, size - buffer.length);
      const line = buffer.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
      const [, to, email] = /^[0-9a-f]+ ([0-9a-f]+) [^<]*<([^>]*)>/.exec(line) ?? [];
      return to === commit ? email : undefined;
    } finally {
      disk.closeSync(fd);
    }
  } catch {
    return undefined; // the branch has no log
  }
}

/** Whether an agent made it and it is part of no work that Liza has seen. */
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

/** Nothing is merged onto a branch that was moved until a person has looked; the commit is kept. */
async function integrationMoved(context: CommandContext, gitDir: PrivateGitDir): Promise<string | Refusal | undefined> {
  const before = (await context.store.read()).board.state;
  const found = await commitOf(gitDir, integrationRef({ state: before }));
  const { state } = (await context.store.read()).board;
  const left = state.goal.integration_head;
  // A merge of Liza's own moves the branch first and records it then: in between nothing can be said.
  const merging =
    [...before.tasks, ...state.tasks].some((task) => task.merging?.candidate === found) ||
    [before, state].some(({ goal }) => goal.moving?.candidate === found);
  if (found === undefined || left === undefined || found === left) return undefined;
  if (merging || before.goal.integration_head !== left) return undefined;
  await updateRefs(gitDir, [{ ref: strayOf(found), to: found }]);
  const done = await transact(context, { name: 'integration-moved', found });
  if (!done.ok) return done;
  return done.already === true ? undefined : `the integration branch was moved to ${found}; Liza left it at ${left}`;
}
