// Notices that the section a task was made from reads differently now: records it once, and says what changed. A spec
// lies in the project's folder, where people edit it at any time; nobody has to tell Liza.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { textAt } from '../git/text-at.ts';
import { isHeadingGone } from '../protocol/definition/amendment.ts';
import { fileOf } from '../protocol/messages/news.ts';
import { isTerminal, type State, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { hasLostHeading, keepSpec, keptSpec, readSpec, type SpecDiff, specDiff } from '../store/spec-texts.ts';
import { type CommandContext, transact } from '../store/transact.ts';
import { anchorOf, specSection } from '../text/spec-section.ts';
import type { TaskContext } from './context.ts';

export interface SpecChange {
  /** Since the task was finalized; absent: the text of that time is not kept, or its heading is gone. */
  readonly diff?: SpecDiff;
  readonly headingGone?: true;
  /** With its heading gone: how the section read when the task was finalized. */
  readonly was?: string;
  /** Nobody had noticed it before. */
  readonly isNew?: true;
}

/** What became of the section since the task was finalized; undefined: it is the same, or was never known. */
export async function noticeSpecChange(context: CommandContext, task: Task): Promise<SpecChange | undefined> {
  const { spec_ref: ref, spec_hash: hash } = task;
  if (ref === undefined || hash === undefined) return undefined;
  const now = readSpec(context.disk, context.paths.root, ref);
  const seen = task.spec_seen ?? hash;
  if (now === undefined || (now.hash === hash && seen === hash)) return undefined;
  const before = keptSpec(context, hash);
  const isGone = before !== undefined && hasLostHeading(ref, before, now);
  const diff = before === undefined || isGone ? undefined : await specDiff(before, now.text);
  // The rest of the file is not this section: what changes in it is no news of it.
  const isNew = now.hash !== seen && !(isGone && isHeadingGone(task));
  if (isNew) {
    // The next change is told as the difference to this one.
    keepSpec(context, now);
    const counts = diff === undefined ? {} : { added: diff.added, removed: diff.removed };
    const gone = isGone ? ({ heading_gone: true } as const) : {};
    await transact(context, { name: 'spec-changed', task: task.id, spec_hash: now.hash, ...counts, ...gone });
  }
  if (now.hash === hash) return undefined;
  return {
    ...(diff === undefined ? {} : { diff }),
    ...(isGone ? { headingGone: true, was: before } : {}),
    ...(isNew ? { isNew } : {}),
  };
}

/** How the section at a commit differs from the project's; undefined: it does not. */
export async function specBehind(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { spec_ref: ref }: Task,
  commit: string,
): Promise<{ readonly diff: SpecDiff } | 'absent' | undefined> {
  const now = ref === undefined ? undefined : readSpec(context.disk, context.paths.root, ref);
  if (ref === undefined || now === undefined) return undefined;
  const then = await textAt(gitDir, commit, fileOf(ref) ?? '');
  if (then === undefined) return 'absent';
  const { text, anchorMissing } = specSection(then, anchorOf(ref));
  // The whole file is not the section: there is nothing to hold against the other.
  if (anchorMissing !== now.anchorMissing) return anchorMissing === true ? 'absent' : undefined;
  return text === now.text ? undefined : { diff: await specDiff(text, now.text) };
}

/** The same for all live tasks and for whole files, for a crew at work. Answers what is new, one line each. */
export async function noticeSpecChanges(context: TaskContext, state: State): Promise<readonly string[]> {
  const { tasks } = state;
  const lines = [...(await noticeSpecFiles(context, state))];
  for (const task of tasks) {
    if (task.spec_hash === undefined || task.status === 'DRAFT' || isTerminal(task.status)) continue;
    const change = await noticeSpecChange(context, task);
    if (change?.isNew === true) lines.push(told(task, change));
  }
  return lines;
}

/** The files that tasks come from, and the goal's own: a section of theirs may be that of no live task. */
export async function noticeSpecFiles(context: CommandContext, { goal }: State): Promise<readonly string[]> {
  const { specs_seen: seen = [], status } = goal;
  if (seen.length === 0 || status === 'COMPLETED' || status === 'ABORTED') return [];
  const own = fileOf(goal.spec_ref);
  const isNew = own !== undefined && !seen.some(({ spec }) => spec === own);
  const lines: string[] = [];
  for (const { spec, hash } of isNew ? [...seen, { spec: own, hash: '' }] : seen) {
    const now = readSpec(context.disk, context.paths.root, spec);
    if (now === undefined || now.hash === hash) continue;
    keepSpec(context, now);
    const before = keptSpec(context, hash);
    const { added, removed } = before === undefined ? {} : await specDiff(before, now.text);
    await transact(context, { name: 'spec-file-changed', spec, hash: now.hash, ...defined({ added, removed }) });
    if (hash !== '') lines.push(`${spec} has changed: the planner is told`);
  }
  return lines;
}

function told({ id, spec_ref: ref, status }: Task, { headingGone }: SpecChange): string {
  if (headingGone !== true)
    return `${ref}, which ${id} is based on, has changed: its coder and its reviewer are shown how`;
  const now = AMENDED.has(status) ? '' : `${id} is ${status}, so once it is CLAIMED or BLOCKED again, `;
  return `the heading of ${ref}, which ${id} is based on, is gone: ${now}name the right one: liza amend ${id} --spec ${fileOf(ref)}#<heading>`;
}

const AMENDED: ReadonlySet<Task['status']> = new Set(['UNCLAIMED', 'CLAIMED', 'BLOCKED']);
