// The line that installs this checkout's program on this machine. A distribution's npm puts global packages where only root
// may write: then it goes to ~/.local, which needs no root. Says what is missing on PATH.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';

/** `prefix`: npm's own place for global packages; absent: npm did not say. */
export function installLines({ prefix, isWritable, home, folders }) {
  const own = prefix !== undefined && isWritable;
  const at = own ? prefix : path.join(home, '.local');
  const bin = own ? path.join(prefix, 'bin') : '$HOME/.local/bin';
  return [
    own ? 'To install it:' : 'To install it (needs no root):',
    own ? '  npm install -g .' : '  npm install -g --prefix ~/.local .',
    ...(folders.includes(path.join(at, 'bin'))
      ? []
      : ['So that your shell finds it, now and in ~/.profile:', `  export PATH="${bin}:$PATH"`]),
  ];
}

/** Whether npm could make its folders there. */
export function mayInstallTo(prefix) {
  return ['lib/node_modules', 'bin'].every((part) => {
    let at = path.join(prefix, part);
    while (!existsSync(at) && path.dirname(at) !== at) at = path.dirname(at);
    try {
      accessSync(at, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export function installLinesHere({ HOME = '', PATH = '' }) {
  const asked = spawnSync('npm', ['prefix', '--global', '--loglevel=error'], { encoding: 'utf8' });
  const prefix = asked.status === 0 ? asked.stdout.trim() : undefined;
  const isWritable = prefix !== undefined && mayInstallTo(prefix);
  return installLines({ prefix, isWritable, home: HOME, folders: PATH.split(path.delimiter) });
}
