// Every verb with arguments that no honest hand would type, against a real board in a real repository: an answer
// in plain text and in bounded time, a board that is still valid, nothing written elsewhere, no canary.

import { existsSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { REGISTRY } from '../../src/cli/registry.ts';
import type { Option } from '../../src/cli/verb.ts';
import { coderPrompt } from '../../src/supervisor/prompts/coder.ts';
import { plannerPrompt } from '../../src/supervisor/prompts/planner.ts';
import { type OpenedProject, openProject } from '../support/project.ts';
import { repository } from '../support/repository.ts';
import { aState, project } from '../unit/cli/fixtures.ts';
import { argument, CONTROLS, isDead, RUNS, within } from './hostile.ts';

/** They wait for ever, ask the terminal, or are the test's own tools. */
const LEFT_OUT = new Set([
  'run',
  'agent',
  'demo',
  'watch',
  'dashboard',
  'rehearse',
  'lock modify',
  'lock read',
  'lock write',
  'edit',
]);
const NAMES = Object.keys(REGISTRY).filter((name) => !LEFT_OUT.has(name));
const AGENTS = ['planner-1', 'coder-1', 'code-reviewer-1', undefined];

let p: OpenedProject;
const everything = (): string =>
  JSON.stringify(readdirSync(p.root).filter((name) => !['.liza', '.worktrees', '.git'].includes(name)));
let before: string;

beforeAll(async () => {
  p = openProject(repository());
  await p.ok(['init', 'Fuzz']);
  before = everything();
});

const TASKS = ['a', 'b', 'task-1', 'task-2'];
const ID = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...TASKS) }, { weight: 1, arbitrary: argument });
const VERBS = await Promise.all(NAMES.flatMap((name) => REGISTRY[name]?.load?.() ?? []));

/** They wait for more, or write where they are told. */
const ASKED_FOR = new Set(['follow', 'out']);

/** What it may choose from, or a task, or what it does not expect. */
const fitting = ({ kind, choices }: Pick<Option, 'kind' | 'choices'>): fc.Arbitrary<string> =>
  choices === undefined
    ? kind === 'task'
      ? ID
      : argument
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...choices) }, { weight: 1, arbitrary: argument });

/** Its own words and options, with what it does not expect in them. */
const proper = fc.constantFrom(...VERBS).chain(({ name, positionals, options }) => {
  const all = Object.entries(options).filter(([option]) => !ASKED_FOR.has(option));
  const needed = all.filter(([, { required }]) => required);
  const chosen = fc.subarray(all.filter(([, { required }]) => !required)).map((more) => [...needed, ...more]);
  const given = chosen.chain((some) =>
    fc.tuple(
      ...some.map(([option, about]) =>
        about.value === undefined ? fc.constant(`--${option}`) : fitting(about).map((text) => `--${option}=${text}`),
      ),
    ),
  );
  return fc
    .tuple(fc.tuple(...positionals.map(fitting)), given)
    .map(([words, flags]) => [...name.split(' '), ...flags, '--', ...words]);
});
const strange = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.oneof(ID, argument), { maxLength: 6 }))
  .map(([verb, words]) => [...verb.split(' '), ...words]);
/** One that has a chance. */
const add = fc
  .tuple(fc.constantFrom(...TASKS), argument, argument, argument, fc.boolean())
  .map(([id, desc, done, scope, fresh]) => [
    ...(fresh ? ['add-task', '--id', id, '--spec=specs/vision.md'] : ['amend', id]),
    ...[`--desc=${desc}`, `--done=${done}`, `--scope=${scope}`],
  ]);

test('any verb with any words', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(proper, strange, add), fc.constantFrom(...AGENTS), async (argv, who) => {
      // A person may end it all, and then the rest would try nothing.
      const agent = argv[0] === 'deinit' ? (who ?? 'coder-1') : who;
      const { code, stdout, stderr } = await within(argv.slice(0, 3).join(' '), () => p.liza(argv, { as: agent }));
      if (code === 0) taken += 1;
      expect([0, 1, 2, 3, 4, 5]).toContain(code);
      expect(stderr).not.toMatch(/TypeError|RangeError|undefined is not|at file:|this is a bug/i);
      expect(CONTROLS.test(stdout) || CONTROLS.test(stderr)).toBe(false);
      expect(isDead()).toBe(false);
    }),
    { numRuns: RUNS },
  );
  expect(taken, 'nearly all was refused, which proves little').toBeGreaterThan(RUNS / 20);
  const { board, now } = await p.store.read();
  for (const argv of [['validate'], ['log', 'verify']])
    expect(await p.liza(argv)).toMatchObject({ code: 0, stderr: '' });
  const places = { project: p.root, blackboard: 'b', specs: 's', scripts: 'x' };
  for (const task of board.state.tasks) {
    const context = { board, now, agent: 'coder-1', role: 'coder' as const, places };
    await within('a prompt', () => coderPrompt(context, { task, worktree: p.root }));
  }
  await within('a prompt', () =>
    plannerPrompt({ board, now, agent: 'planner-1', role: 'planner', places }, { wakes: [] }),
  );
  expect(everything()).toBe(before);
  expect(isDead()).toBe(false);
}, 3_600_000);

test('a board that holds hostile words is shown in plain text', async () => {
  await fc.assert(
    fc.asyncProperty(argument, argument, async (one, other) => {
      const q = project(
        aState({
          human_notes: [{ message: one, timestamp: '2026-03-01T10:00:00Z' }],
          goal: { ...aState().goal, description: other },
        }),
      );
      for (const argv of [['status'], ['help'], ['metrics']]) {
        const { code, stdout, stderr } = await within(argv[0] ?? '', () => q.liza(argv));
        expect([0, 1, 4]).toContain(code);
        expect(CONTROLS.test(stdout) || CONTROLS.test(stderr)).toBe(false);
      }
    }),
    { numRuns: Math.ceil(RUNS / 10) },
  );
  expect(existsSync(p.root)).toBe(true);
}, 3_600_000);
