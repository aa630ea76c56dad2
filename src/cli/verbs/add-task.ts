// `liza add-task`: a new DRAFT, or with --ready a task that may be claimed at once.

import { isRefusal } from '../../protocol/decision.ts';
import { asDoneWhen } from '../../protocol/definition/criteria.ts';
import type { DefinitionChange } from '../../protocol/definition/payloads.ts';
import { defined } from '../../protocol/values.ts';
import { DEFINITION_OPTIONS, readDefinition } from '../definition.ts';
import { openProject, runCommand } from '../open-project.ts';
import { keptSpecFacts } from '../spec-file.ts';
import type { Verb } from '../verb.ts';

const allDone = ({ done_when, add_done = [] }: DefinitionChange): string | undefined =>
  asDoneWhen([...(done_when === undefined ? [] : [done_when]), ...add_done]);

export const verb: Verb = {
  options: {
    id: { value: 'id', kind: 'new-task', required: true, description: 'Its name: small letters, digits, dashes.' },
    ...DEFINITION_OPTIONS,
    because: { value: 'question', kind: 'question', description: 'The question whose answer makes it necessary.' },
    ready: { description: 'Release it at once, so that coders can claim it; all gates must pass.' },
  },
  examples: [
    'liza add-task --id retry-login --desc "Retry the login call" --spec specs/auth.md#retry --done "three 503s in a row still log in" --scope "IN: src/auth. OUT: the UI" --validate "npm test" --ready',
  ],
  run: async (args, io) => {
    const given = readDefinition(args);
    if (isRefusal(given)) return given;
    const { add_done = [], ...rest } = given;
    // Of a new task --add-done is --done.
    const changes = add_done.length === 0 ? rest : { ...rest, ...defined({ done_when: allDone(given) }) };
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const facts = await keptSpecFacts(context, changes);
    if (isRefusal(facts)) return facts;
    const id = args.must('id');
    const ready = args.flag('ready');
    const because = args.text('because');
    return runCommand(
      context,
      { name: 'add-task', definition: { id, ...changes }, ...(ready ? { ready } : {}), ...defined({ because }), facts },
      () => (ready ? {} : { lines: [`Release it with: liza finalize ${id}`] }),
    );
  },
};
