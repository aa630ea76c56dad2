// What is said of the file behind a spec_ref: whether it is there, inside the project, and for a task that is defined
// the hash of its section, whose text is kept. Light: every command loads it.

import { join } from 'node:path';
import { realDisk } from '../ports/disk.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { coverage } from '../protocol/facts/globs.ts';
import { foldersIn, isDeclaration, parseScope, unsurePaths } from '../protocol/facts/scope.ts';
import type { SpecFacts } from '../protocol/facts/spec-facts.ts';
import { scriptsIn } from '../protocol/facts/test-setup.ts';
import { isDocsFolder } from '../protocol/facts/whole-folders.ts';
import { quoted } from '../protocol/ids.ts';
import { fileOf } from '../protocol/messages/news.ts';
import type { Task } from '../protocol/state.ts';
import type { BoardContext } from '../store/context.ts';
import { specFile } from '../store/spec-file.ts';
import type { StoreContext } from '../store/transact.ts';
import { nearestFirst } from '../text/nearest.ts';

/** What the goal's document begins with. */
export const TEMPLATE = 'templates/vision.md';

export function specFacts(root: string, specRef: string | undefined): SpecFacts | Refusal {
  if (specRef === undefined) return {};
  const file = specFile(realDisk, root, specRef);
  if (file !== 'outside') return { spec_exists: file !== 'absent' };
  return refuse(
    `the spec ${quoted(specRef)} is no document of the project: it is outside of it, or in .liza, .worktrees or .git`,
    'Name a file below the project root that people write, such as specs/vision.md#login',
    1,
    'spec-path',
  );
}

/** The same for a definition; keeps the section's text, so that its changes can be shown later. */
export async function keptSpecFacts(
  context: StoreContext,
  { spec_ref: specRef, scope, type, validation }: Partial<Pick<Task, 'spec_ref' | 'scope' | 'type' | 'validation'>>,
): Promise<SpecFacts | Refusal> {
  const found = specFacts(context.paths.root, specRef);
  if (isRefusal(found)) return found;
  const facts = {
    ...found,
    there: wordsThere(context, scope),
    ...(await seenOnBase(context, scope, type)),
    ...(await shellSays(context, validation ?? [])),
  };
  if (specRef === undefined || facts.spec_exists !== true) return facts;
  const { keepSpec, readSpec } = await import('../store/spec-texts.ts');
  const spec = readSpec(context.disk, context.paths.root, specRef);
  if (spec === undefined) return facts;
  keepSpec(context, spec);
  const name = fileOf(specRef) ?? specRef;
  const file = readSpec(context.disk, context.paths.root, name);
  if (file !== undefined) keepSpec(context, file);
  return {
    ...facts,
    spec_hash: spec.hash,
    ...(file === undefined ? {} : { file: { spec: name, hash: file.hash } }),
    ...deadAnchor(specRef, spec.anchors),
  };
}

/** Asked only where the gates judge by it: of folders in IN, for what must not be code or for what has something OUT; of declarations. */
async function seenOnBase(
  context: StoreContext,
  text: string | undefined,
  type: Task['type'],
): Promise<Pick<SpecFacts, 'base_files' | 'scripts'>> {
  const scope = parseScope(text ?? '');
  const folders = foldersIn(scope);
  const isCodeTask = (type ?? 'code') === 'code';
  const isAsked = isCodeTask
    ? scope.out.length + scope.outProse.length > 0 || folders.some(isDocsFolder)
    : type !== 'test';
  const asksFolders = folders.length > 0 && isAsked;
  const asksScripts = scope.in.some(isDeclaration);
  if (!asksFolders && !asksScripts) return {};
  const { integrationHead, openGitDir } = await import('../git/integration.ts');
  const { filesAt, TOO_LARGE, textAt } = await import('../git/text-at.ts');
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return {};
  const head = await integrationHead(gitDir, board);
  // A project that has no such branch is told so by the commands that need it.
  if (typeof head !== 'string') return {};
  const files = asksFolders ? await filesAt(gitDir, head) : [];
  const manifest = asksScripts ? await textAt(gitDir, head, 'package.json') : undefined;
  return {
    ...(asksFolders ? { base_files: files.filter(coverage(folders)).slice(0, MOST_FILES) } : {}),
    ...(asksScripts && manifest !== TOO_LARGE ? { scripts: scriptsIn(manifest ?? '') } : {}),
  };
}

/** Without a validation the project's own command proves the task. */
async function shellSays(context: StoreContext, validation: readonly string[]): Promise<Pick<SpecFacts, 'shell'>> {
  const { shellFacts } = await import('../process/shell-check.ts');
  const { test_command: test } = (await context.store.read()).board.state.config;
  const lines = validation.length > 0 ? validation : typeof test === 'string' ? [test] : [];
  return lines.length === 0 ? {} : { shell: shellFacts(context, lines) };
}

const MOST_FILES = 20_000;

/** Words of a scope that name something in the project, though they do not look like paths. */
function wordsThere({ disk, paths }: BoardContext, scope: string | undefined): readonly string[] {
  const read = parseScope(scope ?? '');
  return [...unsurePaths(read), ...read.outWords.flatMap(({ paths: words }) => words)]
    .slice(0, MOST_WORDS)
    .filter((word) => !word.includes('\0') && !word.split('/').includes('..'))
    .filter((word) => disk.existsSync(join(paths.root, word)));
}

const MOST_WORDS = 50;

/** Only of Markdown is it known what an anchor names. */
function deadAnchor(specRef: string, anchors: readonly string[] | undefined): SpecFacts {
  const [file = '', anchor = ''] = specRef.split('#');
  if (anchors === undefined || !/\.(?:md|mdx|markdown|mdown)$/i.test(file)) return {};
  const there = nearestFirst(anchor.toLowerCase(), [...new Set(anchors)]);
  return { dead_anchor: there.slice(0, MOST_ANCHORS), more_anchors: Math.max(0, there.length - MOST_ANCHORS) };
}

const MOST_ANCHORS = 8;

export function specExists(root: string, specRef: string): boolean {
  try {
    return !['absent', 'outside'].includes(specFile(realDisk, root, specRef));
  } catch {
    return false;
  }
}
