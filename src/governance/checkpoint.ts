// A checkpoint: halts, then writes into a file what a person needs to decide. By hand (`liza checkpoint`), by a touched
// CHECKPOINT, a passed deadline or a tripped breaker (`attendCheckpoint`, for the watcher). The halt is committed
// first; if a crash comes before the summary is written, the next look writes it.

import { join, relative } from 'node:path';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { deadlinePassed } from '../protocol/goal/sprint.ts';
import type { State } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { type CommandContext, type Seen, transact } from '../store/transact.ts';
import { instant } from '../text/time.ts';
import { checkpointSummary, summaryFile } from './rules/checkpoint-summary.ts';
import { checkpointsFolder, makeCheckpointsFolder, writeDocument } from './write-document.ts';

export interface Halted {
  readonly committed: Committed;
  /** The summary's path from the project's root. */
  readonly file?: string;
}

export async function checkpoint(context: CommandContext, reason?: string, touched = false): Promise<Halted | Refusal> {
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
export async function attendCheckpoint(context: CommandContext, seen?: Seen): Promise<string | Refusal | undefined> {
  const { board, now } = seen ?? (await context.store.read());
  const { state, switches } = board;
  const over = state.goal.status === 'COMPLETED' || state.goal.status === 'ABORTED';
  if (switches.CHECKPOINT === undefined) {
    if (state.sprint.status === 'CHECKPOINT') return outcomeLine(await transact(context, { name: 'checkpoint-over' }));
    const passed = over ? undefined : deadlinePassed(state.sprint, now);
    return passed === undefined ? undefined : haltLine(await checkpoint(context, `the deadline ${passed} has passed`));
  }
  if (state.sprint.status === 'IN_PROGRESS' && !over) {
    return haltLine(await checkpoint(context, 'its file was created', true));
  }
  const file = await writeSummary(context, state);
  return file === undefined ? undefined : `summary written: ${file}`;
}

/** Undefined: it is there already, or there is nothing to sum up. */
async function writeSummary(context: CommandContext, state: State): Promise<string | undefined> {
  const name = summaryFile(state);
  if (name === undefined) return undefined;
  const path = join(checkpointsFolder(context), name);
  if (context.files.stat(path) !== undefined) return undefined;
  makeCheckpointsFolder(context);
  const at = instant(state.sprint.timeline.checkpoint_at ?? '');
  writeDocument(context, path, checkpointSummary(state, await context.store.archivedTasks(state.goal), at));
  return relative(context.paths.root, path);
}

function outcomeLine(outcome: Committed | Refusal): string | Refusal | undefined {
  return isRefusal(outcome) ? unlessRaced(outcome) : outcome.already === true ? undefined : outcome.detail;
}

function haltLine(outcome: Halted | Refusal): string | Refusal | undefined {
  if (isRefusal(outcome)) return unlessRaced(outcome);
  const { committed, file } = outcome;
  if (committed.already === true && file === undefined) return undefined;
  return `${committed.detail}${file === undefined ? '' : `; ${file}`}`;
}

/** The board was read while somebody else was changing it: what it seemed to ask for is not needed any more. */
const unlessRaced = (refusal: Refusal): Refusal | undefined => (refusal.raced === true ? undefined : refusal);
