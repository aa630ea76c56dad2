// The configuration: every setting once, with its default, its meaning, and whether it is guarded.
// docs/configuration.md is generated from here.

import * as v from 'valibot';
import {
  amount,
  branch,
  count,
  id,
  limit,
  map,
  oneOf,
  places,
  repositoryAddress,
  seconds,
  text,
  texts,
} from './records/fields.ts';
import { DEFAULT_TEST_PATTERNS } from './records/test-patterns.ts';

/** `guarded` keys execute, spend or loosen something: an edit by hand waits for `liza edit --adopt`. */
const harmless = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.pipe(schema, v.metadata({ guarded: false }), v.description(description));
const guarded = <T extends v.GenericSchema>(schema: T, description: string) =>
  v.pipe(schema, v.metadata({ guarded: true }), v.description(description));

/** Unknown keys of a budget are refused, because a misspelt one would be a limit that does not hold. */
const MOST = 1e12;
const bounds = `from 0 (nothing starts) to ${MOST}, or null for no limit`;
const anyNumber = `must be a number ${bounds}`;
const wholeNumber = `must be a whole number ${bounds}`;
const part = v.optional(v.nullable(v.pipe(v.number(anyNumber), v.minValue(0, anyNumber), v.maxValue(MOST, anyNumber))));
const whole = v.optional(
  v.nullable(
    v.pipe(v.number(wholeNumber), v.integer(wholeNumber), v.minValue(0, wholeNumber), v.maxValue(MOST, wholeNumber)),
  ),
);
const Limits = v.strictObject(
  { tokens: whole, usd: part, minutes: part, sessions: whole },
  'must be a map of tokens, usd, minutes, sessions',
);

const Budgets = v.strictObject(
  {
    task: v.optional(Limits),
    goal: v.optional(Limits),
    day: v.optional(Limits),
    /** The limits of single tasks, in place of `task`. */
    tasks: v.optional(v.record(id, Limits)),
    warn_percent: v.optional(v.pipe(count, v.minValue(1, 'must be ≥ 1'), v.maxValue(100, 'must be ≤ 100'))),
    end_percent: v.optional(v.pipe(count, v.minValue(100, 'must be ≥ 100'))),
  },
  'must be a map of task, goal, day, tasks, warn_percent, end_percent',
);

const Price = v.strictObject(
  {
    input: amount,
    cached: v.optional(amount),
    written: v.optional(amount),
    written_1h: v.optional(amount),
    output: amount,
  },
  'must be a map of input, cached, written, written_1h, output',
);

const onOff = v.optional(oneOf(['on', 'off'] as const));
const networks = v.strictObject(
  { planner: onOff, coder: onOff, reviewer: onOff, setup: onOff, tests: onOff },
  'must be a map of planner, coder, reviewer, setup and tests to on or off',
);

