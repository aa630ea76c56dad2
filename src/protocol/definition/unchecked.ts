// What the planner is told of a task that passed the gates, and the reviewer of what was submitted: criteria that no
// command checks, criteria about time, a scope without files. It refuses nothing.

import { listed } from '../../text/format.ts';
import { covers } from '../facts/globs.ts';
import { foldersIn, isCode, outsideOut, parseScope, unheldOut, unsurePaths } from '../facts/scope.ts';
import type { SpecFacts } from '../facts/spec-facts.ts';
import { testReach } from '../facts/test-commands.ts';
import { proofCommands } from '../review/proof.ts';
import { decidingIn } from '../shell/always-green.ts';
import { commandsWithin } from '../shell/nested-commands.ts';
import { weaknessOf } from '../shell/weak-commands.ts';
import type { Settings, Task } from '../state.ts';
import { criteriaOf } from './criteria.ts';
import { quotedCommands } from './criterion-words.ts';
import { isUnsure } from './praise.ts';
import { hasMargin, isTimed } from './timed-criteria.ts';

/** Criteria that quote a command which no validation runs, by their number. */
export function uncheckedCommands(
  config: Pick<Settings, 'test_command'>,
  task: Task,
): readonly { readonly criterion: number; readonly command: string }[] {
  const run = proofCommands(config, task)
    .flatMap(provedBy)
    .map(({ text, isWhole }) => ({ text: plain(text), isWhole }));
  return criteriaOf(task.done_when).flatMap((criterion, at) =>
    quotedCommands(criterion)
      .filter((command) => !isUnwanted(criterion, command) && !isLookedFor(criterion, command, run))
      .filter((command) => !run.some(({ text, isWhole }) => isProved(plain(command), text, isWhole)))
      .map((command) => ({ criterion: at + 1, command })),
  );
}

/** "contains `rm -rf` nowhere", "never calls `npm publish`": it is not to be run. */
function isUnwanted(criterion: string, command: string): boolean {
  const [before = '', after = ''] = criterion.split(`\`${command}\``);
  return (
    /\b(?:never|not|no|nowhere|without|neither|nor|instead\s+of|rather\s+than)\s+(?:\w+\s+){0,2}$/i.test(before) ||
    /^\s+(?:nowhere|(?:is|are)\s+(?:never|not|nowhere)|does\s+not\s+(?:occur|appear)|(?:is|are)\s+gone)\b/i.test(after)
  );
}

/** Where a text shall hold it, a validation that looks for it there checks it. */
const isLookedFor = (criterion: string, command: string, run: readonly Run[]): boolean =>
  HOLDS.test(criterion.slice(0, criterion.indexOf(`\`${command}\``))) &&
  run.some(({ text }) => /^(?:!\s*)?(?:[ef]?grep|rg)\s/.test(text) && plain(text).includes(plain(command)));
const HOLDS =
  /\b(?:says?|documents?|names?|lists?|shows?|contains?|quotes?|mentions?|describes?|explains?|has|holds?|includes?|tells?)\b/i;

interface Run {
  readonly text: string;
  /** Only as a whole: words within it may be printed. */
  readonly isWhole: boolean;
}

/** Its commands, also those of a `sh -c`, a here-document or an `eval` on which its exit code rests. What is only printed or read is not run. */
function provedBy(line: string): readonly Run[] {
  const parts = [...new Set([...commandsWithin(line), ...decidingIn(line)])];
  const runsNone = (text: string): boolean => commandsWithin(text).some(isReading);
  const isWhole = parts.some(runsNone);
  return [{ text: line, isWhole }, ...parts.map((text) => ({ text, isWhole: runsNone(text) }))];
}

/** Their arguments are texts and files, and none of them is run. */
const isReading = (text: string): boolean =>
  /^(?:\w+=\S*\s+)*(?:echo|printf|cat|[ef]?grep|rg|ls|head|tail|wc|test|\[|stat|diff|cmp|chmod|cp|mv|rm|touch|file)\s/.test(
    text,
  );

const isProved = (command: string, run: string, isWhole: boolean): boolean =>
  isWhole
    ? run === command
    : ` ${QUOTED.test(command) ? run : run.replace(new RegExp(QUOTED, 'g'), "''")} `.includes(` ${command} `);

/** Words in quotes are an argument: what a line looks for, it does not run. */
const QUOTED = /'[^'\s]*\s[^']*'|"[^"\s]*\s[^"]*"/;

const plain = (command: string): string =>
  command
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\bnpm (?:run test|t)\b(?!:)/, 'npm test');

