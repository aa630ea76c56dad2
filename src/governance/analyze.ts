// Runs the circuit breaker: by hand (`liza analyze`), and continuously for the watcher (`checkBreaker`). The protocol
// decides, in a transaction; here the report is written, and written again if a crash lost it.

import { relative } from 'node:path';
import { newFindings } from '../protocol/commands/operator/breaker.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import type { State, Task } from '../protocol/state.ts';
import type { Committed, Store } from '../store/store.ts';
import { type CommandContext, type Seen, transact } from '../store/transact.ts';
import { type Finding, findPatterns } from './rules/breaker.ts';
import { breakerReport } from './rules/breaker-report.ts';
import { reportFile, writeDocument } from './write-document.ts';

export interface Analysis {
  readonly committed: Committed;
  readonly findings: readonly Finding[];
  /** The report's path from the project's root; absent: the breaker never tripped. */
  readonly report?: string;
}

/** Looks, says what it found, and trips if there is something new. */
export async function analyze(context: CommandContext): Promise<Analysis | Refusal> {
  const archived = await context.store.archivedTasks();
  const outcome = await transact(context, { name: 'analyze', facts: { archived } });
  return isRefusal(outcome)
    ? outcome
    : { committed: outcome, findings: findPatterns(outcome.state, archived), ...writeReport(context, outcome.state) };
}

export async function resolveBreaker(context: CommandContext, resolution: string): Promise<Analysis | Refusal> {
  const archived = await context.store.archivedTasks();
  const outcome = await transact(context, { name: 'resolve', resolution, facts: { archived } });
  return isRefusal(outcome) ? outcome : { committed: outcome, findings: [], ...writeReport(context, outcome.state) };
}

/**
 * For the watcher, after every change: trips when a pattern is there that is not resolved. Undefined: nothing new.
 * Costs no transaction while there is nothing to say.
 */
export async function checkBreaker(context: CommandContext, seen?: Seen): Promise<Analysis | Refusal | undefined> {
  const { board } = seen ?? (await context.store.read());
  const { state } = board;
  if (state.circuit_breaker.status === 'TRIGGERED') writeReport(context, state);
  if (state.goal.status === 'COMPLETED' || state.goal.status === 'ABORTED') return undefined;
  const archived = await archivedOf(context.store, board.archived.size);
  if (newFindings(state, findPatterns(state, archived)).length === 0) return undefined;
  return analyze(context);
}

/** Archived tasks do not change: read again only when there are more of them. */
const known = new WeakMap<Store, { readonly size: number; readonly tasks: readonly Task[] }>();

async function archivedOf(store: Store, size: number): Promise<readonly Task[]> {
  if (size === 0) return [];
  const before = known.get(store);
  if (before?.size === size) return before.tasks;
  const tasks = await store.archivedTasks();
  known.set(store, { size, tasks });
  return tasks;
}

/** Writes the report that the board asks for, unless the file has it already. */
function writeReport(context: CommandContext, state: State): { readonly report?: string } {
  const text = breakerReport(state);
  if (text === undefined) return {};
  const file = reportFile(context);
  if (context.files.read(file)?.toString() !== text) writeDocument(context, file, text);
  return { report: relative(context.paths.root, file) };
}
