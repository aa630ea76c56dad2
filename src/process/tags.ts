// The tags that everything an agent starts carries in its environment, and everything that Liza runs for the project.
// A tag names the repository, the project's folder and who it is; so whoever finds one knows all that without a record
// (docs/decisions/0012, 0017).

import { hash } from 'node:crypto';

/** The variable that carries tags. Programs within programs carry all of theirs: `outer/inner`. */
export const TAG = 'LIZA_PROGRAM';

/** Where an agent works. Checkouts of one repository share the second, not the first. */
export interface Site {
  readonly root: string;
  /** The git directory that all checkouts share. */
  readonly repository: string;
}

const SHORT = 16;
/** Whatever Liza itself runs of the project's. */
export const PROGRAM = 'program';

/** What every tag of this repository's agents and programs begins with. */
export const repositoryMark = (repository: string): string => hash('sha256', repository).slice(0, SHORT);

/** What all processes of an agent carry, whoever started them. */
export const agentTag = ({ root, repository }: Site, agent: string): string =>
  `${repositoryMark(repository)}${repositoryMark(root)}${Buffer.from(agent).toString('hex')}`;

/** Agents, and `program`, that this variable's value names for the repository; the outermost first. */
export function namedIn(value: string, mark: string): readonly string[] {
  return value.split('/').flatMap((tag) => {
    if (!tag.startsWith(mark) || tag.length <= 2 * SHORT) return [];
    return [Buffer.from(tag.slice(2 * SHORT), 'hex').toString('latin1')];
  });
}
