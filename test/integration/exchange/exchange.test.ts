// The exchange with real git: one move for integration and fences, objects on demand, offers, retention, the anchor.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { anchorThere, writeAnchor } from '../../../src/exchange/anchor.ts';
import { listRefs } from '../../../src/exchange/call.ts';
import { bringCommits } from '../../../src/exchange/fetch.ts';
import { land, markFences, settle } from '../../../src/exchange/land.ts';
import { offerRefs } from '../../../src/exchange/offer.ts';
import type { Exchange } from '../../../src/exchange/open.ts';
import { pushRefs } from '../../../src/exchange/push.ts';
import { fenceOf } from '../../../src/exchange/rules/refs.ts';
import { sweepExchange } from '../../../src/exchange/sweep.ts';
import { type Bare, bareRepository, exchangeOf, hostClone } from '../../support/exchange.ts';
import { INTEGRATION, type Repository } from '../../support/repository.ts';

interface Member {
  readonly repo: Repository;
  readonly exchange: Exchange;
}

async function member(bare: Bare, prefix?: string): Promise<Member> {
  const repo = hostClone();
  const gitDir = await repo.gitDir({ integration: INTEGRATION });
  return { repo, exchange: await exchangeOf(gitDir, { exchange: bare.path, exchange_prefix: prefix }) };
}

/** A commit that builds on where that host's integration is. */
function made(repo: Repository, files: Readonly<Record<string, string>>): string {
  repo.git('branch', '--force', 'made', 'integration');
  return repo.commitTo('made', files);
}

/** Marks the fence as it is, and lands. */
async function landed({ exchange }: Member, task: string, from: string | undefined, to: string) {
  const mark = await marked({ exchange }, task);
  return land(exchange, { branch: INTEGRATION, from, to, mark, fences: [{ ref: fenceOf(task, 1), candidate: to }] });
}

async function marked({ exchange }: Pick<Member, 'exchange'>, task: string): Promise<string> {
  const listed = await listRefs(exchange);
  if (listed.how !== 'listed') throw new Error(listed.why);
  const ended = await markFences(exchange, [fenceOf(task, 1)], listed.refs);
  if (ended.how !== 'marked') throw new Error(ended.how);
  return ended.mark;
}

test('a move takes the branch and the fence with it, and a repeated one changes nothing', async () => {
  const bare = bareRepository();
  const { repo, exchange } = await member(bare);
  const to = made(repo, { 'a.txt': 'a\n' });
  const mark = await marked({ exchange }, 't');
  const fences = [{ ref: fenceOf('t', 1), candidate: to }];
  const landing = { branch: INTEGRATION, from: undefined, to, mark, fences };
  expect(await land(exchange, landing)).toEqual({ how: 'done' });
  expect(await land(exchange, landing)).toEqual({ how: 'done' });
  expect(bare.refs()).toEqual({ [INTEGRATION]: to, [fenceOf('t', 1)]: to });
});

test('a stale head moves neither the branch nor the fence', async () => {
  const bare = bareRepository();
  const one = await member(bare);
  const { repo, exchange } = one;
  const base = repo.head();
  await pushRefs(exchange, [{ ref: INTEGRATION, to: base, from: null }]);
  const first = made(repo, { 'a.txt': 'a\n' });
  expect(await landed(one, 'one', base, first)).toEqual({ how: 'done' });
  const second = made(repo, { 'b.txt': 'b\n' });
  expect(await landed(one, 'two', base, second)).toEqual({ how: 'stale', ref: INTEGRATION, found: first });
  expect(bare.refs()).toMatchObject({ [INTEGRATION]: first, [fenceOf('one', 1)]: first });
  expect(bare.refs()[fenceOf('two', 1)]).not.toBe(second);
});

test('whoever takes a merge over keeps the former host out, or learns that it has landed', async () => {
  const bare = bareRepository();
  const [zombie, heir] = [await member(bare), await member(bare)];
  const base = zombie.repo.head();
  await pushRefs(zombie.exchange, [{ ref: INTEGRATION, to: base, from: null }]);
  const mark = await marked(zombie, 't');
  const late = made(zombie.repo, { 'a.txt': 'a\n' });
  const fences = [{ ref: fenceOf('t', 1), candidate: late }];
  expect(await settle(heir.exchange, INTEGRATION, fences)).toEqual({ how: 'settled', landed: new Set(), head: base });
  const ended = await land(zombie.exchange, { branch: INTEGRATION, from: base, to: late, mark, fences });
  expect(ended).toMatchObject({ how: 'fenced', ref: fenceOf('t', 1) });
  const to = made(heir.repo, { 'b.txt': 'b\n' });
  expect(await landed(heir, 't', base, to)).toEqual({ how: 'done' });
  const settled = await settle(zombie.exchange, INTEGRATION, [{ ref: fenceOf('t', 1), candidate: to }]);
  expect(settled).toEqual({ how: 'settled', landed: new Set([fenceOf('t', 1)]), head: to });
});

