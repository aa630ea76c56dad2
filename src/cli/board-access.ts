// What the live board reaches beyond the crew, on the real machine: it runs `liza` commands as the person at the board
// would type them, lists the logs of sessions, and asks git for a task's diff. No text passes a shell.

import { spawn } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPrivateGitDir } from '../git/private-git-dir.ts';
import { findPlace, headOf, isPlace } from '../git/task-folder.ts';
import { isRefusal } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { historyOf } from '../protocol/leases.ts';
import type { Task } from '../protocol/state.ts';
import { isFields } from '../protocol/values.ts';
import type { StoreContext } from '../store/transact.ts';
import type { BoardAccess, DiffText, SessionLog } from './live/access.ts';

/** `program`: how this program is started again. */
export function openBoardAccess(context: StoreContext, program: readonly [string, ...string[]]): BoardAccess {
  const { root, liza } = context.paths;
  return {
    run: (argv) => runCommand(program, argv, root),
    logs: async () => sessionLogs(join(liza, 'agent-logs')),
    diff: (task) => diffOf(context, task),
  };
}

/** Longer than any command of the board takes: one that waits for ever must not. */
const LONGEST_MS = 120_000;

function runCommand(
  [program, ...first]: readonly [string, ...string[]],
  argv: readonly string[],
  cwd: string,
): ReturnType<BoardAccess['run']> {
  return new Promise((done) => {
    const child = spawn(program, [...first, '--json', ...argv], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_MS,
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', (error) => done({ ok: false, said: error.message }));
    child.on('close', (code) => {
      const said = saidBy(Buffer.concat(out).toString('utf8')) ?? Buffer.concat(err).toString('utf8').trim();
      done({ ok: code === 0, said: said === '' ? `liza ${argv[0]} ended with ${code}` : said });
    });
  });
}

/** A refusal with what to do instead. */
function saidBy(printed: string): string | undefined {
  try {
    const found: unknown = JSON.parse(printed);
    if (!isFields(found) || typeof found['message'] !== 'string') return undefined;
    return typeof found['hint'] === 'string' ? `${found['message']} → ${found['hint']}` : found['message'];
  } catch {
    return undefined;
  }
}

/** `coder-1.20260131T140211-120Z.parse-args.log`; only real files, because an agent may have put a link there. */
const NAME = /^([A-Za-z0-9_-]+)\.(\d{8}T\d{6}-\d{3}Z)(?:\.(.+))?\.log$/;

export function sessionLogs(folder: string): readonly SessionLog[] {
  const names = namesIn(folder);
  return names
    .flatMap((name): readonly SessionLog[] => {
      const [, agent, began, task] = NAME.exec(name) ?? [];
      if (agent === undefined || began === undefined) return [];
      const path = join(folder, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat?.isFile() === true ? [{ path, agent, task, began, bytes: stat.size }] : [];
    })
    .sort((a, b) => (a.began < b.began ? 1 : -1));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no session has begun yet
  }
}

const MOST_LINES = 20_000;

/** What became of a commit that is not under review. */
export const unsubmitted = (task: Task, commit: string): string =>
  historyOf(task).some((one) => one.event === 'rejected' && one.commit === commit)
    ? 'rejected, being reworked'
    : 'not submitted';

async function diffOf(context: StoreContext, id: string): Promise<DiffText> {
  const { board } = await context.store.read();
  const task = findTask(board.state, id);
  if (task === undefined) return { title: id, lines: [`${id} is no longer on the board: liza show ${id}`] };
  const gitDir = await openPrivateGitDir(context, context.paths.root);
  if (isRefusal(gitDir)) return { title: id, lines: [gitDir.message, `→ ${gitDir.hint}`] };
  const { base_commit: base, review_commit: submitted } = task;
  const place = submitted === undefined ? findPlace(gitDir, id) : undefined;
  const own = place !== undefined && isPlace(place) ? place : undefined;
  const commit = submitted ?? (own && (await headOf(gitDir, own))?.commit);
  if (base === undefined || commit === undefined || base === commit)
    return { title: id, lines: [`${id} is ${task.status}, and nothing is committed yet`] };
  const args = ['diff-tree', '-r', '-p', '--stat', '-M', '--no-color', '--no-ext-diff', '--no-textconv', base, commit];
  // Before it is submitted, only its clone may have the commit.
  const { status, stdout, stderr } = await (own === undefined ? gitDir.objects(args) : gitDir.files(own, args));
  const title = `${id}  ${base.slice(0, 10)}..${commit.slice(0, 10)}${submitted === undefined ? `, ${unsubmitted(task, commit)}` : ''}`;
  if (status !== 0) return { title, lines: [`git could not compare them: ${stderr.trim()}`] };
  const all = stdout.split('\n');
  const cut = all.length > MOST_LINES ? [`… ${all.length - MOST_LINES} more lines: git diff ${base} ${commit}`] : [];
  return { title, lines: [...all.slice(0, MOST_LINES), ...cut] };
}
