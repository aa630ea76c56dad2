// `liza blame <file>`: the lines of a file on the integration branch, and who wrote and who approved them. Git says which
// commit last changed a line; who stands behind a commit is blame.ts's to say. Only reads.

import { join } from 'node:path';
import { integrationRef, openGitDir } from '../git/integration.ts';
import { commitOf } from '../git/refs.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { codersOf } from '../protocol/leases.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { recordedAuthors } from '../protocol/work/merge-names.ts';
import type { TaskContext } from '../tasks/context.ts';
import { shellWord } from '../text/format.ts';
import { redact, secretsOf } from '../text/redact.ts';
import { blame } from './blame.ts';

export interface FileBlame {
  readonly file: string;
  readonly branch: string;
  /** One for each commit that has lines there, the one of the first line first. */
  readonly parts: readonly FilePart[];
}

export interface FilePart {
  /** As ranges: `1-4, 9`. */
  readonly lines: string;
  readonly commit: string;
  readonly task?: string;
  readonly authors?: readonly string[];
  readonly approved_by?: string;
  /** The commit that was approved, which holds this one. */
  readonly approved?: string;
  /** Where no task stands behind it: its author and subject, as git has them. */
  readonly git: { readonly author: string; readonly subject: string };
}

/** Undefined: there is no such file on the integration branch. `path`: from the project's root. */
export async function blameFile(context: TaskContext, named: string): Promise<FileBlame | Refusal | undefined> {
  const path = named.replace(/^(\.\/)+/, '');
  const isPlain = path.trim() !== '' && path.length < 4096 && !/[\0-\x1f\x7f]/.test(path);
  if (!isPlain) return undefined;
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const head = await commitOf(gitDir, integrationRef(board));
  const branch = settings(board.state).integration_branch;
  const kind = head === undefined ? undefined : await gitDir.objects(['cat-file', '-t', `${head}:${path}`]);
  const found = kind?.stdout.trim();
  if (found === 'tree')
    return refuse(`${path} is a folder`, `name a file in it: git ls-files ${shellWord(path)}`, 1, 'commit');
  if (head === undefined || found !== 'blob')
    return context.disk.existsSync(join(context.paths.root, path)) ? notThere(path, branch) : undefined;
  const asked = await gitDir.objects(['blame', '--porcelain', head, '--', path]);
  if (asked.status !== 0) return refuse(`git could not read ${path}: ${asked.stderr.trim()}`, 'liza doctor', 2, 'git');
  const lines = linesByCommit(redact(asked.stdout, secretsOf(gitDir.host.env)));
  const parts: FilePart[] = [];
  for (const [commit, { numbers, ...git }] of lines) {
    const behind = await blame(context, commit);
    const known = isRefusal(behind) || 'brought' in behind ? undefined : behind;
    parts.push({
      ...{ lines: ranges(numbers), commit, git },
      ...(known === undefined
        ? {}
        : {
            task: known.task.id,
            authors: recordedAuthors(known.task, known.merge.reviewed) ?? codersOf(known.task),
            ...defined({ approved_by: known.merge.approved_by, approved: known.merge.reviewed }),
          }),
    });
  }
  return { file: path, branch, parts };
}

const notThere = (path: string, branch: string): Refusal =>
  refuse(
    `${path} is not on ${branch}, so nothing that Liza merged is in it`,
    `what git knows of it: git log -- ${shellWord(path)}`,
    1,
    'commit',
  );

interface Lines {
  readonly numbers: number[];
  author: string;
  subject: string;
}

/** Of `git blame --porcelain`: a header before each line, details once for each commit, the line after a tab. */
export function linesByCommit(text: string): ReadonlyMap<string, Lines> {
  const found = new Map<string, Lines>();
  let now: Lines | undefined;
  for (const line of text.split('\n')) {
    const [, commit, number] = /^([0-9a-f]{40}|[0-9a-f]{64}) \d+ (\d+)/.exec(line) ?? [];
    if (commit !== undefined) {
      now = found.get(commit) ?? { numbers: [], author: '', subject: '' };
      now.numbers.push(Number(number));
      found.set(commit, now);
    } else if (now !== undefined && line.startsWith('author ')) now.author = line.slice('author '.length);
    else if (now !== undefined && line.startsWith('summary ')) now.subject = line.slice('summary '.length);
  }
  return found;
}

/** `1-4, 9` */
export function ranges(numbers: readonly number[]): string {
  const all: [number, number][] = [];
  for (const number of numbers) {
    const last = all.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else all.push([number, number]);
  }
  return all.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}
