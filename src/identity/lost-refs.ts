// Branches and tags of people's that are gone, or lead elsewhere, since the last look, while an agent worked without a
// sandbox. Git keeps no log of a ref that was deleted, so nobody can tell who did it: it is told whoever did, with the
// commit that it was at and the way back. Where all agents are confined, only people can have done it.

import { join } from 'node:path';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import type { Board } from '../protocol/board.ts';
import { type Instant, instant, iso } from '../text/time.ts';
import { isLive, readSessions, type SessionsContext } from './agent-sessions.ts';
import type { Stray } from './branch-watch.ts';
import { readMoves } from './ref-log.ts';

/** Refs by name, with what they led to at that time. */
export interface SeenRefs {
  readonly refs: ReadonlyMap<string, string>;
  readonly at: Instant;
}

/** `isPersons`: of branches. Remotes' branches come back with the next fetch, and go with a prune of the person's. */
export async function lostSince(
  context: SessionsContext,
  gitDir: PrivateGitDir,
  board: Board,
  {
    last,
    refs,
    isPersons,
  }: { readonly last: SeenRefs; readonly refs: SeenRefs['refs']; readonly isPersons: (ref: string) => boolean },
): Promise<readonly Stray[]> {
  const changed = [...last.refs].filter(
    ([ref, commit]) =>
      refs.get(ref) !== commit && (isPersons(ref) || ref.startsWith('refs/tags/')) && !isTold(board, ref, commit),
  );
  if (changed.length === 0) return [];
  const agent = unconfinedSince(context, last.at);
  if (agent === undefined) return [];
  const found: Stray[] = [];
  for (const [ref, commit] of changed) {
    const now = refs.get(ref);
    if (now !== undefined && (await isPersonsMove(gitDir, ref, { from: commit, to: now }))) continue;
    const lost = now === undefined ? 'deleted' : 'moved';
    found.push({ branch: nameOf(ref), commit, agent, lost, seen: iso(last.at) });
  }
  return found;
}

const nameOf = (ref: string): string => (ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref);

/** An agent's own branch or tag, which a person was told of, is the person's to delete. */
const isTold = ({ state }: Board, ref: string, commit: string): boolean =>
  state.anomalies.some(({ type, details }) => {
    if (details?.['commit'] !== commit) return false;
    return type === 'git_planted'
      ? details['at'] === ref
      : type === 'branch_moved' && details['lost'] === undefined && details['branch'] === nameOf(ref);
  });

/** An agent that was at work without a sandbox at that time or later. */
function unconfinedSince(context: SessionsContext, at: Instant): string | undefined {
  const worked = readSessions(context).filter(
    (session) =>
      session.confined !== true &&
      (isLive(context, session) || (session.ended !== undefined && instant(session.ended) >= at)),
  );
  return worked.map(({ agent }) => agent).sort()[0];
}

/** People move branches on, or by a command that says in git's log what it did. Nobody's log says where a tag was. */
async function isPersonsMove(
  gitDir: PrivateGitDir,
  ref: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  if (ref.startsWith('refs/tags/')) return false;
  if (readMoves(gitDir.host.disk, join(gitDir.common, 'logs', ref), to).how !== undefined) return true;
  return isAncestor(gitDir, from, to);
}
