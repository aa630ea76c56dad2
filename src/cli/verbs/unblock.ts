// `liza unblock <task>`: BLOCKED → UNCLAIMED, with the answer: a changed definition, another coder,
// a fresh review count. After two failed coders the definition must change.

import { agentId } from '../../identity/identify.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import { some } from '../args.ts';
import { CHANGE_OPTIONS, readChange } from '../definition.ts';
import { openProject, runCommand } from '../open-project.ts';
import { keptSpecFacts } from '../spec-file.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'A blocked task.' }],
  options: {
    ...CHANGE_OPTIONS,
    'keep-worktree': { description: 'The next coder goes on with the work that is there.' },
    'reset-review-cycles': { description: 'Count rejections from zero again.' },
    exclude: { value: 'agent', kind: 'agent', repeat: true, description: 'A coder that may not take it.' },
    reserve: { value: 'agent', kind: 'agent', description: 'The only coder who may take it.' },
    assessment: { value: 'text', description: 'Your judgement of the review deadlock; required after one.' },
  },
  examples: [
    'liza unblock retry-login --add-done "a 401 is not retried at all"',
    'liza unblock retry-login --keep-worktree --exclude coder-1 --assessment "the coder ignored the timeout blocker"',
  ],
  run: async (args, io) => {
    const task = args.must('task');
    const changes = readChange(args);
    if (isRefusal(changes)) return changes;
    const exclude = args.all('exclude').map(agentId);
    const reserve = args.flag('reserve') ? agentId(args.must('reserve')) : undefined;
    for (const id of [...exclude, reserve]) if (typeof id === 'object') return id;
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const facts = await keptSpecFacts(context, { ...(await context.store.readTask(task))?.task, ...changes });
    if (isRefusal(facts)) return facts;
    return runCommand(context, {
      name: 'unblock',
      task,
      facts,
      ...defined({
        changes: Object.keys(changes).length === 0 ? undefined : changes,
        keep_worktree: args.flag('keep-worktree') || undefined,
        reset_review_cycles: args.flag('reset-review-cycles') || undefined,
        exclude: some(exclude as string[]),
        reserve: reserve as string | undefined,
        assessment: args.text('assessment'),
      }),
    });
  },
};
