// Whatever a prompt tells an agent to type is read by the real argument parser, so that no example can rot;
// and a role finds every command the table gives it.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArgs } from '../../../../src/cli/args.ts';
import { REGISTRY } from '../../../../src/cli/registry.ts';
import type { CommandName } from '../../../../src/protocol/command.ts';
import { isExample } from '../../../../src/protocol/definition/example-words.ts';
import { checkInput } from '../../../../src/protocol/input.ts';
import { commandLine } from '../../../../src/protocol/next-commands.ts';
import { parseRejection } from '../../../../src/protocol/review/verdict.ts';
import { ROLES, type Role, type Task } from '../../../../src/protocol/state.ts';
import { TABLE } from '../../../../src/protocol/table.ts';
import { commandLines } from '../../../../src/supervisor/prompts/commands.ts';
import { rejectionForm } from '../../../../src/supervisor/prompts/reviewer.ts';
import { addReady, claim, PLANNER, SUPERVISOR, world } from '../../protocol/world.ts';
import { SITUATIONS, toCoder, toPlanner } from './situations.ts';

/** Lines that are a command, and commands in backticks; never what is quoted from the board. */
function commandsIn(prompt: string): readonly string[] {
  const own = prompt.split('\n').filter((line) => !line.startsWith('|'));
  const lines = own.filter((line) => line.startsWith('liza ')).map((line) => line.replace(/ <<'VERDICT'$/, ''));
  return [...lines, ...own.flatMap((line) => [...line.matchAll(/`(liza [^`]+)`/g)].map(([, command = '']) => command))];
}

/** The words a shell makes of each line. */
function shellWords(lines: readonly string[]): readonly (readonly string[])[] {
  const script = `liza() { printf '%s\\0' "$@" $'\\n'; }\n${lines.join('\n')}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' })
    .split('\0\n\0')
    .filter((call) => call !== '')
    .map((call) => call.split('\0'));
}

async function problemOf(words: readonly string[]): Promise<unknown> {
  const [first = '', second = ''] = words;
  const name = [`${first} ${second}`, first].find((candidate) => Object.hasOwn(REGISTRY, candidate)) ?? '';
  const verb = await REGISTRY[name]?.load?.();
  if (verb === undefined) return `no verb ${first}`;
  const read = readArgs(verb, words.slice(name.split(' ').length));
  return 'ok' in read ? read.message : undefined;
}

test.each(Object.entries(SITUATIONS))('%s: every command can be pasted', async (_name, told) => {
  const lines = [...new Set(commandsIn(told()))];
  expect(lines.length).toBeGreaterThan(1);
  const calls = shellWords(lines);
  expect(calls.length).toBe(lines.length);
  const problems = await Promise.all(calls.map(problemOf));
  expect(lines.flatMap((line, at) => (problems[at] === undefined ? [] : [[line, problems[at]]]))).toEqual([]);
});

describe.each(ROLES)('a %s', (role: Role) => {
  const prompts = { coder: 'coder-first', code_reviewer: 'reviewer-first', planner: 'planner-initial' };
  const typed = commandsIn(SITUATIONS[prompts[role]]?.() ?? '');
  const rows = Object.values(TABLE).filter((row) => (row.who as readonly string[]).includes(role));

  test('finds every command it may use', () => {
    expect(rows.length).toBeGreaterThan(4);
    // Named with the notes and the anomalies, where there are any: see notes.test.ts and golden/planner-everything.txt.
    for (const { name } of rows.filter((row) => row.name !== 'note done' && row.name !== 'anomaly processed')) {
      const verb = commandLine(name as CommandName)
        .split(' ')
        .slice(0, name.includes(' ') || name === 'drop-worktree' ? 3 : 2)
        .join(' ');
      expect(
        typed.some((line) => `${line} `.startsWith(`${verb} `)),
        verb,
      ).toBe(true);
    }
  });

  test('is shown none that the table denies it', () => {
    const verbs = new Set(rows.map(({ name }) => commandLine(name as CommandName).split(' ')[1]));
    const looking = new Set(['show', 'status', 'help', 'attempts', 'discovery', 'lock']);
    const others = typed
      .map((line) => line.split(' ')[1] ?? '')
      .filter((verb) => !verbs.has(verb) && !looking.has(verb));
    expect(others).toEqual([]);
  });
});

test('every quoted text of COMMANDS is refused when it is copied, but for those that say what is so', () => {
  const literal = ['submitted', 'verdict given', 'full test suite, about 12 minutes'];
  for (const role of ROLES) {
    const state = world({ test_command: 'npm test' }).state;
    const quoted = commandLines(role, 'a', state)
      .filter((line) => line.startsWith('liza '))
      .flatMap((line) => [...line.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text))
      .filter((text) => !literal.includes(text) && !text.startsWith('npm test'));
    expect(quoted.length).toBeGreaterThan(5);
    expect(quoted.filter((text) => !isExample(text))).toEqual([]);
    for (const text of quoted)
      expect(checkInput({ name: 'ask', question: text, assume: 'a' } as never)).toMatchObject({ guard: 'placeholder' });
  }
});

test('the form of a rejection is the one that is parsed', () => {
  const task = (fields: Partial<Task>): Task => ({ id: 'a', status: 'READY_FOR_REVIEW', priority: 3, ...fields });
  expect(parseRejection(rejectionForm(task({})), false).problems).toEqual([]);
  expect(parseRejection(rejectionForm(task({ iteration: 2 })), true).problems).toEqual([]);
  expect(parseRejection(rejectionForm(task({ iteration: 3, rejection_reason: 'x' })), true).problems).toEqual([]);
});

test('a contract names only commands that exist', () => {
  const folder = join(import.meta.dirname, '../../../../contracts');
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  expect(pages.length).toBe(6);
  for (const page of pages) {
    const named = [...readFileSync(join(folder, page), 'utf8').matchAll(/`liza ([a-z-]+)/g)].map(
      ([, verb = '']) => verb,
    );
    for (const verb of named) expect(Object.keys(REGISTRY), `${page}: ${verb}`).toContain(verb);
  }
});

describe('the examples', () => {
  const told = (test_command: string): readonly string[] => {
    const w = world({ test_command });
    w.run(PLANNER, addReady('a'));
    w.run(SUPERVISOR, claim('a'));
    return [toCoder(w, 'a'), toPlanner(w)];
  };

  test('name the project’s own test command, and no file of another language', () => {
    const [coder, planner] = told('pytest -q tests');
    expect(coder).toContain('--validation "pytest -q tests: expected result"');
    expect(planner).toContain('--validate "pytest -q tests"');
    for (const prompt of [coder, planner]) expect(prompt).not.toMatch(/npm|\.ts\b/);
  });

  test('name no command that would break out of its quotes', () => {
    const [coder, planner] = told('sh -c "make $TARGET"');
    expect(coder).toContain('--validation "command: expected result"');
    expect(planner).toContain('--validate "command"');
  });
});
