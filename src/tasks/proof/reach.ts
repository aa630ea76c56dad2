// Which changed test files each command may run, with the scripts of the base and with those of the commit, and which
// commands name a test that the base does not have. Files are read; nothing is run.

import { type CommandRun, commandsRun, nameOf, pathsIn } from '../../protocol/facts/command-files.ts';
import { runsFile, surelyRuns, unittestWords } from '../../protocol/facts/runs-file.ts';
import { commandsReached } from './commands-reached.ts';
import type { Proving } from './run-commands.ts';

type Files = ReadonlyMap<string, ReadonlySet<string>>;

export interface Reach {
  readonly onBase: Files;
  /** Those that the command surely runs there. */
  readonly sure: Files;
  readonly anywhere: Files;
}

export async function reachOf(
  { gitDir, base, commit, commands }: Pick<Proving, 'gitDir' | 'base' | 'commit' | 'commands'>,
  paths: readonly string[],
): Promise<Reach> {
  const onBase = new Map<string, ReadonlySet<string>>();
  const anywhere = new Map<string, ReadonlySet<string>>();
  const sure = new Map<string, ReadonlySet<string>>();
  for (const command of commands) {
    const reached = (where: string) => commandsReached({ gitDir, commit: where, commands: [command] });
    const [there, here] = [await reached(base), await reached(commit)];
    const of = (runs: typeof there, isRun = runsFile) => paths.filter((path) => runs.some((run) => isRun(run, path)));
    onBase.set(command, new Set(of(there)));
    sure.set(command, new Set(of(there, surelyRuns)));
    anywhere.set(command, new Set(of([...there, ...here])));
  }
  return { onBase, sure, anywhere };
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
    const targets = commandsRun([command], {}).flatMap(namesOfTasks);
    const words = pathsIn(command).filter((word) => !targets.includes(word));
    for (const word of [...words.map((one) => one.replace(/::.*$|:\d+$/, '')), ...modulesIn(command, added)]) {
      if (!found.includes(command) && (await isNew(word))) found.push(command);
    }
  }
  return found;
}

/** `make test` means a target, whatever folder has that name. */
const namesOfTasks = ({ program, rest }: CommandRun): readonly string[] =>
  /^(?:g?make|npm|pnpm|yarn|bun|just|task|rake|ninja|gradlew?|mvnw?|composer|mix|cargo|go|dotnet|swift)$/.test(
    nameOf(program),
  )
    ? rest.filter((word) => /^[\w:-]+$/.test(word))
    : [];

/** `tests.test_a.TestA` of unittest, as the file that it is of. */
function modulesIn(command: string, files: readonly string[]): readonly string[] {
  const named = commandsRun([command], {}).flatMap((run) =>
    unittestWords(run).map((word) => `${run.folder}${word.replaceAll('.', '/')}/`),
  );
  return files.filter(
    (path) => path.endsWith('.py') && named.some((one) => one.startsWith(path.replace(/\.py$/, '/'))),
  );
}
