// The documents that a commit changes and its tests read: what such a test holds of the text is about the change, though
// the old text passed it as well.

import { scannedAt } from '../../git/text-at.ts';
import { isDocument } from '../../protocol/facts/file-kinds.ts';
import { isTest, testPatterns } from '../../protocol/facts/scope.ts';
import type { Proving } from './run-commands.ts';

/** More are not looked for. */
const MOST_DOCUMENTS = 20;

export async function documentsRead(
  { gitDir, commit, facts, settings }: Proving,
  tests: readonly string[],
): Promise<readonly string[]> {
  const patterns = testPatterns(settings);
  const documents = facts.changes
    .filter(({ path, kind }) => kind !== 'removed' && isDocument(path) && !isTest(path, patterns))
    .map(({ path }) => path)
    .slice(0, MOST_DOCUMENTS);
  if (documents.length === 0) return [];
  const read = new Set<string>();
  for (const test of tests) {
    const text = (await scannedAt(gitDir, commit, test)) ?? '';
    for (const path of documents) if (text.includes(path.slice(path.lastIndexOf('/') + 1))) read.add(path);
  }
  return documents.filter((path) => read.has(path));
}
