// What nearly every verb does: find out who asks, open the blackboard, have one command decided in one transaction, and
// say in one line what changed. Decisions are made in protocol/decide.ts only.

import { boardElsewhere, ownedElsewhere } from '../git/board-owner.ts';
import { siteOf } from '../git/directory.ts';
import { identify } from '../identity/identify.ts';
import type { Command } from '../protocol/command.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import type { CommandContext } from '../store/transact.ts';
import type { TaskContext } from '../tasks/context.ts';
import type { Io } from './io.ts';
import { openCurrentBoard } from './open-board.ts';
import { printErr } from './render/print.ts';
import { plain } from './render/terminal.ts';
import type { Args, Done, Result, Verb } from './verb.ts';

/** `anyBoard`: also a second one of the repository, to tell of it or to take it away. */
interface Opening {
  readonly anyBoard?: boolean;
}

export async function openProject(io: Io, { anyBoard = false }: Opening = {}): Promise<CommandContext | Refusal> {
  const board = await openCurrentBoard(io);
  if (isRefusal(board)) return board;
  const { root } = board.paths;
  const actor = await identify(io, root);
  if (isRefusal(actor)) return actor;
  // What was decided on a copy would never happen.
  const elsewhere = anyBoard ? undefined : boardElsewhere(board.disk, root);
  return elsewhere === undefined ? { ...board, actor } : ownedElsewhere(root, elsewhere);
}

/** For verbs that work on git: with what a workflow on a task's folder needs. */
export async function openTaskContext(io: Io, opening?: Opening): Promise<TaskContext | Refusal> {
  const context = await openProject(io, opening);
  if (isRefusal(context)) return context;
  // It hashes, and most commands need none of it.
  const { programEnvironment } = await import('../process/tags.ts');
  return {
    ...context,
    env: programEnvironment(io.env, siteOf(io.host.disk, context.paths.root)),
    ...(io.confines === true
      ? {
          sandboxSupport: (await import('../sandbox/mode.ts')).sandboxSupportOf(
            { ...io.host, env: io.env },
            io.self.argv,
          ),
        }
      : {}),
    say: (line) => printErr(io, `${plain(line)}\n`),
    stop: () => io.interrupted,
  };
}

type Work<Context> = (context: Context, args: Args, io: Io) => Promise<Result>;

/** A verb's `run` on the project here. */
export const onProject =
  (work: Work<CommandContext>): Verb['run'] =>
  async (args, io) => {
    const context = await openProject(io);
    return isRefusal(context) ? context : work(context, args, io);
  };

/** The same for a verb that works on git. */
export const onTasks =
  (work: Work<TaskContext>): Verb['run'] =>
  async (args, io) => {
    const context = await openTaskContext(io);
    return isRefusal(context) ? context : work(context, args, io);
  };

/** What to add once it is done, such as the next command. */
type Telling = (committed: Committed) => Pick<Done, 'lines' | 'data'>;

export async function runCommand(context: CommandContext, command: Command, tell?: Telling): Promise<Result> {
  const { transact } = await import('../store/transact.ts');
  const outcome = await transact(context, command);
  return outcome.ok ? committedResult(outcome, tell) : outcome;
}

/** For verbs that need no facts from the disk. */
export async function act(io: Io, command: Command, tell?: Telling): Promise<Result> {
  const context = await openProject(io);
  return isRefusal(context) ? context : runCommand(context, command, tell);
}

/** The result that tells a committed change; `tell` adds to it. */
export function committedResult(committed: Committed, tell?: Telling): Result {
  const extra = tell?.(committed) ?? {};
  const task = committed.task === undefined ? undefined : committed.state.tasks.find(({ id }) => id === committed.task);
  return {
    ok: true,
    message: committed.already ? `already done: ${committed.detail}` : committed.detail,
    lines: [...(committed.notes ?? []).map(plain), ...(committed.already ? [] : (extra.lines ?? []))],
    data: {
      ...defined({ task: committed.task, id: committed.made }),
      ...(task === undefined ? {} : { status: task.status }),
      already: committed.already === true,
      seq: committed.seq,
      ...defined({ notes: committed.notes }),
      ...extra.data,
    },
    notices: committed.notices,
  };
}
