// The check behind the hook: a branch that an agent moved although it is not its own is noticed, kept below
// refs/liza/strays, and told; so is what hides a branch or replaces a commit (planted-refs.ts). The integration branch has
// a recorded head; of other branches git's own log says who moved them, and the commits that they gained who made them
// (unmerged-work.ts); one that is gone is told, too (lost-refs.ts). People may do what they like on their branches; that
// they took in work which Liza did not merge is told all the same, once: nobody can tell them from an agent that cleared
// its environment.

import { join } from 'node:path';
import { integrationRef, isOnlyBehind, openGitDir, type ProjectHost } from '../git/integration.ts';
import { forgetPlanted } from '../git/own-directory.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, readRefs, updateRefs } from '../git/refs.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { plantedText } from '../protocol/messages/planted.ts';
import type { Planted } from '../protocol/messages/violation-payloads.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { type CommandContext, transact } from '../store/transact.ts';
import { lostSince, type SeenRefs } from './lost-refs.ts';
import { agentOf, namesOf, plantedAmong, plantedFiles, plantedPatterns } from './planted-refs.ts';
import { readMoves } from './ref-log.ts';
import { type UnmergedWork, unmergedWork } from './unmerged-work.ts';

export const strayOf = (commit: string): string => `refs/liza/strays/${commit}`;

export interface Stray {
  /** A branch's name; of a tag or a remote the whole ref. */
  readonly branch: string;
  readonly commit: string;
  readonly agent: string;
  /** Where it was before, to put it back. */
  readonly from?: string;
  /** It holds that commit of the agent's, which Liza did not merge; nobody knows who moved it. */
  readonly holds?: true;
  /** It is not at that commit any more, and the agent was at work without a sandbox. `seen`: when it last was. */
  readonly lost?: 'deleted' | 'moved';
  readonly seen?: string;
}

/** Only branches that moved since the last one are examined. */
export interface BranchWatch {
  look(): Promise<readonly string[]>;
}

/** Refs by name, with what they lead to. */
type Refs = ReadonlyMap<string, string>;

export function watchBranches(context: CommandContext): BranchWatch {
  let known: Refs = new Map();
  let last: SeenRefs | undefined;
  let told: ReadonlySet<string> = new Set();
  return {
    look: async () => {
      const at = context.clock.now();
      const { board: before } = await context.store.read();
      const names = namesOf(context, before);
      const gitDir = await openGitDir(context, before);
      if (isRefusal(gitDir)) return []; // looked at again next time
      const beside = plantedPatterns(names).filter((one) => !PEOPLES.some((all) => one.startsWith(`${all}/`)));
      const refs = await readRefs(gitDir, ...PEOPLES, ...beside);
      const moved = new Map([...refs].filter(([ref, commit]) => known.get(ref) !== commit));
      const files = plantedFiles(context, names).filter(({ at }) => !told.has(at));
      const isGone = [...(last?.refs.keys() ?? [])].some((ref) => !refs.has(ref));
      if (moved.size === 0 && files.length === 0 && !isGone) {
        last = { refs, at };
        return [];
      }
      const planted = [...(await plantedAmong(context, names, moved)), ...files];
      const { board } = await context.store.read();
      const lines = await examine(context, board, { moved, known, planted, last, refs });
      if ('ok' in lines) return []; // looked at again next time
      last = { refs, at };
      known = new Map([...known, ...refs]); // what is deleted and made again is no new branch
      told = new Set([...told, ...files.filter(({ what }) => what !== 'own').map(({ at }) => at)]);
      return lines;
    },
  };
}

const PEOPLES = ['refs/heads', 'refs/tags', 'refs/remotes'];

interface Looked extends Moved {
  readonly planted: readonly Planted[];
  readonly refs: Refs;
  readonly last: SeenRefs | undefined;
}

interface Moved {
  readonly moved: Refs;
  /** As the last look found them; empty: this is the first. */
  readonly known: Refs;
}

async function examine(
  context: CommandContext,
  board: Board,
  { planted, last, refs, ...moves }: Looked,
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
  const strays = await straysAmong(context, gitDir, board, moves);
  const lost =
    last && (await lostSince(context, gitDir, board, { last, refs, isPersons: (ref) => isPersons(board, ref) }));
  const isStray = ({ branch }: Stray): boolean => strays.some((one) => one.branch === branch);
  for (const stray of [...strays, ...(lost ?? []).filter((one) => !isStray(one))]) {
    await updateRefs(gitDir, [{ ref: strayOf(stray.commit), to: stray.commit }]);
    const done = await transact(context, { name: 'branch-moved', ...stray });
    if (!done.ok) return done;
    if (done.already !== true) told.push(strayText(stray));
  }
  const moved = moves.moved.has(integrationRef(board)) ? await integrationMoved(context, gitDir) : undefined;
  if (typeof moved === 'object') return moved;
  return moved === undefined ? told : [...told, moved];
}

