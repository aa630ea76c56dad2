// Every command line that a newcomer's pages print is typed here as it is printed, into a shell on a terminal, in a real
// project. Agent CLIs, npm and the editor are stand-ins on PATH; `liza` is the built program. A line that a page gains is
// run too: the block's heading says where it starts from, and `FROM` says so for the few that are special.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFull } from '../../runs.ts';
import { PACKAGE } from '../../support/build.ts';
import { addTask } from '../../support/core.mjs';
import { type BuiltProject, builtIn, program } from '../../support/program.ts';
import { repository } from '../../support/repository.ts';
import { type Reaction, type Terminal, terminal } from '../../support/terminal.ts';
import { type Block, blocksOf, inlineCommands, rehearsalScript } from './printed.ts';

const PAGES = ['start', 'work', 'troubleshooting', 'rehearsal'];

/** A project with its stand-ins, and a terminal in it. */
interface Place {
  readonly project: BuiltProject;
  /** Where the lines are typed. */
  readonly cwd: string;
}

const CLIS = ['claude', 'codex', 'gemini', 'opencode', 'my-agent'];
const VISION = '# Vision\n\nPeople are greeted by name: `greet("Ada")` gives "Hello, Ada".\n';

/** A repository with a vision and a rehearsal's script; no board. */
function place(name = 'project'): Place {
  const repo = repository({ name, files: { 'specs/vision.md': VISION, 'rehearsal.json': rehearsalScript() } });
  const bin = path.join(repo.base, 'bin');
  fs.mkdirSync(bin);
  const install = (name: string, text: string): void => fs.writeFileSync(path.join(bin, name), text, { mode: 0o755 });
  install('liza', `#!/bin/sh\nexec '${process.execPath}' '${program()}' "$@"\n`);
  for (const name of ['npm', 'npx']) install(name, `#!/bin/sh\necho "${name} $*"\n`);
  install('editor', `#!/bin/sh\nprintf '%s\\n' '${VISION}' > "$1"\n`);
  fs.copyFileSync(path.join(import.meta.dirname, 'stand-in.mjs'), path.join(bin, 'stand-in.mjs'));
  for (const name of CLIS) {
    const words = [process.execPath, path.join(bin, 'stand-in.mjs'), repo.file('rehearsal.json'), name];
    install(name, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  }
  const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'].map((name) => [name, 'a stand-in’s']);
  const env = {
    ...repo.env,
    ...Object.fromEntries(keys),
    PATH: `${bin}:${repo.env['PATH']}`,
    EDITOR: 'editor',
  };
  return { project: builtIn({ ...repo, env }), cwd: repo.root };
}

/** In the checkout of Liza; npm is a stand-in: tools/pack-test.mjs installs with the real one. */
const inCheckout = (): Place => ({ ...place(), cwd: PACKAGE });

function withBoard(): Place {
  const made = place();
  made.project.ok(['init', 'Greet people by name']);
  return made;
}

/** One task was planned, coded, reviewed and merged, and the person's own branch went on. */
function withResult(): Place {
  const made = withBoard();
  made.project.config({ providers: { rehearsal: { script: 'rehearsal.json', pace: 0 } } });
  made.project.ok(['run', '--agent', 'rehearsal', '--until-idle', '--plain']);
  made.project.commit({ 'notes.md': 'mine\n' });
  return made;
}

function withTask(): Place {
  const made = withBoard();
  made.project.ok(addTask('greet', { validate: 'node --test' }));
  return made;
}

/** A coder's folder, as a claim made it. */
function withClaim(): Place {
  const { project } = withTask();
  project.ok(['register', 'coder-1'], { as: 'coder-1' });
  project.ok(['claim-task', 'greet', 'coder-1'], { as: 'coder-1' });
  return { project, cwd: project.folder('greet') };
}

/** Where the lines of a block start from, by page and heading; a heading with two blocks has two entries. */
const FROM: Readonly<Record<string, readonly (() => Place)[]>> = {
  'start.md: Install': [inCheckout, inCheckout, inCheckout],
  'start.md: In six lines': [
    () => {
      const { project } = place('your-project');
      return { project, cwd: project.base };
    },
    () => place(),
  ],
  'work.md: Your branch and the integration branch': [withResult],
  'rehearsal.md: A complete example': [() => place(), withClaim],
  'rehearsal.md: Playing an agent yourself': [withTask],
};

/** What a person types while a line runs. */
function reactionTo(line: string, { project }: Place): Reaction {
  let typed = 0;
  const once = (when: boolean, text: string): string | undefined => {
    if (!when || typed > 0) return undefined;
    typed += 1;
    return text;
  };
  const board = () => (fs.existsSync(project.file('.liza/state.yaml')) ? project.board() : undefined);
  const reached = (isEnough: (status: string) => boolean) =>
    board()?.tasks.some(({ status }) => isEnough(status)) === true;
  // What a page goes on with needs the whole way. Elsewhere it is enough that the planner planned and, where the line names
  // its CLI or in test:all, that a coder is at work.
  const needsCoder = inFull || line.includes('--coder ');
  const enough = (status: string): boolean =>
    line.startsWith('liza run  ') ? status === 'MERGED' : !needsCoder || !['DRAFT', 'UNCLAIMED'].includes(status);
  if (/^liza run\b(?!.*--(until-idle|check|detach))/.test(line)) {
    // The board's question stays when the crew ends under one's hands.
    const keys = [
      { key: 'q', when: () => reached(enough) },
      { key: 's', when: (screen: string) => screen.includes('closes the board') },
    ];
    return (screen) => (keys[0]?.when(screen) === true ? keys.shift()?.key : undefined);
  }
  if (/^liza agent\b/.test(line))
    return (screen) => once(screen !== '' && Object.keys(board()?.agents ?? {}).length > 0, '\x03');
  // A question is answered once: what is on the screen grows with each.
  return (screen) => {
    if (!/\]: $/.test(screen) || screen.length <= typed) return undefined;
    typed = screen.length;
    // What would change a branch has no as its default.
    return screen.endsWith('yes or no [no]: ') ? 'yes\n' : '\n';
  };
}

