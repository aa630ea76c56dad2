// `liza config set <key> <value>`: one value; whether it fits the key the core decides.

import type { CommandOf } from '../../protocol/command.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { meant } from '../../protocol/setting-metadata.ts';
import { defined } from '../../protocol/values.ts';
import type { Io } from '../io.ts';
import { openProject, runCommand } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'config set',
  positionals: [
    { name: 'key', description: 'See: liza config get.' },
    { name: 'value', description: 'Text, or a number, true, false, null, a JSON list or object.' },
  ],
  options: {},
  examples: [
    'liza config set lease_duration 600',
    'liza config set post_worktree_cmd "npm ci"',
    'liza config set budgets.day.usd 20',
  ],
  run: async (args, io) => {
    const [key, typed] = [args.must('key'), args.must('value')];
    const value = meant(key, typed, parsed(typed));
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const facts = await factsFor(io, context.paths.root, key, value);
    return runCommand(context, { name: 'config set', key, value, ...defined({ facts }) });
  },
};

type Facts = CommandOf<'config set'>['facts'];

/** What only the disk knows of some settings. */
async function factsFor({ host, env }: Io, root: string, key: string, value: unknown): Promise<Facts> {
  if (key === 'integration_branch' && typeof value === 'string') {
    const { checkoutOf } = await import('../../git/branch-checkouts.ts');
    const folder = checkoutOf(root, `refs/heads/${value}`);
    return folder === undefined ? undefined : { checked_out: folder };
  }
  const kind = key === 'sandbox_read' ? 'read' : key === 'sandbox_write' ? 'write' : undefined;
  if (kind === undefined || !Array.isArray(value)) return undefined;
  const { commonDirectoryOf, gitDirectoryOf } = await import('../../git/directory.ts');
  const { whyForbidden } = await import('../../sandbox/forbidden-paths.ts');
  const own = gitDirectoryOf(root);
  const site = { root, common: own === undefined ? `${root}/.git` : commonDirectoryOf(own), disk: host.disk, env };
  const places = value.filter((place) => typeof place === 'string');
  const hole = places.map((place) => whyForbidden(site, place, kind)).find((why) => why !== undefined);
  return hole === undefined ? undefined : { hole };
}

/** A person writes `600`, `true` or `npm ci` and means a number, a truth and a text. */
function parsed(text: string): unknown {
  if (!/^(?:-?\d|true$|false$|null$|["[{])/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
