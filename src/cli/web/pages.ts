// From an address to what its page shows: reads what the view needs besides the board, from disk and git. Nothing here
// changes anything. An address that names nothing is answered with nothing.

import { audit } from '../../audit/gather.ts';
import { openPrivateGitDir } from '../../git/private-git-dir.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { historyOf } from '../../protocol/leases.ts';
import { concerns } from '../../protocol/messages/question-scope.ts';
import { proofCommands } from '../../protocol/review/proof.ts';
import { discoveriesOn } from '../../protocol/review/reported.ts';
import { settings, type Task } from '../../protocol/state.ts';
import { recordedMerges, roundsOf } from '../../protocol/work/task-history.ts';
import { reportOf } from '../../report/facts.ts';
import { taskView as taskStatus } from '../../report/status-view.ts';
import type { JournalEntry } from '../../store/store.ts';
import { verifyJournal } from '../../store/verify.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { secretsOf } from '../../text/redact.ts';
import type { BoardAccess } from '../live/access.ts';
import { readLogTail } from '../live/log-file.ts';
import type { Looked } from './feed.ts';
import { actionsFor, fingerprint } from './offers.ts';
import type { WebRole } from './sessions.ts';
import { accountView, type Chain, factsView, type Merge } from './views/account.ts';
import { agentsView, fileOf, type HostsSeen } from './views/agents.ts';
import { boardView } from './views/board.ts';
import { costView } from './views/cost.ts';
import { type DiffShown, diffView, linesIn, namesLine, readSideBySide } from './views/diff.ts';
import { noteView, shareView } from './views/doors.ts';
import { logView } from './views/log.ts';
import { nowView } from './views/now.ts';
import { outputView } from './views/output.ts';
import { queueView } from './views/queue.ts';
import { taskView } from './views/task.ts';
import type { Seen, View } from './views/view.ts';

export interface Pages {
  seen(looked: Looked, role: WebRole): Seen;
  view(address: Address, seen: Seen): Promise<View | undefined>;
  /** The entries from that number on, at most so many. */
  journal(from: number, most: number): Promise<readonly JournalEntry[]>;
}

