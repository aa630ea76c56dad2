// The command table: one row for each command of the protocol. `decide` runs the rows; help, hints, documentation and
// tests read them. Their order is the order in which hints and documentation name commands.

import type { Table } from './command-row.ts';
import { claimTask, register, reserveClaim } from './commands/coding/claim.ts';
import { begin, block, limit } from './commands/coding/coder.ts';
import { declare } from './commands/coding/declare.ts';
import { handoff, handoffPlan } from './commands/coding/handoff.ts';
import { recordValidation } from './commands/coding/proof.ts';
import { releaseClaim, releaseReservation } from './commands/coding/release.ts';
import { retract } from './commands/coding/retract.ts';
import { setupFailed, setupWorks } from './commands/coding/setup.ts';
import { submitForReview } from './commands/coding/submit.ts';
import { dropWorktree, renewWorktree } from './commands/coding/worktree.ts';
import { finish, releaseMove, reserveFinish, reserveSync, sync } from './commands/merge/base.ts';
import { acceptIntegration, integrationMoved } from './commands/merge/integration.ts';
import { holdMerge, merge, mergeFailed, releaseMerge, reserveMerge } from './commands/merge/merge.ts';
import { mergeAhead, mergeRun, queueFirst, queueHold, queueRelease } from './commands/merge/queue.ts';
import { anomaly, anomalyProcessed, discover, exit, longHeartbeat } from './commands/messages/agent-reports.ts';
import { answer } from './commands/messages/answer.ts';
import { ask, withdraw } from './commands/messages/ask.ts';
import { note, noteDone } from './commands/messages/notes.ts';
import {
  branchMoved,
  plantedAbove,
  plantedInGit,
  verdictUnfinished,
  violation,
} from './commands/messages/violations.ts';
import { analyze, resolve } from './commands/operator/breaker.ts';
import { abort, checkpoint, checkpointOver, pause, resume } from './commands/operator/kill-switches.ts';
import { archive, configSet, metrics, specChange } from './commands/operator/operator.ts';
import { contextUsed, sessionEnd, sessionStart, trouble } from './commands/operator/session.ts';
import { align, discoveryConvert, discoveryDismiss, discoveryReopen, planDone } from './commands/plan/goal.ts';
import { goalComplete, goalEdit } from './commands/plan/goal-end.ts';
import { addTask, amend, finalize } from './commands/plan/planning.ts';
import { abandon, replan } from './commands/plan/rescope.ts';
import { specChanged, specFileChanged } from './commands/plan/spec-changed.ts';
import { retrospective, sprintDeadline, sprintStart } from './commands/plan/sprint.ts';
import { supersede } from './commands/plan/supersede.ts';
import { recordTrial } from './commands/plan/trial.ts';
import { unblock } from './commands/plan/unblock.ts';
import { claimReview, clearStaleReviewClaims } from './commands/review/review.ts';
import { reviewChanged, reviewCopy } from './commands/review/review-copy.ts';
import { secondVerdict, verdictDisputed } from './commands/review/second-verdict.ts';
import { submitVerdict } from './commands/review/verdict.ts';

export const TABLE: Table = {
  'add-task': addTask,
  amend,
  finalize,
  unblock,
  supersede,
  abandon,
  replan,
  'plan done': planDone,
  align,
  'discovery convert': discoveryConvert,
  'discovery dismiss': discoveryDismiss,
  'discovery reopen': discoveryReopen,
  'goal complete': goalComplete,
  'goal edit': goalEdit,
  'sprint start': sprintStart,
  'sprint deadline': sprintDeadline,
  retrospective,
  register,
  'reserve-claim': reserveClaim,
  'claim-task': claimTask,
  'release-reservation': releaseReservation,
  'release-claim': releaseClaim,
  'renew-worktree': renewWorktree,
  'drop-worktree': dropWorktree,
  begin,
  declare,
  'submit-for-review': submitForReview,
  retract,
  'record-validation': recordValidation,
  'record-trial': recordTrial,
  'setup-failed': setupFailed,
  'setup-works': setupWorks,
  block,
  limit,
  ask,
  withdraw,
  answer,
  discover,
  anomaly,
  'anomaly processed': anomalyProcessed,
  handoff,
  'handoff-plan': handoffPlan,
  'long-heartbeat': longHeartbeat,
  exit,
  'session-start': sessionStart,
  'session-end': sessionEnd,
  'context-used': contextUsed,
  trouble,
  'claim-review': claimReview,
  'submit-verdict': submitVerdict,
  'second-verdict': secondVerdict,
  'verdict-disputed': verdictDisputed,
  'review-copy': reviewCopy,
  'review-changed': reviewChanged,
  'clear-stale-review-claims': clearStaleReviewClaims,
  'reserve-merge': reserveMerge,
  merge,
  'merge-failed': mergeFailed,
  'hold-merge': holdMerge,
  'release-merge': releaseMerge,
  'merge-run': mergeRun,
  'merge-ahead': mergeAhead,
  'queue hold': queueHold,
  'queue release': queueRelease,
  'queue first': queueFirst,
  'integration-moved': integrationMoved,
  'accept-integration': acceptIntegration,
  'reserve-sync': reserveSync,
  sync,
  'reserve-finish': reserveFinish,
  finish,
  'release-move': releaseMove,
  'refused-attempt': violation,
  'branch-moved': branchMoved,
  'planted-in-git': plantedInGit,
  'planted-above': plantedAbove,
  'verdict-unfinished': verdictUnfinished,
  note,
  'note done': noteDone,
  pause,
  resume,
  checkpoint,
  'checkpoint-over': checkpointOver,
  abort,
  analyze,
  resolve,
  'spec-change': specChange,
  'spec-changed': specChanged,
  'spec-file-changed': specFileChanged,
  'config set': configSet,
  metrics,
  archive,
};
