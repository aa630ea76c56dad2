// `liza init "<goal>"`: a blackboard for a goal in this repository. Asks a person at a
// terminal for what was not said; without one it takes the defaults, or refuses with the command that would do.

import { checkoutOf } from '../../git/branch-checkouts.ts';
import type { Repository } from '../../git/repository.ts';
import { realDisk } from '../../ports/disk.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { type BaseDistance, baseLag } from '../../protocol/goal/base-distance.ts';
import { quoted } from '../../protocol/ids.ts';
import { isBranchName } from '../../protocol/records/fields.ts';
import { isGoalOver, type State, settings } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { installLine } from '../../providers/install-line.ts';
import type { BoardContext } from '../../store/context.ts';
import { shellWord } from '../../text/format.ts';
import {
  DEFAULTS,
  type Guesses,
  guessSetupCommand,
  guessTestCommand,
  guide,
  isDocumentName,
  takenLines,
  takesDefaults,
  type Wishes,
  wrongTestCommand,
} from '../init-guide.ts';
import { loginFirst, type PrivateRegistry, privateRegistries, registryLines } from '../init-registries.ts';
import type { Io } from '../io.ts';
import { boardAt, openBoard, openCurrentBoard } from '../open-board.ts';
import { plain } from '../render/terminal.ts';
import { HOW_SANDBOXED } from '../sandbox-mode.ts';
import { specExists, specFacts, TEMPLATE } from '../spec-file.ts';
import type { Args, Verb } from '../verb.ts';

