// `liza finalize <task>`: DRAFT → UNCLAIMED once every gate passes.

import { isRefusal } from '../../protocol/decision.ts';
import { openProject, runCommand } from '../open-project.ts';
import { keptSpecFacts } from '../spec-file.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'A draft.' }],
  examples: ['liza finalize retry-login'],
  run: async (args, io) => {
    const task = args.must('task');
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const facts = await keptSpecFacts(context, (await context.store.readTask(task))?.task ?? {});
    if (isRefusal(facts)) return facts;
    return runCommand(context, { name: 'finalize', task, facts });
  },
};
