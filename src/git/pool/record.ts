// What Liza knows of the files that it laid out in a folder, written down before anybody else could write there: git's
// index of them, with the times, the inode and the size of each. A file that anybody touched since (wrote, linked, gave
// other rights or attributes) has another ctime, which no program of the user's sets back. Kept where no agent in a
// sandbox can write. A record that belongs to another folder fits none of its files, and so does no harm.

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Disk } from '../../ports/disk.ts';
import { isLinux } from '../../process/proc-files.ts';
import { defined } from '../../protocol/values.ts';
import { type IndexEntry, type IndexFile, readIndex } from '../index-file.ts';
import { type Files, idBytes, type PrivateGitDir } from '../private-git-dir.ts';

export interface FolderRecord {
  readonly index: Buffer;
  /** What is older, by the clock of the disk in ms, is Liza's. */
  readonly at: number;
  /** Of the settings under which git wrote the files. */
  readonly settings: string;
  /** Of all files together. */
  readonly bytes: number;
  /** Those of git that decide what is written for the same content (`eol`, `ident`). */
  readonly attributes: string;
  /** That they are, where git noted it. */
  readonly tree?: string;
  /** Not what this process wrote: whoever is not confined could have written it, and so the files are read, too. */
  readonly isForeign?: boolean;
}

/** Fewer are written again sooner than they are looked after. */
const FEWEST_FILES = 500;
const SUBMODULE = 0o160000;
/** Milliseconds as Node tells them are exact to less than a microsecond. */
const EXACT_MS = 0.001;

/**
 * Of a folder in which nobody but Liza's git has been. undefined: such a folder is not used again. Submodules have files
 * that no index names; what a filter wrote may depend on more than the commit; other systems than Linux are not known to
 * keep the ctime from programs.
 */
export function recordOf(gitDir: PrivateGitDir, files: Files): FolderRecord | undefined {
  const { disk } = gitDir.host;
  if (!isLinux(gitDir.host) || !keepsTimes(disk, files.folder)) return undefined;
  const settings = disk.readFileSync(join(gitDir.common, 'liza', 'git', 'config'), 'utf8');
  const [written, folder] = [disk.lstatSync(files.index), disk.lstatSync(files.folder)];
  if (/^\[filter /m.test(settings) || written.dev !== folder.dev) return undefined;
  const index = disk.readFileSync(files.index);
  const parsed = readIndex(index, idBytes(gitDir));
  if (parsed === undefined || parsed.entries.length < FEWEST_FILES) return undefined;
  if (parsed.entries.some(({ mode, stage }) => mode === SUBMODULE || stage !== 0)) return undefined;
  // Git wrote it last. What anybody does later has that time or a newer one; a file of the same tick of the clock could be
  // changed once more without a trace, so that nothing is known of it.
  const at = written.ctimeMs - EXACT_MS;
  for (const entry of parsed.entries) if (ctimeIn(index, entry) >= at) index.fill(0, entry.at, entry.at + 8);
  const bytes = parsed.entries.reduce((sum, entry) => sum + index.readUInt32BE(entry.at + SIZE), 0);
  return {
    index,
    at,
    settings: digest(settings),
    bytes,
    attributes: attributesIn(index, parsed),
    ...defined({ tree: parsed.tree }),
  };
}

/**
 * File systems on a disk of Linux, by the number that statfs gives them: each write gives a file another ctime there, one
 * through mapped memory too. On tmpfs that one leaves no trace, and of others nobody knows; an overlay is as what is below it.
 */
const KEEPS_TIMES: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
]);

export function keepsTimes(disk: Disk, folder: string): boolean {
  try {
    return KEEPS_TIMES.has(disk.statfsSync(folder).type >>> 0);
  } catch {
    return false;
  }
}

const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Whether git would write the files today as it did then. */
export function isOfToday(gitDir: PrivateGitDir, { settings }: FolderRecord): boolean {
  return digest(gitDir.host.disk.readFileSync(join(gitDir.common, 'liza', 'git', 'config'), 'utf8')) === settings;
}

export const indexIn = (gitDir: PrivateGitDir, { index }: FolderRecord): IndexFile | undefined =>
  readIndex(index, idBytes(gitDir));

