// What proves a submitted commit: the commands that Liza itself runs at it, and what it found out about the
// tests that came with it. Recorded per commit; the coder's own word is no part of it.

import type { PathList } from '../facts/diff-facts.ts';
import { historyOf, iterationEvents } from '../leases.ts';
import type { DisproofName } from '../refusal-names.ts';
import type { HistoryEvent, Settings, State, Task } from '../state.ts';
import { defined, isFields, same } from '../values.ts';
import { leftOut } from './skip-count.ts';
import { trialsOf, triedGreen } from './trial.ts';

/** One command, run at the submitted commit in a clean checkout. */
export interface ProofRun {
  readonly command: string;
  readonly ok: boolean;
  /** `ended with 1`, `did not end within 600 s`. */
  readonly how: string;
  readonly seconds: number;
  /** From the project's root. */
  readonly log: string;
  /** What the runner said of tests that it did not run. */
  readonly skipped?: string;
  /** What a runner said of failed tests before another one was green. */
  readonly said_failed?: string;
  /** How many tests the runner said that it left out on the base; 0: it said so of none there. */
  readonly skips_on_base?: number;
  /** How many tests the runner said that it ran, here and on the base. */
  readonly tests?: number;
  readonly tests_on_base?: number;
  /** It ran first, in the checkout as set-up left it: nothing that another command made was there. */
  readonly first?: true;
  /** Tracked files that it changed, which were laid out again before the next command. */
  readonly changed?: PathList;
  /** Those that were written or exchanged while it ran, and are as before again. */
  readonly rewritten?: PathList;
  /** The script of package.json that it comes to, which is green whatever the code does. */
  readonly idle_script?: string;
}

/**
 * Whether the tests of a commit test anything. `red` on the base: they fail without the change, where the base
 * alone is green. `not_run`: no command runs them. `same`: the commit leaves the base's tests as they are, so that its own run was theirs too.
 */
export interface TestProof {
  readonly mode: 'strict' | 'evidence';
  readonly base: string;
  /** `partly`: some commands are red there, or name a test that is new; what follows rests on the others, or on what differs. */
  readonly base_alone: 'green' | 'partly' | 'red' | 'unknown';
  /** The commands that were green there all the same. */
  readonly base_green?: readonly string[];
  readonly on_base: 'red' | 'green' | 'unknown' | 'not_run';
  readonly base_tests: 'green' | 'red' | 'unknown' | 'same' | 'not_run';
  /** The command that was red with the new tests on the base, and the tests that it named as failed. */
  readonly by?: string;
  readonly failed?: readonly string[];
  /** New tests that it named as passed there all the same. */
  readonly passed?: readonly string[];
  /** New tests of which it does not say how they ended there, or not which of several of one name. */
  readonly untold?: readonly string[];
  /** Tests of the base that failed on the new code, as far as the runner names them. */
  readonly base_failed?: readonly string[];
  /** How many tests of the base the runner left out on the new code, where they are green. */
  readonly base_skipped?: number;
  /** What they need and the base does not have: they stop at it, and none of them came to what it checks. */
  readonly missing?: string;
  /** The commit adds no test, it only changes or removes some. */
  readonly none_new?: true;
  /** Commands that were red and green on the same files: what they show is chance, so nothing rests on them. */
  readonly flaky?: readonly string[];
  /** Documents that the commit changes and its tests name: though they are green on the base, they may be about the change. */
  readonly reads?: readonly string[];
  /** So many more than each list names; the logs have them. */
  readonly failed_more?: number;
  readonly passed_more?: number;
  readonly untold_more?: number;
  readonly base_failed_more?: number;
  /** Why something is not known, or what failed where it should not: for each of the two facts. */
  readonly because?: { readonly on_base?: string; readonly base_tests?: string };
  /** The same in one text. */
  readonly why?: string;
  readonly logs?: readonly string[];
}

/** Why a commit is refused. */
export interface Disproof {
  readonly guard: DisproofName;
  readonly reason: string;
  readonly hint: string;
  /** The end of what was printed. */
  readonly output?: string;
  /** Seconds after which the run was ended: with more time the result may differ. */
  readonly limit?: number;
  /** The command does not end on the base either, so no change by the coder helps. */
  readonly hangs_on_base?: true;
  /** It was run once more at once, on the same files: green then, it is a flake. */
  readonly again?: 'green' | 'red';
  /** The shell found no such command, or could not run it (126, 127): it may be misspelt, or missing on this machine. */
  readonly cannot_run?: true;
}

