// The row by which a coder submits a commit for review. Its guards look at the commit itself, never at what the coder
// says about it.

import { gist } from '../../../text/format.ts';
import { iso, later } from '../../../text/time.ts';
import { attach, event, evolve, patch, withAgent, withMachineAnomaly, withTask } from '../../change.ts';
import type { SubmitFacts } from '../../command.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';

import { type DiffFacts, diffFacts } from '../../facts/diff-facts.ts';
import { coverage } from '../../facts/globs.ts';
import {
  beyondScope,
  comesWithTests,
  isCode,
  isTest,
  outOfScope,
  parseScope,
  testPatterns,
} from '../../facts/scope.ts';
import { isFullCommit } from '../../ids.ts';
import { hideIn } from '../../input.ts';
import { checkpointEvent, historyOf, startCommit } from '../../leases.ts';
import { redCommands } from '../../review/flake.ts';
import { type Proof, proofCommands, redBefore, tddOf } from '../../review/proof.ts';
import { lastTurn } from '../../review/retracted.ts';
import type { State } from '../../state.ts';
import { blank, defined, isFields, same } from '../../values.ts';
import { list } from '../words.ts';
import { CHECKPOINT_RULE, holdsTask, withoutCheckpoint } from './coder.ts';
import { baseOf, inScope, isCodeless, testsWithCode } from './commit-scope.ts';
import { mayRetract } from './retract.ts';
import { submitNotes } from './submit-notes.ts';

