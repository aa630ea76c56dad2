// What the network does to the exchange: each call ends in time and says what is known; a push that had its effect
// though nobody was told counts as done, and one that did not is told as open.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listRefs } from '../../../src/exchange/call.ts';
import { bringCommits } from '../../../src/exchange/fetch.ts';
import { land, markFences, settle } from '../../../src/exchange/land.ts';
import { offerRefs } from '../../../src/exchange/offer.ts';
import type { Exchange } from '../../../src/exchange/open.ts';
import { pushRefs } from '../../../src/exchange/push.ts';
import { fenceOf } from '../../../src/exchange/rules/refs.ts';
import { openPrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { hostAt } from '../../host.ts';
import { inFull } from '../../runs.ts';
import { type Bare, bareRepository, exchangeOf, hostClone, SHORT } from '../../support/exchange.ts';
import { succeeded } from '../../support/project.ts';
import { INTEGRATION, type Repository } from '../../support/repository.ts';

const FENCE = fenceOf('t', 1);

interface Line {
  readonly bare: Bare;
  readonly repo: Repository;
  readonly exchange: Exchange;
  /** What the connection does from now on. */
  does(how: string): void;
}

async function line(): Promise<Line> {
  const bare = bareRepository();
  const repo = hostClone();
  const file = path.join(repo.base, 'how');
  const does = (how: string): void => fs.writeFileSync(file, how);
  does('well');
  const ssh = `${process.execPath} ${path.join(import.meta.dirname, 'flaky-ssh.cjs')}`;
  const env = { ...repo.env, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: 'ssh', FLAKY_SSH: file };
  const gitDir = succeeded(await openPrivateGitDir(hostAt(Date.now, env), repo.root, { integration: INTEGRATION }));
  return { bare, repo, does, exchange: await exchangeOf(gitDir, { exchange: `somebody@near:${bare.path}` }, SHORT) };
}

async function ready(at: Line): Promise<{ readonly to: string; readonly landing: Parameters<typeof land>[1] }> {
  const { exchange, repo } = at;
  repo.git('branch', 'made', 'integration');
  const to = repo.commitTo('made', { 'a.txt': 'a\n' });
  const marked = await markFences(exchange, [FENCE], new Map());
  if (marked.how !== 'marked') throw new Error(marked.how);
  const { mark } = marked;
  return { to, landing: { branch: INTEGRATION, from: undefined, to, mark, fences: [{ ref: FENCE, candidate: to }] } };
}

test('by ssh it lands', async () => {
  const at = await line();
  const { to, landing } = await ready(at);
  expect(await land(at.exchange, landing)).toEqual({ how: 'done' });
  expect(at.bare.refs()).toEqual({ [INTEGRATION]: to, [FENCE]: to });
});

test.each(
  inFull ? ['down', 'cut-up 0', 'cut-up 200', 'cut-up 600', 'cut-down 10', 'half-open'] : ['down', 'half-open'],
)(
  'a connection that is %s: unreachable, in time, and nothing has moved',
  async (how) => {
    const at = await line();
    const { to, landing } = await ready(at);
    at.does(how);
    const begun = performance.now();
    expect(await land(at.exchange, landing)).toMatchObject({ how: 'unreachable' });
    expect(performance.now() - begun).toBeLessThan(2 * (SHORT.push + SHORT.list));
    at.does('well');
    const listed = await listRefs(at.exchange, INTEGRATION);
    expect(listed).toEqual({ how: 'listed', refs: new Map([[FENCE, landing.mark]]) });
    expect(await land(at.exchange, landing)).toEqual({ how: 'done' });
    expect(at.bare.refs()).toEqual({ [INTEGRATION]: to, [FENCE]: to });
  },
  30_000,
);

test('the answer is lost: what has landed is found, and nothing lands twice', async () => {
  const at = await line();
  const { to, landing } = await ready(at);
  at.does('silent');
  expect(await land(at.exchange, landing)).toMatchObject({ how: 'unreachable' });
  expect(at.bare.refs()).toEqual({ [INTEGRATION]: to, [FENCE]: to });
  at.does('well');
  const settled = await settle(at.exchange, INTEGRATION, landing.fences);
  expect(settled).toEqual({ how: 'settled', landed: new Set([FENCE]), head: to });
  expect(await land(at.exchange, landing)).toEqual({ how: 'done' });
  expect(at.bare.refs()).toEqual({ [INTEGRATION]: to, [FENCE]: to });
});

test('the answer is lost, and another host builds on it: it has landed, and does not land again', async () => {
  const at = await line();
  const { to, landing } = await ready(at);
  at.does('silent');
  expect(await land(at.exchange, landing)).toMatchObject({ how: 'unreachable' });
  const next = at.bare.git('commit-tree', `${to}^{tree}`, '-p', to, '-m', 'of another host');
  at.bare.git('update-ref', INTEGRATION, next);
  at.does('well');
  expect(await land(at.exchange, landing)).toEqual({ how: 'done' });
  expect(at.bare.refs()).toEqual({ [INTEGRATION]: next, [FENCE]: to });
});

test.runIf(inFull).each(['down', 'cut-down 3000', 'half-open'])(
  'a commit whose fetch is %s: unreachable, in time, and nothing of it is here (in test:all)',
  async (how) => {
    const at = await line();
    const { bare } = at;
    const elsewhere = hostClone();
    elsewhere.write({ 'large.bin': randomBytes(50_000).toString('hex') });
    const commit = elsewhere.commit({}, 'large');
    elsewhere.git('push', '--quiet', bare.path, `${commit}:refs/liza/review/t/1`);
    const wanted = [{ ref: 'refs/liza/review/t/1', commit }];
    at.does(how);
    const begun = performance.now();
    expect(await bringCommits(at.exchange, wanted)).toMatchObject({ how: 'unreachable' });
    expect(performance.now() - begun).toBeLessThan(2 * SHORT.fetch);
    expect(() => at.repo.git('cat-file', '-e', commit)).toThrow();
    at.does('well');
    expect(await bringCommits(at.exchange, wanted)).toEqual({ how: 'done' });
    expect(at.repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  },
  30_000,
);

test('more than a host takes at once is a refusal, and nothing of it stays', async () => {
  const { bare, exchange, repo } = await line();
  const elsewhere = hostClone();
  elsewhere.write({ 'large.bin': randomBytes(SHORT.largest).toString('hex') });
  const commit = elsewhere.commit({}, 'large');
  elsewhere.git('push', '--quiet', bare.path, `${commit}:refs/liza/review/t/1`);
  const ended = await bringCommits(exchange, [{ ref: 'refs/liza/review/t/1', commit }]);
  expect(ended).toMatchObject({ how: 'refused', why: expect.stringContaining('more than') });
  expect(() => repo.git('cat-file', '-e', commit)).toThrow();
  expect(fs.readdirSync(repo.file('.git', 'liza'))).toEqual(['git']);
});

test('a hook that declines is a refusal with its reason', async () => {
  const { bare, exchange, repo } = await line();
  bare.hook('pre-receive', 'echo "only on workdays" >&2; exit 1');
  const refused = await pushRefs(exchange, [{ ref: INTEGRATION, to: repo.head(), from: null }]);
  expect(refused).toMatchObject({ how: 'refused', why: expect.stringContaining('pre-receive hook declined') });
  expect(bare.refs()).toEqual({});
});

test('a commit that the server refuses stops no other, and comes there when it accepts it', async () => {
  const { bare, repo, exchange } = await line();
  const made = (file: string, name: string): string => {
    repo.git('branch', '--force', `of-${name}`, 'integration');
    return repo.commitTo(`of-${name}`, { [file]: `${name}\n` });
  };
  const refs = ['a', 'b', 'big', 'c', 'd'].map((name) => {
    const commit = made(name === 'big' ? 'x.big' : `${name}.txt`, name);
    repo.git('update-ref', `refs/liza/review/${name}/1`, commit);
    return [`refs/liza/review/${name}/1`, commit] as const;
  });
  bare.hook(
    'pre-receive',
    'while read -r _ to _; do git ls-tree -r --name-only $to | grep -q big && exit 1; done; exit 0',
  );
  const offered = await offerRefs(exchange, { epochs: new Map() });
  expect(offered).toMatchObject({ how: 'offered', refs: 4, left: { why: expect.stringContaining('review/big/1') } });
  expect(bare.refs('refs/liza')).toEqual(Object.fromEntries(refs.filter(([ref]) => !ref.includes('big'))));
  bare.hook('pre-receive', 'exit 0');
  expect(await offerRefs(exchange, { epochs: new Map() })).toEqual({ how: 'offered', refs: 1 });
  bare.hook('pre-receive', 'exit 1');
  for (const name of ['e', 'f']) repo.git('update-ref', `refs/liza/review/${name}/1`, made(`${name}.txt`, name));
  expect(await offerRefs(exchange, { epochs: new Map() })).toMatchObject({ how: 'offered', refs: 0, left: {} });
});

test('all that was sent arrives twice, or late: it counts once', async () => {
  const at = await line();
  const { to, landing } = await ready(at);
  at.does('twice');
  expect(await land(at.exchange, landing)).toEqual({ how: 'done' });
  at.does('delay 300');
  expect(await land(at.exchange, landing)).toEqual({ how: 'done' });
  expect(at.bare.refs()).toEqual({ [INTEGRATION]: to, [FENCE]: to });
});

test('a push that was under way when another took over comes too late', async () => {
  const at = await line();
  const { landing } = await ready(at);
  const heir = await line();
  const other = await exchangeOf(heir.exchange.gitDir, { exchange: at.bare.path }, SHORT);
  at.does('delay 1000');
  const late = land(at.exchange, landing);
  expect(await settle(other, INTEGRATION, landing.fences)).toMatchObject({ how: 'settled', landed: new Set() });
  expect((await late).how).toBe('fenced');
  expect(at.bare.refs()[INTEGRATION]).toBeUndefined();
});
