// Whether any command that proves a commit can run its tests, and which of its test files none can run. The files that
// the commands run are read at the commit; nothing is run. In doubt they can: it only says no where nothing leads there.

import { scannedAt, TOO_LARGE } from '../../git/text-at.ts';
import { type Chosen, leavesOut } from '../../protocol/facts/chosen-tests.ts';
import type { CommandRun } from '../../protocol/facts/command-files.ts';
import { runsFile } from '../../protocol/facts/runs-file.ts';
import { mentionsTests, testReach } from '../../protocol/facts/test-commands.ts';
import { scriptsIn } from '../../protocol/facts/test-setup.ts';
import { declaredTests } from '../rules/declared-tests.ts';
import { commandsReached, recipesAt } from './commands-reached.ts';
import type { Proving } from './run-commands.ts';

/** More are not read. */
const MOST_FILES = 20;

type Asked = Pick<Proving, 'gitDir' | 'commit' | 'commands' | 'settings'>;

export async function canRunTests({ gitDir, commit, commands, settings }: Asked): Promise<boolean> {
  if ((settings.test_command ?? '').trim() !== '') return true;
  const read = async (path: string): Promise<string> => (await scannedAt(gitDir, commit, path)) ?? '';
  const scripts = scriptsIn(await read('package.json'));
  const said = testReach(commands, scripts);
  if (said.runs) return true;
  const made = await recipesAt(read, said.targets);
  const more = testReach(made, scripts);
  const files = [...said.files, ...more.files];
  if (more.runs || files.length > MOST_FILES) return true;
  for (const file of files) {
    const text = await read(file);
    if (text === TOO_LARGE || mentionsTests(text)) return true;
  }
  return false;
}

/** Of these files, those that declare tests and that no command runs. */
export async function filesNotRun(
  asked: Pick<Proving, 'gitDir' | 'commit' | 'commands'>,
  files: readonly string[],
  most = MOST_FILES,
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const runs = await commandsReached(asked);
  const missed: string[] = [];
  for (const file of files.filter((path) => !runs.some((run) => runsFile(run, path))).slice(0, most)) {
    const text = await scannedAt(asked.gitDir, asked.commit, file);
    if (text === undefined || text === TOO_LARGE) continue;
    const { tests, made } = declaredTests(text, file);
    if ((tests.length > 0 || made) && !(await isImported(asked, file, runs))) missed.push(file);
  }
  return missed;
}

/** Whether a file that some command runs imports it: its tests run there. */
async function isImported(
  { gitDir, commit }: Pick<Proving, 'gitDir' | 'commit'>,
  file: string,
  runs: readonly CommandRun[],
): Promise<boolean> {
  const [, stem = '', ending = ''] = /([^/]+?)(\.\w+)$/.exec(file) ?? [];
  if (stem === '') return false;
  const found = await gitDir.objects(['grep', '-l', '-z', '-w', '-F', '-e', stem, commit, '--', `*${ending}`]);
  const naming = found.stdout.split('\0').map((one) => one.slice(one.indexOf(':') + 1));
  const running = naming.filter((path) => path !== '' && path !== file && runs.some((run) => runsFile(run, path)));
  for (const path of running.slice(0, MOST_FILES)) {
    const lines = ((await scannedAt(gitDir, commit, path)) ?? '').split('\n');
    if (lines.some((line) => IMPORT.test(line) && line.split(/[^\w-]+/).includes(stem))) return true;
  }
  return false;
}

const IMPORT = /(?<![\w.])(?:import|from|require\w*|include|use|load)(?![\w-])/;

/** Whether every command that runs this file chooses other tests by their names. */
export async function isLeftOut(
  asked: Pick<Proving, 'gitDir' | 'commit' | 'commands'>,
  file: string,
  test: Chosen,
): Promise<boolean> {
  const runs = (await commandsReached(asked)).filter((run) => runsFile(run, file));
  return runs.length > 0 && runs.every((run) => leavesOut(run, test));
}
