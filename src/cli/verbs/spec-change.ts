// `liza spec-change <spec> <change>`: a spec was edited; the live tasks built on it are listed.

import { posix } from 'node:path';
import { isRefusal } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import { onProject, runCommand } from '../open-project.ts';
import { specFacts } from '../spec-file.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'spec', kind: 'file', description: 'The spec, such as specs/auth.md#retry.' },
    { name: 'change', rest: true, text: true, description: 'What changed, in one sentence.' },
  ],
  options: { 'triggered-by': { value: 'task', kind: 'task', description: 'The task that raised it.' } },
  examples: ['liza spec-change specs/auth.md "tokens now live 15 minutes" --triggered-by retry-login'],
  run: onProject(async (context, args) => {
    const spec = written(args.must('spec'));
    const facts = specFacts(context.paths.root, spec);
    if (isRefusal(facts)) return facts;
    const { tasksOfSpec } = await import('../../protocol/commands/operator/operator.ts');
    const change = {
      name: 'spec-change' as const,
      spec,
      change: args.all('change').join(' '),
      facts,
      ...defined({ triggered_by: args.text('triggered-by') }),
    };
    return runCommand(context, change, ({ state }) => {
      const touched = tasksOfSpec(state, spec).map(({ id, status }) => ({ id, status }));
      const lines =
        touched.length === 0
          ? []
          : ['To stop one that must change: liza replan <task>. The others are reviewed against the new spec.'];
      return { lines, data: { touched } };
    });
  }),
};

/** `./specs//auth.md#retry` is kept as tasks have it: `specs/auth.md#retry`. */
function written(typed: string): string {
  const hash = typed.indexOf('#');
  const path = hash === -1 ? typed : typed.slice(0, hash);
  // What points outside the project is refused as it was typed.
  const short = path === '' || path.split('/').includes('..') ? path : posix.normalize(path);
  return hash === -1 ? short : short + typed.slice(hash);
}