export const verb: Verb = {
  operatorOnly: true,
  positionals: [{ name: 'goal', rest: true, optional: true, text: true, description: 'The goal, in one sentence.' }],
  options: {
    spec: {
      value: 'path',
      kind: 'file',
      description: 'The goal’s document; default specs/vision.md.',
      aka: ['vision', 'file'],
    },
    branch: { value: 'name', description: 'Where approved work is merged; default integration.', aka: ['integration'] },
    provider: {
      value: 'name',
      description: 'Agent CLI for all roles; default: the first one installed.',
      aka: ['agent', 'cli'],
    },
    test: {
      value: 'command or -',
      description: 'Runs the project’s tests (test_command); - for none.',
      aka: ['test-command'],
    },
    setup: {
      value: 'command or -',
      description: 'Sets up a fresh checkout (post_worktree_cmd), for example "npm ci"; - for none.',
    },
    'vision-from-template': {
      description: 'Create the goal’s document from the template if it does not exist.',
      aka: ['template'],
    },
    join: { description: 'Become a further host of a board that is on PostgreSQL (liza store move).' },
    board: {
      value: 'name',
      description: 'With --join: which board, where the database has several of this repository.',
    },
    yes: { short: 'y', description: 'Ask nothing: use every default that would be shown.' },
  },
  elsewhere: { force: 'to start over: liza deinit, then liza init' },
  examples: [
    'liza init',
    'liza init "Add retry to all API calls"',
    'liza init "Port the parser" --spec docs/parser.md --provider claude --test "npm test" --setup "npm ci"',
    'liza init "Greet people by name" --vision-from-template',
  ],
  details: [
    'Creates .liza/ (kept out of git by .git/info/exclude), the integration branch from HEAD, and a reference-transaction hook that guards the branches; a hook of your own is called too.',
    'It does not change other branches, your index, .gitignore or your files; it creates the document only if you ask for it.',
    'With --yes it uses what Enter would accept at each question, including the template, the test command and the set-up that it found (npm ci for a package-lock.json with dependencies), and prints them.',
    'On a terminal it asks for what you did not give. Ctrl-C cancels.',
    'On a project whose goal is finished it archives that goal and opens the next one. If your branch has moved on, it offers to merge it in first (liza sync); --yes does so.',
    'A repository has one blackboard for all its checkouts: a second one, in a linked worktree or in .worktrees, is refused.',
  ],
  run: async (args, io) => {
    const { openRepository } = await import('../../git/repository.ts');
    const repository = await openRepository(io.host, io.cwd);
    if (isRefusal(repository)) return repository;
    const { refusePlace } = await import('../../project/init-place.ts');
    const context = boardAt(io, repository);
    const place = refusePlace(context, io.cwd, repository);
    if (place !== undefined) return place;
    if (args.flag('join')) {
      const { joinBoard } = await import('../../project/join-store.ts');
      const joined = await joinBoard(context, repository, args.text('board'));
      if (isRefusal(joined) || joined.already === true) return joined;
      const here = await openCurrentBoard(io);
      if (isRefusal(here) || here.shared === undefined) return joined;
      const { arrive } = await import('../../tasks/exchange/arrive.ts');
      return { ...joined, lines: [...joined.lines, ...(await arrive(here, here.shared))] };
    }
    const { goalOpen, init } = await import('../../project/init.ts');
    const { readSchema } = await import('../../project/project-manifest.ts');
    const before = await earlierState(io, repository);
    const said = saidBy(args);
    if (said.goal === undefined && before !== undefined && !isGoalOver(before)) return goalOpen(before.goal);
    const { committedFiles } = await import('../../git/committed-files.ts');
    const committed = await committedFiles(context, repository.root);
    const found = before === undefined ? await privateRegistries(context, committed) : [];
    // What the project has come to since its first goal is asked for again; what is set stays.
    const isSet = (one: string | null | undefined): boolean => (one ?? '').trim() !== '';
    const guesses = {
      test: isSet(before?.config.test_command) ? undefined : guessTestCommand(repository.root),
      setup: isSet(before?.config.post_worktree_cmd) ? undefined : guessSetupCommand(repository.root, committed),
    };
    const former = await formerDocument(context, before);
    const wanted = await settle(args, io, {
      root: repository.root,
      said,
      before,
      registries: found,
      guesses,
      former,
    });
    if (isRefusal(wanted)) return wanted;
    const { wishes, lines } = wanted;
    // Without a set-up nothing is installed, and nobody needs a login. Who was not asked for one may set it later.
    const registries = wishes.setup || (!wanted.asked && guesses.setup) ? found : [];
    const facts = specFacts(repository.root, wishes.spec);
    if (isRefusal(facts)) return facts;
    const done = await init(context, repository, {
      goal: wishes.goal,
      spec: wishes.spec,
      branch: wishes.branch,
      specExists: facts.spec_exists === true,
      ...(wishes.fromTemplate ? { template: realDisk.readFileSync(io.asset(TEMPLATE), 'utf8') } : {}),
      settings: defined({
        test_command: wishes.test || undefined,
        post_worktree_cmd: wishes.setup || undefined,
        default_provider: wishes.provider,
        setup_read: wishes.shown,
      }),
      schema: readSchema(io.asset('schema/state.schema.json')),
    });
    if (!done.ok) return done;
    const base = done.already ? [] : await currentBase(io, wishes.sync === true);
    const told = done.already
      ? []
      : [
          ...(wanted.heard ? [] : formerLine(wishes, former)),
          ...unsetLines(wanted, guesses),
          ...wrongTest(repository.root, wishes),
          ...registryLines(registries, wishes).map(plain),
        ];
    const first = done.already ? [] : loginFirst(registries, wishes).map(plain);
    const sandbox = done.already ? [] : await sandboxLines(io, before);
    const budget = done.already ? [] : await budgetLines(before);
    const next = await nextLines(done.next, wishes, former);
    return {
      ok: true,
      message: done.message,
      lines: [...done.lines, ...lines, ...told, ...base, ...sandbox, ...budget, ...first, ...next],
      data: { root: repository.root, already: done.already },
    };
  },
};

/** Said at once: it would be found out when the first task is submitted. */
function wrongTest(root: string, { test }: Wishes): readonly string[] {
  const wrong = test === undefined ? undefined : wrongTestCommand(root, test);
  return wrong === undefined ? [] : [`warning: the tests: ${wrong}: liza config set test_command "…"`];
}

/** A person who was asked has decided; others read what the project's files ask for. */
const unsetLines = ({ wishes, asked }: Settled, { test, setup }: Guesses): readonly string[] =>
  asked
    ? []
    : [
        ...(test === undefined || wishes.test !== undefined
          ? []
          : [`no command tests merges yet: liza config set test_command ${shellWord(test)}`]),
        ...(setup === undefined || wishes.setup !== undefined
          ? []
          : [
              `nothing installs packages in a fresh checkout yet: liza config set post_worktree_cmd ${shellWord(setup)}`,
            ]),
      ];

