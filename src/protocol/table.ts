// The command table: one row for each command of the protocol. `decide` runs the rows; help, hints, documentation and
// tests read them. Their order is the order in which hints and documentation name commands.

import type { Table } from './command-row.ts';
import { anomaly, anomalyProcessed, discover, exit, longHeartbeat } from './commands/agent-reports.ts';
import { answer } from './commands/answer.ts';
import { ask, withdraw } from './commands/ask.ts';
import { finish, releaseMove, reserveFinish, reserveSync, sync } from './commands/base.ts';
import { analyze, resolve } from './commands/breaker.ts';
import { claimTask, register, reserveClaim } from './commands/claim.ts';
import { begin, block, limit } from './commands/coder.ts';
import { declare } from './commands/declare.ts';
import { align, discoveryConvert, discoveryDismiss, planDone } from './commands/goal.ts';
import { goalComplete, goalEdit } from './commands/goal-end.ts';
import { handoff, handoffPlan } from './commands/handoff.ts';
import { acceptIntegration, integrationMoved } from './commands/integration.ts';
import { abort, checkpoint, checkpointOver, pause, resume } from './commands/kill-switches.ts';
import { holdMerge, merge, mergeFailed, releaseMerge, reserveMerge } from './commands/merge.ts';
import { note, noteDone } from './commands/notes.ts';
import { archive, configSet, metrics, specChange } from './commands/operator.ts';
import { addTask, amend, finalize } from './commands/planning.ts';
import { recordValidation } from './commands/proof.ts';
import { releaseClaim, releaseReservation } from './commands/release.ts';
import { abandon, replan, unblock } from './commands/rescope.ts';
import { retract } from './commands/retract.ts';
import { claimReview, clearStaleReviewClaims, submitVerdict } from './commands/review.ts';
import { reviewChanged, reviewCopy } from './commands/review-copy.ts';
import { contextUsed, sessionEnd, sessionStart, trouble } from './commands/session.ts';
import { specChanged, specFileChanged } from './commands/spec-changed.ts';
import { retrospective, sprintDeadline, sprintStart } from './commands/sprint.ts';
import { submitForReview } from './commands/submit.ts';
import { supersede } from './commands/supersede.ts';
import { recordTrial } from './commands/trial.ts';
import { branchMoved, violation } from './commands/violations.ts';
import { dropWorktree, renewWorktree } from './commands/worktree.ts';

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
  'review-copy': reviewCopy,
  'review-changed': reviewChanged,
  'clear-stale-review-claims': clearStaleReviewClaims,
  'reserve-merge': reserveMerge,
  merge,
  'merge-failed': mergeFailed,
  'hold-merge': holdMerge,
  'release-merge': releaseMerge,
  'integration-moved': integrationMoved,
  'accept-integration': acceptIntegration,
  'reserve-sync': reserveSync,
  sync,
  'reserve-finish': reserveFinish,
  finish,
  'release-move': releaseMove,
  'refused-attempt': violation,
  'branch-moved': branchMoved,
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
