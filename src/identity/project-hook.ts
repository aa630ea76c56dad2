// The hook of the project's repository as init, doctor and supervisors look after it: what it must say here, and what
// people are told where it cannot be installed.

import { repositoryOf } from '../git/directory.ts';
import { repositoryMark } from '../process/tags.ts';
import { ensureHook, examineHook, HOOK, type HookFacts, type HookHost, type HookState, hookPlace } from './ref-hook.ts';

const factsOf = ({ disk }: HookHost, root: string, branch: string): HookFacts => {
  const repository = repositoryOf(disk, root);
  return { repository, mark: repositoryMark(repository), branch };
};

/** undefined: it is in place. Otherwise one line on why not; the recorded heads still tell who moved what. */
export async function installHook(host: HookHost, root: string, branch: string): Promise<string | undefined> {
  const state = await ensureHook(host, root, factsOf(host, root, branch));
  return state === 'there' ? undefined : WHY_NOT[state].message;
}

interface Problem {
  readonly message: string;
  readonly remedy: string;
}

const WHY_NOT: Readonly<Record<Exclude<HookState, 'there'>, Problem>> = {
  missing: {
    message: `the ${HOOK} hook is missing: until the next check of the branches, agents could move any of them`,
    remedy: 'liza doctor --fix installs it',
  },
  outdated: {
    message: `the ${HOOK} hook is for another version, branch or folder`,
    remedy: 'liza doctor --fix writes it again',
  },
  tracked: {
    message: `the hooks folder has a ${HOOK} hook that is part of the repository, so Liza does not install its own`,
    remedy:
      'rename it, so that Liza’s hook can guard the branches; until then Liza finds moves by agents from the recorded heads',
  },
  outside: {
    message: 'core.hooksPath is a folder for all your repositories, so Liza installs no hook there',
    remedy:
      'for one here: git config core.hooksPath .git/hooks; until then Liza finds moves by agents from the recorded heads',
  },
  unusable: {
    message: `the ${HOOK} hook cannot be read or written there`,
    remedy: 'look at it; then liza doctor --fix',
  },
};

async function guardText(host: HookHost, root: string): Promise<string> {
  const { perWorktree } = await hookPlace(host, root, repositoryOf(host.disk, root));
  if (!perWorktree) return 'guards the branches of people and of Liza';
  return 'guards branches in the project’s folder; core.hooksPath is relative, so linked worktrees have no hook; there Liza finds moves from the recorded heads';
}

/** What `liza doctor` says of it. */
export interface HookFinding extends Partial<Problem> {
  readonly check: 'hook';
  readonly level: 'ok' | 'warning';
  readonly message: string;
  readonly fixed?: true;
}

export async function checkHook(host: HookHost, root: string, branch: string, fix: boolean): Promise<HookFinding> {
  const check = 'hook';
  const before = await examineHook(host, root, factsOf(host, root, branch));
  if (before === 'there') return { check, level: 'ok', message: await guardText(host, root) };
  const problem = WHY_NOT[before];
  if (!fix) return { check, level: 'warning', ...problem };
  const after = await ensureHook(host, root, factsOf(host, root, branch));
  if (after !== 'there') return { check, level: 'warning', ...WHY_NOT[after] };
  return { check, level: 'ok', message: `${problem.message}; installed`, fixed: true };
}
