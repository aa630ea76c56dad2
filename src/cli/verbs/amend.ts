// `liza amend <task>`: changes only what is given of a DRAFT, UNCLAIMED or BLOCKED task, or of a CLAIMED one after an answer.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import { CHANGE_OPTIONS, readChange } from '../definition.ts';
import { openProject, runCommand } from '../open-project.ts';
import { keptSpecFacts } from '../spec-file.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    {
      name: 'task',
      kind: 'task',
      description: 'A task nobody works on, or one that got an answer after it was claimed.',
    },
  ],
  options: CHANGE_OPTIONS,
  details: [
    '--done, --depends and --validate replace all existing ones; --add-done keeps the criteria and adds one, --replace-done "2: …" changes one. --depends= empties the list.',
  ],
  examples: [
    'liza amend retry-login --add-done "a 401 is not retried at all"',
    'liza amend retry-login --replace-done "2: five 503s in a row still log in"',
    'liza amend retry-login --done "five 503s in a row still log in" --done "`npm test` is green"',
    'liza amend retry-login --priority 1',
  ],
  run: async (args, io) => {
    const changes = readChange(args);
    if (isRefusal(changes)) return changes;
    if (Object.keys(changes).length === 0) {
      return refuse('liza amend was given nothing to change', 'name a field, such as --done or --scope', 1, 'usage');
    }
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const task = args.must('task');
    const facts = await keptSpecFacts(context, { ...(await context.store.readTask(task))?.task, ...changes });
    if (isRefusal(facts)) return facts;
    return runCommand(context, { name: 'amend', task, changes, facts });
  },
};
