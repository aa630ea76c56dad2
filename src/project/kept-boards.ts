// The blackboard's last state, for a person who reads it after Liza has left: `.git/liza/kept/<n>/state.yaml`, byte for byte,
// whatever state it is in. It may hold keys of providers, so it stands where no sandbox shows it; git's own objects are
// shown to every agent. Earlier releases kept it as refs/liza/board/<n>: doctor tells of those, and moves them.

import { basename, dirname, join } from 'node:path';
import { keptBoards, keptIn } from '../git/kept-folder.ts';
import { openPrivateGitDir, type PrivateGitDir } from '../git/private-git-dir.ts';
import { readRefs, updateRefs } from '../git/refs.ts';
import { git, must } from '../git/run.ts';
import { entries } from '../git/scratch-folders.ts';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { isRefusal } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { counted } from '../text/format.ts';
import { type Finding, fixed, warning } from './finding.ts';

/** Files of `.liza` that hold the board: deinit keeps them. */
const BOARD_FILES = ['state.yaml', 'journal.jsonl', 'log.yaml'] as const;
/** Folders of `.liza`: deinit keeps some of them, too. */
export const BOARD_FOLDERS: Readonly<Record<string, 'kept' | 'given up'>> = {
  archive: 'kept',
  agents: 'given up',
  rejected: 'kept',
  specs: 'kept',
  cache: 'given up',
  checkpoints: 'kept',
  'agent-prompts': 'given up',
  'agent-logs': 'given up',
};

const HALF_MADE = '.making';

export const dropKeptBoards = (host: Host, common: string): void => void removeTreeNow(host, keptIn(common));

/** Plain files by their path in the board. */
type Content = ReadonlyMap<string, Buffer>;

/** Returns its folder; the same board again keeps its number. undefined: there is none. */
export function keepBoard({ host, common }: PrivateGitDir, liza: string): string | undefined {
  const folders = Object.keys(BOARD_FOLDERS).filter((name) => BOARD_FOLDERS[name] === 'kept');
  const names = [
    ...BOARD_FILES,
    ...folders.flatMap((folder) => entries(host.disk, join(liza, folder)).map((name) => join(folder, name))),
  ];
  return keep(host, common, filesAmong(host.disk, liza, names));
}

const filesAmong = (disk: Disk, folder: string, names: readonly string[]): Content =>
  new Map(
    names
      .filter((name) => disk.lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true)
      .map((name) => [name, disk.readFileSync(join(folder, name))]),
  );

/** Comes by one rename: half a board is never taken for one. */
function keep(host: Host, common: string, content: Content): string | undefined {
  if (content.size === 0) return undefined;
  const { disk } = host;
  const had = keptBoards(disk, common);
  const same = had.find((folder) => isSame(disk, folder, content));
  if (same !== undefined) return same;
  const making = join(keptIn(common), HALF_MADE);
  removeTreeNow(host, making);
  for (const [name, bytes] of content) {
    disk.mkdirSync(dirname(join(making, name)), { recursive: true, mode: 0o700 });
    disk.writeFileSync(join(making, name), bytes, { mode: 0o600 });
  }
  const folder = join(keptIn(common), String(Number(basename(had.at(-1) ?? '0')) + 1));
  disk.renameSync(making, folder);
  return folder;
}

function isSame(disk: Disk, folder: string, content: Content): boolean {
  const has = filesAmong(disk, folder, [...content.keys()]);
  return [...content].every(([name, bytes]) => has.get(name)?.equals(bytes) === true);
}

const OLD = 'refs/liza/board';

/** Every agent's sandbox shows what refs lead to. */
export async function checkOldBoards(context: BoardContext, common: string, fix: boolean): Promise<readonly Finding[]> {
  const { root } = context.paths;
  const { stdout } = await git(context, root, ['for-each-ref', '--format=%(refname)', OLD]);
  const count = stdout.split('\n').filter((ref) => ref !== '').length;
  if (count === 0) return [];
  const told = `${counted(count, 'blackboard')} of an earlier liza deinit below ${OLD}, which agents can read, settings with keys included`;
  const check = 'kept boards';
  if (!fix) return [warning(check, told, 'liza doctor --fix moves them to .git/liza/kept, which no sandbox shows')];
  const gitDir = await openPrivateGitDir(context, root);
  if (isRefusal(gitDir)) return [warning(check, `${told}: ${gitDir.message}`, gitDir.hint)];
  const left = await moveOldBoards(gitDir, common);
  if (left.length > 0)
    return [
      warning(check, `${told}; ${left.join(', ')} could not be copied byte for byte`, `git update-ref -d ${left[0]}`),
    ];
  const after = 'git has their objects until it prunes them: change the keys that were in their settings';
  return [fixed(check, `${told}; moved to .git/liza/kept; ${after}`)];
}

/** Returns those that had to stay. */
async function moveOldBoards(gitDir: PrivateGitDir, common: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const [ref, from] of await readRefs(gitDir, OLD)) {
    const content = await contentOf(gitDir, from);
    if (content === undefined || keep(gitDir.host, common, content) === undefined) left.push(ref);
    else if ((await updateRefs(gitDir, [{ ref, to: null, from }])) !== 'done') left.push(ref);
  }
  return left;
}

async function contentOf(gitDir: PrivateGitDir, commit: string): Promise<Content | undefined> {
  const listed = await must(gitDir.objects(['ls-tree', '-r', '-l', '-z', commit]), 'read a kept board');
  const content = new Map<string, Buffer>();
  for (const line of listed.split('\0').filter((one) => one !== '')) {
    const [, id = '', size, name = ''] = /^\d+ blob (\w+) +(\d+)\t([\s\S]+)$/.exec(line) ?? [];
    const bytes = Buffer.from(await must(gitDir.objects(['cat-file', 'blob', id]), 'read a kept board'));
    // What is no text would not come out as it went in.
    if (bytes.length !== Number(size) || bytes.includes(REPLACED)) return undefined;
    if (name.split('/').includes('..')) return undefined;
    content.set(name, bytes);
  }
  return content;
}

const REPLACED = '\ufffd';
