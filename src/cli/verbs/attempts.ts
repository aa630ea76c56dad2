// `liza attempts [task]`: work that was discarded but kept, how to look at it and how to get it back.
// What is shown comes from refs and commit messages that an agent could have written: a ref that is not of Liza's form
// is only counted, and never becomes part of a command to paste.

import { join } from 'node:path';
import type { Attempt } from '../../git/attempts.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { TASK_ID_SOURCE } from '../../protocol/ids.ts';
import { isAgent } from '../../protocol/next-commands.ts';
import { settings } from '../../protocol/state.ts';
import { noTask } from '../../protocol/unknown-id.ts';
import { bringBack, mergeBack } from '../../protocol/work/kept-work.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { counted, shellWord } from '../../text/format.ts';
import { instant, iso } from '../../text/time.ts';
import { onTasks } from '../open-project.ts';
import { oneLine } from '../render/terminal.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', optional: true, description: 'Only of this task; default: of all.' }],
  examples: ['liza attempts', 'liza attempts retry-login'],
  details: [
    'Before Liza removes a worktree or branch of a task, its commits and uncommitted files are kept under refs/liza/attempts/<task>/<n>. They stay until you delete the ref: git update-ref -d <ref>',
  ],
  run: onTasks(async (context, args) => {
    const task = args.text('task');
    const kept = await list(context, task);
    if (isRefusal(kept)) return kept;
    return kept.attempts.length > 0 ? tell(kept) : nothing(context, task, kept.odd);
  }),
};

interface Kept {
  readonly attempts: readonly Attempt[];
  /** Refs in their place that Liza did not write. */
  readonly odd: number;
  /** Where merged work is, as the reader's git can name it. */
  readonly merged: string;
  /** An agent asks: in its folder the refs and branches of the project may not resolve, commit ids do. */
  readonly forAgent: boolean;
}

async function list(context: TaskContext, task: string | undefined): Promise<Kept | Refusal> {
  const { listAttempts } = await import('../../git/attempts.ts');
  const { openGitDir } = await import('../../git/integration.ts');
  const { commitOf } = await import('../../git/refs.ts');
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const all = await listAttempts(gitDir, task);
  const attempts = all.filter(isOurs);
  const forAgent = isAgent(context.actor);
  const branch = settings(board.state).integration_branch;
  const head = forAgent ? await commitOf(gitDir, `refs/heads/${branch}`) : undefined;
  return {
    attempts,
    odd: all.length - attempts.length,
    merged: head ?? shellWord(`refs/heads/${oneLine(branch)}`),
    forAgent,
  };
}

const REF = new RegExp(`^refs/liza/attempts/${TASK_ID_SOURCE.slice(1, -1)}/[1-9]\\d{0,8}$`);
const isOurs = ({ ref, tip }: Attempt): boolean => REF.test(ref) && /^[0-9a-f]{40,64}$/.test(tip);

function tell(kept: Kept): Result {
  const { attempts, odd } = kept;
  const tasks = [...new Set(attempts.map(({ task }) => task))];
  const shown = attempts.map((attempt) => ({ attempt, ...commandsFor(attempt, kept) }));
  return {
    ok: true,
    message: `${counted(attempts.length, 'attempt')} of ${counted(tasks.length, 'task')} kept`,
    lines: [
      ...tasks.flatMap((id) => ['', id, ...shown.filter(({ attempt }) => attempt.task === id).flatMap(lines)]),
      ...oddLines(odd),
    ],
    data: {
      attempts: shown.map(({ attempt, look, restore }) => ({ ...attempt, time: utc(attempt.time), look, restore })),
      odd,
    },
  };
}

async function nothing(context: TaskContext, task: string | undefined, odd: number): Promise<Result> {
  if (task !== undefined && (await context.store.readTask(task)) === undefined) {
    return noTask((await context.store.read()).board, task, 'See all that is kept: liza attempts');
  }
  const of = task === undefined ? '' : ` of ${task}`;
  const folder = `.worktrees/${task}`;
  const isThere = task !== undefined && context.disk.existsSync(join(context.paths.root, folder));
  const still = isThere ? `; it is in ${folder} still` : '';
  return { ok: true, message: `no work${of} was discarded${still}`, lines: oddLines(odd), data: { attempts: [], odd } };
}

interface Commands {
  readonly look: readonly string[];
  readonly restore: readonly string[];
}

/** Commits come back as a branch; uncommitted files are in the kept commit, on top of them. */
function commandsFor(attempt: Attempt, { merged, forAgent }: Kept): Commands {
  const { ref, commit, task, n, tip, commits, uncommitted, setAside } = attempt;
  const name = `${task}-attempt-${n}`;
  const kept = forAgent ? commit : ref;
  const look = [
    `git show --stat ${kept}`,
    ...(commits > 0 ? [`git log --stat ${merged}..${tip}`] : []),
    ...(uncommitted > 0 ? [`git diff ${tip} ${kept}`] : []),
  ];
  if (forAgent) return { look, restore: [setAside === true ? bringBack(commit) : mergeBack(commit)] };
  return {
    look,
    restore: [
      ...(commits > 0 ? [`git branch ${name} ${tip}`] : []),
      ...(uncommitted > 0 ? [`git worktree add ../${name} ${ref}`] : []),
    ],
  };
}

function lines({ attempt, look, restore }: Commands & { readonly attempt: Attempt }): readonly string[] {
  const { n, time, agent, why, commits, uncommitted, tip } = attempt;
  const holds = `${counted(commits, 'commit')}, ${counted(uncommitted, 'uncommitted file')}`;
  return [
    `  ${n}  ${utc(time)}  ${oneLine(agent ?? 'nobody')}  ${oneLine(why)}`,
    `     ${holds}, tip ${tip}`,
    ...look.map((command, at) => `     ${at === 0 ? 'look     ' : '         '}${command}`),
    ...restore.map((command, at) => `     ${at === 0 ? 'restore  ' : '         '}${command}`),
  ];
}

const oddLines = (odd: number): readonly string[] =>
  odd === 0
    ? []
    : [
        '',
        `${counted(odd, 'ref')} below refs/liza/attempts were not written by Liza: git for-each-ref refs/liza/attempts`,
      ];

const utc = (time: string): string => (Number.isNaN(instant(time)) ? oneLine(time) : iso(instant(time)));
