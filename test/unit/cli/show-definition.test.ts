// `liza show <task>`: commands can be copied, and history tells what an amendment changed.

import { expect, test } from 'vitest';
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
