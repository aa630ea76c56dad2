// `liza lock modify <cmd…>`: a command of one's own under the lock; what it leaves is checked.

import { notForAgents } from '../../identity/identify.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { openProject } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'lock modify',
  positionals: [
    { name: 'command', rest: true, description: 'Program and arguments; a single argument runs as sh -c.' },
  ],
  options: {},
  passthrough: true,
  examples: [
    `liza lock modify "yq -i '.config.poll_interval = 10' .liza/state.yaml"`,
    "liza lock modify env P=2 yq -i '.tasks[0].priority = env(P)' .liza/state.yaml",
  ],
  details: [
    'Runs in the project’s root. What it leaves must be readable and within what an edit by hand may change;',
    'otherwise the blackboard is put back, the refused version is kept in .liza/rejected, and the exit code is 4.',
    'A liza command inside it fails at once: the lock is held.',
  ],
  run: async (args, io) => {
    if (io.env['LIZA_SANDBOX'] === '1') {
      return refuse('lock modify does not run inside the sandbox', 'use the command for it: liza help', 1, 'sandbox');
    }
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const own = notForAgents(context.actor, 'lock modify');
    if (own !== undefined) return own;
    const { lockModify } = await import('../../project/lock-commands.ts');
    const done = await lockModify(context, context.actor, args.all('command'), io.env);
    return done.ok ? { ok: true, message: done.message, data: { seq: done.seq } } : done;
  },
};