export const submitForReview: Row<'submit-for-review'> = {
  name: 'submit-for-review',
  syntax: 'submit-for-review {task} <commit>',
  summary: 'Submit a commit for review.',
  who: ['coder'],
  from: ['CLAIMED'],
  offered: (task) => checkpointEvent(task) !== undefined,
  to: ['READY_FOR_REVIEW'],
  irreversible: true,
  instead: (task, commandLine, _part, actor) => {
    if (task.status !== 'READY_FOR_REVIEW' || task.assigned_to !== actor.id) return undefined;
    const wrong = mayRetract(task) ? `; if you know that it is wrong: ${commandLine('retract', task.id)}` : '';
    return `It is submitted: leave it to the reviewer. Stop now: liza exit 42 --reason "submitted"${wrong}`;
  },
  already: ({ task, actor, command }) =>
    task.status === 'READY_FOR_REVIEW' && task.assigned_to === actor.id && task.review_commit === command.commit,
  guards: [
    holdsTask(),
    {
      name: 'not-rejected-before',
      rule: 'the commit was not rejected before',
      check: ({ task, command, commandLine }) => {
        const isRejected = historyOf(task).some((one) => one.event === 'rejected' && one.commit === command.commit);
        if (!isRejected) return undefined;
        const next =
          checkpointEvent(task) === undefined
            ? `then its checkpoint: ${commandLine('begin', task.id)}`
            : 'change the files, commit, and submit the new HEAD';
        return refuse(
          `${command.commit} is the rejected commit, unchanged`,
          `Address the feedback first: liza show ${task.id}, ${next}`,
        );
      },
    },
    {
      name: 'checkpoint-first',
      rule: CHECKPOINT_RULE,
      needs: 'facts',
      check: (s) => withoutCheckpoint(s, s.command.commit !== startCommit(s.task) || s.command.facts.dirty.length > 0),
    },
    {
      name: 'clean-sync',
      rule: 'on branch task/<id>, no merge half done, nothing uncommitted, HEAD is the submitted commit, which descends from base_commit',
      needs: 'facts',
      check: cleanSync,
    },
    {
      name: 'after-checkpoint',
      rule: 'none of its commits since the iteration’s start is one that Liza knew before the checkpoint, wherever the branch was meanwhile',
      needs: 'facts',
      check: ({ task, command }) => {
        const early = command.facts.before_plan ?? [];
        if (early.length === 0) return undefined;
        return refuse(
          `${list(early)} ${early.length === 1 ? 'was' : 'were'} made before the checkpoint of this iteration`,
          `Commit the files anew, as your plan has them, then submit the new HEAD (the reviewer is told which of them came before): git reset --soft ${startCommit(task)}, git commit`,
        );
      },
    },
    {
      name: 'own-history',
      rule: 'none of its commits is a person’s from a branch that is not in it by Liza: taken in without its content it would be lost',
      needs: 'facts',
      check: ({ task, command }) => {
        const { taken_in: [first, ...more] = [] } = command.facts;
        if (first === undefined) return undefined;
        return refuse(
          `its history has ${first}${more.length === 0 ? '' : ` and ${more.length} more`}, which integration lacks: merged so, that branch would count as merged`,
          `Leave it out of the history and submit the new HEAD: git reset --soft ${baseOf(task, command.facts)}, git commit; if the task needs what is on that branch: liza ask ${task.id} --for human`,
        );
      },
    },
    {
      name: 'something-new',
      rule: 'the commit changes something, and its tree was not rejected before',
      needs: 'facts',
      check: somethingNew,
    },
    {
      name: 'not-retracted-before',
      rule: 'its files are not those that the coder retracted last, unless the coder says why they are right after all',
      needs: 'facts',
      check: unlikeRetracted,
    },
    {
      name: 'readable-names',
      rule: 'the names of changed files are UTF-8: others cannot be shown, compared or reviewed',
      needs: 'facts',
      check: ({ command }) => {
        const unreadable = command.facts.changes.flatMap(({ path }) => (path.includes('\ufffd') ? [path] : []));
        if (unreadable.length === 0) return undefined;
        return refuse(
          `these names are not UTF-8: ${list(unreadable)}`,
          'Give the files names in UTF-8 (git mv), commit, then submit the new HEAD',
        );
      },
    },
    {
      name: 'no-worktree-files',
      rule: 'no file of worktree_files, and none below .liza or .worktrees, is committed',
      needs: 'facts',
      check: ({ command, settings }) => {
        const kept = command.facts.changes.flatMap(({ path, kind }) => (kind === 'removed' ? [] : [path]));
        const own = kept.filter(isLizas);
        if (own.length > 0)
          return refuse(
            `these would be written into Liza’s own folders: ${list(own)}`,
            'Remove them from the commit, then submit the new HEAD',
          );
        const held = kept.filter(coverage(settings.worktree_files ?? []));
        if (held.length === 0) return undefined;
        return refuse(
          `these are worktree_files, copied in and never committed: ${list(held)}`,
          'Remove them from the commit, then submit the new HEAD',
        );
      },
    },
    {
      name: 'in-scope',
      rule: 'no path the task declares OUT is touched; where IN names paths, a file beyond them is declared (tests, lock files and snapshots beside an allowed file are IN)',
      needs: 'facts',
      check: inScope,
    },
    {
      name: 'tests-with-code',
      rule: 'a code task’s diff adds or changes a test file (no document, data, fixture or snapshot), type declarations aside that a type checker among the commands of the validation or test_command checks; a test task’s touches no other code; docs, config and spec tasks touch no code without a test, a config task’s settings written as code aside where a command runs',
      needs: 'facts',
      check: testsWithCode,
    },
    {
      name: 'proof',
      rule: 'Liza itself ran the task’s validation and config.test_command at this commit, all green; under tdd: strict the tests are red on the base, and the base’s tests green on the commit',
      needs: 'proof',
      check: proved,
    },
  ],
  effects:
    'review_commit, coder lease cleared, agent WAITING; history says what the diff does and what was run; files beyond the scope are logged as scope_deviation',
  change: (s) => {
    const { task, command, actor, now, settings } = s;
    const diff = diffFacts(task, command.facts, testPatterns(settings));
    const notes = submitNotes(s, diff);
    const redBy = redCommands(task, command.commit);
    const submitted = evolve(
      task,
      {
        status: 'READY_FOR_REVIEW',
        review_commit: command.commit,
        lease_expires: undefined,
        handoff_pending: undefined,
        ...defined({ base_commit: command.facts.base_commit }),
      },
      event(s, 'submitted', {
        commit: command.commit,
        base: command.facts.base_commit ?? task.base_commit,
        iteration: task.iteration,
        pin: command.facts.pin,
        authors: command.facts.authors,
        diff: hideIn(diff, s.secrets),
        proof: command.facts.proof,
        unchanged: sameAsRetracted(s) === undefined ? undefined : command.unchanged,
        red_before: redBefore(task, command.commit) || undefined,
        red_by: redBy.length === 0 ? undefined : hideIn(redBy, s.secrets),
        since_red: hideIn(command.facts.since_red, s.secrets),
        told: notes.facts.length === 0 ? undefined : hideIn(notes.facts, s.secrets),
      }),
    );
    const waiting = { status: 'WAITING', expires: later(now, settings.lease_duration), now: iso(now) } as const;
    const agent = s.state.agents[actor.id ?? ''];
    const noted = deviationLogged(s, withTask(s.state, submitted), diff);
    const counted = attach(noted, actor.id ?? '', submitted, waiting);
    const state =
      agent === undefined
        ? counted
        : withAgent(
            counted,
            actor.id ?? '',
            patch(counted.agents[actor.id ?? ''] ?? agent, { iterations_total: (agent.iterations_total ?? 0) + 1 }),
          );
    return {
      state,
      detail: `${actor.id} submitted ${task.id} at ${command.commit.slice(0, 12)}`,
      notes: [...notes.lines.map((line) => String(hideIn(line, s.secrets))), 'A new session gets the verdict.'],
      stop: 'Stop now: liza exit 42 --reason "submitted"',
    };
  },
};

