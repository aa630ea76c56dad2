// How much a submitted diff changes, in a few words: lines alone hide a file that went and a mode that is another.

import { counted } from '../../text/format.ts';

/** `, 10 lines added, 0 removed, 1 file deleted, 1 mode changed`; each only where the record has it. */
export function sizeText({ lines, deleted, modes }: Readonly<Record<string, unknown>>): string {
  const { added, removed } = (lines ?? {}) as { readonly added?: unknown; readonly removed?: unknown };
  const [files, others] = [lengthOf(deleted), lengthOf(modes)];
  return [
    ...(added === undefined ? [] : [`${counted(Number(added), 'line')} added`, `${Number(removed)} removed`]),
    ...(files === 0 ? [] : [`${counted(files, 'file')} deleted`]),
    ...(others === 0 ? [] : [`${counted(others, 'mode')} changed`]),
  ]
    .map((part) => `, ${part}`)
    .join('');
}

function lengthOf(list: unknown): number {
  const { paths, more } = (list ?? {}) as { readonly paths?: unknown; readonly more?: unknown };
  return (Array.isArray(paths) ? paths.length : 0) + (typeof more === 'number' ? more : 0);
}