test('a commit of another host comes with its history, and nothing else does', async () => {
  const bare = bareRepository();
  const [one, other] = [await member(bare), await member(bare)];
  const commit = made(one.repo, { 'a.txt': 'a\n' });
  one.repo.git('tag', 'v1', commit);
  one.repo.git('update-ref', 'refs/liza/review/t/1', commit);
  expect(await offerRefs(one.exchange, { epochs: new Map() })).toEqual({ how: 'offered', refs: 1 });
  const before = other.repo.refs();
  const ref = 'refs/liza/review/t/1';
  expect(await bringCommits(other.exchange, [{ ref, commit }])).toEqual({ how: 'done' });
  expect(other.repo.git('show', `${commit}:a.txt`)).toBe('a');
  expect(other.repo.refs()).toEqual(before);
});

test('a commit that git does not accept is not taken', async () => {
  const bare = bareRepository();
  const { repo, exchange } = await member(bare);
  const tree = repo.git('rev-parse', 'HEAD^{tree}');
  const text = `tree ${tree}\nauthor nobody\ncommitter nobody\n\nbroken\n`;
  const folder = hostClone();
  folder.write({ 'commit.txt': text });
  const bad = folder.git('hash-object', '-t', 'commit', '--literally', '-w', 'commit.txt');
  folder.git('push', '--quiet', bare.path, `${bad}:refs/liza/review/t/1`);
  const ended = await bringCommits(exchange, [{ ref: 'refs/liza/review/t/1', commit: bad }]);
  expect(ended).toMatchObject({ how: 'refused' });
  expect(() => repo.git('cat-file', '-e', bad)).toThrow();
});

test('work that got the same number on two hosts is kept under two', async () => {
  const bare = bareRepository();
  const [one, other] = [await member(bare), await member(bare)];
  const commits = [one, other].map(({ repo }, n) => {
    const commit = made(repo, { 'a.txt': `${n}\n` });
    repo.git('update-ref', 'refs/liza/attempts/t/1', commit);
    return commit;
  });
  for (const { exchange } of [one, other]) await offerRefs(exchange, { epochs: new Map() });
  const kept = { 'refs/liza/attempts/t/1': commits[0], 'refs/liza/attempts/t/2': commits[1] };
  expect(bare.refs('refs/liza')).toEqual(kept);
  expect(other.repo.refs('refs/liza')).toEqual({ 'refs/liza/attempts/t/2': commits[1] });
  expect(await offerRefs(other.exchange, { epochs: new Map() })).toEqual({ how: 'offered', refs: 0 });
});

test('the tip of a task at work follows, each epoch under a name of its own', async () => {
  const bare = bareRepository();
  const { repo, exchange } = await member(bare);
  const tips: Record<string, string> = {};
  for (const [epoch, text] of [
    [1, 'a'],
    [1, 'b'],
    [2, 'c'],
  ] as const) {
    const commit = made(repo, { 'a.txt': text });
    repo.git('update-ref', 'refs/liza/seen/t', commit);
    tips[`refs/liza/tips/t/${epoch}`] = commit;
    expect(await offerRefs(exchange, { epochs: new Map([['t', epoch]]) })).toEqual({ how: 'offered', refs: 1 });
  }
  expect(bare.refs()).toEqual(tips);
});

test('a server that refuses refs/liza is told by name, and branches below a prefix serve instead', async () => {
  const bare = bareRepository();
  bare.git('config', 'receive.hideRefs', 'refs/liza');
  const { exchange: plain } = await member(bare);
  const refused = await markFences(plain, [fenceOf('t', 1)], new Map());
  expect(refused).toMatchObject({ how: 'refused', mend: expect.stringContaining('exchange_prefix liza') });
  const own = await member(bare, 'liza');
  const to = made(own.repo, { 'a.txt': 'a\n' });
  expect(await landed(own, 't', undefined, to)).toEqual({ how: 'done' });
  expect(bare.refs()).toEqual({ [INTEGRATION]: to, 'refs/heads/liza/fence/t/1': to });
});

test('git moves a branch alone where the server hides the refs that go with it: why fences are marked first', async () => {
  const bare = bareRepository();
  bare.git('config', 'receive.hideRefs', 'refs/liza');
  const { repo, exchange } = await member(bare);
  await pushRefs(exchange, [
    { ref: fenceOf('t', 1), to: repo.head(), from: null },
    { ref: INTEGRATION, to: repo.head(), from: null },
  ]);
  expect(bare.refs()).toEqual({ [INTEGRATION]: repo.head() });
});

