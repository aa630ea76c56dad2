// Before anybody is blamed for a red batch that no green run stands beneath: whether the branch is red without any of
// them, by a script that landed, a head that a person moved, or an outage: also where it was green an hour ago. Then the
// queue is held, and nobody is blamed.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import type { Batch } from '../../protocol/queue/shape.ts';
import { transact } from '../../store/transact.ts';
import type { MergeFailure } from '../judge-candidate.ts';
import { type Running, stop } from './steps.ts';

/** undefined: it is green, as far as tests tell. */
export async function branchIsRed(run: Running, { base }: Batch): Promise<MergeFailure | undefined> {
  const { move, links } = run;
  const [link] = links;
  if (link === undefined || !move.tested) return undefined;
  const id = link.task.id;
  const what = { what: 'the branch itself, without any of them' };
  const tested = await move.test({ task: id, candidate: base, judge: '', again: 'liza queue release', ...what });
  if (isRefusal(tested)) return stop(run, tested);
  if (tested.verdict !== 'red') return undefined;
  const fact = `${move.branch.replace('refs/heads/', '')} is red without any of them at ${base.slice(0, 12)}: ${tested.reason}; whole output: ${tested.log}`;
  const reason = fact.slice(0, 2000);
  await transact(move.context, { name: 'queue hold', reason, red: base });
  return stop(
    run,
    refuse(
      `${fact}; nobody is blamed, and nothing lands`,
      'A person mends the branch or what its test needs (a fix on your branch: liza sync), then: liza queue release',
      3,
      'queue-open',
    ),
  );
}
