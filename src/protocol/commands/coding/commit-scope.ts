// What a submitted commit may touch: nothing that the task declares OUT, nothing beyond IN that no plan names, and no code
// without its test. One refusal names all of it.

import { shellWord } from '../../../text/format.ts';
import type { SubmitFacts } from '../../command.ts';
import type { Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { SMALLEST_TEST } from '../../definition/test-waiver.ts';
import { declaredFiles } from '../../facts/diff-facts.ts';
import { canDeclareTests, isConfiguration } from '../../facts/file-kinds.ts';
import { coverage } from '../../facts/globs.ts';
import {
  beyondScope,
  comesWithTests,
  forbidsTests,
  forbidsTestsInWords,
  isCode,
  isDeclaration,
  isTest,
  outOfScope,
  parseScope,
  type Scope,
  testPatterns,
} from '../../facts/scope.ts';
import { CHECKERS } from '../../facts/type-checks.ts';
import { startCommit } from '../../leases.ts';
import { proofCommands } from '../../review/proof.ts';
import type { Task } from '../../state.ts';
import { list } from '../words.ts';

type Submission = Situation<'submit-for-review'>;

/** `*.js` means files of every folder: that names none beyond IN. */
const ANYWHERE = /^(?:\.\/)?[^/]*[*?]/;

export function inScope(s: Situation<'submit-for-review'>): Refusal | undefined {
  const { task, command, settings, commandLine } = s;
  const scope = parseScope(task.scope ?? '');
  const { changes, on_base: onBase } = command.facts;
  const touched = changes.map(({ path }) => path);
  const outside = outOf(scope, touched, testPatterns(settings));
  const forbidden = outside.length > 0 && isDemandedAndForbidden(task, outside, testPatterns(settings));
  const out =
    outside.length === 0
      ? undefined
      : refuse(
          `the commit touches files that the task declares OUT: ${list(outside)}`,
          forbidden
            ? `A ${task.type ?? 'code'} task needs a test, and its scope has tests OUT, which only the planner can fix: ${commandLine('block', task.id)}`
            : `${upper(takenOut(s, outside))}, then submit the new HEAD`,
        );
  const isDeclared = coverage(declaredFiles(task).filter((item) => !ANYWHERE.test(item)));
  const isOutside = new Set(outside);
  const code = touched.filter((path) => !comesWithTests(path, testPatterns(settings)) && !isOutside.has(path));
  const beyond = beyondScope(scope, code, onBase).filter((path) => !isDeclared(path));
  const late = beyond.length === 0 ? undefined : undeclared(s, beyond);
  if (out === undefined && late === undefined) return undefined;
  // What the next guard would refuse is told in the same round, unless what goes out mends that, too.
  const kept = s.command.facts.changes.filter(({ path }) => !beyond.includes(path) && !outside.includes(path));
  const isMended = isCodeless(task) && kept.every(({ path }) => !isCode(path) || isTest(path, testPatterns(settings)));
  const test = task.type === 'test' || forbidden || isMended ? undefined : testsWithCode(s);
  return together([out, late, test].filter((one) => one !== undefined));
}

/** Also tests that its words forbid, and no path of it. */
function outOf(scope: Scope, touched: readonly string[], patterns: readonly string[]): readonly string[] {
  const named = new Set(outOfScope(scope, touched));
  const isForbidden = forbidsTestsInWords(scope, patterns);
  return touched.filter((path) => named.has(path) || (isForbidden && comesWithTests(path, patterns)));
}

/** All that is wrong in one refusal. */
function together(all: readonly Refusal[]): Refusal | undefined {
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  return refuse(all.map(({ message }) => message).join('; '), all.map(({ hint }, n) => `${n + 1}. ${hint}`).join('\n'));
}

function undeclared(s: Situation<'submit-for-review'>, beyond: readonly string[]): Refusal {
  const { task, commandLine } = s;
  if (task.type === 'test' && beyond.some(isCode)) {
    return refuse(
      `a test task touches code that is not a test: ${list(beyond.filter(isCode))}`,
      testsAlone(s, beyond.filter(isCode)),
    );
  }
  const code = isCodeless(task) ? beyond.filter(isCode) : [];
  if (code.length > 0) {
    const others =
      beyond.length === code.length
        ? ''
        : `; remove or declare the others: ${list(beyond.filter((path) => !isCode(path)))}`;
    return refuse(
      `a ${task.type} task touches code that neither its IN nor your plan names: ${list(code)}`,
      `Remove ${code.length === 1 ? 'it' : 'them'} from the commit, then submit the new HEAD${others}. If the task cannot be done without that code, only the planner can make it a code task: ${commandLine('block', task.id)}`,
    );
  }
  const also = beyond.slice(0, 5).map((path) => `--also ${shellWord(path)}`);
  return refuse(
    `the commit touches files that neither the task’s IN nor your plan names: ${list(beyond)}`,
    `If the task needs them, declare them: ${commandLine('declare', task.id).replace('--also <path>', also.join(' '))}; if not: ${takenOut(s, beyond)}, then submit the new HEAD`,
  );
}

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** What the review begins with. */
export const baseOf = (task: Task, { base_commit: newer }: Pick<SubmitFacts, 'base_commit'>): string =>
  newer ?? task.base_commit ?? '<base>';

const MOST_TAKEN_OUT = 5;

/** A commit that only undoes them leaves them in the history; so does one that goes back no further than where they came. */
function takenOut({ task, command: { facts } }: Submission, paths: readonly string[]): string {
  const early = new Set(facts.before_start);
  const isEarly = facts.base_commit !== undefined || paths.some((path) => early.has(path));
  const to = (isEarly ? undefined : startCommit(task)) ?? baseOf(task, facts);
  const named = paths.length > MOST_TAKEN_OUT ? '<each of them>' : paths.map((path) => shellWord(path)).join(' ');
  return `take these changes out of your commits, so that the history has them neither: git reset --soft ${to}, git restore --source=${to} --staged --worktree -- ${named}, then git commit`;
}

/** Its type asks for no code at all. */
export const isCodeless = ({ type = 'code' }: Task): boolean => type !== 'code' && type !== 'test';

/** What is taken out here would be demanded next. */
const isDemandedAndForbidden = (task: Task, outside: readonly string[], patterns: readonly string[]): boolean =>
  ['code', 'test'].includes(task.type ?? 'code') &&
  outside.some((path) => isTest(path, patterns)) &&
  forbidsTests(parseScope(task.scope ?? ''), patterns);

/** No declaration helps: the type itself forbids code. */
const testsAlone = (s: Submission, code: readonly string[]): string =>
  `${upper(takenOut(s, code))}; if the code itself is wrong, say so: ${s.commandLine('block', s.task.id)}`;

export function testsWithCode(s: Situation<'submit-for-review'>): Refusal | undefined {
  const { task, command, settings, commandLine } = s;
  const patterns = testPatterns(settings);
  const { changes } = command.facts;
  const type = task.type ?? 'code';
  const code = changes.map(({ path }) => path).filter((path) => isCode(path) && !isTest(path, patterns));
  if (type === 'test' && code.length > 0) {
    return refuse(`a test task that touches code other than tests (${list(code)})`, testsAlone(s, code));
  }
  // A link is no test, wherever it leads.
  const isOwn = ({ path, kind, form }: (typeof changes)[number]): boolean =>
    kind !== 'removed' && form === undefined && canDeclareTests(path, patterns);
  const own = changes.filter(isOwn);
  if (own.some(({ hollow = false }) => hollow === false)) return undefined;
  if (type === 'code' && changes.some(({ tests_within: within }) => within === true)) return undefined;
  if (type !== 'code' && type !== 'test' && code.length === 0) return undefined;
  const types = type === 'code' && code.length > 0 && code.every(isDeclaration);
  const checked = new Set(command.facts.checked_types);
  if (types && code.every((path) => checked.has(path))) return undefined;
  if (type === 'config' && code.every(isConfiguration) && proofCommands(settings, task).length > 0) return undefined;
  if (own.length > 0)
    return refuse(
      own.some(({ hollow }) => hollow === 'gained')
        ? `nothing that is new in ${list(own.map(({ path }) => path))} could fail: empty tests, or assertions about constants`
        : `no test of its own stands in ${list(own.map(({ path }) => path))}: no more than comments, imports, empty tests and assertions about constants`,
      `Write the test into it (${SMALLEST_TEST}), commit, then submit the new HEAD`,
    );
  const fact =
    type === 'code' || type === 'test'
      ? `a ${type} task without a changed test file`
      : `a ${type} task that touches code (${list(code)}) without a test`;
  const forbidden = forbidsTests(parseScope(task.scope ?? ''), patterns);
  if (types) {
    const planned = `They need no test where the validation or test_command runs a type checker (${CHECKERS}), which only the planner can add: ${commandLine('block', task.id)}`;
    return refuse(
      `${fact}, and no command that Liza runs checks types: ${list(code)}`,
      forbidden ? planned : `Add a test that uses them; these count as tests: ${patterns.join(', ')}. ${planned}`,
    );
  }
  const gone = changes.filter(({ kind }) => kind === 'removed').map(({ path }) => path);
  const lost = gone.filter((path) => isTest(path, patterns));
  const deleted = gone.filter((path) => code.includes(path));
  if (type === 'code' && !forbidden && (lost.length > 0 || (code.length > 0 && deleted.length === code.length)))
    return refuse(
      lost.length === 0 ? fact : `${fact}, other than those that it deletes (${list(lost)})`,
      `What is taken away needs a test, too: add one that shows ${deleted.length === 0 ? 'what holds now' : `that it is gone, such as one in which importing ${deleted[0]} fails, or what it did is refused`}, commit it with the deletion, and submit the new HEAD. These count as tests: ${patterns.join(', ')}`,
    );
  // A test that the scope forbids would be refused next: no way out of that is the coder's.
  return forbidden
    ? refuse(`${fact}, and its scope has tests OUT`, `Only the planner can fix that: ${commandLine('block', task.id)}`)
    : refuse(
        fact,
        `Add a test that fails without your change, and submit the new HEAD. These names count as tests (documents, data, fixtures and snapshots do not): ${patterns.join(', ')}. If you think that none is possible: ${SMALLEST_TEST}; nobody’s answer lifts this rule. Where the scope has no place for one, declare it: ${commandLine('declare', task.id)}. If this project’s tests are inside its code files, only a person can say so (the setting tests_in_code): ${commandLine('block', task.id)}`,
      );
}