test('a folder’s own hooks and settings start nothing here', async () => {
  const bare = bareRepository();
  const { repo, exchange } = await member(bare);
  const touched = `${repo.base}/touched`;
  for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction'])
    bare.hook(hook, `touch ${touched}`);
  bare.git('config', 'core.fsmonitor', `touch ${touched}`);
  bare.git('config', 'core.alternateRefsCommand', `touch ${touched}`);
  expect(await pushRefs(exchange, [{ ref: INTEGRATION, to: repo.head(), from: null }])).toEqual({ how: 'done' });
  expect(await listRefs(exchange, INTEGRATION)).toMatchObject({ how: 'listed' });
  expect(fs.existsSync(touched)).toBe(false);
});

test('a checkout that the folder names here gets no files, and no filter runs', async () => {
  const bare = bareRepository();
  const { repo, exchange } = await member(bare);
  expect(await pushRefs(exchange, [{ ref: INTEGRATION, to: repo.head(), from: null }])).toEqual({ how: 'done' });
  const [touched, planted] = [`${repo.base}/touched`, `${repo.base}/planted`];
  bare.git('worktree', 'add', '-q', planted, 'integration');
  bare.git('config', 'receive.denyCurrentBranch', 'updateInstead');
  bare.git('config', 'filter.evil.smudge', `touch ${touched}; cat`);
  fs.mkdirSync(`${bare.path}/info`, { recursive: true });
  fs.writeFileSync(`${bare.path}/info/attributes`, '* filter=evil\n');
  const to = made(repo, { 'owned.txt': 'x\n' });
  const said = await pushRefs(exchange, [{ ref: INTEGRATION, to, from: repo.head() }]);
  expect(said).not.toEqual({ how: 'done' });
  expect([touched, `${planted}/owned.txt`].filter((path) => fs.existsSync(path))).toEqual([]);
});

test('with ids of sha256 it is the same', async () => {
  const bare = bareRepository('sha256');
  const [one, other] = [hostClone('sha256'), hostClone('sha256')];
  const at = async (repo: Repository): Promise<Member> => {
    const gitDir = await repo.gitDir({ integration: INTEGRATION });
    return { repo, exchange: await exchangeOf(gitDir, { exchange: bare.path }) };
  };
  const to = made(one, { 'a.txt': 'a\n' });
  expect(await landed(await at(one), 't', undefined, to)).toEqual({ how: 'done' });
  const { exchange } = await at(other);
  expect(await bringCommits(exchange, [{ ref: INTEGRATION, commit: to }])).toEqual({ how: 'done' });
  expect(other.git('show', `${to}:a.txt`)).toBe('a');
});

test('refs of merged tasks go, and what somebody may still need stays', async () => {
  const bare = bareRepository();
  const { repo, exchange } = await member(bare);
  const at = repo.head();
  const names = [
    'fence/done/1',
    'tips/done/1',
    'review/done/1',
    'fence/open/1',
    'tips/open/1',
    'tips/open/2',
    'review/open/1',
  ];
  await pushRefs(
    exchange,
    names.map((name) => ({ ref: `refs/liza/${name}`, to: at, from: null })),
  );
  const tasks = new Map([
    ['done', { epoch: 1, merged: true, over: true }],
    ['open', { epoch: 2, merged: false, over: false }],
  ]);
  const listed = await listRefs(exchange);
  const refs = listed.how === 'listed' ? listed.refs : new Map();
  expect(await sweepExchange(exchange, refs, tasks)).toEqual({ how: 'swept', refs: 4 });
  const left = ['fence/open/1', 'review/open/1', 'tips/open/2'].map((name) => `refs/liza/${name}`);
  expect(Object.keys(bare.refs())).toEqual(left);
});

test('the anchor goes forward only from what its writer has seen', async () => {
  const bare = bareRepository();
  const [one, other] = [await member(bare), await member(bare)];
  expect(await anchorThere(one.exchange)).toEqual({ how: 'none' });
  const first = { board: 'b-1', seq: 7, hash: 'a'.repeat(64) };
  expect(await writeAnchor(one.exchange, first, undefined)).toEqual({ how: 'done' });
  const found = await anchorThere(other.exchange);
  expect(found).toMatchObject({ how: 'found', anchor: first });
  const at = found.how === 'found' ? found.at : undefined;
  expect(await writeAnchor(other.exchange, { ...first, seq: 9 }, at)).toEqual({ how: 'done' });
  expect((await writeAnchor(one.exchange, { ...first, seq: 8 }, at)).how).toBe('stale');
  expect(await anchorThere(one.exchange)).toMatchObject({ how: 'found', anchor: { ...first, seq: 9 } });
});
