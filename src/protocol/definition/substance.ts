// Whether the words of a task mean something: an anchor that is there, criteria that anyone can check, a scope that does
// not forbid what the type demands, commands that can fail. It judges only a task that is finalized and fields that
// change: a task of an older board that is merely unblocked goes on. Each refusal says the line that mends it.

import { listed } from '../../text/format.ts';
import { type Refusal, refuse } from '../decision.ts';
import { isConfiguration } from '../facts/file-kinds.ts';
import { coverage, covers, isPattern, MOST_PATTERNS } from '../facts/globs.ts';
import {
  foldersIn,
  forbidsTests,
  hasOpenTest,
  isCode,
  isDeclaration,
  isTest,
  outsideOut,
  parseScope,
  type Scope,
  testPatterns,
} from '../facts/scope.ts';
import { inBash, type SpecFacts } from '../facts/spec-facts.ts';
import { CHECKERS, mayCheckTypes } from '../facts/type-checks.ts';
import { isDocsFolder, wholeOut } from '../facts/whole-folders.ts';
import { proofCommands } from '../review/proof.ts';
import { provesNothing } from '../shell/always-green.ts';
import { shellQuoted } from '../shell/shell-words.ts';
import { settings, type Task } from '../state.ts';
import { criteriaOf } from './criteria.ts';
import { emptiness } from './criterion-words.ts';
import type { Judged } from './definition.ts';
import { amending } from './gates.ts';

/** `changed`: the fields to judge; absent: all of them. */
export function checkSubstance(
  by: Judged,
  task: Task,
  facts: SpecFacts,
  changed: Readonly<Partial<Record<keyof Task, unknown>>> = task,
): Refusal | undefined {
  const isChanged = (...fields: readonly (keyof Task)[]): boolean =>
    fields.some((field) => changed[field] !== undefined);
  return (
    (isChanged('spec_ref') ? checkAnchor(by, task, facts) : undefined) ??
    (isChanged('done_when') ? checkCriteria(by, task) : undefined) ??
    (isChanged('scope', 'type') || changed === task ? checkTypeAndScope(by, task, facts) : undefined) ??
    (isChanged('validation') || changed === task ? checkRunnable(by, task, facts) : undefined) ??
    (isChanged('validation') || changed === task ? checkCommands(by, task) : undefined)
  );
}

function checkAnchor(
  by: Judged,
  task: Task,
  { dead_anchor: others, more_anchors: more = 0 }: SpecFacts,
): Refusal | undefined {
  if (others === undefined) return undefined;
  const [file = '', anchor = ''] = (task.spec_ref ?? '').split('#');
  const [nearest] = others;
  const named = others.map((one) => `#${one}`).join(', ');
  const has = others.length === 0 ? 'it has no headings' : `it has ${named}${more === 0 ? '' : ` and ${more} more`}`;
  return refuse(
    anchor === '' ? `${file}# names no section: ${has}` : `${file} has no section #${anchor}: ${has}`,
    `Name one that exists, or the whole file: ${amending(by, task)(`--spec ${file}${nearest === undefined ? '' : `#${nearest}`}`)}`,
    1,
    'anchor',
  );
}

function checkCriteria(by: Judged, task: Task): Refusal | undefined {
  const criteria = criteriaOf(task.done_when);
  const twin = criteria.findIndex((one, at) => criteria.indexOf(one) < at);
  if (twin !== -1) {
    return refuse(
      `criterion ${twin + 1} says the same as criterion ${criteria.indexOf(criteria[twin] ?? '') + 1}: ${said(criteria[twin] ?? '')}`,
      `Leave one of them out, or say what differs: ${amending(by, task)([...new Set(criteria)].map((one) => `--done ${shellQuoted(one)}`).join(' '))}`,
      1,
      'criteria',
    );
  }
  const at = criteria.findIndex((one) => emptiness(one) !== undefined);
  const bad = criteria[at];
  if (bad === undefined) return undefined;
  const which = criteria.length === 1 ? 'its criterion' : `criterion ${at + 1} of ${criteria.length}`;
  const rest = criteria.map((one) => (one === bad ? '…' : one));
  // Too much to give again: that one alone, where it is on the board.
  const isLong = rest.join('').length > 600;
  const all = (isLong ? rest.map(() => '…') : rest).map((one) => `--done ${shellQuoted(one)}`).join(' ');
  const mend = singleMend(by, task, at + 1) ?? (isLong && by.given !== true ? `--replace-done "${at + 1}: …"` : all);
  const each = mend === all ? ', each --done one criterion' : '';
  return refuse(
    `nobody can tell whether ${which} is met, ${said(bad)}: ${emptiness(bad)}`,
    `Say what can be seen or run, such as "GET /jobs/7 of an unknown job answers 404"${each}: ${amending(by, task)(mend)}`,
    1,
    'criteria',
  );
}

