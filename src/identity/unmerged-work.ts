// Agents' commits that Liza did not merge and a person's branch, tag or remote came to hold. They are known by the refs
// under which Liza keeps agents' work, and by the committer's address. Whoever moved the ref, it is told: a process that
// cleared its environment looks like a person.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf } from '../git/refs.ts';
import { must } from '../git/run.ts';
import type { Board } from '../protocol/board.ts';
import { findTask } from '../protocol/find.ts';
import { lastCoder } from '../protocol/leases.ts';
import type { State } from '../protocol/state.ts';
import { agentOf } from './planted-refs.ts';
import type { Moves } from './ref-log.ts';

export interface Gained {
  readonly commit: string;
  readonly agent: string;
}

/** A branch that moved. */
export interface Arrival {
  readonly commit: string;
  /** Where it and other branches were: what they held is no news. undefined: it is new, which is how people look at work. */
  readonly before?: readonly string[] | undefined;
  readonly moves: Moves;
}

export interface UnmergedWork {
  /** Whether any of these can hold such a commit: one git for all of them. */
  mayBeIn(commits: readonly string[]): Promise<boolean>;
  /** The newest commit of an agent's that a branch gained. Of a new branch only what Liza does not keep. */
  gainedBy(arrival: Arrival): Promise<Gained | undefined>;
  /** Whether that very commit is work that Liza keeps for an agent. */
  isWork(commit: string): Promise<Gained | undefined>;
}

/** Where Liza keeps what agents made. */
const KEPT = ['refs/liza/seen', 'refs/liza/review', 'refs/liza/attempts', 'refs/heads/task'];
/** A branch that gained more is looked at as far as this. */
const MOST = 5000;

/** Reads what agents have made once, when it is first asked for. */
export function unmergedWork(gitDir: PrivateGitDir, { state }: Board): UnmergedWork {
  const merged = mergedBy(state);
  const list = async (args: readonly string[], ...held: readonly string[]): Promise<readonly string[]> => {
    const [verb = '', ...rest] = args;
    const asked = gitDir.project([verb, '--ignore-missing', ...rest, '--not', ...merged, ...held]);
    return (await must(asked, 'read commits')).split('\n').filter((line) => line !== '');
  };
  const read = async (): Promise<ReadonlySet<string>> =>
    new Set(await list(['rev-list', ...KEPT.map((name) => `--glob=${name}/*`)]));
  let kept: Promise<ReadonlySet<string>> | undefined;
  const isKept = async (commit: string): Promise<boolean> => {
    kept ??= read();
    return (await kept).has(commit);
  };
  const coder = async (commit: string): Promise<string | undefined> => {
    const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`, '--', ...KEPT];
    const [name = ''] = (await must(gitDir.project(args), 'read its refs')).split('\n');
    const task = findTask(state, /^refs\/(?:liza\/\w+|heads\/task)\/([^/]+)/.exec(name)?.[1] ?? '');
    return task === undefined ? undefined : lastCoder(task);
  };
  const signedIn = async (commits: readonly string[], ...held: readonly string[]) =>
    (await list(['log', `--max-count=${MOST}`, '--format=%H %ce', ...commits], ...held)).map((line) => {
      const [commit = '', address = ''] = line.split(' ');
      return { commit, agent: agentOf(address) };
    });
  return {
    mayBeIn: async (commits) => {
      if (commits.length === 0) return false;
      const all = await signedIn(commits);
      if (all.length === MOST || all.some(({ agent }) => agent !== undefined)) return true;
      for (const { commit } of all) if (await isKept(commit)) return true;
      return false;
    },
    gainedBy: async ({ commit, before, moves }) => {
      if ((await commitOf(gitDir, commit)) === undefined) return undefined;
      const signed: Gained[] = [];
      for (const { commit: id, agent } of await signedIn([commit], ...(before ?? []))) {
        const kept = await isKept(id);
        if (!kept && agent !== undefined) signed.push({ commit: id, agent });
        // A coder that took a person's commit into its own history does not make it its own.
        if (!kept || before === undefined || (agent === undefined && moves.made.has(id))) continue;
        const maker = agent ?? (await coder(id));
        if (maker !== undefined) return { commit: id, agent: maker };
      }
      if (signed.length === 0) return undefined;
      // What was pulled is another crew's, which may have merged it.
      const here = new Set(await list(['rev-list', ...signed.map((one) => one.commit)], '--remotes'));
      return signed.find((one) => here.has(one.commit));
    },
    isWork: async (commit) => {
      const agent = (await isKept(commit)) ? await coder(commit) : undefined;
      return agent === undefined ? undefined : { commit, agent };
    },
  };
}

/** What is, or is just about to be, on the integration branch by Liza's own hand. */
function mergedBy({ goal, tasks }: State): readonly string[] {
  const of = tasks.flatMap((task) => [task.merge_commit, task.merging?.candidate]);
  return [...new Set([goal.integration_head, goal.moving?.candidate, ...of])].filter((one) => one !== undefined);
}
