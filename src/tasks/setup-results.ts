// Results of set-up, made once and handed out as copies. Liza makes each in a checkout of its own, from the files that
// the command reads and nothing else, below `.liza`, which no sandbox shows: no agent can write there. So there are none
// without a sandbox, and none while or after an agent works outside of one. Every sandbox shows its checkout at the same
// place too, where results were made: a path that a tool wrote down is true in all of them.
// A result is complete under another name before it appears by one rename; of several that need it one makes it.

import { join } from 'node:path';
import { writeClone } from '../git/clone.ts';
import { entryAt } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { entries, inScratch, isRunning, setupPath } from '../git/scratch-folders.ts';
import { TOO_LARGE, textAt } from '../git/text-at.ts';
import { trackedChanges } from '../git/tracked-files.ts';
import { kindAt, splitNul } from '../git/tree-changes.ts';
import { readPlainFile } from '../process/plain-file.ts';
import { removeTree } from '../process/remove-tree.ts';
import { isRefusal } from '../protocol/decision.ts';
import { isFields } from '../protocol/values.ts';
import { checkoutPlace, sandboxMode, setupResultsOf, UNCONFINED, withSetupRead } from '../sandbox/mode.ts';
import { sha256 } from '../store/hash.ts';
import type { TaskContext } from './context.ts';
import { type PrepareRequest, prepareFolder, type Unprepared } from './prepare-checkout.ts';
import { wantsLogin } from './rules/login-needed.ts';
import { knownReads, lockOf, type Reads, readsOf, STEERS_INSTALL } from './rules/setup-inputs.ts';
import { copyHeld, copyMade, fits, isPlain, keepOnlyMade, listing } from './setup-files.ts';
import { setupKey } from './setup-key.ts';
import { type PersonsTrees, personsTrees, refuseSecrets } from './setup-login.ts';

export interface ReuseRequest extends PrepareRequest {
  /** The tree of the checkout's files. */
  readonly tree: string;
  /** Told which tracked files set-up changed where it ran; here they are as they were. */
  readonly onChanged?: ((paths: readonly string[]) => void) | undefined;
}

/** `own`: the checkout has to be prepared by itself. */
export type Reused = 'own' | 'ready' | Unprepared;

/** The newest of them are kept. */
const KEPT = 6;
/** What was used since may be in use. */
const RECENT_MS = 10 * 60_000;
/** What a registry gave a while ago is asked for again. */
const OLDEST_MS = 7 * 24 * 60 * 60_000;

export async function reuseSetup(context: TaskContext, gitDir: PrivateGitDir, request: ReuseRequest): Promise<Reused> {
  const { settings } = request;
  if (settings.setup_reuse === false || !settings.post_worktree_cmd?.trim()) return 'own';
  const mode = await sandboxMode(context.sandboxSupport, settings);
  if (isRefusal(mode) || !('tool' in mode) || mode.tool.kind !== 'bubblewrap') return 'own';
  if (!(await isTrusted(context)) || !hasRoom(context, request)) return 'own';
  const narrowed = (tree: string): Promise<string | undefined> => narrowTree(gitDir, tree, settings);
  const login = await personsTrees(context, gitDir, { settings, narrowed });
  const narrow = await narrowed(request.tree);
  if (narrow !== undefined && narrow !== request.tree) {
    const found = await fromTree(context, gitDir, withLogin(request, login, narrow), narrow);
    if (found === 'own' || found === 'ready') return found;
    // Maybe for want of a file that it reads after all: then all of them show it.
    if (context.stop?.().aborted === true || lacksLogin(found, settings)) return found;
    request.runs?.because('tried again in a full checkout');
    const again = await fromTree(context, gitDir, withLogin(request, login, request.tree), request.tree);
    // Without the login that the first try had, it fails for want of that: the first one says more.
    const isPoorer = login.trees.has(narrow) && !login.trees.has(request.tree);
    return typeof again !== 'string' && isPoorer ? found : again;
  }
  return fromTree(context, gitDir, withLogin(request, login, request.tree), request.tree);
}

/** No file of the commit gives one: where Liza knows what the command reads, its registry settings are among that. */
const lacksLogin = ({ lines = [] }: Unprepared, { setup_inputs = [] }: ReuseRequest['settings']): boolean =>
  setup_inputs.length === 0 && wantsLogin(lines.join('\n'));

/** The files of `setup_read` are shown for a tree that a person committed. */
function withLogin(request: ReuseRequest, { trees, withheld }: PersonsTrees, tree: string): ReuseRequest {
  return trees.has(tree) ? { ...request, settings: withSetupRead(request.settings) } : { ...request, withheld };
}

