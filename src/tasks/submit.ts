// A coder offers a commit, which is pinned under refs/liza/review/<task>/<n>. The pin comes before the board says
// READY_FOR_REVIEW; whatever happens to the branch afterwards, review, validation and merge use the pin.

import { integrationHead, openGitDir } from '../git/integration.ts';
import { isolationOf } from '../git/isolation.ts';
import { idsOf } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { treeIdOf } from '../git/refs.ts';
import { faultOf, takeCommit } from '../git/take-objects.ts';
import { findPlace, headOf, isPlace, type Place, readHead } from '../git/task-folder.ts';
import type { CommandOf, SubmitFacts } from '../protocol/command.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { knownProof, knownRefusal, type Proof, proofCommands, provedUnder, tddOf } from '../protocol/review/proof.ts';
import type { Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { needsClone } from '../sandbox/mode.ts';
import { sha256 } from '../store/hash.ts';
import type { Committed } from '../store/store.ts';
import { foresee, transact } from '../store/transact.ts';
import { submitFacts } from './commit-facts.ts';
import { look, type TaskContext, type View, withProof } from './context.ts';
import { pinForAll } from './exchange/offer-work.ts';
import type { Unprepared } from './prepare-checkout.ts';
import { freeNumber, writeEvidence } from './proof/evidence-files.ts';
import { prove } from './proof/prove.ts';
import { logFolder, type Proving, placeSettings } from './proof/run-commands.ts';

export interface Submitted extends Committed {
  readonly commit: string;
}

export async function submitForReview(
  context: TaskContext,
  id: string,
  named: string,
  said: Said = {},
): Promise<Submitted | Unprepared> {
  const seen = await look(context, id);
  const gitDir = await openGitDir(context, seen.board);
  if (isRefusal(gitDir)) return gitDir;
  const submission = await readSubmission(context, gitDir, seen, { id, named, said });
  if ('ok' in submission) return submission;
  const { task, place, commit, facts } = submission;
  const foreseen = await foresee(context, commandOf(submission), seen);
  if (!foreseen.ok && foreseen.needs !== 'proof') return foreseen;
  await isolationOf(place).bring(gitDir, place, commit);
  const pin = await pinForAll(gitDir, seen.board.state, id, commit);
  if (typeof pin !== 'number') return pin;
  const offer = (proof?: Proof) =>
    transact(context, commandOf({ ...submission, facts: { ...facts, pin, ...defined({ proof }) } }));
  const { board } = seen;
  const settings = { ...seen.settings, tdd: tddOf(seen.settings, task) };
  const commands = proofCommands(settings, task);
  const base = facts.base_commit ?? task.base_commit ?? facts.head;
  const proving = { gitDir, board, task, settings, commit, base, number: pin, commands, facts, said };
  const done = commands.length === 0 ? await offer() : await proveAndOffer(context, proving, offer);
  return isRefusal(done) ? done : { ...done, commit };
}

interface Submission {
  readonly task: Task;
  readonly place: Place;
  readonly commit: string;
  readonly facts: SubmitFacts;
  readonly said: Said;
}

/** What the coder says with it. */
type Said = Pick<CommandOf<'submit-for-review'>, 'unchanged'>;

type Offered = Pick<Submission, 'commit' | 'facts' | 'said'> & { readonly task: { readonly id: string } };

const commandOf = ({ task, commit, facts, said }: Offered) =>
  ({ name: 'submit-for-review', task: task.id, commit, facts, ...said }) as const;

/** What git says about the offered commit; or what the rules answer without it. */
async function readSubmission(
  context: TaskContext,
  gitDir: PrivateGitDir,
  seen: View,
  { id, named, said }: { readonly id: string; readonly named: string; readonly said: Said },
): Promise<Submission | Submitted | Refusal> {
  const { board, task, settings } = seen;
  const found = findPlace(gitDir, id);
  const commit = (isPlace(found) ? await resolveIn(gitDir, found, named) : undefined) ?? named;
  const nothing = { head: '', dirty: [], descends_from_base: false, changes: [] };
  const early = await foresee(context, commandOf({ task: { id }, commit, facts: nothing, said }), seen);
  if (early.ok) return { ...early, seq: 0, notices: [], commit };
  const unnamed = isPlace(found) && commit === 'HEAD';
  if (task === undefined || early.needs === undefined)
    return (unnamed ? await notTaken(gitDir, found) : undefined) ?? early;
  const integration = await integrationHead(gitDir, board);
  if (typeof integration !== 'string') return integration;
  if (!isPlace(found)) return noFolder(id, 'broken' in found ? found.broken : 'it is not there');
  const isTaken = needsClone(context.sandboxSupport, settings) || !/^[0-9a-f]{40,64}$/.test(commit);
  const fault = isTaken ? undefined : await faultOf(gitDir, commit, task.base_commit ?? integration);
  if (fault !== undefined) return unfit(commit, fault);
  const facts = await submitFacts({ gitDir, task, settings, integration }, found, commit);
  if (facts === undefined)
    return (
      (await notTaken(gitDir, found)) ?? noFolder(id, 'its HEAD does not lead to a complete commit that git accepts')
    );
  return { task, place: found, commit, facts, said };
}

/** Proves the commit, then offers it. The board may have changed meanwhile: the transaction decides again. */
function proveAndOffer(
  context: TaskContext,
  proving: Proving & Pick<Submission, 'said'>,
  offer: (proof?: Proof) => Promise<Committed | Refusal>,
): Promise<Committed | Unprepared> {
  const { task, settings, commit, commands } = proving;
  // An earlier submission of the same commit is waited for: then it is submitted, or free again.
  const patience =
    (settings.validation_timeout * 4 + settings.tdd_timeout + settings.post_worktree_timeout * 2 + 60) * 1000;
  return withProof<Committed>(context, task.id, patience, async () => {
    const seen = await look(context, task.id);
    const early = await foresee(context, commandOf(proving), seen);
    if (early.ok) return { ...early, seq: 0, notices: [] };
    if (early.needs !== 'proof') return early;
    const now = seen.task ?? task;
    const twins = await sameTrees(proving, now);
    const known = [commit, ...twins].flatMap((one) => knownProof(now, one, commands, settings.tdd) ?? [])[0];
    if (known !== undefined) return offer(asOf(known, commit));
    const proof = await proofOf(context, proving, now, twins);
    if (isRefusal(proof)) return proof;
    const done = await offer(proof);
    return isRefusal(done) ? recordRefused(context, task.id, proof, done) : done;
  });
}

/** What was found out at a commit of the same files holds for this one, too. */
const asOf = (proof: Proof, commit: string): Proof =>
  proof.commit === commit ? proof : { ...proof, commit, same_tree_as: proof.same_tree_as ?? proof.commit };

/** Other commits with the same files that were tried under the same settings, on the same base. */
async function sameTrees(proving: Proving, task: Task): Promise<readonly string[]> {
  const { gitDir, commit } = proving;
  const tried = provedUnder(task, digestOf(proving)).filter((one) => one !== commit);
  if (tried.length === 0) return [];
  const own = await treeIdOf(gitDir, commit);
  const trees = await idsOf(gitDir, tried.slice(0, MOST_TWINS), 'tree');
  return tried.filter((_, at) => trees[at] === own);
}

/** Older ones are not looked at. */
const MOST_TWINS = 10;

/** A proof that failed before under the same settings is not run again. */
async function proofOf(
  context: TaskContext,
  proving: Proving,
  task: Task,
  twins: readonly string[],
): Promise<Proof | Unprepared> {
  const { commit, commands, settings } = proving;
  const under = digestOf(proving);
  const refused = knownRefusal(task, { commit, twins, commands, under, limit: settings.validation_timeout });
  if (refused !== undefined) return refused;
  const number = freeNumber(context.disk, logFolder(context, task.id), task, proving.number);
  const found = await prove(context, { ...proving, number });
  return isRefusal(found) ? found : writeEvidence(context, { ...proving, number }, { ...found, under });
}

/** Keeps the proof: a red one for the people who look at the task, a green one so that nothing is run again. */
async function recordRefused(
  context: TaskContext,
  id: string,
  proof: Proof,
  refused: Refusal,
): Promise<Unprepared & { readonly data?: unknown }> {
  const recorded = await transact(context, { name: 'record-validation', task: id, proof });
  if (proof.disproof === undefined) return refused;
  const blocked = !isRefusal(recorded) && findTask(recorded.state, id)?.status === 'BLOCKED';
  const lines = (proof.disproof.output ?? '').split('\n').filter((line) => line.trim() !== '');
  return {
    ...refused,
    ...(blocked
      ? { hint: `${id} is BLOCKED now; you have nothing more to do on it: liza exit 42 --reason "blocked"` }
      : {}),
    lines: lines.map((line) => `  ${line}`),
    data: { output: lines },
  };
}

/** What was asked, of which base, and all settings that decide how it is answered, but for the time it may take. */
function digestOf({ commands, base, settings }: Proving): string {
  const { tdd, test_patterns } = settings;
  return sha256(JSON.stringify([commands, base, tdd, test_patterns, ...placeSettings(settings)])).slice(0, 16);
}

/** Why git does not take the commit that HEAD leads to, if that is what is wrong with it. */
async function notTaken(gitDir: PrivateGitDir, place: Place): Promise<Refusal | undefined> {
  const head = await readHead(gitDir, place);
  const taken = head === undefined ? undefined : await takeCommit(gitDir, place, head.commit);
  return head === undefined || taken?.how !== 'refused' ? undefined : unfit(head.commit, taken.fault, taken.next);
}

const unfit = (commit: string, fault: string, next = ANEW): Refusal =>
  refuse(`git does not accept the commit ${commit.slice(0, 12)}: ${fault}`, next, 1, 'commit-fit');

const ANEW = 'make the commits again without that, then submit the new HEAD';

const noFolder = (id: string, why: string): Refusal =>
  refuse(
    `the worktree of ${id} is not usable: ${why}`,
    'stop, so that it is created again: liza exit 42 --reason "no worktree"',
    3,
    'folder',
  );

/** A commit id, in full or shortened, or HEAD; nothing else that git would take for a name. */
async function resolveIn(gitDir: PrivateGitDir, place: Place, named: string): Promise<string | undefined> {
  if (!/^([0-9a-f]{4,64}|HEAD)$/.test(named)) return undefined;
  // The project has that commit afterwards, and what it builds on: what a short id can mean here.
  const head = await headOf(gitDir, place);
  if (named === 'HEAD' || head === undefined) return head?.commit;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${named}^{commit}`];
  const asked = await gitDir.objects(args);
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}
