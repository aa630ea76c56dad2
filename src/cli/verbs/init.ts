// `liza init "<goal>"`: a blackboard for a goal in this repository.

import { refused } from '../desk.ts';
import { humanOnly } from '../identity.ts';
import { readSchema } from '../schema.ts';
import { specFacts } from '../spec-facts.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'init',
  positionals: [{ name: 'goal', rest: true, description: 'What is to be reached, in a sentence.' }],
  options: {
    spec: { value: 'path', kind: 'file', description: 'The goal’s document; default specs/vision.md.' },
    branch: { value: 'name', description: 'Where approved work is merged; default integration.' },
  },
  examples: ['liza init "Add retry to all API calls"', 'liza init "Port the parser" --spec docs/parser.md'],
  details: [
    'Makes .liza/ (kept out of git through .git/info/exclude) and the integration branch, from HEAD.',
    'Your branches, working tree, index and .gitignore stay as they are.',
    'On a project whose goal is finished it archives that goal and opens the next one.',
  ],
  run: async (args, io) => {
    const operator = humanOnly(io.env, 'init');
    if (operator !== undefined) return operator;
    const { openRepository } = await import('../../git/repository.ts');
    const repository = await openRepository(io.env, io.cwd);
    if (refused(repository)) return repository;
    const spec = args.text('spec') ?? 'specs/vision.md';
    const facts = await specFacts(repository.root, spec);
    if (refused(facts)) return facts;
    const { init } = await import('../../workflows/init.ts');
    const schema = readSchema(io);
    const context = io.context(repository.root, repository.gitDirectory);
    const done = await init(io.env, repository, context, {
      goal: args.all('goal').join(' '),
      spec,
      branch: args.text('branch') ?? 'integration',
      specExists: facts.spec_exists === true,
      schema,
    });
    return done.ok ? { ...done, data: { root: repository.root, already: done.already } } : done;
  },
};
