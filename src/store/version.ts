// A board of a later version is left alone: this program cannot know what its fields mean.

import { type Refusal, refuse } from '../protocol/decision.ts';
import { STATE_VERSION } from '../protocol/state.ts';
import type { BoardDocument } from './yaml/document.ts';

export const refuseNewer = (doc: BoardDocument): Refusal | undefined => refuseVersion(doc.value['version']);

/** For a text that nobody has parsed yet: it may use what this program cannot even read. */
export const refuseNewerText = (text: string): Refusal | undefined =>
  refuseVersion(Number(/^version:[ \t]*"?(\d+)/m.exec(text)?.[1] ?? 0));

function refuseVersion(version: unknown): Refusal | undefined {
  if (typeof version !== 'number' || version <= STATE_VERSION) return undefined;
  return refuse(
    `this board has version ${version}, this liza understands version ${STATE_VERSION}; nothing was changed`,
    'update Liza: liza help install',
    4,
    'newer-version',
  );
}
