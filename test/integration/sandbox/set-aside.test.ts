// `begin --set-aside` from outside the sandbox: the folder's own git configuration was written in it, and whatever it
// names runs there, or not at all. Real bubblewrap.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandboxSupportOf } from '../../../src/sandbox/mode.ts';
import { setAside, takeSteps } from '../../../src/tasks/set-aside.ts';
import { hostAt } from '../../host.ts';
import { project, succeeded } from '../../support/project.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;

test.runIf(works)('a filter of the folder’s own configuration does not run outside the sandbox', async () => {
  const p = project({ config: { isolation: 'clone' } });
  await p.claim('t');
  const dot = p.folder('t', '.git');
  p.work('t', { 'src/early.ts': 'early\n', 'README.md': 'changed\n' }, 'too early');
  const escaped = path.join(p.base, 'escaped');
  const script = path.join(p.folder('t'), '.git', 'filter.sh');
  fs.writeFileSync(script, `#!/bin/sh\ntouch "${escaped}"; touch "${dot}/inside"; cat\n`, { mode: 0o755 });
  fs.appendFileSync(path.join(dot, 'config'), `[filter "f"]\n\tsmudge = ${script}\n\tclean = ${script}\n`);
  fs.writeFileSync(path.join(dot, 'info', 'attributes'), '* filter=f\n');
  const env = { ...p.env, PATH: process.env['PATH'] };
  const context = p.as('coder-1', { env, sandboxSupport: sandboxSupportOf(hostAt(Date.now, env), []) });
  const { steps } = succeeded(await setAside(context, 't'));
  expect(fs.existsSync(escaped)).toBe(false);
  expect(await takeSteps(context, 't', steps)).toBeUndefined();
  expect(fs.existsSync(escaped)).toBe(false);
  // It ran, where its author could have run it.
  expect(fs.existsSync(path.join(dot, 'inside'))).toBe(true);
  expect(fs.readFileSync(p.folder('t', 'README.md'), 'utf8')).toBe('hello\n');
  expect(fs.existsSync(p.folder('t', 'src/early.ts'))).toBe(false);
});
