// Boards of an older version, brought to today's by the first write; the old file is kept.
// Version 0 is a board without `version`, as the shell scripts once wrote it.

import { join } from 'node:path';
import { replaceFile } from '../ports/files.ts';
import { freshState } from '../protocol/records/new-board.ts';
import { STATE_VERSION } from '../protocol/state.ts';
import { isFields } from '../protocol/values.ts';
import { type Instant, iso } from '../text/time.ts';
import type { BoardContext } from './context.ts';
import type { BoardDocument, Plain } from './yaml/document.ts';
import { updateDocument } from './yaml/update.ts';

export const needsMigration = (value: Plain): boolean => value['version'] !== STATE_VERSION;

export async function migrate(context: BoardContext, doc: BoardDocument): Promise<BoardDocument> {
  if (!needsMigration(doc.value)) return doc;
  const { files, paths } = context;
  const stamp = iso(context.clock.now()).replace(/[:-]/g, '');
  files.makeDirectory(paths.archive);
  const old = join(paths.archive, `state-version-${String(doc.value['version'] ?? 0)}-${stamp}.yaml`);
  replaceFile(files, old, Buffer.from(doc.text), true);
  const updated = await updateDocument(doc, fromVersion0(doc.value, context.clock.now()));
  return updated.doc;
}

/** What the board will be once it is migrated; writes nothing. */
export const asMigrated = (value: Plain, now: Instant): Plain =>
  needsMigration(value) ? fromVersion0(value, now) : value;

function fromVersion0(value: Plain, now: Instant): Plain {
  const { goal: _, ...sections } = freshState({ goal: '', spec_ref: '', now });
  const handoff = value['handoff'];
  return {
    ...sections,
    ...value,
    // One handoff object became a map by task.
    ...(isFields(handoff) && typeof handoff['task'] === 'string' ? { handoff: { [handoff['task']]: handoff } } : {}),
    version: STATE_VERSION,
  };
}
