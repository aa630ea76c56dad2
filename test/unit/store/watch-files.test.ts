// When a change of the board's files is told: after the commit, not in the middle of it.

import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATOR } from '../../../src/protocol/board.ts';
import { start } from '../../../src/store/import.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { hostAt } from '../../host.ts';
import { boardContext } from '../../support/board-context.ts';
import { stateText } from '../../support/project.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { aBoard } from './conformance.ts';

/** A watched board whose clock and events are the test's. */
function watched() {
  const root = temporaryFolder();
  mkdirSync(join(root, '.liza'));
  const host = hostAt();
  start(boardContext(root, { host }), stateText(aBoard()), { actor: OPERATOR, command: 'init', detail: 'a board' });
  let time = 0;
  let pending: { readonly at: number; readonly call: () => void }[] = [];
  let event: (kind: string, file: string | null) => void = () => {};
  const handle = { on: () => handle, close: () => {} };
  const clock = {
    ...host.clock,
    monotonic: () => time,
    after: (ms: number, call: () => void) => {
      const one = { at: time + ms, call };
      pending.push(one);
      return () => {
        pending = pending.filter((other) => other !== one);
      };
    },
    every: () => () => {},
  };
  const watch = (_folder: string, told: typeof event) => {
    event = told;
    return handle;
  };
  const disk = { ...host.disk, watch } as unknown as typeof host.disk;
  const told: number[] = [];
  yamlStore(boardContext(root, { host: { ...host, disk, clock } })).watch(() => told.push(time));
  return {
    told,
    write: (file: string) => {
      appendFileSync(join(root, '.liza', file), '\n');
      event('change', file);
    },
    pass: (ms: number) => {
      const until = time + ms;
      for (;;) {
        const [next] = pending.toSorted((a, b) => a.at - b.at);
        if (next === undefined || next.at > until) break;
        time = next.at;
        pending = pending.filter((other) => other !== next);
        next.call();
      }
      time = until;
    },
  };
}

test('a commit is told once, when its state.yaml is there', () => {
  const { told, write, pass } = watched();
  write('journal.jsonl');
  pass(15);
  expect(told).toEqual([]);
  write('state.yaml');
  pass(100);
  expect(told).toEqual([16]);
});

test('a commit whose writer was killed before its state.yaml is told all the same', () => {
  const { told, write, pass } = watched();
  write('journal.jsonl');
  pass(100);
  expect(told).toEqual([40]);
});

test('commit after commit puts nothing off', () => {
  const { told, write, pass } = watched();
  for (let n = 0; n < 100; n += 1) {
    write(n % 2 === 0 ? 'journal.jsonl' : 'state.yaml');
    pass(2);
  }
  expect(told.length).toBeGreaterThan(20);
});
