// Finds the project a command is about: the nearest folder upward whose `.liza` holds a blackboard.
// `~/.liza` (contracts, templates, scripts) has none, so a home folder is never taken for a project.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Refusal, refuse } from '../core/decision.ts';

/** Any one of them marks a project: a blackboard whose state.yaml was lost must still be found to be repaired. */
const MARKS = ['state.yaml', 'journal.jsonl', 'state.yaml.lock'];

export function findRoot(from: string): string | Refusal {
  for (let folder = from; ; folder = dirname(folder)) {
    if (MARKS.some((mark) => existsSync(join(folder, '.liza', mark)))) return folder;
    if (folder === dirname(folder)) break;
  }
  return refuse(
    `no Liza project here: neither ${from} nor a folder above it has a .liza blackboard`,
    'go to your project, or start one there with: liza init "<goal>"',
    1,
    'no-project',
  );
}
