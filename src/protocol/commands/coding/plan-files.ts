// What a plan may name, with the checkpoint (`begin --file`) or after it (`begin --also`): paths of the repository, none
// that the task declares OUT, and for a test task no code. One rule, because a file that is refused late costs the work.

import { listed, shellWord } from '../../../text/format.ts';
import type { Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { isPattern, MOST_PATTERNS } from '../../facts/globs.ts';
import {
  beyondScope,
  comesWithTests,
  isCode,
  isTest,
  outOfScope,
  parseScope,
  testPatterns,
} from '../../facts/scope.ts';

/** From the root of the repository, and not out of it. */
const PATH =
  /^(?!\/)(?![A-Za-z]:[\\/])(?!~\/)(?!(?:.*[\\/])?\.\.(?:[\\/]|$))(?!(?:.*[\\/])?\.[Gg][Ii][Tt](?:[\\/]|$))\S.{0,999}$/;

export function notAPath(files: readonly string[], option: '--file' | '--also'): Refusal | undefined {
  const wrong = files.find((file) => !PATH.test(file));
  return wrong === undefined
    ? undefined
    : refuse(
        `${wrong.slice(0, 80)} is not a path of the repository`,
        `Name each file by itself, there or new, from the root of the repository: ${option} src/a.c`,
      );
}

/** In one plan. All of them are on the board, in the journal and in prompts. */
const MOST_NAMED = 500;

export function tooMany(files: readonly string[], option: '--file' | '--also'): Refusal | undefined {
  const patterns = files.filter(isPattern).length;
  if (files.length > MOST_NAMED)
    return refuse(
      `${files.length} files are named, and one plan has at most ${MOST_NAMED}`,
      option === '--file'
        ? "Name the folders that they are in: --file 'src/'"
        : 'Declare those that the commit changes, and no others',
    );
  if (patterns <= MOST_PATTERNS) return undefined;
  return refuse(
    `${patterns} patterns are named, and one plan has at most ${MOST_PATTERNS}`,
    "Name the files themselves, or the folders that they are in: --file 'src/'",
  );
}

/** No declaration helps: what is OUT stays OUT, and the type itself forbids code. */
export function outsidePlan(
  { task, settings, commandLine }: Pick<Situation<'begin'>, 'task' | 'settings' | 'commandLine'>,
  named: readonly string[],
): Refusal | undefined {
  const files = named.map((file) => file.replace(/^(?:\.\/)+/, ''));
  const code = files.filter((file) => isCode(file) && !isTest(file, testPatterns(settings)));
  if (task.type === 'test' && code.length > 0) {
    return refuse(
      `a test task changes tests alone, and this is code: ${listed(code, 5)}`,
      `Test the code as it is; if it is wrong or cannot be tested as it is, say so: ${commandLine('block', task.id)}`,
    );
  }
  const outside = outOfScope(parseScope(task.scope ?? ''), files);
  return outside.length === 0
    ? undefined
    : refuse(
        `the task declares OUT: ${listed(outside, 5)}`,
        `Do without it; if that is impossible, only the planner can change the scope: ${commandLine('block', task.id)}`,
      );
}

/** Single files of a plan that IN does not cover: a plan may name them, and the reviewer asks why. */
export const beyondIn = (
  { task, settings }: Pick<Situation<'begin'>, 'task' | 'settings'>,
  named: readonly string[],
): readonly string[] => {
  const files = named.map((file) => file.trim().replace(/^(?:\.\/)+/, ''));
  const single = files.filter((file) => file !== '' && !isPattern(file) && !file.endsWith('/'));
  const patterns = testPatterns(settings);
  return beyondScope(
    parseScope(task.scope ?? ''),
    single.filter((file) => !comesWithTests(file, patterns)),
  );
};

/** What its coder hears at once, and not only when the work is done. */
export function beyondNote(s: Pick<Situation<'begin'>, 'task' | 'settings' | 'commandLine'>, named: readonly string[]) {
  const beyond = beyondIn(s, named);
  if (beyond.length === 0) return [];
  const also = beyond.slice(0, 5).map((path) => `--also ${shellWord(path)}`);
  const line = s.commandLine('declare', s.task.id).replace('--also <path>', also.join(' '));
  return [
    `Beyond the task’s IN: ${listed(beyond, 5)}. The reviewer is told and has no reason yet; give one: ${line}; or leave ${beyond.length === 1 ? 'it' : 'them'} as ${beyond.length === 1 ? 'it is' : 'they are'}.`,
  ];
}
