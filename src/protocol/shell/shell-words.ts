// What is a command line at all, as against prose, an expression or a file name; always-green.ts says which ones cannot
// fail. Words are judged, nothing is run.

/** A line that a shell could run, as against an expression or a file name in backticks. */
export function isCommand(code: string): boolean {
  const [first = '', ...rest] = code.split(/\s+/);
  if (/^\.{1,2}\/[\w./-]+$/.test(first) || PROGRAMS.has(first))
    return rest.length > 0 || ALONE.has(first) || first.startsWith('.');
  if (rest.length === 0 || KEYWORDS.has(first) || !/^[a-z][\w.-]*$/.test(first)) return false;
  return rest.every((word) => /^[\w@%+,./:=~"'-]+$/.test(word) && /\w/.test(word));
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Programs that mean something without an argument. */
export const ALONE: ReadonlySet<string> = set(
  'make pytest tox nox jest vitest mocha ava rspec rake phpunit ctest tsc eslint ruff mypy pyright tap',
);
/** Programs that are somebody else's: tools, runners, interpreters. */
export const PROGRAMS: ReadonlySet<string> = new Set([
  ...ALONE,
  ...set('npm npx pnpm yarn bun bunx deno node python python3 pip uv poetry hatch go cargo gradle ./gradlew mvn'),
  ...set('cmake bash sh git grep rg curl docker ruby bundle php composer dotnet swift java javac biome prettier'),
  ...set('hyperfine time test diff cmp cat ls jq sed awk find wc black flake8 perl lua mix stack cabal zig just task'),
]);
const KEYWORDS = set(
  'const let var return throw new if else for while function class import export def async await type interface ' +
    'select insert update delete from where raise yield not and or in is',
);

/** For a line that is pasted; placeholders and plain words read better in double quotes. */
export const shellQuoted = (text: string): string =>
  /[`$"\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
