// Every step a scene may have: what it takes, and one line about it. The checker, its messages and a test of
// docs/rehearsal.md read this table. Values: `text` (a string, or a list of lines), `words` (an argv),
// `number`, `true`, a list of allowed words, or a group of named fields. A `?` marks what may be left out.

export type Kind = 'text' | 'texts' | 'words' | 'number' | 'true' | 'texts?' | 'text?' | 'number?' | Choice | Group;
export interface Choice {
  readonly oneOf: readonly (string | number)[];
  readonly optional?: true;
}
export interface Group {
  readonly fields: Readonly<Record<string, Kind>>;
  /** A list of such groups. */
  readonly list?: true;
}

export interface StepShape {
  readonly value: Kind;
  readonly also?: Readonly<Record<string, Kind>>;
  readonly about: string;
}

const EXPECT: Readonly<Record<string, Kind>> = {
  expect: { oneOf: ['refused'], optional: true },
  because: 'text?',
};

export const STEPS: Readonly<Record<string, StepShape>> = {
  say: { value: 'text', about: 'shows what the agent does now' },
  think: { value: 'text', also: { seconds: 'number' }, about: 'says it and waits' },
  wait: { value: 'number', about: 'waits this many seconds, times the pace' },
  until: {
    value: 'text',
    also: { is: 'texts', seconds: 'number' },
    about: 'waits until another task is in one of these states, at most this long',
  },
  write: { value: 'text', also: { text: 'text' }, about: 'writes a file' },
  copy: { value: 'text', about: 'copies the files of a folder beside the script into the working folder' },
  append: { value: 'text', also: { text: 'text' }, about: 'adds to the end of a file' },
  replace: { value: 'text', also: { find: 'text', by: 'text' }, about: 'replaces a text that a file has once' },
  remove: { value: 'text', about: 'removes a file' },
  run: {
    value: 'words',
    also: { expect: 'number?', prints: 'text?', seconds: 'number?' },
    about: 'runs a program; its exit status must be the expected one (0)',
  },
  commit: { value: 'text', about: 'commits everything; {commit} is its id from now on' },
  add: {
    value: {
      fields: {
        id: 'text',
        desc: 'text',
        spec: 'text',
        done: 'text',
        scope: 'text',
        type: 'text?',
        priority: 'number?',
        depends: 'texts?',
        validate: 'texts?',
      },
    },
    also: EXPECT,
    about: 'liza add-task … --ready',
  },
  begin: {
    value: { fields: { intent: 'text', risks: 'text', validation: 'text', files: 'texts', assume: 'texts?' } },
    also: EXPECT,
    about: 'liza begin',
  },
  submit: { value: 'text', also: EXPECT, about: 'liza submit-for-review with this commit: HEAD, {commit}' },
  block: {
    value: { fields: { reason: 'text', questions: 'texts', attempted: 'texts?' } },
    also: EXPECT,
    about: 'liza block',
  },
  handoff: { value: { fields: { summary: 'text', next: 'text' } }, also: EXPECT, about: 'liza handoff' },
  approve: { value: 'text', also: EXPECT, about: 'liza submit-verdict APPROVED' },
  reject: {
    value: {
      fields: {
        blockers: { list: true, fields: { at: 'text', what: 'text', why: 'text', suggestion: 'text' } },
        concerns: 'texts?',
        prior: 'texts?',
        overall: 'text',
      },
    },
    also: EXPECT,
    about: 'liza submit-verdict REJECTED, in the form a rejection must have',
  },
  liza: { value: 'words', also: { ...EXPECT, input: 'text?' }, about: 'any command' },
  usage: {
    value: { fields: { input: 'number', output: 'number' } },
    about: 'adds this many tokens: scripted, so that the board has some to show',
  },
  context: { value: 'number', about: 'this many percent of the context are used' },
  fail: {
    value: { oneOf: ['quota', 'login', 'network', 'model', 'other'] },
    also: { text: 'text', seconds: 'number?' },
    about: 'says why the provider is not available and ends with status 1; seconds: until it is available again',
  },
  exit: { value: 'number', also: { reason: 'text?' }, about: 'liza exit, and the session ends' },
  quit: { value: 'number', about: 'ends with this status and declares nothing' },
  die: { value: 'true', about: 'kill -9 to itself' },
  hang: { value: 'true', about: 'runs forever and prints nothing' },
};

/** The key that says what a step does. */
export const verbOf = (step: Readonly<Record<string, unknown>>): string | undefined =>
  Object.keys(step).find((key) => Object.hasOwn(STEPS, key));
