// Liza itself runs what proves a submitted commit: the task's validation and the project's test command, at that
// very commit, in a clean checkout that is thrown away. Nothing of what the coder said is run or believed.
// Killed in the middle, it leaves a folder that the next run removes, and the commit is simply not submitted.

import { mkdirSync } from 'node:fs';
import type { Refusal } from '../core/decision.ts';
import { type Disproof, isKnownGreen, type Proof } from '../core/proof.ts';
import { leftAside, removeTree } from '../git/scratch.ts';
import type { Workbench } from '../git/workbench.ts';
import { stopwatch } from '../programs/run.ts';
import { makeRoomForEvidence } from './evidence-room.ts';
import { type Hands, isRefusal } from './hands.ts';
import type { Unprepared } from './prepare.ts';
import { logFolder, logOf, outputOf, type Proving, type Ran, runAll, short, tenths } from './prove-runs.ts';
import { proveTests } from './prove-tests.ts';
import { inThrowAway } from './throw-away.ts';

/** A refusal: it could not be run, so that nothing is known. Only under the lock for it (hands.ts). */
export async function prove(hands: Hands, proving: Proving): Promise<Proof | Unprepared> {
  const { bench, task, settings, commit, commands } = proving;
  sweepProof(bench, task.id);
  makeRoomForEvidence(hands.context.paths.liza, proving.board.state);
  mkdirSync(logFolder(hands, task.id), { recursive: true });
  const taken = stopwatch();
  const checkout = { purpose: 'proof', task: task.id, commit, prepareLog: logOf(hands, proving, 'prepare') } as const;
  const ran = await inThrowAway<Ran | Refusal>(hands, bench, settings, checkout, (folder) =>
    runAll(hands, proving, folder, { what: '', seconds: settings.validation_timeout }),
  );
  if (isRefusal(ran)) return ran;
  const since = (): number => tenths(taken());
  const { runs, red } = ran as Ran;
  if (red !== undefined) return { commit, commands, runs, seconds: since(), disproof: disproofOf(red) };
  if (settings.tdd === 'off') return { commit, commands, runs, seconds: since() };
  const told = await proveTests(hands, proving, {
    taken: since(),
    baseIsGreen: isKnownGreen(proving.board.state, proving.base, commands),
  });
  if (isRefusal(told)) return told;
  const { tests, disproof } = told;
  return {
    commit,
    commands,
    runs,
    seconds: since(),
    ...(tests === undefined ? {} : { tests }),
    ...(disproof === undefined ? {} : { disproof }),
  };
}

function disproofOf({ command, how, log, tail }: NonNullable<Ran['red']>): Disproof {
  return {
    guard: 'validation',
    reason: `Liza ran its validation at this commit, and "${short(command)}" ${how}`,
    hint: `Mend it, commit, and submit the new HEAD; all of the output: ${log}`,
    output: outputOf(tail),
  };
}

/** What a killed run left. Only under the lock for it. */
export function sweepProof(bench: Workbench, task: string): number {
  const left = leftAside(bench.worktrees).filter((one) => one.purpose === 'proof' && one.task === task);
  for (const { path } of left) removeTree(path);
  return left.length;
}
