// `liza pause [task]`: sets PAUSE, or pauses one task.
// Who may, and when: protocol/commands/operator/kill-switches.ts.

import { orFileAlone } from '../kill-switch.ts';
import { onProject, runCommand } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', optional: true, description: 'Only this task; without it the whole board.' },
  ],
  details: [
    'No task is claimed, reviewed or merged until liza resume. A running agent has pause_grace seconds (120) to finish or hand off: what it submits and a verdict it gives in that time count. Then it is ended, and its work is kept.',
  ],
  examples: ['liza pause', 'liza pause retry-login'],
  run: onProject(async (context, args) => {
    const task = args.text('task');
    const tell = () => ({ lines: [`Continue with: liza resume${task === undefined ? '' : ` ${task}`}`] });
    if (task !== undefined) return runCommand(context, { name: 'pause', task }, tell);
    const command = { name: 'pause' } as const;
    const setting = { name: 'PAUSE', command, later: 'Continue with: liza resume' } as const;
    return orFileAlone(context, setting, (open) => runCommand(open, command, tell));
  }),
};
