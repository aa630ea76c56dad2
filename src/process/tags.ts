// The tags that everything an agent starts carries in its environment, and everything that Liza runs for the project.
// A tag names the repository, the project's folder and the agent, so it tells all that without a record
// (docs/decisions/0012, 0017).

import { sha256 } from '../ports/digest.ts';
import type { Environment } from '../ports/host.ts';

/** The variable that carries tags. Programs within programs carry all of theirs: `outer/inner`. */
export const TAG = 'LIZA_PROGRAM';

/** Where an agent works. Checkouts of one repository share the second, not the first. */
export interface Site {
  readonly root: string;
  /** The git directory that all checkouts share. */
  readonly repository: string;
}

const SHORT = 16;
/** Stands for the programs of the project that Liza itself runs, in place of an agent. */
export const PROGRAM = 'program';

/** What every tag of this repository's agents and programs begins with. */
export const repositoryMark = (repository: string): string => sha256(repository).slice(0, SHORT);

/** What all processes of an agent carry, in every session. */
export const agentTag = ({ root, repository }: Site, agent: string): string =>
  `${repositoryMark(repository)}${repositoryMark(root)}${Buffer.from(agent).toString('hex')}`;

/** Adds the tag to those around: Liza may itself run below such a program, and that one's end must find this one. */
export function nestedTag(env: Environment, tag: string): string {
  const outer = env[TAG];
  return outer !== undefined && /^[0-9a-f/]+$/.test(outer) ? `${outer}/${tag}` : tag;
}

/** For tests and set-up commands: agents wrote much of them, so they may act as nobody (identity/rules/resolve.ts). */
export const programEnvironment = (env: Environment, site: Site): Environment => ({
  ...env,
  [TAG]: nestedTag(env, agentTag(site, PROGRAM)),
});

/** `repositoryMark` of the project whose programs are started with these variables; undefined: they are no such ones. */
export function programsRepository(env: Environment): string | undefined {
  const mark = env[TAG]?.split('/').at(-1)?.slice(0, SHORT) ?? '';
  return mark !== '' && namedIn(env[TAG] ?? '', mark).at(-1) === PROGRAM ? mark : undefined;
}

/** Agents, and `program`, that this variable's value names for the repository; the outermost first. */
export function namedIn(value: string, mark: string): readonly string[] {
  return value.split('/').flatMap((tag) => {
    if (!tag.startsWith(mark) || tag.length <= 2 * SHORT) return [];
    return [Buffer.from(tag.slice(2 * SHORT), 'hex').toString('latin1')];
  });
}
