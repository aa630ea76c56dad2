// All that the proving commands run at a commit: through the scripts of package.json, the targets of a makefile, and the
// shell scripts that they name. The files are read at the commit; nothing is run.

import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { scannedAt, TOO_LARGE } from '../../git/text-at.ts';
import { asCommand, type CommandRun, commandsRun, filesRunBy, meantBy } from '../../protocol/facts/command-files.ts';
import { mentionsTests, recipesOf, targetsOf } from '../../protocol/facts/test-commands.ts';
import { isShell, scriptsIn } from '../../protocol/facts/test-setup.ts';
import { isPytest, PYTEST_SETTINGS, testPathsIn, withTestPaths } from '../rules/pytest-paths.ts';

/** More are not read. */
const MOST_FILES = 20;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

interface Asked {
  readonly gitDir: PrivateGitDir;
  readonly commit: string;
  readonly commands: readonly string[];
}

export async function commandsReached({ gitDir, commit, commands }: Asked): Promise<readonly CommandRun[]> {
  const read = async (path: string): Promise<string> => {
    const text = await scannedAt(gitDir, commit, path);
    return text === undefined || text === TOO_LARGE ? '' : text;
  };
  const scripts = scriptsIn(await read('package.json'));
  const direct = commandsRun(commands, scripts);
  const recipes = await recipesAt(read, direct.flatMap(targetsOf));
  const isMade = (run: CommandRun): boolean => recipes.length > 0 && targetsOf(run).length > 0;
  const named = [...direct.map((run) => opened(run, isMade(run))), ...commandsRun(recipes, scripts)];
  const further: CommandRun[] = [];
  const plain = new Set<string>();
  for (const file of [...new Set(named.flatMap(filesRunBy))].slice(0, MOST_FILES)) {
    const text = await read(file);
    const isScript = isShell(text) && /(?:^|\/)[^.]+$|\.(?:ba|da|z|k)?sh$/.test(file);
    if (isScript) further.push(...commandsRun([asCommand(text)], scripts).flatMap((run) => ranIn(file, run)));
    if (isScript || (text !== '' && !mentionsTests(text))) plain.add(file);
  }
  const all = [
    ...named.map((run) => opened(run, filesRunBy(run).length > 0 && filesRunBy(run).every((file) => plain.has(file)))),
    ...further,
  ];
  const places = all.some(isPytest) ? await testPathsAt(read) : [];
  return all.map((run) => withTestPaths(run, places));
}

async function testPathsAt(read: (path: string) => Promise<string>): Promise<readonly string[]> {
  for (const [file, heading] of PYTEST_SETTINGS) {
    const found = testPathsIn(await read(file), heading);
    if (found !== undefined) return found;
  }
  return [];
}

const opened = (run: CommandRun, isOpened: boolean): CommandRun => (isOpened ? { ...run, opened: true } : run);

/** A script may name a program from the top, or from its own folder. */
const ranIn = (file: string, run: CommandRun): readonly CommandRun[] => [
  run,
  ...meantBy(file, run.program).map((program) => ({ ...run, program })),
];

/** The lines that make runs for these targets at the commit. */
export async function recipesAt(
  read: (path: string) => Promise<string>,
  targets: readonly string[],
): Promise<readonly string[]> {
  if (targets.length === 0) return [];
  for (const name of MAKEFILES) {
    const text = await read(name);
    if (text !== '') return recipesOf(text, targets);
  }
  return [];
}
