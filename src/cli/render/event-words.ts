// The events of a task's history in words for a person. The names themselves are the protocol's: `--json` and the journal
// have those.

import { roleOfId } from '../../protocol/board.ts';
import type { HistoryEvent } from '../../protocol/state.ts';

const WORDS: Readonly<Record<string, string>> = {
  pre_execution_checkpoint: 'said what it will do',
  review_claimed: 'review began',
  review_copy: 'copy for the review made',
  review_changed: 'files changed during the review',
  verdict_disputed: 'contradicted its own verdict',
  review_released: 'review given back',
  validated: 'checks green',
  validation_failed: 'checks red',
  validation_tried: 'checks tried on the base',
  integration_failed: 'merge failed',
  lease_extended: 'got more time',
  reassigned: 'given to another coder',
  released: 'given back',
  worktree_created: 'folder made',
  worktree_deleted: 'folder removed',
  spec_changed: 'its document changed',
  dependency_abandoned: 'a task it needs was abandoned',
  repointed: 'waits for another task now',
};

export const eventWords = (event: string): string =>
  (Object.hasOwn(WORDS, event) ? WORDS[event] : undefined) ?? event.replaceAll('_', ' ');

/** Who did it. No agent merges: its supervisor does, by the rules. */
export const whoDid = (entry: HistoryEvent): string | undefined => (isLizas(entry) ? 'Liza' : entry.agent);

/** By Liza, below the id of an agent. */
export const isLizas = ({ event, agent = '' }: HistoryEvent): boolean =>
  event === 'merged' && roleOfId(agent) !== undefined;
