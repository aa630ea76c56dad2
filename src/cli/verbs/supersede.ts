// `liza supersede <task>`: replaces a task by existing drafts or by definitions given right here,
// in one transaction.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import type { Definition } from '../../protocol/definition/payloads.ts';
import { definitionFrom } from '../definition.ts';
import { readJson } from '../input.ts';
import { openProject, runCommand } from '../open-project.ts';
import { specFacts } from '../spec-file.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'A task that is BLOCKED or INTEGRATION_FAILED.' }],
  options: {
    'root-cause': { value: 'text', required: true, description: 'Why the task could not work as it was.' },
    replacement: { value: 'task', kind: 'task', repeat: true, description: 'An existing draft or unclaimed task.' },
    define: { value: 'json', repeat: true, description: 'A new draft: a JSON object, @file.json, or - for stdin.' },
  },
  examples: [
    'liza supersede retry-all --root-cause "two services in one task" --replacement retry-login --replacement retry-search',
    `liza supersede retry-all --root-cause "too big" --define '{"id":"retry-login","done_when":"…","scope":"…","spec_ref":"specs/auth.md"}'`,
  ],
  run: async (args, io) => {
    const replacements = args.all('replacement');
    const sources = args.all('define');
    if (replacements.length + sources.length === 0) {
      return refuse(
        'liza supersede needs at least one replacement',
        'name an existing one with --replacement <task> or write a new one with --define <json>; to give the task up: liza abandon',
        1,
        'usage',
      );
    }
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const definitions: Definition[] = [];
    for (const source of sources) {
      const read = await readJson(io, source);
      if (isRefusal(read)) return read;
      const definition = definitionFrom(read.json);
      if (isRefusal(definition)) return definition;
      const facts = specFacts(context.paths.root, definition.spec_ref);
      if (isRefusal(facts)) return facts;
      definitions.push(definition);
    }
    return runCommand(
      context,
      { name: 'supersede', task: args.must('task'), root_cause: args.must('root-cause'), replacements, definitions },
      () => ({ lines: definitions.map(({ id }) => `Release it with: liza finalize ${id}`) }),
    );
  },
};
