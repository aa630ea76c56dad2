// `liza init`: a blackboard for a goal. Safe to repeat: every step looks first, and the journal's first
// entry comes last, so a half-made project is simply finished by the next init.
// On a project whose goal is finished it archives that goal and opens the next one.

import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { branchAt } from '../git/base-branch.ts';
import { checkoutOf } from '../git/branch-checkouts.ts';
import { commitIt, committedFiles, notCommitted, notInGit } from '../git/committed-files.ts';
import { openPrivateGitDir } from '../git/private-git-dir.ts';
import { ensureBranch, type Repository } from '../git/repository.ts';
import { replaceFile } from '../ports/files.ts';
import { OPERATOR } from '../protocol/board.ts';
import { branchInUse } from '../protocol/commands/operator/budget-setting.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { testsNowhere } from '../protocol/facts/scope.ts';
import { goalRecord } from '../protocol/goal/goal-record.ts';
import { discoveryHead } from '../protocol/messages/discoveries.ts';
import { notesAtEnd } from '../protocol/messages/notes.ts';
import { isOpen } from '../protocol/messages/questions.ts';
import { isBranchName } from '../protocol/records/fields.ts';
import { freshState, nextGoal } from '../protocol/records/new-board.ts';
import { type Config, type Goal, isGoalOver, type State } from '../protocol/state.ts';
import { taskArchive } from '../store/archive.ts';
import { touchedRecords } from '../store/changed-records.ts';
import type { BoardContext } from '../store/context.ts';
import { start } from '../store/import.ts';
import { inTransaction } from '../store/in-transaction.ts';
import { readTail } from '../store/journal.ts';
import { unlocked } from '../store/refusals.ts';
import { canRestore } from '../store/restore.ts';
import { readSwitches } from '../store/switch-files.ts';
import { LostRace } from '../store/transaction.ts';
import { emitEntries } from '../store/yaml/emit.ts';
import { updateDocument } from '../store/yaml/update.ts';
import { counted, gist, shellWord } from '../text/format.ts';
import { fileOf, refuseSpec, writeVision } from './init-document.ts';
import { asOwner } from './init-place.ts';
import { makeProject, refuseLink, settingsOf, siteOf } from './project-manifest.ts';

export interface InitRequest {
  readonly goal: string;
  readonly spec: string;
  readonly branch: string;
  readonly specExists: boolean;
  /** What the goal's document begins with, should it not be there. */
  readonly template?: string;
  readonly settings?: Pick<Config, 'test_command' | 'post_worktree_cmd' | 'default_provider' | 'setup_read'>;
  /** The shipped JSON Schema, copied beside state.yaml for editors. */
  readonly schema: string | undefined;
}

interface InitDone {
  readonly ok: true;
  readonly message: string;
  readonly lines: readonly string[];
  /** What to do now: the last lines, whatever else is said. */
  readonly next?: readonly string[];
  readonly already: boolean;
}

export async function init(
  context: BoardContext,
  repository: Repository,
  request: InitRequest,
): Promise<InitDone | Refusal> {
  const { paths } = context;
  const refused =
    refuseGoal(request) ??
    refuseLink(paths.liza) ??
    refuseFile(paths.liza) ??
    refuseSpec(paths.root, request) ??
    refuseLost(context);
  if (refused !== undefined) return refused;
  // Refuses what Liza could not work with later, before anything is made.
  const gitDir = await openPrivateGitDir(context, repository.root);
  if ('ok' in gitDir) return gitDir;
  return asOwner(context, gitDir.common, () => make(context, repository, request, gitDir.common));
}

async function make(
  context: BoardContext,
  repository: Repository,
  request: InitRequest,
  common: string,
): Promise<InitDone | Refusal> {
  const { files, paths } = context;
  // An earlier goal may have named another branch. That one stays, and a person may look at it.
  const earlier = (await settingsOf(context))?.integration_branch;
  const user =
    earlier === undefined ? checkoutOf(context.disk, repository.root, `refs/heads/${request.branch}`) : undefined;
  if (user !== undefined) return branchInUse(request.branch, user);
  const branch = await ensureBranch(context, repository.root, request.branch, repository.head);
  if ('ok' in branch) return branch;
  const told =
    branch.how === 'made'
      ? `branch ${request.branch} created from ${repository.head.slice(0, 12)}; approved work is merged there, into yours only by liza finish`
      : `branch ${request.branch} already exists: agents go on from where it is`;
  const made = await makeProject({ ...siteOf(context, common), files, branch: earlier ?? request.branch });
  const opened = await openBoard(context, request, branch.head);
  if (!opened.ok) return opened;
  const untracked = await notCommitted(context, paths.root, [fileOf(request.spec)]);
  const untested = testsNowhere(await committedFiles(context, paths.root), (await settingsOf(context)) ?? {});
  const warnings = [
    // Of a template the next step says it.
    ...(request.specExists ? untracked.map(notInGit) : []),
    ...(untested === undefined ? [] : [untested]),
  ];
  return { ...opened, lines: [told, ...made, ...opened.lines, ...warnings] };
}