/** An agent outside of a sandbox could write a result: none is used while one works, nor what was there before it. */
async function isTrusted(context: TaskContext): Promise<boolean> {
  const { disk } = context;
  const all = setupResultsOf(context);
  const marks = entries(disk, all).filter((name) => name.startsWith(UNCONFINED));
  if (marks.length === 0) return true;
  if (marks.some((name) => isRunning(context, Number(name.slice(UNCONFINED.length))))) return false;
  await removeTree(context, all);
  return true;
}

function hasRoom({ files, paths }: TaskContext, { settings }: ReuseRequest): boolean {
  const free = files.freeMb?.(paths.liza);
  return free === undefined || free >= 2 * (settings.min_free_mb ?? 0);
}

/** A tree of nothing but what the command reads; undefined: of everything. */
async function narrowTree(
  gitDir: PrivateGitDir,
  tree: string,
  settings: ReuseRequest['settings'],
): Promise<string | undefined> {
  const reads = readsOf(settings.setup_inputs ?? []) ?? (await readsAt(gitDir, tree, settings.post_worktree_cmd ?? ''));
  if (reads === undefined) return undefined;
  const listed = await must(gitDir.objects(['ls-tree', '-r', '-z', '--full-tree', tree]), 'list a commit');
  const chosen = splitNul(listed).filter((entry) => reads(entry.slice(entry.indexOf('\t') + 1)));
  return inScratch(gitDir, async (own) => {
    const index = { folder: gitDir.root, index: join(own, 'index') };
    const info = chosen.map((entry) => `${entry}\0`).join('');
    await must(gitDir.files(index, ['update-index', '-z', '--index-info'], info), 'compose a tree');
    return (await must(gitDir.files(index, ['write-tree']), 'write a tree')).trim();
  });
}

async function readsAt(gitDir: PrivateGitDir, tree: string, command: string): Promise<Reads | undefined> {
  const lock = lockOf(command);
  if (lock === undefined) return undefined;
  for (const path of STEERS_INSTALL) if ((await entryAt(gitDir, tree, path)) !== undefined) return undefined;
  const [about, locked] = await Promise.all(['package.json', lock].map((path) => textAt(gitDir, tree, path)));
  return about === TOO_LARGE || locked === TOO_LARGE ? undefined : knownReads(command, about, locked);
}

async function fromTree(
  context: TaskContext,
  gitDir: PrivateGitDir,
  request: ReuseRequest,
  tree: string,
): Promise<Reused> {
  const place = join(setupResultsOf(context), setupKey(context, request.settings, tree));
  const known = await handOut(context, request, place);
  if (known !== undefined) return known;
  context.disk.mkdirSync(setupResultsOf(context), { recursive: true });
  const lock = await context.locks.acquire(`${place}.lock`, (request.settings.post_worktree_timeout + 60) * 1000);
  if (!('release' in lock)) return 'own';
  try {
    return (await handOut(context, request, place)) ?? (await make(context, gitDir, request, { tree, place }));
  } finally {
    // Under the lock: who waits for it notices, and starts over.
    context.disk.rmSync(`${place}.lock`, { force: true });
    lock.release();
  }
}

interface Result {
  /** Set-up does more than make files that can be copied: each checkout needs its own. */
  readonly own?: true;
  /** When the command was started, by the clock of the disk. */
  readonly since: number;
  /** Tracked files that it changed or removed. None of them is kept: every checkout has its own. */
  readonly changed: readonly string[];
  /** Files that Liza brought (`worktree_files`) and that it changed. */
  readonly brought: readonly string[];
}

/** Undefined: there is none. */
async function handOut(context: TaskContext, request: ReuseRequest, place: string): Promise<Reused | undefined> {
  const { disk, clock } = context;
  const file = join(place, 'result.json');
  const stat = disk.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const result = readResult(disk.readFileSync(file, 'utf8'));
  if (result === undefined || clock.now() - result.since > OLDEST_MS) {
    await removeTree(context, place);
    return undefined;
  }
  const now = clock.now() / 1000;
  disk.utimesSync(file, now, now);
  return result.own === true ? 'own' : putInto(context, request, place, result);
}

function readResult(text: string): Result | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) && Array.isArray(value['changed']) && Array.isArray(value['brought'])
      ? (value as unknown as Result)
      : undefined;
  } catch {
    return undefined;
  }
}

async function putInto(
  { disk }: TaskContext,
  { folder, onChanged }: ReuseRequest,
  place: string,
  result: Result,
): Promise<Reused> {
  const made = join(place, 'files');
  if (!fits(disk, made, folder, new Set(result.brought))) return 'own';
  await copyMade(disk, made, folder, result.since);
  if (result.changed.length > 0) onChanged?.(result.changed);
  return 'ready';
}

interface Making {
  readonly tree: string;
  readonly place: string;
}

