// Who gets the files of `setup_read`: set-up alone, in Liza's own checkout, and only where everything that it reads there is
// as a person committed it. What an agent wrote (a script of package.json, another lock file) never runs beside a login.

import { join, relative } from 'node:path';
import { baseBranch } from '../git/base-branch.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, treeIdOf } from '../git/refs.ts';
import type { Disk } from '../ports/disk.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { expandHome } from '../sandbox/forbidden-paths.ts';
import type { TaskContext } from './context.ts';
import type { PrepareRequest } from './prepare-checkout.ts';

type SetupSettings = PrepareRequest['settings'];

const hasLogin = ({ setup_read }: SetupSettings): boolean => (setup_read ?? []).length > 0;

/** Why the files stay away where set-up runs in a checkout that is not Liza's own. */
export const withheldHere = (settings: SetupSettings): string | undefined =>
  hasLogin(settings) ? 'only a result that is made once for all checkouts gets them (docs/work.md)' : undefined;

export interface PersonsTrees {
  readonly trees: ReadonlySet<string>;
  /** Why set-up of any other tree goes without. */
  readonly withheld?: string;
}

/** Trees of which set-up may see the files. `narrowed`: the part of a tree that the command reads. */
export async function personsTrees(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { settings, narrowed }: { readonly settings: SetupSettings; narrowed(tree: string): Promise<string | undefined> },
): Promise<PersonsTrees> {
  if (!hasLogin(settings)) return { trees: new Set() };
  const { board } = await context.store.read();
  const branch = baseBranch(context, board);
  if (branch === undefined)
    return { trees: new Set(), withheld: 'it is not known which branch is yours: liza config set base_branch main' };
  const own = await commitOf(gitDir, `refs/heads/${branch}`);
  const integration = board.state.goal.integration_head ?? own;
  // The integration branch may lack what came to the person's since.
  const shared = own && integration && (await gitDir.objects(['merge-base', own, integration])).stdout.trim();
  const commits = [...new Set([own, shared])].flatMap((commit) => commit || []);
  const trees = await Promise.all(commits.map((commit) => treesAt(gitDir, commit, narrowed)));
  const withheld = trees.some(({ length }) => length > 1)
    ? `what it reads is not as in ${branch}; if you want the change there: commit it to ${branch}, then liza sync`
    : `it may read any file, and one is not as in ${branch}; name those that it reads: ${NAME_INPUTS}`;
  return { trees: new Set(trees.flat()), withheld };
}

const NAME_INPUTS = `liza config set setup_inputs '["package.json","package-lock.json"]'`;

async function treesAt(
  gitDir: PrivateGitDir,
  commit: string,
  narrowed: (tree: string) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const tree = await treeIdOf(gitDir, commit);
  const narrow = await narrowed(tree);
  return narrow === undefined ? [tree] : [tree, narrow];
}

/** What set-up made beside a login goes to agents: a file of it with a secret in it is refused. */
export async function refuseSecrets(
  context: TaskContext,
  settings: SetupSettings,
  folder: string,
): Promise<Refusal | undefined> {
  const secrets = loginSecrets(context, settings).map((secret) => Buffer.from(secret));
  const found = secrets.length === 0 ? undefined : await fileWith(context, folder, secrets);
  if (found === undefined) return undefined;
  return refuse(
    `post_worktree_cmd wrote a login of setup_read into ${relative(folder, found)}, which agents would get`,
    'change the command, or go without the login: liza config set setup_read null',
    3,
    'post-worktree-cmd',
  );
}

/** Words that look like one, and the variables that the files ask for. Names of settings have no digit. */
export function loginSecrets(
  { disk, env }: Pick<TaskContext, 'disk' | 'env'>,
  { setup_read: places = [] }: Pick<SetupSettings, 'setup_read'>,
): readonly string[] {
  return places.flatMap((place) => {
    const path = expandHome(place, env);
    if (disk.statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
    const text = disk.readFileSync(path, 'utf8');
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => env[name] ?? '');
    const words = text.split(/[\s"'=,]+|:\/\/[^:@/]*:?|@/).filter((word) => /\d/.test(word) && !ADDRESS.test(word));
    return [...words, ...asked].filter((secret) => secret.length >= 8);
  });
}

const ADDRESS = /^(?:\/|[\w.-]+\.[a-z]{2,24}(?::\d+)?(?:\/|$)|[\d.]+(?::\d+)?(?:\/|$)|localhost)/i;

async function fileWith(context: TaskContext, folder: string, secrets: readonly Buffer[]): Promise<string | undefined> {
  const { promises: fs } = context.disk;
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const found = entry.isDirectory()
      ? await fileWith(context, path, secrets)
      : entry.isFile() && (await hasOne(context.disk, path, secrets))
        ? path
        : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Piece by piece, each with the end of the one before: a set-up may have made files of any size. */
async function hasOne({ promises: fs }: Disk, path: string, secrets: readonly Buffer[]): Promise<boolean> {
  const overlap = Math.max(0, ...secrets.map(({ length }) => length - 1));
  const buffer = Buffer.allocUnsafe(overlap + PIECE);
  const file = await fs.open(path);
  try {
    let kept = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, kept, PIECE);
      if (bytesRead === 0) return false;
      const piece = buffer.subarray(0, kept + bytesRead);
      if (secrets.some((secret) => piece.includes(secret))) return true;
      kept = Math.min(overlap, piece.length);
      piece.copy(buffer, 0, piece.length - kept);
    }
  } finally {
    await file.close();
  }
}

const PIECE = 1 << 20;
