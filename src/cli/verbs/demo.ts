// `liza demo`: a whole crew at work in a temporary repository, without account or network. The agents are
// rehearsals of demo/script.json; everything they do goes through the real commands, and at the end the board's
// own history must say that all of it happened. The repository stays, to look around in it.

import { tmpdir } from 'node:os';
import { realDisk } from '../../ports/disk.ts';
import { OPERATOR } from '../../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import type { State } from '../../protocol/state.ts';
import { readScript } from '../../rehearsal/check.ts';
import { GOAL, HOLD } from '../../rehearsal/demo/human.ts';
import { type DemoRepository, makeRepository, plainEnvironment } from '../../rehearsal/demo/repository.ts';
import { accountedTask, type Chapter, type Logged, story } from '../../rehearsal/demo/story.ts';
import type { CrewControl } from '../../supervisor/crew-view.ts';
import { demoContext, inDemo, lizaInDemo, type Play, startDemoCrew, watchDemoCrew } from '../demo-play.ts';
import { ownCommand, ownInstall } from '../own-command.ts';
import { demoScreen } from '../render/demo.ts';
import { printErr } from '../render/print.ts';
import type { Result, Verb } from '../verb.ts';
import type { Dashboard } from '../web/open-dashboard.ts';

export const verb: Verb = {
  operatorOnly: true,
  options: {
    fast: { description: 'As fast as possible, not at reading speed.' },
    plain: { description: 'Print lines instead of the live board.' },
    web: { description: 'Show it in a browser instead: prints a link, and stays until Ctrl-C.' },
    remove: { description: 'Remove the repository at the end.' },
  },
  examples: ['liza demo', 'liza demo --web', 'liza demo --fast --plain', 'liza demo --remove'],
  details: [
    'A planner, two coders and a reviewer build a small program: in parallel, with a rejection, a killed coder, a question to you, a red batch in the merge queue, and a merge conflict. The agents play a script (docs/rehearsal.md); the blackboard, worktrees, reviews, merges and tests are real.',
    'Shows the live board of liza run; without a terminal, a line for each thing that happens. Ends with the record of one commit.',
    'The repository stays, in the temporary folder; the last lines say where it is and how to remove it. Ctrl-C, or q on the board, ends the demo and leaves nothing behind. Exit 0 only if the board’s history shows that all of this happened.',
  ],
  run: async (args, io) => {
    const script = readScript(realDisk.readFileSync(io.asset('demo/script.json'), 'utf8'), 'demo/script.json');
    if (isRefusal(script)) return script;
    const asked = new AbortController();
    const repository = makeRepository(io.host, io.asset('demo/project'), tmpdir());
    let stays = false;
    /** Once it is played, Ctrl-C only ends the dashboard: the repository stays. */
    const over: { end?: () => void } = {};
    const leave = (): void => {
      if (!stays || asked.signal.aborted) repository.remove();
    };
    // However the process ends: the reader of the output may go away (`liza demo | head`).
    io.self.onExit(leave);
    try {
      const play: Play = {
        io,
        repository,
        script,
        screen: demoScreen(io, { liza: ownCommand(io), install: ownInstall(io) }, args.json),
        fast: args.flag('fast'),
        isLive: io.stdoutIsTty && io.env.TERM !== 'dumb' && !args.flag('plain') && !args.flag('web') && !args.json,
        isInBrowser: args.flag('web'),
        env: plainEnvironment(io.env, io.self.argv[0]),
        asked,
        board: { isShown: false },
        begun: io.host.clock.now(),
      };
      io.onInterrupt(() => {
        // The live board says it itself, while it is there.
        if (over.end !== undefined) return over.end();
        if (!play.board.isShown && !asked.signal.aborted) play.screen.stopping();
        asked.abort();
      });
      const result = await perform(play, args.flag('remove') ? undefined : repository, over);
      stays = !args.flag('remove');
      // Whatever the interrupt stopped halfway is no failure of the demo, and its repository is removed.
      return !result.ok && asked.signal.aborted ? interrupted(ownCommand(io)) : result;
    } finally {
      leave();
    }
  },
};

/** `kept`: the repository, where it stays. */
async function perform(play: Play, kept: DemoRepository | undefined, over: { end?: () => void }): Promise<Result> {
  const { io, screen, begun } = play;
  const hint = screen.hint(kept);
  screen.opening(play.repository.root);
  const made = (await lizaInDemo(play, ['init', GOAL])) ?? (await lizaInDemo(play, HOLD));
  if (made !== undefined) return { ...made, hint };
  const pace = play.fast ? 0 : paceAfter(io.host.clock.now() - begun);
  const cast = await castDemo(play);
  if (cast !== undefined) return { ...cast, hint };
  const crew = await startDemoCrew(play, pace);
  if (isRefusal(crew)) return crew;
  const dashboard = play.isInBrowser ? await dashboardOf(play, crew) : undefined;
  if (dashboard !== undefined && isRefusal(dashboard)) {
    crew.stop();
    crew.stop();
    await crew.ended;
    return { ...dashboard, hint };
  }
  try {
    const result = await played(play, crew, kept, hint);
    if (dashboard !== undefined && !play.asked.signal.aborted) await untilCtrlC(play, over);
    return result;
  } finally {
    await dashboard?.close();
  }
}

