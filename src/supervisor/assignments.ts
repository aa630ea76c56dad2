// From a duty to a session: the claim, the folder it is worked in, and the agent's prompt. A refusal is an expected
// result: another agent was faster, or the folder cannot be prepared.

import { join } from 'node:path';
import { listAttempts, recordTip } from '../git/attempts.ts';
import { changedSince, pathsBetween, treeOf } from '../git/folder-snapshot.ts';
import { integrationHead, integrationRef, openGitDir } from '../git/integration.ts';
import { idsOf } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import { findPlace, headOf, isPlace } from '../git/task-folder.ts';
import { EnvironmentError, isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { baselineOf, iterationEvents, startCommit } from '../protocol/leases.ts';
import { type SectionNews, specChangeKey, toldWith } from '../protocol/messages/news.ts';
import { type Agent, type Role, type State, settings, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { isGivenBack } from '../protocol/work/block-before.ts';
import { changesSince } from '../store/spec-sections.ts';
import { transact } from '../store/transact.ts';
import { claimTask } from '../tasks/claim.ts';
import { claimReview } from '../tasks/claim-review.ts';
import type { TaskContext } from '../tasks/context.ts';
import { declaredFiles, discardOf } from '../tasks/discard-folder.ts';
import { noticeSpecChange, specBehind } from '../tasks/notice-spec.ts';
import { tidy } from '../tasks/release.ts';
import { restFolder } from '../tasks/rest-folder.ts';
import { makeReviewFolder, type ReviewFolder } from '../tasks/review-copy.ts';
import { counted } from '../text/format.ts';
import type { Chosen, SupervisorContext } from './context.ts';
import { coderPrompt } from './prompts/coder.ts';
import { newConcerns } from './prompts/concerns.ts';
import { plannerPrompt } from './prompts/planner.ts';
import type { CoderWork, PromptContext } from './prompts/prompt.ts';
import { reviewerPrompt } from './prompts/reviewer.ts';
import { rejectionOf } from './prompts/sections.ts';
import { openWakes, type Wake } from './rules/wakes.ts';
import type { SessionWork } from './session.ts';

export interface Player {
  readonly agent: string;
  readonly role: Role;
  readonly chosen: Chosen;
}

export interface Assignment {
  readonly work: SessionWork;
  /** Wakes that are in its prompt; recorded when the session has ended well. */
  readonly handled?: readonly string[];
  /** When the session is over: checks whether it kept to what it was given; a coder's folder rests. */
  inspect?(): Promise<void>;
  /** Removes what was made for this session alone. */
  dismiss(): Promise<void> | void;
}

const NOTHING = (): void => {};

interface Claim {
  readonly task: Task;
  /** The operator named this task. */
  readonly named: boolean;
}

export async function assignTask(
  context: SupervisorContext,
  taskContext: TaskContext,
  player: Player,
  { task, named, handOff }: Claim & { readonly handOff: number | undefined },
): Promise<Assignment | Refusal> {
  const claimed = await claimTask(taskContext, task.id, player.agent);
  if (isRefusal(claimed)) return claimed;
  const spec = await noticeSpecChange(taskContext, task);
  const { board, now } = await context.store.read();
  const held = findTask(board.state, task.id) ?? task;
  const gitDir = await openGitDir(taskContext, board);
  if (isRefusal(gitDir)) return gitDir;
  const worktree = `${context.paths.root}/${claimed.folder}`;
  const known = board.state.agents[player.agent]?.resume;
  // In a fresh folder, or in another coder's work, the agent's memory of the old one would mislead it.
  const resumed = claimed.kept && claimed.continued !== true ? resumeOf(known, player, task.id) : {};
  const drift = await driftOf(gitDir, held, await integrationHead(gitDir, board));
  const isContinued = claimed.continued === true || (claimed.kept && isGivenBack(held));
  const continued = isContinued ? await contentsOf(gitDir, held, claimed.beside) : undefined;
  const replaced = await workReplaced(taskContext, gitDir, held);
  const begun = startCommit(held);
  const without = await rejectedBeside(gitDir, held, begun);
  const prompt = coderPrompt(contextOf(context, player, { board, now }), {
    task: held,
    worktree,
    ...defined({ conflicts: claimed.conflicts, drift, spec, continued, replaced, begun, without }),
    ...(resumed.resume === undefined ? {} : { resumed: true }),
    ...defined({ handOff }),
    ...(named ? { named: true } : {}),
  });
  return {
    work: {
      ...player,
      task: held.id,
      epoch: held.epoch ?? 0,
      cwd: worktree,
      prompt,
      told: toldWith(board.state, { ...player, task: held.id }),
      ...resumed,
      folder: {
        fingerprint: () => folderFingerprint(gitDir, held, declaredFiles(settings(board.state))),
        ...(claimed.kept ? {} : { initial: () => initialFingerprint(gitDir, held) }),
      },
      keepCommits: async () => {
        const place = findPlace(gitDir, held.id);
        const discard = discardOf(held, settings(board.state), 'its history was rewritten');
        if (isPlace(place)) await recordTip(gitDir, place, discard);
      },
      unsubmitted: () => unsubmittedText(gitDir, held),
    },
    inspect: () => restFolder(taskContext, held.id, player.agent),
    dismiss: NOTHING,
  };
}

/** HEAD and files of the folder, as one text; the same as long as nothing was done there. */
async function folderFingerprint(gitDir: PrivateGitDir, task: Task, leaveOut: readonly string[]): Promise<string> {
  const place = findPlace(gitDir, task.id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  if (!isPlace(place) || head === undefined) return 'gone';
  try {
    return `${head.commit} ${await treeOf(gitDir, place, head.commit, leaveOut, 'limited')}`;
  } catch (error) {
    // An agent can break its folder, with a commit that git does not read for example.
    if (!(error instanceof EnvironmentError)) throw error;
    return `${head.commit} ${error.message}`;
  }
}

/** The fingerprint of a folder as it was handed over. */
async function initialFingerprint(gitDir: PrivateGitDir, task: Task): Promise<string> {
  const start = startCommit(task) ?? '';
  const tree = baselineOf(task) ?? (await idsOf(gitDir, [start], 'tree'))[0] ?? '';
  return `${start} ${tree}`;
}

/** The last work that is kept of each task that this one replaces; by commit, which resolves in every folder. */
async function workReplaced(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { supersedes = [] }: Task,
): Promise<CoderWork['replaced']> {
  // Its folder may not have been put away yet; if it cannot be, that is reported elsewhere.
  for (const id of supersedes) if (isPlace(findPlace(gitDir, id))) await tidy(context, id, 'its task is SUPERSEDED');
  const kept = await Promise.all(supersedes.map((id) => listAttempts(gitDir, id)));
  const found = kept.flatMap((attempts, at) => {
    const commit = attempts.findLast(({ setAside }) => setAside !== true)?.commit;
    return commit === undefined ? [] : [{ task: supersedes[at] ?? '', commit }];
  });
  return found.length === 0 ? undefined : found;
}

/** What is in the folder from before: its commits, and the files that it did not commit. */
async function contentsOf(
  gitDir: PrivateGitDir,
  task: Task,
  beside: NonNullable<CoderWork['continued']>['beside'],
): Promise<CoderWork['continued']> {
  const place = findPlace(gitDir, task.id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  if (!isPlace(place) || head === undefined) return undefined;
  const counted = await gitDir.objects(['rev-list', '--count', `${task.base_commit}..${head.commit}`]);
  const aside = (await listAttempts(gitDir, task.id)).findLast(({ setAside }) => setAside === true);
  return {
    commits: Number(counted.stdout) || 0,
    uncommitted: await changedSince(gitDir, place, head.commit),
    ...defined({ setAside: aside?.ref, beside }),
  };
}

/** `2 commits (up to 6cda3d512345) and 1 changed file in .worktrees/greet were not submitted` */
async function unsubmittedText(gitDir: PrivateGitDir, task: Task): Promise<string> {
  const place = findPlace(gitDir, task.id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  if (!isPlace(place) || head === undefined) return '';
  const listed = await gitDir.objects(['rev-list', '--count', `${startCommit(task)}..${head.commit}`]);
  const commits = Number(listed.stdout) || 0;
  const files = (await changedSince(gitDir, place, head.commit)).length;
  const left = [
    ...(commits === 0 ? [] : [`${counted(commits, 'commit')} (up to ${head.commit.slice(0, 12)})`]),
    ...(files === 0 ? [] : [counted(files, 'changed file')]),
  ];
  const were = commits + files === 1 ? 'was' : 'were';
  return left.length === 0 ? '' : `${left.join(' and ')} in .worktrees/${task.id} ${were} not submitted`;
}

/** What integration has gained since the work began, for a coder who comes back to it. */
async function driftOf(gitDir: PrivateGitDir, task: Task, integration: string | Refusal) {
  const base = task.base_commit;
  if (base === undefined || typeof integration !== 'string' || base === integration) return undefined;
  const counted = await gitDir.objects(['rev-list', '--count', `${base}..${integration}`]);
  const commits = Number(counted.stdout);
  if (counted.status !== 0 || commits === 0) return undefined;
  return { commits, files: (await pathsBetween(gitDir, base, integration)).slice(0, 50), head: integration };
}

/** The rejected commit, where it is no part of the history up to this one. */
async function rejectedBeside(gitDir: PrivateGitDir, task: Task, tip: string | undefined): Promise<string | undefined> {
  const rejection = rejectionOf(task);
  const commit = rejection?.former === true ? undefined : rejection?.commit;
  if (commit === undefined || tip === undefined) return undefined;
  return (await isAncestor(gitDir, commit, tip)) ? undefined : commit;
}

export async function assignReview(
  context: SupervisorContext,
  taskContext: TaskContext,
  player: Player,
  { task, named }: Claim,
): Promise<Assignment | Refusal> {
  const claimed = await claimReview(taskContext, task.id, player.agent);
  if (isRefusal(claimed)) return claimed;
  for (const text of claimed.remarks) context.emit({ level: 'info', agent: player.agent, task: task.id, text });
  const spec = await noticeSpecChange(taskContext, task);
  const { board, now } = await context.store.read();
  const held = findTask(board.state, task.id) ?? task;
  if (held.review_commit !== claimed.commit || held.reviewing_by !== player.agent)
    return refuse(`${task.id} is no longer to be reviewed at ${claimed.commit}`, 'it is looked for again', 1, 'state');
  const base = claimed.base ?? held.base_commit ?? integrationRef(board);
  const gitDir = await openGitDir(taskContext, board);
  const older = isRefusal(gitDir) ? undefined : await specBehind(taskContext, gitDir, held, base);
  const without = isRefusal(gitDir) ? undefined : await rejectedBeside(gitDir, held, claimed.commit);
  const copy = await makeReviewFolder(taskContext, held);
  if (isRefusal(copy)) return copy;
  const resumed = resumeOf(board.state.agents[player.agent]?.resume, player, task.id);
  const prompt = reviewerPrompt(contextOf(context, player, { board, now }), {
    task: held,
    worktree: copy.folder,
    ...defined({ tryout: copy.tryout, lists: copy.lists }),
    undone: copy.undone,
    base,
    commit: claimed.commit,
    lostVerdicts: lostVerdicts(context, held),
    ...defined({ spec, specBehind: older, without }),
    ...(resumed.resume === undefined ? {} : { resumed: true }),
    ...(named ? { named: true } : {}),
  });
  return {
    work: {
      ...player,
      task: held.id,
      epoch: held.epoch ?? 0,
      cwd: copy.folder,
      ...defined({ tryout: copy.tryout }),
      prompt,
      told: toldWith(board.state, { ...player, task: held.id }),
      ...resumed,
    },
    inspect: () => inspectReview(context, taskContext, player.agent, held, copy),
    dismiss: copy.remove,
  };
}

/** A reviewer changes no file. A verdict was refused for it already; here it is reported, verdict or not. */
async function inspectReview(
  context: SupervisorContext,
  taskContext: TaskContext,
  agent: string,
  { id: task }: Task,
  copy: ReviewFolder,
): Promise<void> {
  try {
    const paths = await copy.changed();
    if (paths.length === 0) return;
    const named = `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}`;
    context.emit({ level: 'alarm', agent, task, text: `${agent} changed files of the commit it reviews: ${named}` });
    await transact(taskContext, { name: 'review-changed', task, agent, paths });
  } catch (error) {
    const text = `the review copy of ${task} could not be compared: ${(error as Error).message}`;
    context.emit({ level: 'warning', agent, task, text });
  }
}

export async function assignPlan(
  context: SupervisorContext,
  player: Player,
  first: readonly Wake[],
): Promise<Assignment> {
  const { board, now } = await context.store.read();
  // What came since the duty was found belongs to this session, not to one after it.
  const open = openWakes(board, now);
  const wakes = open.length === 0 ? first : open;
  const specs = await specsOf(context, board.state, wakes);
  return {
    work: {
      ...player,
      cwd: context.paths.root,
      prompt: plannerPrompt(contextOf(context, player, { board, now }), { wakes, specs }),
      told: toldWith(board.state, player),
    },
    handled: [...wakes, ...newConcerns(board.state)].map(({ key }) => key),
    dismiss: NOTHING,
  };
}

/** What became of each file since the first of its changes that no session was shown. */
async function specsOf(context: SupervisorContext, state: State, wakes: readonly Wake[]) {
  const keys = new Set(wakes.filter(({ trigger }) => trigger === 'SPEC_CHANGED').map(({ key }) => key));
  const changes = state.spec_changes.filter((one) => keys.has(`SPEC_CHANGED:${specChangeKey(one)}`));
  const found: { readonly spec: string; readonly sections: readonly SectionNews[] }[] = [];
  for (const { spec, before } of changes) {
    if (before === undefined || found.some((one) => one.spec === spec)) continue;
    const sections = await changesSince(context, state, { spec, before });
    if (sections !== undefined) found.push({ spec, sections });
  }
  return found;
}

function contextOf(
  context: SupervisorContext,
  player: Player,
  seen: Pick<PromptContext, 'board' | 'now'>,
): PromptContext {
  return { ...seen, agent: player.agent, role: player.role, places: context.places };
}

/** The provider's own session, where it was about the same task. */
function resumeOf(
  kept: Agent['resume'],
  { chosen, role }: Player,
  task: string,
): Pick<SessionWork, 'resume' | 'usedBefore'> {
  const { name, resumes, resumesElsewhere } = chosen.provider;
  // A reviewer gets another folder each time.
  if (
    !resumes ||
    (role === 'code_reviewer' && resumesElsewhere !== true) ||
    kept?.provider !== name ||
    kept.task !== task
  )
    return {};
  const { used } = kept;
  const before =
    used === undefined
      ? undefined
      : {
          input: used.input_tokens,
          output: used.output_tokens,
          ...defined({ cached: used.cached_tokens, cost_usd: used.cost_usd }),
        };
  return { resume: kept.session, usedBefore: before };
}

/** Verdicts of this iteration that were refused, because a lease was gone or the work was retracted; the newest last. */
function lostVerdicts({ files, paths }: SupervisorContext, task: Task): readonly string[] {
  const submitted = iterationEvents(task).find(({ event }) => event === 'submitted')?.time ?? '';
  const stamp = submitted.replace(/[:-]/g, '');
  return files
    .list(paths.rejected)
    .filter((name) => name.includes(`-verdict-${task.id}-code-reviewer-`) && name >= stamp)
    .sort()
    .slice(-3)
    .flatMap((name) => files.read(join(paths.rejected, name))?.toString('utf8') ?? []);
}