export const ConfigSchema = v.object({
  integration_branch: guarded(v.optional(branch, 'integration'), 'Branch that approved work is merged to.'),
  base_branch: guarded(
    v.optional(branch),
    'Your branch: `liza sync` merges it into the integration branch, `liza finish` merges the integration branch into it. `init` sets it to the branch you are on.',
  ),
  lease_duration: guarded(v.optional(seconds, 300), "Seconds a coder's claim lasts without a heartbeat."),
  review_lease_duration: guarded(v.optional(seconds, 600), "Seconds a reviewer's claim lasts without a heartbeat."),
  long_lease_duration: guarded(v.optional(seconds, 900), 'Seconds that `liza heartbeat --long` asks for.'),
  heartbeat_interval: harmless(v.optional(seconds, 60), "Seconds between a supervisor's heartbeats."),
  poll_interval: harmless(v.optional(seconds, 30), 'Fallback polling when no change event arrives.'),
  max_coder_iterations: guarded(v.optional(limit, 10), 'Iterations on one task before it is blocked.'),
  max_review_cycles: guarded(v.optional(limit, 5), 'Rejections of one task before it is blocked.'),
  max_unblocks: guarded(
    v.optional(limit, 3),
    'How often the planner may unblock one task; after that only a person may.',
  ),
  max_unmerged: guarded(
    v.optional(limit, 8),
    'While more approved tasks than this could be merged now and are not yet, no coder begins another task; rework goes on.',
  ),
  assumption_budget: guarded(
    v.optional(count, 3),
    'How many assumptions a checkpoint may make; more of them block the task.',
  ),
  reviewers_required: guarded(v.optional(limit, 1), 'Distinct approvals of one commit that make it mergeable.'),
  distinct_providers: guarded(
    v.optional(v.boolean(), false),
    'With several `reviewers_required`, every approval comes from a different agent CLI; false: only if that many are running.',
  ),
  approval_evidence: guarded(
    v.optional(oneOf(['required', 'told', 'off'] as const), 'required'),
    'What an agent’s approval names for each criterion of `done_when` (a test, a command that Liza ran green, a place, the paths of the change, what was seen): `required`; `told`: an approval without it is accepted, and its criteria are flagged; `off`: not checked.',
  ),
  progress_timeout: guarded(v.optional(seconds, 1800), 'Seconds without output or progress before an agent is ended.'),
  pause_grace: harmless(
    v.optional(seconds, 120),
    'Seconds a running agent has after PAUSE to finish or hand off before it is ended.',
  ),
  archive_after: harmless(v.optional(count, 50), 'Terminal tasks kept in state.yaml; older ones are archived.'),
  post_worktree_cmd: guarded(v.optional(v.nullable(text)), 'Prepares every worktree, for example `npm ci`.'),
  post_worktree_timeout: guarded(v.optional(seconds, 600), 'Seconds that `post_worktree_cmd` may run.'),
  worktree_files: guarded(v.optional(texts), 'Untracked files copied into every worktree, for example `.env`.'),
  setup_reuse: guarded(
    v.optional(v.boolean(), true),
    'Whether what `post_worktree_cmd` made is copied into the next checkout of the same files, instead of running it again; only in the bubblewrap sandbox.',
  ),
  setup_inputs: guarded(
    v.optional(texts),
    'Globs of the files that `post_worktree_cmd` reads: its result is made from these alone, and again only when one of them changes. Empty: all files, except for a plain `npm ci` or `pnpm install --frozen-lockfile`, whose files Liza knows.',
  ),
  test_command: guarded(
    v.optional(v.nullable(text)),
    'Runs the project’s tests; Liza runs it at every submitted commit, beside the task’s own validation, and on every merge candidate with other files than that commit, unless the integration branch has `scripts/integration-test.sh`.',
  ),
  validation_timeout: guarded(
    v.optional(seconds, 600),
    'Seconds that all validation commands together may run at a submitted commit, and `test_command` on a merge candidate.',
  ),
  integration_test_timeout: guarded(
    v.optional(seconds, 600),
    'Seconds the integration test may run on a merge candidate.',
  ),
  merge_batch: guarded(
    v.optional(v.union([v.literal('auto'), limit], 'must be auto, or a whole number from 1 on'), 'auto'),
    'How many approved tasks are merged and tested together: `auto` follows how many of the last were red (at most 16), `1` tests each by itself.',
  ),
  merge_lanes: guarded(
    v.optional(limit, 1),
    'How many batches are tested at once, each on top of the one before, and landing after it. More than `1` costs runs where batches are red, and saves time where tests take long.',
  ),
  test_patterns: guarded(v.optional(texts, DEFAULT_TEST_PATTERNS), 'Globs of files that count as tests.'),
  tests_in_code: guarded(
    v.optional(texts),
    'Globs of code files that hold their own tests: changing one counts as changing code and its test. Liza recognises tests inside code of Rust, Zig and D, doctests, and vitest tests inside a script without it.',
  ),
  tdd: guarded(
    v.optional(oneOf(['strict', 'evidence', 'off'] as const), 'evidence'),
    'Whether new tests fail without the change, and the base’s tests pass with it: `strict` refuses the submission if not (unless the base itself is red and nobody can tell), `evidence` tells the reviewer, `off` does not check.',
  ),
  tdd_timeout: guarded(
    v.optional(seconds, 120),
    'Seconds that the test runs of `tdd: evidence` may take; `strict` has `validation_timeout` for each run.',
  ),
  takeover: guarded(
    v.optional(oneOf(['continue', 'fresh'] as const), 'continue'),
    'What another coder does with a task that was handed off, or whose holder died or lost its lease: `continue` its work in a new folder, or start `fresh`.',
  ),
  isolation: guarded(
    v.optional(oneOf(['worktree', 'clone'] as const)),
    'How a task’s work is kept apart. Without a value: `worktree`; where the sandbox is on, always `clone`.',
  ),
  sandbox: guarded(
    v.optional(oneOf(['auto', 'require', 'off'] as const), 'auto'),
    'Operating-system sandbox: if there is one (auto), always (require: nothing starts without it), or never (off).',
  ),
  sandbox_network: guarded(
    v.optional(networks),
    'Which of `planner`, `coder`, `reviewer`, `setup` (post_worktree_cmd) and `tests` have the network in the sandbox: `on` (default) or `off`.',
  ),
  sandbox_read: guarded(
    v.optional(places),
    'Files and folders that are shown in the sandbox, read-only, for example `~/.npmrc`.',
  ),
  setup_read: guarded(
    v.optional(places),
    'Files with logins, for example `~/.npmrc`, that only set-up sees in the sandbox, and only where what it reads is as in your branch; agents and tests never do. Needs bubblewrap and `setup_reuse`.',
  ),
  sandbox_write: guarded(
    v.optional(places),
    'Files and folders that may also be written in the sandbox, for example a cache; each is a way out of it.',
  ),
  agent_memory_mb: guarded(
    v.optional(v.nullable(limit)),
    'Memory in MB that an agent with all it starts, or a program that Liza runs for the project, may use before it is ended; none: no limit.',
  ),
  agent_processes: guarded(
    v.optional(limit, 1000),
    'Processes that an agent, or a program that Liza runs for the project, may have at once before it is ended.',
  ),
  allow_filters: guarded(v.optional(v.boolean(), false), 'Lets the repository’s git filters (such as LFS) run.'),
  providers: guarded(v.optional(map), 'Agent CLIs and how to start them.'),
  default_provider: guarded(
    v.optional(v.nullable(text)),
    'Agent CLI for every role without its own option in `liza run`; none: the first one installed.',
  ),
  prices: guarded(
    v.optional(v.record(v.string(), Price, 'must be a map')),
    'US dollars per million tokens (`input`, `output`; read from the cache `cached`, put into it `written`, for an hour `written_1h`), by model; overrides the built-in list.',
  ),
  budgets: guarded(
    v.optional(Budgets),
    'Limits per `task`, `goal` and `day` (UTC), and of single `tasks`: `tokens`, `usd`, `minutes` of sessions, `sessions`. ' +
      'Warns at `warn_percent` (80), starts nothing at 100, ends a session at `end_percent` (120).',
  ),
  min_free_mb: guarded(
    v.optional(count, 500),
    'Megabytes free on the disk, below which no session starts; 0: no limit.',
  ),
  agent_logs_mb: guarded(
    v.optional(limit, 512),
    'Megabytes that agent-logs, agent-prompts and evidence may each hold; the oldest are deleted first.',
  ),
  escalation_webhook: guarded(v.optional(v.nullable(text)), 'Where alarms are posted.'),
  exchange: guarded(
    v.optional(v.nullable(repositoryAddress)),
    'Repository through which hosts hand each other commits: the name of a remote, or an address (`user@host:path`, `ssh://…`, `https://…`, the full path of a bare repository), without a login in it. Merges then move its integration branch first.',
  ),
  exchange_prefix: guarded(
    v.optional(v.nullable(id)),
    'Where the server of `exchange` accepts no refs below `refs/liza`: keeps them as branches below this name, for example `liza`. The same for all hosts.',
  ),
});

/** Whether Liza knows the setting; any other is a field of the user's own. */
export const knownSetting = (key: string): boolean => Object.hasOwn(ConfigSchema.entries, key);

const schemaOf = (key: string): v.GenericSchema | undefined =>
  knownSetting(key) ? (ConfigSchema.entries as Readonly<Record<string, v.GenericSchema>>)[key] : undefined;

/** True for what executes, spends or loosens; a key the schema does not know is the user's own. */
export function guardedSetting(key: string): boolean {
  const schema = schemaOf(key);
  return schema !== undefined && v.getMetadata(schema)['guarded'] === true;
}

/**
 * What a person meant: the value it reads as, unless only the text as it was typed fits (`test_command true`), or only a
 * list of it (`worktree_files .env,.npmrc`).
 */
export function meant(key: string, typed: string, value: unknown): unknown {
  const schema = schemaOf(key);
  if (schema === undefined || value === null) return value;
  const list = typed.split(',').map((item) => item.trim());
  return [value, typed, list].find((candidate) => v.is(schema, candidate)) ?? value;
}

/** What a setting is for; undefined: there is none of the name. */
export function settingText(key: string): string | undefined {
  const schema = schemaOf(key);
  return schema === undefined ? undefined : v.getDescription(schema);
}
