// The command that installs a project's dependencies into a fresh checkout, by its lock file. A proposal for a person,
// never set by itself: it will be executed. Also recognises output that shows that nothing was installed.

import { isFields } from '../../protocol/values.ts';

/** Files that decide it, all at the project's root. */
export const LOCK_FILES = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'Gemfile.lock',
  'uv.lock',
] as const;

/** Undefined: no lock file, several of them, or one without dependencies. `textOf`: undefined where there is no file. */
export function setupCommand(textOf: (name: string) => string | undefined): string | undefined {
  const found = new Set(LOCK_FILES.flatMap((name) => commandOf(name, textOf(name)) ?? []));
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

function commandOf(name: (typeof LOCK_FILES)[number], text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  switch (name) {
    case 'package-lock.json':
    case 'npm-shrinkwrap.json':
      return hasPackages(text) ? 'npm ci' : undefined;
    case 'pnpm-lock.yaml':
      return 'pnpm install --frozen-lockfile';
    case 'yarn.lock':
      return /^__metadata:/m.test(text) ? 'yarn install --immutable' : 'yarn install --frozen-lockfile';
    case 'Gemfile.lock':
      // Into the checkout: the home of a set-up is gone afterwards.
      return 'bundle config set --local path vendor/bundle && bundle install';
    case 'uv.lock':
      return 'uv sync --frozen';
    default:
      return name satisfies never;
  }
}

/** A lock file of a package without dependencies has one entry, the package itself. */
function hasPackages(text: string): boolean {
  try {
    const lock: unknown = JSON.parse(text);
    if (!isFields(lock)) return false;
    const { packages, dependencies } = lock;
    return isFields(packages)
      ? Object.keys(packages).some((path) => path !== '')
      : isFields(dependencies) && Object.keys(dependencies).length > 0;
  } catch {
    return false;
  }
}

const NOT_INSTALLED = [
  /\bCannot find (?:module|package) '(?![./])/,
  /\bModuleNotFoundError: No module named\b/,
  /\bCould not find .+ in (?:any of the sources|locally installed gems)/,
  /\bBundler::GemNotFound\b/,
  /\bsh: (?:\d+: |line \d+: )?[\w.@/-]+: (?:command )?not found\b/,
];

/** Whether the output of a test names a package, or a tool of one, that is not there. */
export const lacksPackages = (output: string): boolean => NOT_INSTALLED.some((pattern) => pattern.test(output));