/** Some file systems take letters of either case for the same, and leave characters out that nobody sees. */
const isLizas = (path: string): boolean =>
  /^\.(?:liza|worktrees)(?:\/|$)/i.test(path.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, ''));

/** Files beyond the scope are the reviewer's to judge; that there were some is on record whatever the verdict. */
function deviationLogged(s: Situation<'submit-for-review'>, state: State, { beyond_scope }: DiffFacts): State {
  if (beyond_scope === undefined) return state;
  const files = String(hideIn(list(beyond_scope.paths), s.secrets));
  const details = { files, commit: s.command.commit };
  return withMachineAnomaly(s, state, { type: 'scope_deviation', task: s.task.id, pattern: 'files', details });
}

function cleanSync(s: Situation<'submit-for-review'>): Refusal | undefined {
  const { task, command, commandLine } = s;
  const { commit, facts } = command;
  if (!isFullCommit(commit)) {
    return refuse(
      `${commit.slice(0, 80)} is not a full commit id`,
      `Use all of it: ${commandLine('submit-for-review', task.id).replace('<commit>', '$(git rev-parse HEAD)')}`,
    );
  }
  if (facts.merging === true) {
    return refuse(
      'the merge laid out in the worktree is not concluded',
      'Resolve it, git add, git commit, then submit the new HEAD',
    );
  }
  if (facts.dirty.length > 0) {
    return refuse(`these files are not committed: ${list(facts.dirty)}`, uncommittedHint(s));
  }
  const branch = `task/${task.id}`;
  const wrong = [
    ...(facts.branch === branch ? [] : [`the worktree is on ${facts.branch ?? 'no branch'}, not on ${branch}`]),
    ...(facts.head === commit ? [] : [`HEAD is ${facts.head}, not the submitted ${commit}`]),
    ...(facts.descends_from_base ? [] : [`the commit does not descend from the base ${task.base_commit}`]),
  ];
  if (wrong.length === 0) return undefined;
  if (facts.branch !== branch && facts.head === commit) {
    return refuse(
      wrong.join('; '),
      `If your work is on that branch already: git checkout ${branch.replace('refs/heads/', '')}; if it is in HEAD, bring the branch here: git checkout -B ${branch}. Then submit again`,
    );
  }
  if (!facts.descends_from_base && facts.head === commit && facts.changes.length === 0) {
    return refuse(
      wrong.join('; '),
      `It changes nothing either: begin from the base (git reset --hard ${task.base_commit}), commit the work, then submit the new HEAD`,
    );
  }
  if (!facts.descends_from_base && facts.head === commit) {
    return refuse(wrong.join('; '), `Merge the base in, then submit the new HEAD: git merge ${task.base_commit}`);
  }
  return refuse(
    wrong.join('; '),
    `Submit the HEAD of ${branch}: ${commandLine('submit-for-review', task.id).replace('<commit>', '$(git rev-parse HEAD)')}`,
  );
}

/** What is beyond the scope must not be committed, or the next refusal is about that. */
function uncommittedHint({ task, command, settings, commandLine }: Situation<'submit-for-review'>): string {
  const { dirty } = command.facts;
  const patterns = testPatterns(settings);
  const code = dirty.filter((path) => !comesWithTests(path, patterns));
  const scope = parseScope(task.scope ?? '');
  const beyond = beyondScope(scope, code);
  const again = commandLine('submit-for-review', task.id).replace('<commit>', 'HEAD');
  const [it, is] = beyond.length === 1 ? ['it', 'is'] : ['them', 'are'];
  if (beyond.length === 0) return `Commit them if they belong to the task, else undo these changes; then ${again}`;
  const others = beyond.length === dirty.length ? '' : 'commit the others; ';
  // What is OUT cannot be declared.
  const isOpen = outOfScope(scope, beyond).length === 0;
  const orDeclare = isOpen
    ? `, or, if the task needs ${it}, declare ${it} (${commandLine('declare', task.id)}) and commit`
    : '';
  if (isCodeless(task) && beyond.some(isCode))
    return `${list(beyond)} ${is} beyond SCOPE, and a ${task.type} task leaves code as it is: remove ${it}; ${others}then ${again}. If the task cannot be done without that code: ${commandLine('block', task.id)}`;
  return `${list(beyond)} ${is} beyond SCOPE: remove ${it}${orDeclare}; ${others}then ${again}`;
}