async function make(
  context: TaskContext,
  gitDir: PrivateGitDir,
  request: ReuseRequest,
  { tree, place }: Making,
): Promise<Reused> {
  const { disk, paths, processes, random } = context;
  const folder = setupPath(gitDir);
  const next = join(setupResultsOf(context), `.making-${processes.pid}-${random.hex(4)}`);
  try {
    await writeClone(gitDir, folder, { start: await commitOf(gitDir, tree) });
    const gitBefore = listing(disk, join(folder, '.git'), STIRRED);
    const since = disk.lstatSync(folder).mtimeMs;
    // Others may wait for it: it does not yield.
    const mine = { ...context, background: false };
    const at = checkoutPlace(paths.root);
    const failed = await prepareFolder(mine, { ...request, folder, at });
    if (failed !== undefined) return failed;
    const gitAfter = listing(disk, join(folder, '.git'), STIRRED);
    const isOwn = gitAfter === undefined || gitAfter !== gitBefore || !(await isPlain(context, folder));
    const result = isOwn
      ? ({ own: true, since, changed: [], brought: [] } as const)
      : await takeOut(context, gitDir, request, { folder, tree, since });
    const told = request.withheld === undefined ? await refuseSecrets(context, request.settings, folder) : undefined;
    if (told !== undefined) return told;
    disk.mkdirSync(next);
    if (isOwn) disk.mkdirSync(join(next, 'files'));
    else if (await gitDir.keepsApart('setup')) disk.renameSync(folder, join(next, 'files'));
    // A program of it may have handed the folder on, open: what is handed out is nobody's but Liza's.
    else await copyHeld(context, folder, join(next, 'files'));
    disk.writeFileSync(join(next, 'result.json'), JSON.stringify(result));
    disk.renameSync(next, place);
    await dropOld(context, place);
    if (isOwn)
      request.runs?.because('it does more than make files that can be copied, so each checkout needs its own run');
    return isOwn ? 'own' : await putInto(context, request, place, result);
  } finally {
    await removeTree(context, folder);
    await removeTree(context, next);
  }
}

/** What any git command stirs. */
const STIRRED: ReadonlySet<string> = new Set(['index']);

async function takeOut(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { settings }: ReuseRequest,
  { folder, tree, since }: { readonly folder: string; readonly tree: string; readonly since: number },
): Promise<Result> {
  const { disk, paths } = context;
  const changed = await trackedChanges(gitDir, folder, tree);
  const listed = await must(gitDir.objects(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]), 'list a tree');
  const tracked = splitNul(listed);
  // What Liza copied is copied into every checkout anyway.
  const brought = (settings.worktree_files ?? []).filter((name) => !tracked.includes(name));
  const isFile = (name: string): boolean =>
    kindAt(disk, folder, name) === 'file' && disk.lstatSync(join(folder, name)).isFile();
  const isAsBrought = (name: string): boolean => {
    const bytes = isFile(name) ? readPlainFile(disk, join(folder, name), MOST_BROUGHT) : undefined;
    return bytes !== undefined && sha256(bytes) === sha256(disk.readFileSync(join(paths.root, name)));
  };
  const same = brought.filter(isAsBrought);
  await removeTree(context, join(folder, '.git'));
  keepOnlyMade(disk, folder, [...tracked, ...same]);
  return { since, changed, brought: brought.filter((name) => isFile(name)) };
}

/** What is larger counts as changed. */
const MOST_BROUGHT = 256 * 1024 * 1024;

/** A commit that nobody else knows, with these files. */
async function commitOf(gitDir: PrivateGitDir, tree: string): Promise<string> {
  return (await must(gitDir.objects(['commit-tree', '-m', 'For set-up only', tree]), 'make a checkout')).trim();
}

async function dropOld(context: TaskContext, keep: string): Promise<void> {
  const { disk, clock } = context;
  const all = setupResultsOf(context);
  // Beside results there are locks of those that are being made: files, below which a look fails.
  const places = entries(disk, all).filter((name) => !name.endsWith('.lock'));
  const used = places.flatMap((name) => {
    const stat = disk.lstatSync(join(all, name, 'result.json'), { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path: join(all, name), at: stat.mtimeMs }];
  });
  const old = used.sort((a, b) => b.at - a.at).slice(KEPT);
  for (const { path, at } of old) if (path !== keep && clock.now() - at > RECENT_MS) await removeTree(context, path);
}

/** Removes what makers left that are gone; after a crash. */
export async function sweepSetupResults(context: TaskContext): Promise<void> {
  const all = setupResultsOf(context);
  for (const name of entries(context.disk, all)) {
    const pid = /^\.making-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(context, Number(pid))) await removeTree(context, join(all, name));
    if (name.endsWith('.lock')) await sweepLock(context, join(all, name));
  }
}

/** Its holder is gone if it can be had at once; removed while it is held, as by a maker that ends in order. */
async function sweepLock({ disk, locks }: TaskContext, path: string): Promise<void> {
  const lock = await locks.acquire(path, 0);
  if (!('release' in lock)) return;
  disk.rmSync(path, { force: true });
  lock.release();
}
