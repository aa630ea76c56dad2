// `liza submit-verdict <task> <verdict> [reason]`: binds to the exact commit under review.

import type { CommandOf } from '../../protocol/command.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import type { VerdictFacts } from '../../protocol/facts/verdict-facts.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { redact, secretsOf } from '../../text/redact.ts';
import { openTaskContext, runCommand } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [
    { name: 'task', kind: 'task', description: 'The task you review.' },
    { name: 'verdict', choices: ['APPROVED', 'REJECTED'], description: 'Your verdict.' },
    {
      name: 'reason',
      optional: true,
      text: true,
      description: 'The evidence, or what blocks; - reads it from stdin.',
    },
  ],
  options: {
    commit: { value: 'commit', description: 'The full id you reviewed; default: the one under review.' },
    'by-hand': { description: 'For a person who reviewed it: the approval then needs no evidence.' },
  },
  details: [
    'An approval names the evidence for each criterion of done_when, one per line (or separated by ;): a test, a command that Liza ran green at this commit, a place, the paths of the change for what stays as it is, or what you saw. Flagged: what was only seen, places alone for what the program does, a place outside the diff. A concern has its own line.',
    [
      '  1: test test/auth.test.ts › a 401 is not retried',
      '  2: ran npm test',
      '  3: src/auth.ts:12-20',
      '  4: diff src/auth.ts, test/',
      '  5: seen the page shows the message in red',
      '  6: seen I ran node bench.mjs three times: 40 ms each',
      '  - [concern] src/auth.ts:40 — the limit is written twice',
    ].join('\n'),
    'A person reviews under a separate id, needs no evidence for an approval and holds the review for review_lease_duration:',
    [
      '  export LIZA_AGENT_ID=code-reviewer-9',
      '  liza register code-reviewer-9',
      '  liza claim-review retry-login code-reviewer-9',
      '  liza submit-verdict retry-login APPROVED --by-hand',
      '  unset LIZA_AGENT_ID',
    ].join('\n'),
    'A rejection has this form (from the second iteration on also "Prior Feedback Status:"):',
    [
      '  Blockers: 1',
      '  - [blocker] src/auth.ts:12 — 401 is retried too',
      '    Why it matters: a locked account is hammered',
      '    Suggestion: retry 5xx only',
      '  Concerns: 0',
      '  Overall: close, one defect.',
    ].join('\n'),
  ],
  examples: [
    'liza submit-verdict retry-login APPROVED "1: ran npm test; 2: src/auth.ts:12"',
    'liza submit-verdict retry-login REJECTED - < verdict.txt',
  ],
  run: async (args, io) => {
    const task = args.must('task');
    const verdict = args.must('verdict') === 'APPROVED' ? 'APPROVED' : 'REJECTED';
    const reason = args.text('reason');
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const command = {
      name: 'submit-verdict',
      task,
      verdict,
      ...defined({ reason, commit: args.text('commit') }),
      ...(args.flag('by-hand') ? { by_hand: true as const } : {}),
    } as const;
    const facts = await factsFor(context, command);
    const outcome = isRefusal(facts) ? facts : await runCommand(context, { ...command, facts });
    if (outcome.ok) return outcome;
    const disputed = await recordedDispute(context, { task, verdict, ...defined({ reason, commit: command.commit }) });
    if (disputed !== undefined) return disputed;
    if (reason === undefined || outcome.raced !== true) return outcome;
    // What the reviewer found must not be lost with its lease.
    const { keepText } = await import('../../store/rejected.ts');
    const kept = keepText(
      context,
      `verdict-${task}-${context.actor.id ?? 'human'}.md`,
      `${verdict}${command.commit === undefined ? '' : ` of ${command.commit}`}\n${redact(reason, secretsOf(context.env))}`,
    );
    return { ...outcome, hint: `${outcome.hint}; your findings are kept in ${kept} for the next reviewer` };
  },
};

/** What a session hears whose other verdict on this commit is on record. Undefined: this one contradicts none. */
async function recordedDispute(
  context: TaskContext,
  verdict: Omit<CommandOf<'verdict-disputed'>, 'name'>,
): Promise<Refusal | undefined> {
  if (context.actor.session === undefined) return undefined;
  const { contradicts } = await import('../../protocol/commands/review/second-verdict.ts');
  const { findTask } = await import('../../protocol/find.ts');
  const { board } = await context.store.read();
  const task = findTask(board.state, verdict.task);
  if (task === undefined || !contradicts(task, context.actor.id ?? '', verdict)) return undefined;
  const { transact } = await import('../../store/transact.ts');
  // The rejection counts while it can.
  const counted =
    verdict.verdict === 'REJECTED'
      ? await transact(context, { ...verdict, name: 'second-verdict', verdict: verdict.verdict })
      : undefined;
  const told = counted?.ok === true ? counted : await transact(context, { ...verdict, name: 'verdict-disputed' });
  if (!told.ok) return told.guard === 'once' ? told : undefined;
  const now = told.state.tasks.find(({ id }) => id === task.id)?.status ?? task.status;
  return refuse(
    `${told.detail}; it is ${now}, and a person is told`,
    'If the first was not yours, say so: liza anomaly --type system_ambiguity …, or in the reason of liza exit 42; then stop',
    1,
    'own-review',
  );
}

/** Asks git only about a verdict that nothing but such facts could refuse: then one refusal names all that is wrong. */
async function factsFor(
  context: TaskContext,
  command: Omit<CommandOf<'submit-verdict'>, 'facts'>,
): Promise<VerdictFacts | Refusal> {
  const { foresee } = await import('../../store/transact.ts');
  const early = await foresee(context, { ...command, facts: NO_FACTS });
  if (!early.ok && early.needs !== 'facts') return early;
  const { verdictFacts } = await import('../../tasks/verdict-facts.ts');
  const { parseRejection } = await import('../../protocol/review/verdict.ts');
  const { concernsOfRejection, parseApproval } = await import('../../protocol/review/approval.ts');
  const { verdict, reason = '' } = command;
  // As many criteria as anybody could name: the rules know how many there are.
  const { concerns } = parseApproval(reason, 0);
  const named =
    verdict === 'APPROVED'
      ? { blockers: [], evidence: parseApproval(reason, Number.POSITIVE_INFINITY).evidence, concerns }
      : {
          blockers: parseRejection(reason, false).blockers,
          evidence: [],
          concerns: [...concerns, ...concernsOfRejection(reason)],
        };
  const facts = verdictFacts(context, command.task, named);
  if (early.ok) return facts;
  // Where git cannot tell, the form alone is reason enough.
  return facts.then(
    (known) => (isRefusal(known) ? early : known),
    () => early,
  );
}

const NO_FACTS: VerdictFacts = { unknown_places: [], outside_diff: [], false_evidence: [], changed_files: [] };
