// Command lines read without running them: what is a command at all, and which ones cannot fail. Only the top level of
// a line is looked at, outside quotes; what is not understood counts as a real command.

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
const ALONE = set(
  'make pytest tox nox jest vitest mocha ava rspec rake phpunit ctest tsc eslint ruff mypy pyright tap',
);
const PROGRAMS: ReadonlySet<string> = new Set([
  ...ALONE,
  ...set('npm npx pnpm yarn bun bunx deno node python python3 pip uv poetry hatch go cargo gradle ./gradlew mvn'),
  ...set('cmake bash sh git grep rg curl docker ruby bundle php composer dotnet swift java javac biome prettier'),
  ...set('hyperfine time test diff cmp cat ls jq sed awk find wc black flake8 perl lua mix stack cabal zig just task'),
]);
const KEYWORDS = set(
  'const let var return throw new if else for while function class import export def async await type interface ' +
    'select insert update delete from where raise yield not and or in is',
);

/** Why it is green whatever the code does; undefined: it may fail. */
export function alwaysGreen(command: string): string | undefined {
  const line = command.trim();
  if (/\bset\s+-[a-z]*e|\bpipefail\b/.test(line)) return undefined;
  const steps = split(line);
  const last = steps.at(-1);
  if (last === undefined) return 'it runs nothing';
  if (last.joint === '&' && last.text === '') return 'it does not wait for what it starts';
  if (steps.every(({ text }) => isIdle(text))) return 'it succeeds whatever the code does';
  if (!isIdle(last.text)) {
    return last.joint === '|' && /^(?:cat|tail|head|tee|less|more)\b/.test(last.text)
      ? `its exit code is that of ${last.text.split(/\s/, 1)[0]}, which succeeds whatever comes before`
      : undefined;
  }
  if (last.joint === '||' || last.joint === ';')
    return `it ends with ${last.text}, so it succeeds whatever comes before`;
  return undefined;
}

interface Step {
  /** What joins it to the one before. */
  readonly joint: string;
  readonly text: string;
}

function split(line: string): readonly Step[] {
  const steps: Step[] = [];
  let joint = '';
  let text = '';
  for (const [part, quoted, sign] of line.matchAll(
    /("(?:[^"\\]|\\.)*"|'[^']*'|\\.|\$\([^)]*\)|\d*>&\d?|&>)|(\|\||&&|[;|&\n])|[\s\S]/g,
  )) {
    if (sign === undefined) {
      text += quoted ?? part;
      continue;
    }
    steps.push({ joint, text: text.trim() });
    joint = sign === '\n' ? ';' : sign;
    text = '';
  }
  const rest = text.replace(/(?:^|\s)#.*$/, '').trim();
  if (rest !== '' || joint === '&') steps.push({ joint, text: rest });
  return steps.filter(({ text: words, joint: by }) => words !== '' || by === '&');
}

const IDLE = /^(?:(?:\/(?:usr\/)?bin\/)?true|:|exit(?:\s+0)?|(?:echo|printf|sleep|pwd|date|whoami)(?:\s.*)?)$/s;
const IDLE_PROGRAM =
  /^(?:node|python3?|ruby|perl|sh|bash|deno|bun)\s+-(?:e|c)\s*(["']?)(?:|\s*|pass|0|1|true|:|exit\s*0?|echo[^"']*|process\.exit\(0?\);?|(?:sys\.)?exit\(0?\))\1$/;

/** It does nothing that could fail. */
const isIdle = (step: string): boolean =>
  IDLE.test(step) || IDLE_PROGRAM.test(step) || /^(?:test|\[)\s+(?:1|-n\s+\S+|true)\s*\]?$/.test(step);

/** For a line that is pasted; placeholders and plain words read better in double quotes. */
export const shellQuoted = (text: string): string =>
  /[`$"\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
