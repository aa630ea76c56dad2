// rejected/: the parts of edits that were not adopted, kept so that nothing a person typed is lost.

import { join, relative } from 'node:path';
import { replaceFile } from '../ports/files.ts';
import type { Aside } from '../protocol/edits/draft.ts';
import type { Notice } from '../protocol/notice.ts';
import { iso } from '../text/time.ts';
import type { BoardContext } from './context.ts';
import { emitEntry } from './yaml/emit.ts';

/** A guarded setting that waits for the operator. */
export const WAITING_SETTING = /^\d+-\d+-config-[a-z-]+\.yaml$/;

/** Writes each record that was set aside, and the whole text; returns the files, relative to the project. */
export function keepAside(context: BoardContext, seq: number, text: string, aside: readonly Aside[]): string[] {
  const kept = aside.filter((one) => one.value !== undefined);
  if (kept.length === 0) return [];
  const records = kept.map((one, index) => {
    const name = one.record.replace(/[^a-zA-Z0-9-]+/g, '-').slice(0, 60);
    const head = [`# set aside from state.yaml: ${one.record}`, `# ${oneLine(one.reason)}`, `# ${oneLine(one.hint)}`];
    const body = emitEntry(one.record.split('/').at(-1) ?? 'value', one.value, 0);
    return write(context, `${seq}-${index + 1}-${name}.yaml`, [...head, ...body, ''].join('\n'));
  });
  return [...records, write(context, `${seq}-state.yaml`, text)];
}

/** Keeps a whole text that was refused, for example broken YAML left by `lock modify`. */
export function keepText(context: BoardContext, label: string, text: string | Uint8Array): string {
  const stamp = iso(context.clock.now()).replace(/[:-]/g, '');
  return write(context, `${stamp}-${label}`, text);
}

function write(context: BoardContext, name: string, text: string | Uint8Array): string {
  const { files, paths } = context;
  files.makeDirectory(paths.rejected);
  let file = join(paths.rejected, name);
  for (let copy = 2; files.stat(file) !== undefined; copy += 1) file = join(paths.rejected, `${copy}-${name}`);
  replaceFile(files, file, Buffer.from(text), true);
  return relative(paths.root, file);
}

export function describeAside(aside: readonly Aside[], files: readonly string[]): Notice[] {
  return aside.map((one, index) => {
    const where = one.value === undefined ? '' : `; kept in ${files[keptIndex(aside, index)] ?? '.liza/rejected'}`;
    const what = one.kind === 'guarded' ? 'waits for your approval' : 'was set aside';
    return {
      kind: 'set-aside',
      level: one.kind === 'guarded' || one.kind === 'deletion' ? 'info' : 'alarm',
      message: `EXTERNAL EDIT: ${one.record} ${what}: ${oneLine(one.reason)}${where} — ${oneLine(one.hint)}`,
    };
  });
}

export interface RejectedRecord {
  /** From the project's root. */
  readonly file: string;
  readonly record: string;
  readonly reason: string;
}

const RECORD_FILE = /^\d+-\d+-.+\.yaml$/;
const MOST = 50;

/** The latest records in rejected/, newest last, without settings that wait; reads the folder only when it changed. */
export function rejectedReader(context: BoardContext): () => readonly RejectedRecord[] {
  const { files, paths } = context;
  let seen: bigint | undefined;
  let found: readonly RejectedRecord[] = [];
  return () => {
    const stamp = files.stat(paths.rejected)?.mtimeNs;
    if (stamp === seen) return found;
    seen = stamp;
    const names = stamp === undefined ? [] : files.list(paths.rejected);
    found = names
      .filter((name) => RECORD_FILE.test(name) && !WAITING_SETTING.test(name))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .slice(-MOST)
      .map((name) => readRejected(context, name));
    return found;
  };
}

/** The first lines of the file are what `keepAside` wrote: what it is, and why. */
function readRejected({ files, paths }: BoardContext, name: string): RejectedRecord {
  const file = join(paths.rejected, name);
  const head = files.read(file)?.toString('utf8', 0, 4000).split('\n') ?? [];
  const comment = (line: string | undefined): string => (line ?? '').replace(/^# (set aside from state\.yaml: )?/, '');
  return { file: relative(paths.root, file), record: comment(head[0]), reason: comment(head[1]) };
}

const keptIndex = (aside: readonly Aside[], index: number): number =>
  aside.slice(0, index).filter((one) => one.value !== undefined).length;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
