// What `liza init` asks, in which order, and what it makes of the answers; the line editor under it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  guessTestCommand,
  guide,
  isDocumentName,
  type Known,
  openDialogue,
  takenLines,
  takesDefaults,
  type Wishes,
} from '../../../src/cli/init-guide.ts';
import type { Dialogue } from '../../../src/cli/io.ts';
import { claude } from '../../../src/providers/claude.ts';
import { codex } from '../../../src/providers/codex.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { plain } from '../../../src/providers/settings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CLAUDE: Provider = claude(plain('claude'));
const CODEX: Provider = codex(plain('codex'));
const NOTHING_KNOWN: Known = {
  said: {},
  specExists: () => false,
  installed: [],
  guesses: {},
  settled: false,
};

/** A person with these answers at hand, who leaves when they run out. */
function person(answers: readonly string[]) {
  const asked: string[] = [];
  const said: string[] = [];
  const left = [...answers];
  let closed = false;
  const dialogue: Dialogue = {
    say: (text) => void said.push(text),
    ask: async (question) => {
      asked.push(question);
      return left.shift();
    },
    close: () => {
      closed = true;
    },
  };
  return { dialogue, asked, said, isClosed: () => closed };
}

async function guided(answers: readonly string[], known: Partial<Known> = {}) {
  const who = person(answers);
  const wishes = await guide(who.dialogue, { ...NOTHING_KNOWN, ...known });
  return { wishes, ...who };
}

