// `liza finish [branch]`: shows what the integration branch brings to a person's branch, tests the result, asks, and
// merges; or tells how it is done by hand. Never moves a branch that nobody said yes to.

import type { Board } from '../../protocol/board.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { eventsOf } from '../../protocol/goal/alignment.ts';
import { unhandledText } from '../../protocol/messages/notes.ts';
import { openQuestions } from '../../protocol/messages/questions.ts';
import { isTerminal, type State, type TaskStatus } from '../../protocol/state.ts';
import { recordedMerges } from '../../protocol/work/task-history.ts';
import { unconfinedAgents } from '../../sandbox/rules/session-label.ts';
import type { TaskContext } from '../../tasks/context.ts';
import type { FinishPlan } from '../../tasks/finish.ts';
import { testText } from '../../tasks/rules/tested.ts';
import { counted, listed, shellWord } from '../../text/format.ts';
import type { Io } from '../io.ts';
import { committedResult, openTaskContext } from '../open-project.ts';
import { printOut } from '../render/print.ts';
import { rewrittenLines } from '../render/rewritten-branch.ts';
import { plain } from '../render/terminal.ts';
import type { Args, Verb } from '../verb.ts';

export const verb: Verb = {
  operatorOnly: true,
  positionals: [
    {
      name: 'branch',
      optional: true,
      description: 'Your branch; default: the one the board was made from (base_branch).',
    },
  ],
  options: {
    check: { description: 'Only show and test what would be merged; change nothing.', aka: ['dry-run'] },
    yes: { short: 'y', description: 'Merge without asking.' },
    'no-ff': { description: 'A merge commit in any case; it names author and reviewer of each task.' },
  },
  examples: ['liza finish', 'liza finish --check', 'liza finish release --yes'],
  details: [
    'Shows the difference, what is unfinished, and the outcome of the tests on the result: scripts/integration-test.sh of the integration branch, or test_command if there is no such script, in a clean checkout.',
    'Your branch is fast-forwarded, or gets a merge commit. If you have it checked out, your files are updated with it. Uncommitted changes stay; the merge is refused only if it changes the same file.',
    'It brings in exactly what Liza left on the integration branch: work that was reviewed and merged. Unfinished tasks stay as they are; you can run liza finish again later.',
    'Exit 1: not merged, because there is nothing to merge yet, nobody said yes, or a checkout cannot be updated. Exit 3: a conflict or red tests.',
  ],
  run: async (args, io) => {
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { finishGoal, planFinish } = await import('../../tasks/finish.ts');
    const plan = await planFinish(context, {
      named: args.text('branch'),
      only: args.flag('check'),
      noFf: args.flag('no-ff'),
    });
    if (isRefusal(plan)) return plan;
    const { board } = await context.store.read();
    const { branch, integration, how, onto, commit, candidate, commits, test } = plan;
    const data = { branch, integration, how, onto, commit, candidate, commits, test: test.verdict };
    if (how === 'contained') {
      const open = stillOpen(board.state);
      if (isTooEarly(board.state, open)) {
        const hint = open.includes(GIVEN_UP)
          ? 'end the goal: liza goal complete; or add work: liza add-task --help'
          : `${await nextStep(io, context, board)}; then: liza finish`;
        return {
          ...refuse(`nothing to bring into ${branch} yet: ${open.join(', ')}`, hint, 1, 'left'),
          data,
        };
      }
      return {
        ok: true,
        message: `already done: ${branch} has all of ${integration}`,
        lines: [...(open.length === 0 ? [] : [`unfinished: ${open.join(', ')}`]), ...unhandled(board.state)].map(plain),
        data: { ...data, already: true },
      };
    }
    const account = planLines(plan, board.state).map(plain);
    const shown = [...account, ...(await otherWays(io, plan, context.paths.root)).map(plain)];
    if (args.flag('check')) return { ok: true, lines: shown, data };
    // What was tested comes first: the last line says what was done.
    if (args.flag('yes') && !args.json) printOut(io, `${account.join('\n')}\n`);
    const yes = args.flag('yes') || (await said(args, io, shown, `Merge it into ${branch}?`));
    if (yes !== true)
      return { ...(yes === undefined ? UNASKED : DECLINED), ...(yes === undefined ? { lines: shown } : {}), data };
    const done = await finishGoal(context, plan);
    if (isRefusal(done)) return done;
    const next = [
      `who wrote and reviewed it: liza blame ${shellWord(accountedAt(plan))}`,
      ...(board.state.goal.status === 'COMPLETED' ? ['next: liza init "<next goal>"'] : []),
    ];
    const lines = [...done.remarks, ...next];
    return committedResult(done.committed, () => ({ lines: lines.map(plain), data }));
  },
};

