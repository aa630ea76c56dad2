// What a diff says about itself, for the reviewer: what the checkpoint did not declare, what became of the
// tests, and which files steer agents, CI or git rather than the product. Lists are bounded: a diff of 5,000
// files must fit into one history event.

import type { FileChange } from './command.ts';
import { TEXT_LIMIT } from './fields.ts';
import { checkpointEvent } from './holding.ts';
import { covers, isTest } from './scope.ts';
import type { Task } from './state.ts';
import { isFields } from './values.ts';

export interface PathList {
  readonly paths: readonly string[];
  /** How many further paths there are. */
  readonly more?: number;
}

/** A list that would be empty is left out. */
export interface DiffFacts {
  readonly files: number;
  /** Outside the files that the iteration's checkpoint named. */
  readonly undeclared?: PathList;
  readonly tests_added?: PathList;
  readonly tests_changed?: PathList;
  readonly tests_removed?: PathList;
  /** Instructions and settings of agents, CI, hooks, and what makes git behave otherwise. */
  readonly instructions?: PathList;
}

export function diffFacts(task: Task, changes: readonly FileChange[], patterns: readonly string[]): DiffFacts {
  const declared = declaredFiles(task);
  const tests = changes.filter(({ path }) => isTest(path, patterns));
  const testsThat = (kind: FileChange['kind']) => tests.filter((change) => change.kind === kind);
  return {
    files: changes.length,
    ...listed(
      'undeclared',
      changes.filter(({ path }) => !declared.some((item) => covers(item, path))),
    ),
    ...listed('tests_added', testsThat('added')),
    ...listed('tests_changed', testsThat('changed')),
    ...listed('tests_removed', testsThat('removed')),
    ...listed(
      'instructions',
      changes.filter(({ path }) => isInstruction(path)),
    ),
  };
}

function declaredFiles(task: Task): readonly string[] {
  const checkpoint = checkpointEvent(task)?.checkpoint;
  const files = isFields(checkpoint) ? checkpoint['files_to_modify'] : undefined;
  return Array.isArray(files) ? files.filter((file): file is string => typeof file === 'string') : [];
}

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

/** Compared in lower case: some file systems read `claude.md` as CLAUDE.md. */
export function isInstruction(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  if (FILES.has(name) || parts.slice(0, -1).some((folder) => FOLDERS.has(folder))) return true;
  return AT_ROOT.some((place) => covers(place, parts.join('/')));
}

/** By name, at any depth. */
const FILES: ReadonlySet<string> = new Set(
  (
    'claude.md claude.local.md agents.md agents.override.md agent.md gemini.md qwen.md .cursorrules .windsurfrules ' +
    '.clinerules .aider.conf.yml opencode.json opencode.jsonc .mcp.json .gitattributes .gitmodules .lfsconfig ' +
    'lefthook.yml lefthook.yaml lefthook.toml lefthook-local.yml .lefthook.yml .pre-commit-config.yaml jenkinsfile'
  ).split(' '),
);

/** Everything below, wherever the folder is. */
const FOLDERS: ReadonlySet<string> = new Set(
  '.claude .codex .gemini .opencode .cursor .windsurf .clinerules .husky .lefthook'.split(' '),
);

/** Read only from the top of the repository. */
const AT_ROOT: readonly string[] = [
  '.github/workflows',
  '.github/actions',
  '.github/instructions',
  '.github/copilot-instructions.md',
  '.gitlab-ci.yml',
  '.circleci',
  '.buildkite',
  '.travis.yml',
  '.drone.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'scripts/integration-test.sh',
];
