// What a diff says about itself, for the reviewer: what the checkpoint did not declare, what became of the
// tests, and which files steer agents, CI or git rather than the product. Lists are bounded: a diff of 5,000
// files must fit into one history event.

import type { FileChange, SubmitFacts, TestEdits } from '../command.ts';
import { TEXT_LIMIT } from '../fields.ts';
import { historyOf } from '../leases.ts';
import type { HistoryEvent, Task } from '../state.ts';
import { defined, isFields } from '../values.ts';
import { isInstruction, steersTests } from './instruction-files.ts';
import { beyondScope, covers, isTest, parseScope } from './scope.ts';

interface PathList {
  readonly paths: readonly string[];
  /** How many further paths there are. */
  readonly more?: number;
}

/** The facts of one diff; a list that would be empty is left out. */
export interface DiffFacts {
  readonly files: number;
  readonly lines?: SubmitFacts['lines'];
  /** In no checkpoint since the task's base. */
  readonly undeclared?: PathList;
  /** Outside the paths that the task's scope declares IN; tests have lists of their own. */
  readonly beyond_scope?: PathList;
  /** Symbolic links: what they lead to need not be in the repository. */
  readonly links?: PathList;
  /** Other repositories, of which this one has but a commit's id: nothing of them is reviewed or run. */
  readonly submodules?: PathList;
  readonly tests_added?: PathList;
  readonly tests_changed?: PathList;
  readonly tests_removed?: PathList;
  /** Instructions and settings of agents, CI, hooks, and what makes git behave otherwise. */
  readonly instructions?: PathList;
  /** What decides how the tests are run. */
  readonly test_setup?: PathList;
  /** Lines taken from existing tests, and lines that switch tests off. */
  readonly test_edits?: TestEdits;
}

export function diffFacts(
  task: Task,
  { changes, lines, test_edits: edits }: Pick<SubmitFacts, 'changes' | 'lines' | 'test_edits'>,
  patterns: readonly string[],
  commands: readonly string[] = [],
): DiffFacts {
  const declared = declaredFiles(task);
  const code = changes.map(({ path }) => path).filter((path) => !isTest(path, patterns));
  const beyond = new Set(beyondScope(parseScope(task.scope ?? ''), code));
  const tests = changes.filter(({ path }) => isTest(path, patterns));
  const testsThat = (kind: FileChange['kind']) => tests.filter((change) => change.kind === kind);
  return {
    files: changes.length,
    ...defined({ lines }),
    ...listed(
      'undeclared',
      changes.filter(({ path }) => !declared.some((item) => covers(item, path))),
    ),
    ...listed(
      'beyond_scope',
      changes.filter(({ path }) => beyond.has(path)),
    ),
    ...listed(
      'links',
      changes.filter(({ form }) => form === 'link'),
    ),
    ...listed(
      'submodules',
      changes.filter(({ form }) => form === 'submodule'),
    ),
    ...listed('tests_added', testsThat('added')),
    ...listed('tests_changed', testsThat('changed')),
    ...listed('tests_removed', testsThat('removed')),
    ...listed(
      'instructions',
      changes.filter(({ path }) => isInstruction(path)),
    ),
    ...listed(
      'test_setup',
      changes.filter(({ path }) => steersTests(path, commands)),
    ),
    ...(edits === undefined || edits.lines.length === 0 ? {} : { test_edits: edits }),
  };
}

/** What the coder named in any checkpoint since the task's base; a coder that starts fresh begins with none. */
export function declaredFiles(task: Task): readonly string[] {
  const history = historyOf(task);
  const since = history.slice(history.findLastIndex(startsFresh) + 1);
  const files = since.flatMap(({ event, checkpoint }) => {
    const named = event === 'pre_execution_checkpoint' && isFields(checkpoint) ? checkpoint['files_to_modify'] : [];
    return Array.isArray(named) ? named.filter((file): file is string => typeof file === 'string') : [];
  });
  return [...new Set(files)];
}

/** What was written before is not in the folder any more. */
const startsFresh = ({ event, fresh }: HistoryEvent): boolean =>
  fresh === true && (event === 'claimed' || event === 'worktree_created');

const MOST = 100;

function listed(name: keyof DiffFacts, changes: readonly FileChange[]): Readonly<Record<string, PathList>> {
  if (changes.length === 0) return {};
  const paths: string[] = [];
  let length = 0;
  for (const { path } of changes) {
    length += path.length;
    if (paths.length === MOST || length > TEXT_LIMIT) break;
    paths.push(path);
  }
  const more = changes.length - paths.length;
  return { [name]: { paths, ...(more === 0 ? {} : { more }) } };
}
