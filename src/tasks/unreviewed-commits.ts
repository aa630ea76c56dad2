// Commits on a person's branch that are an agent's, and that no merge of Liza's brought. An agent can write any author
// into a commit; what it submitted is known by its id, and by what it changes.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitsOf, readRefs } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { type Board, roleOfId } from '../protocol/board.ts';
import { historyOf } from '../protocol/leases.ts';

/** So many commits are compared by what they change. */
const MOST_COMPARED = 200;

export async function unreviewedIn(
  gitDir: PrivateGitDir,
  board: Board,
  onto: string,
  commit: string,
): Promise<readonly string[]> {
  const asked = gitDir.objects(['log', '--format=%H %T %ae %ce', commit, '--not', onto]);
  const lines = (await must(asked, 'read the commits that would come in')).split('\n').filter((line) => line !== '');
  const incoming = lines.map((line) => {
    const [id = '', tree = '', ...addresses] = line.split(' ');
    return { id, tree, isAgents: addresses.some(isAgentsAddress) };
  });
  if (incoming.length === 0) return [];
  const given = await submittedBeside(gitDir, board, onto);
  const ids = new Set(given.map(({ id }) => id));
  const trees = new Set(given.map(({ tree }) => tree));
  const copies = await sameChange(gitDir, onto, { incoming: incoming.map(({ id }) => id), given: [...ids] });
  return incoming
    .filter(({ id, tree, isAgents }) => isAgents || ids.has(id) || trees.has(tree) || copies.has(id))
    .map(({ id }) => id);
}

/** The address that a session gives to git. */
const isAgentsAddress = (address: string): boolean =>
  roleOfId(/^(.+)@liza\.invalid$/.exec(address)?.[1] ?? '') !== undefined;

interface Submitted {
  readonly id: string;
  readonly tree: string;
}

/** What agents submitted, by Liza's pins and by the record, and the integration branch does not have; with their trees. */
async function submittedBeside(gitDir: PrivateGitDir, { state }: Board, onto: string): Promise<readonly Submitted[]> {
  const recorded = state.tasks.flatMap((task) =>
    historyOf(task).flatMap(({ event, commit }) =>
      event === 'submitted' && typeof commit === 'string' ? [commit] : [],
    ),
  );
  const pinned = [...(await readRefs(gitDir, 'refs/liza/review')).values()];
  const there = (await commitsOf(gitDir, [...new Set([...recorded, ...pinned])])).filter((id) => id !== undefined);
  if (there.length === 0) return [];
  const wanted = new Set(there);
  const asked = gitDir.objects(['log', '--format=%H %T', '--stdin'], `${there.join('\n')}\n^${onto}\n`);
  const lines = (await must(asked, 'read what was submitted')).split('\n').filter((line) => line !== '');
  return lines
    .map((line) => ({ id: line.split(' ')[0] ?? '', tree: line.split(' ')[1] ?? '' }))
    .filter(({ id }) => wanted.has(id));
}

interface Compared {
  readonly incoming: readonly string[];
  readonly given: readonly string[];
}

/** Those that change what a submitted one changes, or the submission as a whole: picked, or squashed. */
async function sameChange(
  gitDir: PrivateGitDir,
  onto: string,
  { incoming, given }: Compared,
): Promise<ReadonlySet<string>> {
  if (given.length === 0 || incoming.length > MOST_COMPARED) return new Set();
  const theirs = new Set<string>();
  for (const id of given.slice(-MOST_COMPARED)) {
    const base = (await gitDir.objects(['merge-base', onto, id])).stdout.trim();
    if (base === '') continue;
    const whole = await gitDir.objects(['diff', '--no-ext-diff', '--no-textconv', base, id]);
    for (const patch of (await patchesOf(gitDir, whole.stdout)).keys()) theirs.add(patch);
  }
  const each = await gitDir.objects(
    ['log', '-p', '--no-ext-diff', '--no-textconv', '--no-merges', '--format=commit %H', '--stdin'],
    `${incoming.join('\n')}\n^${onto}\n`,
  );
  const found = await patchesOf(gitDir, each.stdout);
  return new Set([...found].flatMap(([patch, id]) => (theirs.has(patch) ? [id] : [])));
}

/** Patch ids, each with its commit. */
async function patchesOf(gitDir: PrivateGitDir, text: string): Promise<ReadonlyMap<string, string>> {
  if (text === '') return new Map();
  const { stdout } = await gitDir.objects(['patch-id', '--stable'], text);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']));
}
