// `liza goal complete|edit`: the goal is reached, or is to say something else.

import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import { listed } from '../../text/format.ts';
import type { Io } from '../io.ts';
import { act, onProject, runCommand } from '../open-project.ts';
import { specFacts } from '../spec-file.ts';
import type { Verb } from '../verb.ts';

const goalComplete: Verb = {
  options: {
    summary: { value: 'text', description: 'What was achieved, for the record.' },
    'carry-over': { description: 'Leave open questions and discoveries to the next goal.' },
  },
  examples: [
    'liza goal complete --summary "all API calls retry"',
    'liza goal complete --carry-over --summary "all API calls retry; the timeout is next"',
  ],
  details: [
    'All tasks have ended, at least one of this goal was merged, and every critical or high discovery and every question is decided. It names each one that is not, with the command that decides it; --carry-over leaves them to the next goal. Lesser discoveries move there by themselves.',
  ],
  run: async (args, io) =>
    (await notWhileUnread(io)) ??
    act(
      io,
      {
        name: 'goal complete',
        ...defined({ summary: args.text('summary') }),
        ...(args.flag('carry-over') ? { carry_over: true } : {}),
      },
      ({ state }) => ({
        lines: [
          `The work is on branch ${state.config.integration_branch ?? 'integration'}; ${io.env['LIZA_AGENT_ID'] ? 'a person takes it from there' : 'to merge it into yours: liza finish'}`,
        ],
      }),
    ),
};

/** What may change whether the goal is reached. */
const UNREAD: ReadonlySet<string> = new Set(['answer', 'note', 'question', 'discovery']);

/** A planner does not end a goal over an answer, or what somebody found, that it is only about to read. */
async function notWhileUnread(io: Io): Promise<Refusal | undefined> {
  const { unreadNews } = await import('../session-answer.ts');
  const came = (await unreadNews(io)).flatMap((one) =>
    UNREAD.has(one.kind) && 'id' in one ? [one.id] : one.kind === 'spec' ? [one.spec] : [],
  );
  if (came.length === 0) return undefined;
  return refuse(
    `you have not read what came since your last command: ${listed([...new Set(came)], 10)}`,
    'You read it with this answer. Check whether the goal is still reached; if so, complete it again',
    1,
    'unread',
  );
}

const goalEdit: Verb = {
  options: {
    desc: { value: 'text', description: 'The goal, in one sentence.' },
    spec: { value: 'path', kind: 'file', description: 'The goal’s document.' },
  },
  examples: ['liza goal edit --desc "Add retry to all API calls but uploads"', 'liza goal edit --spec specs/retry.md'],
  details: [
    'The old text stays in the goal’s history, and the planner is told with a note. For a change inside the document: liza spec-change.',
    'After a completed goal, liza run wants its document changed. If the same text describes the next goal, too, say so once: liza goal edit --spec <the same document>.',
  ],
  run: onProject(async (context, args) => {
    const spec_ref = args.text('spec');
    const facts = specFacts(context.paths.root, spec_ref);
    if (isRefusal(facts)) return facts;
    return runCommand(context, {
      name: 'goal edit',
      ...defined({ description: args.text('desc'), spec_ref }),
      facts,
    });
  }),
};

export const verbs = { 'goal complete': goalComplete, 'goal edit': goalEdit };
