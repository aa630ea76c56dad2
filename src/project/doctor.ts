// `liza doctor`: looks at everything the blackboard depends on and says what is wrong and what to do about it. Reads only,
// unless told to fix; fixing makes what is missing and never discards.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { boardElsewhere, broughtIn, isBroughtIn } from '../git/board-owner.ts';
import { commonDirectoryOf } from '../git/directory.ts';
import type { Repository } from '../git/repository.ts';
import { git } from '../git/run.ts';
import { replaceFile } from '../ports/files.ts';
import { MINIMUM_GIT } from '../ports/git-program.ts';
import { validate } from '../protocol/invariants.ts';
import { RECORD_SECTIONS, type State, settings } from '../protocol/state.ts';
import { goalArchive, taskArchive } from '../store/archive.ts';
import { assemble } from '../store/assemble.ts';
import type { BoardContext } from '../store/context.ts';
import { normalise } from '../store/file-values.ts';
import { mirrorJournal } from '../store/git-dir-copy.ts';
import { inTransaction } from '../store/in-transaction.ts';
import type { Loaded } from '../store/load.ts';
import { loadBoard } from '../store/load-board.ts';
import { rewriteLog, untold } from '../store/log.ts';
import { goalHash } from '../store/past-goals.ts';
import { brokenFile, unlocked } from '../store/refusals.ts';
import { keepText } from '../store/rejected.ts';
import { type Replayed, replay } from '../store/replay.ts';
import { canRestore, restore } from '../store/restore.ts';
import { type Verification, verifyJournal } from '../store/verify.ts';
import { parseDocument } from '../store/yaml/document.ts';
import { counted, listed, shellWord } from '../text/format.ts';
import { broken, type Finding, fixed, ok, warning } from './finding.ts';
import { checkOldBoards } from './kept-boards.ts';
import { checkProject, refuseLink, siteOf, stateOf } from './project-manifest.ts';

export async function examine(
  context: BoardContext,
  repository: Repository,
  { fix, schema }: { readonly fix: boolean; readonly schema: string | undefined },
): Promise<readonly Finding[]> {
  // A link may lead out of the project: nothing is read or repaired through it.
  const link = refuseLink(context.paths.liza);
  if (link !== undefined) return [broken('blackboard', link.message, link.hint)];
  const findings = [await checkGit(context), await checkLock(context)];
  const elsewhere = boardElsewhere(context.disk, repository.root);
  if (elsewhere !== undefined) return [...findings, ...(await checkSecond(context, elsewhere))];
  if (isBroughtIn(context.disk, repository.root)) {
    const { message, hint } = broughtIn(repository.root);
    return [...findings, broken('blackboard', message, hint)];
  }
  const board = await checkBoard(context, fix);
  findings.push(...board.findings);
  const site = siteOf(context, commonDirectoryOf(context.disk, repository.gitDirectory));
  const branch = board.state === undefined ? undefined : settings(board.state).integration_branch;
  findings.push(...(await checkProject({ ...site, files: context.files, branch }, fix)));
  findings.push(...(await checkOldBoards(context, site.common, fix)), ...checkLeftovers(context, fix));
  if (schema !== undefined) findings.push(...checkSchema(context, fix, schema));
  return findings;
}

/** Nothing here is mended: hook, exclude lines, refs and folders of tasks are the other board's. */
async function checkSecond(context: BoardContext, elsewhere: string): Promise<readonly Finding[]> {
  const there = `the blackboard of this repository is in ${elsewhere}`;
  const work = `work there: cd ${shellWord(elsewhere)} && liza doctor`;
  const { files, paths } = context;
  if (files.stat(paths.journal) === undefined && files.stat(paths.state) === undefined)
    return [warning('blackboard', `none here; ${there}`, work)];
  const message = `${there}, and this is a second one: Liza changes nothing in git for it`;
  return [
    broken('blackboard', message, `${work}; to remove the one here: liza deinit`),
    ...(await checkBoard(context, false)).findings,
  ];
}

async function checkGit(context: BoardContext): Promise<Finding> {
  const { stdout } = await git(context, context.paths.root, ['version']);
  return ok('git', `${stdout.trim()} (at least ${MINIMUM_GIT.join('.')} is needed)`);
}

async function checkLock(context: BoardContext): Promise<Finding> {
  if (context.files.stat(context.paths.liza) === undefined) return ok('lock', 'nothing to lock yet');
  const lock = await context.lock();
  if ('busy' in lock) {
    const message = 'the blackboard is locked by another process';
    return warning('lock', message, `look for ${lock.busy.join(', ') || 'its holder'}`);
  }
  if (!('release' in lock)) {
    const { message, hint } = unlocked(lock);
    return broken('lock', message, hint);
  }
  lock.release();
  return ok('lock', 'is free');
}

interface Checked {
  readonly findings: readonly Finding[];
  /** Absent: it cannot be read. */
  readonly state?: State | undefined;
}