export interface Address {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export const addressOf = (text: string): Address => {
  const at = text.indexOf('?');
  return {
    path: (at === -1 ? text : text.slice(0, at)).split('/').filter((part) => part !== ''),
    query: new URLSearchParams(at === -1 ? '' : text.slice(at + 1)),
  };
};

export const textOf = ({ path, query }: Address): string => `${path.join('/')}${query.size === 0 ? '' : `?${query}`}`;

/** What is read again as the board changes; the others are as they were when they were opened. */
export const isLive = ({ path }: Address): boolean =>
  path.length === 1 ? path[0] !== 'note' && path[0] !== 'share' : path.length === 2 && path[0] !== 'account';

/** Rounds whose diffs a task's page reads for links. */
const MOST_NAMED = 5;

const LAST_ENTRIES = { now: 40, log: 200 };

export function openPages(context: TaskContext, access: BoardAccess, base: string): Pages {
  let chain: { readonly seq: number; readonly chain: Chain } | undefined;
  const journal: Pages['journal'] = async (from, most) => {
    const found: JournalEntry[] = [];
    for await (const entry of context.store.journal(Math.max(1, from))) {
      found.push(entry);
      if (found.length >= most) break;
    }
    return found;
  };
  const lastEntries = (before: number, most: number) => journal(before - most, Math.min(most, before - 1));
  const chainAt = (seq: number): Chain => {
    // The files of a board in a database are a view, which comes a moment later.
    if (chain?.seq !== seq || chain.chain.entries < seq) {
      const { entries, problems, remarks } = verifyJournal(context);
      chain = { seq, chain: { entries, problems, remarks } };
    }
    return chain.chain;
  };
  const hosts = async (): Promise<HostsSeen | undefined> => {
    const { shared } = context;
    if (shared === undefined) return undefined;
    const { hostsOf } = await import('../../store/postgres/shared-hosts.ts');
    const found = await hostsOf(context, shared);
    return isRefusal(found) ? { hosts: [], problem: found.message } : { hosts: found, here: shared.host };
  };
  const allTasks = async ({ board }: Seen): Promise<readonly Task[]> => [
    ...(await context.store.archivedTasks(board.state.goal)),
    ...board.state.tasks,
  ];

  const view: Pages['view'] = async ({ path, query }, seen) => {
    const [name = 'now', id = '', more, n] = path;
    if (path.length === 1 || path.length === 0) {
      switch (name) {
        case 'now':
          return nowView(seen, await lastEntries(seen.seq + 1, LAST_ENTRIES.now));
        case 'board':
          return boardView(seen, (query.get('q') ?? '').slice(0, 200));
        case 'queue':
          return queueView(seen);
        case 'agents':
          return agentsView(seen, await access.logs(), await hosts());
        case 'account': {
          const merges = mergesOf(await allTasks(seen)).toReversed();
          return accountView(seen, merges, chainAt(seen.seq), (query.get('q') ?? '').slice(0, 200));
        }
        case 'cost': {
          const archived = await context.store.archivedTasks(seen.board.state.goal);
          const { state } = seen.board;
          const report = reportOf({ state, archived, now: seen.now, secrets: secretsOf(context.env) });
          return costView(seen, report, [...archived, ...state.tasks]);
        }
        case 'log': {
          const before = Number(query.get('before'));
          const end = Number.isInteger(before) && before > 1 ? Math.min(before, seen.seq + 1) : seen.seq + 1;
          return logView(seen, await lastEntries(end, LAST_ENTRIES.log));
        }
        case 'share':
          return seen.role === 'operator' ? shareView(seen, undefined) : undefined;
        case 'note':
          return seen.role === 'operator' ? note(seen, query) : undefined;
        default:
          return undefined;
      }
    }
    if (path.length === 2 && name === 'task') return task(seen, id);
    if (path.length === 2 && name === 'output') return output(seen, id);
    if (path.length === 2 && name === 'account') return facts(seen, id);
    if (path.length === 4 && name === 'task' && more === 'diff')
      return diff(seen, id, Number(n), query.get('step') === '1');
    return undefined;
  };

  const task = async (seen: Seen, id: string): Promise<View | undefined> => {
    const found = await context.store.readTask(id);
    if (found === undefined) return undefined;
    const { task: record, archived, questions = [], discovered = [], notes = [] } = found;
    const extras = {
      now: seen.now,
      view: taskStatus(seen.board, record, settings(seen.board.state), seen.now),
      archived,
      handoff: seen.board.state.handoff[id],
      notes: notes.filter((one) => one.for === id),
      validation: proofCommands(found.config, record),
      questions: questions.filter((one) => concerns(one, record)),
      discoveries: discoveriesOn(discovered, id),
    };
    const logs = (await access.logs()).filter((log) => log.task === id);
    const working = inSession(seen, id);
    const log = logs.find(({ agent }) => working.has(agent));
    const lines = log === undefined ? [] : (await readLogTail(log.path)).lines;
    return taskView(seen, {
      ...{ task: record, extras, logs, lines: await namedLines(record) },
      ...(log === undefined ? {} : { printed: { log, lines } }),
    });
  };

  /** Commits never change: their diff is read once. */
  const linesOf = new Map<string, Promise<ReadonlySet<string>>>();
  const namedLines = async (task: Task): Promise<ReadonlyMap<number, ReadonlySet<string>>> => {
    const rounds = roundsOf(task, undefined).map(({ commit, verdicts }, at) => ({ commit, verdicts, n: at + 1 }));
    const named = rounds.filter(({ verdicts }) => verdicts.some(({ reason = '' }) => namesLine(reason)));
    const read = named.slice(-MOST_NAMED).flatMap(({ commit, n }) => {
      const from = baseOf(task, commit) ?? task.base_commit;
      if (commit === undefined || from === undefined) return [];
      const key = `${from} ${commit}`;
      const lines = linesOf.get(key) ?? sideBySide(context, from, commit).then(({ files }) => linesIn(files));
      if (linesOf.size > 200) linesOf.clear();
      linesOf.set(key, lines);
      return [lines.then((all) => [n, all] as const)];
    });
    return new Map(await Promise.all(read));
  };

  /** The agents that have a session on the task now. */
  const inSession = ({ board, crew, status }: Seen, id: string): ReadonlySet<string> =>
    new Set([
      ...crew.members.filter(({ task: on, session }) => on === id && session !== undefined).map(({ agent }) => agent),
      ...status.agents
        .filter((one) => !one.gone && board.state.agents[one.id]?.under_way?.task === id)
        .map((one) => one.id),
    ]);

  const output = async (seen: Seen, file: string): Promise<View | undefined> => {
    const log = (await access.logs()).find((one) => fileOf(one) === file);
    if (log === undefined) return undefined;
    const { size, lines } = await readLogTail(log.path);
    return outputView(seen, { file, agent: log.agent, task: log.task, ...linesAt(log.path, size, lines) });
  };

  /** Where a file's end is read, its lines are counted on from what was read before. */
  const counts = new Map<string, { readonly last: string; readonly next: number }>();
  const linesAt = (path: string, size: number, lines: readonly string[]) => {
    const before = counts.get(path);
    const at = before === undefined ? -1 : lines.lastIndexOf(before.last);
    const first = before === undefined || at === -1 ? (size > 128 * 1024 ? 1 : 0) : Math.max(0, before.next - at - 1);
    const last = lines.at(-1);
    if (last !== undefined && first > 0) counts.set(path, { last, next: first + lines.length });
    return { first, lines };
  };

  const facts = async (seen: Seen, id: string): Promise<View | undefined> => {
    const found = await audit(context, { task: id });
    if (isRefusal(found)) return undefined;
    const [one] = found.tasks;
    if (one === undefined) return undefined;
    const merge = mergesOf([one.task]).at(-1);
    return factsView(seen, one.task, [...found.goal, ...one.facts], merge);
  };

  const diff = async (seen: Seen, id: string, n: number, isStep: boolean): Promise<View | undefined> => {
    const found = await context.store.readTask(id);
    if (found === undefined || !Number.isInteger(n)) return undefined;
    const { task: record, archived } = found;
    const rounds = roundsOf(record, undefined);
    const to = rounds[n - 1]?.commit;
    const before = isStep ? rounds[n - 2]?.commit : undefined;
    const from = before ?? baseOf(record, to) ?? record.base_commit;
    if (to === undefined || from === undefined) return undefined;
    const read = await sideBySide(context, from, to);
    const mayNote = !archived && seen.actionsFor({ kind: 'task', id }).some(({ name }) => name === 'note');
    return diffView(seen, {
      ...{ task: id, round: n, from, to, isStep: before !== undefined, rounds: rounds.length, mayNote },
      verdicts: rounds[n - 1]?.verdicts ?? [],
      ...read,
    });
  };

  return {
    journal,
    view,
    seen: (looked, role) => ({
      ...looked,
      role,
      base: `/${base}`,
      actionsFor: (subject) => (role === 'operator' ? actionsFor(looked.board, looked.now, subject) : []),
      fingerprint: (subject) => fingerprint(looked.board, subject),
    }),
  };
}

/** What the round was reviewed against: a later rebase, or a fix after a failed merge, has another base. */
function baseOf(task: Task, commit: string | undefined): string | undefined {
  const base = historyOf(task).findLast((one) => one.event === 'submitted' && one['commit'] === commit)?.['base'];
  return typeof base === 'string' ? base : undefined;
}

const mergesOf = (tasks: readonly Task[]): readonly Merge[] =>
  recordedMerges(tasks).map(({ task, event: { commit, time }, mergeCommit }) => ({
    task,
    commit: mergeCommit,
    time,
    ...(typeof commit === 'string' ? { reviewed: commit } : {}),
  }));

function note(seen: Seen, query: URLSearchParams): View | undefined {
  const task = query.get('task') ?? '';
  const line = query.get('line') ?? '';
  const file = (query.get('file') ?? '').slice(0, 500);
  const round = query.get('round') ?? '';
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(task) || !/^\d{1,7}$/.test(line) || !/^\d{1,4}$/.test(round)) return undefined;
  return noteView(seen, { task, round, text: `${file}:${line} (round ${round}): ` });
}

const MOST_BYTES = 4_000_000;

async function sideBySide(
  context: TaskContext,
  from: string,
  to: string,
): Promise<Pick<DiffShown, 'files' | 'problem'>> {
  const gitDir = await openPrivateGitDir(context, context.paths.root);
  if (isRefusal(gitDir)) return { files: [], problem: gitDir.message };
  const args = ['diff-tree', '-r', '-p', '-M', '--no-color', '--no-ext-diff', '--no-textconv', from, to];
  const { status, stdout, stderr } = await gitDir.objects(args);
  if (status !== 0) return { files: [], problem: `git could not compare them: ${stderr.trim()}` };
  if (stdout.length > MOST_BYTES)
    return { files: [], problem: `It is too long for this page: git diff ${from.slice(0, 12)} ${to.slice(0, 12)}` };
  return { files: readSideBySide(stdout) };
}
