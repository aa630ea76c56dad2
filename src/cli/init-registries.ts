// Private registries at `liza init`: which of them the lock file needs, what a person is asked about the login, and what
// the closing lines say of the answer. Nobody gets a login unasked.

import { join } from 'node:path';
import { isLockedTo } from '../preflight/rules/locked-registry.ts';
import { plainText } from '../process/plain-file.ts';
import type { BoardContext } from '../store/context.ts';
import { LOCK_FILES } from '../tasks/rules/setup-command.ts';

/** A private registry whose login agents do not get by themselves. */
export interface PrivateRegistry {
  /** `npm @acme: npm.acme.example`. */
  readonly name: string;
  /** The settings file that has the login. */
  readonly file: string;
  /** The project's lock file takes packages from it. */
  readonly isNeeded: boolean;
}

export interface FoundRegistry extends PrivateRegistry {
  /** The command that shows the file. */
  readonly give: string;
}

const LARGEST = 50_000_000;

/** Those with a login in a file of the user's. `committed`: the files at the project's root that are in git. */
export async function privateRegistries(
  context: BoardContext,
  committed: readonly string[],
): Promise<readonly FoundRegistry[]> {
  const { loginsKept } = await import('../preflight/registry-checks.ts');
  const { registrySite } = await import('../sandbox/mode.ts');
  const site = registrySite(context, {});
  if (site === undefined) return [];
  const kept = await loginsKept(context, site, {});
  if (kept.length === 0) return [];
  const names = LOCK_FILES.filter((name) => committed.includes(name));
  const locks = names.map((name) => plainText(context.disk, join(context.paths.root, name), LARGEST) ?? '');
  return kept.flatMap(({ name, file, give, registry }) =>
    file === undefined ? [] : [{ name, file, give, isNeeded: locks.some((lock) => isLockedTo(lock, registry)) }],
  );
}

/** What is said and asked about one file with logins; `setup`: the command that a yes shows it to. */
export function loginQuestion(
  file: string,
  registries: readonly PrivateRegistry[],
  setup: string | undefined,
): { readonly fact: string; readonly question: string } {
  const command = setup || 'the command that sets up a fresh checkout';
  const isNeeded = registries.some((one) => one.isNeeded);
  const without = isNeeded ? 'It will fail without it' : 'It may fail without it';
  return {
    fact: `Private registry: ${registries.map(({ name }) => name).join('; ')}. Its login is in ${file}, which agents never see.`,
    question: `May ${command} read ${file}? ${without}. yes or no${isNeeded ? ' (Enter: no; the run then stops at set-up, and says so)' : ''}`,
  };
}

interface Answered {
  readonly shown?: readonly string[] | undefined;
  readonly setup?: string | undefined;
}

/** What became of each file: shown to set-up, or to nobody. */
export function registryLines(
  registries: readonly FoundRegistry[],
  { shown = [], setup }: Answered,
): readonly string[] {
  const kept = registries.filter((one) => !shown.includes(one.file) && !isMissed(one, setup));
  return [
    ...shown.map((file) => `${file} is shown to set-up alone${setup ? ` (${setup})` : ''}; agents never see it`),
    ...kept.map(({ name, give }) => `private registry ${name}: agents use it without your login; ${give}`),
  ];
}

/** What is to be done before the first run, or set-up fails. */
export const loginFirst = (registries: readonly FoundRegistry[], { shown = [], setup }: Answered): readonly string[] =>
  registries
    .filter((one) => !shown.includes(one.file) && isMissed(one, setup))
    .map(({ name, file, give }) => `first: ${setup} will fail without the login in ${file} (${name}); ${give}`);

const isMissed = ({ isNeeded }: FoundRegistry, setup: string | undefined): boolean => isNeeded && Boolean(setup);