export function strayText({ branch, commit, agent, holds, lost }: Stray): string {
  if (lost !== undefined) return `${branch}, which was at ${commit}, was ${lost} while ${agent} worked`;
  return holds === true
    ? `${branch} holds ${commit}, a commit of ${agent} that Liza did not merge`
    : `${branch} was moved by ${agent} to ${commit}`;
}

/** Branches, tags and remotes, neither Liza's nor a task's, that an agent moved or that gained what an agent made. */
async function straysAmong(
  context: CommandContext,
  gitDir: PrivateGitDir,
  board: Board,
  { moved, known }: Moved,
): Promise<readonly Stray[]> {
  const work = unmergedWork(gitDir, board);
  const { base_branch: base } = settings(board.state);
  const held = [...known].flatMap(([ref, commit]) => (isPersons(board, ref) ? [commit] : []));
  const mayHold = await work.mayBeIn([...moved].flatMap(([ref, commit]) => (isPersons(board, ref) ? [commit] : [])));
  const found: Stray[] = [];
  for (const [ref, commit] of moved) {
    if (!isPersons(board, ref)) {
      const stray = await elsewhere(gitDir, work, { ref, commit, known });
      if (stray !== undefined) found.push(stray);
      continue;
    }
    const branch = ref.slice('refs/heads/'.length);
    const moves = readMoves(context.disk, join(gitDir.common, 'logs', ref), commit);
    const from = known.get(ref) ?? moves.from;
    const mover = agentOf(moves.mover ?? '');
    if (mover !== undefined) {
      found.push({ branch, commit, agent: mover, ...defined({ from }) });
      continue;
    }
    // A new branch at an agent's commit is how people look at it; one that was never seen before is judged by its last move.
    const isBase = branch === base;
    const before = isBase && !known.has(ref) ? [] : from === undefined ? undefined : [from, ...held];
    const gained = mayHold ? await work.gainedBy({ commit, before, moves }) : undefined;
    if (gained !== undefined) found.push({ branch, ...gained, ...defined({ from }), holds: true });
  }
  return found;
}

const isPersons = (board: Board, ref: string): boolean =>
  ref.startsWith('refs/heads/') && ref !== integrationRef(board) && !ref.startsWith('refs/heads/task/');

/** A tag that is, or a remote's branch that has come to be, at an agent's commit. A push of a task's branch is a person's. */
async function elsewhere(
  gitDir: PrivateGitDir,
  work: UnmergedWork,
  { ref, commit, known }: { readonly ref: string; readonly commit: string; readonly known: Refs },
): Promise<Stray | undefined> {
  const from = known.get(ref);
  const isTag = ref.startsWith('refs/tags/');
  if (!isTag && (!ref.startsWith('refs/remotes/') || from === undefined || ref.includes('/task/'))) return undefined;
  const peeled = isTag && known.size > 0 ? ((await commitOf(gitDir, ref)) ?? commit) : commit;
  const gained = await work.isWork(peeled);
  return gained === undefined ? undefined : { branch: ref, ...gained, ...defined({ from }), holds: true };
}

export async function findStrays(
  context: CommandContext,
  gitDir: PrivateGitDir,
  board: Board,
): Promise<readonly Stray[]> {
  const moved = await readRefs(gitDir, ...PEOPLES);
  return straysAmong(context, gitDir, board, { moved, known: new Map() });
}

/** What is there now, for doctor. */
export async function findPlanted(
  context: ProjectHost,
  gitDir: PrivateGitDir,
  board: Pick<Board, 'state'>,
): Promise<readonly Planted[]> {
  const names = namesOf(context, board);
  const refs = await readRefs(gitDir, 'refs/heads', ...plantedPatterns(names));
  return [...(await plantedAmong(context, names, refs)), ...plantedFiles(context, names)];
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
  if (await isOnlyBehind(gitDir, { state }, found)) return undefined;
  await updateRefs(gitDir, [{ ref: strayOf(found), to: found }]);
  const done = await transact(context, { name: 'integration-moved', found });
  if (!done.ok) return done;
  return done.already === true ? undefined : `the integration branch was moved to ${found}; Liza left it at ${left}`;
}
