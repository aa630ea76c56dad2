// What an agent reads names only what its role can do. The texts are the contract of each role, every prompt, and every
// line of COMMANDS; the table says who may run what.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REGISTRY } from '../../../../src/cli/registry.ts';
import { ROLES, type Role } from '../../../../src/protocol/state.ts';
import { contractFor, contractPaths } from '../../../../src/supervisor/prompts/contract.ts';
import { namedCommands, unfit } from '../../protocol/hints.ts';
import { SITUATIONS } from './situations.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function contractOf(role: Role): string {
  const { core, mode, role: own } = contractPaths(role);
  return contractFor(role, { core: page(core), mode: page(mode), role: page(own) });
}

/** Words in backticks that begin with a command, with or without `liza`. */
const inBackticks = (text: string): readonly string[] =>
  [...text.matchAll(/`(?:liza )?([a-z-]+)(?: ([a-z]+))?[^`]*`/g)].flatMap(([, first = '', second = '']) => {
    const name = [`${first} ${second}`, first].find((one) => Object.hasOwn(REGISTRY, one));
    return name === undefined ? [] : [name];
  });

test('a reviewer judges the checkpoint, and is not told to leave “the plan” alone', () => {
  const told = contractOf('code_reviewer');
  expect(told).toContain('Did the checkpoint come true');
  expect(told.slice(told.indexOf('## Do not evaluate'), told.indexOf('## Blockers'))).not.toContain('the plan,');
});

describe.each(ROLES)('the contract of a %s', (role) => {
  test('names no command that the table denies it', () => {
    const named = [...new Set(inBackticks(contractOf(role)))];
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => unfit(name, [role]))).toEqual([]);
  });

  if (role === 'coder') return;
  test('does not tell it to commit', () => {
    const told = contractOf(role).split('\n');
    expect(told.filter((line) => /(^|[:;,.] *|- )commit(,| what| your| everything| only| it)\b/i.test(line))).toEqual(
      [],
    );
  });
});

const roleOf = (name: string): Role =>
  name.startsWith('coder') ? 'coder' : name.startsWith('reviewer') ? 'code_reviewer' : 'planner';

test.each(Object.entries(SITUATIONS))('%s: the prompt names no command that its reader cannot run', (name, told) => {
  const own = told()
    .split('\n')
    .filter((line) => !line.startsWith('|'))
    .join('\n');
  const named = namedCommands(own);
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((one) => unfit(one, [roleOf(name)]))).toEqual([]);
});

/** Also what is said only of lists that are cut, or of boards that no situation above has. */
const SOURCES = join(ROOT, 'src/supervisor/prompts');
const READERS: Readonly<Record<string, readonly Role[]>> = {
  'coder.ts': ['coder'],
  'reviewer.ts': ['code_reviewer'],
  'proof-lines.ts': ['code_reviewer'],
  'planner.ts': ['planner'],
  'triggers.ts': ['planner'],
};

test.each(readdirSync(SOURCES))(
  '%s: no line that a prompt could have names a command that no reader can run',
  (file) => {
    const named = namedCommands(readFileSync(join(SOURCES, file), 'utf8'));
    expect(named.filter((one) => unfit(one, READERS[file] ?? ROLES))).toEqual([]);
  },
);

test('CHECKPOINT, the halt, and a checkpoint, a coder’s plan, are told apart in every line of a prompt or contract', () => {
  const texts = [...ROLES.map(contractOf), ...Object.values(SITUATIONS).map((told) => told())];
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => !line.startsWith('|'));
  expect(lines.some((line) => /\bcheckpoint\b/.test(line))).toBe(true);
  const shouted = lines.filter((line) => /\bCHECKPOINT\b/.test(line));
  expect(shouted.length).toBeGreaterThan(0);
  expect(shouted.filter((line) => !/\bhalt|PAUSE|ABORT|liza resume/.test(line))).toEqual([]);
});

test('the check itself knows a command of another role', () => {
  expect(unfit('submit-verdict', ['coder'])).toBe(true);
  expect(unfit('begin', ['code_reviewer'])).toBe(true);
  expect(unfit('pause', ['planner'])).toBe(true);
  expect(unfit('show', ['coder'])).toBe(false);
  expect(namedCommands('Stop: liza exit 42; or liza wt delete a; `liza plan done`')).toEqual([
    'exit',
    'wt delete',
    'plan done',
  ]);
});
