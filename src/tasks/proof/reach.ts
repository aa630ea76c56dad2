// Which changed test files each command may run, with the scripts of the base and with those of the commit, and which
// commands name a test that the base does not have. Files are read; nothing is run.

import { commandsRun, pathsIn } from '../../protocol/facts/command-files.ts';
import { runsFile, unittestWords } from '../../protocol/facts/runs-file.ts';
import { commandsReached } from './commands-reached.ts';
import type { Proving } from './run-commands.ts';

type Files = ReadonlyMap<string, ReadonlySet<string>>;

export interface Reach {
  readonly onBase: Files;
  readonly anywhere: Files;
}

export async function reachOf(
  { gitDir, base, commit, commands }: Pick<Proving, 'gitDir' | 'base' | 'commit' | 'commands'>,
  paths: readonly string[],
): Promise<Reach> {
  const onBase = new Map<string, ReadonlySet<string>>();
  const anywhere = new Map<string, ReadonlySet<string>>();
  for (const command of commands) {
    const at = async (where: string): Promise<readonly string[]> => {
      const runs = await commandsReached({ gitDir, commit: where, commands: [command] });
      return paths.filter((path) => runs.some((run) => runsFile(run, path)));
    };
    const there = await at(base);
    onBase.set(command, new Set(there));
    anywhere.set(command, new Set([...there, ...(await at(commit))]));
  }
  return { onBase, anywhere };
}

/** Commands that name a test, or a folder of tests, which the base does not have: there, they can only fail. */
export async function namingNewTests(
  { gitDir, base, commands }: Proving,
  touched: Proving['facts']['changes'],
): Promise<readonly string[]> {
  const added = touched.filter(({ kind }) => kind === 'added').map(({ path }) => path);
  const isNew = async (word: string): Promise<boolean> => {
    if (!added.some((path) => path === word || path.startsWith(`${word}/`))) return false;
    return (await gitDir.objects(['cat-file', '-e', `${base}:${word}`])).status !== 0;
  };
  const found: string[] = [];
  for (const command of commands) {
    for (const word of [
      ...pathsIn(command).map((one) => one.replace(/::.*$|:\d+$/, '')),
      ...modulesIn(command, added),
    ]) {
      if (!found.includes(command) && (await isNew(word))) found.push(command);
    }
  }
  return found;
}

/** `tests.test_a.TestA` of unittest, as the file that it is of. */
function modulesIn(command: string, files: readonly string[]): readonly string[] {
  const named = commandsRun([command], {}).flatMap((run) =>
    unittestWords(run).map((word) => `${run.folder}${word.replaceAll('.', '/')}/`),
  );
  return files.filter(
    (path) => path.endsWith('.py') && named.some((one) => one.startsWith(path.replace(/\.py$/, '/'))),
  );
}