export interface Proof {
  readonly commit: string;
  /** It was run at this commit, which has the same files. */
  readonly same_tree_as?: string;
  /** Every command that was to be run, in order. */
  readonly commands: readonly string[];
  readonly runs: readonly ProofRun[];
  readonly seconds: number;
  readonly tests?: TestProof;
  /** No command of it can run tests: what the tests of the commit do, Liza does not know. */
  readonly runs_no_tests?: true;
  /** Changed test files that none of its commands runs. */
  readonly unrun_tests?: readonly string[];
  /** Test files of the base that the commit has, too, and that none of its commands runs any more. */
  readonly base_unrun?: PathList;
  /** Changed test files with new tests of which nothing that the runners said shows whether they ran. */
  readonly untold_tests?: readonly string[];
  /** How many more tests the commit's test files declare than the base's. */
  readonly tests_added?: number;
  /** Tracked files that set-up changed, which were laid out again before anything was run. */
  readonly setup_changed?: PathList;
  /** Modules and settings above the checkout that changed while agents work: what was green may rest on them. */
  readonly above?: readonly string[];
  readonly disproof?: Disproof;
  /** Where all of it is written down, from the project's root. */
  readonly file?: string;
  /** A digest of what was asked and under which settings; the same commit is not tried forever under the same settings. */
  readonly under?: string;
  /** Nothing was run: this very commit was refused before. */
  readonly remembered?: true;
  /** SHA-256 of that file, which has those of the logs. */
  readonly digest?: string;
}

/** What must pass at a submitted commit: the task's own commands, then the project's. */
export function proofCommands({ test_command }: Pick<Settings, 'test_command'>, task: Task): readonly string[] {
  const all = [...(task.validation ?? []), ...(typeof test_command === 'string' ? [test_command] : [])];
  return [...new Set(all.map((command) => command.trim()).filter((command) => command !== ''))];
}

/**
 * In which order they are run: the project's test command first, in the checkout as set-up left it. What the others leave
 * there cannot colour it then, and the same command is run alone on a merge. Their numbers stay.
 */
export function runOrder({ test_command }: Pick<Settings, 'test_command'>, commands: readonly string[]) {
  const numbered = commands.map((command, at) => ({ command, at }));
  const isTest = ({ command }: { readonly command: string }): boolean => command === test_command?.trim();
  return [...numbered.filter(isTest), ...numbered.filter((one) => !isTest(one))];
}

/** Tests for code that is merged already are green on the base by design: they can show no red there. */
export const tddOf = ({ tdd }: Pick<Settings, 'tdd'>, { type }: Pick<Task, 'type'>): Settings['tdd'] =>
  type === 'test' && tdd === 'strict' ? 'evidence' : tdd;

/** A green proof of this very commit by these very commands that is on the board already. */
export function knownProof(task: Task, commit: string, commands: readonly string[], mode: string): Proof | undefined {
  return historyOf(task)
    .flatMap((entry) => proofOf(entry) ?? [])
    .findLast(
      (proof) =>
        proof.commit === commit &&
        proof.disproof === undefined &&
        proof.above === undefined &&
        same(proof.commands, commands) &&
        (mode === 'strict' ? proof.tests?.mode === 'strict' : true),
    );
}

/** Commits of which a proof or a refusal under the same settings is on the board, the last first. */
export const provedUnder = (task: Task, under: string): readonly string[] => [
  ...new Set(
    historyOf(task)
      .flatMap((entry) => {
        const { commit, under: asked } = entry.event === 'validation_failed' ? entry : (proofOf(entry) ?? {});
        return asked === under && typeof commit === 'string' ? [commit] : [];
      })
      .toReversed(),
  ),
];

/** A test that fails now and then gets a second chance, and no third. */
const RUNS_OF_ONE_COMMIT = 2;

interface AskedAgain extends Pick<Proof, 'commit' | 'commands'> {
  /** Other commits with the same files. */
  readonly twins?: readonly string[];
  readonly under: string;
  /** Seconds that it may take now. */
  readonly limit: number;
}

/** What was tried in this iteration since somebody last freed the task: they may have mended the machine. */
export function triesOf(task: Task): readonly HistoryEvent[] {
  const events = iterationEvents(task);
  return events.slice(events.findLastIndex(({ event }) => event === 'unblocked') + 1);
}

/** The former refusal of this commit, if there is one in this iteration under the same settings: it is not run again. */
export function knownRefusal(
  task: Task,
  { commit, twins = [], commands, under, limit }: AskedAgain,
): Proof | undefined {
  const red = triesOf(task).filter(
    (entry) =>
      entry.event === 'validation_failed' &&
      entry.remembered !== true &&
      [commit, ...twins].some((one) => one === entry.commit) &&
      entry.under === under &&
      // More time is allowed by now.
      !(typeof entry.limit === 'number' && entry.limit < limit),
  );
  const last = red.at(-1);
  const runs = red.reduce((all, { again }) => all + (again === 'red' ? 2 : 1), 0);
  if (last === undefined || (runs < RUNS_OF_ONE_COMMIT && last.hangs_on_base !== true)) return undefined;
  const text = (key: string): string => (typeof last[key] === 'string' ? last[key] : '');
  const disproof: Disproof = {
    guard: DISPROOFS.find((guard) => guard === last.what) ?? 'validation',
    reason: `${text('reason')}; the same ${last.commit === commit ? 'commit was' : 'files were'} refused so before, and ${last.commit === commit ? 'is' : 'are'} not run again`,
    hint: text('hint'),
    output: text('output'),
    ...(last.hangs_on_base === true ? { hangs_on_base: true } : {}),
    ...(last.cannot_run === true ? { cannot_run: true } : {}),
  };
  return { commit, commands, runs: [], seconds: 0, under, remembered: true, disproof };
}