function attributesIn(index: Buffer, { entries }: IndexFile): string {
  // Most have few or none, and thousands of names need not be read.
  if (!index.includes('.gitattributes', 0, 'latin1')) return '';
  return entries.flatMap(({ key, id }) => (/(^|\/)\.gitattributes$/.test(key) ? [`${key} ${id}`] : [])).join('\n');
}

// Offsets in an entry of git's index (gitformat-index(5)).
const CTIME = 0;
const MTIME = 8;
const INODE = 20;
const SIZE = 36;
const KINDS = 0o170000;

const timeIn = (index: Buffer, at: number): number => index.readUInt32BE(at) * 1000 + index.readUInt32BE(at + 4) / 1e6;
const ctimeIn = (index: Buffer, { at }: IndexEntry): number => timeIn(index, at + CTIME);

const isTime = (told: number, known: number): boolean => Math.abs(told - known) < EXACT_MS;

/** The very file that Liza wrote, untouched since. */
export const isUntouched = (index: Buffer, entry: IndexEntry, stat: Stats): boolean =>
  (stat.mode & KINDS) === (entry.mode & KINDS) &&
  stat.ino % 2 ** 32 === index.readUInt32BE(entry.at + INODE) &&
  stat.size % 2 ** 32 === index.readUInt32BE(entry.at + SIZE) &&
  isTime(stat.ctimeMs, timeIn(index, entry.at + CTIME)) &&
  isTime(stat.mtimeMs, timeIn(index, entry.at + MTIME));

/** In place: Liza itself renamed the file, which gives it another ctime. */
export function noteRenamed(index: Buffer, entry: IndexEntry, { ctimeMs }: Stats): void {
  const seconds = Math.floor(ctimeMs / 1000);
  index.writeUInt32BE(seconds, entry.at + CTIME);
  index.writeUInt32BE(Math.min(999_999_999, Math.round((ctimeMs - seconds * 1000) * 1e6)), entry.at + CTIME + 4);
}

/** The same index without some of its files. */
export function indexWithout(
  gitDir: PrivateGitDir,
  { index }: FolderRecord,
  { entries }: IndexFile,
  left: ReadonlySet<IndexEntry>,
): Buffer {
  const id = idBytes(gitDir);
  const header = Buffer.from(index.subarray(0, HEADER));
  header.writeUInt32BE(entries.length - left.size, 8);
  const parts: Buffer[] = [header];
  // What stays lies together, but for a few: thousands of pieces would cost more than all else.
  let from = HEADER;
  for (const entry of entries) {
    if (!left.has(entry)) continue;
    if (entry.at > from) parts.push(index.subarray(from, entry.at));
    from = endOf(entry, id);
  }
  const last = entries.at(-1);
  if (last !== undefined) parts.push(index.subarray(from, endOf(last, id)));
  const body = Buffer.concat(parts);
  const hash = createHash(id === 32 ? 'sha256' : 'sha1').update(body);
  return Buffer.concat([body, hash.digest()]);
}

const HEADER = 12;

/** An entry is filled up to eight bytes. */
const endOf = ({ at, key }: IndexEntry, id: number): number => at + Math.ceil((40 + id + 2 + key.length + 1) / 8) * 8;

/** All of it, or nothing: the name appears by one rename. */
export function writeRecord({ host }: PrivateGitDir, file: string, record: FolderRecord): void {
  const { disk } = host;
  const { index, isForeign, ...head } = record;
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), index]);
  if (isForeign !== true) OWN.add(digest(bytes));
  const temporary = `${file}.${host.random.hex(4)}.new`;
  disk.mkdirSync(dirname(file), { recursive: true });
  disk.writeFileSync(temporary, bytes, { flag: 'wx' });
  disk.renameSync(temporary, file);
}

/** Of the records that this process wrote. */
const OWN = new Set<string>();

/** undefined: there is none, or not a whole one. */
export function readRecord({ host: { disk } }: PrivateGitDir, file: string): FolderRecord | undefined {
  try {
    const bytes = disk.readFileSync(file);
    const end = bytes.indexOf(10);
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<FolderRecord, 'index'>;
    const isWhole =
      [head.at, head.bytes].every(Number.isFinite) &&
      [head.settings, head.attributes].every((one) => typeof one === 'string');
    const isForeign = !OWN.has(digest(bytes));
    return isWhole ? { ...head, isForeign, index: bytes.subarray(end + 1) } : undefined;
  } catch {
    return undefined;
  }
}
