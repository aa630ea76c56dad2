// What Liza's own runs at an offered commit showed, where no submission followed: red, so that planner and
// report see it and the tries have a limit; or green, so that the same commit need not be run again.

import { blockTask, QUESTIONS } from '../blocked.ts';
import { event, evolve, withTask } from '../change.ts';
import { isFullCommit } from '../commits.ts';
import { refuse } from '../decision.ts';
import { iterationEvents } from '../holding.ts';
import { knownProof } from '../proof.ts';
import type { Row } from '../table.ts';
import { usage } from '../usage.ts';
import { firstLine, holdsTask } from './work.ts';

export const recordValidation: Row<'record-validation'> = {
  name: 'record-validation',
  summary: 'Record what Liza’s own runs at an offered commit showed.',
  who: ['coder'],
  from: ['CLAIMED'],
  to: ['CLAIMED', 'BLOCKED'],
  // A fact: what was run was run, whoever pauses meanwhile.
  whilePaused: true,
  already: ({ task, command: { proof }, settings }) =>
    proof.disproof === undefined && knownProof(task, proof.commit, proof.commands, settings.tdd) !== undefined,
  guards: [
    holdsTask(),
    {
      name: 'commit',
      rule: 'it names the commit',
      check: ({ task, command }) =>
        isFullCommit(command.proof.commit)
          ? undefined
          : refuse('it names no commit', `Submit the HEAD of your worktree: ${usage('submit-for-review', task.id)}`),
    },
  ],
  effects:
    'history validated or validation_failed; as many red ones in one iteration as max_coder_iterations → BLOCKED',
  change: (s) => {
    const { task, command, settings, actor } = s;
    const { proof } = command;
    const { disproof, ...green } = proof;
    if (disproof === undefined) {
      const told = event(s, 'validated', { commit: proof.commit, proof: green });
      return {
        state: withTask(s.state, evolve(task, {}, told)),
        task: task.id,
        detail: `${task.id} passes its validation at ${proof.commit.slice(0, 12)}`,
      };
    }
    const { guard, reason, output } = disproof;
    const told = event(s, 'validation_failed', {
      commit: proof.commit,
      what: guard,
      reason,
      output,
      log: proof.runs.findLast(({ ok }) => !ok)?.log,
      seconds: proof.seconds,
    });
    const most = task.max_iterations ?? settings.max_coder_iterations;
    const red = iterationEvents(task).filter((entry) => entry.event === 'validation_failed').length + 1;
    if (red >= most) {
      const why = `${red} submissions of one iteration were refused: ${firstLine(reason)}`;
      const block = { reason: why, questions: QUESTIONS.validation, failed: actor.id };
      return {
        state: blockTask(s, s.state, task, block, {}, [told]),
        task: task.id,
        detail: `${task.id} is BLOCKED: ${firstLine(why)}`,
      };
    }
    return {
      state: withTask(s.state, evolve(task, {}, told)),
      task: task.id,
      detail: `${task.id} at ${proof.commit.slice(0, 12)} refused: ${firstLine(reason)}`,
    };
  },
};
