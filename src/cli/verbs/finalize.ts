// `liza finalize <task>`: DRAFT → UNCLAIMED once every gate passes.

import { decideAt, openDesk, refused } from '../open-project.ts';
import { specFacts } from '../spec-facts.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'finalize',
  positionals: [{ name: 'task', kind: 'task', description: 'A draft.' }],
  options: {},
  examples: ['liza finalize retry-login'],
  run: async (args, io) => {
    const task = args.must('task');
    const desk = await openDesk(io);
    if (refused(desk)) return desk;
    const facts = await specFacts(desk.root, (await desk.store.readTask(task))?.task.spec_ref);
    if (refused(facts)) return facts;
    return decideAt(desk, { name: 'finalize', task, facts });
  },
};