/** Types lines one after the other into one shell; each must end with 0. */
async function type(from: Place, lines: readonly string[]): Promise<void> {
  const shell: Terminal = await terminal(from.cwd, from.project.env);
  for (const line of lines) {
    const { code, screen } = await shell.line(line, reactionTo(line, from));
    expect(code, `${line}\n${screen}`).toBe(0);
  }
  await shell.close();
}

/** The first line runs in a terminal of its own while the others are typed, and is left at the end. */
async function typeBeside(from: Place, [first = '', ...others]: readonly string[]): Promise<void> {
  const shell = await terminal(from.cwd, from.project.env);
  let isOver = false;
  const keys = [
    { at: '', key: 'q' },
    { at: 'stop the crew', key: 's' },
  ];
  const running = shell.line(first, (screen) =>
    isOver && screen.includes(keys[0]?.at ?? '\0') ? keys.shift()?.key : undefined,
  );
  await type(from, others);
  isOver = true;
  const { code, screen } = await running;
  expect(code, `${first}\n${screen}`).toBe(0);
  await shell.close();
}

/** Blocks whose lines belong into two terminals. */
const BESIDE: ReadonlySet<string> = new Set(['rehearsal.md: Playing an agent yourself']);

/** In `npm test` other lines, and the demo, stand for them: one agent CLI after the other, and what is played from a script. */
const ALIKE: ReadonlySet<string> = new Set(
  ['claude', 'codex', 'gemini', 'opencode', 'An ACP agent'].concat('Your own command', 'A complete example'),
);

describe.each(PAGES.filter((page) => blocksOf(page).length > 0))('docs/%s.md', (page) => {
  const [alike, others] = [true, false].map((which) =>
    blocksOf(page).filter((one) => ALIKE.has(one.heading) === which),
  );
  const works = async (block: Block): Promise<void> => {
    const name = `${page}.md: ${block.heading}`;
    const from = FROM[name]?.[block.nth] ?? withBoard;
    if (BESIDE.has(name)) return typeBeside(from(), block.lines);
    // Several runs in one block are alternatives: each starts from the same.
    if (runs(block) > 1) for (const line of block.lines) await type(from(), [line]);
    else await type(from(), block.lines);
  };
  test.each(others ?? [])('$heading, line $at: every line works as printed', works, 240_000);
  test.runIf(inFull).each(alike ?? [])('$heading, line $at (in test:all): every line works as printed', works, 240_000);
});

const runs = ({ lines }: Block): number => lines.filter((line) => line.startsWith('liza run')).length;

/** Commands within the text that are run elsewhere, or wait for a person. */
const ELSEWHERE = [
  { line: /^liza (run|agent|play|rehearse|attach)\b/, why: 'typed above, from the blocks' },
  { line: /^liza demo\b/, why: 'played in test/integration/rehearsal/demo.test.ts and tools/pack-test.mjs' },
  { line: /^liza (log -f|watch)\b/, why: 'does not end by itself: test/e2e/watch.test.ts' },
  { line: /^liza init$/, why: 'asks: typed above' },
];

/** What the program says of a line that it does not understand; a name alone, such as `liza begin`, may lack its task. */
const NOT_UNDERSTOOD = /is not a command|there is no command|has no option|does not take/;

test.each(PAGES)(
  'docs/%s.md: every whole command within its text exists',
  (page) => {
    const { project } = withTask();
    // What a page above prints too is run there.
    const before = new Set(PAGES.slice(0, PAGES.indexOf(page)).flatMap(inlineCommands));
    const lines = inlineCommands(page).filter(
      (line) => !before.has(line) && !ELSEWHERE.some((one) => one.line.test(line)),
    );
    const wrong = lines.flatMap((line) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
        cwd: project.root,
        env: { ...project.env, EDITOR: 'true' },
        input: '',
        encoding: 'utf8',
        timeout: 60_000,
      });
      const said = `${stdout}${stderr}`;
      // Whether the board lets it is not asked here: 1 is a refusal by a rule, 3 a red test.
      return [0, 1, 3].includes(status ?? -1) && !NOT_UNDERSTOOD.test(stderr)
        ? []
        : [`${line}: exit ${status}: ${said}`];
    });
    expect(wrong).toEqual([]);
  },
  240_000,
);
