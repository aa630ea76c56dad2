// How the demo looks: what it is, one line per thing that happens, and what to do next. With --json nothing is
// printed on the way.

import type { State } from '../../protocol/state.ts';
import type { StoryLine } from '../../rehearsal/demo/narration.ts';
import type { DemoRepository } from '../../rehearsal/demo/repository.ts';
import type { Chapter } from '../../rehearsal/demo/story.ts';
import { shellWord } from '../../text/format.ts';
import type { Instant } from '../../text/time.ts';
import type { Io } from '../io.ts';
import { type Line, pageFor, type Tone } from './layout.ts';
import { fold, printOut } from './print.ts';
import { plain } from './terminal.ts';

export interface DemoScreen {
  opening(root: string): void;
  told(line: StoryLine): void;
  /** A person's command, as it would be typed in the repository; `liza` stands for this program. */
  command(argv: readonly string[]): void;
  output(text: string, indent?: string): void;
  /** Whoever presses Ctrl-C hears at once what happens now. */
  stopping(): void;
  chapters(state: State, chapters: readonly Chapter[], seconds: number): void;
  /** The last lines: what to do now. */
  next(kept: Kept | undefined): readonly string[];
  /** What to do after a demo that failed. */
  hint(kept: Kept | undefined): string;
}

/** The repository, where it stays, and the folder to remove with all that is in it. */
type Kept = Pick<DemoRepository, 'root' | 'folder'>;

const TONES: Readonly<Record<StoryLine['tone'], Tone | undefined>> = {
  plain: undefined,
  faint: 'faint',
  good: 'good',
  bad: 'bad',
  human: 'strong',
};
/** What a program printed is shown as it is; the terminal breaks it. */
const UNCUT = 1_000_000;
const WHO = 16;
const TASK = 7;

/** What the reader types for this program, and to install it (own-command.ts). */
export interface Own {
  readonly liza: string;
  /** The lines that install it and let the shell find it. */
  readonly install: readonly string[];
}

export function demoScreen(io: Io, own: Own, silent: boolean): DemoScreen {
  const { liza } = own;
  const width = io.stdoutIsTty ? Math.min(io.columns, 120) : UNCUT;
  const p = pageFor({ color: io.color, unicode: io.unicode, width: UNCUT });
  const safe = (text: string): string => fold(plain(text), io);
  const begun = io.host.clock.now();
  const write = (lines: readonly Line[]): void => {
    if (!silent) printOut(io, `${p.print(lines)}\n`);
  };
  const typed = (line: string): void => write([[{ text: '' }], [{ text: `$ ${safe(line)}`, tone: 'strong' }]]);
  return {
    opening: (root) => {
      const about = [
        'A planner, two coders and a reviewer build a small program in a repository of their own.',
        'The agents play a script: no account, no network, no model. Everything else is real.',
      ];
      write(about.map((text) => [{ text: p.say(text) }]));
      typed(`cd ${shellWord(root)}`);
    },
    told: ({ who, task, text, tone }) => {
      const left = `${clock(io.host.clock.now() - begun)}  ${who.padEnd(WHO)}${task.padEnd(TASK)} `;
      const [first = '', ...more] = p.lines(text, Math.max(20, width - left.length));
      const rest = more.map((part): Line => [{ text: ' '.repeat(left.length) + part, tone: TONES[tone] }]);
      write([
        [
          { text: left, tone: 'faint' },
          { text: first, tone: TONES[tone] },
        ],
        ...rest,
      ]);
    },
    command: ([program = '', ...args]) => typed([program === 'liza' ? liza : program, ...args.map(quoted)].join(' ')),
    output: (text, indent = '  ') => {
      const lines = safe(text.trimEnd()).split('\n');
      if (text.trim() !== '') write(lines.map((line) => [{ text: `${indent}${line}` }]));
    },
    stopping: () =>
      write([[{ text: 'stopping: the agents are ended, then the repository is removed …', tone: 'strong' }]]),
    chapters: (state, chapters, seconds) => {
      const lines = chapters.flatMap(({ title, happened, text }) => {
        const [first = '', ...more] = p.lines(`${title}: ${text}`, Math.max(20, width - 4));
        return [`  ${happened ? '✓' : '✗'} ${first}`, ...more.map((part) => `    ${part}`)];
      });
      const head = `What happened, in ${seconds} s and ${sessionsOf(state)} sessions, read from the board’s history:`;
      write(['', head, ...lines].map((text) => [{ text: safe(text) }]));
    },
    next: (kept) => nextLines(own, kept).map(safe),
    hint: (kept) =>
      safe(
        kept === undefined
          ? `to look at the repository, run it again without --remove: ${liza} demo`
          : `look at it: cd ${shellWord(kept.root)} && ${liza} status; remove it: rm -rf ${shellWord(kept.folder)}`,
      ),
  };
}

const sessionsOf = ({ tasks, goal }: State): number =>
  [...tasks.map(({ usage }) => usage), goal.usage].reduce((sum, use) => sum + (use?.sessions ?? 0), 0);

/**
 * Each line works as it is printed, also by itself after the first. A comment behind a command would be an argument in zsh: what it is for comes first.
 */
function nextLines({ liza, install }: Own, kept: Kept | undefined): readonly string[] {
  const isFound = liza === 'liza';
  const rows = (lines: readonly (readonly [about: string, command: string])[]): readonly string[] =>
    lines.map(([about, command]) => `  ${about.padEnd(ABOUT)}${command}`);
  return [
    ...(kept === undefined
      ? []
      : [
          '',
          'The repository of this demo stays. Look around in it:',
          `  cd ${shellWord(kept.root)}`,
          ...rows(LOOK.map(([about, line]) => [about, line.replace(/^liza(?= )/, () => liza)])),
          ...rows([['remove it', `cd ~ && rm -rf ${shellWord(kept.folder)}`]]),
        ]),
    '',
    ...(isFound ? [] : ['Install Liza:', ...install.map((line) => `  ${line}`)]),
    `${isFound ? 'In' : 'Then, in'} a git repository of your own:`,
    ...rows(OWN),
  ];
}

const ABOUT = 19;
const LOOK = [
  ['the board', 'liza status --all'],
  ['who did what', 'liza log -n 60'],
  ['one task', 'liza show money'],
  ['what is proven', 'liza audit'],
  ['what was merged', 'git log --graph --oneline'],
] as const;
const OWN = [
  ['state a goal', 'liza init'],
  ['say what you want', `\${EDITOR:-vi} specs/vision.md`],
  ['keep it in git', 'git add specs && git commit -m "The goal"'],
  ['let agents work', 'liza run'],
  ['take the result', 'liza finish'],
] as const;

const clock = (ms: Instant): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
};

const quoted = (word: string): string => (/^[\w./:=,-]+$/.test(word) ? word : `"${word}"`);
