// Projects for the fault sweep: a real repository, real files, the real lock, copied from a template
// for every try; the operations that are interrupted; and what a board looks like from outside.

import fs from 'node:fs';
import path from 'node:path';
import { type Files, realFiles } from '../../../src/ports/files.ts';
import { acquireLock } from '../../../src/ports/locks.ts';
import { init } from '../../../src/project/init.ts';
import { lockWrite } from '../../../src/project/lock-commands.ts';
import { type Actor, OPERATOR } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { refuse } from '../../../src/protocol/decision.ts';
import { goalArchive } from '../../../src/store/archive.ts';
import type { BoardContext } from '../../../src/store/context.ts';
import { readEntries } from '../../../src/store/journal.ts';
import { pathsOf } from '../../../src/store/paths.ts';
import { applyHunks } from '../../../src/store/yaml/hunks.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import type { Fault } from '../../faults.ts';
import { hostAt } from '../../host.ts';
import { repositoryIn, start } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Later than every file of the test, so that readers confirm the cache and `peek` serves from it. */
const NOW = Date.parse('2098-01-01T00:00:00Z');
const REVIEWER: Actor = { id: 'code-reviewer-1', parts: ['code_reviewer'] };
const BOARD = fs.readFileSync(path.join(import.meta.dirname, '../../sweep/board.yaml.txt'), 'utf8');
const DEAD_PID = 4_194_305; // beyond the largest pid of Linux

export interface Operation {
  readonly name: string;
  readonly board: Template;
  /** Not the whole list: what it does beyond the others is told by these. */
  readonly faults?: readonly Fault[];
  readonly run: (context: BoardContext) => Promise<{ readonly ok: boolean }>;
  /** How many of its entries its success promises; default all. */
  readonly promises?: number;
  readonly archives?: readonly string[];
  /** What else must be so when its entry stands (true) or does not. */
  readonly effect?: (context: BoardContext, done: boolean) => string | undefined;
}

const MOST: readonly Fault[] = ['kill', 'kill-after', 'torn', 'ENOSPC', 'EIO', 'power-cut'];
const FEW: readonly Fault[] = ['kill', 'torn', 'EIO'];

export const OPERATIONS: readonly Operation[] = [
  { name: 'init', board: 'repository', faults: MOST, run: initialise },
  {
    name: 'add-task',
    board: 'working',
    run: command(OPERATOR, {
      name: 'add-task',
      definition: {
        id: 'retry-search',
        description: 'Retry the search; “again”, and again',
        spec_ref: 'specs/vision.md',
        done_when: 'the search is tried three times',
        scope: 'IN: src/search.ts, test/search.test.ts',
        validation: ['npm test'],
      },
      ready: true,
      facts: { spec_exists: true },
    }),
  },
  {
    name: 'lock write',
    board: 'working',
    faults: MOST,
    run: (context) => lockWrite({ ...context, actor: OPERATOR }, '.tasks[retry-upload].priority', 2),
  },
  {
    name: 'submit-verdict',
    board: 'working',
    faults: MOST,
    run: command(REVIEWER, {
      name: 'submit-verdict',
      task: 'retry-login',
      verdict: 'APPROVED',
      reason: '1: seen with own eyes today',
      facts: { unknown_places: [], outside_diff: [], false_evidence: [], changed_files: [] },
    }),
  },
  {
    name: 'archive',
    board: 'working',
    run: command(OPERATOR, { name: 'archive', tasks: ['old-spike', 'old-idea'] }),
    archives: ['old-spike', 'old-idea'],
  },
  {
    name: 'init of the next goal',
    board: 'finished',
    faults: MOST,
    run: (context) => initialise(context, 'Time out all API calls'),
    archives: ['gone'],
    effect: ({ files, paths }, done) => {
      const goal = goalArchive(files, paths.archive).text('goal-1');
      if (!done) return undefined;
      return goal?.includes('nobody is told') ? undefined : 'the goal that ended is not in the archive';
    },
  },
  {
    name: 'pause',
    faults: FEW,
    board: 'working',
    run: command(OPERATOR, { name: 'pause' }),
    effect: ({ paths }, done) =>
      fs.existsSync(path.join(paths.liza, 'PAUSE')) === done ? undefined : `PAUSE is ${done ? 'missing' : 'there'}`,
  },
  {
    name: 'first command on a hand-written board',
    board: 'handwritten',
    faults: FEW,
    run: command(OPERATOR, note('first')),
  },
  { name: 'command after an edit by hand', board: 'edited', faults: FEW, run: command(OPERATOR, note('first')) },
  {
    name: 'command that archives the surplus',
    faults: FEW,
    board: 'crowded',
    run: command(OPERATOR, note('first')),
    promises: 1,
    archives: ['old-spike'],
  },
];

const TEMPLATES = ['repository', 'handwritten', 'working', 'edited', 'crowded', 'finished'] as const;
type Template = (typeof TEMPLATES)[number];

export interface Yard {
  copy(template: Template): string;
}