async function checkBoard(context: BoardContext, fix: boolean): Promise<Checked> {
  const { files, paths } = context;
  const lost = files.stat(paths.journal) === undefined && files.stat(paths.state) === undefined;
  if (lost && !canRestore(context))
    return { findings: [warning('blackboard', 'none here', 'start one: liza init "<goal>"')] };
  if (lost) return { findings: await restoreBoard(context, fix), state: await stateOf(context) };
  let replayed = await replay(context);
  const findings = checkJournal(context, fix, replayed.verification);
  if (findings.some((finding) => finding.fixed === true)) replayed = await replay(context);
  const loaded = await loadBoard(context, 'ignore');
  if ('ok' in loaded) return { findings: [...findings, broken('state', loaded.message, loaded.hint)] };
  if ('none' in loaded)
    return { findings: [warning('state', 'state.yaml has no journal', 'the first command adopts it')] };
  if (loaded.broken !== undefined || loaded.behind || loaded.edits.length > 0) {
    findings.push(await completeState(context, fix, loaded));
  }
  const { state } = normalise(loaded.doc.value);
  const problems = validate(state, assemble(context, state).archived);
  for (const { message } of problems.slice(0, 20)) {
    findings.push(broken('rules', message, 'liza validate shows where; fix it with liza edit'));
  }
  if (problems.length === 0) findings.push(ok('rules', 'every rule holds'));
  const all = [
    ...(await checkDatabase(context, replayed)),
    ...findings,
    ...(await checkArchive(context, fix, replayed)),
    ...(await checkLog(context, fix, replayed)),
  ];
  return { findings: all, state };
}

/** The rows of a board in a database against its journal, and how it is reached. */
async function checkDatabase(context: BoardContext, { verification }: Replayed): Promise<readonly Finding[]> {
  const { shared } = context;
  if (shared === undefined) return [];
  const [{ addressOf }, { sessionOf }, { wholeText }] = await Promise.all([
    import('../store/postgres/address.ts'),
    import('../store/postgres/session.ts'),
    import('../store/postgres/board-rows.ts'),
  ]);
  const session = sessionOf(context, shared);
  const found = await session.link.refused(() => session.link.retry((one) => wholeText(one, shared.board)));
  const address = addressOf(context);
  const isSafe = !('ok' in address) && (address.tls === 'verify-full' || address.host.startsWith('/'));
  const tls = 'ok' in address ? 'unknown' : address.tls;
  // Somebody may write meanwhile: then the two are of different entries.
  const differs = found?.hash === verification.head && found.text !== verification.text();
  return [
    differs
      ? broken('store', 'the records in the database differ from what its journal leads to', 'run: liza log verify')
      : ok('store', `on PostgreSQL: the records are as the journal leads to, entry ${verification.entries}`),
    isSafe
      ? ok('store', `the connection is checked (${tls})`)
      : warning('store', `the connection is not checked (sslmode=${tls})`, 'safer: sslmode=verify-full in the address'),
  ];
}

async function restoreBoard(context: BoardContext, fix: boolean): Promise<readonly Finding[]> {
  const { entries, problems } = verifyJournal(context, { journal: mirrorJournal(context.paths.mirror ?? '') });
  const message = `.liza is gone; the git directory has a copy up to entry ${entries}`;
  if (problems.length > 0) {
    return [broken('blackboard', `${message}, but it is damaged: ${problems[0]}`)];
  }
  if (!fix) return [broken('blackboard', message, 'liza doctor --fix restores it')];
  const done = await restore(context);
  return [fixed('blackboard', `${message}; restored ${done.join(', ')}`)];
}

function checkJournal(context: BoardContext, fix: boolean, verification: Verification): Finding[] {
  const { entries, problems, remarks } = verification;
  if (problems.length > 0 && copyIsWhole(context)) return [takeCopy(context, fix, problems[0] ?? '')];
  const found: Finding[] = problems.map((message) =>
    broken(
      'journal',
      message,
      'compare it with the copy in the git directory (liza/journal.jsonl) before anything else',
    ),
  );
  if (found.length === 0) found.push(ok('journal', `${counted(entries, 'entry')}, whole`));
  return [...found, ...remarks.map((message): Finding => warning('journal', message))];
}

/** The archive's index against the journal, which knows every task that was archived. */
async function checkArchive(
  context: BoardContext,
  fix: boolean,
  { archived: known }: Replayed,
): Promise<readonly Finding[]> {
  const check = 'archive';
  const { files, paths } = context;
  const tasks = taskArchive(files, paths.archive);
  const goals = goalArchive(files, paths.archive);
  const index = tasks.index();
  const kept = new Map((await goals.all()).map((one) => [one.id, goalHash(one)]));
  const wrongTasks = known.tasks.filter(({ id, status }) => index.get(id)?.status !== status);
  const wrongGoals = known.goals.filter(({ id }) => known.hashes.has(id) && kept.get(id) !== known.hashes.get(id));
  const wrong = [...wrongTasks, ...wrongGoals].map(({ id }) => id);
  if (wrong.length === 0) {
    const all = [counted(known.tasks.length, 'task'), counted(known.hashes.size, 'goal')].join(', ');
    return known.tasks.length + known.hashes.size === 0 ? [] : [ok(check, all)];
  }
  const message = `${counted(wrong.length, 'archived record')} missing or different from the journal: ${listed(wrong, 5)}`;
  if (!fix) return [broken(check, message, 'liza doctor --fix writes them again from the journal')];
  tasks.add(wrongTasks, known.goalOf);
  goals.add(wrongGoals);
  return [fixed(check, `${message}; written again`)];
}

