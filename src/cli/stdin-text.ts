// `-` in the place of a text is read from stdin, for every verb alike: a long or multi-line text does not fit a shell
// word. There is one stdin, so that a second `-` is refused. What is no text (`lock write`) is left as it is.

import { Bug, type Refusal, refuse } from '../protocol/decision.ts';
import type { Io } from './io.ts';
import type { Args, LoadedVerb } from './verb.ts';

/** Placeholders of options whose value is a text; `key=value` takes it behind the `=`. */
const TEXTS: ReadonlySet<string | undefined> = new Set(['text', 'why', 'command', 'key=value']);
/** Options that read `-` by themselves: JSON. */
const OWN_READERS: ReadonlySet<string | undefined> = new Set(['json', 'file']);

export async function withStdin(verb: LoadedVerb, args: Args, io: Io): Promise<Args | Refusal> {
  if (verb.passthrough) return args;
  const texts = Object.entries(verb.options).filter(([, { value }]) => TEXTS.has(value));
  const words = verb.positionals.filter(({ text }) => text === true);
  const asked = [
    ...Object.entries(verb.options)
      .filter(([, { value }]) => TEXTS.has(value) || OWN_READERS.has(value))
      .flatMap(([name]) =>
        args
          .all(name)
          .filter(isDash)
          .map(() => `--${name}`),
      ),
    ...words.filter(({ name }) => isAlone(args.all(name))).map(({ name }) => `<${name}>`),
  ];
  if (asked.length > 1) {
    return refuse(
      `liza ${verb.name} should read stdin for ${asked.join(' and ')}, and there is one stdin`,
      'Give - once, and write the other text on the command line',
      1,
      'usage',
    );
  }
  const names = new Set([...texts.map(([name]) => name), ...words.map(({ name }) => name)]);
  if (![...names].some((name) => args.all(name).some(isDash))) return args;
  const text = (await io.readStdin()).trimEnd();
  if (text.trim() === '') {
    return refuse(
      `stdin, which liza ${verb.name} should read for ${asked[0]}, is empty`,
      `Send the text: liza ${verb.name} … - <<'END'`,
      1,
      'usage',
    );
  }
  if (text.includes('\0')) {
    return refuse(
      `stdin, which liza ${verb.name} should read for ${asked[0]}, has a NUL character in it: that is no text`,
      'Send the text without it: tr -d "\\000"',
      1,
      'usage',
    );
  }
  return filled(verb, args, { names, text });
}

const isDash = (value: string): boolean => value === '-' || /^[a-z][a-z0-9_]*=-$/.test(value);
const isAlone = (values: readonly string[]): boolean => values.length === 1 && values[0] === '-';

function filled(
  verb: LoadedVerb,
  args: Args,
  { names, text }: { readonly names: ReadonlySet<string>; readonly text: string },
): Args {
  const all = (name: string): readonly string[] =>
    names.has(name)
      ? args.all(name).map((value) => (isDash(value) ? value.slice(0, -1) + text : value))
      : args.all(name);
  return {
    ...args,
    all,
    text: (name) => all(name)[0],
    must: (name) => {
      const value = all(name)[0];
      if (value === undefined) throw new Bug(`liza ${verb.name} ran without its "${name}"`);
      return value;
    },
  };
}
