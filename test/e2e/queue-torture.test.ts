// The merge queue as processes, tortured at random: killed, held, released, reordered, its branch moved by hand, with tests
// that break down for a while. Whatever happens: each head of the branch was green itself, nothing good is lost or blamed,
// and nothing is left behind. `LIZA_SEEDS=1-40` plays those seeds.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runs } from '../runs.ts';
import { builtIn } from '../support/program.ts';
import { approvedTask, project } from '../support/project.ts';
import { random } from '../unit/protocol/queue/simulated.ts';

/** Each run says which commit it judged, and how. */
const SCRIPT = `run=$(($(cat "$HOME/n" 2>/dev/null || echo 0) + 1)); echo $run > "$HOME/n"
commit=$(git rev-parse HEAD)
is() { echo "$1 $commit" >> "$HOME/verdicts"; }
sleep 0.2
. "$HOME/weather"
for bad in *.bad; do [ ! -e "$bad" ] || { is red; exit 1; }; done
[ ! -e left.half ] || [ ! -e right.half ] || { is red; exit 1; }
is green
`;
const PRELOAD = path.join(import.meta.dirname, 'kill-at.cjs');

const [from = 1, to = from] = (process.env['LIZA_SEEDS'] ?? `1-${runs(8)}`).split('-').map(Number);

