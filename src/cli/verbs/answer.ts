// `liza answer <question|task> "<answer>"`: what somebody needed to know. The last question of a blocked task gives the
// task back to the coder that asked.

import type { CommandOf } from '../../protocol/command.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { checkTaskId, quoted } from '../../protocol/ids.ts';
import { findQuestion } from '../../protocol/messages/questions.ts';
import type { State } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { CommandContext } from '../../store/transact.ts';
import { openProject, runCommand } from '../open-project.ts';
import { specFacts } from '../spec-file.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    {
      name: 'about',
      optional: true,
      kind: 'record',
      description: 'A question, or a task whose open questions this answers.',
    },
    { name: 'answer', optional: true, rest: true, text: true, description: 'The answer; - reads it from stdin.' },
  ],
  options: {
    criterion: { description: 'Make the answer a criterion of the task’s done_when, too.' },
    accept: { description: 'The assumption is right; without a question: of every open question.' },
  },
  examples: [
    'liza answer q-3 "yes, three times"',
    'liza answer retry-login "after five 503s it gives up" --criterion',
    'liza answer --accept',
  ],
  details: [
    'Coder and reviewer read question and answer beside done_when.',
    'The answer to the last question of a BLOCKED task unblocks it: its worktree is kept, and it is reserved for the coder that asked.',
  ],
  run: async (args, io) => {
    const about = args.text('about');
    if (about !== undefined && checkTaskId(about) !== undefined) {
      return refuse(
        `${quoted(about)} is not a question or task`,
        'Name it first: liza answer q-1 "…"; see what is open: liza status',
        1,
        'task-id',
      );
    }
    const words = args.all('answer').join(' ');
    const text = words === '' ? undefined : words;
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const flags = { accept: args.flag('accept') || undefined, criterion: args.flag('criterion') || undefined };
    return giveAnswer(context, defined({ about, text, ...flags }));
  },
};

/** For `unblock` too, which asks a person for what is open. */
export async function giveAnswer(
  context: CommandContext,
  given: Omit<CommandOf<'answer'>, 'name' | 'facts'>,
): Promise<Result> {
  const { board } = await context.store.read();
  const facts = specFacts(context.paths.root, specOf(board.state, given.about ?? ''));
  return runCommand(context, { name: 'answer', facts: isRefusal(facts) ? {} : facts, ...given });
}

/** The spec of the task that the answer is about. */
function specOf(state: State, about: string): string | undefined {
  const id = findQuestion(state, about)?.task ?? about;
  return state.tasks.find((task) => task.id === id)?.spec_ref;
}
