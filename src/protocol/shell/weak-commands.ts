// Commands that may fail because of the code, and still show little: finalize takes them and says so. Each line is judged by
// its words; one strong command in a line is enough.

import { knownOf, runsTests, unwrapped } from './known-commands.ts';
import { readShellLine, type ShellLine } from './shell-line.ts';
import type { Word } from './shell-tokens.ts';

/** What the line shows at most; undefined: more than that. `isFirst`: nothing ran in the checkout before it. */
export function weaknessOf(command: string, isFirst: boolean): string | undefined {
  const line = readShellLine(command);
  if (line === undefined) return undefined;
  if (line.kind === 'not' && line.of.kind === 'simple' && runsTests(line.of.words))
    return 'it is green only where these tests are red';
  const asked = line.kind === 'loop' && line.when?.kind === 'not' ? line.when.of : undefined;
  if (asked?.kind === 'simple' && runsTests(asked.words))
    return 'it is never red: where the tests fail it runs until its time is up; run them by themselves';
  const found = stepsOf(line).map((step) => ofStep(step, isFirst));
  return found.includes('strong') ? undefined : found.find((one) => one !== 'idle');
}

/** All that must be green one after the other. */
function stepsOf(line: ShellLine): readonly ShellLine[] {
  if (line.kind === 'and') return [...stepsOf(line.left), ...stepsOf(line.right)];
  return line.kind === 'list' ? line.steps.flatMap(({ of }) => stepsOf(of)) : [line];
}

function ofStep(step: ShellLine, isFirst: boolean): string {
  if (step.kind !== 'simple') return 'strong';
  if (step.words.every(({ text }) => /^\w+=/.test(text)))
    return step.words.some(({ runs }) => runs.length > 0) ? 'strong' : 'idle';
  const words = unwrapped(step.words);
  return ofWords(words, isFirst) ?? (knownOf(words) === undefined ? 'strong' : 'idle');
}

function ofWords([first, ...rest]: readonly Word[], isFirst: boolean): string | undefined {
  if (first === undefined) return 'idle';
  if (first.varies) return `what \`${first.text}\` runs is not seen here; write the command itself`;
  const name = first.text.replace(/^.*\//, '').replace(/w$/, '');
  const words = rest.map(({ text }) => text);
  const has = (form: RegExp): boolean => words.some((word) => form.test(word));
  if (/^(?:mvn|gradle|cargo|deno|go)$/.test(name) && !isFormatter(name, words))
    return isBuild(name, words) ? 'it builds and runs no test' : undefined;
  if (name === 'cd') return 'it shows that a folder is there, not that the code works';
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name))
    return /^(?:ci|i|install)$/.test(words[0] ?? '')
      ? 'it installs dependencies and runs nothing of the project'
      : undefined;
  if (name === 'git' && words[0] === 'diff' && has(/^--(?:exit-code|quiet)$/) && isFirst)
    return 'nothing has changed in a fresh checkout; run what writes those files before it';
  if (/^(?:ls|cat|stat)$/.test(name) || (/^(?:test|\[)$/.test(name) && /^-[defrswx]$/.test(words[0] ?? '')))
    return 'it shows that a file is there, not that it works';
  if (/^(?:[ef]?grep|rg|ag)$/.test(name) && has(CODE))
    return 'it shows that a text stands in the code, not that it works';
  if (isFormatter(name, words)) return 'it lists or rewrites files, and is green all the same; let it only check';
  return isSyntax(name, words) ? 'it reads the syntax and runs nothing' : undefined;
}

const CODE = /\w\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kt|cs|swift|c|h|cc|cpp|hpp|ex|exs|lua|scala|zig)$/;

/** Without the option that makes it red; of gofmt somebody must look at what it lists: `test -z "$(gofmt -l .)"`. */
const isFormatter = (name: string, words: readonly string[]): boolean => {
  const own = /^(?:cargo|deno|go|ruff)$/.test(name) ? /^(?:fmt|format)$/.test(words[0] ?? '') : FORMATTERS.test(name);
  return (
    own && !words.some((word) => /^(?:--check|-c|--list-different|-l|--diff|--dry-run)$/.test(word) && name !== 'gofmt')
  );
};

const FORMATTERS = /^(?:gofmt|prettier|black|rustfmt|isort)$/;

const isSyntax = (name: string, words: readonly string[]): boolean => {
  const [first] = words;
  if (name === 'node') return words.some((word) => /^(?:--check|-c)$/.test(word));
  if (/^python[\d.]*$/.test(name)) return first === '-m' && /^(?:py_compile|compileall|ast)$/.test(words[1] ?? '');
  if (/^(?:ba|da|z|k)?sh$/.test(name)) return first === '-n';
  return (name === 'php' && first === '-l') || (/^(?:ruby|perl)$/.test(name) && first === '-c');
};

const isBuild = (name: string, words: readonly string[]): boolean => {
  if (name === 'mvn') return words.some((word) => /^-D(?:skipTests|maven\.test\.skip)(?:=true)?$/.test(word));
  if (name === 'gradle')
    return words.some((word, at) => word === 'test' && /^(?:-x|--exclude-task)$/.test(words[at - 1] ?? ''));
  if (name === 'go') return words[0] === 'test' && words.some((word) => /^(?:-run=)?\^?\$$/.test(word));
  return words[0] === 'test' && words.includes('--no-run');
};
