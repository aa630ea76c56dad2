// `liza unblock <task>`: BLOCKED → UNCLAIMED, with the answer: a changed definition, another coder,
// a fresh review count. After two failed coders the definition must change.

import { agentId } from '../../identity/identify.ts';
import { plays } from '../../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import type { UnblockOptions } from '../../protocol/definition/payloads.ts';
import { findTask } from '../../protocol/find.ts';
import { blockingQuestions } from '../../protocol/messages/questions.ts';
import { defined } from '../../protocol/values.ts';
import type { CommandContext } from '../../store/transact.ts';
import { some } from '../args.ts';
import { CHANGE_OPTIONS, readChange } from '../definition.ts';
import type { Dialogue, Io } from '../io.ts';
import { openProject, runCommand } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import { keptSpecFacts } from '../spec-file.ts';
import type { Args, Result, Verb } from '../verb.ts';
import { giveAnswer } from './answer.ts';

const FLAGS: NonNullable<Verb['options']> = {
  ...CHANGE_OPTIONS,
  'keep-worktree': { description: 'The next coder continues from the work so far.' },
  'start-over': {
    description: 'The next coder starts over; the work so far is put away then. So it is where nothing else is said.',
    aka: ['from-scratch', 'scratch', 'fresh', 'restart', 'discard', 'reset'],
  },
  'reset-review-cycles': { description: 'Count rejections from zero again.' },
  exclude: { value: 'agent', kind: 'agent', repeat: true, description: 'A coder that may not take it.' },
  reserve: { value: 'agent', kind: 'agent', description: 'The only coder who may take it.' },
  withdraw: { value: 'text', description: 'Why its open questions need no answer.' },
  assessment: { value: 'text', description: 'Why, for its history; after a review deadlock it is required.' },
};

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', description: 'A blocked task.' },
    {
      name: 'answer',
      optional: true,
      rest: true,
      text: true,
      description: 'The answer to its open questions, as with liza answer; - reads it from stdin.',
    },
  ],
  options: FLAGS,
  examples: [
    'liza unblock retry-login "three times, then give up"',
    'liza unblock retry-login "five, and the docs belong to it" --replace-done "2: five 503s in a row still log in" --scope "IN: src/auth, docs"',
    'liza unblock retry-login --add-done "a 401 is not retried at all"',
    'liza unblock retry-login --start-over',
    'liza unblock retry-login --keep-worktree --exclude coder-1 --assessment "the coder ignored the timeout blocker"',
  ],
  details: [
    'Without an answer and without --keep-worktree the next coder starts over, without the work so far. When it claims the task, that work is put away: liza attempts shows it. A task that its budget stopped continues in any case.',
    'An answer goes with the options: question and answer are kept for the coder, the worktree stays, and the task is reserved for the coder that asked unless --reserve or --exclude says otherwise.',
    'If an agent’s question holds the task, Liza asks you for the answer on a terminal, or you give it here. Elsewhere it is refused unless you give an answer, change what the definition says, or say with --withdraw why no answer is needed. What Liza itself asks after a limit needs no answer.',
  ],
  run: async (args, io) => {
    const task = args.must('task');
    const options = readOptions(args);
    if (isRefusal(options)) return options;
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const text = args.all('answer').join(' ');
    const isFresh = args.flag('start-over');
    if (isFresh && (text !== '' || options.keep_worktree === true))
      return refuse(
        `${text === '' ? '--keep-worktree keeps' : 'an answer keeps'} the worktree, and --start-over does not`,
        text === ''
          ? 'leave one of them out'
          : `leave one of them out; to tell its next coder something: liza note "…" --for ${task}`,
        1,
        'usage',
      );
    const isPlain = !isFresh && Object.keys(options).length === 0;
    if (text !== '' && options.withdraw !== undefined)
      return refuse('its questions are either answered or withdrawn', 'leave one of them out', 1, 'usage');
    if (text !== '' && isPlain) return giveAnswer(context, { about: task, text });
    const answered = text === '' && isPlain ? await askWhatIsOpen(context, args, io, task) : undefined;
    if (answered !== undefined) return answered;
    const facts = await keptSpecFacts(context, { ...(await context.store.readTask(task))?.task, ...options.changes });
    if (isRefusal(facts)) return facts;
    return text === ''
      ? runCommand(context, { name: 'unblock', task, facts, ...options })
      : runCommand(context, { name: 'answer', about: task, text, unblock: options, facts });
  },
};

function readOptions(args: Args): UnblockOptions | Refusal {
  const changes = readChange(args);
  if (isRefusal(changes)) return changes;
  const exclude = args.all('exclude').map(agentId);
  const reserve = args.flag('reserve') ? agentId(args.must('reserve')) : undefined;
  for (const id of [...exclude, reserve]) if (typeof id === 'object') return id;
  return defined({
    changes: Object.keys(changes).length === 0 ? undefined : changes,
    keep_worktree: args.flag('keep-worktree') || undefined,
    reset_review_cycles: args.flag('reset-review-cycles') || undefined,
    exclude: some(exclude as string[]),
    reserve: reserve as string | undefined,
    assessment: args.text('assessment'),
    withdraw: args.text('withdraw'),
  });
}

/** What an agent was blocked for is answered by the person who frees it. Undefined: nothing is open to a person here. */
async function askWhatIsOpen(context: CommandContext, args: Args, io: Io, task: string): Promise<Result | undefined> {
  const { state } = (await context.store.read()).board;
  const found = findTask(state, task);
  const open = found === undefined ? [] : blockingQuestions(state, found);
  if (open.length === 0 || !plays(context.actor, 'human')) return undefined;
  const dialogue = args.json ? undefined : await io.openDialogue?.();
  if (dialogue === undefined) return undefined;
  try {
    let last: Result | undefined;
    for (const { id, text, asked_by } of open) {
      const answer = await asked(dialogue, `${id}, ${asked_by} asks: ${plain(text)}`);
      if (answer === undefined)
        return refuse('cancelled; the answers you gave are kept', `continue: liza answer ${task} "…"`, 1, 'left');
      last = await giveAnswer(context, { about: id, text: answer });
      if (!last.ok) return last;
    }
    return last;
  } finally {
    dialogue.close();
  }
}

async function asked(dialogue: Dialogue, question: string): Promise<string | undefined> {
  dialogue.say(question);
  for (;;) {
    const answer = await dialogue.ask('Your answer: ');
    if (answer === undefined || answer.trim() !== '') return answer?.trim();
    dialogue.say('  the answer is empty; Ctrl-C cancels');
  }
}