test.each(Array.from({ length: to - from + 1 }, (_, n) => from + n))(
  'seed %i',
  async (seed) => {
    const chance = random(seed);
    const below = (n: number): number => Math.floor(chance() * n);
    const ids = Array.from({ length: 4 + below(5) }, (_, n) => `t${n + 1}`);
    const kinds = new Map(ids.map((id) => [id, chance() < 0.2 ? 'bad' : 'good']));
    const [left, right] = chance() < 0.4 ? [ids[below(3)], ids[3]] : [];
    const contents = (id: string) => {
      if (kinds.get(id) === 'bad') return { [`${id}.bad`]: 'x\n' };
      return {
        [`${id}.txt`]: 'x\n',
        ...(id === left ? { 'left.half': 'x\n' } : id === right ? { 'right.half': 'x\n' } : {}),
      };
    };
    const config = {
      ...{ sandbox: 'off' as const, integration_test_timeout: 60 },
      ...{ merge_batch: (['auto', 2, 3, 1] as const)[below(4)] ?? 'auto', merge_lanes: 1 + below(3) },
    };
    const p = project({
      files: { 'scripts/integration-test.sh': SCRIPT },
      config,
      tasks: (made) => ids.map((id) => approvedTask(made, id, contents(id))),
    });
    const built = builtIn(p);
    // One outage, or one run that is red by chance, or fair weather.
    const begins = 1 + below(9);
    const ends = begins + (chance() < 0.6 ? below(9) : 0);
    const storm = `[ $run -lt ${begins} ] || [ $run -gt ${ends} ] || { is red; exit 1; }\n`;
    fs.writeFileSync(path.join(p.base, 'weather'), chance() < 0.7 ? storm : '');
    const told: string[] = [
      JSON.stringify({ ...config, kinds: [...kinds.values()].join(), left, right, begins, ends }),
    ];
    const byHand = new Set([p.head()]);
    const out = new Set<string>();
    const waiting = () =>
      built
        .board()
        .tasks.filter(({ status }) => status === 'APPROVED')
        .map(({ id }) => id);
    const say = (argv: readonly string[]): boolean => {
      const { code, stderr } = built.liza(argv);
      told.push(`${argv.join(' ')}: ${code} ${code === 0 ? '' : stderr.trim().slice(0, 160)}`);
      return code === 0;
    };
    const some = (): string => ids[below(ids.length)] ?? '';
    const acts: readonly (() => void)[] = [
      () => {
        const id = some();
        if (say(['queue', 'out', id, '--reason', 'not wanted'])) out.add(id);
      },
      () => void say(['queue', 'first', some()]),
      () => void say(['queue', 'hold']),
      () => void say(['queue', 'release']),
      () => void say(['queue', 'hold', some()]),
      () => void say(['queue', 'release', some()]),
      () => {
        const mine = p.git('commit-tree', 'integration^{tree}', '-p', 'integration', '-m', 'by hand');
        p.git('update-ref', 'refs/heads/integration', mine);
        byHand.add(mine);
        told.push('moved by hand');
        say(['doctor', '--accept-integration']);
      },
    ];
    for (let times = 0; times < 5 && waiting().length > 0; times++) {
      const killed = chance();
      const at = 1 + below(14);
      const env = killed < 0.3 ? { KILL_AT: String(at), NODE_OPTIONS: `--require=${PRELOAD}` } : {};
      const run = built.start(['queue', 'run'], { env });
      let isOver = false;
      void run.ended.then(() => (isOver = true));
      for (let n = 0; n < 3 && !isOver; n++) {
        await new Promise((resolve) => setTimeout(resolve, 300 + below(1500)));
        if (chance() < 0.5) acts[below(acts.length)]?.();
      }
      if (killed > 0.7 && !isOver) {
        run.child.kill('SIGKILL');
        told.push('killed');
      }
      const { code, signal, stderr } = await run.ended;
      told.push(`run: ${code ?? signal} ${stderr.trim().slice(-200)}`);
    }
    for (const id of ids) built.liza(['queue', 'release', id]);
    for (let times = 0; times < 40 && waiting().length > 0; times++) {
      built.liza(['doctor', '--accept-integration']);
      built.liza(['queue', 'release']);
      const { code, stderr } = built.liza(['queue', 'run']);
      told.push(`run: ${code} ${stderr.trim().slice(-200)}`);
    }
    const board = built.board() as ReturnType<typeof built.board> & { goal: Record<string, unknown> };
    const statuses = Object.fromEntries(board.tasks.map(({ id, status }) => [id, status]));
    const bothHalves = left !== undefined && right !== undefined;
    const isHalf = (id: string): boolean => bothHalves && (id === left || id === right);
    const wrong = ids.filter((id) => {
      const is = statuses[id];
      if (kinds.get(id) === 'bad' || out.has(id)) return is !== 'INTEGRATION_FAILED';
      return is !== 'MERGED' && !(isHalf(id) && is === 'INTEGRATION_FAILED');
    });
    const halves = [left, right].map((id) => statuses[id ?? '']);
    const oneHalfAtLeast =
      !bothHalves ||
      [left, right].some((id) => out.has(id ?? '') || kinds.get(id ?? '') === 'bad') ||
      halves.includes('MERGED');
    const verdicts = fs.readFileSync(path.join(p.base, 'verdicts'), 'utf8').split('\n');
    const greens = new Set(verdicts.flatMap((line) => (line.startsWith('green ') ? [line.slice(6)] : [])));
    const heads = built
      .journal()
      .flatMap(
        ({ detail }) => /integration to ([0-9a-f]{12})|merged as ([0-9a-f]{12})/.exec(String(detail))?.[2] ?? [],
      );
    const untested = heads.filter((head) => ![...greens].some((green) => green.startsWith(head)));
    const there = p.git('ls-tree', '--name-only', 'integration').split('\n');
    const missing = ids.filter(
      (id) => (statuses[id] === 'MERGED') !== there.includes(`${id}.${kinds.get(id) === 'bad' ? 'bad' : 'txt'}`),
    );
    const queue = (board.goal['queue'] ?? {}) as Record<string, unknown>;
    const leftovers = fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.merge'));
    expect({
      ...{ wrong, oneHalfAtLeast, untested, missing, held: queue['held'], batch: queue['batch'], leftovers },
      ...{ pins: Object.keys(p.refs('refs/liza/merging')), head: board.goal['integration_head'] === p.head() },
      ...{ merging: board.tasks.filter((task) => task['merging'] !== undefined).map(({ id }) => id) },
      ...(wrong.length > 0 || untested.length > 0 ? { told, statuses, verdicts } : {}),
    }).toEqual({
      ...{
        wrong: [],
        oneHalfAtLeast: true,
        untested: [],
        missing: [],
        held: undefined,
        batch: undefined,
        leftovers: [],
      },
      ...{ pins: [], head: true, merging: [] },
    });
  },
  300_000,
);
