// Ends what a killed Liza left running in a folder: programs that it had started there, with all that they started. Only
// those that carry its mark for this project, and the tag of one run behind it; whoever else looks into the folder stays.

import type { Environment, Host } from '../ports/host.ts';
import { treeOf } from './end-process-tree.ts';
import { isLinux } from './proc-files.ts';
import { tagsAt } from './process-table.ts';
import { TAG } from './tags.ts';
import { pidsIn } from './who-is-in.ts';

type EndHost = Pick<Host, 'clock' | 'disk' | 'processes'>;

/** `env`: as programs of the project get it, so that it names the mark. Answers how many runs were ended. */
export async function endLeftIn(host: EndHost, env: Environment, folder: string): Promise<number> {
  if (!isLinux(host)) return 0;
  const around = (env[TAG] ?? '').split('/');
  const mark = around.at(-1) ?? '';
  const runs = new Map<string, number>();
  for await (const pid of pidsIn(host, folder)) {
    for (const tags of tagsAt(host, pid)) {
      const run = tags[tags.indexOf(mark) + 1];
      if (mark !== '' && tags.includes(mark) && run !== undefined && !around.includes(run)) runs.set(run, pid);
    }
  }
  for (const [tag, pid] of runs) await treeOf(host, { pid, started: undefined, tag }).end();
  return runs.size;
}
