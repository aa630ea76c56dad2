// `liza amend <task>`: changes only what is given of a DRAFT, UNCLAIMED or BLOCKED task.

import { refuse } from '../../protocol/decision.ts';
import { DEFINITION_OPTIONS, readDefinition } from '../definition.ts';
import { decideAt, openDesk, refused } from '../open-project.ts';
import { specFacts } from '../spec-facts.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'amend',
  positionals: [{ name: 'task', kind: 'task', description: 'A task nobody works on.' }],
  options: DEFINITION_OPTIONS,
  details: ['--depends and --validate replace the whole list; --depends= empties it.'],
  examples: ['liza amend retry-login --done "five 503s in a row still log in"', 'liza amend retry-login --priority 1'],
  run: async (args, io) => {
    const changes = readDefinition(args);
    if (refused(changes)) return changes;
    if (Object.keys(changes).length === 0) {
      return refuse('liza amend was given nothing to change', 'name a field, such as --done or --scope', 1, 'usage');
    }
    const desk = await openDesk(io);
    if (refused(desk)) return desk;
    const task = args.must('task');
    const specRef = changes.spec_ref ?? (await desk.store.readTask(task))?.task.spec_ref;
    const facts = await specFacts(desk.root, specRef);
    if (refused(facts)) return facts;
    return decideAt(desk, { name: 'amend', task, changes, facts });
  },
};
