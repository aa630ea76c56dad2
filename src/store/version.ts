// A board of a later version is left alone: this program cannot know what its fields mean.

import { type Refusal, refuse } from '../core/decision.ts';
import { STATE_VERSION } from '../core/state.ts';
import type { BoardDocument } from './yaml/document.ts';

export function refuseNewer(doc: BoardDocument): Refusal | undefined {
  const version = doc.value['version'];
  if (typeof version !== 'number' || version <= STATE_VERSION) return undefined;
  return refuse(
    `this board has version ${version}, this liza understands version ${STATE_VERSION}; nothing was touched`,
    'update liza: npm install -g liza@latest',
    4,
    'newer-version',
  );
}
