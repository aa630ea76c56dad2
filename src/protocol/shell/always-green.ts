// Which command lines succeed whatever the code does: the exit code is followed through lists, pipes, conditions, loops
// and the line of a `sh -c`. A line that may end red, or that is not understood, counts as a real command.

import { readShellLine, type ShellLine, type Word } from './shell-line.ts';
import { PROGRAMS } from './shell-words.ts';

/** Why it is green whatever the code does; undefined: it may fail. */
export function alwaysGreen(command: string): string | undefined {
  const { may, why } = outcomeOf(command, { errexit: false, pipefail: false, last: GREEN, depth: 0 });
  return may === GREEN ? (why ?? WHATEVER) : undefined;
}

const WHATEVER = 'it always succeeds, whatever the code does';
const GREEN = 1;
const RED = 2;
const EITHER = 3;

/** Bits of GREEN and RED: how it may go on to the next command, and how it may end the shell. */
interface Outcome {
  readonly next: number;
  readonly exit: number;
  /** Why it is green, where it is. */
  readonly why?: string | undefined;
}

interface Shell {
  errexit: boolean;
  pipefail: boolean;
  /** What the last command may have left behind. */
  last: number;
  readonly depth: number;
}

const UNKNOWN: Outcome = { next: EITHER, exit: 0 };
const green = (why?: string): Outcome => ({ next: GREEN, exit: 0, why });
const red: Outcome = { next: RED, exit: 0 };

function outcomeOf(command: string, shell: Shell): { readonly may: number; readonly why?: string | undefined } {
  const line = shell.depth > 5 ? undefined : readShellLine(command);
  if (line === undefined) return { may: EITHER };
  if (line.kind === 'list' && line.steps.length === 0) return { may: GREEN, why: 'it runs nothing' };
  const { next, exit, why } = follow(line, shell);
  return { may: next | exit, why };
}

function follow(line: ShellLine, shell: Shell): Outcome {
  const outcome = step(line, shell);
  shell.last = outcome.next;
  return outcome;
}

function step(line: ShellLine, shell: Shell): Outcome {
  switch (line.kind) {
    case 'simple':
      return line.readsFile ? UNKNOWN : simple(line.words, shell);
    case 'not': {
      const { next, exit } = follow(line.of, shell);
      return { next: ((next & GREEN) << 1) | (next >> 1), exit };
    }
    case 'subshell': {
      const { next, exit, why } = follow(line.of, { ...shell });
      return { next: next | exit, exit: 0, why };
    }
    case 'and': {
      const left = follow(line.left, shell);
      if ((left.next & GREEN) === 0) return left;
      const right = follow(line.right, shell);
      return { next: (left.next & RED) | right.next, exit: left.exit | right.exit, why: right.why };
    }
    case 'or': {
      const left = follow(line.left, shell);
      if ((left.next & RED) === 0) return left;
      const right = follow(line.right, shell);
      return { next: (left.next & GREEN) | right.next, exit: left.exit | right.exit, why: endsWith(line.right) };
    }
    case 'pipe':
      return pipe(line.parts, shell);
    case 'list':
      return list(line.steps, shell);
    case 'if':
      return condition(line, shell);
    case 'loop':
      return loop(line, shell);
    default:
      return line satisfies never;
  }
}

const endsWith = (line: ShellLine): string =>
  line.kind === 'simple'
    ? `it ends with ${textOf(line.words)}, so it succeeds whatever comes before`
    : 'its last command succeeds whatever comes before';

const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

function list(steps: (ShellLine & { kind: 'list' })['steps'], shell: Shell): Outcome {
  let exit = 0;
  let last: Outcome = green();
  let before = GREEN;
  for (const { of, background } of steps) {
    before |= last.next;
    last = background ? green('it does not wait for what it starts') : follow(of, shell);
    exit |= last.exit;
    if (shell.errexit && (last.next & RED) !== 0) {
      exit |= RED;
      last = { ...last, next: last.next & GREEN };
    }
    if (last.next === 0) break;
  }
  const end = steps.at(-1);
  const isMasked = (before & RED) !== 0 && end?.background === false;
  return { next: last.next, exit, why: isMasked ? endsWith(end.of) : last.why };
}

/** They pass on what they read, and are green. */
const PASSES_ON = new Set('cat tail head tee less more sort uniq wc cut tr nl column'.split(' '));