/** The option that mends this one by itself, where the command changes single criteria; --done does not go with it. */
function singleMend({ changes }: Judged, { done_when }: Task, criterion: number): string | undefined {
  const { add_done: added = [], replace_done: replaced = [] } = changes ?? {};
  if (added.length + replaced.length === 0) return undefined;
  if (criterion > criteriaOf(done_when).length - added.length) return '--add-done "…"';
  return changes?.done_when === undefined ? `--replace-done "${criterion}: …"` : undefined;
}

const said = (text: string): string => `"${text.length > 120 ? `${text.slice(0, 119)}…` : text}"`;

function checkTypeAndScope(
  by: Judged,
  task: Task,
  { base_files: baseFiles = [], scripts }: SpecFacts,
): Refusal | undefined {
  const scope = parseScope(task.scope ?? '');
  const config = settings(by.board.state);
  const patterns = testPatterns(config);
  const type = task.type ?? 'code';
  const amend = amending(by, task);
  const contradiction = (fact: string, hint: string): Refusal => refuse(fact, hint, 1, 'type-and-scope');
  const globs = [...scope.in, ...scope.maybe, ...scope.out, ...scope.outParts.flatMap(({ paths }) => paths)].filter(
    isPattern,
  ).length;
  if (globs > MOST_PATTERNS) {
    return contradiction(
      `its scope has ${globs} patterns, and at most ${MOST_PATTERNS} are held against a commit`,
      `Name folders instead, or make several tasks of it: ${amend('--scope "IN: src/, test/"')}`,
    );
  }
  const all = wholeOut(task.scope ?? '');
  if (all !== undefined) {
    return contradiction(
      `its scope has everything OUT (${all}), so that no change could be submitted`,
      `Leave that out: what IN does not name is outside anyway: ${amend('--scope "IN: …"')}`,
    );
  }
  const ofFolders = baseFiles.filter(coverage(foldersIn(scope)));
  const isShut = ofFolders.length > 0 && outsideOut(scope, ofFolders).length === 0;
  if (isShut && scope.prose.length === 0 && foldersIn(scope).length === scope.in.length) {
    return contradiction(
      `every file that its IN has on the base is OUT, and OUT wins when the work is submitted: ${listed(scope.out, 5)}`,
      `Say which of them may change: ${amend('--scope "IN: …  OUT: …"')}`,
    );
  }
  const both = scope.in.find(coverage(scope.out));
  if (both !== undefined) {
    return contradiction(
      `its scope has ${both} both IN and OUT, and OUT wins when the work is submitted`,
      `Remove it from one of them: ${amend('--scope "IN: …  OUT: …"')}`,
    );
  }
  const code = scope.in.filter((item) => isCode(item) && !isTest(item, patterns));
  const areChecked = (commands: readonly string[]): boolean =>
    code.every((path) => mayCheckTypes(commands, path, scripts));
  const ran = scripts === undefined ? (task.validation ?? []) : proofCommands(config, task);
  if (type === 'test') {
    if (scope.prose.length > 0 || (scope.in.length > 0 && scope.in.some((item) => isTest(item, patterns)))) {
      if (code.length === 0) return undefined;
    }
    const mixed = code.filter(coverage(config.tests_in_code ?? []));
    if (mixed.length > 0) {
      return contradiction(
        `a test task changes only tests, which Liza cannot tell from the code in ${mixed.join(', ')}`,
        `A code task may add only tests there: ${amend('--type code')}`,
      );
    }
    return contradiction(
      `a test task adds tests for code that is merged already, and its IN names ${code.length === 0 ? 'no test file' : code.join(', ')}`,
      `If the code changes too, it is a code task: ${amend('--type code')}; otherwise name only tests (${patterns.slice(0, 3).join(', ')}, …): ${amend('--scope "IN: …"')}`,
    );
  }
  if (type !== 'code') {
    // With a changed test it may touch code.
    if (hasOpenTest(scope, patterns)) return undefined;
    const isSetting = (path: string): boolean =>
      type === 'config' && isConfiguration(path) && proofCommands(config, task).length > 0;
    const needTest = code.filter((item) => !isSetting(item));
    const folders = foldersOfCode(scope, baseFiles, isSetting);
    if (folders.length === 0 && needTest.length > 0 && needTest.every(isDeclaration)) {
      const bare = areChecked(ran) ? '' : ' --validate "…"';
      return contradiction(
        `declarations of types (${listed(needTest, 5)}) are code, which a ${type} task does not change without a test`,
        `Make it a code task: it needs no test where a command runs a type checker (${CHECKERS})${bare === '' ? ', as one here may' : ''}: ${amend(`--type code${bare}`)}; otherwise name in IN where their test will be: ${amend('--type code --scope "IN: …, <its test file>"')}`,
      );
    }
    return needTest.length === 0 && folders.length === 0
      ? undefined
      : contradiction(
          `a ${type} task whose IN is code (${listed([...needTest, ...folders], 5)}) could not be submitted without a test, and its IN has none`,
          `Make it a code task: ${amend('--type code')}; or remove the code from IN: ${amend('--scope "IN: …"')}`,
        );
  }
  const types = code.length > 0 && code.every(isDeclaration);
  if (types && areChecked(ran)) return undefined;
  const within = config.tests_in_code ?? [];
  if (scope.in.some(coverage(within))) return undefined;
  if (isCodeless(scope, baseFiles)) {
    const type = scope.in.every((item) => DOCUMENT.test(item) || isDocsFolder(item)) ? 'docs' : 'config';
    return contradiction(
      `a code task is submitted only with a changed test, and its IN has no code and no test: ${listed(scope.in, 5)}`,
      `If no code changes: ${amend(`--type ${type}`)}; otherwise name the code or the test: ${amend('--scope "IN: …, <its test file>"')}`,
    );
  }
  const isForbidden = forbidsTests(scope, patterns, baseFiles);
  const isAlone = scope.prose.length === 0 && foldersIn(scope).every(isDeclaration) && !hasOpenTest(scope, patterns);
  // Here the coder may still write a test: the project's own command is enough of a chance.
  const isTypesAlone = types && isAlone && !areChecked(proofCommands(config, task));
  if (!isForbidden && !isTypesAlone) return undefined;
  if (types)
    return contradiction(
      `a code task needs a test, and its scope ${isForbidden ? 'has tests OUT' : 'is declarations of types alone'}; ${isForbidden ? 'declarations of types' : 'these'} need none only where a command checks types`,
      `Name a type checker (${CHECKERS}) that covers them: ${amend('--validate "…"')}; or name in IN where their test will be: ${amend('--scope "IN: …, <its test file>"')}`,
    );
  return contradiction(
    'a code task needs a test, and its scope has tests OUT',
    `Let them in, or name in IN where its test will be: ${amend('--scope "IN: …, <its test file>  OUT: …"')}; if no code changes: ${amend('--type docs')}`,
  );
}

