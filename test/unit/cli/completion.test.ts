import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { project } from './fixtures.ts';

const here = project();
beforeAll(() => {
  const fake = here.file('liza');
  writeFileSync(fake, '#!/bin/sh\n[ "$*" = "show --ids" ] && printf "retry-login\\nretry-search\\n"\n');
  chmodSync(fake, 0o755);
});

async function script(shell: string): Promise<string> {
  const ran = await here.liza(['completion', shell]);
  expect(ran.code).toBe(0);
  const file = here.file(`liza.${shell}`);
  writeFileSync(file, ran.stdout);
  return file;
}

/** What bash offers for the last of the words. */
async function offered(...words: string[]): Promise<string[]> {
  const ask = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _liza; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${here.root}:${process.env.PATH}` };
  const out = execFileSync('bash', ['-uc', ask, 'bash', await script('bash'), 'liza', ...words], {
    encoding: 'utf8',
    env,
  });
  return out.split('\n').filter((line) => line !== '');
}

test('the bash script is sound and offers verbs, families, options, choices and tasks', async () => {
  expect(spawnSync('bash', ['-n', await script('bash')]).status).toBe(0);
  expect(await offered('ad')).toEqual(['add-task']);
  expect(await offered('')).toEqual(expect.arrayContaining(['status', 'config', 'discovery']));
  expect(await offered('')).not.toContain('dashboard');
  expect(await offered('discovery', '')).toEqual(['list', 'convert', 'dismiss']);
  expect(await offered('add-task', '--d')).toEqual(['--desc', '--done', '--depends']);
  expect(await offered('add-task', '--type', '')).toEqual(['code', 'docs', 'config', 'spec']);
  expect(await offered('discovery', 'dismiss', '--')).toEqual(['--reason', '--json', '--help']);
  expect(await offered('show', 'retry-s')).toEqual(['retry-search']);
  expect(await offered('submit-verdict', 'retry-login', '')).toEqual(['APPROVED', 'REJECTED']);
  expect(await offered('archive', 'retry-login', 'retry-')).toEqual(['retry-login', 'retry-search']);
  expect(await offered('spec-change', '--triggered-by', 'retry-l')).toEqual(['retry-login']);
  expect(await offered('help', 'exit-')).toEqual(['exit-codes']);
});

for (const shell of ['zsh', 'fish']) {
  const installed = spawnSync(shell, ['-c', 'true']).error === undefined;
  test.skipIf(!installed)(
    `the ${shell} script is sound${installed ? '' : ` (skipped: ${shell} is not installed)`}`,
    async () => {
      expect(spawnSync(shell, ['-n', await script(shell)], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
    },
  );
}

test.each(['zsh', 'fish'])('the %s script names every verb and option', async (shell) => {
  const { stdout } = await here.liza(['completion', shell]);
  for (const word of ['add-task', 'submit-verdict', 'dismiss', 'root-cause', 'liza show --ids'])
    expect(stdout).toContain(word);
});

test('another shell is refused with the three there are', async () => {
  const ran = await here.liza(['completion', 'tcsh']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('must be one of bash, zsh, fish');
});

test('show --ids lists the live tasks, one a line', async () => {
  await here.store.transact({ actor: { parts: ['human'] }, command: 'test' }, ({ state }) => ({
    ok: true,
    state: {
      ...state,
      tasks: [
        { id: 'one', status: 'DRAFT', priority: 3 },
        { id: 'two', status: 'DRAFT', priority: 3 },
      ],
    },
    detail: 'two tasks',
  }));
  expect((await here.liza(['show', '--ids'])).stdout).toBe('one\ntwo\n');
});
