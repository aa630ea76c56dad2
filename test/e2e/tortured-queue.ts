// A queue of random tasks on real git, what a person does to it in between, and what must be so in the end.

import fs from 'node:fs';
import path from 'node:path';
import { type BuiltProject, builtIn } from '../support/program.ts';
import { approvedTask, type Project, project } from '../support/project.ts';
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

export interface Tortured {
  readonly p: Project;
  readonly built: BuiltProject;
  readonly ids: readonly string[];
  /** Red by themselves; two that are red together. */
  readonly bad: ReadonlySet<string>;
  readonly halves: readonly string[];
  /** Taken out by a person. */
  readonly out: Set<string>;
  /** What happened, for whoever reads a failure. */
  readonly told: string[];
  chance(): number;
  below(n: number): number;
  say(...argv: readonly string[]): boolean;
  waiting(): number;
  /** Changes of the board and test runs so far. */
  steps(): number;
}

export function torturedQueue(seed: number): Tortured {
  const chance = random(seed);
  const below = (n: number): number => Math.floor(chance() * n);
  const ids = Array.from({ length: 4 + below(5) }, (_, n) => `t${n + 1}`);
  const bad = new Set(ids.filter(() => chance() < 0.2));
  const halves = chance() < 0.4 ? [ids[below(3)] ?? '', ids[3] ?? ''] : [];
  const contents = (id: string) => {
    const half = [{ 'left.half': 'x\n' }, { 'right.half': 'x\n' }][halves.indexOf(id)];
    return { [fileOf(bad, id)]: 'x\n', ...half };
  };
  const sizes = ['auto', 1, 2, 3] as const;
  const config = { merge_batch: sizes[below(sizes.length)] ?? 'auto', merge_lanes: 1 + below(3) };
  const p = project({
    files: { 'scripts/integration-test.sh': SCRIPT },
    config: { ...config, sandbox: 'off', integration_test_timeout: 60 },
    tasks: (made) => ids.map((id) => approvedTask(made, id, contents(id))),
  });
  // One outage, or one run that is red by chance, or fair weather.
  const begins = 1 + below(9);
  const ends = begins + (chance() < 0.6 ? below(9) : 0);
  const storm = `[ $run -lt ${begins} ] || [ $run -gt ${ends} ] || { is red; exit 1; }\n`;
  fs.writeFileSync(path.join(p.base, 'weather'), chance() < 0.7 ? storm : '');
  const built = builtIn(p);
  const told = [JSON.stringify({ ...config, bad: [...bad], halves, begins, ends })];
  return {
    ...{ p, built, ids, bad, halves, told, chance, below, out: new Set() },
    say: (...argv) => {
      const { code, stderr } = built.liza(argv);
      told.push(`${argv.join(' ')}: ${code} ${stderr.trim().slice(-160)}`);
      return code === 0;
    },
    steps: () => {
      const read = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');
      return Number(read(path.join(p.base, 'n'))) + read(p.file('.liza', 'journal.jsonl')).split('\n').length;
    },
    waiting: () => built.board().tasks.filter(({ status }) => status === 'APPROVED').length,
  };
}

const fileOf = (bad: ReadonlySet<string>, id: string): string => `${id}.${bad.has(id) ? 'bad' : 'txt'}`;

/** One thing that a person does, whatever the queue is at. */
export function meddle({ p, ids, out, told, below, say }: Tortured): void {
  const one = ids[below(ids.length)] ?? '';
  const ways: readonly (() => void)[] = [
    () => void (say('queue', 'out', one, '--reason', 'not wanted') && out.add(one)),
    () => void say('queue', 'first', one),
    () => void say('queue', 'hold'),
    () => void say('queue', 'release'),
    () => void say('queue', 'hold', one),
    () => void say('queue', 'release', one),
    () => {
      const head = p.head();
      const mine = p.git('commit-tree', `${head}^{tree}`, '-p', head, '-m', 'by hand');
      // As `git commit` does it: what landed in between is not thrown away.
      try {
        p.git('update-ref', 'refs/heads/integration', mine, head);
      } catch {
        return void told.push('not moved by hand: it landed just then');
      }
      told.push('moved by hand');
      say('doctor', '--accept-integration');
    },
  ];
  ways[below(ways.length)]?.();
}

/** Nothing in each of them, unless a rule broke. */
export function wrongIn({ p, built, ids, bad, halves, out }: Tortured): Readonly<Record<string, unknown>> {
  const { tasks, goal } = built.board() as ReturnType<typeof built.board> & { goal: Record<string, unknown> };
  const is = Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
  const leaves = (id: string): boolean => bad.has(id) || out.has(id);
  const oneLeaves = halves.some(leaves) || halves.filter((id) => is[id] === 'INTEGRATION_FAILED').length === 1;
  const mayLeave = (id: string): boolean => halves.includes(id) && oneLeaves && is[id] === 'INTEGRATION_FAILED';
  const verdicts = fs.readFileSync(path.join(p.base, 'verdicts'), 'utf8').split('\n');
  const isGreen = (head: string): boolean => verdicts.some((line) => line.startsWith(`green ${head}`));
  const heads = built.journal().flatMap(({ detail }) => /merged as ([0-9a-f]{12})/.exec(String(detail))?.[1] ?? []);
  const there = p.git('ls-tree', '--name-only', 'integration').split('\n');
  const { held, batch } = (goal['queue'] ?? {}) as Record<string, unknown>;
  return {
    lost: ids.filter((id) => is[id] !== (leaves(id) ? 'INTEGRATION_FAILED' : 'MERGED') && !mayLeave(id)),
    untested: heads.filter((head) => !isGreen(head)),
    otherwise: ids.filter((id) => (is[id] === 'MERGED') !== there.includes(fileOf(bad, id))),
    elsewhere: goal['integration_head'] === p.head() ? [] : [p.head()],
    announced: tasks.filter((task) => task['merging'] !== undefined).map(({ id }) => id),
    open: [held, batch].filter((one) => one !== undefined),
    pins: Object.keys(p.refs('refs/liza/merging')),
    folders: fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.merge')),
  };
}
