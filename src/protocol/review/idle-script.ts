// A command of the validation whose script in package.json cannot fail: the line says nothing of that, and its green
// shows nothing.

import { scriptsOf } from '../facts/command-files.ts';
import { alwaysGreen } from '../shell/always-green.ts';
import { readShellLine } from '../shell/shell-line.ts';

const DEEPEST = 5;

/** The script that it comes to, where that and what runs before and after it are green whatever the code does. */
export function idleScript(command: string, scripts: Readonly<Record<string, string>>, depth = 0): string | undefined {
  const line = readShellLine(command);
  if (line?.kind !== 'simple' || depth > DEEPEST) return undefined;
  const [program = '', ...rest] = line.words.map(({ text }) => text);
  // Another package's script is not read.
  if (rest.some((word) => /^-[wrCF]$|^--(?:workspaces?|recursive|filter|prefix|dir|cwd)/.test(word))) return undefined;
  const [own = '', ...around] = scriptsOf(program, rest);
  const text = Object.hasOwn(scripts, own) ? scripts[own] : undefined;
  if (text === undefined || text.trim() === '') return undefined;
  const isIdle = (script: string): boolean =>
    alwaysGreen(script) !== undefined || idleScript(script, scripts, depth + 1) !== undefined;
  const others = around.filter((name) => Object.hasOwn(scripts, name)).map((name) => scripts[name] ?? '');
  return [text, ...others].every(isIdle) ? (idleScript(text, scripts, depth + 1) ?? text) : undefined;
}
