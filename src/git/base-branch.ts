// The person's branch that a board was made from, and how far the integration branch is from it. Only reads.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Board } from '../protocol/board.ts';
import type { BaseDistance } from '../protocol/goal/base-distance.ts';
import { settings } from '../protocol/state.ts';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import type { ProjectHost } from './integration.ts';
import { lostCommits } from './rewritten-branch.ts';
import { git } from './run.ts';

type Known = Pick<Board, 'state'>;

/** The name of the branch that the checkout is on; undefined: on none. By files alone. */
export function branchAt(disk: Disk, root: string): string | undefined {
  const own = gitDirectoryOf(disk, root);
  if (own === undefined) return undefined;
  try {
    return /^ref: refs\/heads\/(.+)$/.exec(disk.readFileSync(join(own, 'HEAD'), 'utf8').trim())?.[1];
  } catch {
    return undefined;
  }
}

/** As the board has it; boards of earlier versions: the branch that the project's folder is on, unless it is Liza's. */
export function baseBranch({ disk, paths }: Pick<ProjectHost, 'disk' | 'paths'>, { state }: Known): string | undefined {
  const { base_branch, integration_branch } = settings(state);
  if (base_branch !== undefined) return base_branch;
  const on = branchAt(disk, paths.root);
  return on === undefined || on === integration_branch || on.startsWith('task/') ? undefined : on;
}

/** Undefined: there is no such branch, or git could not tell. */
export async function baseDistance(host: ProjectHost, known: Known): Promise<BaseDistance | undefined> {
  const branch = baseBranch(host, known);
  if (branch === undefined) return undefined;
  const integration = settings(known.state).integration_branch;
  const [theirs, ours] = [`refs/heads/${branch}`, `refs/heads/${integration}`];
  const [ahead, lacks] = (await countBetween(host, ['--left-right', `${ours}...${theirs}`])) ?? [];
  if (ahead === undefined || lacks === undefined) return undefined;
  const count = async (revisions: readonly string[]) => (await countBetween(host, revisions))?.[0];
  const documents = documentOf(known)?.replace(/(.)\/[^/]*$/, '$1');
  const more = lacks === 0 ? true : await bringMore(count, [theirs, `^${ours}`], documents);
  if (more === undefined) return undefined;
  // A branch that has all of integration has lost nothing of it.
  const lost = ahead === 0 ? 0 : (await lostOf(host, known, branch)).length;
  return {
    branch,
    integration,
    lacks,
    ahead,
    ...(more ? {} : { onlyDocument: true }),
    ...(lost === 0 ? {} : { rewritten: lost }),
  };
}

const lostOf = (host: ProjectHost, { state }: Known, branch: string): Promise<readonly string[]> =>
  lostCommits((args) => git(host, host.paths.root, args), state, {
    branch,
    tip: `refs/heads/${branch}`,
    isBase: true,
  });

/** Without the place in it. */
export const documentOf = ({ state: { goal } }: Known): string | undefined => goal.spec_ref?.replace(/#.*$/, '');

/** Whether these commits bring more than the goal's document, or those beside it. A merge brings what is looked at already, unless it adds to it. */
export async function bringMore(
  count: (revisions: readonly string[]) => Promise<number | undefined>,
  range: readonly string[],
  document: string | undefined,
): Promise<boolean | undefined> {
  const others = document === undefined ? [] : ['--', '.', `:(exclude,literal,top)${document}`];
  const found = (await count(['--no-merges', ...range, ...others])) || (await count([...range, ...others]));
  return found === undefined ? undefined : found > 0;
}

export type FollowedBase = (known: Known) => Promise<BaseDistance | undefined>;

/** The same, asked again and again: git is started only after one of the two branches may have moved. */
export function followBase(host: ProjectHost): FollowedBase {
  const { disk, paths } = host;
  let last: { readonly key: string; readonly distance: BaseDistance | undefined } | undefined;
  return async (known) => {
    const branch = baseBranch(host, known);
    const directory = gitDirectoryOf(disk, paths.root);
    if (branch === undefined || directory === undefined) return undefined;
    const common = commonDirectoryOf(disk, directory);
    const { integration_branch } = settings(known.state);
    const files = [`refs/heads/${branch}`, `refs/heads/${integration_branch}`, 'packed-refs', 'reftable/tables.list'];
    const stamps = files.map((file) => {
      const { ino, mtimeMs, size } = disk.statSync(join(common, file), { throwIfNoEntry: false }) ?? {};
      return [file, ino, mtimeMs, size];
    });
    const key = JSON.stringify([stamps, known.state.goal.spec_ref]);
    if (last?.key !== key || last.distance === undefined) last = { key, distance: await baseDistance(host, known) };
    return last.distance;
  };
}

/** One number, or with `--left-right` that of each side. */
async function countBetween(host: ProjectHost, revisions: readonly string[]): Promise<readonly number[] | undefined> {
  const asked = await git(host, host.paths.root, ['rev-list', '--count', ...revisions]);
  return asked.status === 0 && /^\d+(\t\d+)?\n$/.test(asked.stdout) ? asked.stdout.split('\t').map(Number) : undefined;
}
