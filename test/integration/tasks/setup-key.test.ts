// The name of a set-up's result is found whatever PATH has: a folder of another user's, or a link to itself.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { settings } from '../../../src/protocol/state.ts';
import { kindOf } from '../../../src/sandbox/toolchains.ts';
import { setupKey } from '../../../src/tasks/setup-key.ts';
import { project } from '../../support/project.ts';

test('a folder on PATH that cannot be looked at counts as one without programs', async () => {
  const p = project({});
  const loop = path.join(p.base, 'loop');
  fs.symlinkSync('loop', loop);
  const rules = settings(await p.state());
  const key = (PATH: string) => setupKey(p.as(undefined, { env: { ...p.env, PATH } }), rules, 'tree');
  expect(key(`${loop}:/usr/bin`)).toMatch(/^[0-9a-f]{40}$/);
  expect(key(`${loop}:/usr/bin`)).toBe(key(`${loop}:/usr/bin`));
  expect(kindOf(p.context.disk, path.join(loop, 'node'))).toBeUndefined();
});
