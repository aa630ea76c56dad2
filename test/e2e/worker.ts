// A long-lived process that writes through the store, as a supervisor does. Says `ready`, waits for a
// line on stdin (so that a test can start many at once), works, says `done {json}`.
//   worker notes <root> <name> <count>          so many notes, one transaction each
//   worker stopped <root> <name> <point>        one note; stops itself (SIGSTOP) when it comes to the point:
//     decide: under the lock, before anything is written
//     append: just before the journal line, after the last look at the lock file
//     rename: the journal line is durable, state.yaml not yet replaced
//     mirror: about to bring the copy in the git directory up to date
//   worker hold <root>                          takes the lock, says `held`, frees it at the next line

import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Files } from '../../src/ports/files.ts';
import { OPERATOR } from '../../src/protocol/board.ts';
import { decide } from '../../src/protocol/decide.ts';
import { mirrorJournal } from '../../src/store/git-dir-copy.ts';
import type { Outcome, Store } from '../../src/store/store.ts';
import { yamlStore } from '../../src/store/yaml-store.ts';
import { boardContext } from '../support/board-context.ts';

const [mode, root = '', name = '', last = ''] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const note = (store: Store, message: string, before?: () => void): Promise<Outcome> =>
  store.transact({ actor: OPERATOR, command: 'note' }, (board, now) => {
    before?.();
    return decide(board, { name: 'note', message }, { actor: OPERATOR, now });
  });

/** In a crowd on a busy machine one may wait for longer than a lock is waited for: it is told so, and asks again. */
async function noteInTurn(store: Store, message: string): Promise<Outcome> {
  for (;;) {
    const outcome = await note(store, message);
    if (outcome.ok || outcome.code !== 2) return outcome;
  }
}

async function notes(count: number): Promise<void> {
  const store = yamlStore(boardContext(root));
  say('ready');
  await lines.next();
  const started = performance.now();
  const failed: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const outcome = await noteInTurn(store, `${name} ${number}`);
    if (!outcome.ok) failed.push(`${name} ${number}: ${outcome.message}`);
  }
  say(`done ${JSON.stringify({ ms: performance.now() - started, failed })}`);
}

/** Only the first time: a turn that is taken again goes through. */
function once(act: () => void): () => void {
  let over = false;
  return () => {
    if (over) return;
    over = true;
    act();
  };
}

async function stopped(point: string): Promise<void> {
  const context = boardContext(root);
  const stop = once(() => {
    // A shell sends the signal, so that it has arrived when this call returns.
    spawnSync('sh', ['-c', `kill -STOP ${process.pid}`]);
  });
  const { files, paths } = context;
  const pausing: Files = {
    ...files,
    open: (path, flags) => {
      if (point === 'append' && path === paths.journal && flags === 'a') stop();
      if (point === 'mirror' && path === mirrorJournal(paths.mirror ?? '') && flags === 'a') stop();
      return files.open(path, flags);
    },
    rename: (from, to) => {
      if (point === 'rename' && to === paths.state) stop();
      files.rename(from, to);
    },
  };
  const store = yamlStore({ ...context, files: pausing });
  say('ready');
  await lines.next();
  const outcome = await note(store, name, point === 'decide' ? stop : undefined);
  say(`done ${JSON.stringify(outcome.ok ? { ok: true, seq: outcome.seq } : outcome)}`);
}

async function hold(): Promise<void> {
  const lock = await boardContext(root).lock();
  if (!('release' in lock)) throw new Error('no lock');
  say('held');
  await lines.next();
  lock.release();
}

async function main(): Promise<void> {
  if (mode === 'notes') await notes(Number(last));
  else if (mode === 'stopped') await stopped(last);
  else if (mode === 'hold') await hold();
  else throw new Error(`no mode ${mode}`);
  process.stdin.destroy();
}

void main();