/** The activity log is made of the journal; one that lags behind is completed by the next command. */
async function checkLog(context: BoardContext, fix: boolean, { entries }: Replayed): Promise<readonly Finding[]> {
  const { files, paths } = context;
  const check = 'log';
  if (files.stat(paths.log)?.isDirectory === true) return [broken(check, 'log.yaml is a folder', 'move it away')];
  const odd = untold(files, paths.log, entries);
  if (odd === undefined || ('behind' in odd && odd.behind)) return [];
  const how =
    'foreign' in odd
      ? `has entries that the journal does not, ${odd.foreign}`
      : `does not show entry ${odd.entry} as the journal has it`;
  const message = `log.yaml ${how}`;
  const remedy = 'liza doctor --fix writes it again from the journal, and keeps the old one';
  if (!fix) return [broken(check, message, remedy)];
  const done = await inTransaction(context, async () => ({ kept: rewriteLog(context) }));
  if ('ok' in done) return [broken(check, `${message}; ${done.message}`, done.hint)];
  return [fixed(check, `${message}; written again, the old one is kept in ${done.kept}`)];
}

function copyIsWhole(context: BoardContext): boolean {
  const { mirror } = context.paths;
  return (
    mirror !== undefined &&
    canRestore(context) &&
    verifyJournal(context, { journal: mirrorJournal(mirror) }).problems.length === 0
  );
}

/** The journal was tampered with, its copy was not. */
function takeCopy(context: BoardContext, fix: boolean, problem: string): Finding {
  const { files, paths } = context;
  const message = `${problem}; the copy in the git directory is intact`;
  if (!fix) return broken('journal', message, 'liza doctor --fix uses the copy');
  const kept = keepText(context, 'journal.jsonl', files.read(paths.journal) ?? '');
  replaceFile(files, paths.journal, files.read(mirrorJournal(paths.mirror ?? '')) ?? Buffer.alloc(0), true);
  return fixed('journal', `${message} and used; the other one is kept in ${kept}`);
}

async function unreadableEdit(edits: readonly string[]): Promise<{ message: string; hint: string } | undefined> {
  for (const text of edits) {
    const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
    if (!parsed.ok) return brokenFile(parsed);
  }
  return undefined;
}

/** Opening a transaction rolls forward and absorbs: all that is left to do is to open one. */
async function completeState(context: BoardContext, fix: boolean, loaded: Loaded): Promise<Finding> {
  const { behind, edits } = loaded;
  const unreadable = loaded.broken ?? (await unreadableEdit(edits));
  if (unreadable !== undefined) return broken('state', unreadable.message, unreadable.hint);
  const message =
    behind && edits.length === 0 ? 'state.yaml is older than the journal' : 'state.yaml was edited outside liza';
  if (!fix) return warning('state', message, 'liza doctor --fix, or any command that writes');
  const opened = await inTransaction(context, async (transaction) => ({ notices: transaction.notices }));
  if ('ok' in opened) return broken('state', opened.message, opened.hint);
  const told = opened.notices.map((notice) => notice.message).join('; ');
  return fixed('state', `${message}; completed${told === '' ? '' : `: ${told}`}`);
}

/** state.yaml may name it in its first line; an older or missing one only misleads editors. */
function checkSchema({ files, paths }: BoardContext, fix: boolean, schema: string): readonly Finding[] {
  const file = join(paths.liza, 'state.schema.json');
  if (files.stat(paths.state) === undefined || files.read(file)?.toString('utf8') === schema) return [];
  const check = 'schema';
  const message = 'state.schema.json, with which editors check state.yaml, is missing or from another version';
  if (!fix) return [warning(check, message, 'liza doctor --fix writes it')];
  replaceFile(files, file, Buffer.from(schema), false);
  return [fixed(check, `${message}; written`)];
}

function checkLeftovers({ files, paths }: BoardContext, fix: boolean): readonly Finding[] {
  const left = files.list(paths.liza).filter((name) => /\.\d+\.new$/.test(name));
  if (left.length === 0) return [];
  const message = `${counted(left.length, 'temporary file')} of commands that were killed: ${left.join(', ')}`;
  if (!fix) return [warning('leftovers', message, 'liza doctor --fix removes them')];
  for (const name of left) rmSync(join(paths.liza, name), { force: true });
  return [fixed('leftovers', `${message}; removed`)];
}
