// An agent that spoils the git directory of its own clone: the folder is made again before the next session, from
// what Liza knows, and what lay there is kept. It is not the coder's spinning.

import { expect, test } from 'vitest';
import { ways } from '../../runs.ts';
import { open, type Part, r } from './harness.ts';

const ended = (): number =>
  r()
    .said()
    .filter((text) => text.startsWith('session ended')).length;

async function session(nth: number): Promise<void> {
  await r().until(`session ${nth}`, () => r().started.length === nth);
  await r().until(`the end of session ${nth}`, () => ended() === nth);
}

const headIn = (): string => r().p.gitIn(r().p.folder('t'), 'rev-parse', 'HEAD');

/** Commits in one go, so that nobody sees it before its objects are gone. */
const spoils = (line: string): Part => ({
  end: `echo mine > notes.txt; echo 2 > src/app.ts; git add -A; git commit -q -m unseen; ${line}; exit 0`,
});

test.each(
  ways<[string, string]>([
    ['its own objects', 'rm -rf .git/objects/??'],
    ['all objects', 'rm -rf .git/objects'],
    [
      'a blob that is a pipe now',
      'blob=$(git rev-parse HEAD:notes.txt | sed "s,^..,&/,"); rm -f .git/objects/$blob; mkfifo .git/objects/$blob',
    ],
  ]),
)(
  '%s: made again before the next session, which is told',
  async (_name, line) => {
    await open({
      config: { isolation: 'clone' },
      parts: { 'coder-1': [spoils(line), { end: 'git status > ../said; exit 0' }] },
    });
    const base = r().p.head();
    await session(1);
    r().clock.advance(2000);
    await session(2);
    const [kept] = Object.values(r().p.refs('refs/liza/attempts/t'));
    expect(r().p.git('show', `${kept}:notes.txt`)).toBe('mine');
    expect(headIn()).toBe(base);
    const prompt = r().started[1]?.prompt ?? '';
    expect(prompt).toContain(`CREATED AGAIN at ${base.slice(0, 12)}`);
    expect(prompt).toContain(`git diff ${base.slice(0, 12)} ${kept}`);
    expect((await r().p.task('t')).status).toBe('CLAIMED');
  },
  40_000,
);
