// What the tests of a commit run: the commands that prove it, the integration test of the base, and the scripts of the
// shell that these run in turn, as they are before and after the change.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { TOO_LARGE, textAt } from '../git/text-at.ts';
import { type Commands, type Script, scriptsRun, scriptsRunBy } from '../protocol/facts/test-setup.ts';
import { SCRIPT } from './rules/tested.ts';

/** Scripts that run scripts are followed so far. */
const DEEPEST = 4;
const MOST_SCRIPTS = 20;
const MOST_BYTES = 300_000;

interface Between {
  readonly base: string;
  readonly commit: string;
}

export async function whatTestsRun(
  gitDir: PrivateGitDir,
  proving: readonly string[],
  { base, commit }: Between,
): Promise<Omit<Commands, 'patterns'>> {
  const commits = [base, commit];
  // The candidate does not choose its judge; what the judge runs is the candidate's own.
  const judge = (await fileAt(gitDir, base, SCRIPT)) === '' ? [] : [`sh ${SCRIPT}`];
  const commands = [...proving, ...judge];
  const packages = await Promise.all(commits.map((at) => fileAt(gitDir, at, 'package.json')));
  const scripts: Script[] = [];
  const read = new Set<string>();
  let ahead = scriptsRun({ commands, packages });
  for (let depth = 0; ahead.length > 0 && depth < DEEPEST; depth += 1) {
    const paths = [...new Set(ahead)].filter((path) => !read.has(path)).slice(0, MOST_SCRIPTS - read.size);
    for (const path of paths) read.add(path);
    const found = await textsOf(gitDir, paths, commits);
    scripts.push(...found);
    ahead = found.flatMap(scriptsRunBy);
  }
  return { commands, packages, scripts };
}

/** Each as it is at each commit. */
async function textsOf(gitDir: PrivateGitDir, paths: readonly string[], commits: readonly string[]) {
  const texts: Script[] = [];
  for (const path of paths) {
    for (const commit of commits) texts.push({ path, text: await fileAt(gitDir, commit, path) });
  }
  return texts.filter(({ text }) => text !== '' && text.length <= MOST_BYTES);
}

/** Empty where there is none, or it is too large. */
async function fileAt(gitDir: PrivateGitDir, commit: string, path: string): Promise<string> {
  const text = await textAt(gitDir, commit, path);
  return text === undefined || text === TOO_LARGE ? '' : text;
}
