// What kind of file a path names, beyond code and test: files among the tests that declare none (documents, data,
// snapshots, fixtures), and configuration that is written as code. By the name alone.

import { matches } from './globs.ts';
import { isTest } from './scope.ts';

/** Whether a changed file of this path can be the test of a change. A pattern that names the ending decides for it. */
export function canDeclareTests(path: string, patterns: readonly string[]): boolean {
  if (!isTest(path, patterns)) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ending = /\.\w+$/.exec(name)?.[0];
  const named = (pattern: string): boolean =>
    ending !== undefined && pattern.endsWith(ending) && matches(pattern, path);
  if (patterns.some(named)) return true;
  if (NO_CODE.test(name)) return false;
  // A test of its own name may be kept beside fixtures.
  return !HELD_FOR_TESTS.test(path) || patterns.some((pattern) => !pattern.endsWith('/**') && matches(pattern, path));
}

const NO_CODE =
  /\.(?:md|mdx|markdown|rst|adoc|txt|log|json[5cl]?|ndjson|ya?ml|toml|ini|cfg|conf|env|csv|tsv|xml|html?|css|scss|less|lock|snap|golden|out|expected|diff|patch|svg|png|jpe?g|gif|webp|ico|pdf|zip|gz|tgz|tar|bin|dat|db|sqlite)$|^(?:README|LICEN[CS]E|CHANGELOG|NOTICE|AUTHORS)$|^\.[^.]*$/i;
const HELD_FOR_TESTS = /(?:^|\/)(?:_*fixtures?_*|testdata|test-data|_*snapshots_*)\//i;

/** A text for people. */
export const isDocument = (path: string): boolean =>
  /\.(?:md|mdx|markdown|rst|adoc|txt|html?)$|^(?:README|CHANGELOG)$/i.test(path.slice(path.lastIndexOf('/') + 1));

/** Settings of a tool, though their ending is that of code. */
export const isConfiguration = (path: string): boolean => CONFIGURATION.test(path.slice(path.lastIndexOf('/') + 1));

const CONFIGURATION =
  /^[\w.-]+\.config\.[cm]?[jt]s$|^\.[\w.-]+rc\.[cm]?[jt]s$|^(?:Gruntfile|Gulpfile|gulpfile|Jakefile)\.[cm]?[jt]s$|^\.pnpmfile\.cjs$|^gunicorn\.conf\.py$|^(?:build|settings)\.gradle\.kts$/;
