import { symlinkSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { specFacts } from '../../../src/cli/spec-file.ts';
import { refusedBy } from '../../refused-by.ts';
import { type Project, project } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project();
});

test('a spec is a file below the root, with or without an anchor', async () => {
  expect(await specFacts(here.root, 'specs/auth.md#retry')).toEqual({ spec_exists: true });
  expect(await specFacts(here.root, './specs/auth.md')).toEqual({ spec_exists: true });
  expect(await specFacts(here.root, 'specs/none.md')).toEqual({ spec_exists: false });
  expect(await specFacts(here.root, 'specs')).toEqual({ spec_exists: false });
  expect(await specFacts(here.root, '#anchor')).toEqual({ spec_exists: false });
  expect(await specFacts(here.root, undefined)).toEqual({});
});

test.each(['/etc/passwd', '../outside.md', 'specs/../../outside.md', 'specs/../auth.md', 'a\0b'])(
  'the spec %j is refused as outside the project',
  async (spec) => {
    expect(await specFacts(here.root, spec)).toMatchObject(refusedBy('spec-path', { ok: false, code: 1 }));
  },
);

test('a symlink may not lead out of the project, one inside it may', async () => {
  symlinkSync('/etc/passwd', here.file('specs', 'out.md'));
  symlinkSync('/etc', here.file('specs', 'folder'));
  symlinkSync('auth.md', here.file('specs', 'in.md'));
  expect(await specFacts(here.root, 'specs/out.md')).toMatchObject({ ok: false, code: 1 });
  expect(await specFacts(here.root, 'specs/folder/passwd')).toMatchObject({ ok: false, code: 1 });
  expect(await specFacts(here.root, 'specs/in.md')).toEqual({ spec_exists: true });
});
