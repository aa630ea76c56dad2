// The disk: the calls of node:fs that Liza uses, as one object. What must survive a crash is written through files.ts.

import * as fs from 'node:fs';

export type Disk = Pick<
  typeof fs,
  | 'accessSync'
  | 'chmodSync'
  | 'closeSync'
  | 'constants'
  | 'copyFileSync'
  | 'cpSync'
  | 'existsSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'mkdtempSync'
  | 'opendirSync'
  | 'openSync'
  | 'promises'
  | 'readdirSync'
  | 'readFileSync'
  | 'readlinkSync'
  | 'readSync'
  | 'realpathSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'rmSync'
  | 'statfsSync'
  | 'statSync'
  | 'symlinkSync'
  | 'unlinkSync'
  | 'utimesSync'
  | 'watch'
  | 'writeFileSync'
  | 'writeSync'
>;

export const realDisk: Disk = fs;

/** A file that may be run. */
export function isExecutableFile(disk: Disk, path: string): boolean {
  try {
    disk.accessSync(path, disk.constants.X_OK);
    return disk.statSync(path).isFile();
  } catch {
    return false;
  }
}