function pipe(parts: readonly ShellLine[], shell: Shell): Outcome {
  const outcomes = parts.map((part) => follow({ kind: 'subshell', of: part }, shell));
  const last = parts.at(-1);
  const name = last?.kind === 'simple' ? (last.words[0]?.text ?? '') : '';
  const end = PASSES_ON.has(name)
    ? green(`its exit code is that of ${name}, which succeeds whatever comes before`)
    : (outcomes.at(-1) ?? UNKNOWN);
  const before = shell.pipefail ? outcomes.reduce((so, { next }) => so | (next & RED), 0) : 0;
  return { next: end.next | before, exit: 0, why: end.why };
}

function condition({ arms, otherwise }: ShellLine & { kind: 'if' }, shell: Shell): Outcome {
  const { errexit } = shell;
  let exit = 0;
  let next = 0;
  let open = true;
  for (const { when, then } of arms) {
    shell.errexit = false;
    const asked = follow(when, shell);
    shell.errexit = errexit;
    exit |= asked.exit;
    if ((asked.next & GREEN) !== 0) {
      const taken = follow(then, shell);
      next |= taken.next;
      exit |= taken.exit;
    }
    open = (asked.next & RED) !== 0;
    if (!open) break;
  }
  const other = !open ? undefined : otherwise === undefined ? green() : follow(otherwise, shell);
  const why =
    otherwise === undefined
      ? 'an `if` without `else` succeeds when its condition fails; run the condition itself'
      : 'every branch of its `if` succeeds';
  return { next: next | (other?.next ?? 0), exit: exit | (other?.exit ?? 0), why };
}

/** It is green when it never runs, and else as its last round is. The second round meets what the first has set. */
function loop({ when, body }: ShellLine & { kind: 'loop' }, shell: Shell): Outcome {
  const { errexit } = shell;
  if (when !== undefined) shell.errexit = false;
  const asked = when === undefined ? green() : follow(when, shell);
  shell.errexit = errexit;
  if ((asked.next & GREEN) === 0) return { ...green('its loop never runs'), exit: asked.exit };
  const { pipefail } = shell;
  const first = follow(body, shell);
  const isSame = shell.errexit === errexit && shell.pipefail === pipefail;
  const rounds = isSame ? [first] : [first, follow(body, shell)];
  const may = (of: (outcome: Outcome) => number): number => rounds.reduce((so, outcome) => so | of(outcome), 0);
  return {
    // A loop that waits for something may never end, and that is red.
    next: when === undefined ? GREEN | may(({ next }) => next) : EITHER,
    exit: asked.exit | may(({ exit }) => exit),
    why: 'whatever its loop runs succeeds',
  };
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
const IDLE = set('true : echo printf sleep pwd date whoami uname hostname id export unset');
const SHELLS = set('sh bash dash zsh ksh');
/** They run the command that follows them. */
const WRAPPERS = set('env time nice nohup command builtin exec timeout');

function simple(all: readonly Word[], shell: Shell): Outcome {
  const words = unwrapped(all);
  const [first, ...rest] = words;
  if (first === undefined) return all.some(({ runs }) => runs) ? UNKNOWN : green();
  if (first.varies) return UNKNOWN;
  const name = first.text.replace(/^\/(?:usr\/)?bin\//, '');
  if (IDLE.has(name)) return green();
  if (name === 'false') return red;
  if (name === 'exit') return ended(rest, shell);
  if (name === 'set') return setModes(rest, shell);
  if (name === 'eval') return evaluated(rest, shell);
  if (name === 'wait' && rest.length === 0) return green('`wait` alone hides the exit codes of what it waits for');
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name) && rest.some(({ text }) => text === '--if-present'))
    return green('with --if-present it succeeds if there is no such script; leave that option out');
  if (name === 'test' || name === '[' || name === '[[') {
    const next = compared(/^\]{1,2}$/.test(rest.at(-1)?.text ?? '') ? rest.slice(0, -1) : rest);
    return { next, exit: 0, why: 'it compares values that never change' };
  }
  if (SHELLS.has(name)) return shellCode(rest, shell) ?? UNKNOWN;
  return isAboutProgram(name, rest)
    ? green(`it asks ${name} about itself, not about the code`)
    : isIdleCode(name, rest)
      ? green()
      : UNKNOWN;
}

