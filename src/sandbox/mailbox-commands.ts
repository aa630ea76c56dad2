// Which commands an agent in the sandbox may have run for it outside. Not: those that start programs or read files
// that their arguments name, for both would happen outside, with all that the user may do.

import { FOR_A_PERSON, type Refusal, refuse } from '../protocol/decision.ts';

const ALLOWED: ReadonlySet<string> = new Set([
  ...['status', 'show', 'log', 'log verify', 'validate', 'blame', 'attempts', 'audit', 'config get', 'lock read'],
  ...[
    'add-task',
    'amend',
    'finalize',
    'plan done',
    'unblock',
    'supersede',
    'abandon',
    'align',
    'goal complete',
    'goals',
    'question list',
  ],
  ...['discovery list', 'discovery convert', 'discovery dismiss', 'discovery reopen', 'wt delete'],
  ...[
    'ask',
    'answer',
    'begin',
    'block',
    'discover',
    'anomaly',
    'anomaly list',
    'anomaly processed',
    'note list',
    'note done',
    'handoff',
  ],
  ...['heartbeat', 'exit'],
  ...['submit-for-review', 'retract', 'submit-verdict'],
  // Starts a program, but in a sandbox of its own that shows less than the one it was asked from.
  'try',
  // Refused to agents by the board itself, which then remembers who tried.
  ...[
    'pause',
    'resume',
    'abort',
    'note',
    'replan',
    'config set',
    'claim-task',
    'claim-review',
    'wt create',
    'wt merge',
  ],
  ...[
    'release-claim',
    'register',
    'clear-stale-review-claims',
    'undo',
    'sprint start',
    'sprint deadline',
    'archive',
    'goal edit',
  ],
]);

/** Worth nothing without somebody who waits for it: it ends with its client and with its session. */
export const endsWithAsker = ([name]: readonly string[]): boolean => name === 'try';

/** Run in the supervisor's own process, which has the board: short ones. All others read much, and would hold it up. */
const SERVED: ReadonlySet<string> = new Set([
  ...['begin', 'block', 'ask', 'answer', 'discover', 'anomaly', 'handoff', 'heartbeat', 'exit'],
  ...['submit-for-review', 'retract', 'submit-verdict', 'show', 'status'],
  ...['add-task', 'amend', 'finalize', 'unblock', 'supersede', 'abandon', 'align'],
]);

/** Whatever is typed differently is run by itself. */
export const isServed = ([name = '']: readonly string[]): boolean => SERVED.has(name);

/** Options whose value may name a file, which might be a pipe that nobody writes into. */
const FILES = /^--(?:json-file|define)(?:=(.*))?$/s;

/** Outside the sandbox, besides: what works on files of the agent's choice is run by itself. */
export const isServedOutside = (argv: readonly string[]): boolean =>
  isServed(argv) &&
  !argv.some((word, at) => {
    const [isFile, value = argv[at + 1] ?? ''] = FILES.exec(word) ?? [];
    return word === '--set-aside' || (isFile !== undefined && value !== '-' && !/^\s*[{[]/.test(value));
  });

const INSTEAD: Readonly<Record<string, string>> = {
  'lock modify': 'use the command that does it: liza help lists them',
  'lock write': 'use the command that does it: liza help lists them',
};

export const isBrokered = (env: Readonly<Record<string, string | undefined>>): boolean => env.LIZA_BROKERED === '1';

export function refuseBrokered(name: string): Refusal | undefined {
  if (ALLOWED.has(name)) return undefined;
  return refuse(`liza ${name} cannot be used from inside the sandbox`, INSTEAD[name] ?? FOR_A_PERSON, 1, 'sandbox');
}

/** What only looks is refused without a record. */
export const onlyLooks = (name: string, rest: readonly string[]): boolean =>
  ['report', 'help', 'version', 'completion', 'rehearse', 'mcp'].includes(name) ||
  (name === 'doctor' && rest.every((word) => word === '--json'));

/** What was named would be read outside, with the user's rights. */
export const refuseFile = (name: string): Refusal =>
  refuse(`liza cannot read files from inside the sandbox: ${name}`, 'give its text on stdin: … - < file', 1, 'sandbox');
