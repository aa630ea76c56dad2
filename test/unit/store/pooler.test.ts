// How a pooler that mixes up sessions is told from one that does not, by the processes that serve two connections. With a
// real pgbouncer: test/integration/store/postgres/pooler.test.ts.

import { expect, test } from 'vitest';
import { type Connection, DatabaseError } from '../../../src/ports/database.ts';
import { refusePooler } from '../../../src/store/postgres/pooler.ts';

/** Served by these processes of the server, one after the other; the last one stays. */
function served(named: number | undefined, ...processes: readonly (number | 'no place')[]): Connection {
  let at = 0;
  return {
    query: () => {
      const found = processes[Math.min(at++, processes.length - 1)];
      return found === 'no place'
        ? Promise.reject(new DatabaseError('lost', 'no answer', ''))
        : Promise.resolve([{ pid: found }]);
    },
    run: () => Promise.resolve([]),
    ...{ onNotification: () => {}, onEnd: () => {}, background: () => {}, close: () => Promise.resolve() },
    ...{ isOpen: true, process: named },
  };
}
const told = async (first: Connection, second: Connection) =>
  (await refusePooler(first, () => Promise.resolve(second)))?.message;

test('the server itself is asked once, and nobody else connects', async () => {
  const never = () => Promise.reject(new Error('it connected'));
  expect(await refusePooler(served(7, 7), never)).toBeUndefined();
  expect(await refusePooler(served(undefined, 7), never)).toBeUndefined();
});

test('in session mode each connection keeps its process, or waits for a place', async () => {
  expect(await told(served(1, 7), served(2, 8))).toBeUndefined();
  expect(await told(served(1, 7), served(2, 'no place'))).toBeUndefined();
});

test('in transaction mode two connections share a process, or one changes it', async () => {
  expect(await told(served(1, 7), served(2, 7))).toContain('transaction mode');
  expect(await told(served(1, 7, 8), served(2, 9))).toContain('transaction mode');
  expect(await told(served(1, 7, 7, 7, 8), served(2, 9))).toContain('transaction mode');
  expect(await told(served(1, 7, 8), served(2, 'no place'))).toContain('transaction mode');
});