/** Without assignments, and without programs that only run another. */
function unwrapped(words: readonly Word[]): readonly Word[] {
  let at = 0;
  let isWrapped = false;
  for (; at < words.length; at += 1) {
    const word = words[at]?.text ?? '';
    if (/^\w+=/.test(word)) continue;
    if (isWrapped && (/^-[a-z]$/i.test(word) || /^\d+[smh]?$/.test(word))) continue;
    if (!WRAPPERS.has(word.replace(/^\/usr\/bin\//, '')) || at === words.length - 1) break;
    // `command -v` looks for a program.
    if (word === 'command' && words[at + 1]?.text.startsWith('-') === true) break;
    isWrapped = true;
  }
  return words.slice(at);
}

function ended(rest: readonly Word[], { last }: Shell): Outcome {
  const code = rest[0];
  const exit = code === undefined ? last : code.varies ? EITHER : /^0+$/.test(code.text) ? GREEN : RED;
  return { next: 0, exit };
}

/** It runs in the same shell. */
function evaluated(rest: readonly Word[], shell: Shell): Outcome {
  const line = rest.some(({ varies }) => varies) || shell.depth > 5 ? undefined : readShellLine(textOf(rest));
  if (line === undefined) return UNKNOWN;
  const inner: Shell = { ...shell, depth: shell.depth + 1 };
  const outcome = follow(line, inner);
  shell.errexit = inner.errexit;
  shell.pipefail = inner.pipefail;
  return outcome;
}

function setModes(rest: readonly Word[], shell: Shell): Outcome {
  const said = rest.map(({ text }) => text);
  if (said.some((text) => /^-[a-z]*e/.test(text)) || said.includes('errexit')) shell.errexit = true;
  if (said.includes('pipefail')) shell.pipefail = true;
  return green();
}

function shellCode(rest: readonly Word[], shell: Shell): Outcome | undefined {
  const at = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  const code = rest[at + 1];
  if (at === -1 || code === undefined) return undefined;
  const modes = { errexit: false, pipefail: false, last: GREEN, depth: shell.depth + 1 };
  setModes(rest.slice(0, at + 1), modes);
  const { may, why } = outcomeOf(code.text, modes);
  return { next: may, exit: 0, why };
}

/** `--version`, `--help` and nothing else, of a program that is not the project's. */
function isAboutProgram(name: string, rest: readonly Word[]): boolean {
  if (!PROGRAMS.has(name) || rest.length === 0) return false;
  const asks = /^(?:node|npm|pnpm|yarn|bun)$/.test(name)
    ? /^(?:--version|--help|-[vVh]|version|help)$/
    : /^(?:go|cargo|git|docker|uv|dotnet)$/.test(name)
      ? /^(?:--version|--help|-V|version|help)$/
      : /^(?:--version|--help|-V)$/;
  return rest.every(({ text }) => asks.test(text));
}

/** What an interpreter is given to run has only words that can neither fail nor look at the project. */
function isIdleCode(name: string, rest: readonly Word[]): boolean {
  if (!/^(?:node|deno|bun|python[\d.]*|ruby|perl|php|lua)$/.test(name)) return false;
  const at = rest.findIndex(({ text }) => /^(?:-e|-c|-p|-pe|-r|--eval|--print|eval)$/.test(text));
  const code = rest[at + 1];
  if (at === -1 || code === undefined || code.runs) return false;
  const bare = code.text
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, ' ')
    .replace(/\bassert(?:\.ok)?[ (]{1,3}(?:True|true|1)\)?(?=\s*(?:[;,\n]|$))/g, ' ');
  const words = bare.match(/[A-Za-z_$]\w*/g) ?? [];
  const isQuiet = words.every((word) =>
    /^(?:console|log|print|puts|echo|process|exit|sys|import|pass|true|True|None|null)$/.test(word),
  );
  return isQuiet && !/exit\W*[1-9]|[\\`]/.test(bare);
}

/** What `test` says of words that never change. */
function compared(given: readonly Word[]): number {
  const isNot = given[0]?.text === '!' && given.length > 1;
  const args = isNot ? given.slice(1) : given;
  const is = constant(args);
  if (is === undefined) return EITHER;
  return is !== isNot ? GREEN : RED;
}

function constant(args: readonly Word[]): boolean | undefined {
  const [a, b, c] = args;
  if (args.some(({ runs }) => runs)) return undefined;
  const isSame = a !== undefined && c !== undefined && a.text === c.text;
  if (args.some(({ varies }) => varies) && !isSame) return undefined;
  if (args.length < 2) return a !== undefined && a.text !== '';
  if (args.length === 2) return a?.text === '-n' ? b?.text !== '' : a?.text === '-z' ? b?.text === '' : undefined;
  if (args.length > 3 || a === undefined || c === undefined) return undefined;
  const [x, y] = [Number(a.text), Number(c.text)];
  switch (b?.text) {
    case '=':
    case '==':
      return a.text === c.text;
    case '!=':
      return a.text !== c.text;
    case '-eq':
      return isSame || x === y;
    case '-ne':
      return !isSame && x !== y;
    case '-lt':
      return x < y;
    case '-le':
      return isSame || x <= y;
    case '-gt':
      return x > y;
    case '-ge':
      return isSame || x >= y;
    default:
      return undefined;
  }
}