describe('the guide', () => {
  test('somebody who takes the defaults gets what Enter would take', async () => {
    const known = { said: { goal: 'Greet' }, installed: [CLAUDE, CODEX], guesses: { test: 'npm test' } };
    const entered = await guided(['', '', '', '', ''], known);
    expect(await guide(takesDefaults, { ...NOTHING_KNOWN, ...known })).toEqual(entered.wishes);
    expect(entered.wishes).toMatchObject({ fromTemplate: true, provider: 'claude', test: 'npm test' });
  });

  test('the set-up of a fresh checkout is asked for where a lock file tells it; Enter takes it, - takes none', async () => {
    const known = { said: { goal: 'Greet' }, guesses: { setup: 'npm ci' } };
    const entered = await guided(['', '', '', '', ''], known);
    expect(entered.asked.at(-1)).toBe('Command that sets up a fresh checkout (- for none) [npm ci]: ');
    expect(entered.asked.at(-2)).toBe(
      'Command that runs the tests, for example npm test, or: for t in tests/*.sh; do sh "$t" || exit 1; done (- for none: merges are then not tested) [-]: ',
    );
    expect(entered.wishes).toMatchObject({ setup: 'npm ci' });
    expect((await guided(['', '', '', '', '-'], known)).wishes).not.toHaveProperty('setup');
    expect(await guide(takesDefaults, { ...NOTHING_KNOWN, ...known })).toMatchObject({ setup: 'npm ci' });
    expect(takenLines(entered.wishes as Wishes, false).join()).toContain('set-up npm ci');
  });

  test('a wrong answer is said to be wrong and asked again', async () => {
    const problem = (what: string, answer: string) =>
      answer.startsWith('/') || answer.includes(' ') ? `${answer} is no ${what}` : undefined;
    const answers = ['/etc/passwd', 'docs/a.md', 'maybe', 'yes', 'my branch', 'landing', '-'];
    const { wishes, said } = await guided(answers, { said: { goal: 'Greet' }, problem });
    expect(wishes).toMatchObject({ spec: 'docs/a.md', fromTemplate: true, branch: 'landing', test: undefined });
    expect(said).toEqual(
      expect.arrayContaining(['  /etc/passwd is no spec', '  answer yes or no', '  my branch is no branch']),
    );
  });

  test('Enter takes every default; only the goal has none', async () => {
    const { wishes, asked } = await guided(['', ' Greet ', '', '', '', '', ''], {
      installed: [CLAUDE, CODEX],
      guesses: { test: 'npm test' },
    });
    expect(wishes).toEqual<Wishes>({
      goal: 'Greet',
      spec: 'specs/vision.md',
      fromTemplate: true,
      branch: 'integration',
      provider: 'claude',
      test: 'npm test',
    });
    expect(asked).toHaveLength(7);
  });

  test('what was said is not asked for', async () => {
    const said: Wishes = { goal: 'g', spec: 's.md', fromTemplate: true, branch: 'b', provider: 'codex', test: 't' };
    const { wishes, asked } = await guided([], { said, installed: [CLAUDE, CODEX] });
    expect(asked).toEqual([]);
    expect(wishes).toEqual(said);
  });

  test('a document that is there needs no template', async () => {
    const { wishes, asked } = await guided(['docs/goal.md', '', '-'], {
      said: { goal: 'g' },
      specExists: (path) => path === 'docs/goal.md',
    });
    expect(wishes).toMatchObject({ spec: 'docs/goal.md', fromTemplate: false, test: undefined });
    expect(asked.join('\n')).not.toContain('template');
  });

  test.each([
    ['no', false],
    ['N', false],
    ['y', true],
  ])('the template: %s', async (answer, fromTemplate) => {
    const { wishes } = await guided(['', 'perhaps', answer, '', ''], { said: { goal: 'g' } });
    expect(wishes).toMatchObject({ fromTemplate });
  });

  test.each([
    ['2', 'codex'],
    ['codex', 'codex'],
    ['', 'claude'],
  ])('one of several agent CLIs: %j', async (answer, provider) => {
    const { wishes, said } = await guided(['', '', '', '9', answer, ''], {
      said: { goal: 'g' },
      installed: [CLAUDE, CODEX],
    });
    expect(wishes).toMatchObject({ provider });
    expect(said.join('\n')).toMatch(/1 {2}Claude Code\n {2}2 {2}Codex[\s\S]*a number from 1 to 2/);
  });

  test.each([
    [[CLAUDE], 'Agents: Claude Code.'],
    [[], 'No agent CLI is installed yet.'],
  ])('nothing to choose from: told, not asked, not set', async (installed, sentence) => {
    const { wishes, said } = await guided(['', '', '', ''], { said: { goal: 'g' }, installed });
    expect(wishes).toMatchObject({ provider: undefined });
    expect(said).toContain(sentence);
  });

  test('the next goal of a project: branch and settings are known', async () => {
    const { wishes, asked } = await guided(['Next', '', ''], { settled: true, installed: [CLAUDE, CODEX] });
    expect(asked).toHaveLength(3);
    expect(wishes).toEqual({ goal: 'Next', spec: 'specs/vision.md', fromTemplate: true, branch: 'integration' });
    // What the project has come to since, and nobody has set.
    const since = await guided(['Next', '', '', '', '-'], {
      settled: true,
      guesses: { test: 'npm test', setup: 'npm ci' },
    });
    expect(since.asked.at(3)).toBe('Command that runs the tests (- for none: merges are then not tested) [npm test]: ');
    expect(since.wishes).toMatchObject({ test: 'npm test', setup: undefined });
  });

  test('the next goal: the last one’s document is said to be that before it is asked for', async () => {
    const known = { settled: true, specExists: () => true, former: 'specs/vision.md' };
    const { wishes, said } = await guided(['Next', 'specs/next.md'], known);
    expect(said.join()).toMatch(/specs\/vision.md describes the last goal: .*Enter/);
    expect(wishes).toMatchObject({ spec: 'specs/next.md' });
    expect((await guided(['Next', ''], { ...known, former: undefined })).said.join()).not.toContain('last goal');
  });

  test.each([
    ['', true, 3, '3 commits that integration lacks. Merge them'],
    ['no', false, 1, '1 commit that integration lacks. Merge it'],
  ])('the next goal while main went on: asked whether to bring it in, %j is %s', async (answer, sync, lacks, words) => {
    const base = { branch: 'main', integration: 'integration', lacks, ahead: 0 };
    const { wishes, asked } = await guided(['Next', '', '', 'perhaps', answer], { settled: true, base });
    expect(asked.at(-1)).toBe(`main has ${words} in now? yes or no [yes]: `);
    expect(wishes).toMatchObject({ goal: 'Next', sync });
  });

  test.each([
    [true, 'It will fail without it', ' (Enter: no; the run then stops at set-up, and says so)'],
    [false, 'It may fail without it', ''],
  ])(
    'a private registry that the lock file needs (%s): what set-up alone is, and what a no means',
    async (isNeeded, words, enter) => {
      const registries = [{ name: 'npm @acme: npm.acme.example', file: '~/.npmrc', isNeeded }];
      const { asked, said, wishes } = await guided(['g', '', '', '', '', '', 'yes'], {
        ...{ installed: [CLAUDE], guesses: { test: 'npm test', setup: 'npm ci' }, registries },
      });
      expect(asked.at(-1)).toBe(`May npm ci read ~/.npmrc? ${words}. yes or no${enter} [no]: `);
      expect(said.join()).toContain('Its login is in ~/.npmrc, which agents never see.');
      expect(wishes).toMatchObject({ setup: 'npm ci', shown: ['~/.npmrc'] });
    },
  );

  test('without a set-up nobody is asked to show a login', async () => {
    const registries = [{ name: 'npm @acme: npm.acme.example', file: '~/.npmrc', isNeeded: false }];
    const { asked } = await guided(['g', '', '', '', '-'], { installed: [CLAUDE], registries });
    expect(asked.join()).not.toContain('~/.npmrc');
  });

  test.each([0, 1, 2, 3, 4, 5])('leaving after %i answers: nothing, and the terminal is given back', async (many) => {
    const answers = ['g', '', '', '', '', ''].slice(0, many);
    const { wishes, isClosed } = await guided(answers, { installed: [CLAUDE, CODEX] });
    expect(wishes).toBeUndefined();
    expect(isClosed()).toBe(true);
  });
});

