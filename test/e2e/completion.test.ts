// Completion as a person meets it: the real scripts in the real shells, asking the program as it is shipped.

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { addTask } from '../support/core.mjs';
import { program } from '../support/program.ts';
import { repository } from '../support/repository.ts';

const { base: home, root: board } = repository();
const env = { PATH: `${join(home, 'bin')}:${process.env['PATH']}`, HOME: home, LANG: 'C.UTF-8', TMPDIR: home };

function run(program: string, args: readonly string[], cwd = board, more: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: { ...env, ...more }, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function liza(...args: readonly string[]): string {
  const ran = run('liza', args);
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  return ran.stdout;
}

beforeAll(() => {
  mkdirSync(join(home, 'bin'));
  symlinkSync(program(), join(home, 'bin', 'liza'));
  liza('init', 'Complete');
  for (const id of ['retry-login', 'retry-search']) liza(...addTask(id));
  expect(run('liza', ['register', 'coder-1'], board, { LIZA_AGENT_ID: 'coder-1' }).status).toBe(0);
}, 60_000);

function script(shell: string): string {
  const file = join(home, `liza.${shell}`);
  if (!existsSync(file)) writeFileSync(file, liza('completion', shell));
  return file;
}

type Offered = (...words: string[]) => string[];

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** What bash offers for the last of the words. */
const inBash: Offered = (...words) => {
  const ask = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _liza; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const ran = run('bash', ['--norc', '-uc', ask, 'bash', script('bash'), 'liza', ...words]);
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  return lines(ran.stdout);
};

const inFish: Offered = (...words) => {
  const ran = run('fish', [
    '-c',
    `source $argv[1]; complete -C $argv[2]`,
    script('fish'),
    ['liza', ...words].join(' '),
  ]);
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  return lines(ran.stdout).map((line) => line.split('\t')[0] ?? '');
};

/** zsh completes only in a terminal, and tells nobody what it found: `compadd`, which it is told by, is listened to. */
const inZsh: Offered = (...words) => {
  const ran = run('zsh', ['-f', '-c', ZSH, 'zsh', script('zsh'), ['liza', ...words].join(' ')]);
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  return [...ran.stdout.matchAll(/HIT<(.*)>/g)].map(([, hit = '']) => hit);
};

const ZSH = `
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PROMPT=; autoload -Uz compinit; compinit -u -d $HOME/compdump; source \${(q)1}
compadd() {
  if [[ \\\${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \\"\\$@\\"; return; fi
  local -a hits
  builtin compadd -A hits \\"\\$@\\"
  local hit; for hit in \\$hits; do print -r -- \\"HIT<\\$IPREFIX\\$hit>\\"; done
  return 1
}
_listen() { _main_complete; print END''ED; compstate[insert]=; compstate[list]= }
zle -C listen complete-word _listen
bindkey '^I' listen
print RE''ADY"
zpty -r inner seen '*READY*'
zpty -w -n inner "$2"$'\\t'
zpty -r inner seen '*ENDED*'
print -r -- "$seen"
zpty -d inner
`;

const installed = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).error === undefined;
const SHELLS = [
  { shell: 'bash', offered: inBash },
  { shell: 'zsh', offered: inZsh },
  { shell: 'fish', offered: inFish },
];

for (const { shell, offered } of SHELLS) {
  const there = installed(shell);
  describe.skipIf(!there)(`${shell}${there ? '' : ` (skipped: ${shell} is not installed)`}`, () => {
    test('the script is sound', () => {
      expect(run(shell, ['-n', script(shell)])).toEqual({ status: 0, stdout: '', stderr: '' });
    });

    test('verbs, families, options, choices, tasks, agents, topics and files are offered', () => {
      // fish sorts what it is given.
      const expectOffered = (words: string[], candidates: string[]) =>
        expect(offered(...words), words.join(' ')).toEqual(shell === 'fish' ? candidates.toSorted() : candidates);
      expectOffered(['ad'], ['add-task']);
      expect(offered('')).toEqual(expect.arrayContaining(['status', 'config', 'discovery']));
      expect(offered('')).not.toContain('mcp');
      expect(offered('')).not.toContain('__complete');
      expectOffered(['discovery', ''], ['list', 'convert', 'dismiss', 'reopen']);
      expectOffered(['add-task', '--d'], ['--desc', '--done', '--depends']);
      expectOffered(['add-task', '--type', ''], ['code', 'test', 'docs', 'config', 'spec']);
      expectOffered(['discovery', 'dismiss', '--'], ['--reason', '--json', '--help']);
      expectOffered(['show', 'retry-s'], ['retry-search']);
      expectOffered(['submit-verdict', 'retry-login', ''], ['APPROVED', 'REJECTED']);
      expectOffered(['archive', 'retry-login', 'retry-'], ['retry-login', 'retry-search']);
      expectOffered(['spec-change', '--triggered-by', 'retry-l'], ['retry-login']);
      expectOffered(['help', 'exit-'], ['exit-codes']);
      expectOffered(['claim-task', 'retry-login', 'c'], ['coder-1']);
      expectOffered(['validate', 'spe'], [shell === 'fish' ? 'specs/' : 'specs']);
      expectOffered(['begin', 'retry-login', '--json-file', 'spe'], [shell === 'fish' ? 'specs/' : 'specs']);
      expectOffered(['note', ''], ['list', 'done']);
      expectOffered(['replan', 'retry-login', ''], []);
    });

    // bash takes `=` for the end of a word.
    // bash ends a word at =, so it completes the value as a word of its own.
    if (shell !== 'bash')
      test('a value is offered behind = as well', () => {
        expect(offered('add-task', '--type=d')).toEqual(['--type=docs']);
        expect(offered('begin', 'retry-login', '--json-file=spe')).toEqual([
          `--json-file=specs${shell === 'fish' ? '/' : ''}`,
        ]);
      });
  });
}

