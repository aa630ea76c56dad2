// Whether what a commit brings still is what its names say. Git believes a loose object's file: who can write there puts
// other content under the name of what was reviewed. So the objects are packed under their names, and the pack is verified.

import { join } from 'node:path';
import type { PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';

/** What git says of one that is something else; undefined: all that the commit has and the base has not is as named. */
export function exchangedSince(gitDir: PrivateGitDir, commit: string, base: string): Promise<string | undefined> {
  return inScratch(gitDir, async (own) => {
    const pack = gitDir.objects([...PACK, join(own, 'new')], `${commit}\n^${base}\n`);
    const name = (await must(pack, 'pack what the commit brings')).trim();
    const verified = await gitDir.objects(['verify-pack', join(own, `new-${name}.idx`)]);
    return verified.status === 0 ? undefined : verified.stderr.trim().split('\n')[0];
  });
}

const PACK = ['pack-objects', '--revs', '-q', '--window=0', '--threads=1'];