export async function makeYard(): Promise<Yard> {
  const base = temporaryFolder();
  const folder = (name: string) => path.join(base, name);
  const derive = (template: Template, from: Template) => fs.cpSync(folder(from), folder(template), { recursive: true });
  start(repositoryIn(base, 'repository'), 'main', { 'specs/vision.md': '# Vision\n' });
  derive('handwritten', 'repository');
  fs.mkdirSync(path.join(folder('handwritten'), '.liza'));
  fs.writeFileSync(pathsOf(folder('handwritten'), undefined).state, BOARD);
  derive('working', 'handwritten');
  await must(command(OPERATOR, note('look at the scope'))(contextIn(folder('working'))));
  derive('edited', 'working');
  const { state } = pathsOf(folder('edited'), undefined);
  fs.writeFileSync(state, fs.readFileSync(state, 'utf8').replace('# the end', '# typed by hand\n# the end'));
  derive('crowded', 'handwritten');
  const crowded = contextIn(folder('crowded'));
  fs.writeFileSync(crowded.paths.state, BOARD.replace('archive_after: 50', 'archive_after: 1'));
  await yamlStore(crowded).transact({ actor: OPERATOR, command: 'none' }, () => refuse('only adopted', ''));
  derive('finished', 'repository');
  const finished = contextIn(folder('finished'));
  await must(initialise(finished));
  for (const [actor, asked] of ENDING) await must(command(actor, asked)(finished));
  const contents = new Map(TEMPLATES.map((template) => [template, contentOf(folder(template))]));
  let copies = 0;
  return {
    copy: (template) => {
      fs.rmSync(folder(`try-${copies}`), { recursive: true, force: true });
      copies += 1;
      const root = folder(`try-${copies}`);
      for (const [name, bytes] of contents.get(template) ?? []) {
        if (bytes === undefined) fs.mkdirSync(path.join(root, name), { recursive: true });
        else fs.writeFileSync(path.join(root, name), bytes);
      }
      return root;
    },
  };
}

/** `lock`: the real one costs a process each time; where a lock left behind is not the question, none is taken. */
export function contextIn(root: string, files: Files = realFiles, lock: 'real' | 'none' = 'none'): BoardContext {
  const paths = pathsOf(root, path.join(root, '.git'));
  return {
    ...hostAt(() => NOW),
    files,
    paths,
    specExists: () => true,
    lock: async () =>
      lock === 'real'
        ? acquireLock(paths.lock, 2000)
        : { stillOurs: () => true, release: () => undefined, descriptor: -1 },
  };
}

export function command(actor: Actor, asked: Command): Operation['run'] {
  return (context) =>
    yamlStore(context).transact({ actor, command: asked.name }, (board, now) => decide(board, asked, { actor, now }));
}

export function note(message: string): Command {
  return { name: 'note', message };
}

/** The state's text after every entry, oldest first. */
export function replay({ paths }: BoardContext): { readonly command: string; readonly text: string }[] {
  let text = '';
  return [...readEntries(realFiles, paths.journal)].map(({ entry }) => {
    text = applyHunks(text, entry.change);
    return { command: entry.command, text };
  });
}

/** Temporary files get the name that another process would have given them, one that is dead by now. */
export function disownLeftovers(root: string): void {
  for (const file of everyFile(root)) {
    if (file.includes(`.${process.pid}.new`)) fs.renameSync(file, file.replace(`.${process.pid}.`, `.${DEAD_PID}.`));
  }
}

export const leftovers = (root: string): string[] =>
  everyFile(root)
    .filter((file) => /\.\d+\.new$|liza-\d+$/.test(file))
    .map((file) => path.relative(root, file));

/** Folders (undefined) before what is in them. */
const contentOf = (root: string): readonly (readonly [string, Buffer | undefined])[] =>
  fs.readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return [path.relative(root, file), entry.isDirectory() ? undefined : fs.readFileSync(file)];
  });

const everyFile = (root: string): string[] =>
  fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

/** A goal that is given up, with a task that was abandoned and a discovery that is open. */
const ENDING: readonly (readonly [Actor, Command])[] = [
  [OPERATOR, { name: 'add-task', definition: { id: 'gone' }, facts: {} }],
  [OPERATOR, { name: 'abandon', task: 'gone', rationale: 'not needed' }],
  [
    { id: 'coder-1', parts: ['coder'] },
    { name: 'discover', description: 'nobody is told', severity: 'high' },
  ],
  [OPERATOR, { name: 'abort' }],
];

async function initialise(context: BoardContext, goal = 'Retry all API calls'): Promise<{ readonly ok: boolean }> {
  const { root } = context.paths;
  const head = fs.readFileSync(path.join(root, '.git/refs/heads/main'), 'utf8').trim();
  return init(
    context,
    { root, gitDirectory: path.join(root, '.git'), head },
    { goal, spec: 'specs/vision.md', branch: 'integration', specExists: true, schema: '{}\n' },
  );
}

async function must(result: Promise<{ readonly ok: boolean }>): Promise<void> {
  const answer = await result;
  if (!answer.ok) throw new Error(JSON.stringify(answer));
}