/** What the planner is told of a task that passed: it refuses nothing. */
export function gateNotes(
  config: Pick<Settings, 'test_command'>,
  task: Task,
  facts: Pick<SpecFacts, 'there' | 'base_files'> = {},
): readonly string[] {
  const unchecked = uncheckedCommands(config, task).map(
    ({ criterion, command }) => `criterion ${criterion} \`${command}\``,
  );
  return [
    ...(unchecked.length === 0
      ? []
      : [`checked by no command: ${unchecked.join(', ')}. The reviewer is told; --validate lets Liza run it`]),
    ...untestedNotes(config, task),
    ...weakNotes(task),
    ...wordNotes(task),
    ...areaNotes(task, facts),
    ...mixedNotes(task, facts),
  ];
}

/** Only where the commands' own words leave no doubt: what a script runs is known at the commit. */
function untestedNotes(config: Pick<Settings, 'test_command'>, task: Task): readonly string[] {
  const commands = proofCommands(config, task);
  if ((task.type ?? 'code') !== 'code' || commands.length === 0 || (config.test_command ?? '').trim() !== '') return [];
  const { runs, files, targets } = testReach(commands, undefined);
  return runs || files.length > 0 || targets.length > 0
    ? []
    : [
        'no command runs tests: a test of this task would show nothing; --validate with the tests, or a test_command (a person sets it), lets Liza run them',
      ];
}

/** Of code, whose task something stronger should prove. */
function weakNotes({ type = 'code', validation = [] }: Task): readonly string[] {
  if (type !== 'code' && type !== 'test') return [];
  return validation.flatMap((command, at) => {
    const why = weaknessOf(command, at === 0);
    return why === undefined ? [] : [`its validation \`${command}\` shows little: ${why}`];
  });
}

/** Criteria of which it is not sure that anyone can tell whether they are met. */
export const unsureCriteria = ({ done_when }: Pick<Task, 'done_when'>): readonly number[] =>
  criteriaOf(done_when).flatMap((one, at) => (isUnsure(one) ? [at + 1] : []));

/** Told as soon as the criterion is written, too. */
export function wordNotes(task: Pick<Task, 'done_when'>): readonly string[] {
  const unsure = unsureCriteria(task);
  return [
    ...(unsure.length === 0
      ? []
      : [
          `criterion ${unsure.join(', ')} judges, and names nothing that can be seen or run: the reviewer is told. Say what shows it: a command, a file, a name, a number or a result`,
        ]),
    ...timedNotes(task),
  ];
}

function timedNotes(task: Pick<Task, 'done_when'>): readonly string[] {
  const timed = criteriaOf(task.done_when).flatMap((one, at) => (isTimed(one) && !hasMargin(one) ? [at + 1] : []));
  if (timed.length === 0) return [];
  return [
    `criterion ${timed.join(', ')} is about time: one run on a busy machine shows little. Say how often it is repeated and how much margin it has ("median of 5 runs", "at least 20 % faster")`,
  ];
}

/** Folders of a docs, config or spec task in which the base has code beside other files. */
function mixedNotes(task: Task, { base_files: files = [] }: Pick<SpecFacts, 'base_files'>): readonly string[] {
  const type = task.type ?? 'code';
  if (type === 'code' || type === 'test') return [];
  const scope = parseScope(task.scope ?? '');
  const mixed = foldersIn(scope).filter((item) =>
    outsideOut(scope, files).some((file) => covers(item, file) && isCode(file)),
  );
  if (mixed.length === 0) return [];
  return [
    `${listed(mixed, 5)} holds code beside other files: a ${type} task that touches code is refused without a changed test`,
  ];
}

/** A scope that names areas, not files, is allowed; nothing can be held against it. */
function areaNotes(task: Task, { there }: Pick<SpecFacts, 'there'>): readonly string[] {
  const scope = parseScope(task.scope ?? '');
  const unsure = unsurePaths(scope);
  const isPath = scope.in.some((item) => !unsure.includes(item));
  if (isPath || unsure.some((word) => there?.includes(word) ?? true)) return [];
  const areas = [...scope.in, ...scope.prose];
  return [
    `its scope names areas, no files${areas.length === 0 ? '' : ` (${listed(areas, 5)})`}: Liza cannot tell which files are beyond it, so only the reviewer can judge that. What IN names as a file, a folder or a glob is checked when the work is submitted`,
  ];
}

/** What OUT says of an area or of a part of a file is held against nothing. Told once, with the scope that says it. */
export function partNotes(
  task: Pick<Task, 'scope'>,
  before: Pick<Task, 'scope'> = {},
  there?: SpecFacts['there'],
): readonly string[] {
  const [unheld, known] = [task, before].map(({ scope = '' }) =>
    unheldOut(parseScope(scope), there).map((text) => `"${text}"`),
  );
  return unheld === undefined || unheld.every((text) => known?.includes(text))
    ? []
    : [
        `of OUT only the reviewer can check this: ${listed(unheld, 5)}; a path there, such as src/parser.js or docs/, Liza checks itself`,
      ];
}
