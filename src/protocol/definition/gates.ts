// The gates before anyone may claim a task, which hold for every task that becomes claimable: what it says is there,
// its dependencies can be met, a command proves it. substance.ts asks whether the words mean something.

import { type Refusal, refuse } from '../decision.ts';
import { onlyTests, parseScope, testPatterns } from '../facts/scope.ts';
import type { SpecFacts } from '../facts/spec-facts.ts';
import { findTask, statusOf } from '../find.ts';
import { proofCommands } from '../review/proof.ts';
import { settings, type Task } from '../state.ts';
import { blank } from '../values.ts';
import { checkDependencies, type Judged } from './definition.ts';

export function checkGates(by: Judged, task: Task, facts: SpecFacts): Refusal | undefined {
  const amend = amending(by, task);
  if (blank(task.spec_ref)) {
    return refuse('it has no spec_ref', `Name the spec it follows: ${amend('--spec specs/…')}`, 1, 'spec-ref');
  }
  if (facts.spec_exists !== true) {
    return refuse(
      `its spec ${task.spec_ref} does not exist in the project`,
      `Write that file, or name another: ${amend('--spec specs/…')}`,
      1,
      'spec-exists',
    );
  }
  if (task.description !== undefined && blank(task.description)) {
    return refuse('its description is empty', `Say what it is: ${amend('--desc "…"')}`, 1, 'description');
  }
  if (blank(task.done_when)) {
    return refuse('it has no done_when', `Say what proves it done: ${amend('--done "…"')}`, 1, 'done-when');
  }
  if (blank(task.scope)) {
    return refuse('it has no scope', `Say what is IN and OUT: ${amend('--scope "IN: …"')}`, 1, 'scope');
  }
  return checkDependencyGate(by, task) ?? checkTestGates(by, task);
}

/** The line that mends the task with one option; what a command brought comes with its next try. */
export const amending =
  ({ commandLine, given }: Judged, { id }: Task) =>
  (option: string): string =>
    given === true ? `the same command with ${option}` : `${commandLine('amend', id).split(' --')[0]} ${option}`;

function checkDependencyGate(by: Judged, task: Task): Refusal | undefined {
  const { board, commandLine } = by;
  const amend = amending(by, task);
  for (const id of task.depends_on ?? []) {
    const status = statusOf(board, id);
    if (status === 'ABANDONED') {
      return refuse(
        `it depends on ${id}, which was ABANDONED`,
        `Remove the dependency: ${amend('--depends …')}; or give it up too: ${commandLine('abandon', task.id)}`,
        1,
        'no-abandoned-dependency',
      );
    }
    if (status === 'SUPERSEDED') {
      const replacements = findTask(board.state, id)?.superseded_by?.join(',') ?? '…';
      return refuse(
        `it depends on ${id}, which was SUPERSEDED by ${replacements}`,
        `Depend on the replacement: ${amend(`--depends ${replacements}`)}`,
        1,
        'no-superseded-dependency',
      );
    }
  }
  return checkDependencies(by, task.id, task.depends_on ?? []);
}

function checkTestGates(by: Judged, task: Task): Refusal | undefined {
  const type = task.type ?? 'code';
  if (type !== 'code' && type !== 'test') return undefined;
  const config = settings(by.board.state);
  const amend = amending(by, task);
  if (type === 'code' && onlyTests(parseScope(task.scope ?? ''), testPatterns(config))) {
    return refuse(
      'a code task whose IN scope holds only test files splits the tests from their code, and the task that writes the code could not prove it',
      `If that code is merged already, it is a test task: ${amend('--type test')}; otherwise put the tests into the task that writes the code`,
      1,
      'tests-included',
    );
  }
  if (proofCommands(config, task).length > 0) return undefined;
  return refuse(
    'no command proves it: it has no validation, and the project has no test_command',
    `Name one that fails until it is done: ${amend('--validate "…"')}${by.part === 'human' ? '; or, for every task: liza config set test_command "…"' : ''}`,
    1,
    'proof',
  );
}
