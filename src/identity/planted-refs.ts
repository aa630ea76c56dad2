// What makes plain git show something else than Liza: a tag or another ref that hides a branch by its short name, one
// that replaces an object, an agent's notes, and files in Liza's own git directory. Liza's own calls use full names and
// no replacements; people's git does not, so each is told. Only looks.

import { join } from 'node:path';
import { baseBranch } from '../git/base-branch.ts';
import { commonDirectoryOf, gitDirectoryOf } from '../git/directory.ts';
import type { ProjectHost } from '../git/integration.ts';
import { readPlanted } from '../git/own-directory.ts';
import { git } from '../git/run.ts';
import { type Board, roleOfId } from '../protocol/board.ts';
import type { Planted } from '../protocol/messages/violation-payloads.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';

/** Names that people type for a branch of Liza's or for the one that it works for. */
interface Names {
  readonly integration: string;
  readonly base: string | undefined;
  /** Commits that Liza tells people of, often shortened. */
  readonly commits: readonly string[];
}

export const namesOf = (host: ProjectHost, board: Pick<Board, 'state'>): Names => {
  const { state } = board;
  const of = state.tasks.flatMap((task) => [task.review_commit, task.merge_commit]);
  const commits = [state.goal.integration_head, ...of].filter((commit) => commit !== undefined);
  return { integration: settings(state).integration_branch, base: baseBranch(host, board), commits };
};

/** For `git for-each-ref`, beside the branches themselves. */
export const plantedPatterns = ({ integration, base }: Names): readonly string[] => [
  ...['refs/replace', 'refs/notes', 'refs/tags/task', 'refs/task', `refs/remotes/${integration}`],
  // Names like those of commits, shortened.
  `refs/tags/${'[0-9a-f]'.repeat(SHORTEST)}*`,
  ...[integration, base].flatMap((name) => (name === undefined ? [] : [`refs/tags/${name}`, `refs/${name}`])),
];

const SHORTEST = 7;

/** Of the refs that those patterns found. */
export async function plantedAmong(
  host: ProjectHost,
  names: Names,
  refs: ReadonlyMap<string, string>,
): Promise<readonly Planted[]> {
  const found: Planted[] = [];
  for (const [name, commit] of refs) {
    if (name.startsWith('refs/replace/')) found.push({ what: 'replaces', at: name, commit });
    const hides = hiddenBy(names, name);
    if (hides !== undefined) found.push({ what: 'hides', at: name, commit, hides });
  }
  const notes = [...refs].filter(([name]) => name.startsWith('refs/notes/'));
  const makers = await committersOf(
    host,
    notes.map(([, commit]) => commit),
  );
  for (const [name, commit] of notes) {
    const agent = agentOf(makers.get(commit) ?? '');
    if (agent !== undefined) found.push({ what: 'notes', at: name, commit, agent });
  }
  return found;
}

/** What git would take the ref for, in the order in which git looks (gitrevisions). */
function hiddenBy({ integration, base, commits }: Names, ref: string): string | undefined {
  const short = /^refs\/(?:tags\/|remotes\/)?(.+)$/.exec(ref)?.[1] ?? '';
  if (ref.startsWith('refs/heads/'))
    return commits.find((commit) => isShortFor(ref.slice('refs/heads/'.length), commit));
  if (ref.startsWith('refs/remotes/'))
    return short === integration || short === `${integration}/HEAD` ? integration : undefined;
  if (short === integration || short === base || short.startsWith('task/')) return short;
  return commits.find((commit) => isShortFor(short, commit));
}

const isShortFor = (name: string, commit: string): boolean => name.length >= SHORTEST && commit.startsWith(name);

/** Files in the project's git directory: git takes one for a ref before it looks for any branch of that name. */
export function plantedFiles(host: ProjectHost, { integration, base }: Names): readonly Planted[] {
  const common = commonOf(host);
  if (common === undefined) return [];
  const hiding = [integration, base, 'task'].flatMap((name): readonly Planted[] => {
    const path = name === undefined ? undefined : join(common, name);
    if (path === undefined || host.disk.lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
    return [{ what: 'file', at: path, ...defined({ hides: name === 'task' ? 'task/…' : name }) }];
  });
  return [
    ...hiding,
    ...readPlanted(host.disk, common).map((name) => ({ what: 'own' as const, at: join(common, name) })),
  ];
}

export function commonOf({ disk, paths }: ProjectHost): string | undefined {
  const directory = gitDirectoryOf(disk, paths.root);
  return directory === undefined ? undefined : commonDirectoryOf(disk, directory);
}

/** The committers' e-mail addresses by commit; what is no commit, or is missing, is left out. */
export async function committersOf(
  host: ProjectHost,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const args = ['log', '--no-walk=unsorted', '--ignore-missing', '--stdin', '--format=%H %ce'];
  const asked = await git(host, host.paths.root, args, { input: `${commits.join('\n')}\n` });
  const lines = asked.stdout.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}

export const agentOf = (email: string): string | undefined => {
  const id = /^<?([a-z-]+-\d+)@liza\.invalid>?$/.exec(email)?.[1];
  return id === undefined || roleOfId(id) === undefined ? undefined : id;
};