async function openBoard(context: BoardContext, request: InitRequest, head: string): Promise<InitDone | Refusal> {
  const { files, paths } = context;
  const existing = files.stat(paths.state) !== undefined || (readTail(files, paths.journal, 1)?.lines.length ?? 0) > 0;
  if (existing) return reopen(context, request);
  const lock = await context.lock();
  if (!('release' in lock)) return unlocked(lock);
  let unfinished: string | undefined;
  let written = false;
  try {
    // Two inits at once: the second finds the first one's board.
    if ((readTail(files, paths.journal, 1)?.lines.length ?? 0) > 0) return already(request);
    const fresh = freshState({
      goal: request.goal,
      spec_ref: request.spec,
      integration_branch: request.branch,
      base_branch: baseOf(context, request.branch),
      integration_head: head,
      now: context.clock.now(),
    });
    const state = { ...fresh, config: { ...fresh.config, ...request.settings } };
    writeSchema(context, request);
    written = writeVision(context, request);
    const text = boardText(state, request.schema !== undefined);
    unfinished = start(context, text, { actor: OPERATOR, command: 'init', detail: `goal: ${request.goal}` });
  } catch (error) {
    if (!(error instanceof LostRace)) throw error;
    return already(request);
  } finally {
    lock.release();
  }
  return {
    ok: true,
    already: false,
    message: `blackboard ready in ${relative(paths.root, paths.state)} for: ${request.goal}`,
    lines: [...(unfinished === undefined ? [] : [unfinished]), ...writtenLine(request, written)],
    next: nextSteps(request, written),
  };
}

/** A name that the board could not keep is asked for when it is needed. */
function baseOf({ disk, paths }: BoardContext, integration: string): string | undefined {
  const on = branchAt(disk, paths.root);
  return on === undefined || on === integration || !isBranchName(on) ? undefined : on;
}

/** An existing blackboard: the same goal again is no news; another one needs the old one finished. */
function reopen(context: BoardContext, request: InitRequest): Promise<InitDone | Refusal> {
  return inTransaction<InitDone>(context, async (transaction) => {
    writeSchema(context, request);
    const before = transaction.normal.state;
    if (before.goal.description === request.goal && !isGoalOver(before)) return already(request, before.config);
    if (!isGoalOver(before)) return goalOpen(before.goal);
    const live = before.tasks.filter((task) => !['MERGED', 'SUPERSEDED', 'ABANDONED'].includes(task.status));
    if (live.length > 0) {
      return refuse(
        `of the ${before.goal.status} goal ${counted(live.length, 'task')} ${live.length === 1 ? 'is' : 'are'} not finished: ${live
          .map((task) => task.id)
          .slice(0, 5)
          .join(', ')}`,
        'end them with liza abandon, or continue with liza resume',
        1,
        'tasks-open',
      );
    }
    const archived = await taskArchive(context.files, context.paths.archive).all();
    const next = nextGoal(before, { goal: request.goal, spec_ref: request.spec, now: transaction.now() });
    const after = { ...next, config: { ...next.config, ...request.settings } };
    const written = writeVision(context, request);
    const { doc, edits } = await updateDocument(transaction.doc, transaction.normal.toFile(after));
    transaction.commit(doc, {
      actor: OPERATOR,
      command: 'init',
      detail: `goal: ${request.goal} (${before.goal.id} archived)`,
      change: edits,
      records: touchedRecords(before, after),
      switches: { ABORT: false, CHECKPOINT: false },
      archive: before.tasks,
      ended: goalRecord(before, archived, transaction.now()),
      effect: true,
    });
    const message = `new goal: ${request.goal}; ${before.goal.id} is archived`;
    return {
      ok: true,
      already: false,
      message,
      lines: [...carriedOver(before, after), ...writtenLine(request, written), ...stillPaused(context)],
      next: nextSteps(request, written),
    };
  });
}

