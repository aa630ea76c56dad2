// The two files that a page loads: the style, which is the report's with the dashboard's behind it, and one script. Their
// addresses change with what is in them, so that a browser keeps them for ever and never has an old one.

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { realDisk } from '../../ports/disk.ts';
import { style } from '../../report/stylesheet.ts';
import type { Io } from '../io.ts';
import type { Files } from './views/page.ts';

interface File {
  readonly type: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer;
}

export interface Assets {
  readonly files: Files;
  /** By the last part of its address. */
  find(name: string): File | undefined;
  /** As they cross the wire. */
  readonly size: number;
}

export function readAssets({ asset }: Pick<Io, 'asset'>): Assets {
  // A package has them shortened (tools/bundle.mjs).
  const folder = realDisk.existsSync(asset('web')) ? 'web' : 'dist';
  const read = (name: string): string => realDisk.readFileSync(asset(`${folder}/${name}`), 'utf8');
  const [look, script] = [`${style()}\n${read('dashboard.css')}`, read('dashboard.js')];
  const styleName = `look-${hash(look)}.css`;
  const scriptName = `live-${hash(script)}.js`;
  const all = new Map([
    [styleName, file('text/css; charset=utf-8', look)],
    [scriptName, file('text/javascript; charset=utf-8', script)],
  ]);
  return {
    files: { style: `/${styleName}`, script: `/${scriptName}` },
    find: (name) => all.get(name),
    size: [...all.values()].reduce((sum, { zipped }) => sum + zipped.length, 0),
  };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

const file = (type: string, text: string): File => {
  const bytes = Buffer.from(text);
  return { type, bytes, zipped: gzipSync(bytes, { level: 9 }) };
};
