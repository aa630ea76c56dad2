// Where everything lives. Nothing else joins path segments under `.liza`.

import path from 'node:path';

export interface Paths {
  readonly root: string;
  readonly liza: string;
  readonly state: string;
  readonly lock: string;
  readonly editLock: string;
  readonly journal: string;
  readonly log: string;
  readonly archive: string;
  readonly agents: string;
  readonly rejected: string;
  readonly cache: string;
  /** The inode that the last rename replaced: a late save into it is still an edit. */
  readonly superseded: string;
  /** The copy inside the git directory; undefined when there is none. */
  readonly mirror: string | undefined;
}

export function pathsOf(root: string, gitDirectory: string | undefined): Paths {
  const liza = path.join(root, '.liza');
  return {
    root,
    liza,
    state: path.join(liza, 'state.yaml'),
    lock: path.join(liza, 'state.yaml.lock'),
    editLock: path.join(liza, 'cache', 'edit.lock'),
    journal: path.join(liza, 'journal.jsonl'),
    log: path.join(liza, 'log.yaml'),
    archive: path.join(liza, 'archive'),
    agents: path.join(liza, 'agents'),
    rejected: path.join(liza, 'rejected'),
    cache: path.join(liza, 'cache', 'board.ndjson'),
    superseded: path.join(liza, 'cache', 'superseded.yaml'),
    mirror: gitDirectory === undefined ? undefined : path.join(gitDirectory, 'liza'),
  };
}
