// Where everything lives. Nothing else joins path segments under `.liza`.

import { join } from 'node:path';

export interface Paths {
  readonly root: string;
  readonly liza: string;
  readonly state: string;
  readonly lock: string;
  readonly editLock: string;
  /** One lock per task, held by the process that changes its folder or branch. */
  readonly locks: string;
  readonly journal: string;
  readonly log: string;
  readonly archive: string;
  readonly agents: string;
  readonly rejected: string;
  /** Texts of spec sections by their hash. */
  readonly specs: string;
  readonly cache: string;
  /** The inode that the last rename replaced: a late save into it is still an edit. */
  readonly superseded: string;
  /** The copy inside the git directory; undefined when there is none. */
  readonly mirror: string | undefined;
  /** The address of a board's database, for its owner alone. */
  readonly address: string;
}

export function pathsOf(root: string, gitDirectory: string | undefined): Paths {
  const liza = join(root, '.liza');
  const own = gitDirectory === undefined ? undefined : join(gitDirectory, 'liza');
  return {
    root,
    liza,
    state: join(liza, 'state.yaml'),
    lock: join(liza, 'state.yaml.lock'),
    editLock: join(liza, 'cache', 'edit.lock'),
    locks: join(liza, 'locks'),
    journal: join(liza, 'journal.jsonl'),
    log: join(liza, 'log.yaml'),
    archive: join(liza, 'archive'),
    agents: join(liza, 'agents'),
    rejected: join(liza, 'rejected'),
    specs: join(liza, 'specs'),
    cache: join(liza, 'cache', 'board.ndjson'),
    superseded: join(liza, 'cache', 'superseded.yaml'),
    mirror: own,
    address: join(own ?? liza, 'store-address'),
  };
}
