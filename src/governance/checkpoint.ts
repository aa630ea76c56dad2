// A checkpoint: halt, then say in a file what a person needs to decide. By hand (`liza checkpoint`), by a touched
// CHECKPOINT, a passed deadline or a tripped breaker (`attendCheckpoint`, for the watcher). The halt is committed
// first; a summary that a crash kept from being written is written by whoever looks next.

import { join, relative } from 'node:path';
import type { Refusal } from '../protocol/decision.ts';
import { isRefusal } from '../protocol/decision.ts';
import { deadlinePassed } from '../protocol/sprint.ts';
import type { State } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { type Seen, transact } from '../store/transact.ts';
import type { TaskContext } from '../tasks/context.ts';
import { instant } from '../text/time.ts';
import { checkpointSummary, summaryFile } from './rules/checkpoint-summary.ts';
import { checkpointsFolder, makeCheckpointsFolder, writePaper } from './write-document.ts';

export interface Halted {
  readonly committed: Committed;
  /** Of the summary, from the project's root. */
  readonly file?: string;
}

export async function checkpoint(context: TaskContext, reason?: string, touched = false): Promise<Halted | Refusal> {
  const outcome = await transact(context, {
    name: 'checkpoint',
    ...defined({ reason }),
    ...(touched ? { touched } : {}),
  });
  if (isRefusal(outcome)) return outcome;
  const file = await writeSummary(context, outcome.state);
  return { committed: outcome, ...defined({ file }) };
}

/** What the watcher did about a checkpoint, in one line; undefined: nothing was to be done. */
export async function attendCheckpoint(context: TaskContext, seen?: Seen): Promise<string | Refusal | undefined> {
  const { board, now } = seen ?? (await context.store.read());
  const { state, switches } = board;
  const over = state.goal.status === 'COMPLETED' || state.goal.status === 'ABORTED';
  if (switches.CHECKPOINT === undefined) {
    if (state.sprint.status === 'CHECKPOINT') return said(await transact(context, { name: 'checkpoint-over' }));
    const passed = over ? undefined : deadlinePassed(state.sprint, now);
    return passed === undefined ? undefined : told(await checkpoint(context, `the deadline ${passed} has passed`));
  }
  if (state.sprint.status === 'IN_PROGRESS' && !over) {
    return told(await checkpoint(context, 'its file was touched', true));
  }
  const file = await writeSummary(context, state);
  return file === undefined ? undefined : `summary written: ${file}`;
}

/** Undefined: it is there already, or there is nothing to sum up. */
async function writeSummary(context: TaskContext, state: State): Promise<string | undefined> {
  const name = summaryFile(state);
  if (name === undefined) return undefined;
  const path = join(checkpointsFolder(context), name);
  if (context.files.stat(path) !== undefined) return undefined;
  makeCheckpointsFolder(context);
  const at = instant(state.sprint.timeline.checkpoint_at ?? '');
  writePaper(context, path, checkpointSummary(state, await context.store.archivedTasks(), at));
  return relative(context.paths.root, path);
}

type Done = string | Refusal | undefined;

function said(outcome: Committed | Refusal): Done {
  return isRefusal(outcome) ? unlessPast(outcome) : outcome.already === true ? undefined : outcome.detail;
}

function told(outcome: Halted | Refusal): Done {
  if (isRefusal(outcome)) return unlessPast(outcome);
  const { committed, file } = outcome;
  if (committed.already === true && file === undefined) return undefined;
  return `${committed.detail}${file === undefined ? '' : `; ${file}`}`;
}

/** The board was read while somebody else was changing it: what it seemed to ask for is not asked for any more. */
const unlessPast = (refusal: Refusal): Refusal | undefined => (refusal.raced === true ? undefined : refusal);
