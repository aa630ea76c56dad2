// The rows by which Liza records how the set-up of a checkout came out. A failure is on the board until a set-up
// succeeds that shows it to be over, so that everybody is told why no work starts.

import { gist } from '../../../text/format.ts';
import { tellingText } from '../../../text/telling-lines.ts';
import { iso } from '../../../text/time.ts';
import { withGoal } from '../../change.ts';
import type { CommandOf } from '../../command.ts';
import type { Row, Situation } from '../../command-row.ts';
import { checkCommits } from '../../ids.ts';
import type { SetupFailure } from '../../state.ts';
import { defined } from '../../values.ts';
import { setupFailureText, setupRules } from '../../work/setup-failures.ts';

/** The newest of them; a checkout that fails without end must not fill the board. */
const MOST = 8;
const MOST_OUTPUT = 2000;

export const setupFailed: Row<'setup-failed'> = {
  name: 'setup-failed',
  typed: 'submit-for-review',
  syntax: 'submit-for-review {task} <commit>',
  summary: 'Record that the set-up of a checkout failed.',
  who: ['supervisor', 'human', 'coder'],
  from: 'board',
  inner: true,
  irreversible: true,
  // A fact: a pause does not undo it.
  whileHalted: true,
  guards: [commits()],
  effects: 'goal.setup_failures; an alarm; no new work starts while it fails on the integration branch',
  change: (s) => {
    const { state, command, settings, now } = s;
    const { part, task, commit, tree, on_base, files, reason, remedy, output, tries } = command;
    const failure: SetupFailure = {
      time: iso(now),
      part,
      commit,
      tree,
      rules: setupRules(settings),
      reason: gist(reason, 500),
      remedy: gist(remedy, 1000),
      ...defined({
        task,
        on_base,
        head: state.goal.integration_head,
        files,
        output: output && tellingText(output, MOST_OUTPUT),
        tries,
      }),
    };
    const others = (state.goal.setup_failures ?? []).filter((one) => !isSame(one, command));
    return {
      state: withGoal(state, { setup_failures: [...others, failure].slice(-MOST) }),
      detail: setupFailureText(failure),
    };
  },
};

/** Told of the same thing before: the integration branch, or what is done with this task. */
const isSame = (one: SetupFailure, { part, task, on_base }: CommandOf<'setup-failed'>): boolean =>
  on_base === true ? one.on_base === true : one.on_base !== true && one.task === task && one.part === part;

export const setupWorks: Row<'setup-works'> = {
  name: 'setup-works',
  typed: 'submit-for-review',
  syntax: 'submit-for-review {task} <commit>',
  summary: 'Record that set-up succeeds again.',
  who: ['supervisor', 'human', 'coder'],
  from: 'board',
  inner: true,
  irreversible: true,
  whileHalted: true,
  already: (s) => remaining(s).length === (s.state.goal.setup_failures ?? []).length,
  guards: [commits()],
  effects: 'failures that it shows to be solved leave goal.setup_failures',
  change: (s) => {
    const left = remaining(s);
    return {
      state: withGoal(s.state, { setup_failures: left.length === 0 ? undefined : left }),
      detail: `set-up works again at ${s.command.commit.slice(0, 12)}`,
    };
  },
};

/** A failure under other settings, of the same files, of the same task, or of an integration branch that works now. */
function remaining({ state, settings, command }: Situation<'setup-works'>): readonly SetupFailure[] {
  const rules = setupRules(settings);
  const isOver = (one: SetupFailure): boolean =>
    one.rules !== rules ||
    one.tree === command.tree ||
    (one.on_base === true ? command.on_base === true : one.task !== undefined && one.task === command.task);
  return (state.goal.setup_failures ?? []).filter((one) => !isOver(one));
}

function commits() {
  return {
    name: 'commit',
    rule: 'it names the commit and its tree in full',
    check: ({ command }: { readonly command: { readonly commit: string; readonly tree: string } }) =>
      checkCommits(command.commit, command.tree),
  } as const;
}
