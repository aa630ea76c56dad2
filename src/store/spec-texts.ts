// The texts of spec sections, kept by their hash in .liza/specs from the moment a task is finalized, so that a later
// change can be shown as a difference. Only a text that still has its hash counts, and the hash is on the board: nobody
// can put another text there unnoticed. Bounded in size and number; without a kept text only the difference is missing.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { type Files, replaceFile } from '../ports/files.ts';
import { readPlainFile } from '../process/plain-file.ts';
import { anchorOf, specSection } from '../text/spec-section.ts';
import { decode } from './bounded-text.ts';
import { sha256 } from './hash.ts';
import type { Paths } from './paths.ts';
import { specFile } from './spec-file.ts';
import { diffHunks } from './yaml/hunks.ts';

export interface SpecText {
  /** SHA-256 of the text. */
  readonly hash: string;
  readonly text: string;
  /** No heading has the anchor: the text is the whole file. */
  readonly anchorMissing?: true;
  /** The anchors that it has instead. */
  readonly anchors?: readonly string[];
}

/** A larger file is no spec that a prompt could quote. */
const LARGEST_FILE = 4 * 1024 * 1024;
/** A larger section is known by its hash alone. */
const LARGEST_KEPT = 64 * 1024;
const MOST_KEPT = 500;

/** The section as it is now; undefined: there is no such text. */
export function readSpec(disk: Disk, root: string, specRef: string): SpecText | undefined {
  const file = specFile(disk, root, specRef);
  if (file === 'absent' || file === 'outside') return undefined;
  const read = readPlainFile(disk, file, LARGEST_FILE);
  const whole = read === undefined ? undefined : decode(read);
  if (whole === undefined) return undefined;
  const { text, anchorMissing, anchors = [] } = specSection(whole, anchorOf(specRef));
  return { hash: sha256(text), text, ...(anchorMissing === true ? { anchorMissing, anchors } : {}) };
}

/** An anchor may never have had a heading: a task can be older than the rule that its anchor exists. */
export const hasLostHeading = (ref: string, before: string, now: SpecText): boolean =>
  now.anchorMissing === true && specSection(before, anchorOf(ref)).anchorMissing !== true;

interface Keeping {
  readonly files: Files;
  readonly paths: Pick<Paths, 'specs'>;
}

export function keepSpec({ files, paths }: Keeping, { hash, text }: SpecText): void {
  const data = Buffer.from(text);
  const file = join(paths.specs, hash);
  if (data.length > LARGEST_KEPT || files.stat(file) !== undefined) return;
  files.makeDirectory(paths.specs);
  replaceFile(files, file, data, false);
  const kept = files.list(paths.specs).filter((name) => HASH.test(name));
  if (kept.length <= MOST_KEPT) return;
  const age = (name: string): bigint => files.stat(join(paths.specs, name))?.mtimeNs ?? 0n;
  const oldest = kept.map((name) => ({ name, age: age(name) })).sort((a, b) => (a.age < b.age ? -1 : 1));
  for (const { name } of oldest.slice(0, kept.length - MOST_KEPT)) files.remove(join(paths.specs, name));
}

const HASH = /^[0-9a-f]{64}$/;

/** The text of that hash; undefined: it was not kept, or is not what it was. */
export function keptSpec({ files, paths }: Keeping, hash: string): string | undefined {
  const data = HASH.test(hash) ? files.read(join(paths.specs, hash)) : undefined;
  return data !== undefined && sha256(data) === hash ? data.toString('utf8') : undefined;
}

export interface SpecDiff {
  /** As `diff -U2` prints it, without its head. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const CONTEXT = 2;

export async function specDiff(before: string, after: string): Promise<SpecDiff> {
  const old = before.split('\n');
  const hunks = await diffHunks(before, after);
  const lines: string[] = [];
  let shown = 0;
  for (const { at, del, ins } of hunks) {
    const from = Math.max(shown, at - CONTEXT);
    if (from > shown || lines.length === 0) lines.push(`@@ line ${from + 1} @@`);
    lines.push(...old.slice(from, at).map((line) => ` ${line}`));
    lines.push(...del.map((line) => `-${line}`), ...ins.map((line) => `+${line}`));
    const end = at + del.length;
    const next = hunks.find((hunk) => hunk.at >= end && hunk.at > at)?.at ?? old.length;
    shown = Math.min(end + CONTEXT, next);
    lines.push(...old.slice(end, shown).map((line) => ` ${line}`));
  }
  const count = (part: 'del' | 'ins'): number => hunks.reduce((sum, hunk) => sum + hunk[part].length, 0);
  return { text: lines.join('\n'), added: count('ins'), removed: count('del') };
}
