// The rules of the exchange: names, what git's answers mean, what goes, the anchor, and when an outage is told.

import { describe, expect, test } from 'vitest';
import { anchorText, compareAnchor, readAnchor } from '../../../src/exchange/rules/anchor.ts';
import { afterCall, type Outage, outageText } from '../../../src/exchange/rules/outage.ts';
import { readFailure, rejectedIn, ruledOut, told } from '../../../src/exchange/rules/outcome.ts';
import { planOffer } from '../../../src/exchange/rules/plan-offer.ts';
import { ANCHOR, fenceOf, nameHere, nameThere, parseRef } from '../../../src/exchange/rules/refs.ts';
import { outdated } from '../../../src/exchange/rules/retention.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

describe('names', () => {
  test.each([[undefined], ['liza']])('there and back with the prefix %s', (prefix) => {
    for (const ref of [fenceOf('t', 3), 'refs/liza/review/t/1', ANCHOR])
      expect(nameHere(nameThere(ref, { prefix }), { prefix })).toBe(ref);
  });

  test('branches keep their names, and others’ refs are none of Liza’s', () => {
    expect(nameThere('refs/heads/integration', { prefix: 'liza' })).toBe('refs/heads/integration');
    expect(nameHere('refs/heads/main', { prefix: 'liza' })).toBeUndefined();
    expect(nameHere('refs/tags/v1', {})).toBeUndefined();
  });

  test.each([
    'refs/liza/x/t/1',
    'refs/liza/review/t',
    'refs/liza/review/t/one',
    'refs/liza/review/t/1/2',
    'refs/heads/t',
  ])('%s is left alone', (ref) => expect(parseRef(ref)).toBeUndefined());
});

describe('what git says', () => {
  test.each([
    ['fatal: Authentication failed for …', 'refused'],
    ['git@near: Permission denied (publickey).', 'refused'],
    ["fatal: '/srv/hub.git' does not appear to be a git repository", 'refused'],
    ['fatal: unable to access: SSL certificate problem: self-signed', 'refused'],
    ['Host key verification failed.', 'refused'],
    ['ssh: connect to host near port 22: Connection timed out', 'unreachable'],
    ['fatal: the remote end hung up unexpectedly', 'unreachable'],
    ['something nobody has seen before', 'unreachable'],
  ])('%s: %s', (stderr, how) => {
    expect(readFailure({ status: 128, stdout: '', stderr })).toMatchObject({ how });
  });

  test('a login in an address is not repeated', () => {
    expect(told('fatal: unable to access https://me:secret@host/x: no')).toBe('unable to access https://host/x: no');
  });

  test('rejections name their refs; a rule of the server is told from a race', () => {
    const stdout = `To near\n!\t${A}:refs/liza/fence/t/1\t[remote rejected] (deny updating a hidden ref)\n*\t${A}:refs/heads/x\t[new branch]\nDone\n`;
    const rejected = rejectedIn(stdout);
    expect(rejected).toEqual([{ ref: 'refs/liza/fence/t/1', why: '[remote rejected] (deny updating a hidden ref)' }]);
    expect(ruledOut(rejected, false)).toMatchObject({
      how: 'refused',
      mend: expect.stringContaining('exchange_prefix'),
    });
    expect(ruledOut(rejected, true)).toMatchObject({ mend: expect.not.stringContaining('exchange_prefix') });
    expect(ruledOut([{ ref: 'refs/heads/x', why: '[rejected] (stale info)' }], false)).toBeUndefined();
  });
});

