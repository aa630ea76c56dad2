// Two hosts that land the same tasks through one exchange, freeze, die in the midst and are taken over: each task lands
// exactly once, and the branch is the recorded merges in their order. The board is the smallest thing that keeps the
// promise of the real one: whoever announces a merge has it alone, until it is taken away.

import { expect, test } from 'vitest';
import { listRefs } from '../../../src/exchange/call.ts';
import { bringCommits } from '../../../src/exchange/fetch.ts';
import { land, markFences, settle } from '../../../src/exchange/land.ts';
import type { Exchange } from '../../../src/exchange/open.ts';
import { pushRefs } from '../../../src/exchange/push.ts';
import { fenceOf } from '../../../src/exchange/rules/refs.ts';
import { treeIdOf } from '../../../src/git/refs.ts';
import { inFull, runs } from '../../runs.ts';
import { bareRepository, exchangeOf, hostClone, numbers } from '../../support/exchange.ts';
import { INTEGRATION } from '../../support/repository.ts';

interface Announced {
  readonly host: number;
  readonly candidate: string;
}

interface Row {
  announced?: Announced | undefined;
  merged?: string;
}

const TASKS = runs(200);

test.runIf(inFull)(
  `two hosts race for ${TASKS} merges: each lands once (in test:all)`,
  async () => {
    const bare = bareRepository();
    const repos = [hostClone(), hostClone()];
    const rows = new Map<string, Row>(Array.from({ length: TASKS }, (_, n) => [`t-${n}`, {}]));
    const recorded: string[] = [];
    const told = new Map<string, number>();
    const count = (what: string): void => void told.set(what, (told.get(what) ?? 0) + 1);
    let landedLate = 0;

    const record = (task: string, commit: string): void => {
      const row = rows.get(task) ?? {};
      expect(row.merged).toBeUndefined();
      Object.assign(row, { merged: commit, announced: undefined });
      recorded.push(task);
    };

    async function host(n: number, exchange: Exchange, random: () => number): Promise<void> {
      const { gitDir } = exchange;
      for (;;) {
        const open = [...rows].filter(([, row]) => row.merged === undefined);
        if (open.length === 0) return;
        const [task, row] = open[Math.floor(random() * Math.min(3, open.length))] ?? ['', {}];
        const fence = fenceOf(task, 1);
        const before = row.announced;
        if (before !== undefined) {
          // Dead or frozen, nobody can tell: it is taken away.
          if (before.host === n && random() < 0.5) continue;
          const settled = await settle(exchange, INTEGRATION, [{ ref: fence, candidate: before.candidate }]);
          if (settled.how !== 'settled' || row.announced !== before) continue;
          if (settled.landed.has(fence)) {
            count('found landed');
            record(task, before.candidate);
          } else row.announced = undefined;
          continue;
        }
        const listed = await listRefs(exchange, INTEGRATION);
        if (listed.how !== 'listed') throw new Error(listed.why);
        const from = listed.refs.get(INTEGRATION) ?? '';
        await bringCommits(exchange, [{ ref: INTEGRATION, commit: from }]);
        const marked = await markFences(exchange, [fence], listed.refs);
        if (marked.how !== 'marked') {
          count(`mark ${marked.how}`);
          continue;
        }
        const tree = await treeIdOf(gitDir, from);
        const made = await gitDir.objects(['commit-tree', tree, '-p', from], `${task}\n`);
        const to = made.stdout.trim();
        // The board: one at a time, and nothing that is merged.
        if (row.announced !== undefined || row.merged !== undefined) continue;
        const mine: Announced = { host: n, candidate: to };
        row.announced = mine;
        const fate = random();
        if (fate < 0.1) continue; // died before the push
        if (fate < 0.3) await gitDir.host.clock.sleep(random() * 150); // frozen
        const fences = [{ ref: fence, candidate: to }];
        const ended = await land(exchange, { branch: INTEGRATION, from, to, mark: marked.mark, fences });
        count(ended.how);
        if (fate > 0.9) continue; // died after it
        if (ended.how === 'done') {
          // Somebody who took it over has found it, or will: the board decides who says so.
          if (row.announced === mine) record(task, to);
          else landedLate += 1;
        } else if (row.announced === mine && ended.how !== 'unreachable') row.announced = undefined;
      }
    }

    const exchanges = await Promise.all(
      repos.map(async (repo) => exchangeOf(await repo.gitDir({ integration: INTEGRATION }), { exchange: bare.path })),
    );
    const [first] = exchanges;
    if (first !== undefined) await pushRefs(first, [{ ref: INTEGRATION, to: repos[0]?.head() ?? '', from: null }]);
    await Promise.all(exchanges.map((exchange, n) => host(n, exchange, numbers(n + 7))));

    const line = bare.git('log', '--first-parent', '--reverse', '--format=%H %s', INTEGRATION).split('\n').slice(1);
    expect(line.map((one) => one.split(' ')[1]).sort()).toEqual([...rows.keys()].sort());
    expect(line).toEqual(line.map((one) => `${rows.get(one.split(' ')[1] ?? '')?.merged} ${one.split(' ')[1]}`));
    expect(new Set(recorded).size).toBe(TASKS);
    expect(told.get('done')).toBeGreaterThan(0);
    expect(
      (told.get('fenced') ?? 0) + (told.get('stale') ?? 0) + (told.get('found landed') ?? 0) + landedLate,
    ).toBeGreaterThan(0);
  },
  300_000,
);
