// The row that records what Liza's own runs at a commit showed when no submission followed. A red result is recorded
// so that planner and report see it and the attempts have a limit; a green one, so that the commit is not run again.

import { gist } from '../../../text/format.ts';
import { tellingLines } from '../../../text/telling-lines.ts';
import { event, evolve, withMachineAnomaly, withTask } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { isUnderClaim } from '../../definition/amendment.ts';
import { isFullCommit } from '../../ids.ts';
import { knownProof, triesOf } from '../../review/proof.ts';
import type { State } from '../../state.ts';
import { blockTask, QUESTIONS } from '../../work/blocked.ts';
import { firstLine } from '../words.ts';
import { holdsTask } from './coder.ts';

export const recordValidation: Row<'record-validation'> = {
  name: 'record-validation',
  typed: 'submit-for-review',
  syntax: 'submit-for-review {task} <commit>',
  summary: 'Record what Liza’s own runs at a submitted commit showed.',
  who: ['coder'],
  from: ['CLAIMED'],
  to: ['CLAIMED', 'BLOCKED'],
  inner: true,
  // A fact: a pause does not undo the run.
  whileHalted: true,
  already: ({ task, command: { proof }, settings }) =>
    proof.disproof === undefined && knownProof(task, proof.commit, proof.commands, settings.tdd) !== undefined,
  guards: [
    holdsTask(),
    {
      name: 'commit',
      rule: 'it names the commit',
      check: ({ task, command, commandLine }) =>
        isFullCommit(command.proof.commit)
          ? undefined
          : refuse(
              'it names no commit',
              `Submit the HEAD of your worktree: ${commandLine('submit-for-review', task.id)}`,
            ),
    },
  ],
  effects:
    'history validated or validation_failed; three red ones in one iteration are logged as retry_loop; as many red ones in one iteration as max_coder_iterations, or two whose command does not end on the base either → BLOCKED',
  change: (s) => {
    const { task, command, settings, actor } = s;
    const { proof } = command;
    const { disproof, ...green } = proof;
    if (disproof === undefined) {
      const told = event(s, 'validated', { commit: proof.commit, proof: green });
      return {
        state: withTask(s.state, evolve(task, {}, told)),
        detail: `${task.id} passes its validation at ${proof.commit.slice(0, 12)}`,
      };
    }
    const { guard, reason, hint, output, limit, hangs_on_base, cannot_run, again } = disproof;
    const told = event(s, 'validation_failed', {
      commit: proof.commit,
      what: guard,
      reason,
      hangs_on_base,
      cannot_run,
      ...(proof.remembered === true
        ? { remembered: true }
        : {
            command: proof.runs.findLast(({ ok }) => !ok)?.command,
            log: proof.runs.findLast(({ ok }) => !ok)?.log,
            file: proof.file,
            digest: proof.digest,
            seconds: proof.seconds,
            limit,
            again,
            under: proof.under,
            hint,
            output,
          }),
    });
    const events = triesOf(task);
    // What was refused by another definition is not held against the work that follows the amendment.
    const earlier = events
      .slice(events.findLastIndex(isUnderClaim) + 1)
      .filter((entry) => entry.event === 'validation_failed');
    if (hangs_on_base === true && earlier.some((entry) => entry.hangs_on_base === true)) {
      const why = `the operator must fix this: ${firstLine(reason, 400)}`;
      return {
        state: blockTask(s, s.state, task, { reason: why, questions: QUESTIONS.hangs, earlier: [told] }),
        detail: `${task.id} is BLOCKED: ${why}`,
      };
    }
    const most = task.max_iterations ?? settings.max_coder_iterations;
    const red = earlier.length + 1;
    if (red >= most) {
      const why = `${red} submissions of one iteration were refused: ${firstLine(reason, 400)}`;
      const block = { reason: why, questions: QUESTIONS.validation, failed: actor.id, earlier: [told] };
      return {
        state: blockTask(s, s.state, task, block),
        detail: `${task.id} is BLOCKED: ${firstLine(why)}`,
      };
    }
    const state = withTask(s.state, evolve(task, {}, told));
    return {
      state: red < RED_IN_A_ROW ? state : loopLogged(s, state, red),
      detail: `${task.id} at ${proof.commit.slice(0, 12)} refused: ${firstLine(reason)}`,
    };
  },
};

/** So many red submissions of one iteration are a loop, whether its coder says so or not. */
const RED_IN_A_ROW = 3;

function loopLogged(s: Situation<'record-validation'>, state: State, count: number): State {
  const { reason = '', output } = s.command.proof.disproof ?? {};
  const error_pattern = errorLine(output ?? '') ?? firstLine(reason, 240);
  const details = { count, error_pattern };
  return withMachineAnomaly(s, state, { type: 'retry_loop', task: s.task.id, pattern: 'error_pattern', details });
}

/** What distinguishes one failure from another; the command that failed is the same for many tasks. */
function errorLine(output: string): string | undefined {
  const [line] = tellingLines(output, 1);
  return line === undefined ? undefined : gist(line, 240);
}