describe('what goes', () => {
  const over = { epoch: 2, merged: false, over: true, commit: A };
  const tasks = new Map([
    ['live', { epoch: 2, merged: false, over: false, commit: A }],
    ['merged', { ...over, merged: true }],
    ['dropped', over],
  ]);
  const goes = (ref: string, at = B): boolean => outdated(new Map([[ref, at]]), tasks).size === 1;

  test.each([
    ['fence/live/1', false],
    ['fence/merged/2', true],
    ['fence/dropped/1', false],
    ['tips/live/1', true],
    ['tips/live/2', false],
    ['tips/dropped/2', true],
    ['review/live/1', false],
    ['review/merged/1', true],
    ['attempts/merged/1', false],
    ['fence/unknown/1', false],
  ])('%s: %s', (name, gone) => expect(goes(`refs/liza/${name}`)).toBe(gone));

  test('the approved commit stays, and the anchor, and what others wrote', () => {
    expect(goes('refs/liza/review/merged/1', A)).toBe(false);
    for (const ref of [ANCHOR, 'refs/heads/integration', 'refs/liza/own/merged/1']) expect(goes(ref)).toBe(false);
  });

  test('of a task that is over the newest attempts stay, and no more than so many refs go at once', () => {
    const many = new Map(Array.from({ length: 500 }, (_, n) => [`refs/liza/attempts/merged/${n + 1}`, A]));
    const gone = outdated(many, tasks);
    expect(gone.size).toBe(200);
    expect(gone.has('refs/liza/attempts/merged/481')).toBe(false);
    const few = new Map([...many].slice(460));
    expect([...outdated(few, tasks).keys()]).toHaveLength(20);
  });
});

test('an offer takes no name away: other work gets the next number, and moves along here', () => {
  const here = new Map([
    ['refs/liza/attempts/t/1', A],
    ['refs/liza/attempts/t/2', B],
    ['refs/liza/seen/t', B],
    ['refs/liza/seen/elsewhere', B],
  ]);
  const there = new Map([['refs/liza/attempts/t/1', B]]);
  const plan = planOffer(here, there, new Map([['t', 4]]));
  expect(plan.pushes).toEqual([
    { ref: 'refs/liza/attempts/t/3', to: A, from: null },
    { ref: 'refs/liza/attempts/t/2', to: B, from: null },
    { ref: 'refs/liza/tips/t/4', to: B, from: null },
  ]);
  expect(plan.renumbered).toEqual([{ from: 'refs/liza/attempts/t/1', to: 'refs/liza/attempts/t/3', at: A }]);
});

describe('the anchor', () => {
  const anchor = { board: 'b-1', seq: 9, hash: A };

  test('is read as it was written, and nothing else is', () => {
    expect(readAnchor(anchorText(anchor))).toEqual(anchor);
    for (const text of ['', 'liza: anchor\n', `${anchorText(anchor)}more\n`, anchorText({ ...anchor, hash: 'x' })])
      expect(readAnchor(text)).toBeUndefined();
  });

  test.each([
    [{ seq: 9 }, A, { how: 'same' }],
    [{ seq: 12 }, A, { how: 'ahead' }],
    [{ seq: 12 }, undefined, { how: 'ahead' }],
    [{ seq: 12 }, B, { how: 'apart', anchored: 9 }],
    [{ seq: 7 }, undefined, { how: 'behind', anchored: 9, here: 7 }],
    [{ board: 'b-2' }, A, { how: 'another-board', board: 'b-1' }],
  ])('a board %j with %s there', (changes, hashAt, result) => {
    expect(compareAnchor(anchor, { ...anchor, ...changes }, hashAt)).toEqual(result);
  });
});

describe('an outage', () => {
  const lost = { how: 'unreachable', why: 'no route' } as const;

  test('is told when it lasts, with growing pauses, and ends with the first answer', () => {
    let outage: Outage | undefined;
    const pauses: number[] = [];
    let now = 1000;
    for (let n = 0; n < 8; n += 1) {
      outage = afterCall(outage, lost, now);
      pauses.push((outage?.next ?? 0) - now);
      now = outage?.next ?? 0;
    }
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(outageText(afterCall(undefined, lost, 0), 'hub', 5000)).toBeUndefined();
    expect(outageText(outage, 'hub', now)).toContain('the exchange hub cannot be reached: no route');
    expect(afterCall(outage, { how: 'stale', ref: 'x' }, now)).toBeUndefined();
  });

  test('a refusal is told at once, with what mends it', () => {
    const outage = afterCall(undefined, { how: 'refused', why: 'no login', mend: 'log in' }, 0);
    expect(outageText(outage, 'hub', 0)).toBe('the exchange hub refuses: no login; log in');
  });
});