/** A person's PAUSE is the project's, and ends with no goal. */
const stillPaused = ({ files, paths }: BoardContext): readonly string[] =>
  readSwitches(files, paths).PAUSE === undefined ? [] : ['PAUSE stays on, so nothing starts: liza resume'];

/** What the former goal left undecided, and which notes ended with it. */
function carriedOver(before: State, after: State): readonly string[] {
  const { carried, ended } = notesAtEnd(before);
  return [
    ...(after.questions ?? []).map(
      (one) =>
        `carried over: ${one.id}, asked by ${one.asked_by}: ${one.text}${isOpen(one) ? '' : `; ${one.status} since: ${one.answer ?? one.assume ?? ''}`}`,
    ),
    ...after.discovered.map((found) => `carried over: ${discoveryHead(found)}: ${gist(found.description)}`),
    ...carried.map(({ id, note }) => `carried over: ${id}, for ${note.for ?? 'everyone'}: ${gist(note.message)}`),
    ...ended.map(
      ({ id, note }) =>
        `closed: ${id}, for ${note.for ?? 'everyone'}${note.processed_by === undefined ? `, which ended with ${before.goal.id}` : `, handled by ${note.processed_by}`}: ${gist(note.message)}`,
    ),
  ];
}

export const goalOpen = ({ description, status }: Goal): Refusal =>
  refuse(
    `this project already works on "${description}" (${status})`,
    'finish it with liza goal complete, or stop it with liza abort, then init again',
    1,
    'goal-open',
  );

const writtenLine = ({ spec }: InitRequest, written: boolean): readonly string[] =>
  written ? [`${fileOf(spec)} was created from a template`] : [];

const nextSteps = ({ spec }: InitRequest, written: boolean): readonly string[] => [
  written
    ? `next: say in ${fileOf(spec)} what is wanted, commit it (${commitIt(fileOf(spec))}), then: liza run`
    : 'next: liza run, or plan by hand: liza add-task --help',
];

/** Only under the lock, where temporary files are swept. */
function writeSchema({ files, paths }: BoardContext, { schema }: InitRequest): void {
  if (schema === undefined) return;
  replaceFile(files, join(paths.liza, 'state.schema.json'), Buffer.from(schema), false);
}

/** Settings of a goal that is under way are not changed in passing. */
const already = ({ goal, settings }: InitRequest, config?: Config): InitDone => ({
  ok: true,
  already: true,
  message: `already done: this project has its blackboard for: ${goal}`,
  lines: Object.entries(settings ?? {})
    .filter(([key, value]) => config !== undefined && config[key as keyof Config] !== value)
    .map(([key, value]) => `${key} stays as it was; to change it: liza config set ${key} ${shellWord(String(value))}`),
});

function boardText(state: State, schema: boolean): string {
  const head = [
    ...(schema ? ['# yaml-language-server: $schema=./state.schema.json'] : []),
    '# The blackboard. You may read and edit it: liza merges what you save here, record by record,',
    '# and keeps what it may not adopt in .liza/rejected. The easier way: liza edit',
  ];
  return `${[...head, ...emitEntries(state as unknown as Readonly<Record<string, unknown>>, 0)].join('\n')}\n`;
}

function refuseGoal({ goal }: InitRequest): Refusal | undefined {
  if (goal.trim() !== '') return undefined;
  return refuse('the goal is empty', 'liza init "Add retry to all API calls"', 1, 'goal');
}

/** A board that was deleted by mistake is worth more than a fresh one. */
function refuseLost(context: BoardContext): Refusal | undefined {
  const { files, paths } = context;
  if (files.stat(paths.journal) !== undefined || files.stat(paths.state) !== undefined || !canRestore(context))
    return undefined;
  return refuse(
    'this project had a blackboard, and the git directory still has its journal',
    `restore it with: liza doctor --fix; or delete it with: rm -r ${relative(paths.root, paths.mirror ?? '')}`,
    1,
    'lost-board',
  );
}

function refuseFile(liza: string): Refusal | undefined {
  if (statSync(liza, { throwIfNoEntry: false })?.isDirectory() !== false) return undefined;
  return refuse('.liza is a file, not a folder', 'move it away, then init again', 1, 'file');
}
