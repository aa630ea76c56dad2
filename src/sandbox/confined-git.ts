// Git of Liza's own over a folder that an agent writes. While it reads the folder, file by file, its agent can put a link
// in the place of a folder, and git would read, or write, what that leads to. So it sees no more than an agent does: its
// folder, and what git needs besides. Where there is no sandbox, or a person turned it off, agents can do all that Liza can.

import { join } from 'node:path';
import type { ConfineGit } from '../git/private-git-dir.ts';
import type { Host } from '../ports/host.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { buildPolicy } from './build-policy.ts';
import { confine } from './confine.ts';
import { type Detected, isTool } from './detect.ts';

export const confinedGit =
  (host: Host, detect: () => Promise<Detected>): ConfineGit =>
  async ({ root, common, folder, own, read, write }) => {
    const found = await detect();
    if ('short' in found)
      throw new EnvironmentError(`git could not be confined: ${found.why}`, found.remedy, 3, { fault: 'machine' });
    if (!isTool(found)) return undefined;
    // It runs no code of an agent's, and has no network.
    const tool = { ...found, filter: undefined, perl: undefined };
    const { disk, env } = host;
    const [home, tmp] = [join(own, 'home'), join(own, 'tmp')];
    for (const path of [home, tmp]) disk.mkdirSync(path);
    const policy = buildPolicy(disk, {
      ...{ env, root, common, home, tmp, show: read, write, network: false },
      cwd: folder,
      folder: { path: folder, writable: true },
      inPlace: tool.kind === 'seatbelt',
    });
    return (argv, around) => confine(disk, tool, policy, { argv, env: around });
  };