describe('a dialogue on a terminal', () => {
  const open = () => {
    const input = new PassThrough();
    const output = new PassThrough();
    let shown = '';
    output.on('data', (chunk) => {
      shown += chunk;
    });
    return { input, dialogue: openDialogue(input, output), shown: () => shown };
  };

  test('asks and hears; what was typed ahead answers the next question', async () => {
    const { input, dialogue, shown } = open();
    const first = dialogue.ask('One? ');
    input.write('1\n2\n');
    expect(await first).toBe('1');
    expect(await dialogue.ask('Two? ')).toBe('2');
    expect(shown()).toMatch(/One\? [\s\S]*Two\? /);
    dialogue.close();
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s: the person left, for this question and all others', async (_, key) => {
    const { input, dialogue } = open();
    const answer = dialogue.ask('Goal? ');
    input.write(key);
    expect(await answer).toBeUndefined();
    expect(await dialogue.ask('Branch? ')).toBeUndefined();
  });
});

describe('the guessed test command', () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder();
  });

  const npm = (test?: string): string => JSON.stringify({ scripts: { test } });

  test.each<[Record<string, string>, string | undefined]>([
    [{}, undefined],
    [{ 'package.json': npm('vitest') }, 'npm test'],
    [{ 'package.json': npm('vitest'), 'pnpm-lock.yaml': '' }, 'pnpm test'],
    [{ 'package.json': npm('vitest'), 'yarn.lock': '' }, 'yarn test'],
    [{ 'package.json': npm('echo "Error: no test specified" && exit 1') }, undefined],
    [{ 'package.json': npm() }, undefined],
    [{ 'package.json': 'null' }, undefined],
    [{ 'package.json': '{' }, undefined],
    [{ 'Cargo.toml': '' }, 'cargo test'],
    [{ 'go.mod': '' }, 'go test ./...'],
    [{ Makefile: 'all:\n\ttrue\ntest: all\n' }, 'make test'],
    [{ Makefile: 'all:\n' }, undefined],
    [{ 'pyproject.toml': '' }, 'pytest'],
    [
      { 'pyproject.toml': '[project]\n', 'tests/test_a.py': 'import unittest\n' },
      'python3 -m unittest discover -s tests',
    ],
    [{ 'pyproject.toml': '[tool.pytest.ini_options]\n', 'tests/test_a.py': 'import unittest\n' }, 'pytest'],
    [{ 'tests/test_calc.py': 'import unittest\n' }, 'python3 -m unittest discover -s tests'],
    [{ 'tests/test_calc.py': 'import unittest\n', 'pytest.ini': '' }, 'pytest'],
    [{ 'test_calc.py': 'import unittest\n' }, 'python3 -m unittest discover'],
    [{ 'tests/test_calc.py': 'def test_it(): pass\n' }, undefined],
  ])('%j: %s', (files, expected) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    expect(guessTestCommand(root)).toBe(expected);
  });

  test('a folder of that name is no file', () => {
    mkdirSync(join(root, 'package.json'));
    expect(guessTestCommand(root)).toBeUndefined();
  });
});

test('a new document has the name of one: a command that belongs into the shell is asked about again', () => {
  for (const name of ['specs/vision.md', 'docs/my goal.MD', 'GOAL.txt', 'a.rst#part'])
    expect(isDocumentName(name)).toBe(true);
  for (const name of ['git commit', 'ls', 'cat specs/vision', 'yes', 'specs', 'README.md/..'])
    expect(isDocumentName(name)).toBe(false);
});