const DISPROOFS: readonly DisproofName[] = ['validation', 'tests-red-on-base', 'base-tests-green'];

/** The proof that an event carries: `submitted` the one it rests on, `validated` one that came to nothing yet. */
export function proofOf(entry: HistoryEvent): Proof | undefined {
  const { proof } = entry;
  return isFields(proof) && typeof proof['commit'] === 'string' && Array.isArray(proof['runs'])
    ? (proof as unknown as Proof)
    : undefined;
}

/** The evidence file of an event's runs, green or red, and its hash. */
export function writtenDown(entry: HistoryEvent): { readonly file: string; readonly digest?: string } | undefined {
  const { file, digest } = entry.event === 'validation_failed' ? entry : (proofOf(entry) ?? {});
  if (typeof file !== 'string') return undefined;
  return typeof digest === 'string' ? { file, digest } : { file };
}

/** Whether Liza ran no command at this commit that can run tests. */
export function ranNoTests(task: Task, commit: string | undefined): boolean {
  const proof = proofAt(task, commit);
  return proof === undefined || proof.runs_no_tests === true;
}

export const NO_TEST_COMMAND = 'no command that Liza runs can run tests';

export const proofAt = (task: Task, commit: string | undefined): Proof | undefined =>
  historyOf(task)
    .flatMap((entry) => (entry.event === 'submitted' ? (proofOf(entry) ?? []) : []))
    .findLast((proof) => proof.commit === commit);

/** How often this very commit was red before: a test that fails now and then is no proof. */
export const redBefore = (task: Task, commit: string): number =>
  historyOf(task).filter(
    (entry) => entry.event === 'validation_failed' && entry.commit === commit && entry.remembered !== true,
  ).length;

/** The commands that were green at this commit: none of them need be run there again. */
export const greenAt = ({ tasks }: State, commit: string): ReadonlySet<string> =>
  new Set(
    tasks.flatMap((task) =>
      historyOf(task)
        .flatMap((entry) => {
          const proof = proofOf(entry);
          if (proof === undefined || proof.above !== undefined) return [];
          const { tests, runs, commands } = proof;
          if (proof.commit === commit) return runs.flatMap(({ ok, command }) => (ok ? [command] : []));
          if (tests?.base !== commit) return [];
          return tests.base_alone === 'green' ? commands : (tests.base_green ?? []);
        })
        .concat(triedGreen(task, commit)),
    ),
  );

/** Whether a proof of this commit has that command as the first that ran in its checkout, and green. */
export const wasFirstGreen = ({ tasks }: State, commit: string, command: string): boolean =>
  tasks
    .flatMap((task) => historyOf(task).flatMap((entry) => proofOf(entry) ?? []))
    .some(
      (proof) =>
        proof.commit === commit &&
        proof.above === undefined &&
        proof.runs.some((run) => run.command === command && run.ok && run.first === true),
    );

type Counted = Pick<ProofRun, 'command' | 'tests' | 'skipped'>;

const runsAt = ({ tasks }: State, commit: string): readonly Counted[] =>
  tasks.flatMap((task) => {
    const proved = historyOf(task).flatMap((entry) => proofOf(entry) ?? []);
    return [...proved, ...trialsOf(task)]
      .filter((one) => one.commit === commit)
      .flatMap(({ runs }): readonly Counted[] => runs);
  });

/** What proofs of other commits counted here, as at their base. */
const beside = ({ tasks }: State, base: string, key: 'tests_on_base' | 'skips_on_base') =>
  tasks.flatMap((task) =>
    historyOf(task)
      .flatMap((entry) => proofOf(entry) ?? [])
      .filter(({ tests }) => tests?.base === base)
      .flatMap(({ runs }) =>
        runs.flatMap(({ command, [key]: many }) => (many === undefined ? [] : [[command, many] as const])),
      ),
  );

/** How many tests each command ran at this commit, as far as proofs and trials counted them. */
export const testsAt = (state: State, commit: string): ReadonlyMap<string, number> =>
  new Map([
    ...beside(state, commit, 'tests_on_base'),
    ...runsAt(state, commit).flatMap(({ command, tests }) => (tests === undefined ? [] : [[command, tests] as const])),
  ]);

/** How many tests each command left out at this commit. */
export const skipsAt = (state: State, commit: string): ReadonlyMap<string, number> =>
  new Map([...beside(state, commit, 'skips_on_base'), ...skipsOf(runsAt(state, commit))]);

/** Where a runner counts its tests and says nothing of others, there are none. */
export const skipsOf = (runs: readonly Counted[]): ReadonlyMap<string, number> =>
  new Map(
    runs.flatMap(({ command, tests, skipped }) =>
      tests === undefined && skipped === undefined
        ? []
        : [[command, leftOut({ command, ...defined({ skipped }) })] as const],
    ),
  );
