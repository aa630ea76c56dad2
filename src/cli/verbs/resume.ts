// `liza resume [task]`: clears what halted the board and records the decision taken.
// Who may, and when: protocol/commands/operator/kill-switches.ts.

import { isRefusal } from '../../protocol/decision.ts';
import { isGoalOver } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { crewAtWork } from '../../supervisor/crew-record.ts';
import { openProject, runCommand } from '../open-project.ts';
import type { Verb } from '../verb.ts';

const NOBODY = 'no crew of liza run is at work here; to go on: liza run';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', optional: true, description: 'Only this task; without it the whole board.' },
  ],
  options: {
    decision: {
      value: 'decision',
      choices: ['continue', 'adjust-specs', 'replan', 'stop'],
      description: 'What you decided at the CHECKPOINT; kept on record.',
    },
    note: { value: 'text', description: 'Why, or what to change; - reads it from stdin.' },
  },
  details: [
    'adjust-specs and replan wake the planner with your note; stop aborts the goal, tasks and worktrees stay.',
    'After a tripped circuit breaker first: liza analyze --resolve "…".',
  ],
  examples: [
    'liza resume',
    'liza resume --decision continue --note "the scope stays"',
    'liza resume --decision replan --note "drop the export task"',
  ],
  run: async (args, io) => {
    const [task, decision, note] = [args.text('task'), args.text('decision'), args.text('note')];
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    return runCommand(context, { name: 'resume', ...defined({ task, decision, note }) }, ({ state }) =>
      isGoalOver(state) || crewAtWork(context) !== undefined ? {} : { lines: [NOBODY] },
    );
  },
};