describe('liza __complete', () => {
  const words = (...typed: string[]): string[] =>
    lines(liza('__complete', ...typed)).map((line) => line.split('\t')[0] ?? '');

  test('knows where it is: behind options, their values, and what belongs to another program', () => {
    expect(words('--json', 'show', '')).toEqual(['retry-login', 'retry-search']);
    expect(words('show', '--json', '')).toEqual(['retry-login', 'retry-search']);
    expect(words('submit-verdict', '--commit', 'x', 'retry-login', '')).toEqual(['APPROVED', 'REJECTED']);
    expect(words('status', '-')).toEqual(['--all', '--json', '--help', '-a', '-h']);
    expect(words('show', '--', '-')).toEqual(['retry-login', 'retry-search']);
    expect(words('show', 'retry-login', '')).toEqual([]);
    expect(words('lock', 'modify', 'sed', '-')).toEqual([]);
  });

  test('says nothing where there is nothing to say, and never fails', () => {
    for (const typed of [['nonsense', ''], ['mcp', ''], ['toString', ''], ['-'], ['show', '--nonsense=']])
      expect(liza('__complete', ...typed)).toBe('');
    expect(run('liza', ['__complete', 'show', ''], home)).toEqual({ status: 0, stdout: '', stderr: '' });
    const linked = join(home, 'linked');
    mkdirSync(linked);
    symlinkSync(join(board, '.liza'), join(linked, '.liza'));
    expect(run('liza', ['__complete', 'show', ''], linked)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('reads a board without a cache, or edited by hand, and leaves no trace', () => {
    const tree = () =>
      readdirSync(board, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => [name, statSync(join(board, name)).mtimeMs]);
    const unchangedBy = (typed: string[], candidates: string[]) => {
      const before = tree();
      expect(words(...typed)).toEqual(candidates);
      expect(tree()).toEqual(before);
    };
    unchangedBy(['show', ''], ['retry-login', 'retry-search']);
    rmSync(join(board, '.liza', 'cache'), { recursive: true });
    unchangedBy(['show', ''], ['retry-login', 'retry-search']);
    unchangedBy(['unblock', 'retry-login', '--reserve', ''], ['coder-1']);
    const state = join(board, '.liza', 'state.yaml');
    const text = readFileSync(state, 'utf8');
    writeFileSync(state, text.replaceAll('retry-search', 'retry-logout'));
    unchangedBy(['show', ''], ['retry-login', 'retry-search', 'retry-logout']);
    appendFileSync(state, '\t: broken');
    unchangedBy(['show', ''], ['retry-login', 'retry-search']);
    writeFileSync(state, text);
  });

  test('is for scripts only: no help names it', async () => {
    expect(liza('help', '--all')).not.toContain('__complete');
    expect(run('liza', ['help', '__complete']).stderr).toContain('there is no command or topic "__complete"');
    expect(words('help', '')).not.toContain('__complete');
  });

  test('is answered in the sandbox itself, not by the supervisor', () => {
    const mailbox = join(home, 'mailbox');
    mkdirSync(mailbox);
    expect(run('liza', ['__complete', 'plan', ''], home, { LIZA_MAILBOX: mailbox }).stdout).toMatch(/^done\t/);
    expect(readdirSync(mailbox)).toEqual([]);
  });
});
