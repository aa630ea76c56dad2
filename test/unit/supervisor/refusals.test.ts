// Which failures cost one task its turn, and which end the crew.

import { expect, it } from 'vitest';
import { EnvironmentError } from '../../../src/protocol/decision.ts';
import { refusalIn } from '../../../src/supervisor/refusals.ts';

const system = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: no, scandir '${path}'`), { code, ...(path === undefined ? {} : { path }) });

it.each([
  ['/p/.worktrees/a/.git/HEAD', '/p/.worktrees/a'],
  [`/p/.worktrees/.review-1-a/${'deeper/'.repeat(3000)}`, '/p/.worktrees/.review-1-a'],
  ['/p/.liza/cache/rooms/coder-1/session-1/mail', '/p/.liza/cache/rooms/coder-1'],
])('a folder of an agent that cannot be looked at is its task’s: %s', (path, folder) => {
  const no = refusalIn(system('EACCES', path));
  expect(no).toMatchObject({ ok: false, hint: `look at it, or remove it: ${folder}` });
  expect(no?.message.length).toBeLessThan(500);
});

it('what git says of one is, too', () => {
  expect(refusalIn(new EnvironmentError('git was ended', 'look at it', 3))).toMatchObject({ message: 'git was ended' });
});

it.each([
  ['the board', system('EACCES', '/p/.liza/state.yaml')],
  ['a full disk', system('ENOSPC', '/p/.worktrees/a/x')],
  ['a mistake of Liza’s', new TypeError('x is undefined')],
])('%s is not', (_, error) => {
  expect(refusalIn(error)).toBeUndefined();
});
