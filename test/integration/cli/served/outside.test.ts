// Commands of agents outside the sandbox, run by their supervisor: the same answers as of a program of their own, whatever
// is typed, and no other programs.

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Project, project } from '../../../support/project.ts';
import { itself, type PlayedAgent, type Server, serverOf } from './support.ts';

let p: Project;
let server: Server;
let coder: PlayedAgent;

beforeEach(async () => {
  p = project({ tasks: ['t'] });
  await p.claim('t');
  server = serverOf(p);
  coder = server.agent('coder-1', 'coder');
});

const discovered = async (): Promise<readonly string[]> =>
  ((await p.state()).discovered ?? []).map(({ description }) => String(description));

test('it answers, by code and both streams, and the board has it under the agent’s name', async () => {
  const shown = await coder.sh('liza show t --json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ task: { id: 't', assigned_to: 'coder-1' } });
  expect(shown.code).toBe(0);
  expect((await coder.sh('liza discover "the login is slow" --severity low')).code).toBe(0);
  expect((await p.state()).discovered?.[0]).toMatchObject({ description: 'the login is slow', by: 'coder-1' });
  const refused = await coder.sh('liza show nothing');
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('nothing') });
  const role = await coder.sh('liza submit-verdict t APPROVED');
  expect(role.code).toBe(1);
  expect(role.stderr).toContain('coder-1');
});

test('whatever is typed arrives as it was, and no shell reads it again', async () => {
  const odd = `$(touch hit) \`touch hit\` '"\\ *?~ ; & | <x> \t\nnext → ü ${'x'.repeat(9000)}`;
  fs.writeFileSync(path.join(p.root, '..', 'odd'), odd);
  const at = path.join(p.root, '..', 'odd');
  expect((await coder.sh(`liza discover "$(cat '${at}')" --severity low`)).stderr).toBe('');
  expect((await discovered())[0]).toBe(odd);
  expect(fs.existsSync(path.join(p.root, 'hit'))).toBe(false);
  const empty = await coder.sh(`liza discover '' --severity low`);
  expect(empty.code).toBe(1);
});

test('stdin is read for a dash, as bytes', async () => {
  expect((await coder.sh(`printf 'from \\303\\274 stdin\\n' | liza discover - --severity low`)).code).toBe(0);
  expect(await discovered()).toEqual(['from ü stdin']);
  const nul = await coder.sh(`printf 'a\\000b' | liza discover - --severity low`);
  expect(nul).toMatchObject({ code: 1, stderr: expect.stringContaining('NUL') });
});

test('what is too long for it runs by itself, with its stdin', async () => {
  const long = await coder.sh(`head -c 5000000 /dev/zero | tr '\\0' x | liza discover -`);
  expect(itself(long).input).toHaveLength(5_000_000);
});

describe('a command is left to its own program', () => {
  test.each([
    ['liza audit', 'it is long'],
    ['liza try true', 'it runs what the agent chose'],
    ['liza begin t --set-aside --intent x', 'it works on the agent’s folder'],
    ['liza begin t --json-file plan.json', 'it reads a file'],
    ['liza supersede t --define=@plan.json', 'it reads a file'],
    ['LIZA_DEBUG=1 liza show t', 'it is to work in another way'],
    ['LIZA_LOCK_HELD=1 liza show t', 'it is part of another command'],
    ['mkdir -p other/.liza && touch other/.liza/state.yaml && cd other && liza show t', 'it is about another project'],
    ['cd / && liza show t', 'it is not asked from the project'],
    ['mkdir gone && cd gone && rmdir ../gone && liza show t 2>/dev/null', 'its folder is gone'],
    ['PERL5OPT=-Mstrict liza show t', 'perl is told to do something else'],
    ['LC_ALL=xx_YY.UTF-8 LIZA_SERVED=/nowhere liza show t', 'there is no server'],
    ['liza', 'nothing was asked'],
  ])('%s: %s', async (line) => {
    itself(await coder.sh(line));
  });

  test('and then it has its words and its stdin', async () => {
    const given = itself(await coder.sh(`printf '\\377\\000\\n' | LIZA_DEBUG=1 liza discover - "--x=it's" '' "a b"`));
    expect(given).toEqual({ argv: ['discover', '-', "--x=it's", '', 'a b'], input: '\u00ff\u0000\n' });
  });
});
