// What is seen of a test command without running it: that npm has no such command, or package.json no such script. Whoever
// types `npm tset` hears it when they set it, not when the first submission fails. Pure.

import { nearest } from '../../text/nearest.ts';

/** npm's commands that somebody tests with. */
const TESTING = ['test', 'tst', 't', 'run', 'run-script', 'exec', 'x', 'start', 'ci', 'install-test', 'it', 'explore'];
const MANAGER = /^(npm|pnpm|yarn) +(?!-)(\S+)(?: +(?!-)(\S+))?/;

/** The others would be its arguments. */
const ONE_SCRIPT = /^(sh|bash|dash|zsh|ksh) ([^\s'"|;&]*\*[^\s'"|;&]*)$/;

/** Undefined: nothing is wrong with it that can be seen. `scripts`: those of package.json, where there is one. */
export function mistypedTest(command: string, scripts: readonly string[] | undefined): string | undefined {
  const [, shell, several] = ONE_SCRIPT.exec(command.trim()) ?? [];
  if (several !== undefined)
    return `${shell} runs the first of ${several} alone; all of them: for t in ${several}; do ${shell} "$t" || exit 1; done`;
  const [, manager, word = '', name] = MANAGER.exec(command.trim()) ?? [];
  if (manager === undefined) return undefined;
  if (/^(?:run|run-script)$/.test(word))
    return name === undefined || scripts === undefined || scripts.includes(name)
      ? undefined
      : `package.json has no script ${name}${meant(`${manager} ${word}`, nearest(name, scripts))}`;
  if (manager !== 'npm') return undefined;
  if (!TESTING.includes(word)) return `npm has no command ${word} that tests${meant('npm', likeliest(word, scripts))}`;
  return /^(?:test|tst|t)$/.test(word) && scripts !== undefined && !scripts.includes('test')
    ? 'package.json has no script test'
    : undefined;
}

const likeliest = (word: string, scripts: readonly string[] = []): string | undefined => {
  const known = nearest(word, ['test', 'run', 'exec', 'start']);
  if (known !== undefined) return known;
  const script = nearest(word, scripts);
  return script && `run ${script}`;
};

const meant = (before: string, found: string | undefined): string =>
  found === undefined ? '' : `; did you mean: ${before} ${found}`;
