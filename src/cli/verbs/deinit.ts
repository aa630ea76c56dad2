// `liza deinit`: removes Liza from this project; without --purge the work stays in git.

import { join } from 'node:path';
import type { Deinited } from '../../project/deinit.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { counted, shellWord } from '../../text/format.ts';
import type { Io } from '../io.ts';
import { boardAt } from '../open-board.ts';
import { openTaskContext } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Done, Result, Verb } from '../verb.ts';

export const verb: Verb = {
  operatorOnly: true,
  options: {
    purge: { description: 'Also delete what Liza keeps: attempts, reviewed commits, the blackboard.' },
    yes: { short: 'y', description: 'Remove without asking.' },
  },
  examples: ['liza deinit', 'liza deinit --yes', 'liza deinit --purge'],
  details: [
    'It first says what goes and what stays, and asks; where nobody can be asked it needs --yes. Without the board liza report and liza blame have nothing to tell: save the report before.',
    'Removes .liza/, the worktrees and branches of tasks, the hook, and the lines in .git/info/exclude. Your branches, stash and files and the integration branch stay as they are.',
    'Unfinished work is kept under refs/liza/attempts, reviewed commits under refs/liza/review, the blackboard in .git/liza/kept, which agents do not see.',
    'Refused while agents run. Safe to repeat: if it was interrupted, the next one finishes it.',
  ],
  run: async (args, io) => {
    const purge = args.flag('purge');
    const root = io.root();
    const asks = !args.flag('yes');
    // JSON is for programs.
    const whom = args.json ? undefined : io;
    if (typeof root !== 'string') return finish(io, root, { purge, asks, whom });
    const context = await openTaskContext(io, { anyBoard: true });
    if (isRefusal(context)) return context;
    const { deinit } = await import('../../project/deinit.ts');
    const stays = await branchLine(context);
    const no = asks ? await refusedOrDeclined(whom, context, goesAndStays(purge, stays)) : undefined;
    if (no !== undefined) return no;
    const done = await deinit(context, purge);
    return isRefusal(done) ? done : tell('Liza is removed from this project', done, purge, stays);
  },
};

/** Nobody is asked about what would be refused anyway. */
async function refusedOrDeclined(
  whom: Whom,
  context: TaskContext,
  shown: readonly string[],
): Promise<Refusal | undefined> {
  const snapshot = await context.store.read().catch(() => undefined); // a board that cannot be read is removed all the same
  const { refuseBusy } = await import('../../project/deinit-busy.ts');
  const busy = snapshot && refuseBusy(snapshot.board, snapshot.now);
  if (busy !== undefined) return busy;
  return declined(whom, shown);
}

type Whom = Pick<Io, 'openDialogue'> | undefined;

const KEPT_GOES = 'goes: the board in .git/liza/kept, unfinished work and reviewed commits; nothing of it comes back';
const DECLINED = refuse('nothing is removed', 'to remove it later: liza deinit', 1, 'left');
const UNASKED = refuse(
  'nothing is removed: nobody can be asked here',
  'without a question: liza deinit --yes',
  1,
  'left',
);

async function declined(whom: Whom, shown: readonly string[], question?: string): Promise<Refusal | undefined> {
  const answer = await said(whom, shown, question);
  return answer === true ? undefined : answer === false ? DECLINED : UNASKED;
}

function goesAndStays(purge: boolean, branch: readonly string[]): readonly string[] {
  return [
    'goes: .liza/ with the board, the folders and branches of tasks, the git hook',
    'goes: the settings and what was spent; after a new liza init no budget is set, and that of the day begins at 0',
    purge
      ? 'goes, too: unfinished work, reviewed commits and the board that git would keep'
      : 'stays: unfinished work and reviewed commits (git for-each-ref refs/liza), the board in .git/liza/kept',
    'stays: your branches, your files and your stash',
    ...branch,
    'liza report, liza blame and liza audit then have nothing to tell; to save the report first: liza report --out liza-report.html (an earlier goal’s: --goal goal-1)',
  ];
}

/** Undefined: nobody can be asked, as in a script. */
async function said(
  whom: Whom,
  shown: readonly string[],
  question = 'Remove Liza from this project?',
): Promise<boolean | undefined> {
  const dialogue = await whom?.openDialogue?.();
  if (dialogue === undefined) return undefined;
  try {
    for (const line of shown) dialogue.say(plain(line));
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

/** It stays, and nobody but git tells from now on what it has. */
async function branchLine(context: TaskContext): Promise<readonly string[]> {
  const { baseDistance } = await import('../../git/base-branch.ts');
  const snapshot = await context.store.read().catch(() => undefined); // a board that cannot be read is removed all the same
  const distance = snapshot && (await baseDistance(context, snapshot.board));
  if (distance === undefined) return [];
  const { branch, integration, ahead } = distance;
  if (ahead === 0)
    return [
      `the branch ${integration} stays; ${branch} has all of it, so you may delete it: git branch -d ${shellWord(integration)}`,
    ];
  return [
    `the branch ${integration} stays, with ${counted(ahead, 'commit')} that ${branch} lacks: git switch ${shellWord(branch)} && git merge ${shellWord(integration)}`,
  ];
}

/** There is no board; an interrupted deinit may have left something, or an earlier one kept something. */
async function finish(
  io: Io,
  none: Refusal,
  { purge, asks, whom }: { readonly purge: boolean; readonly asks: boolean; readonly whom: Whom },
): Promise<Result> {
  if (none.guard !== 'no-project') return none;
  const { openRepository } = await import('../../git/repository.ts');
  const repository = await openRepository(io.host, io.cwd);
  if (isRefusal(repository)) return none;
  const { commonDirectoryOf } = await import('../../git/directory.ts');
  const { finishDeinit } = await import('../../project/deinit.ts');
  const common = commonDirectoryOf(io.host.disk, repository.gitDirectory);
  const isKept = io.host.disk.existsSync(join(common, 'liza', 'kept'));
  const no = purge && asks && isKept ? await declined(whom, [KEPT_GOES], 'Delete what was kept?') : undefined;
  if (no !== undefined) return no;
  const done = await finishDeinit(boardAt(io, repository), common, purge);
  if (done === undefined) {
    const kept = 'to list what an earlier deinit kept: git for-each-ref refs/liza; ls .git/liza/kept';
    return {
      ok: true,
      lines: ['there is no blackboard here and nothing to remove', ...(purge ? [] : [kept])],
    };
  }
  return isRefusal(done) ? done : tell('the rest of Liza is removed', done, purge);
}

function tell(
  message: string,
  { putAway, kept, settled, left }: Deinited,
  purge: boolean,
  stays: readonly string[] = [],
): Done {
  const { attempts, reviews, board } = kept;
  const keeps = [
    ...(attempts + reviews === 0
      ? []
      : [
          `kept in git: ${counted(attempts, 'attempt')}, ${counted(reviews, 'reviewed commit')}: git for-each-ref refs/liza`,
        ]),
    ...(board === undefined ? [] : [`the blackboard is kept: ${board}/state.yaml`]),
  ];
  return {
    ok: true,
    message,
    lines: [
      ...settled,
      ...putAway.flatMap(({ task, attempt }) =>
        attempt === undefined ? [] : [`${task}: its work is kept as ${attempt}`],
      ),
      ...keeps,
      ...(keeps.length === 0 || purge ? [] : ['to delete that too: liza deinit --purge']),
      ...stays,
      ...left.map((line) => `left: ${line}`),
    ].map(plain),
    data: { put_away: putAway, kept, settled, left, purged: purge },
  };
}
