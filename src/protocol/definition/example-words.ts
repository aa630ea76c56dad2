// The words that stand in the examples of prompts and hints where an agent's own belong. Prompts and hints take them from
// here, and a command that still has them is refused: they tell nobody anything, whoever copied them.

export const EXAMPLE = {
  intent: 'what you will do',
  assume: 'what you assume',
  risks: 'what could go wrong',
  result: 'expected result',
  printed: 'what it should print or exit with',
  found: 'what a reader should find',
  command: 'the command',
  file: 'path/of/file',
  test: 'path/of/its/test',
  also: 'path/of/one/more/file',
  why: 'why the task needs it',
  retracted: 'what is wrong with the submission',
  blocked: 'what exactly blocks it',
  question: 'which answer would unblock it?',
  attempted: 'what you tried',
  state: 'the state of the work',
  next: 'what to do first',
  approach: 'how it is built',
  remains: 'what remains',
  asked: 'what you need to know',
  problem: 'a problem outside this task',
  advice: 'what you would do',
  failing: 'what kept failing',
  read: 'what is read so far',
  toRead: 'what to read next',
  finding: 'file:line — what is wrong',
  build: 'what to build',
  change: 'what to change',
  done: 'one input and its output',
  ran: 'a command: its result',
  scope: 'IN: path/of/part. OUT: the rest',
  criterion: 'one more criterion',
  answer: 'the answer',
  missing: 'what was missing',
  cause: 'why it could not work',
  abandoned: 'why not',
  unmended: 'why not fix it',
  undecided: 'what has to be decided?',
  dismissed: 'why it needs no task',
  reopened: 'why again',
  serves: 'how it serves the goal',
  event: 'what caused it',
  open: 'what the specs leave open',
  planned: 'what you plan with',
  says: 'what the spec says',
  judgement: 'your judgement',
  became: 'what became of it',
  plan: 'the state of the plan',
  reached: 'what was reached',
} as const;

/** What syntax and hints have where words belong. */
const OPEN = /^\s*["'\u201c]?(?:\u2026|\.{3}|<[a-z][\w -]{0,40}>|(?:TODO|TBD|FIXME|XXX)[.:]?)["'\u201d]?\s*$/;
/** It stands for stdin. */
const DASH = /^\s*["'\u201c]?-["'\u201d]?\s*$/;

export const isOpen = (text: string): boolean => OPEN.test(text);
export const isDash = (text: string): boolean => DASH.test(text);

const plain = (text: string): string =>
  text
    .trim()
    .replace(/^["'\u201c]|["'\u201d]$/g, '')
    .replace(/[.!]$/, '')
    .toLowerCase();

const ALL: ReadonlySet<string> = new Set(Object.values(EXAMPLE).map(plain));

/** Exactly an example's words, as they stand there. */
export const isExample = (text: string): boolean => ALL.has(plain(text));

const RESULTS = new RegExp(
  String.raw`(:\s*)(?:${[EXAMPLE.result, EXAMPLE.printed, EXAMPLE.found].join('|')})(?=[.;]?\s*$)`,
  'gim',
);

/** Nobody's own words. */
export const isNobodys = (text: string): boolean => isOpen(text) || isDash(text) || isExample(text);

/** With the result left open where an example's words stand for it. */
export const withoutExamples = (text: string): string => text.replace(RESULTS, '$1\u2026');
