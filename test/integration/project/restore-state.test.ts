// A state.yaml that cannot be read goes back to the last good one with one command, which the error names.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { project } from '../../support/project.ts';

test.each([
  ['broken YAML', 'tasks: [\n  oops: {'],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00])],
])('%s: the error names liza edit --restore, which puts the last state back and keeps the file', async (_name, bad) => {
  const p = project();
  await p.ok(['note', 'before']);
  const good = readFileSync(p.context.paths.state, 'utf8');
  writeFileSync(p.context.paths.state, bad);
  const refused = await p.liza(['note', 'again']);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('liza edit --restore');
  const ran = await p.ok(['edit', '--restore', '--json']);
  expect(readFileSync(p.context.paths.state, 'utf8')).toBe(good);
  const kept = p.file(String(ran.json['kept']));
  expect(existsSync(kept) && readFileSync(kept).equals(Buffer.from(bad))).toBe(true);
  await p.ok(['note', 'again']);
  expect((await p.state()).human_notes.map(({ message }) => message)).toEqual(['before', 'again']);
});

test('a state.yaml that can be read is left alone, edits by hand too', async () => {
  const p = project();
  await p.ok(['note', 'before']);
  const text = readFileSync(p.context.paths.state, 'utf8');
  const edited = `${text}# mine\n`;
  writeFileSync(p.context.paths.state, edited);
  expect((await p.ok(['edit', '--restore'])).stdout).toContain('nothing to restore');
  expect(readFileSync(p.context.paths.state, 'utf8')).toBe(edited);
});
