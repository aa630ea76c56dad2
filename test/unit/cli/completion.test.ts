// What completion offers, asked in this process. The scripts in real shells are in test/e2e/completion.test.ts.

import { expect, test } from 'vitest';
import { COMMON_OPTIONS } from '../../../src/cli/args.ts';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { project } from './fixtures.ts';

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

test('__complete offers every command and every option', async () => {
  const here = project();
  const ask = async (...typed: string[]) => {
    const { code, stdout, stderr } = await here.liza(['__complete', ...typed]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return lines(stdout);
  };
  const known = Object.entries(REGISTRY).filter(([, { load }]) => load !== undefined);
  expect(known.length).toBeGreaterThan(60);
  const firstWords = await ask('');
  for (const [name, { summary, load }] of known) {
    const [first = '', second] = name.split(' ');
    expect(firstWords).toContainEqual(expect.stringMatching(new RegExp(`^${first}\t`)));
    if (second === undefined) expect(firstWords).toContain(`${name}\t${summary}`);
    else expect(await ask(first, '')).toContain(`${second}\t${summary}`);
    const options = { ...(await load?.())?.options, ...COMMON_OPTIONS };
    expect(await ask(...name.split(' '), '--')).toEqual(
      Object.entries(options).map(([option, { description }]) => `--${option}\t${description}`),
    );
  }
});

test('another shell is refused with the three there are', async () => {
  const here = project();
  const ran = await here.liza(['completion', 'tcsh']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('must be one of bash, zsh, fish');
});

test('show --ids lists the live tasks, one a line', async () => {
  const here = project();
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