/** The last goal's document as its planner knew it: somebody who has rewritten it since needs no word about it. */
async function formerDocument({ disk, paths }: BoardContext, before: State | undefined): Promise<string | undefined> {
  if (before === undefined || !isGoalOver(before)) return undefined;
  const { fileOf } = await import('../../project/init-document.ts');
  const { readSpec } = await import('../../store/spec-texts.ts');
  const file = fileOf(before.goal.spec_ref ?? '');
  const now = readSpec(disk, paths.root, file);
  const known = before.goal.specs_seen?.find(({ spec }) => spec === file)?.hash;
  return now === undefined || (known !== undefined && known !== now.hash) ? undefined : file;
}

/** Pre-flight refuses a document that describes the last goal: that comes first. */
async function nextLines(
  next: readonly string[] = [],
  wishes: Wishes,
  former: string | undefined,
): Promise<readonly string[]> {
  if (next.length === 0 || former === undefined || formerLine(wishes, former).length === 0) return next;
  const { commitIt } = await import('../../git/committed-files.ts');
  return [plain(`next: say in ${former} what is wanted now, commit it (${commitIt(former)}), then: liza run`)];
}

const formerLine = ({ spec }: Wishes, former: string | undefined): readonly string[] =>
  former === undefined || (spec.split('#', 1)[0] ?? '') !== former
    ? []
    : [
        plain(
          `${former} describes the last goal: change it before liza run, or name another document: liza goal edit --spec <file>`,
        ),
      ];

/** Agents cost money from the first liza run on. */
async function budgetLines(before: State | undefined): Promise<readonly string[]> {
  const { checkBudget } = await import('../../preflight/rules/result.ts');
  const { level, message, mend } = checkBudget(before?.config ?? {});
  return level === 'ok' ? [] : [`${message}; to ${mend}`];
}

/** Whether agents will be confined, and how to have it, before the first of them starts. */
async function sandboxLines(io: Io, before: State | undefined): Promise<readonly string[]> {
  const { tellSandbox } = await import('../sandbox-mode.ts');
  const told = await tellSandbox(io, { sandbox: before?.config.sandbox ?? 'auto' });
  // All that helps is told once, by doctor and the topic.
  return told === undefined ? [] : [told.remedy === undefined ? told.text : `${told.text}; ${HOW_SANDBOXED}`];
}

/** The person's branch comes in, or it is said how far it is ahead. The goal is open either way. */
async function currentBase(io: Io, wanted: boolean): Promise<readonly string[]> {
  const { openTaskContext } = await import('../open-project.ts');
  const context = await openTaskContext(io);
  if (isRefusal(context)) return [];
  const { baseDistance } = await import('../../git/base-branch.ts');
  const { board } = await context.store.read();
  const lag = baseLag(await baseDistance(context, board));
  if (lag === undefined || !wanted) return lag === undefined ? [] : [plain(lag)];
  const { syncBase } = await import('../../tasks/sync.ts');
  const synced = await syncBase(context, { withUnreviewed: false });
  if (isRefusal(synced)) return [`${synced.message}; ${synced.hint}`].map(plain);
  const { syncedLines } = await import('./sync.ts');
  return [
    `${plain(synced.branch)} is merged into ${plain(settings(board.state).integration_branch)}`,
    ...syncedLines(synced),
  ];
}

type Said = Partial<Wishes>;

function saidBy(args: Args): Said {
  const words = args.all('goal');
  return defined({
    goal: words.length === 0 ? undefined : words.join(' '),
    spec: args.text('spec'),
    fromTemplate: args.flag('vision-from-template') || undefined,
    branch: args.text('branch'),
    provider: args.text('provider'),
    test: commandIn(args, 'test'),
    setup: commandIn(args, 'setup'),
  });
}

/** `-` is none, as the questions say; empty: nothing is guessed in its place. */
const commandIn = (args: Args, name: 'test' | 'setup'): string | undefined => {
  const said = args.text(name);
  return said === '-' ? '' : said;
};

