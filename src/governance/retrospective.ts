// `liza retrospective`: drafts the data part once per sprint, into a file that belongs to people from then on. What they
// learned is appended to it and recorded on the board.

import { join, relative } from 'node:path';
import { appendFile } from '../ports/files.ts';
import { retrospectiveOf } from '../protocol/commands/plan/sprint.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { type CommandContext, transact } from '../store/transact.ts';
import { iso } from '../text/time.ts';
import { fileTime } from './rules/checkpoint-summary.ts';
import { learnedSection, retrospectiveDraft } from './rules/retrospective-draft.ts';
import { checkpointsFolder, makeCheckpointsFolder, writeDocument } from './write-document.ts';

export interface Retrospective {
  readonly committed: Committed;
  readonly file: string;
  /** False: the draft was there already and was left as it is. */
  readonly drafted: boolean;
}

export async function retrospective(
  context: CommandContext,
  template: string,
  learned?: string,
): Promise<Retrospective | Refusal> {
  const { board, now } = await context.store.read();
  const { state } = board;
  const kept = retrospectiveOf(state).file;
  const fresh = join(checkpointsFolder(context), `${fileTime(iso(now))}-${state.sprint.id}-retrospective.md`);
  const path = kept === undefined ? fresh : join(context.paths.root, kept);
  const file = relative(context.paths.root, path);
  const outcome = await transact(context, {
    name: 'retrospective',
    file,
    ...defined({ learned }),
  });
  if (isRefusal(outcome)) return outcome;
  const there = context.files.stat(path) !== undefined;
  if (!there) {
    makeCheckpointsFolder(context);
    const archived = await context.store.archivedTasks(outcome.state.goal);
    writeDocument(context, path, retrospectiveDraft(template, outcome.state, archived, now));
  }
  if (learned !== undefined && outcome.already !== true) {
    appendFile(context.files, path, Buffer.from(learnedSection(learned, iso(now))), true);
  }
  return { committed: outcome, file, drafted: !there };
}