function somethingNew({ task, command, commandLine }: Situation<'submit-for-review'>): Refusal | undefined {
  const { changes, same_tree_as } = command.facts;
  if (command.commit === task.base_commit || changes.length === 0) {
    return refuse(
      `${command.commit} changes nothing since the base ${task.base_commit}`,
      `Commit the work first, or say what stops you: ${commandLine('block', task.id)}`,
    );
  }
  if (same_tree_as === undefined) return undefined;
  return refuse(
    `${command.commit} has the same files as ${same_tree_as}, which was rejected`,
    `Address the feedback first: liza show ${task.id}, change the files, commit, and submit the new HEAD`,
  );
}

/** What its coder called wrong is no news to a reviewer, unless the coder was wrong about that, or it was the history. */
function unlikeRetracted(s: Situation<'submit-for-review'>): Refusal | undefined {
  const { task, command, commandLine } = s;
  const former = sameAsRetracted(s);
  if (former === undefined || !blank(command.unchanged) || isHistoryMended(s, former)) return undefined;
  const why = gist(String(lastTurn(task)?.reason ?? ''));
  const again = `${commandLine('submit-for-review', task.id).replace('<commit>', 'HEAD')} --unchanged`;
  if (former === command.commit)
    return refuse(
      `${command.commit} is what was retracted, unchanged: ${why}`,
      `Fix that, commit, then submit the new HEAD; if it was right after all, say why for the reviewer: ${again} "…"`,
    );
  return refuse(
    `${command.commit} has the same files as ${former.slice(0, 12)}, which was retracted: ${why}. Only its commits are others`,
    `If the commits were what was wrong, say what is mended, for the reviewer: ${again} "…"; if it was the files, fix them, commit, then submit the new HEAD`,
  );
}

/** What Liza had told of the history of the retracted commit is gone: the same files are the point then. */
function isHistoryMended({ task, command }: Situation<'submit-for-review'>, former: string): boolean {
  const told = historyOf(task).findLast(({ event: name, commit }) => name === 'submitted' && commit === former)?.diff;
  if (former === command.commit || !isFields(told)) return false;
  const now = command.facts;
  const had = OF_HISTORY.filter((name) => isFields(told[name]));
  return had.length > 0 && had.every((name) => (now[name] ?? []).length === 0);
}

const OF_HISTORY = ['passing', 'changed_back', 'empty_commits', 'named_otherwise'] as const;

function sameAsRetracted({ task, command }: Situation<'submit-for-review'>): string | undefined {
  const last = lastTurn(task);
  return last?.event === 'retracted' && last.commit === command.commit
    ? command.commit
    : command.facts.same_as_retracted;
}

/** The last guard: a submission that only this one refuses has passed all cheap checks, and is worth running. */
function proved({ task, command, settings, commandLine }: Situation<'submit-for-review'>): Refusal | undefined {
  const commands = proofCommands(settings, task);
  if (commands.length === 0) return undefined;
  const { proof } = command.facts;
  const strict = tddOf(settings, task) === 'strict' && touchesTests(command.facts.changes, testPatterns(settings));
  if (proof === undefined || !isProofOf(proof, command.commit, commands, strict)) {
    return refuse(
      `nothing shows that ${commands.join(' and ')} passes at ${command.commit}`,
      `Liza runs it when you submit: ${commandLine('submit-for-review', task.id)}`,
    );
  }
  const { disproof } = proof;
  return disproof === undefined ? undefined : refuse(disproof.reason, disproof.hint, 1, disproof.guard);
}

const touchesTests = (changes: SubmitFacts['changes'], patterns: readonly string[]): boolean =>
  changes.some(({ path }) => isTest(path, patterns));

function isProofOf(proof: Proof, commit: string, commands: readonly string[], strict: boolean): boolean {
  if (proof.commit !== commit || !same(proof.commands, commands)) return false;
  const complete = same(
    proof.runs.map(({ command }) => command),
    commands,
  );
  const asked = !strict || proof.tests?.mode === 'strict';
  return proof.disproof !== undefined || (complete && asked && proof.runs.every(({ ok }) => ok));
}
