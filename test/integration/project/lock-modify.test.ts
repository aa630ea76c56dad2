// `liza lock modify` while somebody removes its lock file: the command runs once, what it left is merged, and both is said.

import { expect, test } from 'vitest';
import { lockModify } from '../../../src/project/lock-commands.ts';
import { OPERATOR } from '../../../src/protocol/board.ts';
import { project } from '../../support/project.ts';

const REMOVED = '.liza/state.yaml.lock was removed while the command ran, which was run once';

test.each([
  ['what it left is adopted', 's/^  description: .*/&\\n  motto: once/', true, /motto/],
  ['what is not allowed is refused as a whole', 's/status: [A-Z_]*/status: MERGED/', false, /unchanged/],
])('a lock file that vanishes: the command runs once; %s', async (_what, edit, ok, said) => {
  const p = project();
  const before = p.read('.liza/state.yaml');
  const script = `echo ran >> runs; rm .liza/state.yaml.lock; sed -i '${edit}' .liza/state.yaml`;
  const done = await lockModify({ ...p.context, actor: OPERATOR }, ['sh', '-c', script]);
  expect(p.read('runs')).toBe('ran\n');
  expect(done).toMatchObject({ ok, message: expect.stringMatching(said) });
  const after = p.read('.liza/state.yaml');
  if (!ok) return expect(after).toBe(before);
  expect(done.message).toContain(REMOVED);
  expect(after).toContain('motto: once');
});
