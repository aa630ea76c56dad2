// `liza show <task>`: commands can be copied, and history tells what an amendment changed.

import { expect, test } from 'vitest';
import { peekTask } from '../../../src/store/read-one-task.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { instant } from '../../../src/text/time.ts';
import { hostAt } from '../../host.ts';
import { boardContext } from '../../support/board-context.ts';
import { project } from '../../support/project.ts';

test('each validation command is one line with a mark, however long; an amendment tells what went and came', async () => {
  const p = project({ tasks: ['t'] });
  const long = `node --test --test-name-pattern="${'a long name '.repeat(20)}" test/a.test.js`;
  await p.ok(['amend', 't', '--validate', long, '--validate', 'npm run lint']);
  await p.ok(['amend', 't', '--add-done', 'the readme names the option']);
  const { stdout } = await p.ok(['show', 't']);
  expect(stdout).toContain(`$ ${long}\n`);
  expect(stdout).toMatch(/^ +\$ npm run lint$/m);
  expect(stdout.replace(/\s+/g, ' ')).toContain('changes: done_when + the readme names the option');
  expect(stdout).not.toContain('was:');
});

test('show lists the discoveries of a task: those it takes up, those found in it, those that name it, each with what becomes of it', async () => {
  const here = project({ tasks: ['live', 'mend-minus', 'other'] });
  await here.claim('live');
  const found = (text: string, more: { during?: string; recommendation?: string } = {}) =>
    here.run('coder-1', { name: 'discover', description: text, severity: 'high', ...more });
  await found('minus is dropped', { during: 'live', recommendation: 'look at the tokenizer first' });
  await found(`mend-minus will need ${'more and '.repeat(60)}a rounding rule`);
  await found('the docs are old', { during: 'live' });
  await found('nothing to do with it', { during: 'other' });
  await here.ok(['discovery', 'convert', 'disc-1', 'mend-minus']);
  await here.ok(['discovery', 'dismiss', 'disc-3', '--reason', 'they are made from the code']);
  const ids = async (task: string) =>
    ((await here.ok(['show', task, '--json'])).json['discoveries'] as { id: string }[] | undefined)?.map(
      ({ id }) => id,
    );
  const shown = [await ids('live'), await ids('mend-minus'), await ids('other')];
  expect(shown).toEqual([['disc-1', 'disc-3'], ['disc-1', 'disc-2'], ['disc-4']]);
  const plain = async (task: string) => (await here.ok(['show', task])).stdout.replace(/\s+/g, ' ');
  const taken = await plain('mend-minus');
  expect(taken).toContain('Discoveries disc-1 high, by coder-1 during live: this task takes it up minus is dropped');
  expect(taken).toContain('recommends: look at the tokenizer first');
  expect(taken).toContain(
    `disc-2 high, by coder-1: not decided yet mend-minus will need ${'more and '.repeat(60)}a rounding`,
  );
  expect(await plain('live')).toContain('mend-minus takes it up');
  expect(await plain('live')).toContain('dismissed: they are made from the code');
  // The cache, which may not serve a file of this very moment, and the whole board agree.
  const later = boardContext(here.root, { host: hostAt(() => instant('2100-01-01T00:00:00Z')) });
  for (const _ of ['writes the cache', 'confirms it']) await yamlStore(later).read();
  const cached = peekTask(later, 'mend-minus')?.discovered;
  expect(cached).toHaveLength(4);
  expect(cached).toEqual((await yamlStore(later).readTask('mend-minus'))?.discovered);
});
