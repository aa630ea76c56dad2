// What the commit's own programs did to the checkouts that Liza made of it: set-up, and the commands that prove it. All of
// it was undone; a reviewer is told, because code that rewrites what is tested or read is seldom honest work.

import { firstPaths, type PathList } from '../../protocol/facts/diff-facts.ts';
import type { Proof } from '../../protocol/review/proof.ts';
import type { ReviewWork } from './prompt.ts';
import { pathList } from './quote.ts';

export function checkoutChanges(proof: Proof | undefined, undone: ReviewWork['undone']): readonly string[] {
  const { paths = [], more = 0 } = proof?.setup_changed ?? {};
  const setUp = [...new Set([...paths, ...firstPaths(undone?.changed ?? []).paths])];
  return [
    ...(setUp.length === 0
      ? []
      : [`SET-UP CHANGED TRACKED FILES: laid out again before anything is run or read: ${pathList(setUp, more)}`]),
    ...(undone === undefined || undone.removed.length === 0
      ? []
      : [`SET-UP WROTE FILES THAT STEER AGENTS: undone in your folders: ${listed(firstPaths(undone.removed))}`]),
    ...(proof?.runs ?? []).flatMap(({ changed }, at) =>
      changed === undefined
        ? []
        : [
            `#${at + 1} CHANGED TRACKED FILES while it ran; laid out again before anything else was run: ${listed(changed)}`,
          ],
    ),
    ...(proof?.runs ?? []).flatMap(({ rewritten }, at) =>
      rewritten === undefined
        ? []
        : [
            `#${at + 1} OR ANOTHER PROCESS WROTE TRACKED FILES while it ran, which are as before again: ${listed(rewritten)}. What was tested may be something else.`,
          ],
    ),
  ];
}

const listed = ({ paths, more = 0 }: PathList): string => pathList(paths, more);
