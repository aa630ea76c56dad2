// What a person types to start this very program from any folder: `liza` where the shell finds it, else node and the
// program's path. Folders that npm adds to PATH for its own children do not count: the person's shell does not have them.

import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { npmLine, pathLineAfter } from '../providers/install-line.ts';
import { shellWord } from '../text/format.ts';
import type { Io } from './io.ts';

/** The line that lets the shell find this very program as `liza`: its package is two folders up (dist/liza.cjs). */
export function ownInstall({ env, host: { disk }, self: { argv } }: Io): readonly string[] {
  const path = pathLineAfter({ disk, env });
  return [npmLine({ disk, env }, shellWord(dirname(dirname(argv[1] ?? '')))), ...(path === undefined ? [] : [path])];
}

export function ownCommand({ env, host: { disk }, self: { argv } }: Io): string {
  const [node, program = ''] = argv;
  const folders = (env.PATH ?? '').split(delimiter).filter((at) => isAbsolute(at) && !OF_NPM.test(at));
  const realOf = (path: string): string | undefined => {
    try {
      return disk.realpathSync(path);
    } catch {
      return undefined;
    }
  };
  const isFirst = (name: string, file: string): boolean => {
    const found = folders.map((at) => realOf(join(at, name))).find((real) => real !== undefined);
    return found !== undefined && found === realOf(file);
  };
  if (isFirst('liza', program)) return 'liza';
  return `${isFirst('node', node) ? 'node' : shellWord(node)} ${shellWord(program)}`;
}

const OF_NPM = /(^|\/)node_modules\/(\.bin|.*node-gyp-bin)\/?$/;