/** Undefined also for a board that cannot be read: project/init.ts looks more closely and reports it. */
async function earlierState(io: Io, { root }: Repository): Promise<State | undefined> {
  const board = openBoard(io);
  if (isRefusal(board) || board.paths.root !== root) return undefined;
  const read = await board.store.read().catch(() => undefined);
  return read?.board.state;
}

interface Settled {
  readonly wishes: Wishes;
  /** Further lines for the result. */
  readonly lines: readonly string[];
  /** The person was asked, or took the defaults. */
  readonly asked: boolean;
  /** They read what was said beside the questions. */
  readonly heard?: boolean;
}

interface KnownSoFar {
  readonly root: string;
  readonly said: Said;
  readonly before: State | undefined;
  readonly registries: readonly PrivateRegistry[];
  readonly guesses: Guesses;
  readonly former: string | undefined;
}

async function settle(args: Args, io: Io, known: KnownSoFar): Promise<Settled | Refusal> {
  const { root, said, before, registries, guesses, former } = known;
  const { castRoles, knownProvider, knownProviders, unknownProvider, WITHOUT_CLI } = await import(
    '../choose-provider.ts'
  );
  const providers = knownProviders(io, before?.config ?? {});
  if ('ok' in providers) return providers;
  const named = said.provider === undefined ? undefined : knownProvider(io, before?.config ?? {}, said.provider);
  if (named !== undefined && 'ok' in named) return named;
  if (said.provider !== undefined && named === undefined) {
    return unknownProvider(
      said.provider,
      providers.map(({ provider }) => provider.name),
    );
  }
  const installed = providers.filter((one) => one.installed).map(({ provider }) => provider);
  const lines = [
    ...(named?.installed === false
      ? [
          `${named.provider.title} is not installed yet: ${installLine({ disk: io.host.disk, env: io.env }, named.provider)}`,
        ]
      : []),
    ...(named === undefined && isRefusal(castRoles(io, before?.config ?? {}, {}))
      ? [`no agent CLI is on PATH yet: liza doctor says how to get one; without one: ${WITHOUT_CLI}`]
      : []),
  ];
  const open = before !== undefined && !isGoalOver(before);
  const defaults = args.flag('yes') && !open && said.goal !== undefined;
  const dialogue = defaults
    ? takesDefaults
    : args.flag('yes') || args.json || open
      ? undefined
      : await io.openDialogue?.();
  if (dialogue === undefined)
    return { wishes: { goal: '', fromTemplate: false, ...DEFAULTS, ...said }, lines, asked: false };
  const wishes = await guide(dialogue, {
    said,
    specExists: (path) => specExists(root, path),
    problem: (what, answer) => problemWith(io, root, what, answer),
    installed,
    guesses,
    former,
    settled: before !== undefined,
    base: await distanceOf(io, before),
    registries,
  });
  if (wishes === undefined) return LEFT;
  const taken = defaults ? takenLines(wishes, before !== undefined).map(plain) : [];
  return { wishes, lines: [...taken, ...lines], asked: true, heard: !defaults };
}

function problemWith(io: Io, root: string, what: 'spec' | 'branch', answer: string): string | undefined {
  if (what === 'branch') {
    if (!isBranchName(answer)) return `${quoted(answer)} is not a valid branch name`;
    const user = checkoutOf(io.host.disk, root, `refs/heads/${answer}`);
    return user && `${answer} is checked out in ${user}: name a branch that only Liza moves, a new one for example`;
  }
  const facts = specFacts(root, answer);
  if (isRefusal(facts)) return facts.message;
  return facts.spec_exists || isDocumentName(answer)
    ? undefined
    : `${quoted(answer)} is not there, and is no name for a new document: name one such as ${DEFAULTS.spec}`;
}

async function distanceOf(io: Io, before: State | undefined): Promise<BaseDistance | undefined> {
  const board = openBoard(io);
  if (before === undefined || isRefusal(board)) return undefined;
  const { baseDistance } = await import('../../git/base-branch.ts');
  return baseDistance(board, { state: before });
}

const LEFT = refuse('cancelled; nothing was changed', 'start again: liza init', 1, 'left');
