// What the project's configuration may say about a provider (`config.providers` on the blackboard). Read
// strictly: a misspelt key would silently start something else than the user asked for.

import { type Refusal, refuse } from '../protocol/decision.ts';
import { object } from './json-lines.ts';

export interface ProviderSettings {
  readonly name: string;
  readonly kind: string;
  /** Another path or name of the program. */
  readonly program?: string;
  readonly model?: string;
  /** Added to the arguments, before the prompt. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Only `command` and `acp`: the whole command line. */
  readonly argv?: readonly [string, ...string[]];
  /** Only `command` and `acp`: whether a former process's session can be brought back. */
  readonly resumes: boolean;
  /** Tokens of the model's window, for a CLI that works with any model or tells nothing of its context. */
  readonly contextWindow?: number;
}

const HINT = 'Correct it: liza config set providers …, or liza edit; docs/configuration.md lists the keys';
const TEXT_KEYS = ['kind', 'program', 'model'] as const;
const KEYS = ['kind', 'program', 'model', 'args', 'env', 'argv', 'resumes', 'context_window'];

/** Kinds that do not tell the window of their model. */
const WINDOWLESS = ['opencode', 'gemini', 'acp', 'command'];

export const plain = (name: string, kind: string = name): ProviderSettings => ({
  name,
  kind,
  args: [],
  env: {},
  resumes: false,
});

export function settingsOf(name: string, value: unknown, kinds: readonly string[]): ProviderSettings | Refusal {
  const wrong = (what: string): Refusal => refuse(`config.providers.${name}${what}`, HINT);
  const entry = object(value);
  if (entry === undefined) return wrong(' must be a map, for example { model: … }');
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return wrong(`.${unknown} is unknown; known keys: ${KEYS.join(', ')}`);
  for (const key of TEXT_KEYS)
    if (entry[key] !== undefined && (typeof entry[key] !== 'string' || entry[key] === ''))
      return wrong(`.${key} must be text`);
  const kind = entry['kind'] ?? (kinds.includes(name) ? name : undefined);
  if (kind === undefined) return wrong(` needs a kind: ${kinds.join(', ')}`);
  if (!kinds.includes(kind as string)) return wrong(`.kind is ${kind}, must be one of ${kinds.join(', ')}`);
  for (const key of ['args', 'argv'] as const)
    if (entry[key] !== undefined && !isTexts(entry[key])) return wrong(`.${key} must be a list of texts`);
  if (entry['env'] !== undefined && !isTexts(Object.values(object(entry['env']) ?? { wrong: 0 })))
    return wrong('.env must be a map of texts');
  if (entry['resumes'] !== undefined && typeof entry['resumes'] !== 'boolean')
    return wrong('.resumes must be true or false');
  const window = entry['context_window'];
  if (window !== undefined && !WINDOWLESS.includes(kind as string))
    return wrong(`.context_window is only for kind ${WINDOWLESS.join(', ')}`);
  if (window !== undefined && !(Number.isSafeInteger(window) && Number(window) >= 1000))
    return wrong('.context_window must be a number of tokens');
  const argv = entry['argv'] as readonly string[] | undefined;
  const isTemplate = kind === 'command' || kind === 'acp';
  if (isTemplate && (argv === undefined || argv[0] === undefined || argv[0] === ''))
    return wrong('.argv is missing: the program and its arguments, for example ["my-agent", "{prompt_file}"]');
  if (!isTemplate && argv !== undefined) return wrong(`.argv is only for kind command and acp; use program and args`);
  return {
    name,
    kind: kind as string,
    args: (entry['args'] as readonly string[] | undefined) ?? [],
    env: (entry['env'] as Readonly<Record<string, string>> | undefined) ?? {},
    resumes: entry['resumes'] === true,
    ...(entry['program'] === undefined ? {} : { program: entry['program'] as string }),
    ...(entry['model'] === undefined ? {} : { model: entry['model'] as string }),
    ...(window === undefined ? {} : { contextWindow: Number(window) }),
    ...(argv === undefined ? {} : { argv: argv as readonly [string, ...string[]] }),
  };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
