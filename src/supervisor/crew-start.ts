// What is put in order before the first agent of a crew starts: the goal's document, the sandbox, what a crash left
// behind, the hook, and the usage of sessions whose supervisor is gone.

import { spentOnGoal } from '../budget/rules/ledger.ts';
import { recordGoneUse } from '../budget/unrecorded-usage.ts';
import { changedSinceCommit, changedText, commitIt, notCommitted, notInGit } from '../git/committed-files.ts';
import { endLeftSandboxes } from '../identity/agent-sessions.ts';
import { installHook } from '../identity/project-hook.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { isTerminal, type State, settings } from '../protocol/state.ts';
import { removeLeftHomes, sandboxBriefText, sandboxMode, sandboxRemedy, sandboxStartText } from '../sandbox/mode.ts';
import { idleSettings } from '../sandbox/rules/idle-settings.ts';
import type { Snapshot } from '../store/store.ts';
import { reconcile } from '../tasks/reconcile.ts';
import { type SupervisorContext, taskContextOf } from './context.ts';

/** The board as it was at the start; or why no agent may start. `agent`: under whose name it is done. */
export async function prepareProject(context: SupervisorContext, agent: string): Promise<Snapshot | Refusal> {
  const snapshot = await context.store.read();
  const { state } = snapshot.board;
  const refused =
    missingGoalDocument(context, state) ??
    (await checkSandbox(context, state)) ??
    (await repairLeftovers(context, agent)) ??
    (await guardBranches(context, state));
  if (refused !== undefined) return refused;
  await warnOfSpecs(context, state);
  // Read again: the repairs may have changed it.
  await recordGoneUse(context, await context.store.read());
  return snapshot;
}

function missingGoalDocument({ specExists }: SupervisorContext, { goal }: State): Refusal | undefined {
  const { spec_ref: spec } = goal;
  if (spec === undefined || specExists(spec)) return undefined;
  const hint = `restore it: git checkout -- ${spec.split('#')[0]}`;
  return refuse(`the goal's document ${spec} is not there`, hint, 1, 'spec');
}

/** A spec that only lies in the folder has no history: whoever changes or loses it takes it away from everybody. */
async function warnOfSpecs(context: SupervisorContext, { goal, tasks }: State): Promise<void> {
  const live = tasks.filter(({ status }) => !isTerminal(status));
  const files = [goal, ...live].flatMap(({ spec_ref: ref }) => ref?.split('#', 1)[0] ?? []);
  for (const file of await notCommitted(context, context.paths.root, files))
    context.emit({ level: 'warning', text: notInGit(file) });
  for (const file of await changedSinceCommit(context, context.paths.root, files))
    context.emit({ level: 'warning', text: `${changedText(file)}: ${commitIt(file)}` });
}

async function checkSandbox(context: SupervisorContext, state: State): Promise<Refusal | undefined> {
  const mode = await sandboxMode(context.sandboxSupport, settings(state));
  if (isRefusal(mode)) return mode;
  if (context.sandboxSupport === undefined) return undefined;
  const remedy = sandboxRemedy(mode, settings(state));
  const isFirst = spentOnGoal(state).sessions === 0;
  const text = isFirst ? sandboxStartText(mode) : sandboxBriefText(mode);
  context.emit({ level: remedy === undefined ? 'info' : 'warning', text });
  const idle = 'tool' in mode ? [] : idleSettings(settings(state));
  for (const { message } of idle) context.emit({ level: 'warning', text: message });
  return undefined;
}

async function repairLeftovers(context: SupervisorContext, agent: string): Promise<Refusal | undefined> {
  endLeftSandboxes(context);
  removeLeftHomes(context);
  const repaired = await reconcile(taskContextOf(context, agent));
  if (isRefusal(repaired)) return repaired;
  for (const { subject, problem, done, resists } of repaired) {
    const text = `${subject}: ${problem}; ${done ?? resists?.message ?? ''}`;
    context.emit({ level: done === undefined ? 'warning' : 'info', text });
  }
  return undefined;
}

/** Without the hook agents still start: the recorded heads tell who moved what. */
async function guardBranches(context: SupervisorContext, state: State): Promise<undefined> {
  const unguarded = await installHook(context, context.paths.root, settings(state).integration_branch);
  if (unguarded !== undefined) context.emit({ level: 'warning', text: unguarded });
}