/** Folders and patterns of IN below which the base has code and nothing else; a folder without files may become anything. */
function foldersOfCode(
  scope: Scope,
  baseFiles: readonly string[],
  isSetting: (path: string) => boolean,
): readonly string[] {
  const files = outsideOut(scope, baseFiles);
  return foldersIn(scope).filter((item) => {
    const below = files.filter(coverage([item]));
    return below.length > 0 && below.every((file) => isCode(file) && !isSetting(file));
  });
}

/** Nothing but files that hold no code; a folder, a word or an unknown ending may. */
const isCodeless = ({ in: paths, prose, maybe }: Scope, baseFiles: readonly string[]): boolean =>
  paths.length > 0 &&
  prose.length === 0 &&
  maybe.length === 0 &&
  paths.every(
    (path) =>
      CODELESS.test(path) || (isDocsFolder(path) && !baseFiles.some((file) => covers(path, file) && isCode(file))),
  );

const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|txt)$|(?:^|\/)(?:LICEN[CS]E|CHANGELOG|README)$/i;
const CODELESS = new RegExp(
  String.raw`${DOCUMENT.source}|(?:^|\/)(?:package|composer|[jt]sconfig(?:\.\w+)?)\.json$|\.(?:ya?ml|toml|ini|cfg|conf|css|scss|less|svg|png)$|(?:^|\/)(?:Dockerfile|\.gitignore|\.editorconfig|\.dockerignore)$`,
  'i',
);

