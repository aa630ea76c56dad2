// Whether any command that proves a commit can run its tests. The files that the commands run are read at the commit;
// nothing is run. In doubt they can: it only says no where nothing leads to a test.

import { TOO_LARGE, textAt } from '../../git/text-at.ts';
import { mentionsTests, testReach } from '../../protocol/facts/test-commands.ts';
import { scriptsIn } from '../../protocol/facts/test-setup.ts';
import { recipesAt } from './commands-reached.ts';
import type { Proving } from './run-commands.ts';

/** More are not read. */
const MOST_FILES = 20;

type Asked = Pick<Proving, 'gitDir' | 'commit' | 'commands' | 'settings'>;

export async function canRunTests({ gitDir, commit, commands, settings }: Asked): Promise<boolean> {
  if ((settings.test_command ?? '').trim() !== '') return true;
  const read = async (path: string): Promise<string> => (await textAt(gitDir, commit, path)) ?? '';
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
