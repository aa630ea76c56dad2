// What is said of the file behind a spec_ref: whether it is there, inside the project, and for a task that is defined
// the hash of its section, whose text is kept. Light: every command loads it.

import { realDisk } from '../ports/disk.ts';
import type { SpecFacts } from '../protocol/command.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { quoted } from '../protocol/ids.ts';
import { fileOf } from '../protocol/news.ts';
import type { BoardContext } from '../store/context.ts';
import { specFile } from '../store/spec-file.ts';
import { nearest } from './nearest.ts';

export function specFacts(root: string, specRef: string | undefined): SpecFacts | Refusal {
  if (specRef === undefined) return {};
  const file = specFile(realDisk, root, specRef);
  if (file !== 'outside') return { spec_exists: file !== 'absent' };
  return refuse(
    `the spec ${quoted(specRef)} is not inside the project`,
    'name a file below the project root, such as specs/vision.md#login',
    1,
    'spec-path',
  );
}

/** The same for a definition; keeps the section's text, so that its changes can be shown later. */
export async function keptSpecFacts(context: BoardContext, specRef: string | undefined): Promise<SpecFacts | Refusal> {
  const facts = specFacts(context.paths.root, specRef);
  if (specRef === undefined || !('spec_exists' in facts) || facts.spec_exists !== true) return facts;
  const { keepSpec, readSpec } = await import('../store/spec-texts.ts');
  const spec = readSpec(context.disk, context.paths.root, specRef);
  if (spec === undefined) return facts;
  keepSpec(context, spec);
  const name = fileOf(specRef) ?? specRef;
  const file = readSpec(context.disk, context.paths.root, name);
  if (file !== undefined) keepSpec(context, file);
  return {
    ...facts,
    spec_hash: spec.hash,
    ...(file === undefined ? {} : { file: { spec: name, hash: file.hash } }),
    ...deadAnchor(specRef, spec.anchors),
  };
}

/** Only of Markdown is it known what an anchor names. */
function deadAnchor(specRef: string, anchors: readonly string[] | undefined): SpecFacts {
  const [file = '', anchor = ''] = specRef.split('#');
  if (anchors === undefined || !/\.(?:md|mdx|markdown|mdown)$/i.test(file)) return {};
  const close = nearest(anchor.toLowerCase(), anchors) ?? anchors.find((one) => one.includes(anchor.toLowerCase()));
  return { dead_anchor: [...new Set([...(close === undefined ? [] : [close]), ...anchors])].slice(0, MOST_ANCHORS) };
}

const MOST_ANCHORS = 8;

export function specExists(root: string, specRef: string): boolean {
  try {
    return !['absent', 'outside'].includes(specFile(realDisk, root, specRef));
  } catch {
    return false;
  }
}