/** What lets the goal go on: the same step that `liza status` names. */
async function nextStep(io: Io, context: TaskContext, board: Board): Promise<string> {
  if (board.state.goal.status === 'ABORTED') return 'continue it: liza resume, then liza run';
  const { crewAtWork } = await import('../../supervisor/crew-record.ts');
  if (crewAtWork(context) !== undefined) return 'watch it: liza attach';
  const { unreadyText } = await import('../unready.ts');
  return (await unreadyText(io, context, board)) ?? 'continue it: liza run';
}

/** After a fast-forward the branch may end in a merge of itself (liza sync), which no task stands behind. */
function accountedAt({ branch, commit, how, tasks }: FinishPlan): string {
  const merges = recordedMerges(tasks).map(({ mergeCommit }) => mergeCommit);
  return how === 'fast-forward' && !merges.includes(commit) ? (merges.at(-1)?.slice(0, 12) ?? branch) : branch;
}

const UNASKED = refuse(
  'nothing is merged: there is no terminal to ask at',
  'to merge it: liza finish --yes',
  1,
  'left',
);
const DECLINED = refuse(
  'nothing is merged',
  'to merge it later: liza finish; to have more done first, say what is missing as the next goal: liza init "…"',
  1,
  'left',
);

/** Nothing of this goal has come over before, so what is contained is what was there when it began. */
const isTooEarly = ({ goal }: State, open: readonly string[]): boolean =>
  open.length > 0 && eventsOf(goal, 'finished').length === 0;

/** What the goal still waits for, in words: `1 task in review (slugify)`. */
function stillOpen({ goal, tasks }: State): readonly string[] {
  if (goal.status === 'COMPLETED') return [];
  const found = Object.entries(WAITING).flatMap(([status, words]) => {
    const ids = tasks.filter((task) => task.status === status).map(({ id }) => id);
    return ids.length === 0 ? [] : [`${counted(ids.length, 'task')} ${words} (${listed(ids, 5)})`];
  });
  if (goal.status === 'ABORTED') return ['the goal is ABORTED', ...found];
  if (found.length > 0) return found;
  if (tasks.some(({ status }) => status === 'MERGED')) return [];
  return [tasks.length === 0 ? 'nothing is planned yet' : GIVEN_UP];
}

const GIVEN_UP = 'every task was given up';

const WAITING: Readonly<Record<Exclude<TaskStatus, 'MERGED' | 'SUPERSEDED' | 'ABANDONED'>, string>> = {
  DRAFT: 'in draft',
  UNCLAIMED: 'waiting for a coder',
  CLAIMED: 'being coded',
  READY_FOR_REVIEW: 'in review',
  REJECTED: 'to be reworked',
  APPROVED: 'approved and not merged yet',
  BLOCKED: 'blocked',
  INTEGRATION_FAILED: 'that did not merge',
};

/** Undefined: nobody can be asked. */
async function said(args: Args, io: Io, shown: readonly string[], question: string): Promise<boolean | undefined> {
  const dialogue = args.json ? undefined : await io.openDialogue?.();
  if (dialogue === undefined) return undefined;
  try {
    for (const line of shown) dialogue.say(line);
    for (;;) {
      const answer = (await dialogue.ask(`${question} yes or no [no]: `))?.trim() ?? '';
      if (/^(no?)?$/i.test(answer)) return false;
      if (/^y(es)?$/i.test(answer)) return true;
      dialogue.say('  answer yes or no; Enter: no, nothing is changed');
    }
  } finally {
    dialogue.close();
  }
}

const unhandled = (state: State): readonly string[] => {
  const text = unhandledText(state);
  return text === undefined ? [] : [text];
};