/** The crew's work to its end, and what came of it. */
async function played(play: Play, crew: CrewControl, kept: DemoRepository | undefined, hint: string): Promise<Result> {
  const { io, screen, begun } = play;
  const { stopped, deaths } = await watchDemoCrew(play, crew);
  if (stopped !== undefined) return refuse(`the demo stopped: ${stopped}`, hint, 1, 'demo');
  const { state } = crew.view().board;
  const chapters = story(state, await logOf(play), deaths);
  const proof = await prove(play);
  if (isRefusal(proof)) return { ...proof, hint };
  const seconds = Math.round((io.host.clock.now() - begun) / 1000);
  screen.chapters(state, chapters, seconds);
  const commit = await account(play, state);
  if (typeof commit !== 'string') return { ...commit, hint };
  const missing = chapters.filter(({ happened }) => !happened);
  const lines = screen.next(kept);
  const data = { seconds, tests: proof.tests, chapters, commit, ...(kept === undefined ? {} : { folder: kept.root }) };
  if (missing.length === 0) return { ok: true, lines, data };
  return { ...refuse(told(missing), hint, 1, 'demo'), lines, data };
}

/** Whoever types `liza run` in its repository gets the same script, and no agent CLI that costs. */
async function castDemo(play: Play): Promise<Refusal | undefined> {
  const providers = JSON.stringify({ rehearsal: { script: play.io.asset('demo/script.json') } });
  const set = (key: string, value: string) => lizaInDemo(play, ['config', 'set', key, value], 'unseen');
  return (await set('providers', providers)) ?? (await set('default_provider', 'rehearsal'));
}

async function dashboardOf(play: Play, crew: CrewControl): Promise<Dashboard | Refusal> {
  const { openDashboard } = await import('../web/open-dashboard.ts');
  const { printLinks } = await import('../web/links.ts');
  const context = { ...demoContext(play), actor: OPERATOR, say: () => {} };
  const opened = await openDashboard(play.io, context, { crew });
  if (!isRefusal(opened)) printLinks(play.io, opened);
  return opened;
}

function untilCtrlC({ io }: Play, over: { end?: () => void }): Promise<void> {
  printErr(io, 'The demo is played; the dashboard stays until Ctrl-C.\n');
  return new Promise((resolve) => {
    over.end = resolve;
  });
}

const interrupted = (liza: string): Refusal =>
  refuse('the demo stopped: it was interrupted', `nothing of it is left; start it again: ${liza} demo`, 1, 'demo');
const told = (missing: readonly Chapter[]): string =>
  `not everything happened: ${missing.map(({ title, text }) => `${title} (${text})`).join('; ')}`;

/** The agents think in their script's seconds; a slow machine takes its time anyway. `first`: what one command took. */
const paceAfter = (first: number): number => Math.max(0.1, Math.min(0.8, 250 / first));

async function logOf(play: Play): Promise<readonly Logged[]> {
  const { output } = await inDemo(play, [...play.io.self.argv, 'log', '-n', '9999', '--json']);
  return (JSON.parse(output) as { readonly entries: readonly Logged[] }).entries;
}

/** Brings the result to the person's branch, as a person would, and runs it. */
async function prove(play: Play): Promise<{ readonly tests: number } | Refusal> {
  let tests = 0;
  for (const { argv, shows } of RESULT) {
    play.screen.command(argv);
    if (argv[1] === 'finish') play.screen.output('testing the result, some seconds …');
    const own = argv[0] === 'liza' ? [...play.io.self.argv, ...argv.slice(1)] : argv;
    const ran = await inDemo(play, own);
    if (ran.status !== 0) return refuse(`${argv.join(' ')} failed in the result: ${ran.output.trim()}`, '', 1, 'demo');
    play.screen.output(shows(ran.output));
    tests = Number(/pass (\d+)/.exec(ran.output)?.[1] ?? tests);
  }
  return tests > 0 ? { tests } : refuse('the result has no tests', '', 1, 'demo');
}

const all = (output: string): string => output;
const RESULT = [
  { argv: ['liza', 'finish', '--yes'], shows: (output: string) => output.replace(/^next: .*$/m, '') },
  {
    argv: ['node', '--test', '--test-reporter=tap'],
    shows: (output: string) => (output.match(/^# (tests|pass|fail) \d+$/gm) ?? [output]).join('  '),
  },
  { argv: ['node', 'bin/tally.mjs', 'example.txt', '--month', '2026-03'], shows: all },
];

/** Who is behind one commit, as `liza blame` tells it: its id. */
async function account(play: Play, state: State): Promise<string | Refusal> {
  const commit = accountedTask(state)?.merge_commit?.slice(0, 12);
  if (commit === undefined) return refuse('no task has a record to show', '', 1, 'demo');
  play.screen.command(['liza', 'blame', commit]);
  const { status, output } = await inDemo(play, [...play.io.self.argv, 'blame', commit]);
  if (status !== 0) return refuse(`liza blame ${commit} failed: ${output.trim()}`, '', 1, 'demo');
  play.screen.output(output.replace(/^more .*$/m, ''), '');
  return commit;
}