/** The shell that will run it was asked; it ran nothing. */
function checkRunnable(by: Judged, task: Task, { shell }: SpecFacts): Refusal | undefined {
  const [unread] = shell?.unread ?? [];
  if (unread === undefined) return undefined;
  const { line, said, bash } = unread;
  const own = task.validation ?? [];
  const mended = bash ? inBash(line) : '…';
  const fact = `Liza runs it with \`sh -c\`, and that shell cannot: ${said}`;
  const mend = bash ? 'If it is meant for bash, say so' : 'Name a command that sh can run';
  if (own.includes(line)) {
    const all = own.map((one) => `--validate ${shellQuoted(one === line ? mended : one)}`).join(' ');
    return refuse(
      `its validation \`${line}\` can never be green. ${fact}`,
      `${mend}: ${amending(by, task)(all)}`,
      1,
      'unrunnable',
    );
  }
  const type = task.type ?? 'code';
  if (type !== 'code' && type !== 'test') return undefined;
  return refuse(
    `only the project’s test_command \`${line}\` would prove it, and that can never be green. ${fact}`,
    by.part === 'human'
      ? `${mend}: liza config set test_command ${shellQuoted(mended)}`
      : `Name a command that fails until it is done: ${amending(by, task)('--validate "…"')}; a person can mend the test_command`,
    1,
    'unrunnable',
  );
}

function checkCommands(by: Judged, task: Task): Refusal | undefined {
  const { test_command } = settings(by.board.state);
  const all = proofCommands({ test_command }, task);
  const whyNothing = (command: string): string | undefined =>
    provesNothing(
      command,
      all.filter((one) => one !== command.trim()),
    );
  const own = (task.validation ?? []).find((command) => whyNothing(command) !== undefined);
  const amend = amending(by, task);
  if (own !== undefined) {
    const others = (task.validation ?? []).filter((command) => whyNothing(command) === undefined);
    const mended = others.length === 0 ? ['…'] : others;
    return refuse(
      `its validation \`${own}\` proves nothing: ${whyNothing(own)}`,
      `Name a command that fails until it is done: ${amend(mended.map((one) => `--validate ${shellQuoted(one)}`).join(' '))}`,
      1,
      'always-green',
    );
  }
  const type = task.type ?? 'code';
  if ((type !== 'code' && type !== 'test') || (task.validation ?? []).length > 0 || typeof test_command !== 'string')
    return undefined;
  const why = provesNothing(test_command);
  if (why === undefined) return undefined;
  return refuse(
    `only the project’s test_command \`${test_command}\` would prove it, and that proves nothing: ${why}`,
    `Name a command that fails until it is done: ${amend('--validate "…"')}${by.part === 'human' ? '; or, for every task: liza config set test_command "…"' : ''}`,
    1,
    'always-green',
  );
}
