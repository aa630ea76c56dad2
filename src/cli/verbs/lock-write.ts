// `liza lock write <path> <value>`: one field, by the rules of an edit by hand.

import { notForAgents } from '../../identity/identify.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { openProject } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'lock write',
  positionals: [
    { name: 'path', description: 'Such as .tasks[my-task].priority or .agents.coder-1.lease_expires.' },
    { name: 'value', description: 'YAML; text that is not anything else is text.' },
  ],
  options: {},
  examples: ['liza lock write .tasks[retry].priority 1', 'liza lock write .config.poll_interval 10'],
  details: ['Commands are the better way: this adopts only what an edit of state.yaml by hand may change.'],
  run: async (args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const own = notForAgents(context.actor, 'lock write');
    if (own !== undefined) return own;
    const { lockWrite } = await import('../../project/lock-commands.ts');
    const { parseStrict } = await import('../../store/yaml/strict.ts');
    const text = args.must('value');
    const parsed = await parseStrict(text);
    const done = await lockWrite(context, context.actor, args.must('path'), parsed.ok ? parsed.value : text);
    return done.ok ? { ok: true, message: done.message, data: { seq: done.seq } } : done;
  },
};
