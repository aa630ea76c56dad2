// Steps that are liza commands, as argv: what an agent would type. Pure.

import type { Step } from './script.ts';

export interface TypedCommand {
  readonly argv: readonly string[];
  readonly input?: string;
}

type Fields = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Undefined: the step is no liza command. */
export function typed(step: Step, verb: string, task: string): TypedCommand | undefined {
  const value = step[verb];
  switch (verb) {
    case 'liza':
      return {
        argv: value as readonly string[],
        ...(step.input === undefined ? {} : { input: textOf(step.input) }),
      };
    case 'add':
      return { argv: ['add-task', ...flags(value as Fields), '--ready'] };
    case 'begin': {
      const { files, ...rest } = value as Fields;
      return { argv: ['begin', task, ...flags({ ...rest, file: files })] };
    }
    case 'submit':
      return { argv: ['submit-for-review', task, textOf(value)] };
    case 'block': {
      const { questions, ...rest } = value as Fields;
      return { argv: ['block', task, ...flags({ ...rest, question: questions })] };
    }
    case 'handoff':
      return { argv: ['handoff', task, ...flags(value as Fields)] };
    case 'approve':
      return { argv: ['submit-verdict', task, 'APPROVED', '-'], input: textOf(value) };
    case 'reject':
      return { argv: ['submit-verdict', task, 'REJECTED', '-'], input: rejection(value as Rejected) };
    default:
      return undefined;
  }
}

/** A list repeats its flag. After `=` a value may begin with a dash. */
function flags(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const many = Array.isArray(value) && REPEATED.has(name) ? (value as readonly string[]) : [textOf(value)];
    return many.map((one) => `--${name}=${one}`);
  });
}

const REPEATED = new Set(['depends', 'validate', 'file', 'assume', 'question', 'attempted']);

interface Rejected {
  readonly blockers: readonly {
    readonly at: unknown;
    readonly what: unknown;
    readonly why: unknown;
    readonly suggestion: unknown;
  }[];
  readonly concerns?: readonly string[];
  readonly prior?: readonly string[];
  readonly overall: unknown;
}

/** The form of a rejection that submit-verdict asks for. */
export function rejection({ blockers, concerns = [], prior = [], overall }: Rejected): string {
  return [
    `Blockers: ${blockers.length}`,
    ...blockers.flatMap(({ at, what, why, suggestion }) => [
      `- [blocker] ${textOf(at)} — ${textOf(what)}`,
      `  Why it matters: ${textOf(why)}`,
      `  Suggestion: ${textOf(suggestion)}`,
    ]),
    `Concerns: ${concerns.length}`,
    ...concerns.map((concern) => `- ${concern}`),
    ...(prior.length === 0 ? [] : ['Prior Feedback Status:', ...prior.map((one) => `- ${one}`)]),
    `Overall: ${textOf(overall)}`,
  ].join('\n');
}

/** A list of lines is one text. */
export const textOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : String(value));

const WORD = /\{(task|commit|agent|worktree|iteration|round)\}/g;

/** Fills {task}, {commit}, {agent}, {worktree}, {iteration} and {round} in; other braces are left alone. */
export function filled<T>(value: T, words: Readonly<Record<string, string>>): T {
  if (typeof value === 'string') return value.replace(WORD, (all, name: string) => words[name] ?? all) as T;
  if (Array.isArray(value)) return value.map((one) => filled(one, words)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, words)])) as T;
}