function planLines(
  {
    branch,
    integration,
    how,
    commits,
    own,
    ownChange,
    candidate,
    returning,
    stat,
    rejected,
    tasks,
    test,
    held,
  }: FinishPlan,
  state: State,
): readonly string[] {
  const way = how === 'merge' ? 'a merge commit' : 'a fast-forward';
  const live = state.tasks.filter(({ status }) => !isTerminal(status));
  const questions = openQuestions(state).length;
  const open = [
    ...(live.length === 0
      ? []
      : [
          listed(
            live.map(({ id, status }) => `${id} (${status})`),
            10,
          ),
        ]),
    ...(questions === 0 ? [] : [counted(questions, 'open question')]),
  ];
  return [
    `${branch} gets ${counted(commits, 'commit')} of ${integration} by ${way} (${candidate.slice(0, 12)}):`,
    ...(stat.length === 0 ? ['no file changes by it'] : stat),
    ...ownLines({ branch, own, ownChange, test }),
    ...rejectedLines(rejected),
    ...unconfinedLines(tasks),
    ...rewrittenLines(
      returning,
      (these) => `${branch} was rewritten since Liza built on it; this brings back ${these}`,
    ),
    ...(state.goal.status === 'COMPLETED' ? [] : [`the goal is not complete yet: it is ${state.goal.status}`]),
    ...(open.length === 0 ? [] : [`unfinished, and not part of it: ${open.join('; ')}`]),
    ...unhandled(state),
    testText(test),
    ...(held === undefined ? [] : [`${held.message} → ${held.hint}`]),
  ];
}

/** Why it takes a merge commit, and who has seen what comes of it. */
function ownLines({
  branch,
  own,
  ownChange,
  test: { verdict },
}: Pick<FinishPlan, 'branch' | 'own' | 'ownChange' | 'test'>): readonly string[] {
  if (own === 0) return [];
  if (ownChange === 'no-file')
    return [
      `a merge commit, because ${branch} has ${counted(own, 'commit')} of its own, which ${own === 1 ? 'changes' : 'change'} no file`,
    ];
  if (ownChange === 'document')
    return [`a merge commit, because ${branch} has the goal's document in a commit of its own`];
  const has = `${branch} has ${counted(own, 'commit')} of its own since the two parted`;
  const seen = verdict === 'none' ? 'and no test has, either' : 'the tests below are of both together';
  return [`${has}, hence a merge commit: no agent has seen both together, ${seen}`];
}

/** Both may bear the same subject: whoever reads the history takes the one for the other. */
function rejectedLines(rejected: FinishPlan['rejected']): readonly string[] {
  if (rejected.length === 0) return [];
  const commits = rejected.map(({ task, commit }) => `${commit.slice(0, 12)} (${task})`);
  const [was, version] = rejected.length === 1 ? ['was', 'a later version was'] : ['were', 'later versions were'];
  return [`its history holds ${listed(commits, 5)}, which ${was} rejected; ${version} approved`];
}

function unconfinedLines(tasks: FinishPlan['tasks']): readonly string[] {
  const told = tasks.flatMap(({ id, sessions = [] }) => {
    const agents = unconfinedAgents(sessions);
    return agents.length === 0 ? [] : [`${id} (${agents.join(', ')})`];
  });
  if (told.length === 0) return [];
  return [`written or reviewed without a sandbox: ${listed(told, 5)}; what that means: liza help sandbox`];
}

/**
 * What a person may do before, or instead of, saying yes. Full names of refs: a tag or another ref of the same short name
 * would be taken instead.
 */
async function otherWays(io: Io, { branch, integration }: FinishPlan, root: string): Promise<readonly string[]> {
  const { git } = await import('../../git/run.ts');
  const remotes = (await git(io.host, root, ['remote'])).stdout.split('\n').filter((name) => name !== '');
  const remote = remotes.includes('origin') ? 'origin' : remotes[0];
  const ref = shellWord(`refs/heads/${integration}`);
  return [
    `all of the diff: git diff ${shellWord(`refs/heads/${branch}...refs/heads/${integration}`)}`,
    `or merge it by hand: git switch ${shellWord(branch)} && git merge ${ref}`,
    ...(remote === undefined
      ? []
      : [
          `or as a pull request: git push ${shellWord(remote)} ${shellWord(`refs/heads/${integration}:refs/heads/${integration}`)}, then open one from ${integration} to ${branch}`,
        ]),
  ];
}
