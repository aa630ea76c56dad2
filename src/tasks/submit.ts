// A coder offers a commit, a reviewer takes it: both see the one commit that is pinned under
// refs/liza/review/<task>/<n>. The pin comes before the board says READY_FOR_REVIEW; whatever happens
// to the branch afterwards, review, validation and merge use the pin.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isolationOf } from '../git/isolation.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, readRefs, reviewOf, updateRefs } from '../git/refs.ts';
import { git } from '../git/run.ts';
import { findPlace, headOf, isPlace, type Place } from '../git/task-folder.ts';
import type { SubmitFacts } from '../protocol/command.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { hideIn } from '../protocol/input.ts';
import { knownProof, knownRefusal, type Proof, proofCommands } from '../protocol/proof.ts';
import type { Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { sha256 } from '../store/hash.ts';
import type { Committed } from '../store/store.ts';
import { foresee, transact } from '../store/transact.ts';
import { secretsOf } from '../text/redact.ts';
import { iso } from '../text/time.ts';
import { submitFacts } from './commit-facts.ts';
import { integrationHead, look, openGitDir, type TaskContext, withProof } from './context.ts';
import { fromRoot } from './disposable-checkout.ts';
import type { Unprepared } from './prepare-checkout.ts';
import { digestsOf, freeNumber, logsOf } from './proof/evidence-files.ts';
import { prove } from './proof/prove.ts';
import { logFolder, type Proving } from './proof/run-commands.ts';

export interface Submitted extends Committed {
  readonly commit: string;
}

export async function submitForReview(
  context: TaskContext,
  id: string,
  named: string,
): Promise<Submitted | Unprepared> {
  const seen = await look(context, id);
  const { board, task, settings } = seen;
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const found = findPlace(gitDir, id);
  const commit = (isPlace(found) ? await resolveIn(gitDir, found, named) : undefined) ?? named;
  const nothing = { head: '', dirty: [], descends_from_base: false, changes: [] };
  const early = await foresee(context, { name: 'submit-for-review', task: id, commit, facts: nothing }, seen);
  if (early.ok) return { ...early, seq: 0, notices: [], commit };
  if (task === undefined || early.needs === undefined) return early;
  const integration = await integrationHead(gitDir, board);
  if (typeof integration !== 'string') return integration;
  if (!isPlace(found)) return noFolder(id, 'broken' in found ? found.broken : 'it is not there');
  const facts = await submitFacts({ gitDir, task, settings, integration }, found, commit);
  if (facts === undefined) return noFolder(id, 'its HEAD leads to no commit that is whole and that git takes');
  const command = { name: 'submit-for-review', task: id, commit } as const;
  const foreseen = await foresee(context, { ...command, facts });
  if (!foreseen.ok && foreseen.needs !== 'proof') return foreseen;
  await isolationOf(found).bring(gitDir, found, commit);
  const pin = await pinCommit(gitDir, id, commit);
  const offer = (proof?: Proof) => transact(context, { ...command, facts: { ...facts, pin, ...defined({ proof }) } });
  const commands = proofCommands(settings, task);
  const done =
    commands.length === 0
      ? await offer()
      : await proved(
          context,
          { gitDir, board, task, settings, commit, base: baseOf(task, facts), number: pin, commands, facts },
          offer,
        );
  return isRefusal(done) ? done : { ...done, commit };
}

const baseOf = (task: Task, { base_commit, head }: SubmitFacts): string => base_commit ?? task.base_commit ?? head;

/** Proves the commit, then offers it. The board may have changed meanwhile: the transaction decides again. */
function proved(
  context: TaskContext,
  proving: Proving,
  offer: (proof?: Proof) => Promise<Committed | Refusal>,
): Promise<Committed | Unprepared> {
  const { task, settings, commit, commands, facts } = proving;
  // Whoever submitted the same before is waited for: then it is submitted, or free again.
  const patience = (settings.validation_timeout * 4 + settings.tdd_timeout + 60) * 1000;
  return withProof<Committed>(context, task.id, patience, async () => {
    const early = await foresee(context, { name: 'submit-for-review', task: task.id, commit, facts });
    if (early.ok) return { ...early, seq: 0, notices: [] };
    if (early.needs !== 'proof') return early;
    const { task: now } = await look(context, task.id);
    const known = knownProof(now ?? task, commit, commands, settings.tdd);
    if (known !== undefined) return offer(known);
    const under = digestOf(proving);
    const asked = { commit, commands, under, limit: settings.validation_timeout };
    const refused = knownRefusal(now ?? task, asked);
    const number = freeNumber(logFolder(context, task.id), now ?? task, proving.number);
    const found = refused ?? (await prove(context, { ...proving, number }));
    if (isRefusal(found)) return found;
    const proof = refused ?? writeDown(context, { ...proving, number }, { ...found, under });
    const done = await offer(proof);
    if (!isRefusal(done)) return done;
    // Kept: a red one for whoever looks at the task, a green one so that nothing is run again.
    const recorded = await transact(context, { name: 'record-validation', task: task.id, proof });
    if (proof.disproof === undefined || !isRefusal(done)) return done;
    const blocked = !isRefusal(recorded) && findTask(recorded.state, task.id)?.status === 'BLOCKED';
    const lines = (proof.disproof.output ?? '').split('\n').filter((line) => line.trim() !== '');
    return {
      ...done,
      ...(blocked
        ? { hint: `${task.id} is BLOCKED now; nothing more is yours to do on it: liza exit 42 --reason "blocked"` }
        : {}),
      lines: lines.map((line) => `  ${line}`),
      data: { output: lines },
    };
  });
}

/** What was asked, of which base, and all settings that decide how it is answered, but for the time it may take. */
function digestOf({ commands, base, settings }: Proving): string {
  const { tdd, test_patterns, post_worktree_cmd, worktree_files, agent_memory_mb, agent_processes } = settings;
  const { sandbox, sandbox_network, sandbox_read, sandbox_write } = settings;
  const asked = [commands, base, tdd, test_patterns, post_worktree_cmd, worktree_files];
  const rules = [agent_memory_mb, agent_processes, sandbox, sandbox_network, sandbox_read, sandbox_write];
  return sha256(JSON.stringify([...asked, ...rules])).slice(0, 16);
}

/** All that was found, beside the logs; the board has the compact form. */
function writeDown(context: TaskContext, { task, number, base, facts }: Proving, found: Proof): Proof {
  const path = join(logFolder(context, task.id), `${number}.json`);
  const proof = { ...found, file: fromRoot(context, path) };
  const { changes, lines, test_edits } = facts;
  const logs = digestsOf(context.paths.root, logsOf(found));
  const at = iso(context.clock.now());
  const whole = { task: task.id, at, base, ...proof, diff: { lines, test_edits, changes }, digests: logs };
  rmSync(path, { force: true, recursive: true });
  const clean = hideIn(whole, secretsOf(context.env));
  const text = `${JSON.stringify(clean, undefined, 2)}\n`;
  writeFileSync(path, text, { flag: 'wx' });
  return { ...proof, digest: sha256(text) };
}

const noFolder = (id: string, why: string): Refusal =>
  refuse(
    `the worktree of ${id} is not usable: ${why}`,
    'stop, so that it is made again: liza exit 42 --reason "no worktree"',
    3,
    'folder',
  );

/** A commit id, in full or shortened, or HEAD; nothing else that git would take for a name. */
async function resolveIn(gitDir: PrivateGitDir, place: Place, named: string): Promise<string | undefined> {
  if (!/^([0-9a-f]{4,64}|HEAD)$/.test(named)) return undefined;
  const at = { GIT_DIR: place.gitDirectory, GIT_WORK_TREE: place.folder };
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${named}^{commit}`];
  const asked = await git(gitDir.env, place.folder, args, { at });
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}

/** The number of the pin. The same commit again keeps its number. */
async function pinCommit(gitDir: PrivateGitDir, task: string, commit: string): Promise<number> {
  for (;;) {
    const pins = await readRefs(gitDir, reviewOf(task));
    const numbered = [...pins]
      .map(([ref, to]) => ({ n: Number(ref.slice(ref.lastIndexOf('/') + 1)), to }))
      // Others below that name are somebody else's.
      .filter(({ n }) => Number.isInteger(n));
    const same = numbered.find(({ to }) => to === commit);
    if (same !== undefined) return same.n;
    const n = Math.max(0, ...numbered.map((pin) => pin.n)) + 1;
    if ((await updateRefs(gitDir, [{ ref: reviewOf(task, n), to: commit, from: null }])) === 'done') return n;
  }
}

export interface ReviewClaimed extends Committed {
  readonly commit: string;
  readonly base?: string;
  /** Something a person or the next session should know. */
  readonly remarks: readonly string[];
}

export async function claimReview(context: TaskContext, id: string, agent: string): Promise<ReviewClaimed | Refusal> {
  const seen = await look(context, id);
  const { board, task } = seen;
  const command = { name: 'claim-review', task: id, agent } as const;
  const early = await foresee(context, command, seen);
  if (!early.ok || task?.review_commit === undefined)
    return early.ok ? transactReview(context, command, task, []) : early;
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  if ((await commitOf(gitDir, task.review_commit)) !== task.review_commit) {
    return refuse(
      `the submitted commit ${task.review_commit} is not in this repository any more`,
      'look for it: git fsck --lost-found; or hand the task back: liza replan',
      3,
      'commit',
    );
  }
  await pinCommit(gitDir, id, task.review_commit);
  const found = findPlace(gitDir, id);
  const head = isPlace(found) ? await headOf(gitDir, found) : undefined;
  const moved = head !== undefined && head.commit !== task.review_commit;
  const remark = `task/${id} has moved on to ${head?.commit.slice(0, 12)}; under review stays ${task.review_commit}`;
  return transactReview(context, command, task, moved ? [remark] : []);
}

async function transactReview(
  context: TaskContext,
  command: { readonly name: 'claim-review'; readonly task: string; readonly agent: string },
  task: Task | undefined,
  remarks: readonly string[],
): Promise<ReviewClaimed | Refusal> {
  const done = await transact(context, command);
  if (!done.ok) return done;
  const base = task?.base_commit;
  return { ...done, commit: task?.review_commit ?? '', ...defined({ base }), remarks };
}
